// Owns doing something when a signal is given, also when it was given before anybody asked.

/** Does the work at once when the signal was given already: a listener added afterwards would never hear of it. */
export function whenAborted(signal: AbortSignal, work: () => unknown): void {
  if (signal.aborted) work()
  else signal.addEventListener('abort', () => void work(), { once: true })
}
