// Owns doing something when a signal is given, also when it was given before anybody asked.
import { inBackground } from './background.ts'

/** Does the work at once when the signal was given already: a listener added afterwards would never hear of it. */
export function whenAborted(signal: AbortSignal, work: () => unknown): void {
  const end = () => inBackground('A step of stopping', work)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
}
