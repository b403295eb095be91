// Owns reading a content folder of which nothing is kept yet on every core, into the cache: whoever reads it next finds nearly all of it there.
import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Tinypool } from 'tinypool'
import { fullNameOf, type KeptContent, type UnitRow } from '../../stores/content-cache.ts'
import { groupFiles, readUsage } from '../../stores/content-dir.ts'
import type { ContentListing, ListedFile } from '../../stores/content-listing.ts'
import { type Chunk, type ChunkGiven, readChunk } from './read-chunk.ts'

/** Below so many repositories, a thread would not earn what it takes to start: a quarter of a second. */
const FEWEST = 1_000
/** How many repositories are read at once: some 40 ms, after which the threads are heard. */
const CHUNK = 50
/** A repository with more bytes is left to whoever reads the folder next, for a thread would have all of it in memory twice. */
const MOST_BYTES = 8_000_000
/** Each thread takes some 100 MB. */
const MOST_THREADS = 3

/**
 * Reads ahead. What cannot be kept without looking at other repositories, or because something is wrong with it, is left to whoever reads the folder next.
 *
 * @param threads how many help; one for each further core when left out
 * @param onProgress told how many repositories were read
 * @returns how many files were
 */
export async function readAhead(
  folder: Omit<ChunkGiven, 'usage'>,
  { files }: ContentListing,
  cache: KeptContent,
  onProgress: (done: number, total: number) => void,
  threads = Math.min(availableParallelism() - 1, MOST_THREADS),
): Promise<number> {
  const { alone, below } = groupFiles(files)
  if (!cache.isEmpty() || below.size < FEWEST || threads === 0) return 0
  const given: ChunkGiven = { ...folder, usage: readUsage(folder.contentDir, alone) }
  const isLong = (listed: readonly ListedFile[]) => listed.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES
  const names = [...below].flatMap(([name, listed]) => (isLong(listed) ? [] : [name]))
  let [next, done, filesRead] = [0, 0, 0]
  const takeChunks = async (read: (chunk: Chunk) => Promise<UnitRow[]>) => {
    while (next < names.length) {
      const some = names.slice(next, next + CHUNK)
      next += CHUNK
      const rows = await read(some.map((name) => [name, below.get(name)!]))
      cache.fill(rows)
      for (const { name } of rows) filesRead += below.get(fullNameOf(name))!.length
      done += some.length
      onProgress(done, names.length)
    }
  }
  const pool = new Tinypool({
    filename: new URL('reading-thread.ts', import.meta.url).href,
    ...{ workerData: given, minThreads: threads, maxThreads: threads },
  })
  try {
    const others = Array.from({ length: 2 * threads }, () => takeChunks((chunk) => pool.run(chunk, { name: 'read' })))
    const own = takeChunks(async (chunk) => {
      await nextTurn()
      return readChunk(chunk, given)
    })
    await Promise.all([own, ...others])
    return filesRead
  } finally {
    await pool.destroy()
  }
}
