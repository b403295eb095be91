// The port for rate limiting.

/** Limits how often something may happen for each key. */
export interface RateLimiter {
  /** Counts one request. @returns 0 if it is allowed, otherwise the seconds until the next one is; rejected requests are not counted */
  take(key: string): number
}

/** A limiter whose counts may be stored outside this process. */
export interface SharedLimiter {
  /** Counts one request, as `RateLimiter` does. @throws HubError `unavailable` when the counts cannot be reached */
  take(key: string): number | Promise<number>
}

/** A number of requests per time window. */
export interface RateLimit {
  /** Maximum number of requests in any window; 0 disables the limit. */
  requests: number
  windowMs: number
}
