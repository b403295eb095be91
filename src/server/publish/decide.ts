// Decides a publish, with what it must know beyond its own repository: the versions that it includes, and the rest of the hub. Also parses a publish, and describes what an earlier one wrote.
import { parseBuilt, type SiteFiles } from '../../built/site-files.ts'
import { allowInThreads } from '../../concurrency/long-work.ts'
import { mapConcurrently, nextTurn } from '../../concurrency/promises.ts'
import { addressesBelow, DATA_FILES } from '../../domain/api/data-paths.ts'
import type { VersionRecord, Warning } from '../../domain/api/schema.ts'
import { recordVersion } from '../../domain/catalogue/repository-records.ts'
import { type OwnerUsage, usagePath } from '../../domain/catalogue/usage.ts'
import type { WrittenPart } from '../../domain/compose/compose-version.ts'
import type { SameContent } from '../../domain/compose/take-along.ts'
import type { VersionEntry } from '../../domain/content/content-tree.ts'
import type { WrittenFile } from '../../domain/content/prompt-file.ts'
import type { ListedSkill } from '../../domain/content/skill-descriptions.ts'
import { warnOf } from '../../domain/content/warnings.ts'
import {
  compareWritten,
  decidePublish as decide,
  type PublishDecision,
  type Publisher,
  type Surroundings,
} from '../../domain/publishing/decision.ts'
import { readPromptFile } from '../../domain/publishing/prompt-file.ts'
import {
  nextLower,
  type RepositoryState,
  readListedVersion,
  readRepositoryState,
  recallRepositoryState,
  recallVersion,
} from '../../domain/publishing/repository-state.ts'
import { isComposed, type PublishInput, readPublishBody } from '../../domain/publishing/request.ts'
import type { Bundle, VersionFileBytes } from '../../domain/values/file-entry.ts'
import { type RepositoryPlace, splitFullName, splitVersionAddress } from '../../domain/values/names.ts'
import { bundleFiles } from '../../files/archive.ts'
import { measure, measureFile } from '../../files/measure.ts'
import type { Hub, Sources } from '../hub.ts'
import { type NameSearch, warnOfNear } from '../read/close-names.ts'
import { findVersion, findVersions, listVersions } from '../read/records.ts'
import type { PublishHub } from './publish-hub.ts'
import type { ReadOther, WrittenVersion } from './read-from-git.ts'

export { readPromptFile, readPublishBody }

/** Decides what a publish writes. @throws HubError like the decision */
export function decidePublish(
  request: PublishInput,
  state: RepositoryState,
  latest: WrittenVersion,
  publisher: Publisher,
  { baseUrl, around, parts }: { baseUrl: string; around: Surroundings; parts: readonly WrittenPart[] },
): PublishDecision {
  const files = {
    latest: latest.files,
    given: request.files?.map(({ path, bytes }) => measureFile(path, bytes)),
    bundle: (version: VersionEntry, all: readonly VersionFileBytes[]) => bundleOf(state, version, all),
  }
  const addresses = addressesBelow(baseUrl)
  return decide(request, state, latest.file, publisher, { measure, addresses, around, parts, files })
}

/** Describes a version that an earlier publish wrote. @param before the version with which it was compared, if any @throws HubError `upstream_error` */
export function describePublished(
  state: RepositoryState,
  version: string,
  { file: written, files }: WrittenVersion,
  before: { version: string; file: WrittenFile | undefined } | undefined,
  { baseUrl, isAssembled }: { baseUrl: string; isAssembled: boolean },
): { record: VersionRecord; entry: VersionEntry; warnings: Warning[]; breaking: boolean } {
  const file = readListedVersion(state, version, written)
  const plain = { ...file, ...measure(file.content), version }
  const entry = files.length === 0 ? plain : { ...plain, bundle: bundleOf(state, plain, files) }
  const latest = before && { ...readListedVersion(state, before.version, before.file), version: before.version }
  const { difference, warnings: breaking } = compareWritten(latest, entry)
  return {
    record: recordVersion(entry, nextLower(state.versions, version), state, addressesBelow(baseUrl)),
    entry,
    warnings: warnOf(entry, state, files, breaking, isAssembled),
    breaking: difference?.breaking ?? false,
  }
}

/** Describes the files of a version. */
function bundleOf(place: RepositoryPlace, version: VersionEntry, files: readonly VersionFileBytes[]): Bundle {
  if (!version.skill) throw new Error('only a skill has files')
  return bundleFiles(place, { ...version, skill: version.skill }, files).bundle
}

allowInThreads(import.meta.url, { readPublishBody, readPromptFile, decidePublish, describePublished })

/** Maximum number of repositories, and then of versions, that are read at once. */
const AT_ONCE = 4

/** A repository that is included, and its versions. */
interface Neighbour {
  state: RepositoryState
  readVersion: (version: string) => Promise<Pick<WrittenPart, 'file' | 'hasFiles'>>
}

/** Reads a repository that a line includes. */
type ReadNeighbour = (place: RepositoryPlace) => Promise<Neighbour>

/** Reads a repository from git. @param readOther reads a repository at the commit that the attempt builds on */
export async function readInGit(place: RepositoryPlace, readOther: ReadOther): Promise<Neighbour> {
  const { folder, readVersion } = await readOther(place)
  const found = { ...place, versions: [...folder.versions.keys()], index: folder.index }
  return {
    state: readRepositoryState(found),
    readVersion: async (version) => ({ file: await readVersion(version), hasFiles: folder.folders.has(version) }),
  }
}

/** Reads repositories from the build and the fresh copies. */
export function neighboursInRecords(deps: Sources): ReadNeighbour {
  return async ({ owner, name }) => {
    const found = await findVersions(owner, name, deps)
    const standing = found && { repository: found.repository.value(), versions: found.versions }
    await nextTurn()
    return {
      state: recallRepositoryState({ owner, name }, standing),
      readVersion: async (version) => {
        const record = (await findVersion(owner, name, version, deps))?.value()
        if (!record) return { file: undefined, hasFiles: false }
        return { file: recallVersion(record), hasFiles: record.bundle_sha256 !== null }
      },
    }
  }
}

/**
 * Resolves the include lines of a publish that is to be composed, and reads the versions.
 *
 * @param latest the latest version of the prompt itself
 * @returns the versions in the order of the lines
 * @throws HubError `validation_failed` for lines that name nothing to include; also the errors of git
 */
async function readParts(
  body: PublishInput,
  state: RepositoryState,
  latest: WrittenFile | undefined,
  readNeighbour: ReadNeighbour,
  nowMs: number,
  deps: Sources,
): Promise<WrittenPart[]> {
  const { owner, name } = state
  const { findRequestIncludes, resolveRequestIncludes } = await import('../../domain/publishing/carry-over.ts')
  const found = findRequestIncludes(body, state, latest)
  const names = new Set(found.lines.map(({ repository }) => repository))
  // A prompt that includes itself is refused below, without reading it again.
  names.delete(`${owner}/${name}`)
  const read = await mapConcurrently(AT_ONCE, [...names], async (repository) => {
    return [repository, await readNeighbour(splitFullName(repository)!)] as const
  })
  const neighbours = new Map(read)
  const known = [...neighbours.values()].map((one) => one.state)
  const { min_age_days: days = 0 } = body
  const minAge =
    days > 0 ? { days, oldEnough: await listSince([...neighbours.keys()], nowMs - days * DAY_MS, deps) } : undefined
  const resolved = resolveRequestIncludes({ owner, name }, found, known, minAge)
  const addresses = new Map(resolved.map((one) => [`${one.repository}@${one.version}`, one]))
  const files = new Map(
    await mapConcurrently(AT_ONCE, [...addresses], async ([address, { repository, version }]) => {
      return [address, await neighbours.get(repository)!.readVersion(version)] as const
    }),
  )
  return resolved.map((one) => ({ ...one, ...files.get(`${one.repository}@${one.version}`)! }))
}

const DAY_MS = 86_400_000

/** Lists the versions of each repository that have been available since a time, from the build and the fresh copies. A version that neither has is newer. */
async function listSince(names: readonly string[], ms: number, deps: Sources): Promise<Map<string, Set<string>>> {
  const found = await mapConcurrently(AT_ONCE, names, async (fullName) => {
    const { owner, name } = splitFullName(fullName)!
    const versions = await listVersions(owner, name, deps)
    const old = versions.filter(({ available_at }) => Date.parse(available_at) <= ms)
    return [fullName, new Set(old.map(({ version }) => version))] as const
  })
  return new Map(found)
}

/** What a publish is decided with. */
export type DecisionSources = Sources & NameSearch & Pick<Hub, 'runLong' | 'quota' | 'baseUrl'>

/**
 * Decides a publish, with what is around it.
 *
 * @param latest the latest version
 * @param needsMajor whether the owner accepts a breaking change only as a major version
 * @param readNeighbour reads the repositories that the request includes
 * @throws HubError like `decidePublish`, and like `readParts`
 */
export async function decideAround(
  body: PublishInput,
  state: RepositoryState,
  { latest, publisher, needsMajor }: { latest: WrittenVersion; publisher: Publisher; needsMajor: boolean },
  readNeighbour: ReadNeighbour,
  deps: DecisionSources,
): Promise<PublishDecision> {
  const { owner, name, versions } = state
  const { runLong, baseUrl } = deps
  const parts = isComposed(body)
    ? await readParts(body, state, latest.file, readNeighbour, publisher.clock.nowMs, deps)
    : []
  const around = { ...(await readSurroundings({ owner, name }, body, deps)), needsMajor }
  const decision = await runLong(decidePublish, body, state, latest, publisher, { baseUrl, around, parts })
  if (versions.length > 0) return decision
  return { ...decision, warnings: [...decision.warnings, ...(await warnOfNear({ owner, name }, deps))] }
}

/** Reads what a decision must know about the rest of the hub. It asks the build and the fresh copies, never the git host. What was published since the last build does not count towards a quota yet. */
async function readSurroundings(
  place: { owner: string; name: string },
  body: PublishInput,
  deps: Sources & Pick<PublishHub, 'quota'>,
): Promise<Surroundings> {
  const { quota: most, siteFiles } = deps
  const origin = body.forked_from === undefined ? undefined : splitVersionAddress(body.forked_from)
  const original = origin && (await findVersion(origin.owner, origin.name, origin.version, deps))?.value()
  // Includes are taken along from a version with the same content: the original of a fork, or the highest version of the prompt.
  let sameContent: SameContent | undefined
  if (!isComposed(body)) {
    const { content_sha256 } = measure(body.content)
    const listed = await listVersions(place.owner, place.name, deps)
    const same = listed.find((one) => one.content_sha256 === content_sha256)
    if (original?.content_sha256 === content_sha256) sameContent = original
    else if (same) sameContent = (await findVersion(place.owner, place.name, same.version, deps))?.value()
  }
  return {
    isOriginKnown: original !== undefined,
    ...(body.skill && { otherSkills: await listOtherSkills(place, siteFiles) }),
    sameContent,
    ...((most.prompts > 0 || most.bytes > 0) && { quota: { most, used: await countUsed(place.owner, siteFiles) } }),
  }
}

/** Reads what an owner has, as the last build has counted it. */
async function countUsed(owner: string, siteFiles: SiteFiles): Promise<OwnerUsage> {
  const counted = await siteFiles.read(usagePath(owner))
  return counted ? parseBuilt<OwnerUsage>(counted) : { prompts: 0, bytes: 0 }
}

/** Lists the skills of an owner as the last build has them. */
async function listOtherSkills({ owner, name }: RepositoryPlace, siteFiles: SiteFiles): Promise<ListedSkill[]> {
  const bytes = await siteFiles.read(DATA_FILES.skills(owner))
  const { skills } = bytes ? parseBuilt<{ skills: ListedSkill[] }>(bytes) : { skills: [] }
  return skills
    .filter((each) => each.name !== name)
    .map((each) => ({ name: `${owner}/${each.name}`, description: each.description }))
}
