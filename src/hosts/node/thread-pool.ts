// Creates pools of worker threads. The only importer of tinypool.
import { Tinypool } from 'tinypool'
import { logProblem } from '../../log.ts'

/** Opens a pool of threads that all run the same module. @param module the file name of the threads' module, in this folder */
export function openThreadPool(
  module: string,
  {
    maxThreads,
    memory,
  }: { maxThreads: number; memory: { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number } },
) {
  const pool = new Tinypool({
    filename: new URL(module, import.meta.url).href,
    minThreads: 1,
    maxThreads,
    // The pool's own limits are off: a task that it rejects leaves a listener behind that throws at the deadline, and a thread that does not stop in time causes an unhandled rejection.
    maxQueue: Number.POSITIVE_INFINITY,
    terminateTimeout: 0,
    resourceLimits: memory,
  })
  // This event is emitted if a thread fails without a task, or responds after it was stopped.
  pool.on('error', (cause) =>
    logProblem('warning', 'thread_failed', `${module}: a thread failed outside a task.`, { cause }),
  )
  /** Runs a function of the module in a thread. The signal ends the thread if the task is running. */
  const run: (task: unknown, options: { name: string; signal?: AbortSignal }) => Promise<unknown> = pool.run.bind(pool)
  return {
    run,
    /** Stops the threads; running tasks fail. */
    close(): void {
      // Not awaited, because a thread that cannot be stopped now ends with the process.
      pool.destroy().catch(() => {})
    },
  }
}
