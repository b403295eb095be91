// Owns telling whether a folder holds the very files that were written there, in a thread of its own: with hundreds of thousands of files, it takes seconds.
import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { openBuildCache } from '../../stores/build-cache.ts'

/** What to compare. */
interface Written {
  dir: string
  /** The cache that says which files were written. */
  cachePath: string
  /** Of the code that made them, as the cache is opened with. */
  codes: { parser: string; site: string }
  /** When the last of them was written, in milliseconds since 1970. */
  endedMs: number
}

/** A comparison under way. */
export interface Untouched {
  /** Settles with whether the folder holds what was written: nothing more, nothing less, nothing changed since. */
  answer: Promise<boolean>
  /** Takes a share of what is left in this thread, which has nothing else to do until it knows. */
  help(): void
}

/** Begins a comparison. */
export function compareFolder(written: Written): Untouched {
  const claims = new Int32Array(new SharedArrayBuffer(4 * MOST_BLOCKS))
  const worker = new Worker(new URL(import.meta.url), { workerData: { written, claims } })
  let isOver = false
  let hasHelpFound = false
  const answer = new Promise<boolean>((resolve, reject) => {
    worker.once('message', (isSame: boolean) => resolve(isSame && !hasHelpFound))
    worker.once('error', reject)
  }).finally(() => {
    isOver = true
  })
  return {
    answer,
    help() {
      if (!isOver) hasHelpFound = !compare(written, claims)
    },
  }
}

/** So many files are compared by whoever takes them first. */
const BLOCK = 2_000
/** More files than anybody writes; the blocks after the last are taken by both. */
const MOST_BLOCKS = 65_536

/** Compares the times of files and folders. A folder's own time changes with whatever is put into it, taken out or renamed there, so no folder needs to be listed. */
function compare({ dir, cachePath, codes, endedMs }: Written, claims: Int32Array): boolean {
  const cache = openBuildCache(cachePath, codes)
  const isOld = (path: string, isFolder: boolean) => {
    const stats = lstatSync(dir + path, { throwIfNoEntry: false })
    return stats !== undefined && stats.isDirectory() === isFolder && stats.ctimeMs <= endedMs
  }
  const folders = new Set<string>()
  let at = 0
  let isMine = true
  let last = '//'
  try {
    for (const paths of cache.listPaths())
      for (const path of paths) {
        const block = Math.floor(at / BLOCK)
        if (at++ % BLOCK === 0) isMine = block >= MOST_BLOCKS || Atomics.exchange(claims, block, 1) === 0
        if (!isMine) continue
        if (!isOld(path, false)) return false
        // Neighbours lie in the same folder as a rule.
        if (path.startsWith(last) && !path.includes('/', last.length)) continue
        last = path.slice(0, path.lastIndexOf('/') + 1)
        for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder)
      }
  } finally {
    cache.close()
  }
  return [...folders].every((folder) => isOld(folder, true))
}

if (!isMainThread) parentPort?.postMessage(compare(workerData.written, workerData.claims))
