// Owns a thread that makes groups of files: it loads the pages' bundle, and then takes batches of repositories one after the other.
import { parentPort, workerData } from 'node:worker_threads'
import { filesInto } from '../../stores/write-files.ts'
import { setCatalogue } from './loaded-catalogue.ts'
import { type Batch, makeBatch, type ThreadMessage, type ThreadStart } from './making-threads.ts'
import { loadPages } from './render-pages.ts'
import { cataloguePart } from './repository-groups.ts'

const { bundle, dir, surroundings }: ThreadStart = workerData
const say = (message: ThreadMessage) => parentPort?.postMessage(message)
const put = filesInto(dir)
setCatalogue(cataloguePart([], surroundings))
const pages = await loadPages(bundle)
let last = Promise.resolve()

async function take({ entries, tasks }: Batch): Promise<void> {
  try {
    const catalogue = cataloguePart(entries, surroundings)
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
