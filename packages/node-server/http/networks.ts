// Counts the connections of each network, and decides which of them are served and which wait.
/** Limits of one IP address, or of one IPv6 /64. */
export interface NetworkLimits {
  /**
   * Maximum number of connections that are served at the same time; others wait. The kernel buffers up to 4 MB for each connection whose client reads nothing, so one IP address uses at most about 200 MB.
   */
  servedOfAddress: number
  /** Maximum number of connections, including those that wait. Further connections are rejected. */
  connectionsOfAddress: number
}

/** The connections from one network. */
export interface Network<Connection> {
  open: number
  served: Set<Connection>
  mostOpen: number
  mostServed: number
  /** The connections that wait, in the widest network of each. */
  queue: Set<Connection>
}

/** A connection with its networks, narrowest first. */
interface Member<Connection> {
  networks: readonly string[]
  places: readonly Network<Connection>[]
}

/** Opens the counts of a server. A /56 has twice the limits of a /64, and a /48 four times. */
export function openNetworks<Connection extends Member<Connection>>({
  servedOfAddress,
  connectionsOfAddress,
}: NetworkLimits) {
  const known = new Map<string, Network<Connection>>()
  const isFull = ({ served, mostServed }: Network<Connection>) => served.size >= mostServed
  const queueOf = ({ places }: Connection) => places.at(-1)?.queue
  const serve = (connection: Connection): boolean => {
    if (connection.places.some(isFull)) return false
    for (const { served } of connection.places) served.add(connection)
    return true
  }
  return {
    /** Returns the networks with these names, narrowest first. */
    find: (names: readonly string[]): Network<Connection>[] =>
      names.map((name, level) => {
        const found = known.get(name)
        if (found) return found
        const [mostOpen, mostServed] = [connectionsOfAddress * 2 ** level, servedOfAddress * 2 ** level]
        const made = { open: 0, served: new Set<Connection>(), mostOpen, mostServed, queue: new Set<Connection>() }
        known.set(name, made)
        return made
      }),

    /** Counts a new connection. @returns its networks that now have too many connections */
    enter({ places }: Connection): Network<Connection>[] {
      for (const place of places) place.open += 1
      return places.filter(({ open, mostOpen }) => open > mostOpen)
    },

    /** Serves a connection, or lets it wait. @returns the networks that are full; none if it is served */
    admit(connection: Connection): Network<Connection>[] {
      if (serve(connection)) return []
      queueOf(connection)?.add(connection)
      return connection.places.filter(isFull)
    },

    /** Returns the connection's networks that are full while others wait. */
    findContested(connection: Connection): readonly Network<Connection>[] {
      return connection.places.at(-1)?.queue.size ? connection.places.filter(isFull) : NONE
    },

    isWaiting: (connection: Connection) => queueOf(connection)?.has(connection) === true,

    /** Returns all networks that are full while others wait. */
    listContested(): Network<Connection>[] {
      const waiting = [...known.values()].flatMap(({ queue }) => [...queue])
      return [...new Set(waiting.flatMap(({ places }) => places.filter(isFull)))]
    },

    /** Removes a connection. @returns the waiting connections that are served from now on */
    leave(connection: Connection): Connection[] {
      const queue = queueOf(connection)
      queue?.delete(connection)
      for (const [level, place] of connection.places.entries()) {
        place.open -= 1
        place.served.delete(connection)
        if (place.open === 0) known.delete(connection.networks[level]!)
      }
      const next: Connection[] = []
      for (const waiting of queue ?? []) {
        if (!serve(waiting)) continue
        queue!.delete(waiting)
        next.push(waiting)
      }
      return next
    },
  }
}

const NONE: readonly never[] = []
