// The port of the rate limiter.

/** Limits how often something may happen per key. */
export interface RateLimiter {
  /** Counts one request. @returns 0 if allowed, else the seconds until the next one is; a rejected request is not counted */
  take(key: string): number
}

/** A limiter whose counts may be outside this process. */
export interface SharedLimiter {
  /** Like that of `RateLimiter`. @throws HubError `unavailable` when the counts cannot be reached */
  take(key: string): number | Promise<number>
}

/** A number of requests per time window. */
export interface RateLimit {
  /** Maximum requests in any window; 0 turns the limit off. */
  requests: number
  windowMs: number
}
