// Runs a callback when a signal aborts, even if it has already aborted.
import { inBackground } from './background.ts'

/** Runs the callback when the signal aborts, or immediately if it already has, because listeners added later are never called. */
export function onAbort(signal: AbortSignal, work: () => unknown): void {
  const end = () => inBackground('A shutdown step', work)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
}
