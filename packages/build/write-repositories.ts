// Writes the data files of a new site's repositories in two threads, because a build spends most of its time in the kernel, creating files.
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Models } from '../../src/domain/content/models.ts'
import { checkRepository, NO_NEIGHBOURS } from '../../src/domain/content/rules.ts'
import { readRepository } from '../stores/content/content-dir.ts'
import { type ListedFile, stampFiles } from '../stores/content/content-listing.ts'
import { openBundles } from '../stores/content/version-files.ts'
import { filesInto } from '../stores/content/write-files.ts'
import type { StoredRepository } from './data-sink.ts'
import { makeRepository } from './make-repository.ts'

/** Repositories per step (about 50 ms). */
const BLOCK = 50
/** Minimum number of remaining repositories for a second thread to repay its startup time. */
const MIN_FOR_THREAD = 1_000

/** The work that both threads share. */
interface Share {
  contentDir: string
  /** The hub's base URL, without a trailing slash. */
  baseUrl: string
  siteDir: string
  /** The repositories to write, with their files and their download counts as JSON. */
  repositories: { fullName: string; files: ListedFile[]; stats: string }[]
  /** What is announced about models. */
  models: Models
  /** The number of repositories that both threads have started so far. */
  taken: Int32Array<SharedArrayBuffer>
}

type Rows = [name: string, part: StoredRepository][]

/**
 * Writes the repositories that are valid regardless of the others.
 *
 * @param memory resolves when there is enough memory for a second thread
 * @param onProgress called with the number of repositories started so far @returns the stored data of each written repository, for `openSiteData`
 */
export async function writeRepositories(
  share: Share,
  memory: Promise<unknown>,
  onProgress: (done: number, total: number) => void,
): Promise<Rows> {
  const total = share.repositories.length
  const helpers: Promise<Rows>[] = []
  const start = () => {
    if (total - share.taken[0]! >= MIN_FOR_THREAD) helpers.push(startHelper(share))
  }
  // If `memory` rejects, the caller, which also awaits it, reports the error.
  memory.then(start, () => {})
  const rows: Rows = []
  for (const block of takeBlocks(share)) {
    rows.push(...block)
    onProgress(Math.min(share.taken[0]!, total), total)
    await nextTurn()
  }
  return [...rows, ...(await Promise.all(helpers)).flat()]
}

async function startHelper(share: Share): Promise<Rows> {
  const worker = new Worker(new URL(import.meta.url), { workerData: share })
  const [rows] = await once(worker, 'message')
  await worker.terminate()
  return rows
}

function* takeBlocks({ contentDir, baseUrl, siteDir, repositories, models, taken }: Share): Generator<Rows> {
  const put = filesInto(siteDir)
  const readFile = openBundles(contentDir)
  for (;;) {
    const from = Atomics.add(taken, 0, BLOCK)
    if (from >= repositories.length) return
    const rows: Rows = []
    for (const { fullName, files, stats } of repositories.slice(from, from + BLOCK)) {
      const { entry, isThere, problems } = readRepository(contentDir, fullName, files)
      if (!isThere || problems.length > 0 || checkRepository(entry, NO_NEIGHBOURS).length > 0) continue
      const made = makeRepository(entry, { baseUrl, stats, models, readFile })
      for (const [path, text] of made.files) put(path, text)
      for (const [path, bytesOf] of made.bundles) put(path, bytesOf())
      rows.push([`${fullName}/`, { marks: stampFiles(files), ...made.part }])
    }
    yield rows
  }
}

if (!isMainThread && workerData?.taken) parentPort?.postMessage([...takeBlocks(workerData)].flat())
