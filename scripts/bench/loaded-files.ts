// Prints which files in src one call to a function loads, as JSON: `node loaded-files.ts FUNCTION`, with the request as JSON and the stores' URLs in the environment.
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Call } from './functions.ts'

const SOURCE = new URL('../../src/', import.meta.url).href
const loaded: string[] = []
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith(SOURCE)) loaded.push(fileURLToPath(url))
    return nextLoad(url, context)
  },
})

// Netlify's purge URL is fixed, so it cannot be served with the stores.
const { fetch: fetchFromStores } = globalThis
globalThis.fetch = async (input, init) =>
  String(input) === 'https://api.netlify.com/api/v1/purge'
    ? new Response(null, { status: 202 })
    : fetchFromStores(input, init)

const call: Call = JSON.parse(process.env.BENCH_CALL ?? '')
// Imported dynamically, so that none of it is loaded before the hook is registered.
const { default: answer } = await import(new URL(`../../netlify/functions/${call.function}.mts`, import.meta.url).href)
const response: Response = await answer(new Request(call.url, call.init), { ip: '192.0.2.1' })
const text = await response.text()
if (!response.ok || text.includes('"isError":true')) throw new Error(`${response.status}: ${text}`)
console.log(JSON.stringify(loaded))
