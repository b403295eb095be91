// Remembers how long GitHub has requested a pause, because calls in the meantime would be rejected and prolong it.

/** A pause requested by GitHub. */
interface Pause {
  /** Records a pause in seconds; if there are several, the one that ends last counts. */
  begin(seconds: number): void
  /** Returns the whole seconds until a call may be made; 0 if it may be made now. */
  leftSeconds(): number
}

/** Maximum accepted pause, because GitHub's limits reset every hour. */
const MAX_PAUSE_MS = 3_600_000

/** Creates an inactive pause. @param now a monotonic clock, in milliseconds */
export function createPause(now: () => number = () => performance.now()): Pause {
  let endsMs = 0
  return {
    begin(seconds) {
      endsMs = Math.max(endsMs, now() + Math.min(seconds * 1000, MAX_PAUSE_MS))
    },
    leftSeconds: () => Math.max(0, Math.ceil((endsMs - now()) / 1000)),
  }
}
