// The sliding window that limits requests: exact counts per client in bounded memory; and the arithmetic shared by every window.
import type { RateLimit, RateLimiter } from '../../ports/rate-limiter.ts'

/** Maximum number of clients remembered. With one request each, they take about 20 MB. */
const MAX_CLIENTS = 100_000

/**
 * A limiter in memory. Entries that left the window are dropped. Above the maximum number of clients, evicts the least recently seen client, but never one that is currently blocked; otherwise many addresses could unblock one.
 *
 * @param now a monotonic clock in milliseconds; the machine's time of day is not
 * @param mostClients has a default
 */
export function limitInMemory(
  { requests, windowMs }: RateLimit,
  now: () => number = () => performance.now(),
  mostClients = MAX_CLIENTS,
): RateLimiter {
  if (requests === 0) return UNLIMITED
  /** Times of requests, oldest first; clients by their newest one. Blocked clients are kept separately. */
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

/** A limiter that never rejects. */
export const UNLIMITED: RateLimiter = { take: () => 0 }

/** Seconds until the oldest request leaves the window, at least one. */
export function waitSeconds(oldestMs: number, windowMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((oldestMs + windowMs - nowMs) / 1000))
}
