// What the drivers of the state store and its records share: listing, checking and parsing entries, and the errors of a store that does not respond.
import type * as z from 'zod'
import { HubError } from '../domain/api/errors.ts'
import type { StateStore } from './state-store.ts'

/** A state store that must be closed. */
export interface OpenStateStore extends StateStore {
  /** Checks that entries can be read and written. @throws HubError `unavailable`; `describeStateProblem` has the reason */
  check(): Promise<void>
  /** Reads the database's clock, in milliseconds since 1970; omitted if the state is a local file. */
  readClock?: () => Promise<number>
  close(): Promise<void>
}

/** Lists every key with a prefix. */
export async function* listKeys(state: Pick<StateStore, 'list'>, prefix: string): AsyncGenerator<string> {
  let after: string | undefined
  do {
    const page = await state.list(prefix, after)
    yield* page.keys
    after = page.next
  } while (after !== undefined)
}

/** @throws Error for a key or value that not every driver can store: a bug, never a client's mistake */
export function checkEntry(key: string, value = ''): void {
  if (!/^[A-Za-z0-9._:/-]{1,512}$/.test(key) || value.includes('\0'))
    throw new Error('expected a valid state store key and a value without NUL')
}

/** Parses a record. An invalid record counts as missing, and its key is logged. @param key named in the log, so it must not contain a secret. @returns undefined for an invalid record */
export async function parseRecord<Schema extends z.ZodType>(
  key: string,
  text: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    const { logProblem } = await import('../log.ts')
    logProblem('error', 'state_record_corrupt', `The record ${key} is corrupt and was ignored.`)
    return undefined
  }
}

/** Reads a record, with the version of its entry. @param shown the key in the log, if that of the entry is a secret @returns undefined for a missing or an invalid record */
export async function readRecord<Schema extends z.ZodType<object>>(
  state: Pick<StateStore, 'get'>,
  key: string,
  schema: Schema,
  shown = key,
): Promise<{ value: z.output<Schema>; version: string } | undefined> {
  const found = await state.get(key)
  const value = found && (await parseRecord(shown, found.value, schema))
  return value && { value, version: found.version }
}

/** A key for checks, which is written and never read. */
const CHECK_KEY = 'check/state'
const CHECK_KEPT_MS = 3_600_000

/** Writes an entry. @throws HubError `unavailable` */
export async function checkStore(state: StateStore, now: number): Promise<void> {
  await state.set(CHECK_KEY, 'x', { expiresAt: now + CHECK_KEPT_MS })
}

/** The cause of `unavailable`, as a sentence for operators that names the file or the setting and the fix, without secrets. */
export class StateProblem extends Error {}

/** Returns the sentence for operators about an error of a store. */
export function describeStateProblem(error: unknown): string {
  if (error instanceof HubError && error.cause instanceof StateProblem) return error.cause.message
  return 'The store for tokens and sessions does not respond. The log has the reason.'
}

/** Creates the error for a store that does not respond or cannot write. */
export function stateUnavailable(cause: unknown): HubError {
  return new HubError('unavailable', 'The hub’s store cannot be reached. Try again in a few seconds.', {
    cause,
    retryAfterSeconds: 5,
  })
}
