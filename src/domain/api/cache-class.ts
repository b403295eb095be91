// Owns how long answers may be kept; apart from the routes, so that the smallest functions need nothing else.

/** How long an answer stays true: `immutable` for ever, `changing` until the next build or publish. docs/contract.md section 4. */
export type CacheClass = 'immutable' | 'changing'

/** What each class says to clients. docs/contract.md section 4 */
export const CACHE_CONTROL: Readonly<Record<CacheClass, string>> = {
  immutable: 'public, max-age=31536000, immutable',
  changing: 'public, max-age=60, stale-while-revalidate=600',
}
