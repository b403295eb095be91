// Owns the port to the blob store, which keeps what git does not: tokens, sessions and fresh copies. It never decides a version's number.

/** Small texts by key. Keys are made of checked names and digests, so they need no escaping. */
export interface BlobStore {
  /** Reads the newest text. @returns undefined when there is none. @throws HubError `unavailable` when the store does not answer in time */
  get(key: string): Promise<string | undefined>
  /** Writes a text, whatever was there. @throws HubError `unavailable` */
  set(key: string, text: string): Promise<void>
  /** Removes a text; nothing there is fine. @throws HubError `unavailable` */
  delete(key: string): Promise<void>
  /** The keys that begin with a prefix. @throws HubError `unavailable` */
  list(prefix: string): Promise<string[]>
}
