// A hub for the hubcli tests, in this process, with a server that can fail in many ways.
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect } from 'vitest'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { listen, stop } from '../listen.ts'

/** A request, exactly as received. */
export interface SeenRequest {
  method: string
  /** The path and query, undecoded. */
  url: string
  headers: IncomingMessage['headers']
  body: Buffer
}

/** A fault that takes the place of a valid response. */
export type Trouble =
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string | Buffer }
  /** Announces `promisedBytes`, sends `body`, and closes the connection. */
  | { kind: 'cut'; promisedBytes: number; body: string }
  /** Performs the request, but closes the connection instead of responding. */
  | { kind: 'lose' }
  /** Accepts the request and never responds. */
  | { kind: 'hang' }

/** Never responds, and tells when the first request has arrived. */
export function hangAndTell(): { hang: () => Trouble; arrived: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const hang = (): Trouble => {
    resolve()
    return { kind: 'hang' }
  }
  return { hang, arrived: promise }
}

/** A running server. */
export interface StandIn {
  /** `http://127.0.0.1:port`, without a trailing slash. */
  url: string
  /** Every request, in order. */
  requests: SeenRequest[]
  close(): Promise<void>
}

/** The only token that may publish; it covers only `acme` repositories. The server replaces it with one of the hub. */
export const STAND_IN_TOKEN = `hub_${'Tok3nOfTheStandIn'.repeat(3).slice(0, 38)}`

/** What hubcli says after a publish of content alone. */
export const WARNED = expect.stringMatching(/^(?:hubcli: (?:warning:|to (?:set|describe)) [^\n]*\n)*$/)

/** The hub behind all servers of a test file, and its folder. */
let opened: { folder: string; hub: Promise<Hub> } | undefined

async function hubOfFile(): Promise<Hub> {
  if (opened && existsSync(opened.folder)) return opened.hub
  const world = openLocalWorld()
  const start = async () => {
    const hub = await openHub(world)
    for (const version of [
      { content: 'Review this.\n', changelog: 'First version' },
      { content: 'Review this code.\n', changelog: 'Say what', bump: 'minor' },
    ])
      expect(await hub.publish(version)).toMatchObject({ status: 201 })
    return { ...hub, token: await hub.makeToken({ permissions: ['publish', 'maintain'] }) }
  }
  opened = { folder: await world.contentDir(), hub: start() }
  return opened.hub
}

/**
 * Starts a server on a free port of 127.0.0.1. The hub behind it has `acme/code-review` (1.0.0 and 1.1.0), and what
 * other tests of the file publish.
 *
 * @param misbehave called for each request with its 1-based number; if it returns undefined, the hub responds
 */
export async function startStandIn(
  misbehave: (request: SeenRequest, number: number) => Trouble | undefined = () => undefined,
): Promise<StandIn> {
  const requests: SeenRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks),
    }
    requests.push(request)
    const trouble = misbehave(request, requests.length)
    if (trouble !== undefined && trouble.kind !== 'lose') return makeTrouble(outgoing, trouble)
    const answer = await askHub(request)
    if (trouble === undefined) outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.bytes)
    else outgoing.destroy()
  })
  return {
    url: await listen(server),
    requests,
    close: () => stop(server),
  }
}

function makeTrouble(outgoing: ServerResponse, trouble: Exclude<Trouble, { kind: 'lose' }>): void {
  if (trouble.kind === 'hang') return
  if (trouble.kind === 'answer') {
    outgoing.writeHead(trouble.status, trouble.headers).end(trouble.body)
    return
  }
  outgoing.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': trouble.promisedBytes })
  outgoing.write(trouble.body, () => outgoing.destroy())
}

async function askHub({ method, url, headers, body }: SeenRequest) {
  const hub = await hubOfFile()
  const sent = { ...headers } as Record<string, string>
  if (sent.authorization === `Bearer ${STAND_IN_TOKEN}`) sent.authorization = `Bearer ${hub.token}`
  if (method === 'GET') return hub.read(url, sent)
  return hub.publish(body, { path: url, method, token: null, headers: sent })
}

/** Runs a callback with a server, then stops it. */
export async function withStandIn(
  misbehave: Parameters<typeof startStandIn>[0],
  use: (standIn: StandIn) => Promise<void>,
): Promise<void> {
  const standIn = await startStandIn(misbehave)
  try {
    await use(standIn)
  } finally {
    await standIn.close()
  }
}
