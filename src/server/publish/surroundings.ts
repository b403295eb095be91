// Decides a publish, with what it must know beyond its own repository: the versions that it includes, the rest of the hub, and whether its attestations are valid.
import { hash } from 'node:crypto'
import { parseBuilt, type SiteFiles } from '../../built/site-files.ts'
import { mapConcurrently, nextTurn } from '../../concurrency/promises.ts'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import { type OwnerUsage, usagePath } from '../../domain/catalogue/usage.ts'
import type { WrittenPart } from '../../domain/compose/compose-version.ts'
import type { SameContent } from '../../domain/compose/take-along.ts'
import type { WrittenFile } from '../../domain/content/prompt-file.ts'
import type { ListedSkill } from '../../domain/content/skill-descriptions.ts'
import type { TrustedRootFile } from '../../domain/content/trusted-root-file.ts'
import { type AttestationVerdict, acceptAll, type VerifiedSignature } from '../../domain/publishing/attested.ts'
import type { PublishDecision, Publisher, Surroundings } from '../../domain/publishing/decision.ts'
import {
  type RepositoryState,
  readRepositoryState,
  recallRepositoryState,
  recallVersion,
} from '../../domain/publishing/repository-state.ts'
import { isComposed, type PublishInput } from '../../domain/publishing/request.ts'
import { type RepositoryPlace, splitFullName, splitVersionAddress } from '../../domain/values/names.ts'
import { measure } from '../../files/measure.ts'
import type { Hub, Sources } from '../hub.ts'
import { type NameSearch, warnOfNear } from '../read/close-names.ts'
import { findVersion, findVersions, listVersions } from '../read/records.ts'
import type { WrittenVersion } from './decide.ts'
import type { PublishHub } from './publish-hub.ts'
import type { ReadOther } from './read-from-git.ts'

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
  const { decidePublish } = await import('./decide.ts')
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

/** Lists the runs that signed versions of a prompt with some content. */
export async function listRuns(
  { owner, name }: { owner: string; name: string },
  content_sha256: string,
  deps: Sources,
): Promise<Set<string>> {
  const runs = new Set<string>()
  for (const one of await listVersions(owner, name, deps)) {
    if (one.content_sha256 !== content_sha256) continue
    const record = (await findVersion(owner, name, one.version, deps))?.value()
    for (const { run_url } of record?.attestations ?? []) runs.add(run_url)
  }
  return runs
}

/** Returns a function that verifies attestations when it is first called: only after the sender's rights were checked. @throws HubError `validation_failed` with the reason of each that is refused */
export function openVerification(
  given: readonly string[],
  deps: Pick<PublishHub, 'siteFiles' | 'verifyAttestation'>,
): () => Promise<VerifiedSignature[]> {
  let verified: Promise<VerifiedSignature[]> | undefined
  return async () => {
    // Kept, so that another attempt does not verify them again.
    verified ??= verifyAll(given, deps)
    return verified
  }
}

async function verifyAll(
  given: readonly string[],
  { siteFiles, verifyAttestation }: Pick<PublishHub, 'siteFiles' | 'verifyAttestation'>,
): Promise<VerifiedSignature[]> {
  const built = await siteFiles.read(DATA_FILES.trustedRoot())
  const { roots } = built ? parseBuilt<TrustedRootFile>(built) : { roots: [] }
  const verdicts: AttestationVerdict[] = []
  // One at a time, so that a publish occupies one thread.
  for (const bundle of given) verdicts.push(await verifyAttestation(bundle, roots))
  return acceptAll(verdicts).map((verified, index) => {
    const bundle = given[index]!
    return { sha256: hash('sha256', bundle), size_bytes: Buffer.byteLength(bundle), ...verified }
  })
}
