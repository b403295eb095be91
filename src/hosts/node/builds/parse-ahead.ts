// Parses prompts in a thread of its own while the data of others is derived: for the first build, which reads everything.
import { availableParallelism } from 'node:os'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { ParsedAhead, PromptFiles } from '../../../build/make-in-order.ts'
import type { readRepository } from '../../../content/content-dir.ts'
import type { Git } from '../../../git/git-command.ts'
import { logProblem } from '../../../log.ts'
import { inBackground } from '../http/background.ts'

/** How many batches may wait, so that memory has no more than these of what is parsed. */
const MAX_WAITING = 4
/** How long to wait for a batch. Whoever derives then reads the rest, as without a thread. */
const MAX_WAIT_MS = 20_000

/** What the thread gets. */
export interface ParseTask {
  git: Git['place']
  /** By full name, in the order in which they are taken. */
  prompts: readonly PromptFiles[]
  /** Receives the batches. */
  port: MessagePort
  /** How many batches were sent, one more when the thread ends, and how many were taken. */
  counts: Int32Array
  maxWaiting: number
}

/** Some parsed prompts, by full name. */
export type ParsedBatch = (readonly [fullName: string, ReturnType<typeof readRepository>])[]

/** Fewer prompts are read sooner than a thread starts. */
const MIN_PROMPTS = 1_000

/** Parses prompts ahead if there are many, and a processor for it. */
export function parseAhead(git: Git, prompts: readonly PromptFiles[]): ParsedAhead | undefined {
  return prompts.length < MIN_PROMPTS || availableParallelism() === 1 ? undefined : startParsing(git, prompts)
}

/** The list of files takes half a megabyte for 1,000 of them; without a limit, V8 keeps twice as much that it no longer needs. @returns megabytes */
function memoryFor(prompts: readonly PromptFiles[]): number {
  const files = prompts.reduce((sum, [, { length }]) => sum + length, 0)
  return 64 + Math.ceil(files / 2_000)
}

/** Starts to parse prompts whose files are objects of `git`. */
export function startParsing({ place }: Git, prompts: readonly PromptFiles[]): ParsedAhead {
  const { port1, port2 } = new MessageChannel()
  const counts = new Int32Array(new SharedArrayBuffer(8))
  const task: ParseTask = { git: place, prompts, port: port2, counts, maxWaiting: MAX_WAITING }
  const thread = new Worker(new URL('../parse-thread.ts', import.meta.url), {
    workerData: task,
    transferList: [port2],
    resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: memoryFor(prompts) },
  })
  thread.on('error', (cause) =>
    logProblem('warning', 'thread_failed', 'The thread that parses prompts failed. They are parsed without it.', {
      cause,
    }),
  )
  thread.unref()
  let batch: ReadonlyMap<string, ParsedBatch[number][1]> = new Map()
  return {
    take(fullName) {
      while (!batch.has(fullName)) {
        const taken = counts[1]!
        if (Atomics.load(counts, 0) === taken && Atomics.wait(counts, 0, taken, MAX_WAIT_MS) === 'timed-out')
          return undefined
        const received = receiveMessageOnPort(port1)
        if (!received) return undefined
        batch = new Map(received.message as ParsedBatch)
        Atomics.add(counts, 1, 1)
        Atomics.notify(counts, 1)
      }
      return batch.get(fullName)
    },
    end() {
      port1.close()
      inBackground('Ending the thread that parses prompts', () => thread.terminate())
    },
  }
}
