// Detects when a long-running command should stop.

/** How often to check whether the parent process has exited. */
const LOOK_MS = 250

/**
 * Runs the work once: on SIGINT (Ctrl-C), on SIGTERM, or when the shell between npm and this process has exited. npm sends signals only to that shell, which exits without notifying its child process (measured with npm 11 and dash).
 *
 * @param work receives a signal that aborts when somebody is waiting: at once for SIGINT, otherwise when another signal arrives
 */
export function onShutdown(work: (hurry: AbortSignal) => unknown): void {
  const parent = process.ppid
  // Only under npm, because a command that was deliberately moved to the background outlives its shell.
  const look =
    process.env.npm_lifecycle_event === undefined
      ? undefined
      : setInterval(() => process.ppid !== parent && end(), LOOK_MS).unref()
  const hurry = new AbortController()
  let isStopping = false
  const end = (name?: NodeJS.Signals) => {
    if (isStopping || name === 'SIGINT') hurry.abort()
    if (isStopping) return
    isStopping = true
    clearInterval(look)
    work(hurry.signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
}
