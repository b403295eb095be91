// Schedules requests: each connection has one request in progress, and each network a limited number of connections. Other requests and connections are not read, so their data stays with the client. Connections are closed in a way that leaves no unread data in the kernel.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { HubError } from '../../../src/domain/api/errors.ts'
import { type Held, pickLargestFirst } from './largest-first.ts'
import { type Network, type NetworkLimits, openNetworks } from './networks.ts'
import { busy, tooManyConnections } from './refuse-request.ts'

/** Limits on connections and their requests. */
export interface ScheduleLimits extends NetworkLimits {
  /** Maximum number of connections. At this number, others are closed for a new one. */
  connections: number
  /** How long a client may take to send a request while other connections of its network wait, and to read a response before it counts as slow. */
  patienceMs: number
  /** Maximum number of bytes that clients may not have read yet, not counting those behind a trusted proxy. The kernel keeps them, and does not say how many they are; see `countUnread`. */
  unreadBytes: number
  /** Maximum number of requests that have been read and are waiting on a connection. A connection that exceeds this limit is closed. */
  waitingRequests: number
  /** How long a client has to read the rest of its last response and close the connection. */
  lingerMs: number
}

interface Connection extends Held {
  socket: Socket
  places: readonly Network<Connection>[]
  /** Requests that were read but have not started yet. */
  waiting: Exchange[]
  isAnswering: boolean
  /** Whether a response has been sent on it, so that it may be closed in favour of others when idle. */
  isAnswered: boolean
  /** Whether it is being closed, so that no more requests are served on it. */
  isOver: boolean
  /** The most bytes that the client can have left unread, and when and after how many bytes that was counted. */
  unread: { bytes: number; written: number; atMs: number }
}

/** The most that Linux buffers for a connection (`tcp_wmem`). https://docs.kernel.org/networking/ip-sysctl.html */
const BUFFERED_BYTES = 4_194_304
/** How fast a client is taken to read what the kernel buffers: 64 kB/s. */
const READ_BYTES_PER_MS = 64

/** At the limit, up to this share of all connections is closed at once, because finding the largest network takes longer than closing a connection. */
const CLOSED_SHARE = 1 / 16
/** Only a few at a time, because the requests of the connections that take their places are all read at once. */
const LATE_AT_ONCE = 8

/** A request and its response. */
type Exchange = [incoming: IncomingMessage, outgoing: ServerResponse]

/** Creates a server's scheduler. @param answer starts the response to a request */
export function openScheduler(
  limits: ScheduleLimits,
  networksOf: (socket: Socket) => readonly string[],
  answer: (...exchange: Exchange) => void,
) {
  const bySocket = new WeakMap<Socket, Connection>()
  const all = new Set<Connection>()
  const networks = openNetworks<Connection>(limits)
  let waitingRequests = 0
  let writtenSinceReset = 0

  const isSending = ({ socket }: Connection) => socket.writableLength > 0
  const isLate = ({ sinceMs }: Connection) => performance.now() - sinceMs > limits.patienceMs
  const hasNoRequest = ({ isAnswering, waiting }: Connection) => !isAnswering && waiting.length === 0

  /** Closes connections in favour of a new one: those without a whole request and those whose client has not read its response for a while, of the largest network first. */
  const makeRoom = () => {
    const spare = [...all].filter((one) => (isSending(one) ? isLate(one) : hasNoRequest(one)))
    const held = spare.length > 0 ? spare : [...all].filter(isSending)
    const count = Math.ceil(Math.min(held.length / 2, limits.connections * CLOSED_SHARE))
    if (count > 0) pickLargestFirst(held, count).forEach(reset)
  }
  const countUnread = ({ socket, unread }: Connection): number => {
    const [written, atMs] = [socket.bytesWritten, performance.now()]
    // As long as a part is still in the process, the kernel's buffer is full.
    const read = socket.writableLength > 0 ? 0 : (atMs - unread.atMs) * READ_BYTES_PER_MS
    const bytes = Math.min(BUFFERED_BYTES, Math.max(0, unread.bytes - read) + written - unread.written)
    Object.assign(unread, { bytes, written, atMs })
    return bytes
  }
  /** Closes connections whose clients read slowly, or not at all, if they hold too many bytes, of the largest network first. */
  const resetUnread = () => {
    writtenSinceReset = 0
    const held = [...all].filter((one) => one.networks.length > 0 && countUnread(one) > 0)
    const bytes = held.reduce((sum, { unread }) => sum + unread.bytes, 0)
    if (bytes <= limits.unreadBytes) return
    const count = Math.ceil((1 - limits.unreadBytes / bytes) * held.length)
    for (const one of pickLargestFirst(held, count)) if (!isSending(one) || isLate(one)) reset(one)
  }
  const reset = (connection: Connection) => {
    connection.socket.resetAndDestroy()
    // The socket's own event comes later, but the place is needed now.
    leave(connection)
  }
  /** Closes one of the network's idle connections in favour of a waiting one. */
  const closeIdle = ({ served }: Network<Connection>) => {
    for (const { socket, isAnswering, isAnswered, isOver } of served)
      if (isAnswered && !isAnswering && !isOver) return close(socket)
  }
  /** Closes some of the network's connections whose clients take too long to send a request. @returns whether there were any */
  const resetLate = ({ served }: Network<Connection>): boolean => {
    const late = [...served].filter((one) => hasNoRequest(one) && !one.isOver && isLate(one)).slice(0, LATE_AT_ONCE)
    late.forEach(reset)
    return late.length > 0
  }
  /** Closes the server's side of a connection, and resets it if the client does not close its side. If the socket were destroyed immediately, its unread bytes would stay in the kernel for minutes. */
  const close = (socket: Socket) => {
    const connection = bySocket.get(socket)
    if (connection) connection.isOver = true
    if (socket.destroyed) return
    socket.end()
    const timer = setTimeout(() => socket.resetAndDestroy(), limits.lingerMs).unref()
    socket.once('close', () => clearTimeout(timer))
  }
  const leave = (connection: Connection) => {
    if (!all.delete(connection)) return
    waitingRequests -= connection.waiting.length
    connection.waiting = []
    connection.isOver = true
    for (const next of networks.leave(connection)) {
      next.sinceMs = performance.now()
      next.socket.resume()
    }
  }
  const begin = (connection: Connection, incoming: IncomingMessage, outgoing: ServerResponse) => {
    connection.isAnswering = true
    connection.sinceMs = performance.now()
    const { bytesWritten } = connection.socket
    outgoing.once('close', () => {
      connection.isAnswering = false
      connection.isAnswered = true
      connection.sinceMs = performance.now()
      networks.findContested(connection).forEach(closeIdle)
      writtenSinceReset += connection.socket.bytesWritten - bytesWritten
      if (writtenSinceReset > limits.unreadBytes / 16) resetUnread()
      // Not started immediately, because a client with many requests would then keep everyone else waiting.
      if (connection.waiting.length > 0) setImmediate(beginNext, connection)
    })
    // Tells the client that this connection will be closed in favour of others.
    if (networks.findContested(connection).length > 0) outgoing.shouldKeepAlive = false
    answer(incoming, outgoing)
  }
  const beginNext = (connection: Connection) => {
    if (connection.isOver || connection.isAnswering) return
    const next = connection.waiting.shift()
    if (!next) return
    waitingRequests -= 1
    begin(connection, ...next)
    if (connection.waiting.length === 0) connection.socket.resume()
  }
  return {
    close,

    /** Takes a new connection. @returns the error if there are too many; the caller must then close the connection */
    enter(socket: Socket): HubError | undefined {
      if (all.size >= limits.connections) makeRoom()
      const names = networksOf(socket)
      const connection: Connection = {
        ...{ socket, networks: names, places: networks.find(names), sinceMs: performance.now(), waiting: [] },
        ...{ isAnswering: false, isAnswered: false, isOver: false },
        unread: { bytes: 0, written: 0, atMs: performance.now() },
      }
      bySocket.set(socket, connection)
      all.add(connection)
      socket.once('close', () => leave(connection))
      // Node resumes reading after each response.
      socket.on('resume', () => {
        if (connection.waiting.length > 0 || networks.isWaiting(connection)) socket.pause()
      })
      // Makes Node close the connection after its last response.
      socket.destroySoon = () => close(socket)
      const crowded = networks.enter(connection)
      if (all.size > limits.connections || !crowded.every(resetLate)) {
        connection.isOver = true
        return all.size > limits.connections ? busy() : tooManyConnections()
      }
      const full = networks.admit(connection)
      full.forEach(closeIdle)
      // Node starts reading a new connection in the next tick, even if paused before.
      if (full.length > 0) process.nextTick(() => networks.isWaiting(connection) && socket.pause())
      return undefined
    },

    /** Closes connections whose clients take too long to send a request while others of their network wait, and those whose clients leave too much unread. Called regularly. */
    check() {
      networks.listContested().forEach(resetLate)
      resetUnread()
    },

    /** Returns whether a connection is waiting for others from its network to close. */
    isWaiting(socket: Socket): boolean {
      const connection = bySocket.get(socket)
      return connection !== undefined && networks.isWaiting(connection)
    },

    /** Answers a request once the previous ones on its connection are complete. */
    take(incoming: IncomingMessage, outgoing: ServerResponse): void {
      const { socket } = incoming
      const connection = bySocket.get(socket)
      if (!connection || connection.isOver) {
        socket.pause()
        return
      }
      if (!connection.isAnswering && connection.waiting.length === 0) {
        begin(connection, incoming, outgoing)
        return
      }
      connection.waiting.push([incoming, outgoing])
      waitingRequests += 1
      socket.pause()
      if (waitingRequests > limits.waitingRequests) {
        connection.isOver = true
        socket.resetAndDestroy()
      }
    },
  }
}
