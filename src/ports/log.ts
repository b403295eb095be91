// Logs errors as single lines of JSON, and converts unexpected errors into errors that are safe for clients.
import { HubError } from '../domain/api/errors.ts'

/**
 * Logs one line to standard error.
 *
 * @param message a constant text; external data belongs in `details`
 * @param cause the thrown value, if any
 */
export function logProblem(
  level: 'warning' | 'error',
  message: string,
  { cause, ...details }: Record<string, unknown> = {},
): void {
  console.error(JSON.stringify({ level, message, ...details, ...describeCause(cause) }))
}

function describeCause(cause: unknown): { cause?: string; stack?: string } {
  if (cause === undefined) return {}
  try {
    return cause instanceof Error ? { cause: joinCauses(cause), stack: String(cause.stack) } : { cause: String(cause) }
  } catch {
    // Logging must never throw, no matter what was thrown.
    return { cause: 'a value without a text representation' }
  }
}

/** Returns an error's message with those of its causes, because the first cause often has the details. */
function joinCauses({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} [cause: ${joinCauses(cause)}]` : String(message)
}

/** Returns the message of any thrown value. Never throws. */
export function describeThrown(thrown: unknown): string {
  return describeCause(thrown).cause ?? 'undefined'
}

/** Converts any thrown value into an error for clients. Internal details are logged and omitted from the error. */
export function toHubError(thrown: unknown): HubError {
  if (thrown instanceof HubError && thrown.cause === undefined) return thrown
  const error =
    thrown instanceof HubError
      ? thrown
      : new HubError('internal_error', 'Something went wrong on the hub. Try again later.', { cause: thrown })
  const { code, message, cause } = error
  logProblem('error', message, { code, cause })
  return error
}
