// Logs each request as a line, without its query, tokens or content.
import { write, writeSync } from 'node:fs'
import {
  formatLine,
  logAudit,
  redactSecrets,
  requestNow,
  type Sender,
  senderFields,
  type Trace,
  traceFields,
} from '../../../log.ts'

/** Maximum number of buffered characters. If the log's reader is too slow, further lines are dropped, and the log reports how many. */
const MAX_WAITING = 1_000_000
const RETRY_MS = 100
/** How long lines are buffered before they are written, because a write costs more than buffering many lines. */
const GATHER_MS = 50

/** A request that was completed or whose client disconnected. */
export interface AnsweredRequest {
  method: string
  /** The URL as sent, with its query. */
  path: string
  status: number
  ms: number
  /** The number of bytes sent, including headers. */
  bytes: number
  /** The Cache-Control of the response, or null. */
  cache: string | null
  id: string
  sender: Sender
  trace?: Trace | undefined
}

/** A log whose lines are written without waiting for its reader. */
export type LineWriter = ReturnType<typeof writeLines>

/** Formats a request as a line that ends with a line feed. docs/running.md section 6 */
export function formatRequest(answered: AnsweredRequest, now: Date): string {
  const { method, path, status, bytes, cache, id, sender } = answered
  const ms = Math.round(answered.ms * 10) / 10
  const bare = redactSecrets(path)
  const line = {
    method,
    path: bare,
    status,
    ms,
    bytes,
    cache,
    request_id: id,
    ...senderFields(sender),
    ...traceFields(answered.trace),
  }
  return `${formatLine({ level: 'info', event: 'request', ...line }, now)}\n`
}

/** The parameters of a read that say which version was read. */
const VERSION_PARAMETERS = ['version', 'label'] as const

/** Audits what a reader of a private hub has read. */
export function auditRead({ method, path, status, id, sender, trace }: AnsweredRequest): void {
  const { address: _, ...who } = sender
  const bare = redactSecrets(path)
  const isRead = method === 'GET' || method === 'HEAD' || bare === '/mcp'
  if (!isRead || status >= 400 || Object.keys(who).length === 0) return
  const query = new URLSearchParams(/\?([^#]*)/.exec(path)?.[1])
  const which = VERSION_PARAMETERS.flatMap((name) => {
    const value = query.get(name)
    return value !== null && /^[\w.-]{1,64}$/.test(value) ? [[name, value]] : []
  })
  const what = { path: bare, ...Object.fromEntries(which), status }
  requestNow.run({ request_id: id, path, sender, trace }, () => logAudit('read', what))
}

/** Writes lines to a file descriptor. A full pipe delays the log, but never a request. */
export function writeLines(descriptor = 1) {
  let waiting = ''
  /** What is being written. */
  let chunk: Uint8Array = new Uint8Array()
  let dropped = 0
  /** Whether lines are being buffered or written. */
  let isBusy = false
  const flush = () => {
    if (chunk.length === 0) [chunk, waiting] = [Buffer.from(waiting), '']
    write(descriptor, chunk, (error, written) => {
      const isFull = error?.code === 'EAGAIN'
      // If the log's reader has exited, logging stops, but requests are still served.
      chunk = chunk.subarray(isFull ? 0 : error ? chunk.length : written)
      isBusy = chunk.length > 0 || (!error && waiting !== '')
      if (isBusy) setTimeout(flush, isFull ? RETRY_MS : chunk.length > 0 ? 0 : GATHER_MS)
    })
  }
  process.once('exit', () => {
    try {
      writeSync(descriptor, waiting)
    } catch {
      // The log cannot be written, so there is nowhere to report it.
    }
  })
  return {
    write(line: string): void {
      if (waiting.length + line.length > MAX_WAITING) {
        dropped += 1
        return
      }
      if (dropped > 0)
        waiting += `${formatLine({ level: 'warning', event: 'log_lines_lost', message: 'Log lines were lost.', dropped })}\n`
      dropped = 0
      waiting += line
      if (!isBusy) setTimeout(flush, GATHER_MS)
      isBusy = true
    },
  }
}
