// Defines the messages between the server and its build process, and the delay before either retries what failed.
import type { ChangedPaths } from '../../stores/content/content-clone.ts'
import type { SiteState } from './site-folder.ts'

/** Messages to the server. */
export type BuilderMessage =
  /** A new state is complete. */
  | { kind: 'state'; state: SiteState }
  /** About to read the content; waits for the server's `ready` or `unready`. */
  | { kind: 'begin' }
  /** The content was read; these are all its problems. */
  | { kind: 'read'; began: string; problems: string[]; ignored: string | undefined }
  | { kind: 'failed'; message: string }
  /** The system does not report changes, so the content is polled. */
  | { kind: 'polling'; reason: string }
  /** Progress; `total` is 0 if the step has no known length. */
  | { kind: 'progress'; step: string; done: number; total: number }

/** The content when a round may begin to read it. */
export interface ReadyContent {
  /** Whether the folder contains everything published so far. */
  isWhole: boolean
  /** What may have changed in addition to the files that a watcher reports. */
  changed: ChangedPaths
}

/** Messages from the server. */
export type HostMessage =
  /** The reply to `begin`. */
  | ({ kind: 'ready' } & ReadyContent)
  /** The content cannot be read now; this round fails and is retried. */
  | { kind: 'unready'; message: string }
  /** The content changed; the reply to the next `begin` lists the changes. */
  | { kind: 'moved' }
  /** A version was published on this server; sent even if the system reports the file change. */
  | { kind: 'published'; fullName: string }

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

/** Returns the delay before the next attempt. @param failures the number of failures in a row before the last one */
export function pauseAfter(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS)
}
