// Reads a site's files from a folder whose files do not change. Small files are cached, large ones are streamed.
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { ReadableStream } from 'node:stream/web'
import { LRUCache } from 'lru-cache'
import { type Bytes, catalogueUnavailable, type LargeFile, type SiteFiles } from '../../../src/ports/site-files.ts'
import { openFolder } from '../files/plain-files.ts'

/** Cache size for one build: enough for the popular part of a large catalogue, or for an entire small catalogue. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024
/** Larger files are streamed and not cached, because many slow readers would each keep the whole file in memory. */
const MAX_KEPT_BYTES = 1024 * 1024
/** How much of a file is read at once. */
const CHUNK_BYTES = 64 * 1024
/** Memory overhead of a cached file, in addition to its bytes. */
const ENTRY_BYTES = 256

/** Paths with segments that could lead out of the folder or to hidden files never match. */
const SAFE_PATH = /^(?:\/(?!\.)[A-Za-z0-9_.@-]+)+$/

/** Returns the files of a folder, cached after the first read, except large ones. */
export function folderFiles(dir: string): SiteFiles {
  const cache = createFileCache()
  /** Cached files, and those being read. */
  const large = new Map<string, Promise<LargeFile | undefined>>()
  return {
    async openLarge(path) {
      if (cache.has(path) || !SAFE_PATH.test(path)) return undefined
      const asked = large.get(path) ?? describeLarge(dir, path)
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
      const file = await openFile(dir, path)
      const bytes = file && Buffer.concat(await Array.fromAsync(readChunks(file.handle)))
      if (bytes && bytes.length <= MAX_KEPT_BYTES) cache.set(path, bytes)
      return bytes
    },
  }
}

/** Creates a cache of files by path, limited by their bytes. */
export function createFileCache(): LRUCache<string, Bytes> {
  return new LRUCache({ maxSize: MAX_CACHE_BYTES, sizeCalculation: ({ length }) => length + ENTRY_BYTES })
}

async function describeLarge(folder: string, path: string): Promise<LargeFile | undefined> {
  const file = await openFile(folder, path)
  if (!file) return undefined
  const { size } = file.stats
  if (size <= MAX_KEPT_BYTES) {
    await file.handle.close()
    return undefined
  }
  const digest = createHash('sha256')
  for await (const chunk of readChunks(file.handle)) digest.update(chunk)
  // Opens the file only when somebody reads the stream, because a response may be dropped unread.
  const stream = () => ReadableStream.from(streamFile(folder, path)) as ReturnType<LargeFile['stream']>
  return { size, digest: digest.digest('base64url'), stream }
}

async function* streamFile(folder: string, path: string): AsyncGenerator<Uint8Array> {
  const file = await openFile(folder, path)
  if (!file) throw catalogueUnavailable(`${path} was removed`)
  yield* readChunks(file.handle)
}

/** Opens a file of the site. @returns undefined if there is none @throws HubError `unavailable` if the file exists but cannot be read */
async function openFile(folder: string, path: string) {
  const { value, refusal } = await openFolder(folder).openLater(path)
  if (refusal === 'unreadable') throw catalogueUnavailable(`${path} cannot be read`)
  return value
}

/** Reads a file in parts, and closes it. @throws HubError `unavailable` if reading fails */
async function* readChunks(handle: FileHandle): AsyncGenerator<Buffer<ArrayBuffer>> {
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES))
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } catch (error) {
    throw catalogueUnavailable(error)
  } finally {
    await handle.close()
  }
}
