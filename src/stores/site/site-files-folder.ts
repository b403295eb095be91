// Reads a site's files from a folder whose files do not change, although the folder may be renamed. Small files are cached, large ones are streamed.
import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { type Bytes, catalogueUnavailable, type LargeFile, type SiteFiles } from '../../ports/site-files.ts'

/** Cache size for one build: enough for the popular part of a large catalogue, or for an entire small catalogue. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024
/** Larger files are streamed and not cached, because many slow readers would each keep the whole file in memory. */
const MAX_KEPT_BYTES = 1024 * 1024
/** Memory overhead of a cached file, in addition to its bytes. */
const ENTRY_BYTES = 256

/** Paths with segments that could lead out of the folder or to hidden files never match. */
const SAFE_PATH = /^(?:\/(?!\.)[A-Za-z0-9_.@-]+)+$/

/**
 * Returns the files of a folder, cached after the first read, except large ones.
 *
 * @param later the path to which the folder may be renamed. After that, it is read there, and a new folder at its old path is never read. If it is at neither path, its files are unavailable.
 */
export function folderFiles(dir: string, later?: string): SiteFiles {
  const cache = createFileCache()
  const readFrom: ReadFrom = later === undefined ? (read) => read(dir) : followFolder(dir, later)
  /** Cached files, and those being read. */
  const large = new Map<string, Promise<LargeFile | undefined>>()
  return {
    async openLarge(path) {
      if (cache.has(path) || !SAFE_PATH.test(path)) return undefined
      const asked = large.get(path) ?? readFrom((folder) => describeLarge(join(folder, path)))
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
      const bytes = await readFrom((folder) => readFile(join(folder, path)).catch(orAbsent))
      if (bytes && bytes.length <= MAX_KEPT_BYTES) cache.set(path, bytes)
      return bytes
    },
  }
}

/** Creates a cache of files by path, limited by their bytes. */
export function createFileCache(): LRUCache<string, Bytes> {
  return new LRUCache({ maxSize: MAX_CACHE_BYTES, sizeCalculation: ({ length }) => length + ENTRY_BYTES })
}

/** Returns a string that distinguishes a folder from any other at the same path; undefined if there is no folder. */
export function identifyFolder(dir: string): string | undefined {
  const stats = statSync(dir, { bigint: true, throwIfNoEntry: false })
  // Inode numbers are reused, so the creation time is included.
  return stats && `${stats.ino} ${stats.birthtimeNs}`
}

/** Reads a path below the folder, at the folder's current location. */
type ReadFrom = <Value>(read: (folder: string) => Promise<Value>) => Promise<Value>

function followFolder(dir: string, later: string): ReadFrom {
  const identity = identifyFolder(dir)
  const isAt = (place: string) => identifyFolder(place) === identity
  return async (read) => {
    for (const place of [dir, later, dir, later]) {
      if (!isAt(place)) continue
      const value = await read(place)
      // It may have been renamed before the file was opened.
      if (isAt(place)) return value
    }
    throw catalogueUnavailable(`${dir} was replaced`)
  }
}

async function describeLarge(file: string): Promise<LargeFile | undefined> {
  const stats = await stat(file).catch(orAbsent)
  if (!stats?.isFile() || stats.size <= MAX_KEPT_BYTES) return undefined
  const digest = createHash('sha256')
  try {
    for await (const chunk of createReadStream(file)) digest.update(chunk)
  } catch (error) {
    throw catalogueUnavailable(error)
  }
  const stream = () => Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  return { size: stats.size, digest: digest.digest('base64url'), stream }
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'])

/** @throws HubError `unavailable` if the file exists but cannot be read */
function orAbsent(error: NodeJS.ErrnoException): undefined {
  if (ABSENT.has(error.code ?? '')) return undefined
  throw catalogueUnavailable(error)
}
