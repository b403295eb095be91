// Logs errors as single lines of JSON, and converts unexpected errors into errors that are safe for clients.
import { AsyncLocalStorage } from 'node:async_hooks'
import { HubError } from './domain/api/errors.ts'

/** A request, as it appears in log lines. */
interface LoggedRequest {
  request_id: string
  /** The URL as sent; secrets in it are never logged. */
  path: string
}

const requests = new AsyncLocalStorage<LoggedRequest>()
const MAX_PATH = 500

/** Runs work for a request: lines that it logs name the request. */
export function runForRequest<Value>(request: LoggedRequest, work: () => Value): Value {
  return requests.run(request, work)
}

/** Returns a path that is safe to log: without its query, which may contain a key or search words, and without tokens put there by mistake. */
export function redactSecrets(path: string): string {
  return path
    .slice(0, MAX_PATH)
    .replace(/[?#].*$/s, '')
    .replace(/\bhub_[0-9A-Za-z]{6,}/g, 'hub_…')
    .replace(/\b(gh[opsur]_|github_pat_)\w{6,}/g, '$1…')
    .replace(/\beyJ[\w-]{10,}(?:\.[\w-]*)*/g, 'eyJ…')
}

/**
 * Logs one line to standard error, with the time and, during a request, its ID and path.
 *
 * @param message a constant text; external data belongs in `details`
 * @param cause the thrown value, if any
 */
export function logProblem(
  level: 'warning' | 'error',
  message: string,
  { cause, ...details }: Record<string, unknown> = {},
): void {
  const request = requests.getStore()
  const where = request && { request_id: request.request_id, path: redactSecrets(request.path) }
  console.error(
    JSON.stringify({ time: new Date().toISOString(), level, message, ...details, ...where, ...describeCause(cause) }),
  )
}

/** What happened to people, tokens and rights; docs/running.md section 6 lists the details of each. */
export type AuditEvent =
  | 'sign_in'
  | 'sign_in_refused'
  | 'sign_out'
  | 'token_created'
  | 'token_first_used'
  | 'token_revoked'
  | 'person_signed_out'
  | 'person_blocked'
  | 'person_unblocked'
  | 'person_forgotten'
  | 'owner_changed'

/**
 * Logs who did something that an operator may have to explain later: one line of JSON on standard error.
 *
 * @param details never a secret; JSON escapes line breaks, so no text can begin another line
 */
export function logAudit(event: AuditEvent, details: Readonly<Record<string, unknown>>): void {
  const request_id = requests.getStore()?.request_id
  console.error(JSON.stringify({ time: new Date().toISOString(), level: 'audit', event, ...details, request_id }))
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

/** Describes any thrown value on one line for the operator: its message and, unlike for clients, the messages of its causes, such as git's own. Never throws. */
export function describeError(thrown: unknown): string {
  return describeCause(thrown).cause ?? 'undefined'
}

/** Returns the messages of an error's causes on one line; empty if there is none. */
export function describeReason(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause instanceof Error ? joinCauses(cause).replaceAll(/\s+/g, ' ').trim() : ''
}

/** Returns an error's message with those of its causes that it does not quote, because the first cause often has the details. */
function joinCauses(error: Error): string {
  const reason = describeReason(error)
  const message = String(error.message)
  return message.includes(reason) ? message : `${message} (${reason})`
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
