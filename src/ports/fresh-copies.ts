// The port of fresh copies, the records of a repository that a publish keeps until a build has them; and the rule by which a copy stops counting.
import type { Activity, Repository, VersionRecord, VersionSummary } from '../domain/api/schema.ts'

/** The publish that a copy was kept for. */
export interface CopyOrigin {
  /** The commit that the publish made, in hex. */
  commit: string
  /** When the copy was kept, after that commit: a moment in UTC. */
  kept_at: string
}

/** A repository as the publish that changed it last left it. */
export interface FreshCopy extends CopyOrigin {
  /** The repository in full. */
  repository: Repository
  /** Its versions, highest first. */
  versions: VersionSummary[]
  /** What was changed since the last build, newest first. */
  activity: Activity[]
}

/** A version as a publish left it. */
export interface KeptVersion extends CopyOrigin {
  version: VersionRecord
}

/** What a build has read of the content, so that copies of it no longer count. */
export interface BuildSource {
  /** What was kept before this moment was in the content, or had been removed, when the build read it; null when that cannot be told. */
  read_until: string | null
  /** Commits that the build has read although they may not be older than that moment. */
  commits: string[]
  /** `owner/name` or `owner` of what is broken and was left as it was before, so that its copies count on. */
  broken: string[]
}

/** Before any build, or where it cannot be told what a build has read. */
export const UNKNOWN_SOURCE: BuildSource = { read_until: null, commits: [], broken: [] }

/** A copy counts for this long at most, also when no build comes. */
export const COPY_MS = 24 * 60 * 60 * 1000

/** Whether a copy is ahead of the build, and therefore counts: the build has not read its commit. docs/contract.md section 4 */
export function isAhead({ commit, kept_at }: CopyOrigin, owner: string, name: string, source: BuildSource): boolean {
  const keptMs = Date.parse(kept_at)
  if (!(Date.now() - keptMs < COPY_MS)) return false
  if (source.broken.includes(`${owner}/${name}`) || source.broken.includes(owner)) return true
  return !source.commits.includes(commit) && !(source.read_until !== null && keptMs < Date.parse(source.read_until))
}

/** Where copies lie, whether they count or not. */
export interface CopyStore {
  /** The copy of a repository, or undefined. */
  find(owner: string, name: string): Promise<FreshCopy | undefined>
  /** The copy of a version, or undefined. */
  findVersion(owner: string, name: string, version: string): Promise<KeptVersion | undefined>
  /** Keeps a version that no build has yet. */
  keepVersion(kept: KeptVersion): Promise<void>
  /** Keeps a copy; all its new versions were kept before. */
  keep(copy: FreshCopy): Promise<void>
}

/** The copies that count. When the store fails, reading goes on with the built files, and publishing with git. */
export interface FreshCopies extends Omit<CopyStore, 'findVersion'> {
  /** A version that was published since the last build, or undefined. */
  findVersion(owner: string, name: string, version: string): Promise<VersionRecord | undefined>
}

/** The copies of a store that are ahead of a build. @param sourceOf what the build has read; asked only when there is a copy */
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
