// The port to the state store, which keeps what git does not: tokens, sessions, sign-ins, used CI tokens, fresh copies and shared limits. It never decides a version's number.
import { HubError } from '../domain/api/errors.ts'

/** A value as it was read. */
interface StateValue {
  value: string
  /** Changes with every write of the key; `replace` compares it. */
  version: string
}

/** How long a value is kept. */
export interface Lifetime {
  /** Milliseconds since 1970. From then on the key reads as absent, and the next sweep removes it. Left out, the value is kept until it is deleted. */
  expiresAt?: number
}

/** A part of a list. */
interface StatePage {
  /** In the order of their bytes. May name keys that have expired but are not removed yet. */
  keys: string[]
  /** Where the next page begins; undefined on the last one. */
  next: string | undefined
}

/**
 * Small texts by key.
 *
 * Keys have 1 to 512 characters of `A-Z a-z 0-9 . _ : / -`, and no key is another key followed by `/…`, because one driver may keep keys as paths.
 * Values are texts without NUL. Every function throws HubError `unavailable` when the store does not answer in time.
 */
export interface StateStore {
  /** Reads the newest value. @returns undefined when there is none, or when it has expired */
  get(key: string): Promise<StateValue | undefined>
  /** Writes a value, whatever was there. When it returns, the value survives a crash. */
  set(key: string, value: string, lifetime?: Lifetime): Promise<void>
  /**
   * Writes a value where there is none, or where it has expired.
   *
   * @returns whether this call wrote it. Of many calls at once one gets true; Netlify Blobs does not guarantee that within the time of one write
   *   (docs/notes/github.md section 10), so whoever needs one winner there reads again
   */
  add(key: string, value: string, lifetime?: Lifetime): Promise<boolean>
  /** Writes a value if the key still has the version that was read. @returns whether it did; false also when the key was deleted or has expired */
  replace(key: string, value: string, version: string, lifetime?: Lifetime): Promise<boolean>
  /** Removes a key; nothing there is fine. */
  delete(key: string): Promise<void>
  /** Lists the keys that begin with a prefix, a page at a time. @param after `next` of the page before */
  list(prefix: string, after?: string): Promise<StatePage>
  /** Removes what has expired. @returns how many keys */
  removeExpired(): Promise<number>
  /** Tells every process that subscribed to this store, this one too. Only where the engine can; else changes are found by polling. */
  notify?(topic: string): Promise<void>
  /** Calls a listener for each notice, and with undefined when notices may have been lost. @returns stops it */
  subscribe?(listener: (topic: string | undefined) => void): () => void
}

/** A state store that must be closed. */
export interface OpenStateStore extends StateStore {
  close(): Promise<void>
}

/** Lists every key that begins with a prefix. */
export async function* listKeys(state: Pick<StateStore, 'list'>, prefix: string): AsyncGenerator<string> {
  let after: string | undefined
  do {
    const page = await state.list(prefix, after)
    yield* page.keys
    after = page.next
  } while (after !== undefined)
}

/** @throws Error for a key or a value that not every driver can keep: a mistake of the program, never of a client */
export function checkEntry(key: string, value = ''): void {
  if (!/^[A-Za-z0-9._:/-]{1,512}$/.test(key) || value.includes('\0'))
    throw new Error('expected a key of the state store and a text without NUL')
}

/** The error of a store that does not answer, or cannot write. */
export function refuseState(cause: unknown): HubError {
  return new HubError('unavailable', 'The hub’s store cannot be reached. Try again in a few seconds.', {
    cause,
    retryAfterSeconds: 5,
  })
}
