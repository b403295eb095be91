// Writes errors to the log as one line of JSON, and turns unexpected errors into a safe error for clients.
import { HubError } from '../domain/api/errors.ts'

/**
 * Logs one line to standard error.
 *
 * @param message a sentence of ours; what came from outside belongs into `details`
 * @param cause what was thrown, if anything was
 */
export function logTrouble(
  level: 'warning' | 'error',
  message: string,
  { cause, ...details }: Record<string, unknown> = {},
): void {
  console.error(JSON.stringify({ level, message, ...details, ...describeCause(cause) }))
}

function describeCause(cause: unknown): { cause?: string; stack?: string } {
  if (cause === undefined) return {}
  try {
    return cause instanceof Error
      ? { cause: String(cause.message), stack: String(cause.stack) }
      : { cause: String(cause) }
  } catch {
    // Whatever was thrown, telling about it must not throw in turn.
    return { cause: 'a value that has no text' }
  }
}

/** Turns whatever was thrown into an error for clients; what is not theirs to know is logged and left out. */
export function toHubError(thrown: unknown): HubError {
  if (thrown instanceof HubError && thrown.cause === undefined) return thrown
  const error =
    thrown instanceof HubError
      ? thrown
      : new HubError('internal_error', 'Something went wrong on the hub. Try again later.', { cause: thrown })
  const { code, message, cause } = error
  logTrouble('error', message, { code, cause })
  return error
}
