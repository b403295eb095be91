// The site's files in a folder that nobody changes while it is read: small ones are kept in memory, large ones are streamed.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { type Bytes, type LargeFile, refuseAway, type SiteFiles } from '../ports/site-files.ts'

/** How much a host keeps in memory of one build: the popular part of a large catalogue, all of a small one. */
const CACHE_BYTES = 64 * 1024 * 1024
/** Longer files are streamed and not kept: many slow readers of one would each hold it whole. */
const MAX_KEPT_BYTES = 1024 * 1024
/** What a file takes beside its bytes. */
const ENTRY_BYTES = 256

/** Segments that could lead out of the folder, or to what is hidden in it, never match. */
const SAFE_PATH = /^(?:\/(?!\.)[A-Za-z0-9_.@-]+)+$/

/** The files of a folder that nobody changes while it is read: what was read once is kept in memory, but for large files. */
export function folderFiles(dir: string): SiteFiles {
  const cache = new LRUCache<string, Bytes>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ length }) => length + ENTRY_BYTES,
  })
  /** Those that were asked for, and those that are just being looked at. */
  const large = new Map<string, Promise<LargeFile | undefined>>()
  const describeLarge = async (path: string): Promise<LargeFile | undefined> => {
    const file = join(dir, path)
    const stats = await stat(file).catch(orAbsent)
    if (!stats?.isFile() || stats.size <= MAX_KEPT_BYTES) return undefined
    const digest = createHash('sha256')
    try {
      for await (const chunk of createReadStream(file)) digest.update(chunk)
    } catch (error) {
      throw refuseAway(error)
    }
    const stream = () => Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
    return { size: stats.size, digest: digest.digest('base64url'), stream }
  }
  return {
    async openLarge(path) {
      if (cache.has(path) || !SAFE_PATH.test(path)) return undefined
      const asked = large.get(path) ?? describeLarge(path)
      large.set(path, asked)
      let file: LargeFile | undefined
      try {
        file = await asked
      } finally {
        if (!file) large.delete(path)
      }
      return file
    },
    async read(path) {
      const known = cache.get(path)
      if (known) return known
      if (!SAFE_PATH.test(path)) return undefined
      const bytes = await readFile(join(dir, path)).catch(orAbsent)
      if (bytes && bytes.length <= MAX_KEPT_BYTES) cache.set(path, bytes)
      return bytes
    },
  }
}

/** @throws HubError `unavailable` when the file is there and cannot be read */
function orAbsent(error: NodeJS.ErrnoException): undefined {
  if (['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return undefined
  throw refuseAway(error)
}
