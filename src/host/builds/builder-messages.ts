// What our host and the process that builds for it tell each other.
import type { ChangedPaths } from '../../stores/content/content-clone.ts'
import type { SiteState } from './site-folder.ts'

/** What the host is told. */
export type BuilderMessage =
  /** There is a new state. */
  | { kind: 'state'; state: SiteState }
  /** It is about to read the content, and waits until the host says what is there. */
  | { kind: 'begin' }
  /** The content was read, and this is all that is wrong with it. */
  | { kind: 'read'; began: string; problems: string[]; ignored: string | undefined }
  | { kind: 'failed'; message: string }
  /** The system does not tell of changes; they are looked for again and again. */
  | { kind: 'polling'; reason: string }
  /** How far it is; `total` is 0 for a step that cannot be counted. */
  | { kind: 'progress'; step: string; done: number; total: number }

/** What the host says. */
export type HostMessage =
  /** The answer to `begin`. */
  | { kind: 'ready'; isWhole: boolean; changed: ChangedPaths }
  /** The content cannot be read now; the round fails and is tried again. */
  | { kind: 'unready'; message: string }
  /** The content changed; the answer to the next `begin` says where. */
  | { kind: 'moved' }
  /** Something was published here, whatever the system tells of files. */
  | { kind: 'published'; fullName: string }
