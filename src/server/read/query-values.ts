// Owns how a single value of a query is taken, and how a wrong one is repeated in a message.
import { printable } from '../../domain/content/printable.ts'

/** Of a repeated parameter the last counts; an empty one counts as left out. */
export function lastOf(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1) || undefined
}

/** A value as a message repeats it. */
export function quote(value: string): string {
  return JSON.stringify(printable(value))
}
