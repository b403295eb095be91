// Tests that a token for a hub on this machine never goes through the proxy of HTTP_PROXY, where others can read it.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMPILED } from '../compiled.ts'
import { listen, stop } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const TOKEN = 'hub_secret'
const PYTHON = `
import sys
from prompt_hub import HubManager, PromptHub, PromptHubError
for call in (lambda: PromptHub(sys.argv[1], token="${TOKEN}", retries=0).get("acme/x"),
             lambda: HubManager("${TOKEN}", sys.argv[1], retries=0).yank("acme/x", "1.0.0", "Wrong")):
    try:
        call()
    except PromptHubError as error:
        print(error.code, error.status)
`
const NODE = `
import { HubManager, PromptHub } from '${resolve('clients/typescript/source/prompt-hub.ts')}'
const options = { url: process.argv[1], token: '${TOKEN}', retries: 0 }
for (const call of [
  () => new PromptHub(options).get('acme/x'),
  () => new HubManager(options).yank('acme/x', '1.0.0', 'Wrong'),
])
  try {
    await call()
  } catch (error) {
    console.log(error.code, error.status)
  }
`
/** The requests that arrive at the hub: their path, and whether they have the token. */
const asked: [path: string, hasToken: boolean][] = []
/** What goes through the proxy. */
let passed = ''
const hub = createServer((request, response) => {
  const hasToken = request.headers.authorization === `Bearer ${TOKEN}`
  asked.push([request.url ?? '', hasToken])
  response.writeHead(hasToken ? 404 : 401).end()
})
const proxy = createServer((request, response) => {
  passed += `${request.url} ${JSON.stringify(request.headers)}\n`
  response.writeHead(502).end()
}).on('connect', (request, socket) => {
  const [, port] = request.url!.split(':')
  const there = connect(Number(port), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
  socket.on('data', (bytes) => (passed += bytes))
  socket.on('error', () => there.destroy()).pipe(there)
  there.on('error', () => socket.destroy()).pipe(socket)
})
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeAll(() => Promise.all([listen(hub), listen(proxy)]))
afterAll(() => Promise.all([stop(hub), stop(proxy)]))

const ACTION = `import { askJson, runAction } from '${resolve('.github/actions/job.ts')}'
await runAction(async () => {
  const headers = { Authorization: 'Bearer ${TOKEN}' }
  await askJson(process.argv.at(-1), { headers }).catch(() => {})
  await askJson(process.argv.at(-1).replace('127.0.0.1', 'hub.example') + '/through').catch(() => {})
})`

async function run(program: string, args: string[], more: Record<string, string> = {}): Promise<string> {
  asked.length = 0
  passed = ''
  const env = { PATH: process.env.PATH, PYTHONPATH: resolve('clients/python'), ...COMPILED, http_proxy: urlOf(proxy) }
  const { stdout } = await promisify(execFile)(program, [...args, urlOf(hub)], { env: { ...env, ...more } })
  return stdout
}

test('the Python library asks a hub on this machine directly', async () => {
  expect(await run('python3', ['-c', PYTHON])).toBe('not_found 404\nnot_found 404\n')
  expect(asked.some(([, hasToken]) => hasToken)).toBe(true)
  expect(passed).toBe('')
})

test('the actions ask a hub on this machine directly', async () => {
  const program = join(temporaryFolder('prompt-hub-proxies-'), 'action.mjs')
  writeFileSync(program, ACTION)
  await run(process.execPath, [program])
  expect(asked[0]).toEqual(['/', true])
  // Any other host is asked through it.
  expect(passed).toContain('GET /through')
  expect(passed).not.toContain(TOKEN)
})

test('the TypeScript library sends no token through a proxy that Node.js uses', async () => {
  const node = ['--input-type=module', '-e', NODE]
  const isUsed = { NODE_USE_ENV_PROXY: '1', NODE_NO_WARNINGS: '1' }
  expect(await run(process.execPath, node, isUsed)).toBe('refused 401\ninvalid_request undefined\n')
  expect(passed).toContain('GET /data/v1/repos/acme/x.json')
  expect(passed).not.toContain(TOKEN)
  expect(await run(process.execPath, node, { ...isUsed, NO_PROXY: '127.0.0.1' })).toBe('not_found 404\nnot_found 404\n')
  expect(passed).toBe('')
})
