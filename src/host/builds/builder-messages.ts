// Messages between the server and its build process.
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

/** Messages from the server. */
export type HostMessage =
  /** The reply to `begin`. */
  | { kind: 'ready'; isWhole: boolean; changed: ChangedPaths }
  /** The content cannot be read now; this round fails and is retried. */
  | { kind: 'unready'; message: string }
  /** The content changed; the reply to the next `begin` lists the changes. */
  | { kind: 'moved' }
  /** A version was published on this server; sent even if the system reports the file change. */
  | { kind: 'published'; fullName: string }
