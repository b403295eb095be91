// The interface to the built site's files, wherever they are stored. Also caches them, handles missing files and parses JSON.
import { LRUCache } from 'lru-cache'
import { HubError } from '../domain/api/errors.ts'

/** The bytes of a file. */
export type Bytes = Uint8Array<ArrayBuffer>

/** The files of one build. */
export interface SiteFiles {
  /**
   * Reads one file.
   *
   * @param path the path from the site's root, with a leading slash and validated segments, such as `/data/v1/tags.json`
   * @returns undefined if the file does not exist; the result may be shared between callers, so do not modify it
   * @throws HubError `unavailable` when the files cannot be reached
   */
  read(path: string): Promise<Bytes | undefined>
}

/** The error message if the catalogue, or a part that every build contains, is unavailable; also used by protocols that have their own error format. */
export const CATALOGUE_UNAVAILABLE = 'The catalogue cannot be read right now. Try again in a few seconds.'

/** Creates the error with that message. */
export function catalogueUnavailable(cause: unknown): HubError {
  return new HubError('unavailable', CATALOGUE_UNAVAILABLE, { cause, retryAfterSeconds: 5 })
}

/** Reads a file that every build writes; if it is missing, the site is damaged or incomplete. */
export async function readBuilt(siteFiles: SiteFiles, path: string): Promise<Bytes> {
  const bytes = await siteFiles.read(path)
  if (!bytes) throw catalogueUnavailable(`missing ${path}`)
  return bytes
}

/**
 * Parses a built file. Its structure is not validated again: the build of this deploy wrote it from values of this type, and a test validates the output against the schemas.
 */
export function parseBuilt<Value>(bytes: Bytes): Value {
  return JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
}

/** Cache size for one build: enough for the popular part of a large catalogue, or for an entire small catalogue. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024
/** Files larger than the cache, such as the index of 40,000 prompts and the record of an owner with as many: without places of their own, each reader would get a copy, read and hashed on the answering thread. */
const MAX_LARGE_FILES = 2
/** Memory overhead of a cached file, in addition to its bytes. */
const ENTRY_BYTES = 256

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
