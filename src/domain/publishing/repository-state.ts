// Parses a repository's state in git: its `index.md`, its sorted versions, and the file of its owner; or rebuilds it from records.

import { HubError } from '../api/errors.ts'
import type { Repository, VersionRecord, VersionRow } from '../api/schema.ts'
import { formatPath, type Place } from '../content/content-path.ts'
import type { VersionEntry } from '../content/content-tree.ts'
import { RepositoryFrontMatter } from '../content/front-matter.ts'
import {
  DEFAULT_REPOSITORY_FILE,
  editRepositoryFile,
  type OwnerFile,
  parseOwnerFile,
  parseRepositoryFile,
  parseVersionFile,
  type RepositoryFile,
  storeAttestations,
  type VersionFile,
  type WrittenFile,
} from '../content/prompt-file.ts'
import { storeSkill } from '../content/skill.ts'
import { pick } from '../text/json.ts'
import { formatProblems, type ValueProblem } from '../text/problems.ts'
import { entriesOf } from '../values/file-entry.ts'
import { compareVersions, sortVersions } from '../values/versions.ts'

/** A repository at one commit. */
export interface RepositoryState {
  owner: string
  name: string
  /** The numbers of its versions, highest first. */
  versions: readonly string[]
  /** Further numbers that were ever published: whatever became of them, they mean no other text. */
  used: readonly string[]
  /** The highest version that is not yanked, or undefined. */
  latest: string | undefined
  /** The text of its `index.md`, or undefined. */
  indexText: string | undefined
  /** The parsed `index.md`, or the defaults if there is none. */
  file: RepositoryFile
}

/**
 * Parses a repository's state.
 *
 * @param found `versions` in any order, and the text of `index.md`
 * @throws HubError `upstream_error` when `index.md` cannot be read
 */
export function readRepositoryState(found: {
  owner: string
  name: string
  versions: Iterable<string>
  index: string | undefined
  used?: readonly string[]
}): RepositoryState {
  const { owner, name, index: indexText, used = [] } = found
  const file = readIndex({ owner, name }, indexText)
  const versions = sortVersions([...found.versions])
  const latest = versions.find((version) => !Object.hasOwn(file.yanked, version))
  return { owner, name, versions, used: [...used, ...Object.keys(file.removed)], latest, indexText, file }
}

/** What `index.md` says about a version. */
type YankedVersion = Pick<VersionRow, 'version' | 'yanked' | 'yank_reason'>

/**
 * Rebuilds a repository's state from its records, for a decision that does not read git. Its title may be the one derived from the name, which a record does not tell apart.
 *
 * @param found undefined for a repository that does not exist
 */
export function recallRepositoryState(
  place: { owner: string; name: string },
  found: { repository: Repository; versions: readonly YankedVersion[] } | undefined,
): RepositoryState {
  if (!found) return readRepositoryState({ ...place, versions: [], index: undefined })
  const { readme, ...front } = recallFile(found.repository, found.versions)
  return readRepositoryState({
    ...place,
    versions: found.versions.map(({ version }) => version),
    index: editRepositoryFile(undefined, front) + readme,
  })
}

/** The fields of `index.md` that a record repeats, all but the advisories unchanged. */
const RECORDED_FIELDS = ['readme', ...Object.keys(RepositoryFrontMatter.shape)] as (keyof Repository &
  keyof RepositoryFile)[]

/** Rebuilds a repository's `index.md` from its records. Building records from the result produces the same records. */
export function recallFile(repository: Repository, versions: readonly YankedVersion[]): RepositoryFile {
  const yanked = versions.flatMap(({ version, yank_reason }) =>
    yank_reason === null ? [] : [[version, yank_reason] as const],
  )
  return {
    ...pick(
      repository,
      RECORDED_FIELDS.filter((field) => field in repository),
    ),
    yanked: Object.fromEntries(yanked),
    // Records do not show it, and no record is built from it.
    removed: {},
    advisories: repository.advisories.map(({ versions: _, ...advisory }) => advisory),
  }
}

/** The fields of a version file, and those derived from its bytes, that a record repeats unchanged. */
const VERSION_FIELDS = [
  ...(['version', 'content', 'content_sha256', 'size_bytes', 'format', 'variables', 'parameters'] as const),
  ...(['changelog', 'published_at', 'published_by'] as const),
]

/** Rebuilds a version from its record. */
export function recallVersion(record: VersionRecord): VersionEntry {
  return {
    ...pick(record, VERSION_FIELDS),
    ...(record.provenance !== null && { provenance: record.provenance }),
    ...(record.attestations.length > 0 && storeAttestations(record.attestations)),
    ...(record.skill && { skill: storeSkill(record.skill) }),
    ...(record.includes.length > 0 && { includes: record.includes }),
    ...(record.bundle_sha256 && { bundle: { sha256: record.bundle_sha256, files: entriesOf(record.files) } }),
  }
}

/** Parses a repository's `index.md`. @throws HubError `upstream_error` */
export function readIndex({ owner, name }: { owner: string; name: string }, text: string | undefined): RepositoryFile {
  if (text === undefined) return DEFAULT_REPOSITORY_FILE
  const parsed = parseRepositoryFile(text)
  if (parsed.problems) throw brokenFileError({ kind: 'repository', owner, name }, parsed.problems)
  return parsed.value
}

/** Owners' files by their texts: most writes find the text that an earlier one has found, and parsing it takes longer than the rest of the checks. */
const owners = new Map<string, OwnerFile>()
/** Maximum number of texts that are remembered, and the length of each. */
const [MAX_OWNERS, MAX_OWNER_CHARACTERS] = [100, 20_000]

/**
 * Parses an owner's file. It says who may do what, so while nobody can read it, nobody may do anything, not even with an operator's token.
 *
 * @param text the owner's `index.md` in git, or undefined
 * @throws HubError `upstream_error`, because an invalid file on the branch is not the sender's fault
 */
export function readOwner(owner: string, text: string | undefined): OwnerFile | undefined {
  if (text === undefined) return undefined
  const known = owners.get(text)
  if (known) return known
  const { value, problems } = parseOwnerFile(text)
  if (problems) throw brokenFileError({ kind: 'owner', owner }, problems)
  if (owners.size >= MAX_OWNERS) owners.clear()
  if (text.length <= MAX_OWNER_CHARACTERS) owners.set(text, value)
  return value
}

/** Reads a listed version. @param written undefined if it has no file @throws HubError `upstream_error` */
export function readListedVersion(
  { owner, name }: { owner: string; name: string },
  version: string,
  written: WrittenFile | undefined,
): VersionFile {
  if (typeof written === 'object') return written
  const parsed =
    written === undefined ? { problems: [{ key: '', message: 'expected a file' }] } : parseVersionFile(written)
  if (parsed.problems) throw brokenFileError({ kind: 'version', owner, name, version }, parsed.problems)
  return parsed.value
}

/** Returns the error for an unreadable file on the branch, which is not the publisher's fault. */
export function brokenFileError(place: Place, problems: readonly ValueProblem[]): HubError {
  return new HubError(
    'upstream_error',
    `content/${formatPath(place)} on the branch cannot be read: ${formatProblems(problems)}. Fix it in git, then publish again.`,
  )
}

/** Returns the next lower version, yanked or not, or null. @param versions highest first */
export function nextLower(versions: readonly string[], version: string): string | null {
  return versions.find((other) => compareVersions(other, version) > 0) ?? null
}
