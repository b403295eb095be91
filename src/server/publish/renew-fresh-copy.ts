// Builds the fresh copy that shows a new version before the next build.
import { addressesBelow } from '../../domain/api/record-links.ts'
import { DATA_FILES } from '../../domain/api/routes.ts'
import type { Repository, VersionRecord, VersionSummary } from '../../domain/api/schema.ts'
import { listChanges, MAX_ACTIVITIES } from '../../domain/catalogue/activity.ts'
import { describeRepository, recordVersion, summariseVersion } from '../../domain/catalogue/repository-records.ts'
import { sortVersions } from '../../domain/catalogue/versions.ts'
import type { VersionEntry } from '../../domain/content/content-tree.ts'
import { parseVersionFile, type RepositoryFile } from '../../domain/content/prompt-file.ts'
import { formatMoment } from '../../domain/content/values.ts'
import { nextLower, readIndex } from '../../domain/publishing/repository-state.ts'
import type { CopyOrigin } from '../../ports/fresh-copies.ts'
import { decodeText, type FolderState, type GitStore } from '../../ports/git-store.ts'
import { measure } from '../../ports/measure.ts'
import { parseBuilt } from '../../ports/site-files.ts'
import { findNewest, type Sources } from '../read/records.ts'

/** A repository as a write left it. */
export interface Written {
  owner: string
  name: string
  /** What was read before the commit. */
  folder: FolderState
  /** What `index.md` says now. */
  file: RepositoryFile
  /** A version that was read or written with it, which need not be read again. */
  entry: VersionEntry | undefined
  /** The record of the version that was added. */
  added: VersionRecord | undefined
}

/** What readers see of a repository. */
interface Shown {
  repository: Repository
  /** Highest first. */
  versions: VersionSummary[]
}

type Stores = Sources & { baseUrl: string; git: GitStore }

/** Versions that came by a pull request or by hand may be known neither to the build nor to a copy. So many of them are read from git, the highest first; the next build lists the others. */
const MAX_UNKNOWN = 50
const READ_MS = 8_000
/** How often a copy is made anew because somebody else kept one meanwhile. */
const MAX_RENEWALS = 5

/**
 * Makes and keeps the copy that shows a write at once. When another process kept one since `before`, git is read again: whoever keeps last has read last.
 *
 * @param commit the commit that the write made
 * @param by who wrote
 * @param before the commit of the copy that was there when the write was decided, or undefined without one
 * @param now when it is kept
 * @throws whatever the stores throw; the write itself is done by then
 */
export async function renewFreshCopy(
  written: Written & { commit: string; before: string | undefined; by: string },
  sources: Stores,
  now: Date,
): Promise<void> {
  const { owner, name, added } = written
  let origin: CopyOrigin = { commit: written.commit, kept_at: now.toISOString() }
  // The version is kept first, so that no copy ever names a version that cannot be read.
  if (added) await sources.fresh.keepVersion({ ...origin, version: added })
  let state: Written = written
  let { before } = written
  const changed = listChanges(readIndex({ owner, name }, written.folder.index), written.file, {
    ...{ by: written.by, at: formatMoment(now), commit: written.commit },
  })
  for (let renewal = 0; renewal < MAX_RENEWALS; renewal++) {
    const shown = await showRepository(state, sources, origin)
    if (!shown) return
    const meanwhile = await sources.fresh.find(owner, name)
    // The store has no dependable compare-and-swap, so a copy with more versions that another process wrote meanwhile is kept.
    if (meanwhile && meanwhile.repository.versions_count > shown.repository.versions_count) return
    if (meanwhile?.commit === before) {
      const activity = [...changed, ...(meanwhile?.activity ?? [])].slice(0, MAX_ACTIVITIES)
      await sources.fresh.keep({ ...origin, ...shown, activity })
      return
    }
    before = meanwhile?.commit
    const folder = await sources.git.readFolder({ owner, name }, { signal: AbortSignal.timeout(READ_MS) })
    state = { ...state, folder, file: readIndex({ owner, name }, folder.index) }
    origin = { ...origin, commit: folder.head }
  }
}

/**
 * Makes the records of a repository from what git, the build and the copy have.
 *
 * @param origin under which versions that nobody knew are kept; left out, they are not kept
 * @returns undefined when a later publish kept a copy, which shows this write already
 */
export async function showRepository(
  written: Written,
  sources: Stores,
  origin?: CopyOrigin,
): Promise<Shown | undefined> {
  const { owner, name, folder, file, entry: given } = written
  const { built, copy } = await findNewest(owner, name, sources)
  // A copy with a version that neither this write nor its base has was made by a later publish, and lists this version already.
  const isKnown = (version: string) => version === given?.version || folder.versions.has(version)
  if (copy?.versions.some(({ version }) => !isKnown(version))) return undefined
  const addresses = addressesBelow(sources.baseUrl)
  const summarise = (entry: VersionEntry) =>
    summariseVersion(entry, file, addresses.version(owner, name, entry.version))
  // Yanks are taken from `index.md`, because the copy and the build may be older than it.
  const markYanked = (summary: VersionSummary): VersionSummary => {
    const reason = Object.hasOwn(file.yanked, summary.version) ? file.yanked[summary.version]! : null
    return { ...summary, yanked: reason !== null, yank_reason: reason }
  }
  // A build may list what was removed from git since.
  const listed = copy?.versions ?? (await readBuiltVersions(written, sources)).filter((one) => isKnown(one.version))
  const summaries = new Map(listed.map((summary) => [summary.version, markYanked(summary)]))
  if (given) summaries.set(given.version, summarise(given))
  const numbers = sortVersions([...new Set([...folder.versions.keys(), ...(given ? [given.version] : [])])])
  for (const version of numbers.filter((known) => !summaries.has(known)).slice(0, MAX_UNKNOWN)) {
    const entry = await readVersion(version, folder, sources.git)
    // A file that cannot be read leaves out its own version only.
    if (!entry) continue
    // This version too is kept before the copy, because the build has no file that would answer it.
    const record = recordVersion(entry, nextLower(numbers, version), { owner, name }, addresses)
    if (origin) await sources.fresh.keepVersion({ ...origin, version: record })
    summaries.set(version, summarise(entry))
  }
  const versions = sortVersions([...summaries.keys()]).map((version) => summaries.get(version)!)
  // The highest may not be ours: when our commit was found only by a later round, another process may have published in between.
  const highest = versions.find(({ yanked }) => !yanked)?.version
  const latest =
    highest === undefined
      ? undefined
      : highest === given?.version
        ? given
        : await readVersion(highest, folder, sources.git)
  if (!latest && highest !== undefined) throw new Error(`version ${highest} cannot be read`)
  const stats = copy?.repository.stats ?? (built ? parseBuilt<{ data: Repository }>(built).data.stats : null)
  return { repository: describeRepository({ owner, name, file, versions, latest, stats }, addresses), versions }
}

async function readBuiltVersions({ owner, name }: Written, { siteFiles }: Sources): Promise<VersionSummary[]> {
  const built = await siteFiles.read(DATA_FILES.versions(owner, name))
  return built ? parseBuilt<{ data: VersionSummary[] }>(built).data : []
}

/** How often reading a version is tried. The publish is done and only its copy is missing, so one failure should not keep it unseen. */
const READ_ATTEMPTS = 3

async function readVersion(
  version: string,
  { versions }: FolderState,
  git: GitStore,
): Promise<VersionEntry | undefined> {
  const bytes = await readBlob(versions.get(version)!, git)
  const { value } = parseVersionFile(decodeText(version, bytes))
  return value && { ...value, ...measure(value.content), version }
}

async function readBlob(id: string, git: GitStore, attempt = 1): Promise<Uint8Array> {
  try {
    return await git.readBlob(id, { signal: AbortSignal.timeout(READ_MS) })
  } catch (error) {
    if (attempt === READ_ATTEMPTS) throw error
    return readBlob(id, git, attempt + 1)
  }
}
