// Decides what a publish writes: a new version, a new `index.md`, or an error. Pure: clock, digest and git state are arguments.

import type { Addresses } from '../api/data-paths.ts'
import { HubError } from '../api/errors.ts'
import type { Difference, VersionRecord, Warning } from '../api/schema.ts'
import { compareForCallers, smallestBump } from '../catalogue/difference.ts'
import { recordVersion } from '../catalogue/repository-records.ts'
import type { OwnerUsage } from '../catalogue/usage.ts'
import { checkIncludes } from '../compose/check-includes.ts'
import type { WrittenPart } from '../compose/compose-version.ts'
import { warnOfParts } from '../compose/resolve.ts'
import { nameSourceLines } from '../compose/source-lines.ts'
import type { SameContent } from '../compose/take-along.ts'
import type { VersionEntry } from '../content/content-tree.ts'
import { toWarnings } from '../content/findings.ts'
import type { RepositoryFrontMatter } from '../content/front-matter.ts'
import {
  editKeys,
  editRepositoryFile,
  formatPublished,
  isSameVersion,
  type RepositoryFile,
  type VersionFile,
  type WrittenFile,
} from '../content/prompt-file.ts'
import { checkNewVersion, checkVersion, findLongFile } from '../content/rules.ts'
import { findWeakDescription, type ListedSkill } from '../content/skill-descriptions.ts'
import { warnOf, warnOfDifference, warnOfLeftOut } from '../content/warnings.ts'
import { CLOCK_SKEW_MS, LIMITS } from '../limits.ts'
import { isSameJson } from '../text/json.ts'
import { countBytes } from '../text/plain-text.ts'
import { areSameFiles, type Bundle, countFileBytes, type VersionFileBytes } from '../values/file-entry.ts'
import type { Include } from '../values/include.ts'
import { targetOf } from '../values/label-target.ts'
import { isPortableName, titleFromName } from '../values/names.ts'
import { formatMoment, type Provenance, Version } from '../values/values.ts'
import { type Bump, nextVersion } from '../values/versions.ts'
import type { SignedVersion } from './attested.ts'
import { type Carried, carryAlong, composeCarried } from './carry-over.ts'
import { nextLower, type RepositoryState, readIndex, readListedVersion } from './repository-state.ts'
import { invalidField, isComposed, type Measure, nameLines, type PublishInput, validationFailed } from './request.ts'

/** The origin of a version: who publishes it, when, and from which CI run. */
export interface Publisher {
  published_by: string
  clock: PublishClock
  provenance: Provenance | undefined
  /** The verified attestations of the request, by trusted publishers of the owner. */
  attestations?: readonly SignedVersion[]
}

/** The time of a publish. */
interface PublishClock {
  /** Milliseconds since 1970. */
  nowMs: number
  /** Whether the git host's clock was read, which all hubs share; otherwise, the time is the machine's own. */
  isShared: boolean
}

/** The result of a request. */
export interface PublishDecision {
  /** The version in the response: the new version, or the latest version if nothing changed. */
  version: VersionEntry
  record: VersionRecord
  /** Whether the latest version is identical, so that no version is added. */
  isUnchanged: boolean
  /** The content of the new version file; undefined if nothing changed. */
  versionText: string | undefined
  /** The new content of `index.md`; undefined if nothing changed. */
  indexText: string | undefined
  /** The parsed `index.md` after the publish. */
  file: RepositoryFile
  /** The keys of `index.md` that change. */
  fields: string[]
  /** What callers of the latest version must know; null if no version is added, or if there is none to compare with. */
  changes: Difference | null
  /** The warnings; none blocks the publish. */
  warnings: Warning[]
}

/** What a decision must know about the rest of the hub. */
export interface Surroundings {
  /** Whether the version in the request's `forked_from` exists; not used without that field. */
  isOriginKnown: boolean
  /** A version with the same content, whose includes a publish that is not composed takes along: that of `forked_from`, or an earlier one. */
  sameContent?: SameContent | undefined
  /** Whether the owner accepts a breaking change only as a major version. */
  needsMajor?: boolean
  /** The owner's other skills, for a publish that says what a skill does. */
  otherSkills?: readonly ListedSkill[]
  /** What the owner has, and may have at most, where 0 is no limit; omitted on a hub without limits. */
  quota?: { used: OwnerUsage; most: OwnerUsage } | undefined
}

/** What a decision needs from outside. */
interface DecisionTools {
  measure: Measure
  addresses: Addresses
  around: Surroundings
  /** The versions that the request includes, in the order of its include lines. */
  parts: readonly WrittenPart[]
  files: {
    /** The files of the latest version. */
    latest: readonly VersionFileBytes[]
    /** The files of the request; undefined if it has none. */
    given: readonly VersionFileBytes[] | undefined
    /** Describes the files of a version that is a skill. */
    bundle: (version: VersionEntry, files: readonly VersionFileBytes[]) => Bundle
  }
}

/**
 * Decides the result of a request.
 *
 * @param written the latest version, or undefined if there is none
 * @throws HubError `repo_archived`, `version_conflict`, `validation_failed`, `quota_exceeded`, `bump_too_small`; `upstream_error` when that file cannot be read
 */
export function decidePublish(
  request: PublishInput,
  state: RepositoryState,
  written: WrittenFile | undefined,
  publisher: Publisher,
  tools: DecisionTools,
): PublishDecision {
  const { measure, addresses, around, parts, files: known } = tools
  const fullName = `${state.owner}/${state.name}`
  if (state.versions.length === 0 && !isPortableName(state.name))
    throw new HubError('not_found', `The name ${state.name} is reserved on Windows. Choose another name.`)
  const { file } = state
  if (file.status === 'archived')
    throw new HubError(
      'repo_archived',
      `${fullName} is archived and accepts no new versions. Publish elsewhere, or ask its owner to make it active again.`,
    )
  if (file.moved_to !== null)
    throw new HubError('repo_archived', `${fullName} has moved to ${file.moved_to}. Publish there.`)
  const { expected_version: expected } = request
  if (expected !== undefined && expected !== (state.latest ?? null)) throw conflict(expected, fullName, state.latest)
  const latest =
    state.latest === undefined
      ? undefined
      : { ...readListedVersion(state, state.latest, written), version: state.latest }
  const changes = changesOf(request, state, file, around)
  const fields = Object.keys(changes)
  const indexText = fields.length > 0 ? editRepositoryFile(state.indexText, changes) : undefined
  const newFile = indexText === undefined ? file : readIndex(state, indexText)
  const isAssembled = isComposed(request)
  const front = isAssembled
    ? composeCarried(state, request, latest, newFile.license, parts, measure)
    : carryAlong(request, latest, newFile.license, around.sameContent)
  if (known.given && known.given.length > 0 && !front.skill)
    throw invalidField('files', 'expected skill too, because only an Agent Skill has files; add skill.description')
  const files = front.skill ? (known.given ?? known.latest) : []
  const isUnchanged = latest !== undefined && isSameVersion(latest, front) && areSameFiles(known.latest, files)
  const decided = isUnchanged
    ? { version: { ...latest, ...measure(latest.content) }, versionText: undefined, difference: null, breaking: [] }
    : decideVersion(request, state, { latest, front, files, indexText }, publisher, tools)
  const version: VersionEntry =
    files.length === 0 ? decided.version : { ...decided.version, bundle: known.bundle(decided.version, files) }
  const labelled = request.labels
    ? pointLabels(request.labels, version.version, state, { indexText, file: newFile })
    : { text: indexText, file: newFile }
  // A title that is the same as the derived one is not written, but its author has given one.
  const shown = { name: state.name, file: request.title === undefined ? newFile : { ...newFile, title: request.title } }
  const warnings = warnOf(version, shown, files, decided.breaking, isAssembled)
  if (isAssembled) warnings.push(...warnOfParts(parts))
  if (request.leftOut) warnings.push(...warnOfLeftOut(request.leftOut))
  if (request.skill) {
    const described = { name: state.name, description: request.skill.description }
    warnings.push(...toWarnings(findWeakDescription(described, around.otherSkills ?? [])))
  }
  // A new version is above all others.
  const previous = isUnchanged ? nextLower(state.versions, version.version) : (state.versions[0] ?? null)
  return {
    version,
    record: recordVersion(version, previous, state, addresses),
    isUnchanged,
    versionText: decided.versionText,
    indexText: labelled.text,
    file: labelled.file,
    fields,
    changes: decided.difference,
    warnings,
  }
}

/** What a new version is made of. */
interface Parts {
  latest: (VersionFile & { version: string }) | undefined
  /** What it has of the request, and of the latest version. */
  front: Carried
  files: readonly VersionFileBytes[]
  /** The new content of `index.md`; undefined if it does not change. */
  indexText: string | undefined
}

/** Decides the number of a new version, and checks it. @throws HubError like `decidePublish` */
function decideVersion(
  request: PublishInput,
  state: RepositoryState,
  { latest, front, files, indexText }: Parts,
  { published_by, clock, provenance, attestations = [] }: Publisher,
  { measure, around, files: known }: DecisionTools,
) {
  const compared =
    latest && compareForCallers({ ...latest, files: known.latest }, { ...front, version: latest.version, files })
  const number = nextNumber(state, request.bump === 'auto' ? smallestBump(compared) : request.bump)
  const difference = compared ? { ...compared, to: number } : null
  const version: VersionEntry = {
    published_at: timeAfter(latest?.published_at, clock),
    published_by,
    changelog: request.changelog || (request.recompose ? describeMoved(latest, front) : ''),
    format: front.format,
    parameters: front.parameters,
    variables: front.variables,
    content: front.content,
    ...(front.skill && { skill: front.skill }),
    ...(front.includes && { includes: front.includes }),
    ...(provenance ? { provenance } : {}),
    ...(attestations.length > 0 && { attestations: attestations.map(({ facts }) => facts) }),
    ...measure(front.content),
    version: number,
  }
  // The request itself was checked when it was parsed; this also checks the values taken over from the latest version.
  const found = [
    ...checkVersion(version),
    ...(version.includes ? checkIncludes(`${state.owner}/${state.name}`, version, measure) : []),
  ]
  const placed = isComposed(request) ? nameSourceLines(found, version) : nameLines(found, version.content)
  const problems = [...placed, ...checkNewVersion(version)]
  if (problems.length > 0) throw validationFailed(problems)
  const versionText = formatPublished(version)
  const size_bytes = countBytes(versionText)
  const long = findLongFile(size_bytes)
  if (long) throw validationFailed([long])
  if (around.quota) {
    const grown = indexText === undefined ? 0 : Math.max(0, countBytes(indexText) - countBytes(state.indexText ?? ''))
    const signed = (version.attestations ?? []).reduce((sum, { size_bytes }) => sum + size_bytes, 0)
    refuseExcess(state, size_bytes + countFileBytes(files) + signed + grown, around.quota)
  }
  const breaking = difference?.breaking ? warnOfDifference(difference) : []
  if (difference && breaking.length > 0) refuseSmallBump(request, state, difference, around)
  return { version, versionText, difference, breaking }
}

/** Points labels at a version. */
function pointLabels(
  labels: readonly string[],
  version: string,
  state: RepositoryState,
  { indexText, file }: { indexText: string | undefined; file: RepositoryFile },
): { text: string | undefined; file: RepositoryFile } {
  const moved = labels.filter((label) => !isSameJson(targetOf(file.labels, label), { version, split: null }))
  if (moved.length === 0) return { text: indexText, file }
  const text = editKeys(
    indexText ?? state.indexText ?? '---\n---\n',
    moved.map((label) => ({ path: ['labels', label], value: version })),
  )
  return { text, file: readIndex(state, text) }
}

/** Names the versions that composing again has included anew, for a changelog that nobody wrote. */
function describeMoved(latest: VersionFile | undefined, { includes = [] }: Pick<VersionFile, 'includes'>): string {
  const addressOf = ({ repository, version }: Include) => `${repository} ${version}`
  const before = new Set(latest?.includes?.map(addressOf))
  const moved = new Set(includes.map(addressOf).filter((address) => !before.has(address)))
  return moved.size === 0 ? '' : `Include ${[...moved].join(', ')}`.slice(0, LIMITS.changelogCharacters)
}

/** Compares a published version with the one that was the latest before it, if any. */
export function compareWritten(
  before: (VersionFile & { version: string }) | undefined,
  version: VersionEntry,
): { difference: Difference | undefined; warnings: Warning[] } {
  const difference = before && compareForCallers({ ...before, files: [] }, { ...version, files: [] })
  return { difference, warnings: difference ? warnOfDifference(difference) : [] }
}

/** Returns the time of a version: not before the version that it follows, because a machine's clock can be set back. The git host's clock overrules a version that is dated far ahead of it. */
function timeAfter(previous: string | undefined, { nowMs, isShared }: PublishClock): string {
  const previousMs = previous === undefined ? 0 : Date.parse(previous)
  const isWrong = isShared && previousMs > nowMs + CLOCK_SKEW_MS
  return formatMoment(new Date(isWrong ? nowMs : Math.max(nowMs, previousMs)))
}

/** @throws HubError `quota_exceeded` if the new version, or the new repository, would exceed what its owner may have */
function refuseExcess(
  { owner, versions }: RepositoryState,
  bytes: number,
  { used, most }: NonNullable<Surroundings['quota']>,
): void {
  const isNew = versions.length === 0
  if (isNew && most.prompts > 0 && used.prompts >= most.prompts)
    throw new HubError(
      'quota_exceeded',
      `${owner} has ${used.prompts} prompts, and an owner may have ${most.prompts} on this hub. Publish a version of an existing prompt, or ask the operator of this hub for more.`,
    )
  if (most.bytes > 0 && used.bytes + bytes > most.bytes)
    throw new HubError(
      'quota_exceeded',
      `The prompts of ${owner} have ${used.bytes} bytes in git, this version adds ${bytes}, and an owner may have ${most.bytes} on this hub. Ask the operator of this hub for more.`,
    )
}

/** Returns the refusal of a publish whose sender expected another latest version. */
function conflict(expected: string | null, fullName: string, latest: string | undefined): HubError {
  const wanted = expected === null ? 'null, for a new repository' : expected
  return new HubError(
    'version_conflict',
    `${fullName}: expected_version was ${wanted}, but the latest version is ${latest ?? 'none'}. Fetch the latest version, then publish again with its number.`,
  )
}

function changesOf(
  { title, description, tags, license, forked_from }: PublishInput,
  { name, versions }: RepositoryState,
  file: RepositoryFile,
  { isOriginKnown }: Surroundings,
): Partial<RepositoryFrontMatter> {
  const changes: Partial<RepositoryFrontMatter> = {}
  for (const [key, value] of Object.entries({ title, description, tags, license })) {
    if (value === undefined) continue
    const current = file[key as keyof typeof file] ?? (key === 'title' ? titleFromName(name) : null)
    if (!isSameJson(value, current)) Object.assign(changes, { [key]: value })
  }
  if (forked_from !== undefined && forked_from !== file.forked_from) {
    if (versions.length > 0) throw invalidField('forked_from', 'expected it only with the first version')
    if (!isOriginKnown)
      throw invalidField('forked_from', `expected a version that exists on this hub, got ${forked_from}`)
    changes.forked_from = forked_from
  }
  return changes
}

/** @throws HubError `bump_too_small` for a breaking change whose owner or sender accepts it only as a major version */
function refuseSmallBump(
  { allow_breaking }: PublishInput,
  state: RepositoryState,
  { from, to, reasons }: Difference,
  { needsMajor = false }: Surroundings,
): void {
  if (allow_breaking && !needsMajor) return
  const { owner, name } = state
  const wanted = nextVersion([to], 'major')
  const wayOut = needsMajor
    ? `${owner} accepts it only so (publishing: semver in content/${owner}/index.md)`
    : `To publish it as ${to} all the same, use --allow-breaking; in a request, allow_breaking=true`
  throw new HubError(
    'bump_too_small',
    `${owner}/${name}: ${to} is too small for a breaking change since ${from}: ${reasons.join(', ')}. Publish it as ${wanted}: leave out bump, or use major. ${wayOut}.`,
    {
      problems: [
        {
          key: 'bump',
          message: `this is a breaking change: ${reasons.join(', ')}. Select auto, which makes it ${wanted}`,
        },
      ],
    },
  )
}

function nextNumber({ owner, name, versions, used }: RepositoryState, bump: Bump): string {
  // Somebody may have locked a version that is gone, so its number must never mean another text.
  const number = nextVersion([...versions, ...used], bump)
  if (versions.length >= LIMITS.versionsPerRepository) {
    throw new HubError(
      'validation_failed',
      `${owner}/${name} has ${versions.length} versions, which is the maximum. Publish under another name.`,
    )
  }
  if (!Version.safeParse(number).success)
    throw new HubError(
      'validation_failed',
      `bump: the next version would be ${number}, but each part can have at most six digits. Increment another part.`,
    )
  return number
}
