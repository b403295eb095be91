// Compares the content folder with what versions first were on the branch, and says which files are served from git instead.

import { formatPath } from '../../../src/domain/content/content-path.ts'
import { judgeVersion, type PastVersion, type VersionFiles } from '../../../src/domain/content/first-files.ts'
import { listRemoved } from '../../../src/domain/content/prompt-file.ts'
import type { Problem } from '../../../src/domain/text/problems.ts'
import { splitFullName } from '../../../src/domain/values/names.ts'
import { blobId } from '../../../src/ports/git-store.ts'
import { digestVersionFiles } from '../../../src/ports/version-digest.ts'
import { openFolder } from '../files/plain-files.ts'
import type { Git } from '../git/git-command.ts'
import { type GitFile, listEditedSince, listTree, readSmallObjects } from '../git/git-objects.ts'
import { MAX_FILE_BYTES } from './content-file.ts'
import { comparePaths, nameFile } from './content-files.ts'
import type { ContentHistory } from './content-history.ts'
import { type ContentListing, isKept, keptStamp, type ListedFile } from './content-listing.ts'
import { findVersionOf, groupAboutVersions } from './version-files.ts'
import type { PastPrompt } from './version-past.ts'

/** The rule that a changed version breaks. */
const RULE = 'version-unchanged'

/** What is served of a prompt whose versions changed. */
interface FirstFiles {
  /** The files that are read from git. */
  restored: ReadonlyMap<string, GitFile>
  /** The files of the folder that are not read. */
  hidden: ReadonlySet<string>
  problems: readonly Problem[]
  /** The numbers that are used, although nothing is served of them. */
  used: string[]
  /** Whether a version was published so recently that the head may not have it yet. */
  isUnsettled: boolean
}

/** What is served of the prompts whose versions changed, by full name. */
export type FirstFilesByPrompt = ReadonlyMap<string, FirstFiles>

/** Where to look. */
interface Comparison {
  git: Git
  contentDir: string
  /** With the lost files. */
  listing: ContentListing
  history: Pick<ContentHistory, 'head' | 'past'>
  /** The prompts whose files or commits changed; `all` if any may have. */
  affected: ReadonlySet<string> | 'all'
  /** The versions that this hub published, by full name and number. */
  published?: ReadonlyMap<string, Readonly<Record<string, { digest: string; at: number }>>>
  /** What was published after this time, in milliseconds since 1970, may be missing in the head. */
  settledMs?: number
  /** The result of the last look, which still counts for all other prompts. */
  known?: FirstFilesByPrompt
}

/** Decides what is served of the versions whose files are not what they first were: by a commit, or by an edit that nobody has committed. */
export async function findFirstFiles(comparison: Comparison): Promise<FirstFilesByPrompt> {
  const { git, listing, history, affected, published = new Map(), known = new Map() } = comparison
  const { head, past } = history
  if (head === undefined || (affected !== 'all' && affected.size === 0)) return known
  const isAffected = (fullName: string) => affected === 'all' || affected.has(fullName)
  const tree = await listTree(git, head, affected === 'all' ? ['.'] : [...affected])
  // A link in the place of a file is no file, but a change.
  const others = listing.problems.map(({ file }) => ({ path: pathOf(file), stamp: '', bytes: 0 }))
  const files = [...listing.files, ...others.filter(({ path }) => findVersionOf(path))]
  const here = groupByPrompt(files.filter(({ path }) => isAffected(promptOf(path))))
  const edits = groupByPrompt(await findEdits(comparison, tree, here))
  const atHead = groupByPrompt(Array.from(tree, ([path, file]) => ({ path, ...file })))
  const found = new Map([...known].filter(([fullName]) => !isAffected(fullName)))
  const named = [...past.keys(), ...published.keys()].filter(isAffected)
  for (const fullName of new Set([...named, ...edits.keys()])) {
    const decided = await decide(comparison, {
      fullName,
      head,
      past: past.get(fullName),
      here: here.get(fullName) ?? [],
      atHead: atHead.get(fullName) ?? [],
      edits: edits.get(fullName) ?? [],
    })
    if (
      decided.restored.size + decided.hidden.size + decided.problems.length + decided.used.length > 0 ||
      decided.isUnsettled
    )
      found.set(fullName, decided)
  }
  return found
}

/** A file of a published version that differs from the head. */
interface EditedFile {
  path: string
  /** Empty for what is no regular file. */
  id: string
}

/** Finds the files of published versions that differ from the head. */
async function findEdits(
  { git, contentDir, affected, history: { head = '', past } }: Comparison,
  tree: ReadonlyMap<string, GitFile>,
  here: ReadonlyMap<string, readonly ListedFile[]>,
): Promise<EditedFile[]> {
  const edits: EditedFile[] = []
  // Git knows by its index which files are the same; reading them all takes longer.
  const suspects = affected === 'all' ? await listEditedSince(git, 'HEAD') : undefined
  const folder = openFolder(contentDir)
  for (const files of here.values())
    for (const { path, stamp } of files) {
      const at = findVersionOf(path)
      if (!at || isKept(stamp)) continue
      const isPublished =
        tree.has(`${at.fullName}/versions/${at.version}.md`) || past.get(at.fullName)?.versions.has(at.version)
      const file = tree.get(path)
      if (!isPublished || (file && suspects && stamp !== '' && !suspects.has(path))) continue
      const { value } = folder.read(path, MAX_FILE_BYTES)
      const id = value ? blobId(value, head.length) : ''
      if (id !== file?.id) edits.push({ path, id })
    }
  return edits
}

/** A prompt with its files. */
interface Candidate {
  fullName: string
  head: string
  past: PastPrompt | undefined
  here: readonly ListedFile[]
  atHead: readonly (GitFile & { path: string })[]
  edits: readonly EditedFile[]
}

async function decide(
  { git, contentDir, published, settledMs = 0 }: Comparison,
  prompt: Candidate,
): Promise<FirstFiles> {
  const { fullName, head, past, here, atHead, edits } = prompt
  const place = splitFullName(fullName)
  const restored = new Map<string, GitFile>()
  const hidden = new Set<string>()
  const problems: Problem[] = []
  const used: string[] = []
  let isUnsettled = false
  if (!place) return { restored, hidden, problems, used, isUnsettled }
  const index = formatPath({ kind: 'repository', ...place })
  // A prompt may have a thousand versions with hundreds of files each, so its files are grouped once.
  const hereByVersion = filesByVersion(here)
  const idAtHead = new Map(atHead.map(({ path, id }) => [path, id]))
  const listedIndex = here.find(({ path }) => path === index)
  const lastIndex = listedIndex || hereByVersion.size > 0 ? undefined : past?.lastIndex
  const idOfHead = idAtHead.get(index)
  // The folder may have lost a file that the commit still has.
  const isLost = idOfHead !== undefined && listedIndex?.stamp === keptStamp(idOfHead)
  const indexInGit = isLost ? idOfHead : lastIndex
  const removed = new Set(
    listRemoved(
      indexInGit === undefined
        ? openFolder(contentDir).read(index, MAX_FILE_BYTES).value?.toString()
        : (await readSmallObjects(git, [indexInGit], MAX_FILE_BYTES)).get(indexInGit)?.toString(),
    ),
  )
  const editedIds = new Map(edits.map(({ path, id }) => [path, id]))
  const headByVersion = filesByVersion(atHead)
  const firstOf = (version: string): PastVersion =>
    past?.versions.get(version) ?? {
      commit: head,
      wasRemoved: false,
      first: new Map(headByVersion.get(version)?.map(({ path, id }) => [path, id])),
    }
  const lost = new Set<string>()
  for (const [version, { digest, at }] of Object.entries(published?.get(fullName) ?? {})) {
    const { first } = firstOf(version)
    if (removed.has(version) || digestVersionFiles(first) === digest) continue
    if (first.size === 0 && at > settledMs) {
      isUnsettled = true
      continue
    }
    lost.add(version)
    used.push(version)
    for (const { path } of hereByVersion.get(version) ?? []) hidden.add(path)
    const file = nameFile(formatPath({ kind: 'version', ...place, version }))
    problems.push({ file, rule: RULE, key: '', message: describeLoss(first) })
  }
  const versions = new Set([...(past?.versions.keys() ?? []), ...filesByVersion(edits).keys()])
  for (const version of versions) {
    if (lost.has(version)) continue
    const now: VersionFiles = new Map(
      hereByVersion.get(version)?.map(({ path }) => [path, editedIds.get(path) ?? idAtHead.get(path) ?? '']),
    )
    const one = firstOf(version)
    const file = formatPath({ kind: 'version', ...place, version })
    const verdict = judgeVersion(file, now, one, removed.has(version))
    if (verdict.path !== undefined)
      problems.push({ file: nameFile(verdict.path), rule: RULE, key: '', message: verdict.message })
    if (verdict.serve === 'nothing') used.push(version)
    if (verdict.serve === 'found') continue
    for (const path of now.keys()) if (verdict.serve === 'nothing' || !one.first.has(path)) hidden.add(path)
    if (verdict.serve === 'first')
      for (const [path, id] of one.first) if (now.get(path) !== id) restored.set(path, { mode: '100644', id })
  }
  // Without its index.md, a prompt that was deleted as a whole would have its yanked versions back.
  if (restored.size > 0 && lastIndex !== undefined) restored.set(index, { mode: '100644', id: lastIndex })
  return { restored, hidden, problems, used, isUnsettled }
}

/** Says what became of a version that this hub published. @param first what the branch has of it */
function describeLoss(first: VersionFiles): string {
  const got = first.size === 0 ? 'nothing' : 'other bytes, which are not served'
  return `expected the version that this hub published, got ${got}: the branch was set back. Its number stays used. Put its commit back (git reflog lists it), or name the version in removed`
}

/** Lists all problems. */
export const listProblems = (prompts: FirstFilesByPrompt): Problem[] =>
  [...prompts.values()].flatMap(({ problems }) => problems)

/** Puts the first files into a listing in place of those in the folder. */
export function applyFirstFiles(listing: ContentListing, prompts: FirstFilesByPrompt): ContentListing {
  const all = [...prompts.values()]
  const restored = new Map(all.flatMap((one) => [...one.restored]))
  const hidden = new Set(all.flatMap((one) => [...one.hidden]))
  if (restored.size + hidden.size === 0) return listing
  const kept = listing.files.filter(({ path }) => !restored.has(path) && !hidden.has(path))
  const added = Array.from(restored, ([path, { id }]) => ({ path, stamp: keptStamp(id), bytes: 0 }))
  const files = [...kept, ...added].sort((a, b) => comparePaths(a.path, b.path))
  const isSettled = (path: string) => restored.has(path) || hidden.has(path)
  return { ...listing, files, problems: listing.problems.filter(({ file }) => !isSettled(pathOf(file))) }
}

/** Returns the path below the content folder that a problem names. */
const pathOf = (file: string): string => file.replace(/^content\//, '')

/** Returns the full name of the prompt that a path belongs to; of any other path, what begins it. */
export const promptOf = (path: string): string => path.split('/', 2).join('/')

function groupByPrompt<File extends { path: string }>(files: readonly File[]): Map<string, File[]> {
  return Map.groupBy(files, ({ path }) => promptOf(path))
}

const filesByVersion = <File extends { path: string }>(files: readonly File[]): Map<string, File[]> =>
  groupAboutVersions(files, ({ path }) => path)

/** Lists the prompts with a file that may have changed between two listings. */
export function listChangedPrompts(before: ContentListing, now: ContentListing): Set<string> {
  const stamps = new Map(before.files.map(({ path, stamp }) => [path, stamp]))
  const changed = new Set<string>()
  for (const { path, stamp } of now.files) {
    if (stamp === '' || stamps.get(path) !== stamp) changed.add(promptOf(path))
    stamps.delete(path)
  }
  for (const path of stamps.keys()) changed.add(promptOf(path))
  return changed
}
