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
    return cause instanceof Error
      ? { cause: String(cause.message), stack: String(cause.stack) }
      : { cause: String(cause) }
  } catch {
    // Logging must never throw, no matter what was thrown.
    return { cause: 'a value without a text representation' }
  }
}

/** Describes an error on one line for the operator: its message and, unlike for clients, the message of its cause, such as git's own. */
export function describeError(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const cause = describeReason(thrown)
  return cause === '' ? message : `${message} (${cause})`
}

/** Returns the message of an error's cause on one line; empty if there is none. */
export function describeReason(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause instanceof Error ? cause.message.replaceAll(/\s+/g, ' ').trim() : ''
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
