// Owns how long answers may be kept, in a file of its own that imports nothing.

/** How long an answer stays true: `immutable` for ever, `changing` until the next build or publish. docs/contract.md section 4. */
export type CacheClass = 'immutable' | 'changing'

/** What each class says to clients. docs/contract.md section 4 */
export const CACHE_CONTROL: Readonly<Record<CacheClass, string>> = {
  immutable: 'public, max-age=31536000, immutable',
  changing: 'public, max-age=60, stale-while-revalidate=600',
}

/** What changing answers say to caches that many clients share and nobody purges: what is older than a minute is asked for again, not shown once more. */
export const SHARED_CACHE_CONTROL = 'public, max-age=60'

/** Query parameters that tell answers apart; all others never split a cache. */
export const VARYING_PARAMETERS = ['page', 'sort', 'q', 'tag', 'version', 'label'] as const

/** The same as caches of the standard have it: all parameters but these mean nothing. https://httpwg.org/http-extensions/draft-ietf-httpbis-no-vary-search.html */
export const NO_VARY_SEARCH = `params, except=(${VARYING_PARAMETERS.map((name) => `"${name}"`).join(' ')})`
