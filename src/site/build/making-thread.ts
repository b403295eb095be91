// Owns a thread that makes groups of files: it loads the pages' bundle, and then takes batches of repositories one after the other.
import { parentPort, workerData } from 'node:worker_threads'
import { type CatalogueEntry, keepEntry } from '../../domain/catalogue/entry.ts'
import { readKeptContent } from '../../stores/build-cache.ts'
import { unitOf } from '../../stores/content-cache.ts'
import { storeRepository } from '../../stores/kept-repository.ts'
import { filesInto } from '../../stores/write-files.ts'
import { setCatalogue } from './loaded-catalogue.ts'
import { type Batch, makeBatch, type ThreadMessage, type ThreadStart, type ToldRepository } from './making-threads.ts'
import { loadPages } from './render-pages.ts'
import { cataloguePart } from './repository-groups.ts'

const { bundle, dir, surroundings, cachePath }: ThreadStart = workerData
const say = (message: ThreadMessage) => parentPort?.postMessage(message)
const put = filesInto(dir)
setCatalogue(cataloguePart([], surroundings))
const pages = await loadPages(bundle)
let last = Promise.resolve()

const read = readKeptContent(cachePath)

function open(told: ToldRepository): CatalogueEntry {
  if (!('kept' in told)) return told
  const { entry } = storeRepository(told, () => read(unitOf(told.kept.outline.summary.full_name)))
  const { stats } = told.kept.outline.summary
  return keepEntry(entry, { baseUrl: surroundings.baseUrl, stats, broken: [] })
}

async function take({ repositories, tasks }: Batch): Promise<void> {
  try {
    const catalogue = cataloguePart(repositories.map(open), surroundings)
    setCatalogue(catalogue)
    say({ kind: 'made', groups: await makeBatch({ tasks }, catalogue, pages, put) })
  } catch (error) {
    say({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}

parentPort?.on('message', (batch: Batch) => {
  last = last.then(() => take(batch))
})
say({ kind: 'ready' })
