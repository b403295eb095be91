// Defines the messages between the server and its builder, and the delay before either of them retries after a failure.

/** What the builder is started with. */
export interface BuilderParameters {
  /** The folder of the site's data. */
  dir: string
  /** The content folder: either the configured folder, or that of the clone, which has commits alone. */
  contentDir: string
  /** The last result of the clock that orders publishes and builds. */
  lastOrder: BigInt64Array<SharedArrayBuffer>
}

/** Messages from the builder to the server. */
export type BuilderMessage =
  /** A new build is complete, and is the newest in the database. */
  | { kind: 'built' }
  /** The builder is about to read the content. */
  | { kind: 'begin' }
  /** The content was read; lists all of its problems. */
  | { kind: 'read'; began: string; problems: string[]; ignored: string | undefined }
  /** Nothing was built. `next` says what happens now; without any build to serve, the server ends instead. */
  | { kind: 'failed'; message: string; next: string }
  /** The operating system does not report changes, so the content is polled. */
  | { kind: 'polling'; reason: string }
  /** Progress of a build step; `total` is 0 if its length is unknown. */
  | { kind: 'progress'; step: string; done: number; total: number }
  /** The content has changed, and a round that includes the change will follow. */
  | { kind: 'changed' }
  /** Sent regularly, so that the server notices a builder that no longer runs. */
  | { kind: 'alive' }
  /** The reply to `ask`; null if there is no such file. */
  | { kind: 'early'; id: number; bytes: Uint8Array<ArrayBuffer> | null }

/** Messages from the server to the builder. */
export type HostMessage =
  /** The commit to serve has changed. */
  | { kind: 'moved' }
  /** The database of the builds is damaged, so that everything must be built again. */
  | { kind: 'damaged' }
  /** A repository was written on this server. This is sent even if the operating system also reports the file change, and before the write gets its place in the order of publishes and builds. */
  | { kind: 'written'; fullName: string }
  /** A file of a prompt is asked for before the first build is complete. */
  | { kind: 'ask'; id: number; fullName: string; path: string }

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

/** Returns the delay before the next attempt. @param failures the number of consecutive failures before the latest failure */
export function pauseAfter(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS)
}
