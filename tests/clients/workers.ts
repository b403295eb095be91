// Checks the TypeScript library in workerd, Cloudflare's runtime. It cuts off what is still under way when a response has
// been sent, and the promise of a request then never settles.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FaultHub, openFaultHub } from './fault-hub.ts'
import { makeProject } from './installed.ts'

const MODULE = './dist/prompt-hub.js'
/** Moves the clock by the `skip` of the URL, in seconds, and gets a prompt, with `new` as a client that has none. */
const WORKER = `
import { PromptHub } from '${MODULE}'
const now = Date.now
let skip = 0
Date.now = () => now() + skip * 1000
let hub
const worker = {
  async fetch(request, env, context) {
    const { searchParams } = new URL(request.url)
    skip = Number(searchParams.get('skip'))
    if (searchParams.has('new')) hub = undefined
    hub ??= new PromptHub({ url: env.HUB, retries: 0, deadlineMs: 60000 })
    const waitUntil = searchParams.has('wait') ? { waitUntil: (promise) => context.waitUntil(promise) } : {}
    const { source, version } = await hub.get('acme/hello', waitUntil)
    return new Response(source + ' ' + version)
  },
}
export { worker as default }
`

const WAIT = { timeout: 120_000 }

let project: string
let hub: FaultHub
let worker: Miniflare
/** How long the hub takes to respond. */
let delayMs = 0
beforeAll(async () => {
  project = await makeProject('http://localhost:9')
  hub = await openFaultHub()
  hub.outage = (request, response) => {
    setTimeout(() => hub.answer(request, response), delayMs)
    return true
  }
  const dist = join(project, 'node_modules/prompt-hub-client/dist')
  const library = readdirSync(dist)
    .filter((name) => name.endsWith('.js') && !['command.js', 'files.js'].includes(name))
    .map((name) => ({
      type: 'ESModule' as const,
      path: `dist/${name}`,
      contents: readFileSync(join(dist, name), 'utf8'),
    }))
  worker = new Miniflare({
    modulesRoot: '.',
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: WORKER }, ...library],
    compatibilityDate: '2025-06-01',
    bindings: { HUB: hub.url },
  })
  await worker.ready
})
afterAll(async () => {
  await worker.dispose()
  await hub.stop()
  rmSync(project, { recursive: true, force: true })
})
const get = async (query: string) => {
  const response = await worker.dispatchFetch(`http://worker/?${query}`, { signal: AbortSignal.timeout(50_000) })
  return response.text()
}

test('a revalidation that was cut off does not keep later requests waiting', async () => {
  expect(await get('new&skip=0')).toBe('network 1.1.0')
  delayMs = 500
  expect(await get('skip=70')).toBe('stale 1.1.0')
  expect(await get('skip=300')).toBe('stale 1.1.0')
  // 11 minutes after the prompt was first read, its copy is too old to be used at once.
  expect(await get('skip=700')).toBe('network 1.1.0')
  expect(await get('skip=710')).toBe('memory 1.1.0')
})

test('waitUntil lets a revalidation finish', async () => {
  delayMs = 0
  expect(await get('new&skip=0')).toBe('network 1.1.0')
  hub.unchanged.length = 0
  delayMs = 200
  expect(await get('skip=70&wait')).toBe('stale 1.1.0')
  await expect.poll(() => hub.unchanged, WAIT).toHaveLength(1)
  await expect.poll(() => get('skip=71'), WAIT).toBe('memory 1.1.0')
})
