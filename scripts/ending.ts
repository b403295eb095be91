// Detects that a long-running command should stop.

/** How quickly the end of the parent process is noticed. */
const LOOK_MS = 250

/**
 * Runs the work once, on SIGINT, on SIGTERM, or when the shell between npm and this process is gone: npm sends a signal only to that shell, which ends without notifying its child (measured with npm 11 and dash).
 */
export function whenAsked(work: () => unknown): void {
  const parent = process.ppid
  // Only under npm: a command put into the background on purpose outlives its shell.
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
