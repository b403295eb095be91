// Runs work in the background: failures are logged, and the process continues.
import { logProblem } from '../../../log.ts'

/** Runs work that nothing waits for. @param what the name of the work, logged if it fails, such as `Closing the stores` */
export function inBackground(what: string, work: () => unknown): void {
  Promise.try(work).catch((error: unknown) => {
    logProblem('error', 'background_failed', `${what} failed.`, { cause: error })
  })
}

/** Runs the callback when the signal aborts, or immediately if it already has, because listeners added later are never called. */
export function onAbort(signal: AbortSignal, work: () => unknown): void {
  const end = () => inBackground('A shutdown step', work)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
}
