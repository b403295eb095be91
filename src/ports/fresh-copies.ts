// Owns the port of fresh copies: the records of a repository that a publish keeps until a build has them.
import type { Repository, VersionRecord, VersionSummary } from '../domain/api/schema.ts'

/** A repository as the publish that changed it last left it. */
export interface FreshCopy {
  /** The repository in full. */
  repository: Repository
  /** Its versions, highest first. */
  versions: VersionSummary[]
  /** SHA-256 of the built record that the first publish since that build found, or null when there was none. */
  based_on: string | null
  /** When it was kept: a moment in UTC. */
  kept_at: string
}

/** Where copies are kept. When the store fails, reading goes on with the built files, and publishing with git. */
export interface FreshCopies {
  /** The copy of a repository, or undefined. */
  find(owner: string, name: string): Promise<FreshCopy | undefined>
  /** A version that was published since the last build, or undefined. */
  findVersion(owner: string, name: string, version: string): Promise<VersionRecord | undefined>
  /** Keeps a version that no build has yet. */
  keepVersion(version: VersionRecord): Promise<void>
  /** Keeps a copy; all its new versions were kept before. */
  keep(copy: FreshCopy): Promise<void>
}
