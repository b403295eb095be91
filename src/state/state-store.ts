// The interface of the state store, which contains the data that is not in git: tokens, sessions, sign-ins, used CI tokens, fresh copies and shared limits. It never decides version numbers.
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
   * @returns whether this call wrote the value. Of several concurrent calls, exactly one returns true. Netlify Blobs does not guarantee this within the time of one write (docs/notes/netlify.md section 8), so a caller that needs a single winner reads the value again
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
