// Limits requests with a sliding window: the interface, and exact counts per client in bounded memory, with the arithmetic that all windows share.

/** Limits how often something may happen for each key. Its counts may be stored outside this process. */
export interface RateLimiter {
  /**
   * Counts one request; rejected requests are not counted.
   *
   * @returns 0 if it is allowed, otherwise the seconds until the next request is allowed
   * @throws HubError `unavailable` when the counts cannot be reached
   */
  take(key: string): number | Promise<number>
}

/** A maximum number of requests per time window. */
export interface RateLimit {
  /** Maximum number of requests in any window; 0 disables the limit. */
  requests: number
  windowMs: number
}

/** Maximum number of clients in memory. They take about 20 MB if each has sent one request. */
const MAX_CLIENTS = 100_000

/**
 * Creates an in-memory limiter. Above the maximum number of clients, it evicts the least recently seen client, but never one that is currently blocked; otherwise, requests from many addresses could unblock a client.
 *
 * @param now a monotonic clock in milliseconds, unlike the time of day
 */
export function limitInMemory(
  { requests, windowMs }: RateLimit,
  now: () => number = () => performance.now(),
  mostClients = MAX_CLIENTS,
) {
  if (requests === 0) return UNLIMITED
  /** The times of requests, oldest first; clients are ordered by their newest request. Blocked clients are stored separately. */
  const counted = new Map<string, number[]>()
  const limited = new Map<string, number[]>()
  return {
    take(key: string): number {
      const time = now()
      const start = time - windowMs
      for (const clients of [counted, limited])
        for (const [client, times] of clients) {
          if (times.at(-1)! > start) break
          clients.delete(client)
        }
      const times = limited.get(key) ?? counted.get(key) ?? []
      while (times.length > 0 && times[0]! <= start) times.shift()
      if (times.length >= requests) return waitSeconds(times[0]!, windowMs, time)
      times.push(time)
      counted.delete(key)
      limited.delete(key)
      ;(times.length === requests ? limited : counted).set(key, times)
      if (counted.size + limited.size > mostClients) {
        const clients = counted.size > 0 ? counted : limited
        clients.delete(clients.keys().next().value!)
      }
      return 0
    },
  }
}

/** A limiter that never rejects. */
export const UNLIMITED = { take: () => 0 }

/** Returns the seconds until the oldest request leaves the window, at least one. */
export function waitSeconds(oldestMs: number, windowMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((oldestMs + windowMs - nowMs) / 1000))
}
