// Owns which shape of index can be read, and what an opened one says of its prompts by their numbers: how they are shown, where they stand in each order, and their terms in a row.
import type { DatabaseSync } from 'node:sqlite'
import { addressesBelow } from '../domain/api/record-links.ts'
import type { Sort } from '../domain/api/routes.ts'
import type { RepositorySummary } from '../domain/api/schema.ts'

/** Raised when terms, strengths, equivalents or tables change their form: an index of another shape is built anew and not edited. */
export const INDEX_SHAPE = 8

/** Prompts in one order. */
interface Order {
  /** From the number of a prompt to its place, from 1; 0 for numbers that no prompt has. */
  places: Uint32Array
  /** From a place to the number of a prompt. */
  numbers: Uint32Array
}

/** Makes a function that reads an order of an index, each when it is first asked for. @param state the index's table of that name */
export function orderReader(state: ReadonlyMap<string, unknown>): (sort: Sort) => Order {
  const known = new Map<Sort, Order>()
  return (sort) => {
    const order = known.get(sort) ?? readOrder(state.get(sort))
    known.set(sort, order)
    return order
  }
}

function readOrder(bytes: unknown): Order {
  const places = new Uint32Array((bytes instanceof Uint8Array ? bytes : new Uint8Array()).slice().buffer)
  let last = 0
  for (let id = 1; id < places.length; id++) last = Math.max(last, places[id]!)
  const numbers = new Uint32Array(last + 1)
  for (let id = 1; id < places.length; id++) if (places[id]! > 0) numbers[places[id]!] = id
  return { places, numbers }
}

/** Makes a function that reads the summary of a prompt by its number. @param state the index's table of that name */
export function summaryReader(
  database: DatabaseSync,
  state: ReadonlyMap<string, unknown>,
): (id: number) => RepositorySummary {
  const statement = database.prepare('SELECT owner, name, summary FROM prompts WHERE id = ?')
  const fields: string[] = JSON.parse(String(state.get('fields')))
  const addresses = addressesBelow(String(state.get('base_url')))
  return (id) => {
    const row = statement.get(id)
    const [owner, name] = [String(row?.owner), String(row?.name)]
    const values: unknown[] = JSON.parse(String(row?.summary))
    const summary: Record<string, unknown> = { owner, name, full_name: `${owner}/${name}` }
    for (const [index, field] of fields.entries()) summary[field] = values[index]
    return Object.assign(summary, addresses.repository(owner, name)) as unknown as RepositorySummary
  }
}

/** Makes a function that reads the terms of a prompt, by its number, in the order of its words: their numbers without those of stop words, each field ended by a zero, as `encodeNumbers` wrote them. */
export function textReader(database: DatabaseSync): (id: number) => Uint8Array {
  const statement = database.prepare('SELECT terms FROM texts WHERE id = ?')
  return (id) => {
    const terms = statement.get(id)?.terms
    return terms instanceof Uint8Array ? terms : new Uint8Array()
  }
}

/** Whether numbers stand in a row among others. @param row at least one; both as `encodeNumbers` wrote them */
export function holdsRow(numbers: Uint8Array, row: Uint8Array): boolean {
  const bytes = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.length)
  for (let at = bytes.indexOf(row); at >= 0; at = bytes.indexOf(row, at + 1)) {
    // When the byte before says that its number goes on, what was found begins in the middle of that number.
    if (at === 0 || bytes[at - 1]! < 128) return true
  }
  return false
}
