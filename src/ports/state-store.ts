// The port for the state store, which contains the data that is not in git: tokens, sessions, sign-ins, used CI tokens, fresh copies and shared limits. It never decides version numbers.
import { HubError } from '../domain/api/errors.ts'

interface StateValue {
  value: string
  /** Changes every time the key is written; compared by `replace`. */
  version: string
}

/** How long a value is kept. */
export interface Lifetime {
  /** Milliseconds since 1970. After this time, the key counts as missing, and the next sweep removes it. By default, the value is kept until it is deleted. */
  expiresAt?: number
}

interface StatePage {
  /** Sorted by bytes. May include expired keys that have not been removed yet. */
  keys: string[]
  /** Where the next page starts; undefined on the last page. */
  next: string | undefined
}

/**
 * Small strings by key. Keys are 1 to 512 characters long and use only `A-Z a-z 0-9 . _ : / -`. No key is another key followed by `/…`, because a driver may store keys as paths. Values are strings without null characters. Every function throws HubError `unavailable` when the store does not respond in time.
 */
export interface StateStore {
  /** Reads the newest value. @returns undefined if the key is missing or has expired */
  get(key: string): Promise<StateValue | undefined>
  /** Writes a value, replacing any existing value. When it returns, the value survives a crash. */
  set(key: string, value: string, lifetime?: Lifetime): Promise<void>
  /**
   * Writes a value if the key is missing or has expired.
   *
   * @returns whether this call wrote the value. Of several concurrent calls, exactly one returns true. Netlify Blobs does not guarantee this within the time of one write (docs/notes/github.md section 10), so a caller that needs a single winner reads the value again
   */
  add(key: string, value: string, lifetime?: Lifetime): Promise<boolean>
  /** Writes a value if the key still has the version that was read. @returns whether the value was written; false also when the key was deleted or has expired */
  replace(key: string, value: string, version: string, lifetime?: Lifetime): Promise<boolean>
  /** Removes a key; a missing key is not an error. */
  delete(key: string): Promise<void>
  /** Lists the keys with a prefix, one page at a time. @param after `next` of the previous page */
  list(prefix: string, after?: string): Promise<StatePage>
  /** Removes expired entries. @returns the number of removed keys */
  removeExpired(): Promise<number>
}

/** A state store that must be closed. */
export interface OpenStateStore extends StateStore {
  /** Checks that entries can be read and written. @throws HubError `unavailable`; `describeStateProblem` has the reason */
  check(): Promise<void>
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
