// Writes the lines of the log, as JSON or for people, and leaves out those below the level. Audit lines may have a file of their own.
import { createHmac, randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { withoutControls } from './domain/text/printable.ts'

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
export interface LogLine {
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
export function writeLog(line: LogLine): void {
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
