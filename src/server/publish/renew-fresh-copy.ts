// Builds the fresh copy that makes a new version visible before the next build.

import { parseBuilt } from '../../built/site-files.ts'
import { addressesBelow, DATA_FILES } from '../../domain/api/data-paths.ts'
import type { ListEnvelope } from '../../domain/api/envelope.ts'
import type { ModelUse, Repository, Result, VersionRecord, VersionSummary } from '../../domain/api/schema.ts'
import { listChanges, MAX_ACTIVITIES } from '../../domain/catalogue/activity.ts'
import { type ChangeMark, markFor } from '../../domain/catalogue/change-mark.ts'
import { describeRepository, recordVersion, summariseVersion } from '../../domain/catalogue/repository-records.ts'
import type { VersionEntry } from '../../domain/content/content-tree.ts'
import type { Models } from '../../domain/content/models.ts'
import { parseVersionFile, type RepositoryFile } from '../../domain/content/prompt-file.ts'
import { nextLower, readIndex, recallVersion } from '../../domain/publishing/repository-state.ts'
import { isSameJson } from '../../domain/text/json.ts'
import type { VersionFileBytes } from '../../domain/values/file-entry.ts'
import { formatMoment } from '../../domain/values/values.ts'
import { sortVersions } from '../../domain/values/versions.ts'
import { measure } from '../../files/measure.ts'
import { decodeText, type FolderState, type GitStore } from '../../git/git-store.ts'
import type { CopyOrigin, FreshCopies, FreshCopy } from '../../state/fresh-copies.ts'
import type { Sources } from '../hub.ts'
import { findNewest, findRepository, findVersion } from '../read/records.ts'
import { findResults } from '../read/results.ts'
import { joinServed, readResults, readVersionFiles } from './read-from-git.ts'

/** A repository after a write. */
export interface Written {
  owner: string
  name: string
  /** The folder as read before the commit. */
  folder: FolderState
  /** The current `index.md`. */
  file: RepositoryFile
  /** A version that was read or written together with `index.md` and does not need to be read again. */
  entry: VersionEntry | undefined
  /** The record of the added version. */
  added: VersionRecord | undefined
  /** The files of the added version. */
  files?: readonly VersionFileBytes[]
  /** All results of a version, after one of them was recorded. */
  tested?: { version: string; results: readonly Result[] }
  /** The text of each attestation of the added version. */
  attestations?: readonly string[]
  /** What its commit says of it. */
  mark?: ChangeMark
}

/** The records that readers see. */
interface Shown {
  repository: Repository
  /** The versions, highest first. */
  versions: VersionSummary[]
  /** See `FreshCopy`. */
  results: Record<string, readonly Result[]>
}

type Stores = Sources & { fresh: FreshCopies; baseUrl: string; git: GitStore }

/** Maximum number of versions to read from git, highest first. Versions added by pull request or by hand may be missing from both the build and the copy; the next build lists those beyond this limit. */
const MAX_UNKNOWN = 50
const READ_MS = 8_000
/** Maximum number of times to rebuild a copy because another process stored a copy in the meantime. */
const MAX_RENEWALS = 5

/**
 * Builds and stores the copy that makes a write visible immediately. If another process has stored a copy since `before`, git is read again, so that an older copy does not replace a newer one.
 *
 * @param commit the write's commit
 * @param by the author of the write
 * @param before the commit of the copy that existed when the write was decided; undefined if there was no copy
 * @param keptMs the copy's place in the order of commits and builds; see `CopyOrigin`
 * @param now for the activity
 * @throws the stores' errors; the write itself is already complete
 */
export async function renewFreshCopy(
  written: Written & { commit: string; keptMs: number; before: string | undefined; by: string },
  sources: Stores,
  now: Date,
): Promise<void> {
  const { owner, name, added } = written
  let origin: CopyOrigin = { commit: written.commit, kept_at: new Date(written.keptMs).toISOString() }
  // The version is stored first, so that no copy ever lists a version that cannot be read.
  if (added) await keepVersion(added, written, origin, sources)
  let state: Written = written
  let { before } = written
  const fileBefore = readIndex({ owner, name }, written.folder.index)
  const changed = listChanges(fileBefore, written.file, {
    commit: written.commit,
    at: formatMoment(now),
    by: written.by,
    ...(written.mark && markFor(written.mark, name)),
  })
  const signal = AbortSignal.timeout(READ_MS)
  for (let renewal = 0; renewal < MAX_RENEWALS; renewal++) {
    const shown = await showRepository(state, sources, origin)
    if (!shown) return
    const meanwhile = await sources.fresh.find('repositories', owner, name)
    // The store has no reliable compare-and-swap, so if another process has stored a copy with more versions in the meantime, that copy is kept.
    const { removed } = state.file
    const left = meanwhile?.versions.filter(({ version }) => !Object.hasOwn(removed, version)) ?? []
    if (left.length > shown.versions.length) return
    if (meanwhile?.commit === before) {
      const activity = [...changed, ...(meanwhile?.activity ?? [])].slice(0, MAX_ACTIVITIES)
      await sources.fresh.keep('repositories', { ...origin, ...shown, activity })
      return
    }
    try {
      const listed = await sources.git.readFolder({ owner, name }, { signal })
      if (added && !listed.versions.has(added.version)) throw new Error('git returned a state from before the write')
      const folder = await joinServed({ owner, name }, listed, sources)
      // From now on, the listing has the result too, and maybe others.
      state = {
        ...state,
        folder,
        tested: undefined,
        file: readIndex({ owner, name }, folder.index),
      }
      const kept_at = folder.headMs === undefined ? origin.kept_at : new Date(folder.headMs).toISOString()
      origin = { commit: folder.head, kept_at }
      before = meanwhile?.commit
    } catch (error) {
      // A single failed call to GitHub, or an outdated response, should not hide the write until the next build.
      if (renewal === MAX_RENEWALS - 1) throw error
    }
  }
}

/**
 * Builds a repository's records from git, the build and the copy.
 *
 * @param origin the origin to store with newly found versions; if omitted, they are not stored
 * @returns undefined if a later publish has stored a copy, because that copy includes this write
 */
export async function showRepository(
  written: Written,
  sources: Stores,
  origin?: CopyOrigin,
): Promise<Shown | undefined> {
  const { owner, name, folder, file, entry: given } = written
  const { built, copy } = await findNewest(owner, name, sources)
  // If the copy has a version that is neither in git's listing nor this write's, it belongs to a later publish and already lists this version.
  const isRemoved = (version: string) => Object.hasOwn(file.removed, version)
  const isKnown = (version: string) =>
    version === given?.version || (folder.versions.has(version) && !isRemoved(version))
  if (copy?.versions.some(({ version }) => !isKnown(version) && !isRemoved(version))) return undefined
  const addresses = addressesBelow(sources.baseUrl)
  const models = await readModels(sources)
  const summarise = (entry: VersionEntry, addedAt?: string) =>
    summariseVersion(entry, file, addresses.version(owner, name, entry.version), models, addedAt)
  // Yanks come from `index.md`, because the copy and the build may be older.
  const markYanked = (summary: VersionSummary): VersionSummary => {
    const reason = Object.hasOwn(file.yanked, summary.version) ? file.yanked[summary.version]! : null
    return { ...summary, yanked: reason !== null, yank_reason: reason }
  }
  // A build may list versions that were later removed from git.
  const known = copy?.versions ?? (await readBuiltVersions(written, sources))
  const listed = known.filter((one) => isKnown(one.version))
  const summaries = new Map(listed.map((summary) => [summary.version, markYanked(summary)]))
  if (given) summaries.set(given.version, summarise(given, summaries.get(given.version)?.available_at))
  const inGit = [...folder.versions.keys()].filter((version) => !isRemoved(version))
  const numbers = sortVersions([...new Set([...inGit, ...(given ? [given.version] : [])])])
  for (const version of numbers.filter((one) => !summaries.has(one)).slice(0, MAX_UNKNOWN)) {
    const entry = await readVersion(written, version, sources)
    // If a file cannot be read, only that version is omitted.
    if (!entry) continue
    // This version is also stored before the copy, because the build does not contain it.
    const place = { owner, name }
    const record = recordVersion(entry, nextLower(numbers, version), place, addresses)
    if (origin) await keepVersion(record, { files: entry.files }, origin, sources)
    // Somebody else added it since the build, with a time of their own.
    summaries.set(version, summarise(entry, origin && formatMoment(new Date(origin.kept_at))))
  }
  const versions = sortVersions([...summaries.keys()]).map((version) => summaries.get(version)!)
  // The highest version may not be from this write: if its commit was not found until a later attempt, another process may have published in between.
  const highest = versions.find(({ yanked }) => !yanked)?.version
  const latest =
    highest === undefined
      ? undefined
      : highest === given?.version
        ? given
        : await readVersion(written, highest, sources)
  if (!latest && highest !== undefined) throw new Error(`version ${highest} cannot be read`)
  const stats = copy?.repository.stats ?? (built ? parseBuilt<{ data: Repository }>(built).data.stats : null)
  const results = await showResults(written, versions, latest?.version, { copy, sources })
  const ofLatest = latest ? (results[latest.version] ?? []) : []
  const parts = { owner, name, file, versions, latest, results: ofLatest, stats }
  return { repository: describeRepository(parts, addresses), versions, results }
}

/** Returns whether readers see something else than git has. A hub that was killed after its commit, or could not ask git whether there is one, has stored no copy. */
export async function isUnseen(written: Written, sources: Stores): Promise<boolean> {
  return differs(await showRepository(written, sources), written, sources)
}

/** Returns whether readers see another record than the given one; a later publish that has stored a copy includes it. */
export async function differs(
  shown: Shown | undefined,
  { owner, name }: { owner: string; name: string },
  sources: Stores,
): Promise<boolean> {
  return shown !== undefined && !isSameJson((await findRepository(owner, name, sources))?.value(), shown.repository)
}

/** Reads the results of the latest version, and of all versions whose results a copy must have because a build may not include them. */
async function showResults(
  { owner, name, folder, tested }: Written,
  versions: readonly VersionSummary[],
  latest: string | undefined,
  { copy, sources }: { copy: FreshCopy | undefined; sources: Stores },
): Promise<Record<string, readonly Result[]>> {
  const { git } = sources
  const numbers = new Set([...Object.keys(copy?.results ?? {}), ...(latest === undefined ? [] : [latest])])
  if (tested) numbers.add(tested.version)
  const shown: Record<string, readonly Result[]> = {}
  for (const summary of versions) {
    const { version } = summary
    if (!numbers.has(version)) continue
    const known = await findResults(owner, name, version, sources)
    const call = { signal: AbortSignal.timeout(READ_MS) }
    const found =
      tested?.version === version ? tested.results : (await readResults(summary, folder, known, { git, call })).results
    if (found.length + known.length > 0) shown[version] = found
  }
  return shown
}

/** Reads what is announced about models; a build without the file knows of nothing. */
async function readModels({ siteFiles }: Sources): Promise<Models> {
  const built = await siteFiles.read(DATA_FILES.models())
  const uses = built ? parseBuilt<{ data: ModelUse[] }>(built).data : []
  return new Map(uses.map(({ prompts: _, prompts_count: __, ...status }) => [status.model, status]))
}

async function readBuiltVersions({ owner, name }: Written, { siteFiles }: Sources): Promise<VersionSummary[]> {
  const versions: VersionSummary[] = []
  for (let page = 1; ; page++) {
    const built = await siteFiles.read(DATA_FILES.versionPage(owner, name, page))
    if (!built) return versions
    const { data, meta } = parseBuilt<ListEnvelope<VersionSummary>>(built)
    versions.push(...data)
    if (page >= meta.pages) return versions
  }
}

/** Maximum number of attempts to read a version. The publish is already complete, so a single failed read should not keep it invisible. */
const READ_ATTEMPTS = 3

/** A version, with its files if they had to be read. */
type ReadEntry = VersionEntry & { files: readonly VersionFileBytes[] }

async function readVersion(
  { owner, name, folder }: Pick<Written, 'owner' | 'name' | 'folder'>,
  version: string,
  sources: Stores,
): Promise<ReadEntry | undefined> {
  const { git } = sources
  // A version never changes, so its own record says what it is, whatever git says now.
  const known = (await findVersion(owner, name, version, sources))?.value()
  if (known) return { ...recallVersion(known), files: [] }
  // A file with problems is no version.
  const { value } = parseVersionFile(decodeText(version, await readBlob(folder.versions.get(version)!, git)))
  const entry = value && { ...value, ...measure(value.content), version }
  if (!entry?.skill || !folder.folders.has(version)) return entry && { ...entry, files: [] }
  const call = { signal: AbortSignal.timeout(READ_MS) }
  const files = await readVersionFiles({ owner, name, version }, folder, { git, call })
  const { bundleFiles } = await import('../../files/archive.ts')
  return { ...entry, bundle: bundleFiles({ owner, name }, { ...entry, skill: entry.skill }, files).bundle, files }
}

/** Stores a version and, first, its files and attestations, so that no record names a file that cannot be read. */
async function keepVersion(
  version: VersionRecord,
  { files = [], attestations = [] }: Pick<Written, 'files' | 'attestations'>,
  origin: CopyOrigin,
  { fresh }: Stores,
): Promise<void> {
  if (files.length + attestations.length > 0) {
    const { owner, name } = version
    const kept = files.map(({ path, bytes }) => ({ path, base64: Buffer.from(bytes).toString('base64') }))
    const all = { files: kept, attestations: [...attestations] }
    await fresh.keep('files', { ...origin, owner, name, version: version.version, ...all })
  }
  await fresh.keep('versions', { ...origin, version })
}

async function readBlob(id: string, git: GitStore, attempt = 1): Promise<Uint8Array> {
  try {
    return await git.readBlob(id, { signal: AbortSignal.timeout(READ_MS) })
  } catch (error) {
    if (attempt === READ_ATTEMPTS) throw error
    return readBlob(id, git, attempt + 1)
  }
}
