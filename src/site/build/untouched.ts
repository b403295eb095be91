// Owns telling whether a folder holds the very files that were written there, in a thread of its own: with hundreds of thousands of files, it takes seconds.
import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
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

/** Settles with whether a folder holds what was written: nothing more, nothing less, nothing changed since. */
export function isUntouched(written: Written): Promise<boolean> {
  const worker = new Worker(new URL(import.meta.url), { workerData: written })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

/** Compares the times of files and folders. A folder's own time changes with whatever is put into it, taken out or renamed there, so no folder needs to be listed. */
function compare({ dir, cachePath, codes, endedMs }: Written): boolean {
  const cache = openBuildCache(cachePath, codes)
  const isOld = (path: string, isFolder: boolean) => {
    const stats = lstatSync(join(dir, path), { throwIfNoEntry: false })
    return stats !== undefined && stats.isDirectory() === isFolder && stats.ctimeMs <= endedMs
  }
  const folders = new Set<string>()
  for (const path of cache.listPaths()) {
    if (!isOld(path, false)) return false
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder)
  }
  cache.close()
  return [...folders].every((folder) => isOld(folder, true))
}

if (!isMainThread) parentPort?.postMessage(compare(workerData))
