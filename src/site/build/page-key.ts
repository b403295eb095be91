// Owns the keys of pages that Astro renders. A key stands for everything that a page shows, so that a page whose key is still the same need not be rendered again.
import { getCatalogue } from './loaded-catalogue.ts'
import { hashKey } from './site-writer.ts'

/**
 * Gives paths of `getStaticPaths` the key by which a later build leaves their pages as they are. The key covers the props, so a page must get all that it
 * shows as props, except for what page-facts.ts notes down. The hub's address and the code are covered by other means.
 */
export function keyed<Path extends { props: object }>(paths: readonly Path[]): (Path & { cacheKey: string })[] {
  const { entries } = getCatalogue()
  /** Puts what is known to stand for a summary in its place, for the same ones stand on many pages. */
  const shorten = (_: string, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('full_name' in value)) return value
    const entry = entries.get(String(value.full_name))
    return entry?.summary === value ? (entry.stored?.kept.digests.summary ?? value) : value
  }
  return paths.map((path) => ({ ...path, cacheKey: hashKey(JSON.stringify(path.props, shorten)) }))
}
