// The interface of rate limiters.

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
