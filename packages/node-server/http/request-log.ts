// Logs each request as a line of JSON, without its query, tokens or content.
import { write, writeSync } from 'node:fs'
import { redactSecrets } from '../../../src/ports/log.ts'
import type { AnsweredRequest } from './http-server.ts'

/** Maximum number of buffered characters. If the log's reader is too slow, further lines are dropped, and the log reports how many. */
const MAX_WAITING = 1_000_000
const RETRY_MS = 100
/** How long lines are buffered before they are written, because a write costs more than buffering many lines. */
const GATHER_MS = 50

/** A log whose lines are written without waiting for its reader. */
export type LineWriter = ReturnType<typeof writeLines>

/** Formats a request as a line of JSON that ends with a line feed. docs/running.md section 6 */
export function formatRequest({ method, path, status, ms, bytes, cache, id }: AnsweredRequest, now: Date): string {
  return `${JSON.stringify({
    time: now.toISOString(),
    level: 'info',
    method,
    path: redactSecrets(path),
    status,
    ms: Math.round(ms * 10) / 10,
    bytes,
    cache,
    request_id: id,
  })}\n`
}

/** Writes lines to a file descriptor. A full pipe delays the log, but never a request. */
export function writeLines(descriptor = 1) {
  let waiting = ''
  let dropped = 0
  /** Whether lines are being buffered or written. */
  let isBusy = false
  const writeSoon = () => {
    if (isBusy || waiting === '') return
    isBusy = true
    setTimeout(writeGathered, GATHER_MS)
  }
  const writeGathered = () => {
    const chunk = Buffer.from(waiting)
    waiting = ''
    writeWhole(chunk)
  }
  const writeWhole = (chunk: Buffer) =>
    write(descriptor, chunk, (error, written) => {
      // If the log's reader has exited, logging stops, but requests are still served.
      if (error && error.code !== 'EAGAIN') isBusy = false
      else if (error || written < chunk.length)
        setTimeout(() => writeWhole(chunk.subarray(error ? 0 : written)), error ? RETRY_MS : 0)
      else {
        isBusy = false
        writeSoon()
      }
    })
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
      if (dropped > 0) waiting += `${JSON.stringify({ level: 'warning', message: 'Log lines were lost.', dropped })}\n`
      dropped = 0
      waiting += line
      writeSoon()
    },
  }
}
