// Owns the site's files in a folder that nobody changes while it is read.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { type Bytes, refuseAway, type SiteFiles } from '../ports/site-files.ts'

/** How much a host keeps in memory of one build: the popular part of a large catalogue, all of a small one. */
const CACHE_BYTES = 64 * 1024 * 1024
/** What a file takes beside its bytes. */
const ENTRY_BYTES = 256

/** Segments that could lead out of the folder, or to what is hidden in it, never match. */
const SAFE_PATH = /^(?:\/(?!\.)[A-Za-z0-9_.@-]+)+$/

/** The files of a folder that nobody changes while it is read: what was read once is kept in memory. */
export function folderFiles(dir: string): SiteFiles {
  const cache = new LRUCache<string, Bytes>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ length }) => length + ENTRY_BYTES,
  })
  return {
    async read(path) {
      const known = cache.get(path)
      if (known) return known
      if (!SAFE_PATH.test(path)) return undefined
      const bytes = await readFile(join(dir, path)).catch((error: NodeJS.ErrnoException) => {
        if (
          error.code === 'ENOENT' ||
          error.code === 'EISDIR' ||
          error.code === 'ENOTDIR' ||
          error.code === 'ENAMETOOLONG'
        )
          return undefined
        throw refuseAway(error)
      })
      if (!bytes) return undefined
      cache.set(path, bytes)
      return bytes
    },
  }
}
