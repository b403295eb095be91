// Reads a site's files from a folder whose files do not change.
import { LRUCache } from 'lru-cache'
import { openFolder } from '../files/plain-files.ts'
import { type Bytes, catalogueUnavailable, type SiteFiles } from './site-files.ts'

/** Cache size for one build: enough for the popular part of a large catalogue, or for an entire small catalogue. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024
/** Files larger than the cache, such as the index of 40,000 prompts and the record of an owner with as many: without places of their own, each reader would get a copy, read and hashed on the answering thread. */
const MAX_LARGE_FILES = 2
/** Memory overhead of a cached file, in addition to its bytes. */
const ENTRY_BYTES = 256

/** Paths with segments that could lead out of the folder or to hidden files never match. */
const SAFE_PATH = /^(?:\/(?!\.)[A-Za-z0-9_.@-]+)+$/

/** Returns the files of a folder, cached after the first read. A first read blocks the thread: on the Node server, these are the styles and scripts of the pages, none of which is large. */
export function folderFiles(dir: string): SiteFiles {
  const folder = openFolder(dir)
  return cacheFiles((path) => {
    if (!SAFE_PATH.test(path)) return undefined
    const { value, refusal } = folder.read(path, Number.POSITIVE_INFINITY)
    if (refusal === 'unreadable') throw catalogueUnavailable(`${path} cannot be read`)
    return value
  })
}

/** Caches files after their first read, up to a total size. */
export function cacheFiles(read: (path: string) => Bytes | undefined): SiteFiles {
  const cache = new LRUCache<string, Bytes>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ length }) => length + ENTRY_BYTES,
  })
  const large = new LRUCache<string, Bytes>({ max: MAX_LARGE_FILES })
  return {
    async read(path) {
      const known = cache.get(path) ?? large.get(path)
      if (known) return known
      const bytes = read(path)
      if (bytes) (bytes.length + ENTRY_BYTES > MAX_CACHE_BYTES ? large : cache).set(path, bytes)
      return bytes
    },
  }
}
