// Owns the drivers of the site's files: a folder, memory, or the deploy's own address; and writing files into a folder.
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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

/** Files that are made when they are asked for. @param find the text at a path, or undefined */
export function memoryFiles(find: (path: string) => string | Uint8Array | undefined): SiteFiles {
  return {
    async read(path) {
      const content = find(path)
      return content === undefined ? undefined : Buffer.from(content)
    },
  }
}

/** How long a file may take from the deploy's own address before a reader is told to come back. */
const FETCH_MS = 8_000

/** The files of a deploy, fetched from its own address. @param origin of the request that is being answered */
export function deployFiles(origin: string): SiteFiles {
  return {
    async read(path) {
      try {
        // The host may send `/x/index.html` on to `/x/`, and a redirect is an error here.
        const address = new URL(path.replace(/\/index\.html$/, '/'), origin)
        const answer = await fetch(address, { signal: AbortSignal.timeout(FETCH_MS), redirect: 'error' })
        if (answer.status === 404) return undefined
        if (answer.status !== 200) throw new Error(`the site answered ${answer.status}`)
        return new Uint8Array(await answer.arrayBuffer())
      } catch (cause) {
        throw refuseAway(cause)
      }
    },
  }
}

/**
 * Writes files below a folder.
 *
 * @returns how many files and bytes were written
 */
export function writeFiles(
  dir: string,
  files: Iterable<readonly [path: string, content: string | Uint8Array]>,
): { files: number; bytes: number } {
  const made = new Set<string>()
  let count = 0
  let bytes = 0
  for (const [path, content] of files) {
    const folder = dirname(path)
    if (!made.has(folder)) {
      mkdirSync(join(dir, folder), { recursive: true })
      made.add(folder)
    }
    writeFileSync(join(dir, path), content)
    count++
    bytes += Buffer.byteLength(content)
  }
  return { files: count, bytes }
}
