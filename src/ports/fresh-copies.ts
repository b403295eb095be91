// The port of fresh copies: the records of a repository that a publish stores until a build includes them. Also the rule for when a copy expires.
import type { Activity, Repository, VersionRecord, VersionSummary } from '../domain/api/schema.ts'

/** The publish that created a copy. */
export interface CopyOrigin {
  /** The commit that the publish made, in hex. */
  commit: string
  /** When the copy was stored, after that commit; UTC. */
  kept_at: string
}

/** A repository as of its last publish. */
export interface FreshCopy extends CopyOrigin {
  /** The full repository record. */
  repository: Repository
  /** Its versions, highest first. */
  versions: VersionSummary[]
  /** Changes since the last build, newest first. */
  activity: Activity[]
}

/** A version as published. */
export interface KeptVersion extends CopyOrigin {
  version: VersionRecord
}

/** What a build has read of the content; copies of it no longer count. */
export interface BuildSource {
  /** Everything stored before this moment was included in the build, or had been removed; null when that is unknown. */
  read_until: string | null
  /** Commits that the build includes although they may be newer than that moment. */
  commits: string[]
  /** `owner/name` or `owner` of broken parts that kept their previous state, so that their copies still count. */
  broken: string[]
}

/** Before any build, or when it is unknown what a build has read. */
export const UNKNOWN_SOURCE: BuildSource = { read_until: null, commits: [], broken: [] }

/** Maximum lifetime of a copy, even without a new build. */
export const COPY_MS = 24 * 60 * 60 * 1000

/** Whether a copy is ahead of the build and therefore counts: the build does not include its commit. docs/contract.md section 4 */
export function isAhead({ commit, kept_at }: CopyOrigin, owner: string, name: string, source: BuildSource): boolean {
  const keptMs = Date.parse(kept_at)
  if (!(Date.now() - keptMs < COPY_MS)) return false
  if (source.broken.includes(`${owner}/${name}`) || source.broken.includes(owner)) return true
  return !source.commits.includes(commit) && !(source.read_until !== null && keptMs < Date.parse(source.read_until))
}

/** Stores copies, whether they count or not. */
export interface CopyStore {
  /** The copy of a repository, or undefined. */
  find(owner: string, name: string): Promise<FreshCopy | undefined>
  /** The copy of a version, or undefined. */
  findVersion(owner: string, name: string, version: string): Promise<KeptVersion | undefined>
  /** Stores a version that no build includes yet. */
  keepVersion(kept: KeptVersion): Promise<void>
  /** Stores a copy; all its new versions were stored before. */
  keep(copy: FreshCopy): Promise<void>
}

/** The copies that count. If the store fails, reads fall back to the built files, and publishes to git. */
export interface FreshCopies extends Omit<CopyStore, 'findVersion'> {
  /** A version that was published since the last build, or undefined. */
  findVersion(owner: string, name: string, version: string): Promise<VersionRecord | undefined>
}

/** The copies of a store that are ahead of a build. @param sourceOf what the build has read; called only when there is a copy */
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
