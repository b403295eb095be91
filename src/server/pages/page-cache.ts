// Caches the rendered pages of one build on the Node server, up to a total size.
import { LRUCache } from 'lru-cache'
import type { PageResponse } from '../respond.ts'

/** Maximum size of the cache: enough for the popular pages of a large catalogue, or all pages of a small one. */
const MAX_BYTES = 64 * 1024 * 1024
/** Overhead of a page in addition to its bytes. */
const ENTRY_BYTES = 512
/** Lifetime of an entry, the same as in shared caches: another process with the same content may publish too, and cannot purge this cache. */
const MAX_AGE_MS = 60_000

/** Rendered pages by path. */
export interface PageCache {
  find(path: string): PageResponse | undefined
  /** Call this before rendering, and then call the returned function with the page. A page is not cached if a publish purged anything in the meantime. */
  begin(): (path: string, page: PageResponse) => void
  /** Removes all pages with any of the tags. */
  purge(tags: readonly string[]): void
}

/** Creates an empty cache. */
export function openPageCache(): PageCache {
  const pages = new LRUCache<string, PageResponse>({
    maxSize: MAX_BYTES,
    ttl: MAX_AGE_MS,
    sizeCalculation: ({ bytes }) => bytes.length + ENTRY_BYTES,
  })
  let purges = 0
  return {
    find: (path) => pages.get(path),
    begin() {
      const before = purges
      return (path, page) => {
        if (purges === before) pages.set(path, page)
      }
    },
    purge(tags) {
      purges++
      for (const [path, { cacheTags }] of pages.entries())
        if (cacheTags.some((tag) => tags.includes(tag))) pages.delete(path)
    },
  }
}
