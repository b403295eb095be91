// Runs commands of both clients against a hub that never answers, and one that never stops: each ends with one clear line, and changes nothing.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../listen.ts'
import type { Ran } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { CLIENTS, nodeWith, pythonWith, runClient } from './both-clients.ts'

/** Makes waiting and pausing three hundred times as fast. */
const FAST_PYTHON = `import sys
import program.hub
made = program.hub.RequestSettings
program.hub.RequestSettings = lambda timeout, retries, deadline, token: made(timeout / 300, retries, deadline / 300, token)
`
const FAST_NODE = `const wait = AbortSignal.timeout
AbortSignal.timeout = (ms) => wait(Math.ceil(ms / 300))`
const TOKEN = ['env', 'HUB_TOKEN=hub_x']
const FAST = [
  { name: 'hubcli', command: [...TOKEN, ...pythonWith(FAST_PYTHON)] },
  { name: 'npx prompt-hub', command: [...TOKEN, ...nodeWith(FAST_NODE)] },
]
/** One that reads, and one that publishes. */
const COMMANDS = ['update', 'push acme/a.md acme/b.md']
const LOCK = (hub: string) =>
  `${JSON.stringify(
    {
      lockfile: 1,
      hub,
      prompts: {
        'acme/x': {
          range: '^1.0.0',
          version: '1.0.0',
          sha256: 'a'.repeat(64),
          places: [{ path: 'prompts/acme/x.md' }],
          variables: [],
          parameters: {},
        },
      },
    },
    null,
    2,
  )}\n`

const servers: Server[] = []
/** Starts a server that does with a connection what it is told. */
async function start(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle)
  servers.push(server)
  return listen(server)
}

let silent: string
let endless: string
beforeAll(async () => {
  silent = await start((socket) => socket.on('error', () => {}))
  endless = await start((socket) => {
    const more = () => {
      while (socket.writable && socket.write('x'.repeat(65_536)));
    }
    socket.on('error', () => {}).on('drain', more)
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n')
      more()
    })
  })
})
afterAll(() => {
  for (const server of servers) server.close()
})

const scratch = temporaryFolder('prompt-hub-silent-')
let folders = 0

/** Runs a command in a project. @returns what it printed, and whether the project is as before */
async function run(command: string[], words: string, hub: string): Promise<Ran & { isSame: boolean }> {
  const folder = join(scratch, String(folders++))
  mkdirSync(join(folder, 'acme'), { recursive: true })
  for (const name of ['a', 'b']) writeFileSync(join(folder, `acme/${name}.md`), 'Text.\n')
  const hasLock = words === 'update'
  if (hasLock) writeFileSync(join(folder, 'prompts.lock'), LOCK(hub))
  const before = readdirSync(folder, { recursive: true }).sort()
  const ran = await runClient(command, words.split(' '), folder, hub)
  const isSame = before.join() === readdirSync(folder, { recursive: true }).sort().join()
  return { ...ran, isSame: isSame && (!hasLock || readFileSync(join(folder, 'prompts.lock'), 'utf8') === LOCK(hub)) }
}

describe.each(FAST)('$name', ({ command }) => {
  test.each(COMMANDS)('%s: a hub that never answers', async (words) => {
    const { code, stdout, stderr, isSame } = await run(command, words, silent)
    expect([code, stdout, isSame]).toEqual([5, '', true])
    const lines = stderr.split('\n').filter((line) => !/ is not there; | one more was not sent$/.test(line))
    expect(lines).toEqual([expect.stringMatching(/^prompt-hub: .*127\.0\.0\.1:\d+.* did not respond/), ''])
  })
})

describe.each(CLIENTS)('$name', ({ command }) => {
  test.each(['cat acme/x', 'push acme/a.md'])('%s: an answer without an end', async (words) => {
    const { code, stdout, stderr, isSame } = await run([...TOKEN, ...command], words, endless)
    expect([code, stdout, isSame]).toEqual([5, '', true])
    expect(stderr).toMatch(
      /^prompt-hub: [^\n]*returned more than (?:4194304|12582912) bytes, which is too large for a prompt\.\n$/,
    )
  })
})
