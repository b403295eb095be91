// Owns when a page need not be rendered again: its path then says by a key what all of its content depends on.
import type { CatalogueEntry } from '../../domain/catalogue/catalogue.ts'
import { hashKey } from './site-writer.ts'

/**
 * Gives paths of `getStaticPaths` the key by which a later build leaves their pages as they are. The key covers the props, so a page gets all that it
 * shows as props, but for what page-facts.ts notes down. The hub's address and the code are covered by other means.
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

/** An entry holds every text of its repository, and its digest stands for all of it, as that of a content does. */
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
