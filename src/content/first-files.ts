// Compares the content with what versions first were on the branch, and says which objects are served instead.
import { formatPath } from '../domain/content/content-path.ts'
import { judgeVersion, type PastVersion, type VersionFiles } from '../domain/content/first-files.ts'
import { listRemoved } from '../domain/content/prompt-file.ts'
import type { Problem } from '../domain/text/problems.ts'
import { splitFullName } from '../domain/values/names.ts'
import { digestVersionFiles } from '../files/measure.ts'
import type { Git } from '../git/git-command.ts'
import { findObjects, type GitFile, listTree, readSmallObjects } from '../git/git-objects.ts'
import { MAX_FILE_BYTES } from './content-file.ts'
import { nameFile, pathOf } from './content-files.ts'
import type { ContentHistory } from './content-history.ts'
import { type ContentListing, type ListedFile, mapParts, NO_FILES, promptOf, replaceFiles } from './content-listing.ts'
import type { ContentLook } from './content-source.ts'
import { groupAboutVersions } from './version-files.ts'
import type { PastPrompt } from './version-past.ts'

/** The rule that a changed version breaks. */
const RULE = 'version-unchanged'

/** What is served of a prompt whose versions changed. */
interface FirstFiles {
  /** The files that are served as they first were. */
  restored: readonly ListedFile[]
  /** The paths that are not served as they are. */
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
  /** Git, with the objects of the listing. */
  git: Git
  look: Pick<ContentLook, 'isCommitted' | 'listing' | 'edited'>
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

/** Above this number of prompts, the tree of the head is listed as a whole. */
const MAX_NAMED_PROMPTS = 200

/** Decides what is served of the versions whose files are not what they first were: by a commit, or by an edit that nobody has committed. */
export async function findFirstFiles(comparison: Comparison): Promise<FirstFilesByPrompt> {
  const { git, look, history, affected, published = new Map(), known = new Map() } = comparison
  const { head, past } = history
  if (head === undefined || (affected !== 'all' && affected.size === 0)) return known
  const isAffected = (fullName: string) => affected === 'all' || affected.has(fullName)
  const edited = Map.groupBy(look.edited, promptOf)
  const named = new Set([...past.keys(), ...published.keys(), ...edited.keys()].filter(isAffected))
  named.delete('')
  // Of all others, the head has what the listing has.
  const asked = new Set(look.isCommitted ? [...named].filter((fullName) => edited.has(fullName)) : named)
  const places = asked.size > MAX_NAMED_PROMPTS ? ['.'] : [...asked]
  const tree = places.length === 0 ? new Map<string, GitFile>() : await listTree(git, head, places)
  const atHead = Map.groupBy(
    Array.from(tree, ([path, file]) => ({ path, ...file })),
    ({ path }) => promptOf(path),
  )
  const found = new Map([...known].filter(([fullName]) => !isAffected(fullName)))
  for (const fullName of named) {
    const decided = await decide(comparison, {
      fullName,
      head,
      past: past.get(fullName),
      atHead: asked.has(fullName) ? (atHead.get(fullName) ?? []) : undefined,
      edited: edited.get(fullName) ?? [],
    })
    if (
      decided.restored.length + decided.hidden.size + decided.problems.length + decided.used.length > 0 ||
      decided.isUnsettled
    )
      found.set(fullName, decided)
  }
  return found
}

/** A prompt with its files. */
interface Candidate {
  fullName: string
  head: string
  past: PastPrompt | undefined
  /** The files of the head; undefined if they are those of the listing. */
  atHead: readonly (GitFile & { path: string })[] | undefined
  edited: readonly string[]
}

async function decide(
  { git, look, published, settledMs = 0 }: Comparison,
  { fullName, head, past, atHead, edited }: Candidate,
): Promise<FirstFiles> {
  const place = splitFullName(fullName)
  const restored = new Map<string, string>()
  const hidden = new Set<string>()
  const problems: Problem[] = []
  const used: string[] = []
  let isUnsettled = false
  if (!place) return { restored: [], hidden, problems, used, isUnsettled }
  const index = formatPath({ kind: 'repository', ...place })
  const { files, problems: refused } = look.listing.prompts.get(fullName) ?? NO_FILES
  // A link in the place of a file is no file, but a change.
  const others = refused.map(({ file }) => ({ path: pathOf(file), id: '' }))
  // A prompt may have a thousand versions with hundreds of files each, so its files are grouped once.
  const hereByVersion = filesByVersion([...files, ...others])
  const headByVersion: ReadonlyMap<string, readonly { path: string; id: string }[]> = atHead
    ? filesByVersion(atHead)
    : hereByVersion
  const indexHere = files.find(({ path }) => path === index)?.id
  const lastIndex = indexHere !== undefined || hereByVersion.size > 0 ? undefined : past?.lastIndex
  const removed = new Set(listRemoved(await readIndex(git, indexHere ?? lastIndex)))
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
  const isPublished = (version: string) =>
    past?.versions.has(version) || headByVersion.get(version)?.some(({ path }) => path.endsWith(`/${version}.md`))
  const editedVersions = [...groupAboutVersions(edited, (path) => path).keys()].filter(isPublished)
  for (const version of new Set([...(past?.versions.keys() ?? []), ...editedVersions])) {
    if (lost.has(version)) continue
    const now: VersionFiles = new Map(hereByVersion.get(version)?.map(({ path, id }) => [path, id]))
    const one = firstOf(version)
    const file = formatPath({ kind: 'version', ...place, version })
    const verdict = judgeVersion(file, now, one, removed.has(version))
    if (verdict.path !== undefined)
      problems.push({ file: nameFile(verdict.path), rule: RULE, key: '', message: verdict.message })
    if (verdict.serve === 'nothing') used.push(version)
    if (verdict.serve === 'found') continue
    for (const path of now.keys()) if (verdict.serve === 'nothing' || !one.first.has(path)) hidden.add(path)
    if (verdict.serve === 'first') for (const [path, id] of one.first) if (now.get(path) !== id) restored.set(path, id)
  }
  // Without its index.md, a prompt that was deleted as a whole would have its yanked versions back.
  if (restored.size > 0 && lastIndex !== undefined) restored.set(index, lastIndex)
  const found = await findObjects(git, [...restored.values()])
  const listed = Array.from(restored, ([path, id], at) => ({ path, id, bytes: found[at]?.size ?? 0 }))
  return { restored: listed, hidden, problems, used, isUnsettled }
}

async function readIndex(git: Git, id: string | undefined): Promise<string | undefined> {
  return id === undefined ? undefined : (await readSmallObjects(git, [id], MAX_FILE_BYTES)).get(id)?.toString()
}

/** Says what became of a version that this hub published. @param first what the branch has of it */
function describeLoss(first: VersionFiles): string {
  const got = first.size === 0 ? 'nothing' : 'other bytes, which are not served'
  return `expected the version that this hub published, got ${got}: the branch was set back. Its number stays used. Put its commit back (git reflog lists it), or name the version in removed`
}

/** Lists all problems. */
export const listProblems = (prompts: FirstFilesByPrompt): Problem[] =>
  [...prompts.values()].flatMap(({ problems }) => problems)

/** Puts the first files into a listing in place of those that are there. */
export function applyFirstFiles(listing: ContentListing, prompts: FirstFilesByPrompt): ContentListing {
  return mapParts(listing, prompts, (part, { restored, hidden }) => {
    const settled = new Set([...hidden, ...restored.map(({ path }) => path)])
    if (settled.size === 0) return part
    const problems = part.problems.filter(({ file }) => !settled.has(pathOf(file)))
    return replaceFiles({ ...part, problems }, [...part.files.filter(({ path }) => !settled.has(path)), ...restored])
  })
}

const filesByVersion = <File extends { path: string }>(files: readonly File[]): Map<string, File[]> =>
  groupAboutVersions(files, ({ path }) => path)
