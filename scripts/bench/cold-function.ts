// Prints the milliseconds from loading a function to its first response; the environment specifies the function and the request.
import { pathToFileURL } from 'node:url'

const { COLD_FUNCTION = '', COLD_URL = '' } = process.env
process.env.NETLIFY_BLOBS_CONTEXT = Buffer.from(
  JSON.stringify({ edgeURL: new URL('/blobs', COLD_URL).href, siteID: 'x', token: 'x' }),
).toString('base64')
const began = performance.now()
const { default: answer } = await import(pathToFileURL(COLD_FUNCTION).href)
const response: Response = await answer(new Request(COLD_URL), { ip: '192.0.2.1' })
const { length } = await response.text()
const ms = performance.now() - began
if (response.status !== 200 || length < 500) throw new Error(`${response.status}, ${length} characters`)
console.log(ms)
