// Detects that a long-running command should stop.

/** How soon a parent that is gone is noticed. */
const LOOK_MS = 250

/**
 * Does the work once, on SIGINT, on SIGTERM, or when the shell between npm and us is gone: npm hands a signal to that shell alone, which ends
 * without a word to its child (measured with npm 11 and dash).
 */
export function whenAsked(work: () => unknown): void {
  const parent = process.ppid
  // Only under npm: a command that was put into the background on purpose outlives the shell that did so.
  const isUnderNpm = process.env.npm_lifecycle_event !== undefined
  const look = setInterval(() => isUnderNpm && process.ppid !== parent && end(), LOOK_MS)
  look.unref()
  let isAsked = false
  const end = () => {
    if (isAsked) return
    isAsked = true
    clearInterval(look)
    work()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
}
