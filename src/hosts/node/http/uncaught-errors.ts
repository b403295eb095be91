// Keeps the process alive after an uncaught error: the error is logged, and other requests are still served.
import { logProblem } from '../../../log.ts'

/**
 * Logs uncaught errors and rejections instead of exiting. Call this once the server is listening, because an earlier error should end the process.
 */
export function logUncaughtErrors(): void {
  // If the log's reader has exited, a write fails with EPIPE. If that error were not caught, logging it would fail again, in an endless loop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // Node reports rejections here too, because nothing listens for `unhandledRejection`.
  process.on('uncaughtException', (cause, origin) =>
    logProblem('error', 'uncaught_error', 'This error was not caught. The hub keeps running.', { origin, cause }),
  )
}
