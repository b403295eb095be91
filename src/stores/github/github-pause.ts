// Remembers until when GitHub asked for a pause: calls made meanwhile would be refused, and would make the pause longer.

/** A pause that GitHub may have asked for. */
interface Pause {
  /** Notes that GitHub asked for so many seconds; of several pauses the last to end counts. */
  begin(seconds: number): void
  /** Whole seconds until a call may be made; 0 when it may be made now. */
  leftSeconds(): number
}

/** The longest pause that is believed: GitHub's limits begin anew each hour. */
const MAX_PAUSE_MS = 3_600_000

/** Makes a pause that has not begun. @param now a clock that only goes forward, in milliseconds */
export function createPause(now: () => number = () => performance.now()): Pause {
  let endsMs = 0
  return {
    begin(seconds) {
      endsMs = Math.max(endsMs, now() + Math.min(seconds * 1000, MAX_PAUSE_MS))
    },
    leftSeconds: () => Math.max(0, Math.ceil((endsMs - now()) / 1000)),
  }
}
