// Caches the rendered pages of one build on the Node server, up to a total size.
import { LRUCache } from 'lru-cache'
import { shareRunning } from '../../ports/share-running.ts'
import type { PageCache } from '../hub.ts'
import type { PageResponse } from '../respond.ts'

/** Maximum size of the cache, enough for the popular pages of a large catalogue or all pages of a small catalogue. */
const MAX_BYTES = 32 * 1024 * 1024
/** Memory overhead of a cached page, in addition to its body. */
const ENTRY_BYTES = 512
/** Lifetime of an entry, the same as in shared caches. It is short because another process with the same content may publish too, but cannot purge this cache. */
const MAX_AGE_MS = 60_000

/** Creates an empty cache. */
export function openPageCache(): PageCache {
  const pages = new LRUCache<string, PageResponse>({
    maxSize: MAX_BYTES,
    ttl: MAX_AGE_MS,
    sizeCalculation: ({ bytes }) => bytes.length + ENTRY_BYTES,
  })
  /** Replaced by a purge, so that later requests do not wait for an outdated rendering. */
  let share = shareRunning<PageResponse>()
  return {
    find: (path) => pages.get(path),
    render(address, make) {
      const current = share
      return current(address, async () => {
        const page = await make()
        if (current === share && page.status === 200 && !page.hasQuery) pages.set(address, page)
        return page
      })
    },
    purge(tags) {
      share = shareRunning()
      for (const [path, { cacheTags }] of pages.entries())
        if (cacheTags.some((tag) => tags.includes(tag))) pages.delete(path)
    },
  }
}
