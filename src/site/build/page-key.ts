// Owns the keys of pages. A key stands for everything that a page shows, so that a page whose key is still the same need not be rendered again.
import type { CatalogueEntry } from '../../domain/catalogue/catalogue.ts'
import { hashKey } from './site-writer.ts'

/**
 * Gives paths of `getStaticPaths` the key by which a later build leaves their pages as they are. The key covers the props, so a page must get all that it
 * shows as props, except for what page-facts.ts notes down. The hub's address and the code are covered by other means.
 */
export function keyed<Path extends { props: object }>(paths: readonly Path[]): (Path & { cacheKey: string })[] {
  return paths.map((path) => ({
    ...path,
    cacheKey: Object.entries(path.props)
      .map(([name, value]) => `${name}:${describe(value)}`)
      .join(' '),
  }))
}

/** The pages of a repository share most of what they show, which is hashed once for all of them. */
const described = new WeakMap<object, string>()

/** What stands for a prop in a key. */
function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const known = described.get(value) ?? hashKey(JSON.stringify(value, shorten))
  described.set(value, known)
  return known
}

/** Replaces what is long by what stands for it: an entry, which holds every text of its repository, by its digest; and a content is left out, because its own digest is beside it. */
function shorten(this: object, key: string, value: unknown): unknown {
  if (key === 'content' && 'content_sha256' in this) return undefined
  return isEntry(value) ? value.digest : value
}

function isEntry(value: unknown): value is CatalogueEntry & { digest: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'repository' in value &&
    'digest' in value &&
    value.digest !== undefined
  )
}
