// Reads repositories one by one for a review, and keeps only the path and a hash of each prompt in memory.
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { joinWords } from '../catalogue/originals.ts'
import { compareAttestations } from '../content/attestation-files.ts'
import { type AttestationFile, type ParsedFile, parseContentFile } from '../content/content-file.ts'
import { listContentFiles, nameFile } from '../content/content-files.ts'
import type { FileState } from '../content/content-walk.ts'
import { groupByVersion, placeProblem } from '../content/version-files.ts'
import { formatPath, type Place, parsePath } from '../domain/content/content-path.ts'
import type { VersionEntry } from '../domain/content/content-tree.ts'
import { DEFAULT_REPOSITORY_FILE, hasPublishingRule } from '../domain/content/prompt-file.ts'
import { checkRepository, type Neighbours } from '../domain/content/rules.ts'
import { checkBundle } from '../domain/content/version-files.ts'
import { inspectVersion } from '../domain/inspect/inspect-version.ts'
import type { Capability } from '../domain/inspect/kinds.ts'
import { LIMITS } from '../domain/limits.ts'
import type { RuleProblem } from '../domain/text/problems.ts'
import { decodeFile, type FileEntry, sortFiles } from '../domain/values/file-entry.ts'
import { compareVersions } from '../domain/values/versions.ts'
import { bundleFiles } from '../files/archive.ts'
import { digestText } from '../files/measure.ts'
import type { Opened } from '../files/plain-files.ts'
import { type Comparison, classifyChange, isPublished } from './content-changes.ts'
import { openFileReader } from './file-reader.ts'
import { openBefore } from './read-before.ts'
import type { ReviewSigned } from './review-attestations.ts'
import { describeImpact } from './rules/impact.ts'
import { type ReadIncluded, reviewIncludes } from './rules/includes.ts'
import type { OwnerVerdict } from './rules/pull-owners.ts'
import {
  type FileChange,
  isInUse,
  reportSameWords,
  reviewFile,
  reviewIndex,
  reviewNamedFiles,
  reviewOwner,
  reviewVersion,
  reviewVersionNumbers,
} from './rules/review.ts'
import { listApprovals, reviewAbilities } from './rules/review-approvals.ts'
import type { ReviewContext, ReviewFinding } from './rules/review-findings.ts'
import { type ReviewedResult, reviewLabels, reviewResults } from './rules/review-results.ts'

interface RepositoryReader {
  /** Reviews one repository, or one file outside repositories. @returns its entries and fixes */
  review(group: readonly FileState[]): Promise<ReviewFinding[]>
  /** Returns the number of files and repositories that have been read so far, and what the new versions mean for callers. */
  count(): { files: number; repositories: number; impacts: string[]; approvals: OwnerVerdict[] }
}

/** If there is no base, a file counts as changed, but not as new. */
const UNCOMPARED: FileChange = { isNew: false, isRestored: false, isTouched: true }
/** Maximum number of referenced repositories that are cached, because many repositories may refer to the same one. */
const NEIGHBOURS_KEPT = 1_000

/** Opens a reader of repositories. @param dir the content folder @param comparison the comparison with the base; if omitted, no file counts as new @param owners the states of the owners' files, by path */
export function openRepositoryReader(
  dir: string,
  comparison: Comparison | undefined,
  given: ReviewContext & { reviewSigned?: ReviewSigned | undefined },
  owners: ReadonlyMap<string, FileState>,
): RepositoryReader {
  const read = openFileReader(dir, comparison?.base.length ?? 40)
  const base = openBefore(comparison, read, owners)
  const neighbours = openNeighbours((path) => readParsed(path)?.value, dir)
  /** The first prompt with the same words, by the hash of the words. */
  const firstWith = new Map<string, { path: string; isTouched: boolean }>()
  const counts = { files: 0, repositories: 0, impacts: [] as string[], approvals: [] as OwnerVerdict[] }

  /** Reads and checks one path. */
  async function examine(state: FileState, remarks: ReviewFinding[]) {
    const { path } = state
    const say = (problems: readonly RuleProblem[]) =>
      remarks.push(...problems.map((problem) => ({ file: nameFile(path), ...problem })))
    const here = state.isHere ? read(path) : undefined
    let value: ParsedFile | undefined
    if (state.isHere) {
      counts.files++
      const { parsed, broken } = parseContentFile(path, (maxBytes) => bytesOf(here, maxBytes))
      say(parsed.problems ?? broken)
      value = parsed.value
    }
    if (!comparison) return { value, change: UNCOMPARED, id: here?.value?.id }
    const { problems, ...change } = await classifyChange(comparison, state, here?.value)
    say(problems)
    return { value, change, id: here?.value?.id }
  }

  function readParsed(path: string) {
    return parseContentFile(path, (maxBytes) => bytesOf(read(path), maxBytes)).parsed
  }

  const readIncluded: ReadIncluded = ({ owner, name }, version) => {
    const index = readParsed(formatPath({ kind: 'repository', owner, name })).value
    const path = formatPath({ kind: 'version', owner, name, version })
    const file = readParsed(path).value
    return {
      file: index?.kind === 'repository' ? index.value : undefined,
      version: file?.kind === 'version' ? file.value : undefined,
      hasFiles: existsSync(join(dir, path.slice(0, -'.md'.length))),
    }
  }

  /** Reports only pairs in which at least one prompt was changed. */
  function compareWords(path: string, content: string, isTouched: boolean): ReviewFinding[] {
    const words = joinWords(content)
    if (words === undefined) return []
    const key = hash('sha256', words, 'base64')
    const first = firstWith.get(key)
    if (!first) firstWith.set(key, { path, isTouched })
    else if (isTouched) return [reportSameWords(path, first.path)]
    else if (first.isTouched) return [reportSameWords(first.path, path)]
    return []
  }

  /** Adds the digest of the archive to a version that has attestations and files. */
  function withBundle(place: Place & { kind: 'version' }, version: VersionEntry, files: readonly FileEntry[]) {
    const { skill } = version
    if (!skill || !version.attestations || files.length === 0) return version
    return { ...version, bundle: bundleFiles(place, { ...version, skill }, readWhole(place, files)).bundle }
  }

  const readWhole = (place: Omit<Place & { kind: 'version' }, 'kind'>, files: readonly FileEntry[]) =>
    sortFiles(files).map((file) => {
      const { value } = bytesOf(read(formatPath({ ...place, kind: 'file', path: file.path })), LIMITS.fileBytes)
      return { ...file, bytes: new Uint8Array(value ?? []) }
    })

  return {
    async review(group) {
      const remarks: ReviewFinding[] = []
      const [owner = '', name = ''] = group[0]!.path.split('/')
      const repository = { owner, name }
      const versions: { state: FileState; place: Place & { kind: 'version' } }[] = []
      const listed = groupByVersion(group.filter(({ isHere }) => isHere).map(({ path }) => path)).versions
      const published = new Set(group.filter(isPublished).map(({ path }) => path))
      /** The files of each version, without their bytes. */
      const files = new Map<string, FileEntry[]>()
      const examineFile = async (state: FileState, place: Place & { kind: 'file' }) => {
        const { owner, name, version } = place
        const { value, change } = await examine(state, remarks)
        if (change.isNew && published.has(formatPath({ kind: 'version', owner, name, version })))
          remarks.push({
            file: nameFile(state.path),
            rule: 'version-unchanged',
            key: '',
            message: `expected no new file: ${version} is published without it`,
          })
        if (value?.kind !== 'file') return
        const { bytes, ...entry } = value.value
        files.set(version, [...(files.get(version) ?? []), entry])
        if (change.isTouched) remarks.push(...reviewFile(place, decodeFile(bytes) ?? ''))
      }
      /** The attestations of each version. */
      const attestations = new Map<string, AttestationFile[]>()
      let index: Awaited<ReturnType<typeof examine>> | undefined
      let indexState: FileState | undefined
      const results: ReviewedResult[] = []
      for (const state of group) {
        const place = parsePath(state.path).value
        if (place?.kind === 'version') versions.push({ state, place })
        else if (place?.kind === 'file') await examineFile(state, place)
        else if (place?.kind === 'attestation') {
          const { value, change } = await examine(state, remarks)
          // Only a new one is verified, so the text of any other is not kept.
          const kept = value?.kind === 'attestation' && { ...value.value, ...(!change.isTouched && { text: '' }) }
          if (kept) attestations.set(place.version, [...(attestations.get(place.version) ?? []), kept])
        } else if (place?.kind === 'repository') {
          index = await examine(state, remarks)
          indexState = state
        } else if (place?.kind === 'result') {
          const { value, id } = await examine(state, remarks)
          // Without a base, nobody knows which results are new.
          if (value?.kind === 'result')
            results.push({ entry: value.value, isTouched: comparison !== undefined && id !== state.atBase?.id })
        } else if (place?.kind === 'owner') {
          const { value, change } = await examine(state, remarks)
          const isGone = !state.isHere && state.atFork !== undefined && (!state.inIndex || state.edited !== undefined)
          const after = value?.kind === 'owner' ? value.value : undefined
          // A file that cannot be read is reported as such.
          if (comparison && (isGone || (after && change.isTouched)))
            remarks.push(...reviewOwner(place.owner, await base.ownerOf(place.owner), after))
        } else await examine(state, remarks)
      }
      // Only two versions are in memory at a time: the current version and the next lower version (two, if that one is yanked).
      versions.sort((a, b) => compareVersions(b.place.version, a.place.version))
      const numbers: { version: string; content_sha256: string }[] = []
      const fresh: string[] = []
      let last: VersionEntry | undefined
      /** The highest version so far that is not yanked, with which a publish would compare. */
      let lastActive: VersionEntry | undefined
      const { yanked } = index?.value?.kind === 'repository' ? index.value.value : DEFAULT_REPOSITORY_FILE
      let lastChange: FileChange | undefined
      const file = index?.value?.kind === 'repository' ? index.value.value : undefined
      const labels = file &&
        index &&
        indexState && {
          before: await base.labelsOf(indexState, index.change.isTouched, file.labels),
          after: file.labels,
          owner: await base.ownerOf(repository.owner),
        }
      const moves = labels ? listApprovals(labels) : []
      const watched = new Set(moves.flatMap(({ present, fresh }) => [...present, ...fresh]))
      /** What the versions can do that decide about an approval. */
      const abilities = new Map<string, readonly Capability[]>()
      /** The runs that signed each content, of the lower versions. */
      const runs = new Map<string, Set<string>>()
      for (const { state, place } of versions) {
        const { value, change } = await examine(state, remarks)
        if (value?.kind !== 'version') continue
        const owner = change.isNew ? await base.ownerOf(place.owner) : undefined
        // A file that cannot be read may require it.
        const needsMajor = owner === 'broken' || hasPublishingRule(owner, 'semver')
        remarks.push(...reviewVersion(place, value.value, lastActive, change, given, needsMajor))
        if (change.isTouched) remarks.push(...reviewIncludes(place, value.value, change, readIncluded))
        const beside = files.get(place.version) ?? []
        remarks.push(...checkFilesOf(place, { isThere: true, isSkill: Boolean(value.value.skill) }, beside))
        if (change.isTouched) remarks.push(...reviewNamedFiles(place, value.value, beside))
        const filesOf = ({ version }: VersionEntry) => files.get(version) ?? []
        const canDo = (one: VersionEntry) =>
          inspectVersion(
            { ...one, name, full_name: `${place.owner}/${name}` },
            readWhole({ ...repository, version: one.version }, filesOf(one)),
            digestText,
          )
        if (watched.has(place.version)) abilities.set(place.version, canDo(value.value))
        if (change.isNew)
          counts.impacts.push(describeImpact(nameFile(state.path), value.value, lastActive, filesOf, canDo))
        const signed = attestations.get(place.version) ?? []
        attestations.delete(place.version)
        remarks.push(...compareAttestations(place, signed, value.value))
        if (change.isNew && given.reviewSigned) {
          const whole = withBundle(place, value.value, beside)
          const before = runs.get(value.value.content_sha256) ?? new Set()
          remarks.push(...(await given.reviewSigned(place, owner, whole, signed, before)))
        }
        const { content_sha256, attestations: facts = [] } = value.value
        const signers = runs.get(content_sha256) ?? new Set()
        for (const { run_url } of facts) signers.add(run_url)
        runs.set(content_sha256, signers)
        listed.delete(place.version)
        numbers.push({ version: place.version, content_sha256: value.value.content_sha256 })
        if (change.isNew && !change.isRestored) fresh.push(place.version)
        last = value.value
        if (!Object.hasOwn(yanked, place.version)) lastActive = value.value
        lastChange = change
      }
      const unread = new Set(listed.keys())
      // Folders without a version file, or with one that cannot be parsed.
      for (const [version, { file }] of listed) {
        const beside = files.get(version)
        const about = { isThere: file !== undefined, isSkill: undefined }
        if (beside) remarks.push(...checkFilesOf({ ...repository, version }, about, beside))
      }
      for (const [version, signed] of attestations)
        remarks.push(...compareAttestations({ ...repository, version }, signed, undefined))
      if (results.length > 0) remarks.push(...reviewResults(repository, numbers, results, unread, given))
      if (labels) remarks.push(...reviewLabels(repository, labels, numbers, results, given))
      counts.approvals.push(...reviewAbilities(repository, moves, abilities))
      if (!file && !last) return remarks
      counts.repositories++
      const numbersBefore = versions.filter(({ state }) => isPublished(state)).map((one) => one.place.version)
      const deleted = fresh.length > 0 ? (await comparison?.readDeleted())?.numbers.get(`${owner}/${name}`) : undefined
      const used = [...numbersBefore, ...Object.keys(file?.removed ?? {}), ...(deleted ?? [])]
      remarks.push(...reviewVersionNumbers(repository, used, fresh))
      const indexPath = formatPath({ kind: 'repository', ...repository })
      for (const problem of checkRepository({ ...repository, file, versions: numbers }, neighbours))
        remarks.push({ file: nameFile(indexPath), ...problem })
      const isLastTouched = lastChange?.isTouched ?? false
      // What a file that cannot be read says is not known, so nothing is missing in it.
      const isReadable = index === undefined || file !== undefined
      if (isReadable && (comparison === undefined || index?.change.isTouched || isLastTouched))
        remarks.push(...reviewIndex(repository, file, last))
      if (last && isInUse(file))
        remarks.push(
          ...compareWords(
            formatPath({ kind: 'version', ...repository, version: last.version }),
            last.content,
            isLastTouched,
          ),
        )
      return remarks
    },
    count: () => counts,
  }
}

/** Checks the files of a version together. */
function checkFilesOf(
  { owner, name, version }: { owner: string; name: string; version: string },
  about: Parameters<typeof checkBundle>[0],
  files: readonly FileEntry[],
): ReviewFinding[] {
  return checkBundle(about, files).map((problem) => placeProblem({ owner, name, version }, problem))
}

/** Returns the bytes of a file, or why there are none. */
function bytesOf(here: ReturnType<ReturnType<typeof openFileReader>> | undefined, maxBytes: number): Opened<Buffer> {
  if (!here?.value) return { refusal: here?.refusal ?? 'missing' }
  const { bytes } = here.value
  return bytes && bytes.length <= maxBytes ? { value: bytes } : { refusal: 'long' }
}

function openNeighbours(read: (path: string) => ParsedFile | undefined, dir: string): Neighbours {
  const known = new LRUCache<string, boolean>({ max: NEIGHBOURS_KEPT })
  const hasVersion = (fullName: string) => {
    const files = listContentFiles(dir, { problems: [], ignored: [] }, fullName)
    return files.some((path) => parsePath(path).value?.kind === 'version' && read(path))
  }
  const has = (fullName: string) => {
    const isThere = known.get(fullName) ?? (read(`${fullName}/index.md`)?.kind === 'repository' || hasVersion(fullName))
    known.set(fullName, isThere)
    return isThere
  }
  return { repositories: { has } }
}
