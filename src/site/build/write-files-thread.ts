// Owns the thread that writes files while another makes them: it takes batches, and says when each is on the disk.
import { parentPort, workerData } from 'node:worker_threads'
import { filesInto } from './files-into.ts'
import type { SiteFile } from './site-writer.ts'

const put = filesInto(String(workerData))
parentPort?.on('message', (batch: readonly SiteFile[]) => {
  try {
    for (const [path, content] of batch) put(path, content)
    parentPort?.postMessage({ written: batch.length })
  } catch (error) {
    parentPort?.postMessage({ failure: error instanceof Error ? error.message : String(error) })
  }
})
