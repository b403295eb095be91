// Owns work that nobody waits for: whatever becomes of it, somebody hears of a failure, and the process goes on.

/** Does work whose end nobody waits for. @param what its name in the log when it fails, such as `Closing the stores` */
export function inBackground(what: string, work: () => unknown): void {
  Promise.try(work).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
    console.error(JSON.stringify({ level: 'error', message: `${what} failed.`, cause }))
  })
}
