// The port for fresh copies: the repository records that a publish stores until a build includes them. Also defines when a copy expires.
import type { Activity, Repository, VersionRecord, VersionSummary } from '../domain/api/schema.ts'

/** The publish that created a copy. */
export interface CopyOrigin {
  /** The commit that the publish made, in hex. */
  commit: string
  /** When the copy was stored, which is after that commit; UTC. */
  kept_at: string
}

/** A repository's state after its last publish. */
export interface FreshCopy extends CopyOrigin {
  /** The full repository record. */
  repository: Repository
  /** Its versions, highest first. */
  versions: VersionSummary[]
  /** Changes since the last build, newest first. */
  activity: Activity[]
}

/** A version as published. */
export interface CopiedVersion extends CopyOrigin {
  version: VersionRecord
}

/** The content that a build has read; copies of that content no longer count. */
export interface BuildSource {
  /** Everything stored before this time was included in the build or had already been removed; null when unknown. */
  read_until: string | null
  /** Commits that the build includes even though they may be newer than that time. */
  commits: string[]
  /** Broken parts, as `owner/name` or `owner`, that kept their previous state, so their copies still count. */
  broken: string[]
}

/** The source before any build, or when it is unknown what a build has read. */
export const UNKNOWN_SOURCE: BuildSource = { read_until: null, commits: [], broken: [] }

/** Maximum lifetime of a copy, even without a new build. */
export const COPY_MS = 24 * 60 * 60 * 1000

/** Returns whether a copy is ahead of the build and therefore counts: the build does not include its commit. docs/contract.md section 4 */
export function isAhead({ commit, kept_at }: CopyOrigin, owner: string, name: string, source: BuildSource): boolean {
  const keptMs = Date.parse(kept_at)
  if (!(Date.now() - keptMs < COPY_MS)) return false
  if (source.broken.includes(`${owner}/${name}`) || source.broken.includes(owner)) return true
  return !source.commits.includes(commit) && !(source.read_until !== null && keptMs < Date.parse(source.read_until))
}

/** Stores copies, whether or not they count. */
export interface CopyStore {
  /** Finds the copy of a repository; undefined if there is none. */
  find(owner: string, name: string): Promise<FreshCopy | undefined>
  /** Finds the copy of a version; undefined if there is none. */
  findVersion(owner: string, name: string, version: string): Promise<CopiedVersion | undefined>
  /** Stores a version that no build includes yet. */
  keepVersion(kept: CopiedVersion): Promise<void>
  /** Stores a copy whose new versions have all been stored already. */
  keep(copy: FreshCopy): Promise<void>
}

/** The copies that count. If the store fails, reads fall back to the built files, and publishes to git. */
export interface FreshCopies extends Omit<CopyStore, 'findVersion'> {
  /** Finds a version published since the last build; undefined if there is none. */
  findVersion(owner: string, name: string, version: string): Promise<VersionRecord | undefined>
}

/** Limits a store to the copies that are ahead of a build. @param sourceOf returns what the build has read; called only when there is a copy */
export function copiesAhead(store: CopyStore, sourceOf: () => BuildSource | Promise<BuildSource>): FreshCopies {
  const counts = async (copy: CopyOrigin, owner: string, name: string) => isAhead(copy, owner, name, await sourceOf())
  return {
    ...store,
    async find(owner, name) {
      const copy = await store.find(owner, name)
      return copy && (await counts(copy, owner, name)) ? copy : undefined
    },
    async findVersion(owner, name, version) {
      const kept = await store.findVersion(owner, name, version)
      return kept && (await counts(kept, owner, name)) ? kept.version : undefined
    },
  }
}
