// The HTTP server: Node's, with its limits on headers, bodies, time and connections. Limits for each client are the task of a reverse proxy; see docs/running.md section 5.

import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { createServer as createNetServer, type ListenOptions, type Server as NetServer, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { HubError } from '../../../domain/api/errors.ts'
import { joinTrace, logProblem, requestNow } from '../../../log.ts'
import { makeErrorResponse, respondToError, respondWithError } from '../../../server/refusals.ts'
import { VERSION } from '../../../version.ts'
import type { Answer } from './answer.ts'
import { type Client, findClients } from './client-addresses.ts'
import type { AnsweredRequest } from './request-log.ts'

/** Where Linux says what a process may have. */
const LIMITS_FILE = '/proc/self/limits'
/** The files that everything else needs at most: the databases of the builder and each search thread, and the pipes of git. */
const OTHER_FILES = 288

/** Returns how many connections, each of which is an open file, leave enough for everything else. Node has raised the soft limit to the hard one. */
function fitConnections(most: number): number {
  const limits = existsSync(LIMITS_FILE) ? readFileSync(LIMITS_FILE, 'utf8') : ''
  const [, limit = Number.POSITIVE_INFINITY] = /^Max open files +\d+ +(\d+)/m.exec(limits) ?? []
  return Math.min(most, Math.max(Number(limit) - OTHER_FILES, Math.floor(Number(limit) / 2)))
}

/** IP addresses to listen on, or a socket that already listens: its file descriptor. */
type ListenAt = 'everywhere' | readonly string[] | number

/** A listening server. */
export type RunningServer = Awaited<ReturnType<typeof startServer>>

const LIMITS = {
  /** Maximum size of the request line and headers. */
  headerBytes: 24 * 1024,
  headersMs: 10_000,
  /** Maximum time to receive a request, from its first byte to its last. In that time, the longest arrives at 2 Mbit/s. */
  requestMs: 60_000,
  /** Maximum time without a byte in either direction, unless the hub has the whole request and has not answered yet. */
  stalledMs: 30_000,
  // nginx keeps its upstream connections open for 60 s. This timeout is longer, so that nginx never uses a connection that the hub is about to close.
  keepAliveMs: 65_000,
  /** How often these timeouts are checked. */
  checkMs: 1_000,
  connections: 4_096,
}
type ServerLimits = typeof LIMITS

const GRACE_MS = 5_000
/** Maximum number of connections that the kernel holds until the process accepts them; Linux itself allows at most 4,096. If there is no room for a connection, its client tries again only after a second. */
const BACKLOG = 4_096

/** Where and how to listen. */
export interface ServerOptions {
  /** Called when a request is complete or its client has disconnected. */
  onAnswered?: (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    measured: Pick<AnsweredRequest, 'id' | 'ms' | 'bytes' | 'sender' | 'trace'>,
  ) => void
  /** Finds the client of a request. Default: that of the connection. */
  clientOf?: (incoming: IncomingMessage) => Client
  /** The addresses to listen on. Default: all IP addresses of this machine. */
  listenAt?: ListenAt
  /** The origin that may read errors of the server itself. Default: every origin. */
  allowOrigin?: string
  /** Headers of every response. */
  headers?: Readonly<Record<string, string>>
  /** Overrides the default limits. */
  limits?: Partial<ServerLimits>
}

/** Returns the request ID: the client's if it is well-formed, otherwise a new one. @param given the header `X-Request-Id` */
export function nameRequest(given?: string | string[]): string {
  return typeof given === 'string' && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : randomUUID()
}

/** Starts a server. @returns once it is listening; rejects if the port is in use */
export async function startServer(
  answer: Answer,
  port: number,
  {
    listenAt = 'everywhere',
    limits: given = {},
    onAnswered,
    clientOf = findClients([], () => {}),
    allowOrigin = '*',
    headers = {},
  }: ServerOptions = {},
) {
  const limits = { ...LIMITS, ...given }
  const everywhere = Object.entries({ 'X-Prompt-Hub-Version': VERSION, ...headers })
  const answering = new Map<Socket, ServerResponse>()
  /** The clients of connections without a proxy. */
  const connected = new WeakMap<Socket, Client>()
  const clients = new WeakMap<IncomingMessage, Client>()
  // hono also serves HTTP/2, which this server does not speak.
  const respond = getRequestListener(
    (request, { incoming }) =>
      URL.canParse(request.url)
        ? answer(request, clients.get(incoming as IncomingMessage)!).catch((thrown) => respondToError(request, thrown))
        : refuseUrl(),
    // HTTP/1.0 does not require a Host header. Errors are those of URLs that cannot be parsed.
    { hostname: 'localhost', errorHandler: refuseUrl },
  )
  let isClosing = false
  let isStopping = false
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkMs,
    },
    (incoming, outgoing) => {
      const { socket } = incoming
      answering.set(socket, outgoing)
      const id = nameRequest(incoming.headers['x-request-id'])
      outgoing.setHeader('X-Request-Id', id)
      for (const [name, value] of everywhere) outgoing.setHeader(name, value)
      const { traceparent, tracestate } = incoming.headers
      const trace = traceparent === undefined ? undefined : joinTrace(traceparent, tracestate)
      const client = connected.get(socket) ?? clientOf(incoming)
      clients.set(incoming, client)
      if (!client.isProxied) connected.set(socket, client)
      const logged = { request_id: id, path: incoming.url ?? '', sender: { address: client.ip }, trace }
      const began = performance.now()
      const sentBefore = socket.bytesWritten
      outgoing.once('close', () => {
        const ms = performance.now() - began
        const bytes = socket.bytesWritten - sentBefore
        onAnswered?.(incoming, outgoing, { id, ms, bytes, sender: logged.sender, trace })
        answering.delete(socket)
        if (isStopping) server.closeIdleConnections()
      })
      if (isClosing) outgoing.shouldKeepAlive = false
      requestNow.run(logged, () => {
        respond(incoming, outgoing).catch((cause) =>
          logProblem('error', 'response_failed', 'A response failed.', { cause }),
        )
      })
    },
  )
  server.maxConnections = fitConnections(limits.connections)
  server.timeout = limits.stalledMs
  server.on('timeout', (socket) => {
    const outgoing = answering.get(socket)
    // The client waits for the hub: who has published must hear the version, however long a loaded machine takes.
    if (outgoing && !outgoing.headersSent && outgoing.req.complete) socket.setTimeout(limits.stalledMs)
    else socket.destroy()
  })
  // Without this listener, Node itself responds, without a body.
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuseUnreadable(socket, error.code, answering.get(socket)?.headersSent === true, allowOrigin),
  )
  const [first, ...others] = typeof listenAt === 'object' ? listenAt : []
  await listen(server, typeof listenAt === 'number' ? { fd: listenAt } : { port, host: first, backlog: BACKLOG })
  const address = server.address()
  const actualPort = address !== null && typeof address === 'object' ? address.port : port
  const doors = await Promise.all(others.map((host) => openDoor(server, actualPort, host)))
  /** From now on, each response closes its connection, so that a proxy opens its next connection to another server. */
  const startClosing = () => {
    isClosing = true
    // Responses whose headers have not been sent yet tell the client that the connection will be closed.
    for (const outgoing of answering.values()) outgoing.shouldKeepAlive = false
  }
  return {
    server,
    startClosing,
    /** Stops accepting connections, lets in-flight requests finish, and aborts them after the grace period. */
    async stop(graceMs = GRACE_MS): Promise<void> {
      startClosing()
      isStopping = true
      const closed = new Promise((resolve) => server.close(resolve))
      for (const door of doors) door?.close()
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(timer)
    },
  }
}

function listen(server: NetServer, at: ListenOptions & { fd?: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Makes a server listen on an additional IP address. @returns undefined if this machine does not have it, for example without IPv6 */
async function openDoor(server: Server, port: number, host: string): Promise<NetServer | undefined> {
  const door = createNetServer((socket) => server.emit('connection', socket))
  try {
    await listen(door, { port, host, backlog: BACKLOG })
    return door
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return undefined
    server.close()
    throw error
  }
}

const refuseUrl = () =>
  respondWithError(
    new Request('http://localhost/', { method: 'POST' }),
    new HubError('invalid_request', 'The URL or the header Host is invalid. Use an HTTP library.'),
  )

/** Responds to what is not a request that can be read, and closes its connection. @param code Node's error code @param isAnswering whether a response has begun on the connection */
function refuseUnreadable(socket: Socket, code: string | undefined, isAnswering: boolean, allowOrigin: string): void {
  if (!socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  const { status, headers, body } = makeErrorResponse(new HubError('invalid_request', describe(code)))
  const all = {
    // The request's own ID cannot be read.
    'X-Request-Id': nameRequest(),
    'X-Prompt-Hub-Version': VERSION,
    ...headers,
    'Access-Control-Allow-Origin': allowOrigin,
    Connection: 'close',
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`, () =>
    socket.destroySoon(),
  )
}

function describe(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The URL or the headers are too long. Shorten them.'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request timed out. Send it again.'
  return 'This is not a valid HTTP/1.1 request. Use an HTTP library.'
}
