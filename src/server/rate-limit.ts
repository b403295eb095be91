// Owns the sliding window that limits requests: exact counts for each client, in memory that stays bounded.

/** Limits how often something may happen for a key. */
export interface RateLimiter {
  /** Counts one request. @returns 0 when it may go on, else the seconds until the next one may; a refused request is not counted */
  take(key: string): number
}

/** How many requests in how much time. */
export interface RateLimit {
  /** Most requests in any window; 0 turns the limit off. */
  requests: number
  windowMs: number
}

/** Clients that are remembered at once; beyond it, the one that began longest ago is forgotten, in its favour. */
const MOST_CLIENTS = 20_000

/** A limiter that never refuses. */
export const UNLIMITED: RateLimiter = { take: () => 0 }

/**
 * A limiter in this process's memory.
 *
 * @param now the clock, in milliseconds
 */
export function limitInMemory({ requests, windowMs }: RateLimit, now: () => number = Date.now): RateLimiter {
  if (requests === 0) return UNLIMITED
  const clients = new Map<string, number[]>()
  return {
    take(key) {
      const time = now()
      const times = (clients.get(key) ?? []).filter((earlier) => earlier > time - windowMs)
      if (times.length >= requests) return waitSeconds(times[0]!, windowMs, time)
      times.push(time)
      clients.delete(key)
      clients.set(key, times)
      if (clients.size > MOST_CLIENTS) clients.delete(clients.keys().next().value!)
      return 0
    },
  }
}

/** Seconds until the oldest request leaves the window, at least one. */
export function waitSeconds(oldestMs: number, windowMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((oldestMs + windowMs - nowMs) / 1000))
}
