// The interface to fresh copies: the records of a repository or owner that a write stores until a build includes them. Also decides whether a copy still counts.
import type { Activity, Repository, Result, VersionRecord, VersionSummary } from '../domain/api/schema.ts'
import type { Profile } from '../domain/catalogue/owner-records.ts'
import type { OwnerFile } from '../domain/content/prompt-file.ts'

/** The publish that created a copy. */
export interface CopyOrigin {
  /** The commit that the publish made, in hex. */
  commit: string
  /** The copy's place in the order of commits and builds, in UTC: the time of the commit by the git host's clock; if this machine is the host, the time of its order clock after the commit. */
  kept_at: string
}

/** A write to a repository or, without a name, to an owner. */
export interface WriteOrigin extends CopyOrigin {
  owner: string
  name?: string | undefined
}

/** A repository's state after its last publish. */
export interface FreshCopy extends CopyOrigin {
  /** The full repository record. */
  repository: Repository
  /** The repository's versions, highest first. */
  versions: VersionSummary[]
  /** The results of the versions for which some were recorded since the last build, and of the latest version; newest first. */
  results: Readonly<Record<string, readonly Result[]>>
  /** Changes since the last build, newest first. */
  activity: Activity[]
}

/** A published version. */
export interface CopiedVersion extends CopyOrigin {
  version: VersionRecord
}

/** What an owner's file says after its last change. */
interface OwnerCopy extends CopyOrigin, Pick<OwnerFile, 'members'> {
  handle: string
  profile: Profile
}

/** The files and attestations of a published version. */
interface CopiedFiles extends CopyOrigin {
  owner: string
  name: string
  version: string
  files: { path: string; base64: string }[]
  /** The text of each of its attestations. */
  attestations: string[]
}

/** What a build has read; copies of that content no longer count. */
export interface BuildSource {
  /** Everything committed before this time is in the build or had been removed by then, by the clock of `kept_at`; null if unknown. */
  read_until: string | null
  /** Commits that the build, or one before it, has read, although they may be newer than `read_until`. */
  commits: string[]
  /** Invalid repositories (`owner/name`) and owners (`owner`), which the build left at their previous version, so their copies still count. */
  broken: string[]
}

/** The source if there is no build yet, or if it is unknown what the build has read. */
export const UNKNOWN_SOURCE: BuildSource = { read_until: null, commits: [], broken: [] }

/** Maximum lifetime of a copy, even without a new build. The store and the caches in memory each enforce it. */
export const COPY_MS = 24 * 60 * 60 * 1000

/** Returns whether a copy is ahead of the build and therefore counts: the build does not include its commit. This machine's clock does not matter, because it may be wrong. docs/contract.md section 4 */
export function isAhead(
  { commit, kept_at }: CopyOrigin,
  owner: string,
  name: string | undefined,
  source: BuildSource,
): boolean {
  if (source.broken.includes(owner) || (name !== undefined && source.broken.includes(`${owner}/${name}`))) return true
  return (
    !source.commits.includes(commit) &&
    !(source.read_until !== null && Date.parse(kept_at) < Date.parse(source.read_until))
  )
}

/**
 * Opens a clock that orders the publishes and builds of one server, even if the machine's clock is set back.
 *
 * @param now the machine's clock, in milliseconds since 1970
 * @param last the last result, which the clocks of several threads share
 */
export function openOrderClock(
  now: () => number = Date.now,
  last: BigInt64Array<SharedArrayBuffer> = new BigInt64Array(new SharedArrayBuffer(8)),
) {
  return {
    last,
    /** Returns the time in milliseconds since 1970, or a later time if that is needed to follow all earlier results and the given time. */
    next(after?: string | null): number {
      for (;;) {
        const before = Atomics.load(last, 0)
        const mine = Math.max(now(), Number(before) + 1, after ? Date.parse(after) + 1 : 0)
        if (Atomics.compareExchange(last, 0, before, BigInt(mine)) === before) return mine
      }
    },
  }
}

/** The kinds of copies, with the names by which each is found. */
export interface CopyKinds {
  repositories: { names: [owner: string, name: string]; copy: FreshCopy }
  versions: { names: [owner: string, name: string, version: string]; copy: CopiedVersion }
  files: { names: [owner: string, name: string, version: string]; copy: CopiedFiles }
  owners: { names: [handle: string]; copy: OwnerCopy }
}

/** The name of a kind. */
export type CopyKind = keyof CopyKinds

/** Stores copies. If the store fails, reads fall back to the built files, and publishes to git. */
export interface FreshCopies {
  /** What there is a copy of, if this process alone stores some: as long as that is nothing, a read asks for none. */
  held?: ReadonlySet<string>
  /** Finds a copy; undefined if there is none. */
  find<Kind extends CopyKind>(
    kind: Kind,
    ...names: CopyKinds[Kind]['names']
  ): Promise<CopyKinds[Kind]['copy'] | undefined>
  /** Lists the names of an owner's repositories that have a copy, whether or not it counts. */
  listNames(owner: string): Promise<string[]>
  /** Stores a copy: files before their version, and versions before the repository that lists them. @throws if files cannot be stored */
  keep<Kind extends CopyKind>(kind: Kind, copy: CopyKinds[Kind]['copy']): Promise<void>
}

/** Limits a store to the copies that are ahead of a build. A copy that the store cannot read now counts as missing. @param sourceOf returns what the build has read; called only when there is a copy */
export function copiesAhead(store: FreshCopies, sourceOf: () => BuildSource | Promise<BuildSource>): FreshCopies {
  return {
    ...store,
    async find(kind, ...names) {
      const copy = await store.find(kind, ...names).catch(noteFailure)
      const [owner, name] = names
      return copy && isAhead(copy, owner, name, await sourceOf()) ? copy : undefined
    },
  }
}

/** Imported when the first problem occurs, because most reads and publishes cause none. */
async function noteFailure(cause: unknown): Promise<undefined> {
  const { logProblem } = await import('../log.ts')
  logProblem('warning', 'fresh_copies_down', 'The store with fresh copies cannot be read.', { cause })
}
