// Keeps files of another hub in a folder, up to a number and a size: the least recently used ones are removed.
import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { logProblem } from '../../../src/ports/log.ts'
import type { Bytes } from '../../../src/ports/site-files.ts'

/** A file in the cache. */
interface KeptFile {
  bytes: Bytes
  /** When the other hub last sent it, in milliseconds since 1970. */
  checkedAt: number
}

/** The limits of a cache. */
export interface DiskLimits {
  files: number
  bytes: number
}

/** A file that a process did not finish writing is removed after this time. */
const UNFINISHED_MS = 60_000

/** Opens a cache, whose folder may be missing. Files have their paths on the other hub. Hubs on one machine may share the folder. */
export async function openDiskCache(dir: string, limits: DiskLimits) {
  await mkdir(dir, { recursive: true })
  const known = new LRUCache<string, number>({
    max: limits.files,
    maxSize: limits.bytes,
    sizeCalculation: (size) => Math.max(1, size),
    dispose(_size, key, reason) {
      if (reason === 'evict') rm(join(dir, key), { force: true }).catch(noteFailure)
    },
  })
  const found = await Promise.all((await readdir(dir)).map((key) => describe(dir, key)))
  for (const { key, size, mtimeMs } of found.flat().sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (!key.endsWith('.tmp')) known.set(key, size)
    else if (Date.now() - mtimeMs > UNFINISHED_MS) await rm(join(dir, key), { force: true })
  }
  let count = 0
  const keyOf = (path: string) => hash('sha256', path)
  return {
    async read(path: string): Promise<KeptFile | undefined> {
      const key = keyOf(path)
      try {
        const [{ mtimeMs }, bytes] = await Promise.all([stat(join(dir, key)), readFile(join(dir, key))])
        known.set(key, bytes.length)
        return { bytes: new Uint8Array(bytes), checkedAt: mtimeMs }
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') noteFailure(cause)
        return undefined
      }
    },
    /** Writes a file whole or not at all. A full disk is logged, because the file can be served without being kept. */
    async write(path: string, { bytes, checkedAt }: KeptFile): Promise<void> {
      const key = keyOf(path)
      const unfinished = join(dir, `${key}.${process.pid}-${++count}.tmp`)
      try {
        await writeFile(unfinished, bytes)
        await utimes(unfinished, checkedAt / 1000, checkedAt / 1000)
        await rename(unfinished, join(dir, key))
        known.set(key, bytes.length)
      } catch (cause) {
        noteFailure(cause)
        await rm(unfinished, { force: true }).catch(noteFailure)
      }
    },
    async remove(path: string): Promise<void> {
      known.delete(keyOf(path))
      await rm(join(dir, keyOf(path)), { force: true }).catch(noteFailure)
    },
  }
}

/** @returns nothing for a file that another process has removed since it was listed */
async function describe(dir: string, key: string): Promise<{ key: string; size: number; mtimeMs: number }[]> {
  try {
    const { size, mtimeMs } = await stat(join(dir, key))
    return [{ key, size, mtimeMs }]
  } catch {
    return []
  }
}

function noteFailure(cause: unknown): void {
  logProblem('warning', 'The cache of the upstream hub cannot be used.', { cause })
}
