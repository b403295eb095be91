// The port of the blob store, which holds tokens, sessions and fresh copies. It never decides version numbers.

/** Small texts by key. Keys are made of checked names and digests, so they need no escaping. */
export interface BlobStore {
  /** Reads the newest text. @returns undefined when there is none. @throws HubError `unavailable` when the store does not answer in time */
  get(key: string): Promise<string | undefined>
  /** Writes a text, whatever was there. @throws HubError `unavailable` */
  set(key: string, text: string): Promise<void>
  /**
   * Writes a text where there is none.
   *
   * @returns whether this call wrote it. On our own host of two calls at once one gets true; Netlify gives no guarantee for calls within the time of
   *   one write (docs/notes/github.md section 10), so whoever needs one winner reads again
   * @throws HubError `unavailable`, also when the store does not say what it did
   */
  add(key: string, text: string): Promise<boolean>
  /** Removes a text; nothing there is fine. @throws HubError `unavailable` */
  delete(key: string): Promise<void>
  /** The keys that begin with a prefix. @throws HubError `unavailable` */
  list(prefix: string): Promise<string[]>
}
