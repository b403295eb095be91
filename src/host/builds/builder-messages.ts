// Messages between the server and its build process.
import type { ChangedPaths } from '../../stores/content/content-clone.ts'
import type { SiteState } from './site-folder.ts'

/** Messages to the server. */
export type BuilderMessage =
  /** A new state is complete. */
  | { kind: 'state'; state: SiteState }
  /** About to read the content; waits until the server says what is there. */
  | { kind: 'begin' }
  /** The content was read; these are all its problems. */
  | { kind: 'read'; began: string; problems: string[]; ignored: string | undefined }
  | { kind: 'failed'; message: string }
  /** The system does not report changes, so the content is polled. */
  | { kind: 'polling'; reason: string }
  /** Progress; `total` is 0 for a step that cannot be counted. */
  | { kind: 'progress'; step: string; done: number; total: number }

/** Messages from the server. */
export type HostMessage =
  /** The answer to `begin`. */
  | { kind: 'ready'; isWhole: boolean; changed: ChangedPaths }
  /** The content cannot be read now; this round fails and is retried. */
  | { kind: 'unready'; message: string }
  /** The content changed; the answer to the next `begin` says where. */
  | { kind: 'moved' }
  /** Something was published here, whether or not the system reports the file change. */
  | { kind: 'published'; fullName: string }
