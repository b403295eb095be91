// Keeps the process alive when an error of one request reaches no handler: the error is logged, and everybody else is still served.
import { logTrouble } from '../../ports/log.ts'

/**
 * Logs errors that nobody caught, rejections included, instead of ending the process. Call it once the server listens: an error before that
 * belongs to the start and ends it.
 */
export function surviveUncaughtErrors(): void {
  // When the reader of the log is gone, a write fails with EPIPE. Uncaught, that error would be logged, which fails again: one processor would be busy for ever.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // Node reports rejections here too, because nothing listens to `unhandledRejection`.
  process.on('uncaughtException', (cause, origin) =>
    logTrouble('error', 'Nobody caught this error. The hub keeps running.', { origin, cause }),
  )
}
