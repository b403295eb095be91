// Owns the sliding window that limits requests: exact counts for each client, in memory that stays bounded.
import { type RateLimit, type RateLimiter, UNLIMITED, waitSeconds } from '../ports/rate-limiter.ts'

/** Clients that are remembered at once; beyond it, the one that began longest ago is forgotten, in its favour. */
const MOST_CLIENTS = 20_000

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
