// Reads a site's files from a folder that nobody changes while it is read; it may be renamed.
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { type Bytes, refuseAway, type SiteFiles } from '../ports/site-files.ts'

/** How much a host keeps in memory of one build: the popular part of a large catalogue, all of a small one. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024
/** What a file takes beside its bytes. */
const ENTRY_BYTES = 256

/** Segments that could lead out of the folder, or to what is hidden in it, never match. */
const SAFE_PATH = /^(?:\/(?!\.)[A-Za-z0-9_.@-]+)+$/

/**
 * The files of a folder: what was read once is kept in memory.
 *
 * @param later where the folder may be renamed to. It is then still read, and never what took its place; when it is nowhere any more, its files are unavailable.
 */
export function folderFiles(dir: string, later?: string): SiteFiles {
  const cache = new LRUCache<string, Bytes>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ length }) => length + ENTRY_BYTES,
  })
  const readIt = later === undefined ? (path: string) => readBelow(dir, path) : followFolder(dir, later)
  return {
    async read(path) {
      const known = cache.get(path)
      if (known) return known
      if (!SAFE_PATH.test(path)) return undefined
      const bytes = await readIt(path)
      if (bytes) cache.set(path, bytes)
      return bytes
    },
  }
}

/** What tells a folder from any other at the same place; undefined when there is none. */
export function identifyFolder(dir: string): string | undefined {
  const stats = statSync(dir, { bigint: true, throwIfNoEntry: false })
  // Numbers of files that are gone are given again, so the time of its birth belongs to it.
  return stats && `${stats.ino} ${stats.birthtimeNs}`
}

function followFolder(dir: string, later: string): (path: string) => Promise<Bytes | undefined> {
  const identity = identifyFolder(dir)
  const isAt = (place: string) => identifyFolder(place) === identity
  return async (path) => {
    for (const place of [dir, later, dir, later]) {
      if (!isAt(place)) continue
      const bytes = await readBelow(place, path)
      // It may have been renamed before the file was opened.
      if (isAt(place)) return bytes
    }
    throw refuseAway(`${dir} was replaced`)
  }
}

async function readBelow(dir: string, path: string): Promise<Bytes | undefined> {
  try {
    return await readFile(join(dir, path))
  } catch (error) {
    if (error instanceof Error && 'code' in error && ABSENT.has(String(error.code))) return undefined
    throw refuseAway(error)
  }
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'])
