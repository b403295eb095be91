// The thread that parses prompts while others derive their data. It ends when all are parsed, or when one cannot be read.
import { workerData } from 'node:worker_threads'
import { readRepository } from '../../content/content-dir.ts'
import { NO_FILES, sizeOf } from '../../content/content-listing.ts'
import { openObjects } from '../../content/content-reader.ts'
import { createGit } from '../../git/git-command.ts'
import type { ParsedBatch, ParseTask } from './builds/parse-ahead.ts'
import { lowerPriority } from './thread-priority.ts'

/** What is sent at once: a message for each prompt would take longer. */
const BATCH_BYTES = 524_288
const BATCH_PROMPTS = 50

const { git, prompts, port, counts, maxWaiting }: ParseTask = workerData

lowerPriority()
const parts = prompts.map(([fullName, files]) => [fullName, { ...NO_FILES, files }] as const)
const reader = openObjects(createGit(git.folder, process.env, git.own), { others: NO_FILES, prompts: new Map(parts) })
reader.expect?.(prompts.flatMap(([, files]) => files.map(({ path }) => path)))
let batch: ParsedBatch = []
let bytes = 0
try {
  for (const [fullName, files] of prompts) {
    batch.push([fullName, readRepository(reader, fullName, files)])
    bytes += sizeOf(files)
    if (bytes > BATCH_BYTES || batch.length >= BATCH_PROMPTS) send()
  }
  send()
} finally {
  port.close()
  count()
}

function send(): void {
  waitForRoom()
  port.postMessage(batch)
  batch = []
  bytes = 0
  count()
}

function count(): void {
  Atomics.add(counts, 0, 1)
  Atomics.notify(counts, 0)
}

function waitForRoom(): void {
  for (;;) {
    const taken = Atomics.load(counts, 1)
    if (counts[0]! - taken < maxWaiting) return
    Atomics.wait(counts, 1, taken)
  }
}
