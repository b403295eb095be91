// The port of the rate limiter.

/** Limits how often something may happen for a key. */
export interface RateLimiter {
  /** Counts one request. @returns 0 when it may go on, else the seconds until the next one may; a refused request is not counted */
  take(key: string): number
}

/** A limiter whose counts may lie outside of this process. */
export interface SharedLimiter {
  /** As that of `RateLimiter`. @throws HubError `unavailable` when the counts are out of reach */
  take(key: string): number | Promise<number>
}

/** How many requests in how much time. */
export interface RateLimit {
  /** Most requests in any window; 0 turns the limit off. */
  requests: number
  windowMs: number
}
