// Runs a callback when a signal is aborted, even if it already was.
import { inBackground } from './background.ts'

/** Runs the work when the signal is aborted; at once when it was before, because a listener added then is never called. */
export function whenAborted(signal: AbortSignal, work: () => unknown): void {
  const end = () => inBackground('A step of stopping', work)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
}
