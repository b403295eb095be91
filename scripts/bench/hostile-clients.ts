// Attacks by hostile clients on a hub with default limits. Each attack used to block all other clients, exhaust the memory or crash the process.
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPeople } from '../../src/state/sessions.ts'
import { openSqliteState } from '../../src/state/state-sqlite.ts'
import { createToken } from '../../src/state/tokens.ts'
import type { HostileHub } from './hostile-hub.ts'

/** The hub to attack. */
export interface Target extends HostileHub {
  /** The attacker's IP address, different for each attack, so that no attack uses up another attack's rate limits. */
  from: string
  /** Stops an attack that is still running, and closes the connections that it leaves open. */
  signal: AbortSignal
}

const EXPIRED_TOKENS = 1_500

/** Returns the text of a read. @param more additional headers, each with its line end */
const requestFor = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`

/** Opens a connection that is closed when the attack is stopped. */
function open({ port, from, signal }: Target, send: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => socket.write(send))
  const end = () => socket.destroy()
  signal.addEventListener('abort', end, { once: true })
  return socket.on('error', end).on('close', () => signal.removeEventListener('abort', end))
}

/** Sends bytes over a connection. @returns when the hub closes it, or has sent nothing for two seconds */
function sendDown(target: Target, bytes: string): Promise<void> {
  return new Promise((done) => {
    const socket = open(target, bytes)
    socket.setTimeout(2_000, () => socket.destroy()).on('close', () => done())
    socket.resume()
  })
}

/** Calls a function `count` times with limited concurrency, and ignores errors. */
async function inTurn(count: number, atOnce: number, call: (number: number) => Promise<unknown>) {
  let next = 0
  const work = async () => {
    while (next < count) await call(next++).catch(() => {})
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** Sends a request. @returns the response's status and text */
export function ask(
  { port, from }: Pick<Target, 'port' | 'from'>,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
) {
  return new Promise<{ status: number; text: string }>((done, fail) => {
    const post = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } }
    const options = { host: '127.0.0.1', port, path, localAddress: from, agent: false }
    const sent = request({ ...options, ...(body === undefined ? { headers } : post) }, (response) =>
      text(response).then((said) => done({ status: response.statusCode ?? 0, text: said }), fail),
    )
    sent.on('error', fail).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

export function callTool(target: Pick<Target, 'port' | 'from'>, name: string, given: object) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
  return ask(target, '/mcp', { headers: { Accept: 'application/json, text/event-stream' }, body })
}

/** Publishes with the client's token. @returns the version; undefined if it was rejected */
export async function publishTo(
  client: Pick<Target, 'port' | 'from' | 'token'>,
  fullName: string,
  fields: object,
): Promise<string | undefined> {
  const headers = { Authorization: `Bearer ${client.token}` }
  const body = { changelog: 'Attack', bump: 'minor', ...fields }
  const answer = await ask(client, `/api/v1/repos/${fullName}/versions`, { headers, body })
  return answer.status === 201 ? JSON.parse(answer.text).data.version : undefined
}

const publish = (target: Target, name: string, fields: object) => publishTo(target, `attacker/${name}`, fields)

/** Returns the given number of lines, each consisting of one random letter. */
const letters = (count: number) =>
  Array.from({ length: count }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('\n')

/** Requests each kind of resource once, so that code loaded on first use does not affect the measurement. */
export async function useOnce(hub: HostileHub): Promise<void> {
  const reader = { port: hub.port, from: '127.0.0.1' }
  await callTool(reader, 'search_prompts', { q: 'review' })
  for (const path of ['/api/v1/repos?q=review', `/${hub.prompt}/v/9.9.9`, '/settings', '/auth/sign-in'])
    await ask(reader, path)
}

/** The attacks by name. */
export const ATTACKS: Readonly<Record<string, (target: Target) => Promise<void>>> = {
  'publishes of 95,000 keys': (target) => {
    const parameters = Object.fromEntries(Array.from({ length: 95_000 }, (_, number) => [`k${number}`, 1]))
    return inTurn(12, 12, () => publish(target, 'keys', { content: 'Attacked.', parameters }))
  },
  'queries of 100 words': (target) =>
    inTurn(85, 8, (number) => {
      const query = number % 2 ? 'a '.repeat(100) : 'reveiw '.repeat(28)
      return ask(target, `/api/v1/repos?${new URLSearchParams({ q: query.trim() })}`)
    }),
  'fills of 52,428 placeholders': async (target) => {
    await publish(target, 'filled', { content: '{{a}}'.repeat(52_428), variables: [{ name: 'a' }] })
    const given = { owner: 'attacker', name: 'filled', variables: { a: 'x'.repeat(10_000) } }
    await inTurn(8, 8, () => callTool(target, 'get_prompt', given))
  },
  '119 searches down one connection': (target) => {
    const searches = Array.from({ length: 119 }, (_, number) => `/api/v1/repos?q=reveiw+${number}+prompt`)
    return sendDown(target, searches.map((path) => requestFor(path)).join(''))
  },
  '300 calls of search_prompts': (target) =>
    inTurn(300, 150, (number) => callTool(target, 'search_prompts', { q: `reveiw ${number} promt` })),
  '20,000 requests down one connection': (target) =>
    sendDown(target, requestFor(`/api/v1/repos/${target.prompt}`).repeat(20_000)),
  'four connections of 10,000 requests': (target) => {
    const bytes = requestFor(`/data/v1/repos/${target.prompt}.json`).repeat(10_000)
    return inTurn(4, 4, () => sendDown(target, bytes))
  },
  '24 reads of a comparison of 130,000 lines': async (target) => {
    const from = await publish(target, 'lines', { content: letters(130_000) })
    const to = await publish(target, 'lines', { content: letters(130_000) })
    if (!from || !to) throw new Error('The versions to be compared were not published.')
    for (let waited = 0; waited < 60 && !(await target.shows('attacker/lines', to)); waited++) await sleep(1_000)
    await inTurn(24, 24, () => sendDown(target, requestFor(`/attacker/lines/compare/${from}...${to}`)))
  },
  '32 pages of a version that is not built yet': async (target) => {
    const version = await publish(target, 'fresh', { content: letters(130_000) })
    if (!version) throw new Error('The version that is not built yet was not published.')
    await inTurn(32, 32, () => ask(target, `/attacker/fresh/v/${version}`))
  },
  '1,500 unfinished sign-ins': (target) =>
    inTurn(1_500, 30, (number) => ask(target, `/auth/${number % 2 ? 'sign-in' : `local?key=${number}`}`)),
  'eight reads of /settings with 1,500 expired tokens': async (target) => {
    const person = { user_id: 'local-attacker', login: 'attacker' }
    const state = await openSqliteState(`${target.dir}/.hub/state.db`)
    try {
      const now = new Date()
      // The tokens are expired rather than revoked, because revoked tokens are removed.
      const past = new Date(now.getTime() - 2 * 86_400_000)
      const given = { holder: { kind: 'person', ...person }, name: 'Expired', scope: 'attacker/*', days: 1 } as const
      await inTurn(EXPIRED_TOKENS, 8, () => createToken(state, given, past))
      const headers = { Cookie: `session=${await openPeople(state).openSession(person, now)}` }
      await inTurn(8, 8, () => ask(target, '/settings', { headers }))
    } finally {
      await state.close()
    }
  },
}
