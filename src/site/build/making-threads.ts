// Owns making many groups of files on every core: other threads are handed batches of repositories, and this thread takes one itself whenever they have enough.
import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import type { CatalogueEntry, StoredFiles } from '../../domain/catalogue/entry.ts'
import { filesInto } from '../../stores/write-files.ts'
import type { PageRenderer } from './render-pages.ts'
import { describeSurroundings, makeGroup, type Surroundings } from './repository-groups.ts'
import { type NamedGroup, type NamedTask, writeGroup } from './site-writer.ts'

/** What a thread is given when it is started. */
export interface ThreadStart {
  /** The folder of the pages' bundle. */
  bundle: string
  /** Where files are written. */
  dir: string
  surroundings: Surroundings
  /** Where the files of repositories are kept. */
  cachePath: string
}

/** A repository as a thread is told of it: by what it was made of, if that is kept, so that the thread reads its files itself. */
export type ToldRepository = StoredFiles | CatalogueEntry

/** Repositories, and what is to be made of them. */
export interface Batch {
  repositories: ToldRepository[]
  tasks: NamedTask[]
}

/** What a thread says: once that it has loaded the pages, and then what it made of each batch, in their order. */
export type ThreadMessage =
  | { kind: 'ready' }
  | { kind: 'made'; groups: NamedGroup[] }
  | { kind: 'failed'; message: string }

/** How many repositories are handed over at once. While this thread makes its own batch it hands over nothing, so another may wait for as long as a batch takes. */
const BATCH_REPOSITORIES = 20
/** How many batches a thread has at a time: with others waiting, it is not idle while this thread is busy with its own. */
const BATCHES_UNDER_WAY = 4
/** Each thread holds the pages and what they need of Astro: about 100 MB. */
const MOST_THREADS = 3

/** What making needs. */
interface Making {
  /** Where files are written. */
  dir: string
  /** The one that is in place (loaded-catalogue.ts). */
  catalogue: Catalogue
  pages: PageRenderer
  /** Where the build cache lies that the catalogue was read with. */
  cachePath: string
  /** How many threads help; one for each further core when left out. */
  threads?: number
}

/**
 * Makes groups and writes their files, in this thread and, while it does, in one for each further core. A thread that cannot be started leaves its work to the others.
 *
 * @param tasks those of a repository one after the other
 * @param onMade told of each group, when its files are written
 * @param meanwhile other work of this thread, which is done first; the threads are given more only when it lets the event loop turn
 * @throws what went wrong with any group; the others may be written or not
 */
export async function makeInThreads(
  tasks: readonly NamedTask[],
  { dir, catalogue, pages, cachePath, threads: count = Math.min(availableParallelism() - 1, MOST_THREADS) }: Making,
  onMade: (made: NamedGroup) => void,
  meanwhile: () => void | Promise<void>,
): Promise<void> {
  // What is made becomes garbage at once. Without this, V8 lets it grow to three times what is in use before it looks through all of it: with 100,000 prompts, that is a gigabyte.
  // With 20, a build of 40,000 prompts takes a tenth longer.
  setFlagsFromString('--heap-growing-percent=35')
  const batches = divide(tasks, catalogue)
  const surroundings = describeSurroundings(catalogue)
  const threads = Array.from({ length: count }, () =>
    startThread({ bundle: pages.bundle, dir, surroundings, cachePath }),
  )
  let isOver = false
  const takeBatches = async (make: (batch: Batch) => Promise<readonly NamedGroup[]>) => {
    for (let next = batches.next(); !next.done && !isOver; next = batches.next())
      for (const made of await make(next.value)) onMade(made)
  }
  const others = threads.map(async (thread) => {
    if (!(await thread.isReady)) return
    await Promise.all(Array.from({ length: BATCHES_UNDER_WAY }, () => takeBatches(thread.make)))
  })
  const put = filesInto(dir)
  const makeOwn = () =>
    takeBatches(async (batch) => {
      const made = await makeBatch(batch, catalogue, pages, put)
      // Messages of the threads are heard only between two turns of the event loop.
      await nextTurn()
      return made
    })
  const own = (async () => {
    await meanwhile()
    await makeOwn()
  })()
  try {
    await Promise.all([own, ...others])
  } finally {
    isOver = true
    await Promise.all(threads.map(({ end }) => end()))
    // This thread's own batch writes into the folder until it ends, so its end is waited for.
    await own.catch(() => {})
  }
}

/** Makes a batch and writes its files. The catalogue must be in place. */
export async function makeBatch(
  { tasks }: Pick<Batch, 'tasks'>,
  catalogue: Catalogue,
  pages: PageRenderer,
  put: ReturnType<typeof filesInto>,
): Promise<NamedGroup[]> {
  const made: NamedGroup[] = []
  for (const { id, task } of tasks) made.push({ id, ...writeGroup(await makeGroup(task, catalogue, pages), put) })
  return made
}

/** Divides the work by whole repositories, whose tasks follow one another, so that none is sent twice. */
function* divide(tasks: readonly NamedTask[], { entries }: Catalogue): Generator<Batch, void> {
  let batch: Batch = { repositories: [], tasks: [] }
  let last: string | undefined
  for (const { id, task } of tasks) {
    if (task.of !== last) {
      if (batch.repositories.length === BATCH_REPOSITORIES) {
        yield batch
        batch = { repositories: [], tasks: [] }
      }
      const entry = entries.get(task.of)!
      batch.repositories.push(entry.stored ?? entry)
      last = task.of
    }
    batch.tasks.push({ id, task })
  }
  if (batch.tasks.length > 0) yield batch
}

interface MakingThread {
  /** Settles with whether it can be given work. */
  isReady: Promise<boolean>
  make(batch: Batch): Promise<NamedGroup[]>
  end(): Promise<unknown>
}

function startThread(start: ThreadStart): MakingThread {
  const worker = new Worker(new URL('making-thread.ts', import.meta.url), { workerData: start })
  const ready = Promise.withResolvers<boolean>()
  const waiting: PromiseWithResolvers<NamedGroup[]>[] = []
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure ??= error
    ready.resolve(false)
    for (const one of waiting.splice(0)) one.reject(failure)
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('A thread that makes pages ended before its work was done.')))
  worker.on('message', (message: ThreadMessage) => {
    if (message.kind === 'ready') ready.resolve(true)
    else if (message.kind === 'made') waiting.shift()?.resolve(message.groups)
    else fail(new Error(message.message))
  })
  return {
    isReady: ready.promise,
    make(batch) {
      if (failure) return Promise.reject(failure)
      const answer = Promise.withResolvers<NamedGroup[]>()
      waiting.push(answer)
      worker.postMessage(batch)
      return answer.promise
    },
    end: () => worker.terminate(),
  }
}
