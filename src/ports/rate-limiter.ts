// The port of the rate limiter.

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
