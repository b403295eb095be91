// Owns the keys of pages that Astro renders. A key stands for everything that a page shows, so that a page whose key is still the same need not be rendered again.
import { hashKey } from './site-writer.ts'

/**
 * Gives paths of `getStaticPaths` the key by which a later build leaves their pages as they are. The key covers the props, so a page must get all that it
 * shows as props, except for what page-facts.ts notes down. The hub's address and the code are covered by other means.
 */
export function keyed<Path extends { props: object }>(paths: readonly Path[]): (Path & { cacheKey: string })[] {
  return paths.map((path) => ({ ...path, cacheKey: hashKey(JSON.stringify(path.props)) }))
}
