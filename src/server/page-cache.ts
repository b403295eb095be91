// Caches the rendered pages of one build on the Node server, up to a total size.
import { LRUCache } from 'lru-cache'
import { nextTurn, shareRunning } from '../concurrency/promises.ts'
import type { PageResponse } from './respond.ts'

/** Maximum size of the cache, enough for the popular pages of a large catalogue or all pages of a small catalogue. */
const MAX_BYTES = 32 * 1024 * 1024
/** Memory overhead of a cached page, in addition to its body. */
const ENTRY_BYTES = 512
/** Lifetime of an entry, the same as in shared caches. It is short because another process with the same content may publish too, but cannot purge this cache. */
const MAX_AGE_MS = 60_000

/** Rendered pages by path. */
export type PageCache = ReturnType<typeof openPageCache>

/** Creates an empty cache. */
export function openPageCache() {
  const pages = new LRUCache<string, PageResponse>({
    maxSize: MAX_BYTES,
    ttl: MAX_AGE_MS,
    sizeCalculation: ({ bytes }) => bytes.length + ENTRY_BYTES,
  })
  /** Replaced by a purge, so that later requests do not wait for an outdated rendering. */
  let share = shareRunning<PageResponse>()
  return {
    find: (path: string): PageResponse | undefined => pages.get(path),
    /**
     * Renders a page once for all requests that arrive during the rendering, and caches it if its status is 200 and it does not depend on the query. After a purge, the page is rendered again, and a rendering that started before the purge is not cached.
     *
     * @param address the path, with the query if the page depends on it
     */
    render(address: string, make: () => Promise<PageResponse>): Promise<PageResponse> {
      const current = share
      return current(address, async () => {
        await nextTurn()
        const page = await make()
        if (current === share && page.status === 200 && !page.hasQuery) pages.set(address, page)
        return page
      })
    },
    /** Removes all pages with any of the tags. */
    purge(tags: readonly string[]): void {
      share = shareRunning()
      for (const [path, { cacheTags }] of pages.entries())
        if (cacheTags.some((tag) => tags.includes(tag))) pages.delete(path)
    },
  }
}
