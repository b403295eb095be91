// Decides who makes room when a shared limit is reached: the network that holds most of it, so that one client cannot use up what all clients share.

/** Something that uses a part of a shared limit. */
export interface Held {
  /** The networks of the client, narrowest first; empty if the client is unknown. */
  networks: readonly string[]
  /** When it began, on a monotonic clock. */
  sinceMs: number
}

/** The number of sizes of networks: a /64, a /56 and a /48. */
const LEVELS = 3

/** Picks as if one were removed after another, each time the oldest one of the largest network. What belongs to no network comes last. */
export function pickLargestFirst<One extends Held>(held: Iterable<One>, count: number): One[] {
  let order = [...held].sort((a, b) => b.sinceMs - a.sinceMs)
  for (let level = 0; level < LEVELS; level++) {
    // In each network, the newest one ranks first. Wider networks then take turns between the networks in them.
    const ranks = new Map<string, number>()
    const byRank: One[][] = [[]]
    for (const one of order) {
      const network = one.networks[level] ?? one.networks.at(-1)
      const rank = network === undefined ? 0 : (ranks.get(network) ?? 0) + 1
      if (network !== undefined) ranks.set(network, rank)
      const others = byRank[rank]
      if (others) others.push(one)
      else byRank[rank] = [one]
    }
    order = byRank.flat()
  }
  return order.slice(-count).reverse()
}
