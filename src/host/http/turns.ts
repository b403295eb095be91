// Schedules requests: each connection has one request in progress, and each IP address a limited number of connections. Other requests and connections are not read, so their data stays with the client. Connections are closed in a way that leaves no unread data in the kernel.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Limits per client. */
export interface TurnLimits {
  /**
   * Maximum number of connections from one IP address that are served at the same time; others wait. The kernel buffers up to 4 MB for each connection whose client reads nothing, so one IP address uses at most about 200 MB.
   */
  servedOfAddress: number
  /** Maximum number of connections from one IP address, including those that wait. Further connections are rejected. */
  connectionsOfAddress: number
  /** Maximum number of requests that have been read and are waiting on a connection. A connection that exceeds this limit is closed. */
  waitingRequests: number
  /** How long a client has to read the rest of its last response and close the connection. */
  lingerMs: number
}

interface Connection {
  socket: Socket
  address: Address | undefined
  /** Requests that were read but have not started yet. */
  waiting: (() => void)[]
  isAnswering: boolean
  /** Whether a response has been sent on it, so that it may be closed in favour of others when idle. */
  isAnswered: boolean
  /** Whether it is being closed, so that no more requests are served on it. */
  isOver: boolean
}

/** The connections from one IP address. */
interface Address {
  open: number
  served: Set<Connection>
  queue: Set<Connection>
}

/** Creates a server's scheduler. */
export function openTurns(limits: TurnLimits, addressOf: (socket: Socket) => string | undefined) {
  const connections = new WeakMap<Socket, Connection>()
  const addresses = new Map<string, Address>()
  let waitingRequests = 0

  /** Closes one of the address's idle connections in favour of a waiting one. */
  const makeRoom = ({ served }: Address) => {
    for (const { socket, isAnswering, isAnswered, isOver } of served)
      if (isAnswered && !isAnswering && !isOver) return close(socket)
  }
  /** Closes the server's side of a connection, and resets it if the client does not close its side. If the socket were destroyed immediately, its unread bytes would stay in the kernel for minutes. */
  const close = (socket: Socket) => {
    const connection = connections.get(socket)
    if (connection) connection.isOver = true
    if (socket.destroyed) return
    socket.end()
    const timer = setTimeout(() => socket.resetAndDestroy(), limits.lingerMs).unref()
    socket.once('close', () => clearTimeout(timer))
  }
  const leave = (connection: Connection, key: string) => {
    waitingRequests -= connection.waiting.length
    connection.waiting = []
    connection.isOver = true
    const { address } = connection
    if (!address) return
    address.open -= 1
    address.queue.delete(connection)
    address.served.delete(connection)
    const [next] = address.queue
    if (next && address.served.size < limits.servedOfAddress) {
      address.queue.delete(next)
      address.served.add(next)
      next.socket.resume()
    }
    if (address.open === 0) addresses.delete(key)
  }
  const begin = (connection: Connection, outgoing: ServerResponse, start: () => void) => {
    connection.isAnswering = true
    outgoing.once('close', () => {
      connection.isAnswering = false
      connection.isAnswered = true
      if (connection.address && connection.address.queue.size > 0) makeRoom(connection.address)
      // Not started immediately, because a client with many requests would then keep everyone else waiting.
      if (connection.waiting.length > 0) setImmediate(beginNext, connection)
    })
    // Tells the client that this connection will be closed in favour of others.
    if (connection.address && connection.address.queue.size > 0) outgoing.shouldKeepAlive = false
    start()
  }
  const beginNext = (connection: Connection) => {
    if (connection.isOver || connection.isAnswering) return
    const next = connection.waiting.shift()
    if (!next) return
    waitingRequests -= 1
    next()
    if (connection.waiting.length === 0) connection.socket.resume()
  }
  return {
    close,

    /** Takes a new connection. @returns false if its IP address already has too many; the caller must then close it */
    enter(socket: Socket): boolean {
      const key = addressOf(socket) ?? ''
      const address = key === '' ? undefined : (addresses.get(key) ?? { open: 0, served: new Set(), queue: new Set() })
      const connection: Connection = {
        ...{ socket, address, waiting: [] },
        ...{ isAnswering: false, isAnswered: false, isOver: false },
      }
      connections.set(socket, connection)
      socket.once('close', () => leave(connection, key))
      // Node resumes reading after each response.
      socket.on('resume', () => {
        if (connection.waiting.length > 0 || address?.queue.has(connection)) socket.pause()
      })
      // Makes Node close the connection after its last response.
      socket.destroySoon = () => close(socket)
      if (!address) return true
      addresses.set(key, address)
      address.open += 1
      if (address.open > limits.connectionsOfAddress) return false
      if (address.served.size < limits.servedOfAddress) address.served.add(connection)
      else {
        address.queue.add(connection)
        // Node starts reading a new connection in the next tick, even if paused before.
        process.nextTick(() => address.queue.has(connection) && socket.pause())
        makeRoom(address)
      }
      return true
    },

    /** Returns whether a connection is waiting for others from its IP address to close. */
    isWaiting(socket: Socket): boolean {
      const connection = connections.get(socket)
      return connection?.address?.queue.has(connection) === true
    },

    /** Starts a request once the previous ones on its connection are complete. @param start starts the response */
    take(socket: Socket, outgoing: ServerResponse, start: () => void): void {
      const connection = connections.get(socket)
      if (!connection || connection.isOver) {
        socket.pause()
        return
      }
      if (!connection.isAnswering && connection.waiting.length === 0) {
        begin(connection, outgoing, start)
        return
      }
      connection.waiting.push(() => begin(connection, outgoing, start))
      waitingRequests += 1
      socket.pause()
      if (waitingRequests > limits.waitingRequests) {
        connection.isOver = true
        socket.resetAndDestroy()
      }
    },
  }
}
