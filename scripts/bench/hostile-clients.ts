// Attacks by hostile clients on a hub with default limits: each one used to block everyone, exhaust the memory or crash the process.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPeople } from '../../src/stores/state/sessions.ts'
import { openSqliteState } from '../../src/stores/state/state-sqlite.ts'
import { createToken, openTokens } from '../../src/stores/state/tokens.ts'
import type { HostileHub } from './hostile-hub.ts'

/** Attacks a hub. @param signal stops an attack that is still running, and closes its open connections */
export type Attack = (hub: HostileHub, signal: AbortSignal) => Promise<void>

/** How long clients that do not read are observed; the hub disconnects them after 20 to 40 s. */
const UNREAD_MS = 15_000
const ENDED_TOKENS = 1_500

const requestFor = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`

/** Sends bytes over a connection. @returns when the hub closes it, or has sent nothing for two seconds */
function sendDown({ port }: HostileHub, text: string, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const end = () => socket.destroy()
    signal.addEventListener('abort', end, { once: true })
    socket
      .setTimeout(2_000, end)
      .on('error', end)
      .on('close', () => {
        signal.removeEventListener('abort', end)
        done()
      })
      .resume()
  })
}

/** Opens connections that send requests and read nothing. */
async function askWithoutReading({ port }: HostileHub, text: string, signal: AbortSignal): Promise<void> {
  const sockets = Array.from({ length: 300 }, (): Socket => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    return socket.on('error', () => socket.destroy()).pause()
  })
  await sleep(UNREAD_MS, undefined, { signal }).catch(() => {})
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
}

/** Calls `count` times with limited concurrency; rejections and closed connections are ignored. */
async function inTurn(count: number, atOnce: number, signal: AbortSignal, call: (number: number) => Promise<unknown>) {
  let next = 0
  const work = async () => {
    while (next < count && !signal.aborted) await call(next++).catch(() => {})
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const read = async (url: string, init?: RequestInit) => (await fetch(url, init)).arrayBuffer()

async function publish({ url }: HostileHub, token: string, name: string, content: string): Promise<string | undefined> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ content, changelog: 'Attack', bump: 'minor' })
  const response = await fetch(`${url}/api/v1/repos/attacker/${name}/versions`, { method: 'POST', headers, body })
  const answer = (await response.json()) as { data?: { version?: string } }
  return response.status === 201 ? answer.data?.version : undefined
}

/** Returns this many lines of one random letter each. */
const letters = (count: number) =>
  Array.from({ length: count }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('\n')
let made = 0

/** The attacks by name. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  '119 searches down one connection': (hub, signal) =>
    sendDown(
      hub,
      Array.from({ length: 119 }, (_, number) => requestFor(`/api/v1/repos?q=reveiw+${number}+prompt`)).join(''),
      signal,
    ),
  '300 calls of search_prompts': ({ url }, signal) =>
    inTurn(300, 150, signal, (number) =>
      read(`${url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: number, method: 'tools/call' },
          params: { name: 'search_prompts', arguments: { q: `reveiw ${number} promt` } },
        }),
      }),
    ),
  '20,000 requests down one connection': (hub, signal) =>
    sendDown(hub, requestFor(`/api/v1/repos/${hub.prompt}`).repeat(20_000), signal),
  'four connections of 10,000 requests': async (hub, signal) => {
    const text = requestFor(`/data/v1/repos/${hub.prompt}.json`).repeat(10_000)
    await Promise.all(Array.from({ length: 4 }, () => sendDown(hub, text, signal)))
  },
  '300 connections that ask for index.json and read nothing': (hub, signal) =>
    askWithoutReading(hub, requestFor('/data/v1/index.json').repeat(60), signal),
  '300 connections that close and read nothing': (hub, signal) =>
    askWithoutReading(hub, requestFor('/data/v1/index.json', 'Connection: close\r\n'), signal),
  '24 reads of a comparison of 130,000 lines': async (hub, signal) => {
    const token = hub.tokenFor('attacker')
    const name = `lines-${++made}`
    const versions: string[] = []
    await inTurn(4, 1, signal, async () => {
      const version = await publish(hub, token, name, letters(130_000))
      if (version) versions.push(version)
    })
    const [from, to] = versions.slice(-2)
    if (!from || !to) throw new Error('The versions to be compared were not published.')
    for (let waited = 0; waited < 60 && !signal.aborted && !(await hub.shows(`attacker/${name}`, to)); waited++)
      await sleep(1_000)
    const path = `/attacker/${name}/compare/${from}...${to}`
    await inTurn(24, 24, signal, async () => sendDown(hub, requestFor(path), signal))
  },
  '32 pages of what is not built yet': async (hub, signal) => {
    const name = `fresh-${++made}`
    const version = await publish(hub, hub.tokenFor('attacker'), name, letters(130_000))
    if (!version) throw new Error('The version that is not built yet was not published.')
    await inTurn(32, 32, signal, () => read(`${hub.url}/attacker/${name}/v/${version}`))
  },
  '1,500 sign-ins that are not finished': ({ url }, signal) =>
    inTurn(1_500, 30, signal, (number) =>
      read(`${url}/auth/${number % 2 ? 'sign-in' : `local?key=${number}`}`, { redirect: 'manual' }),
    ),
  '1,500 publishes with CI tokens of a repository that nobody trusts': (hub, signal) =>
    inTurn(1_500, 30, signal, async () => {
      const headers = { Authorization: `Bearer ${await hub.ciToken()}`, 'Content-Type': 'application/json' }
      const body = JSON.stringify({ content: 'Text' })
      await read(`${hub.url}/api/v1/repos/attacker/ci/versions`, { method: 'POST', headers, body })
    }),
  'eight reads of /settings with 1,500 ended tokens': async (hub, signal) => {
    const person = { user_id: 'local-attacker', login: 'attacker' }
    const state = await openSqliteState(`${hub.dir}/.hub/state.db`)
    try {
      const now = new Date()
      const known = (await openTokens(state).listTokens(person.user_id, now)).length
      await inTurn(ENDED_TOKENS - known, 8, signal, async () => {
        const given = { holder: { kind: 'person', ...person }, name: 'Ended', scope: 'attacker/*', days: 1 } as const
        // Expired, because revoked tokens are removed.
        await createToken(state, given, new Date(now.getTime() - 2 * 86_400_000))
      })
      const headers = { Cookie: `session=${await openPeople(state).openSession(person, now)}` }
      await inTurn(8, 8, signal, () => read(`${hub.url}/settings`, { headers }))
    } finally {
      await state.close()
    }
  },
}
