// The HTTP server: addresses, limits on connections and bodies, timeouts, and shutdown.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import { HubError } from '../../../src/domain/api/errors.ts'
import { logProblem, runForRequest } from '../../../src/ports/log.ts'
import { type Held, pickLargestFirst } from './largest-first.ts'
import { fitConnections } from './open-files.ts'
import { busy, closeConnection, refuse, tooManyConnections, unreadableRequestError } from './refuse-request.ts'
import { findAmbiguity } from './request-form.ts'
import { type AnsweredRequest, headersOfRequest, nameRequest } from './request-log.ts'
import { openScheduler, type ScheduleLimits } from './scheduler.ts'

/** Handles requests to a Node server. */
export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** IP addresses to listen on. */
type ListenAt = 'everywhere' | readonly string[]

/** A listening server. */
export type RunningServer = Awaited<ReturnType<typeof startServer>>

/** Limits on each client, so that other clients are served without delay. */
interface ServerLimits extends ScheduleLimits {
  /** Maximum size of the request line and headers, which are kept in memory for each connection until they are complete. */
  headerBytes: number
  headersMs: number
  /** Maximum time without receiving a byte of a body. */
  stalledMs: number
  /** Maximum time to receive a request, from its first byte to its last. */
  requestMs: number
  keepAliveMs: number
  /** Maximum time a client may stop reading a pending response. */
  unreadMs: number
  /** How often these timeouts are checked. */
  checkMs: number
  /** Maximum number of request bodies arriving at the same time. Each is at most 1 MiB, so this limits their memory. */
  bodies: number
}

const LIMITS: ServerLimits = {
  headerBytes: 24 * 1024,
  headersMs: 10_000,
  stalledMs: 10_000,
  requestMs: 30_000,
  // nginx keeps its upstream connections open for 60 s. This timeout is longer, so that nginx never uses a connection that the hub is about to close.
  keepAliveMs: 65_000,
  checkMs: 1_000,
  connections: 4_096,
  bodies: 64,
  patienceMs: 1_000,
  unreadMs: 20_000,
  servedOfAddress: 48,
  connectionsOfAddress: 256,
  unreadBytes: 128_000_000,
  waitingRequests: 10_000,
  lingerMs: 30_000,
}
const GRACE_MS = 5_000
/** Maximum number of connections that the kernel holds until the process accepts them; Linux itself allows at most 4,096. If there is no room for a connection, its client tries again only after a second. */
const BACKLOG = 4_096

/** Where and how to listen. */
export interface ServerOptions {
  /** Called when a request is complete or its client has disconnected. */
  onAnswered?: (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    measured: Pick<AnsweredRequest, 'id' | 'ms' | 'bytes'>,
  ) => void
  /** The addresses to listen on. Default: all IP addresses of this machine. */
  listenAt?: ListenAt
  /** Returns the networks whose connections are counted together, narrowest first; none for no limit. By default, connections are not counted. */
  networksOf?: (socket: Socket) => readonly string[]
  /** Returns the networks of a request's client, which may be behind a proxy. Default: those of the connection. */
  clientNetworksOf?: (incoming: IncomingMessage) => readonly string[]
  /** The origin that may read errors of the server itself. Default: every origin. */
  allowOrigin?: string
  /** Overrides the default limits. */
  limits?: Partial<ServerLimits>
}

/** Starts a server. @returns once it is listening; rejects if the port is in use */
export async function startServer(
  listener: NodeListener,
  port: number,
  {
    listenAt = 'everywhere',
    limits: given = {},
    onAnswered,
    allowOrigin = '*',
    networksOf = () => [],
    clientNetworksOf = ({ socket }) => networksOf(socket),
  }: ServerOptions = {},
) {
  const limits = { ...LIMITS, ...given }
  limits.connections = fitConnections(limits.connections)
  const answering = new Map<Socket, ServerResponse>()
  let isClosing = false
  const cut = (socket: Socket, error: HubError) => closeConnection(socket, error, answering, allowOrigin)
  const bodies = limitBodies(limits, clientNetworksOf, cut)
  const scheduler = openScheduler(limits, networksOf, answer)
  const checking = setInterval(scheduler.check, limits.checkMs).unref()
  let isStopping = false
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    // Node would send a status without a body; this listener sends JSON.
    requireHostHeader: false,
  })
  function answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming
    answering.set(socket, outgoing)
    const id = nameRequest(incoming.headers['x-request-id'])
    for (const [name, value] of Object.entries(headersOfRequest(id))) outgoing.setHeader(name, value)
    const [began, sentBefore] = [performance.now(), socket.bytesWritten]
    outgoing.once('close', () => {
      onAnswered?.(incoming, outgoing, { id, ms: performance.now() - began, bytes: socket.bytesWritten - sentBefore })
      answering.delete(socket)
      if (isStopping) server.closeIdleConnections()
    })
    if (isClosing) outgoing.shouldKeepAlive = false
    const refused = findAmbiguity(incoming) ?? bodies.admit(incoming, outgoing)
    if (refused) refuse(incoming, outgoing, refused, allowOrigin)
    else
      runForRequest({ request_id: id, path: incoming.url ?? '' }, () => {
        listener(incoming, outgoing).catch((cause) => logProblem('error', 'A response failed.', { cause }))
      })
  }
  server.on('request', scheduler.take)
  // Without these listeners, Node itself responds to such requests, without a body.
  server.on('checkExpectation', scheduler.take)
  server.on('connect', (_incoming: IncomingMessage, socket: Socket) =>
    cut(socket, new HubError('invalid_request', 'This server is not a proxy. Request a URL of this hub.')),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    cut(socket, scheduler.isWaiting(socket) ? tooManyConnections() : unreadableRequestError(error.code)),
  )
  server.on('connection', (socket: Socket) => {
    const refused = scheduler.enter(socket)
    if (refused) cut(socket, refused)
  })
  server.timeout = limits.unreadMs
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) socket.resetAndDestroy()
    else if (!answering.has(socket)) scheduler.close(socket)
  })
  const [first, ...others] = listenAt === 'everywhere' ? [] : listenAt
  await listen(server, port, first)
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
      clearInterval(checking)
      const closed = new Promise((resolve) => server.close(resolve))
      for (const door of doors) door?.close()
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(timer)
    },
  }
}

function listen(server: NetServer, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Makes a server listen on an additional IP address. @returns undefined if this machine does not have it, for example without IPv6 */
async function openDoor(server: Server, port: number, host: string): Promise<NetServer | undefined> {
  const door = createNetServer((socket) => server.emit('connection', socket))
  try {
    await listen(door, port, host)
    return door
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return undefined
    server.close()
    throw error
  }
}

/** A request whose body is arriving. */
interface Arriving extends Held {
  incoming: IncomingMessage
}

/** Counts the request bodies in transit, and aborts those that stall. @param cut closes a connection with an error */
function limitBodies(
  { bodies: most, patienceMs, stalledMs, unreadMs }: ServerLimits,
  networksOf: (incoming: IncomingMessage) => readonly string[],
  cut: (socket: Socket, error: HubError) => void,
) {
  const arriving = new Map<IncomingMessage, Arriving>()
  /** Finds the body to abort for a new one: of the client with the most bodies, unless that is the new one's client or the body has only just begun. */
  const findSpare = (networks: readonly string[]): Arriving | undefined => {
    const [spare] = pickLargestFirst(arriving.values(), 1)
    const countOf = (network: string | undefined) =>
      [...arriving.values()].filter((one) => network !== undefined && one.networks.includes(network)).length
    if (!spare || performance.now() - spare.sinceMs >= patienceMs) return spare
    return countOf(spare.networks.at(-1)) > countOf(networks.at(-1)) + 1 ? spare : undefined
  }
  return {
    /** @returns the error if too many bodies are arriving; otherwise undefined */
    admit(incoming: IncomingMessage, outgoing: ServerResponse): HubError | undefined {
      const { headers, socket } = incoming
      if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)) return undefined
      const networks = networksOf(incoming)
      if (arriving.size >= most) {
        const spare = findSpare(networks)
        if (!spare) return busy()
        arriving.delete(spare.incoming)
        cut(spare.incoming.socket, busy())
      }
      arriving.set(incoming, { incoming, networks, sinceMs: performance.now() })
      const onStalled = () => cut(socket, unreadableRequestError('ERR_HTTP_REQUEST_TIMEOUT'))
      // The request needs a listener, because Node closes the connection without a response if nothing listens for the timeout.
      incoming.once('timeout', onStalled)
      socket.setTimeout(stalledMs)
      const leave = () => {
        if (!arriving.delete(incoming)) return
        incoming.off('timeout', onStalled)
        // From now on, the timeout applies to reading the response.
        socket.setTimeout(unreadMs)
      }
      incoming.once('end', leave).once('close', leave)
      // The listener is prepended, so that Node's own listener sets the connection's idle timeout afterwards.
      outgoing.prependOnceListener('finish', leave).once('close', leave)
      return undefined
    },
  }
}
