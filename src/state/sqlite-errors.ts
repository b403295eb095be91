// Explains the errors of SQLite: which of them another attempt resolves, and what operators can do about the others.
import { StateProblem } from './state-entries.ts'

/** SQLITE_BUSY: another connection holds the lock. https://www.sqlite.org/rescode.html */
export const BUSY = 5
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED: readonly (number | undefined)[] = [11, 26]
const [READ_ONLY, FULL, CANNOT_OPEN] = [8, 13, 14]

/** Returns the primary result code of an error of SQLite, which is the low byte of its extended result code. */
export function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
}

/** Returns whether a file is damaged, so that it cannot be used again. */
export const isDamage = (error: unknown): boolean => DAMAGED.includes(codeOf(error))

/** Returns whether a table is missing; SQLite has no code for this. */
export const isMissingTable = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('no such table')

/** Describes an error of the state file for operators, with the fix. @param name the file's name */
export function explainSqlite(error: unknown, name: string): StateProblem {
  if (error instanceof StateProblem) return error
  const [code, message] = [codeOf(error), error instanceof Error ? error.message : String(error)]
  return new StateProblem(`${name} ${fixFor(code, message)}`, { cause: error })
}

function fixFor(code: number | undefined, message: string): string {
  if (DAMAGED.includes(code))
    return `is damaged (${message}). Stop the hub, restore the file from a backup or move it away, and start the hub again. Without a backup, users sign in again and create new tokens.`
  if (code === FULL) return 'cannot be written, because the disk is full. Free some space. The hub continues by itself.'
  if (code === READ_ONLY || code === CANNOT_OPEN || code === undefined)
    return `cannot be opened or written (${message}). Make the user that runs the hub the owner of the file and its folder, and start the hub again.`
  if (code === BUSY) return 'was locked by another process for too long. Stop programs that keep it open.'
  return `cannot be used (${message}). The hub tries again with every request.`
}
