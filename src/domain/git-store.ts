// Owns the port to git, the only source of truth: read one repository's folder at the head, and commit additions on exactly that head.

/** One commit that published a version of this repository, as its trailers tell. */
export interface PublishMark {
  /** The commit, 40 hex digits. */
  sha: string
  /** Address of the commit for people, or null where there is none. */
  url: string | null
  /** The trailers of the message, by name, read as whole lines: `Operation-Id`, `Idempotency-Key`, `Request-Digest`, `Published-By`. */
  trailers: ReadonlyMap<string, string>
  /** The headline, which we write ourselves: `Publish {owner}/{name} {version}`. */
  headline: string
}

/** One repository's folder, everything read under one commit. */
export interface FolderState {
  /** The commit all of this was read at, and the only one that additions may be committed on. */
  head: string
  /** Version number → id of the blob that holds its file. */
  versions: ReadonlyMap<string, string>
  /** The text of `content/{owner}/{name}/index.md`, or undefined when there is none. */
  index: string | undefined
  /** The text of `content/{owner}/index.md`, or undefined when there is none. */
  ownerIndex: string | undefined
  /** Publishes of this repository, newest first; empty unless asked for. */
  publishes: readonly PublishMark[]
}

/** What to read. */
export interface FolderQuestion {
  owner: string
  name: string
  /** Whether to look for publishes in the history, the last 100 of them; with `since`, only those after it. */
  publishes?: { since?: Date }
}

/** What to commit: files below `content/{owner}/{name}/` alone. There is no verb that deletes, and none that names another head. */
export interface Additions {
  owner: string
  name: string
  /** The commit that must still be the head. */
  head: string
  /** Headline and trailers; nothing in them comes from a user's text. */
  message: { headline: string; trailers: readonly (readonly [name: string, value: string])[] }
  /** The new version's file; refused when the folder has it already. */
  version: { version: string; text: string } | undefined
  /** The new text of `index.md`, when it changes. */
  index: string | undefined
}

/** What became of a commit. Only a store that knows may say `committed` or `moved`; everything else is `unknown`, and git is asked. */
export type CommitOutcome =
  | { kind: 'committed'; sha: string; url: string | null }
  /** The head was another one; nothing was written. */
  | { kind: 'moved' }
  /** Nothing was written, and it makes sense to try again after this many seconds. */
  | { kind: 'busy'; retryAfterSeconds: number }
  /** It may have been written or not: an answer was lost, or made no sense. */
  | { kind: 'unknown'; cause: unknown }

/** How long a call may take. */
export interface CallOptions {
  /** Aborts the call; a read throws, a commit becomes `unknown` unless it is known to be unsent. */
  signal: AbortSignal
}

/** Git as publishing needs it. Every driver passes `tests/stores/git-store-contract.ts`. */
export interface GitStore {
  /**
   * Reads one repository's folder at the head of the branch.
   *
   * @throws HubError `unavailable` when git is down or busy (with `retryAfterSeconds` where the host says so), `upstream_error` when it refuses us
   */
  readFolder(question: FolderQuestion, options: CallOptions): Promise<FolderState>
  /** Reads one file's bytes by the id of its blob. @throws like `readFolder` */
  readBlob(id: string, options: CallOptions): Promise<Uint8Array<ArrayBuffer>>
  /** Commits files on exactly the given head. @throws HubError `upstream_error` when the host refuses us for good */
  commit(additions: Additions, options: CallOptions): Promise<CommitOutcome>
}
