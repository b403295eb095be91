// Builds the fresh copy that shows a new version before the next build.
import { addressesBelow } from '../../domain/api/record-links.ts'
import { DATA_FILES } from '../../domain/api/routes.ts'
import type { Repository, VersionSummary } from '../../domain/api/schema.ts'
import { describeRepository, recordVersion, summariseVersion } from '../../domain/catalogue/repository-records.ts'
import { sortVersions } from '../../domain/catalogue/versions.ts'
import type { VersionEntry } from '../../domain/content/content-tree.ts'
import { parseVersionFile } from '../../domain/content/prompt-file.ts'
import type { PublishDecision } from '../../domain/publishing/decision.ts'
import { nextLower } from '../../domain/publishing/repository-state.ts'
import type { CopyOrigin } from '../../ports/fresh-copies.ts'
import { decodeText, type FolderState, type GitStore } from '../../ports/git-store.ts'
import { measure } from '../../ports/measure.ts'
import { parseBuilt } from '../../ports/site-files.ts'
import { findNewest, type Sources } from '../read/records.ts'

/** A publish as it stands in git now. */
export interface Published {
  owner: string
  name: string
  /** What was read before the commit. */
  folder: FolderState
  decision: PublishDecision
  /** The commit that it made. */
  commit: string
}

/** Versions that came by a pull request or by hand may be known neither to the build nor to a copy. So many of them are read from git, the highest first; the next build lists the others. */
const MOST_UNKNOWN = 50
const READ_MS = 8_000

/**
 * Makes and keeps the copy that shows a publish at once.
 *
 * @param now when it is kept
 * @throws whatever the stores throw; the publish itself is done by then
 */
export async function renewFreshCopy(
  published: Published,
  sources: Sources & { baseUrl: string; git: GitStore },
  now: Date,
): Promise<void> {
  const { owner, name, folder, decision, commit } = published
  const origin: CopyOrigin = { commit, kept_at: now.toISOString() }
  // The version is kept first, so that no copy ever names a version that cannot be read.
  if (!decision.isUnchanged) await sources.fresh.keepVersion({ ...origin, version: decision.record })
  const { built, copy } = await findNewest(owner, name, sources)
  // A copy with a version that neither this publish nor its base has was made by a later publish, and lists this version already.
  const isKnown = (version: string) => version === decision.version.version || folder.versions.has(version)
  if (copy?.versions.some(({ version }) => !isKnown(version))) return
  const addresses = addressesBelow(sources.baseUrl)
  const summarise = (entry: VersionEntry) =>
    summariseVersion(entry, decision.file, addresses.version(owner, name, entry.version))
  // Yanks are taken from `index.md`, because the copy and the build may be older than it.
  const markYanked = (summary: VersionSummary): VersionSummary => {
    const reason = Object.hasOwn(decision.file.yanked, summary.version) ? decision.file.yanked[summary.version]! : null
    return { ...summary, yanked: reason !== null, yank_reason: reason }
  }
  // A build may list what was removed from git since.
  const listed = copy?.versions ?? (await readBuiltVersions(published, sources)).filter((one) => isKnown(one.version))
  const summaries = new Map(listed.map((summary) => [summary.version, markYanked(summary)]))
  summaries.set(decision.version.version, summarise(decision.version))
  const numbers = sortVersions([...folder.versions.keys()])
  for (const version of numbers.filter((known) => !summaries.has(known)).slice(0, MOST_UNKNOWN)) {
    const entry = await readVersion(version, folder, sources.git)
    // A file that cannot be read leaves out its own version only.
    if (!entry) continue
    // This version too is kept before the copy, because the build has no file that would answer it.
    const record = recordVersion(entry, nextLower(numbers, version), { owner, name }, addresses)
    await sources.fresh.keepVersion({ ...origin, version: record })
    summaries.set(version, summarise(entry))
  }
  const versions = sortVersions([...summaries.keys()]).map((version) => summaries.get(version)!)
  // The highest may not be ours: when our commit was found only by a later round, another process may have published in between.
  const highest = versions.find(({ yanked }) => !yanked)?.version
  const latest =
    highest === undefined || highest === decision.version.version
      ? decision.version
      : await readVersion(highest, folder, sources.git)
  if (!latest) throw new Error(`version ${highest} cannot be read`)
  const stats = copy?.repository.stats ?? (built ? parseBuilt<{ data: Repository }>(built).data.stats : null)
  const repository = describeRepository({ owner, name, file: decision.file, versions, latest, stats }, addresses)
  // The store has no dependable compare-and-swap, so a copy with more versions that another process wrote meanwhile is kept.
  const meanwhile = await sources.fresh.find(owner, name)
  if (meanwhile && meanwhile.repository.versions_count > repository.versions_count) return
  await sources.fresh.keep({ ...origin, repository, versions })
}

async function readBuiltVersions({ owner, name }: Published, { siteFiles }: Sources): Promise<VersionSummary[]> {
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
