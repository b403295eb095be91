// Logs what happens, as JSON or for people, with the request during which it happens, and converts unexpected errors into errors that are safe for clients.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { HubError } from './domain/api/errors.ts'
import { withoutControls } from './domain/text/printable.ts'

/** The place of a request in a trace: the request of a client, the log and the calls of the hub form one. https://www.w3.org/TR/trace-context/ */
export interface Trace {
  trace_id: string
  /** The hub's own part of the trace. */
  span_id: string
  flags: string
  /** What the systems before the hub wrote for themselves; passed on unread. */
  state?: string | undefined
}

/** A later version may add fields at the end. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/
/** The longest header that is read, and the longest that systems must pass on. */
const MAX_CHARACTERS = 512

/** Joins the trace of a request. @returns undefined without a valid `traceparent`, so that only traced requests take part */
export function joinTrace(traceparent: unknown, tracestate: unknown): Trace | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > MAX_CHARACTERS) return undefined
  const [, version, trace_id, flags, more] = TRACEPARENT.exec(traceparent) ?? []
  if (trace_id === undefined || flags === undefined || (version === '00' && more !== undefined)) return undefined
  const hasState = typeof tracestate === 'string' && /^[\x20-\x7e]{1,512}$/.test(tracestate)
  return { trace_id, span_id: randomBytes(8).toString('hex'), flags, state: hasState ? tracestate : undefined }
}

/** Returns the `traceparent` of a call that the hub makes. */
export function traceparentOf({ trace_id, span_id, flags }: Trace): string {
  return `00-${trace_id}-${span_id}-${flags}`
}

/** Returns the headers of a call that the hub makes. */
export function traceHeaders(trace: Trace): Record<string, string> {
  return { traceparent: traceparentOf(trace), ...(trace.state !== undefined && { tracestate: trace.state }) }
}

/** A request, as it appears in log lines. */
interface LoggedRequest {
  request_id: string
  /** The URL as sent; secrets in it are never logged. */
  path: string
  /** Who sent it, as far as that is known by now. */
  sender: Sender
  trace?: Trace | undefined
}

/** Who sent a request: the client's IP address, and the ID of what it was sent with. */
export interface Sender {
  address?: string | undefined
  token_id?: string
  session?: string
  /** The workflow of a CI job, and the ID of its run. */
  workflow?: string
  run_id?: string
  /** The login that a proxy or an access token named. */
  named?: string
}

/** The request that is being answered: lines that are logged meanwhile name it. */
export const requestNow = new AsyncLocalStorage<LoggedRequest>()
const MAX_PATH = 500

/** Notes who sends the request that is being answered. */
export function noteSender(sender: Sender): void {
  Object.assign(requestNow.getStore()?.sender ?? {}, sender)
}

/** Returns the fields of a log line that name a sender. */
export function senderFields({ address, ...rest }: Sender): Sender {
  return { address: address === undefined ? undefined : nameAddress(address), ...rest }
}

/** Returns who sends the request that is being answered. */
export const senderNow = (): Sender => requestNow.getStore()?.sender ?? {}

/** Returns the trace of the request that is being answered. */
export const traceNow = (): Trace | undefined => requestNow.getStore()?.trace

/** Returns the fields of a log line that name a trace; empty without one. */
export function traceFields(trace: Trace | undefined): { trace_id?: string; span_id?: string } {
  return trace ? { trace_id: trace.trace_id, span_id: trace.span_id } : {}
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
 * Logs what does not work, with the request during which that was found.
 *
 * @param event a constant name, by which programs find the line
 * @param message a constant text; external data belongs in `details`
 * @param cause the thrown value, if any
 */
export function logProblem(
  level: 'warning' | 'error',
  event: string,
  message: string,
  { cause, ...details }: Record<string, unknown> = {},
): void {
  const request = requestNow.getStore()
  const where = request && {
    request_id: request.request_id,
    path: redactSecrets(request.path),
    ...senderFields(request.sender),
    ...traceFields(request.trace),
  }
  writeLog({ level, event, message, ...details, ...where, ...describeCause(cause) })
}

/** Logs what happens as it should. @param event a constant name @param message a sentence for people */
export function logInfo(event: string, message: string, details: Readonly<Record<string, unknown>> = {}): void {
  writeLog({ level: 'info', event, message, ...details })
}

/** What happened to people, tokens and rights; docs/running.md section 6 lists the details of each. */
export type AuditEvent =
  | 'sign_in'
  | 'sign_in_refused'
  | 'sign_out'
  | 'token_created'
  | 'token_first_used'
  | 'token_revoked'
  | 'person_invited'
  | 'device_link_created'
  | 'person_signed_out'
  | 'person_blocked'
  | 'person_unblocked'
  | 'person_forgotten'
  | 'owner_changed'
  | 'webhook_set'
  | 'webhook_removed'
  | 'token_refused'
  | 'read'

/**
 * Logs who did something that an operator may have to explain later, whatever the level of the log.
 *
 * @param details never a secret
 */
export function logAudit(event: AuditEvent, details: Readonly<Record<string, unknown>>): void {
  const request = requestNow.getStore()
  writeLog({
    level: 'audit',
    event,
    ...(request && senderFields(request.sender)),
    ...details,
    request_id: request?.request_id,
    ...traceFields(request?.trace),
  })
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
  logProblem('error', 'request_failed', message, { code, cause })
  return error
}

/** The levels, from the most to the least important. Audit lines have no level: they are always written. */
const LEVELS = ['error', 'warning', 'info'] as const
type Level = (typeof LEVELS)[number]

/** What is written, and how. */
export interface LogSettings {
  level: Level
  /** If undefined, text on a terminal, otherwise JSON. */
  format: 'json' | 'text' | undefined
  /** How lines name the client's IP address. */
  address: 'plain' | 'hash' | 'none'
  /** The key of these hashes; if undefined, they are another after each start. */
  addressKey: string | undefined
  /** The file for audit lines; if undefined, they are in the log. */
  auditFile: string | undefined
}

/** One line, in this order. */
interface LogLine {
  level: Level | 'audit'
  /** What happened, as a constant name. */
  event: string
  message?: string | undefined
  [detail: string]: unknown
}

const DEFAULTS: LogSettings = {
  level: 'info',
  format: undefined,
  address: 'plain',
  addressKey: undefined,
  auditFile: undefined,
}

let settings = DEFAULTS
let key: string | Buffer = randomBytes(32)

/** Sets what is written from now on, in this thread. @throws Error if the file for audit lines cannot be written */
export function setLog(given: LogSettings): void {
  settings = given
  key = given.addressKey ?? key
  if (given.auditFile === undefined) return
  try {
    appendToAudit(given.auditFile, '')
  } catch (cause) {
    throw new Error(`AUDIT_LOG cannot be written: ${(cause as Error).message}. Choose a file in a writable folder.`)
  }
}

/** Returns whether lines of a level are written. */
export const isLogged = (level: Level): boolean => LEVELS.indexOf(level) <= LEVELS.indexOf(settings.level)

/** Returns the client's IP address as lines name it. */
export function nameAddress(address: string): string | undefined {
  if (settings.address === 'none') return undefined
  return settings.address === 'plain' ? address : createHmac('sha256', key).update(address).digest('hex').slice(0, 16)
}

/** Writes a line: to standard output if it only informs, otherwise to standard error. */
function writeLog(line: LogLine): void {
  const { level } = line
  if (level === 'audit') {
    writeAudit(line)
    return
  }
  if (!isLogged(level)) return
  const text = formatLine(line)
  // These are the streams that a test or a host may replace.
  if (level === 'info') console.log(text)
  else console.error(text)
}

function writeAudit(line: LogLine): void {
  if (settings.auditFile !== undefined) {
    try {
      appendToAudit(settings.auditFile, `${formatJson(line, new Date())}\n`)
      return
    } catch (error) {
      writeLog({ level: 'error', event: 'audit_log_failed', message: `AUDIT_LOG cannot be written: ${error}` })
    }
  }
  console.error(formatLine(line))
}

/** Opened for each line, so that a program may move the file away and another process may write to it. */
function appendToAudit(file: string, text: string): void {
  appendFileSync(file, text, { mode: 0o600 })
}

/** Returns a line in the format of the settings, without a line feed. */
export function formatLine(line: LogLine, now = new Date()): string {
  const format = settings.format ?? (process.stdout.isTTY ? 'text' : 'json')
  return format === 'json' ? formatJson(line, now) : formatText(line)
}

/** JSON escapes line breaks, so no text can begin another line. */
function formatJson({ level, event, ...details }: LogLine, now: Date): string {
  return JSON.stringify({ time: now.toISOString(), level, event, ...details })
}

function formatText({ level, event, message, stack: _, ...details }: LogLine): string {
  const values = Object.entries(details).flatMap(([name, value]) =>
    value === undefined || value === null
      ? []
      : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
  const start = level === 'info' ? '' : `${level}: `
  const rest = level === 'info' && message !== undefined ? '' : values.map((value) => ` ${value}`).join('')
  return `${start}${message ?? event}${rest}`.split('\n').map(withoutControls).join('\n')
}
