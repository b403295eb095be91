// Owns putting files below a folder: one by one, or, when there are many, by a thread of its own while the next ones are made.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { SiteFile } from './site-writer.ts'

/** Fewer are written before a thread would have started. */
const FEWEST_FOR_THREAD = 2_000
const BATCH_FILES = 200
/** How many batches may wait to be written: what is made faster than it is written must not fill the memory. */
const MOST_WAITING = 8

/** Makes a function that writes files below a folder; each folder on the way is made once. */
export function filesInto(dir: string): (path: string, content: string | Uint8Array) => void {
  const made = new Set<string>()
  return (path, content) => {
    const folder = dirname(path)
    if (!made.has(folder)) {
      mkdirSync(join(dir, folder), { recursive: true })
      made.add(folder)
    }
    writeFileSync(join(dir, path), content)
  }
}

/** Takes files to be written. */
interface FileWriter {
  /** Settles when there is room for the next one. @throws what went wrong with this file or one before */
  put(path: string, content: string | Uint8Array): Promise<void>
  /** Settles when every file is written. To be called in any case. */
  end(): Promise<void>
}

/** Opens a writer of files below a folder. */
export function openFileWriter(dir: string): FileWriter {
  const putHere = filesInto(dir)
  let thread: BatchThread | undefined
  let count = 0
  let batch: SiteFile[] = []
  return {
    async put(path, content) {
      if (count++ < FEWEST_FOR_THREAD) return putHere(path, content)
      batch.push([path, content])
      if (batch.length < BATCH_FILES) return
      thread ??= startThread(dir)
      await thread.send(batch)
      batch = []
    },
    async end() {
      try {
        for (const [path, content] of batch) putHere(path, content)
      } finally {
        await thread?.end()
      }
    },
  }
}

interface BatchThread {
  send(batch: readonly SiteFile[]): Promise<void>
  end(): Promise<void>
}

function startThread(dir: string): BatchThread {
  const worker = new Worker(new URL('write-files-thread.ts', import.meta.url), { workerData: dir })
  let waiting = 0
  let failure: Error | undefined
  let wake = () => {}
  const fail = (error: Error) => {
    failure ??= error
    wake()
  }
  worker.on('error', fail)
  worker.on('message', (message: { written: number } | { failure: string }) => {
    if ('failure' in message) return fail(new Error(message.failure))
    waiting--
    wake()
  })
  const until = async (most: number) => {
    while (waiting > most && !failure) await new Promise<void>((resolve) => (wake = resolve))
    if (failure) throw failure
  }
  return {
    async send(batch) {
      waiting++
      worker.postMessage(batch)
      await until(MOST_WAITING)
    },
    async end() {
      try {
        await until(0)
      } finally {
        await worker.terminate()
      }
    },
  }
}
