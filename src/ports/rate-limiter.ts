// Owns the port of the rate limiter, and the arithmetic that all of its drivers share.

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

/** A limiter that never refuses. */
export const UNLIMITED: RateLimiter = { take: () => 0 }

/** Seconds until the oldest request leaves the window, at least one. */
export function waitSeconds(oldestMs: number, windowMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((oldestMs + windowMs - nowMs) / 1000))
}
