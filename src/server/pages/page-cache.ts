// Keeps the pages of one state of our own host that were rendered, up to a number of bytes.
import { LRUCache } from 'lru-cache'
import type { PageAnswer } from '../respond.ts'

/** The popular pages of a large catalogue, all of a small one. */
const MAX_BYTES = 64 * 1024 * 1024
/** What a page takes beside its bytes. */
const ENTRY_BYTES = 512
/** As long as shared caches keep a page: another process on the same content may publish too, and cannot empty this cache. */
const MAX_AGE_MS = 60_000

/** Rendered pages by their path. */
export interface PageCache {
  find(path: string): PageAnswer | undefined
  /** Call it before a page is rendered, and what it returns with the page: one that a publish changed meanwhile is not kept. */
  begin(): (path: string, page: PageAnswer) => void
  /** Forgets every page that has one of the tags. */
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
