// The sliding window that limits requests: exact counts for each client, in memory that stays bounded; and the arithmetic that every window shares.
import type { RateLimit, RateLimiter } from '../../ports/rate-limiter.ts'

/** Clients that are remembered at once. One request each, they take some 20 MB. */
const MAX_CLIENTS = 100_000

/**
 * A limiter in this process's memory. What left the window is forgotten; beyond the most clients, whoever asked longest ago is, in their favour, but
 * nobody who has to wait: else many addresses could free one.
 *
 * @param now a clock in milliseconds that never goes back: the machine's time of day may
 * @param mostClients left out, the usual number
 */
export function limitInMemory(
  { requests, windowMs }: RateLimit,
  now: () => number = () => performance.now(),
  mostClients = MAX_CLIENTS,
): RateLimiter {
  if (requests === 0) return UNLIMITED
  /** Moments of requests, oldest first; clients in the order of their newest one. Those who have used up their number stand apart. */
  const counted = new Map<string, number[]>()
  const limited = new Map<string, number[]>()
  const forgetBefore = (clients: Map<string, number[]>, moment: number) => {
    for (const [key, times] of clients) {
      if (times.at(-1)! > moment) return
      clients.delete(key)
    }
  }
  return {
    take(key) {
      const time = now()
      forgetBefore(counted, time - windowMs)
      forgetBefore(limited, time - windowMs)
      const times = limited.get(key) ?? counted.get(key) ?? []
      const firstInWindow = times.findIndex((earlier) => earlier > time - windowMs)
      times.splice(0, firstInWindow < 0 ? times.length : firstInWindow)
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

/** A limiter that never refuses. */
export const UNLIMITED: RateLimiter = { take: () => 0 }

/** Seconds until the oldest request leaves the window, at least one. */
export function waitSeconds(oldestMs: number, windowMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((oldestMs + windowMs - nowMs) / 1000))
}
