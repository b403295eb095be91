// Tests that hubcli and npx prompt-hub read from a private hub with HUB_TOKEN: the token goes to that hub alone, once it has
// asked for one.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readTokenFor } from '../../clients/typescript/source/read-token.ts'
import { HUBCLI } from '../cli/assembled.ts'
import { type MembersHub, openMembersHub } from '../hubs/members-hub.ts'
import { listen } from '../listen.ts'
import type { Ran } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { CLIENTS, type Client, environment, runClient, runWith } from './both-clients.ts'

const NAME = 'zephyrine/quokka-brief'
/** hubcli without its last line, which runs it. */
const hubcli = readFileSync(HUBCLI, 'utf8').replace(/\nmain "\$@"\n$/, '\n')

let hub: MembersHub
let token: string
/** The Authorization header of each request to the private hub. */
let sent: (string | undefined)[] = []
beforeAll(async () => {
  hub = await openMembersHub()
  token = hub.readers['a token with read']!.headers.Authorization!.replace('Bearer ', '')
  hub.server.on('request', ({ headers }: IncomingMessage) => sent.push(headers.authorization))
})
afterAll(() => hub?.stop())

let dir: string
const others: Server[] = []
beforeEach(() => {
  dir = temporaryFolder('hub-private-client-')
  sent = []
})
afterEach(async () => {
  for (const server of others.splice(0)) await new Promise((done) => server.close(done))
})

/** Starts another server, which answers every request in the same way. @returns its URL, and the tokens that it got */
async function startOther(status: number, headers: Record<string, string>): Promise<{ url: string; got: string[] }> {
  const got: string[] = []
  const server = createServer((incoming, outgoing) => {
    if (incoming.headers.authorization !== undefined) got.push(incoming.headers.authorization)
    const isAsking = status !== 401 && incoming.headers.authorization === undefined
    outgoing.writeHead(isAsking ? 401 : status, { 'Content-Type': 'application/json', ...headers })
    outgoing.end('{"error":{"code":"unauthorized","message":"A token, please."}}')
  })
  others.push(server)
  return { url: await listen(server), got }
}

/** Runs a client with HUB_TOKEN, and with HUB_URL if it is given. */
function run({ name, command }: Client, args: string[], url: string | undefined, given = token): Promise<Ran> {
  const { HUB_URL: _, ...others } = environment('')
  const env = { ...others, HUB_TOKEN: given, ...(url !== undefined && { HUB_URL: url }) }
  // A process of Node remembers which hub has asked for a token. For each command of hubcli, there is a copy of a process.
  return runWith(command, args, dir, env, { isAlone: name !== 'hubcli' })
}

describe.each(CLIENTS)('$name', (client) => {
  test('locks, installs and reviews a prompt of a private hub, after the hub has asked for a token', async () => {
    const url = `http://127.0.0.1:${hub.port}`
    for (const args of [['add', NAME], ['install'], ['outdated']]) {
      sent = []
      const { code, stderr } = await run(client, args, url)
      expect([args, code, stderr.includes(token)]).toEqual([args, 0, false])
      if (sent.length === 0) continue
      expect([args, sent[0]]).toEqual([args, undefined])
      expect(sent.filter((each) => each === undefined).length).toBeLessThan(sent.length)
      expect(new Set(sent)).toEqual(new Set([undefined, `Bearer ${token}`]))
    }
    expect(readFileSync(join(dir, 'prompts.lock'), 'utf8')).not.toContain(token)
    expect(existsSync(join(dir, 'prompts'))).toBe(true)
  })

  test('a token with a line break is named, and not sent', async () => {
    const { code, stderr } = await run(client, ['add', NAME], `http://127.0.0.1:${hub.port}`, `${token}\r`)
    expect([code, stderr.includes(token)]).toEqual([1, false])
    expect(stderr).toMatch(/token.*line breaks\n$/i)
    expect(new Set(sent)).toEqual(new Set(client.name === 'hubcli' ? [undefined] : []))
  })

  test('reports what the hub says about a wrong token', async () => {
    const wrong = `hub_${'0'.repeat(38)}`
    const { code, stderr } = await run(client, ['add', NAME], `http://127.0.0.1:${hub.port}`, wrong)
    expect([code, stderr.includes('Only readers may read this hub')]).toEqual([3, true])
  })

  test('sends nothing to a hub that only the lock names', async () => {
    expect((await run(client, ['add', NAME], `http://127.0.0.1:${hub.port}`)).code).toBe(0)
    const evil = await startOther(401, { 'WWW-Authenticate': 'Bearer' })
    const lock = join(dir, 'prompts.lock')
    writeFileSync(lock, readFileSync(lock, 'utf8').replace(/http:\/\/127\.0\.0\.1:\d+/g, evil.url))
    for (const args of [['outdated'], ['add', 'acme/other']]) await run(client, args, undefined)
    expect(evil.got).toEqual([])
  })

  test('sends nothing to where the hub redirects', async () => {
    const evil = await startOther(401, { 'WWW-Authenticate': 'Bearer' })
    const redirecting = await startOther(302, {
      Location: `${evil.url}/data/v1/tags.json`,
      'WWW-Authenticate': 'Bearer',
    })
    await run(client, ['add', NAME], redirecting.url)
    expect(redirecting.got.length).toBeGreaterThan(0)
    expect(evil.got).toEqual([])
  })
})

test('hubcli neither takes a token from other variables, nor passes one on in them', async () => {
  const evil = await startOther(401, { 'WWW-Authenticate': 'Bearer' })
  const names = ['token', 'authorization']
  const others = names.map(
    (name) => `${name}=${name === 'token' ? 'secret' : 'header = "Authorization: Bearer secret"'}`,
  )
  await runClient(['env', 'HUB_TOKEN=', `HUB_URL=${evil.url}`, ...others, 'sh', HUBCLI], ['add', NAME], dir, evil.url)
  expect(evil.got).toEqual([])
  const [probe, environmentFile] = [join(dir, 'probe'), join(dir, 'environment')]
  writeFileSync(probe, `${hubcli.replace(/\n *exec curl /, '\n env >"$PROBE"; exec curl ')}\nmain "$@"\n`)
  const settings = [`HUB_TOKEN=${token}`, `HUB_URL=http://127.0.0.1:${hub.port}`, `PROBE=${environmentFile}`, ...others]
  const program = ['env', ...settings, 'sh', probe]
  await runClient(program, ['cat', NAME], dir, `http://127.0.0.1:${hub.port}`)
  const passed = readFileSync(environmentFile, 'utf8').split('\n')
  expect(passed.filter((line) => line.includes(token) && !line.startsWith('HUB_TOKEN='))).toEqual([])
})

//  the hub, HUB_URL, and whether the hub may get the token
const CASES: [string, string, boolean][] = [
  ['https://hub.example.com', 'https://hub.example.com', true],
  ['http://localhost:8888', '', true],
  ['http://127.0.0.1:9999', 'http://127.0.0.1:9999', true],
  ['http://hub.example.com', 'http://hub.example.com', false],
  ['https://hub.example.com', '', false],
  ['https://hub.example.com', 'https://other.example.com', false],
  ['https://hub.example.com:444', 'https://hub.example.com', false],
  ['https://hub.example.com.evil.example', 'https://hub.example.com', false],
]

const settingsOf = (own: string) => ({ ...environment(own), HUB_TOKEN: 'hub_x' })

test.each<[string, () => boolean[]]>([
  [
    'TypeScript',
    () => {
      const before = process.env
      const sent = CASES.map(([url, own]) => {
        process.env = settingsOf(own)
        return readTokenFor(url, {}) === 'hub_x'
      })
      process.env = before
      return sent
    },
  ],
  [
    'Python',
    () => {
      const program = `
import json, os, sys
from prompt_hub.read_token import read_token_for
sent = []
for url, own, _ in json.loads(sys.argv[1]):
    os.environ["HUB_URL"] = own
    sent.append(read_token_for(url) == "hub_x")
print(json.dumps(sent))
`
      const options = { env: settingsOf(''), encoding: 'utf8' } as const
      return JSON.parse(execFileSync('python3', ['-c', program, JSON.stringify(CASES)], options))
    },
  ],
])('%s sends the token only to a hub that the program or HUB_URL names', (_, sends) => {
  expect(sends()).toEqual(CASES.map(([, , expected]) => expected))
})
