// Runs a callback when a signal is aborted, even if it already was.
import { inBackground } from './background.ts'

/** Runs the callback when the signal aborts, or at once if it already has, because listeners added later are never called. */
export function whenAborted(signal: AbortSignal, work: () => unknown): void {
  const end = () => inBackground('A step of stopping', work)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
}
