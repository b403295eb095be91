// Prints the time from importing a bundle of the MCP function to its first response, in milliseconds: `node mcp-cold-start.ts BUNDLE ERA`.
import { makeMcpRequest } from './mcp-request.ts'

const [, , bundle = '', era = ''] = process.argv
const started = performance.now()
const { default: answer } = await import(bundle)
const request = makeMcpRequest(era === '2026' ? '2026' : '2025', 'tools/list', {})
const response: Response = await answer(request, { ip: '127.0.0.1' })
const text = await response.text()
if (!text.includes('search_prompts')) throw new Error(text)
console.log((performance.now() - started).toFixed(1))
