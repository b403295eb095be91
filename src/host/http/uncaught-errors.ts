// Keeps the process alive when an error escapes every handler: it is logged, and other requests are still served.
import { logTrouble } from '../../ports/log.ts'

/**
 * Logs uncaught errors and rejections instead of ending the process. Call it once the server listens: an earlier error should end it.
 */
export function surviveUncaughtErrors(): void {
  // When the log's reader is gone, a write fails with EPIPE. Uncaught, that error would be logged, fail again, and loop forever.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // Node reports rejections here too, because nothing listens for `unhandledRejection`.
  process.on('uncaughtException', (cause, origin) =>
    logTrouble('error', 'Nobody caught this error. The hub keeps running.', { origin, cause }),
  )
}
