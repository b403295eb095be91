// How long caches may keep responses, what they are keyed by, and the tags that purge them.

/** Headers of every API response, including errors. docs/contract.md section 4. */
export const COMMON_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Content-Disposition, ETag, Export-Lost, Idempotency-Replayed, Link, Location, Repr-Digest, Retry-After, Unencoded-Digest, X-Prompt-Deprecated, X-Prompt-Version, X-Prompt-Yanked',
  'X-Content-Type-Options': 'nosniff',
} as const

/** How long a response is valid: `immutable` means forever, `changing` until the next build or publish, and `personal` is for the caller alone, whose key is in the URL. docs/contract.md section 4. */
export type CacheClass = 'immutable' | 'changing' | 'personal'

/** The Cache-Control value of each class. docs/contract.md section 4 */
export const CACHE_CONTROL: Readonly<Record<CacheClass, string>> = {
  immutable: 'public, max-age=31536000, immutable',
  changing: 'public, max-age=60, stale-while-revalidate=600',
  personal: 'private, max-age=60',
}

/** The Cache-Control value of a 404, because what is missing may be published at any time. */
export const MISSING_CACHE_CONTROL = 'public, max-age=30'

/** The Cache-Control values of pages. A browser asks each time whether a page has changed, because its reader may have changed it: after a publish, a copy of a minute ago would be wrong. The answer is mostly a 304, and shared caches keep pages as long as other reads. */
export const PAGE_CACHE_CONTROL = {
  found: 'public, max-age=0, s-maxage=60, must-revalidate',
  missing: 'public, max-age=0, s-maxage=30, must-revalidate',
} as const

/** The Cache-Control value of changing responses for shared caches that are not purged: after a minute, they revalidate before responding. */
export const SHARED_CACHE_CONTROL = 'public, max-age=60'

/** What varies a response that a host may compress. */
export const COMPRESSIBLE_VARY = 'Accept-Encoding'

/** Returns the cache tag of all responses about a repository. Neither the owner nor the name contains an underscore. */
export function repositoryCacheTag(owner: string, name: string): string {
  return `repo_${owner}_${name}`
}

/** Returns the cache tags of an owner's page and of a tag's pages. */
export const ownerCacheTag = (owner: string): string => `owner_${owner}`
export const tagCacheTag = (tag: string): string => `tag_${tag}`

/** What a response is about: a repository, an owner, or neither. */
export interface Subject {
  owner?: string | undefined
  name?: string | undefined
}

/** Returns the cache tag of a response; undefined if no publish purges it. */
export function cacheTagOf({ owner, name }: Subject): string | undefined {
  if (!owner) return undefined
  return name === undefined ? ownerCacheTag(owner) : repositoryCacheTag(owner, name)
}

/** Query parameters that change the response; caches ignore all others. */
export const VARYING_PARAMETERS = ['page', 'sort', 'q', 'tag', 'kind', 'version', 'label', 'at', 'key', 'from'] as const

/** The No-Vary-Search value, for caches that support the standard: no other parameter changes the response. https://httpwg.org/http-extensions/draft-ietf-httpbis-no-vary-search.html */
export const NO_VARY_SEARCH = `params, except=(${VARYING_PARAMETERS.map((name) => `"${name}"`).join(' ')})`
