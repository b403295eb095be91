// Caches the rendered pages of one state on the Node server, up to a number of bytes.
import { LRUCache } from 'lru-cache'
import type { PageAnswer } from '../respond.ts'

/** Enough for the popular pages of a large catalogue, or all of a small one. */
const MAX_BYTES = 64 * 1024 * 1024
/** Overhead of a page besides its bytes. */
const ENTRY_BYTES = 512
/** As long as shared caches keep a page: another process on the same content may publish too, and cannot purge this cache. */
const MAX_AGE_MS = 60_000

/** Rendered pages by path. */
export interface PageCache {
  find(path: string): PageAnswer | undefined
  /** Call it before rendering, and call the returned function with the page: a page that a publish changed in the meantime is not cached. */
  begin(): (path: string, page: PageAnswer) => void
  /** Drops every page with one of the tags. */
  purge(tags: readonly string[]): void
}

/** Opens a cache. */
export function openPageCache(): PageCache {
  const pages = new LRUCache<string, PageAnswer>({
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
