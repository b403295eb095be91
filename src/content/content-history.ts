// Reads the history of the content from git: who changed labels, yanks, status and text fields in each `index.md`, and when, when versions were added, and what those first were that changed since.

import type { Activity } from '../domain/api/schema.ts'
import { listChanges, MAX_ACTIVITIES } from '../domain/catalogue/activity.ts'
import { type ChangeMark, markFor } from '../domain/catalogue/change-mark.ts'
import { parsePath } from '../domain/content/content-path.ts'
import { DEFAULT_REPOSITORY_FILE, parseRepositoryFile, type RepositoryFile } from '../domain/content/prompt-file.ts'
import { createGit, findTop, type Git } from '../git/git-command.ts'
import { type Change, isRegular, listTree, readSmallObjects } from '../git/git-objects.ts'
import { gitNotOpened, isOwnerRefused } from '../git/git-work-tree.ts'
import { logProblem } from '../log.ts'
import {
  type Commit,
  isContinued,
  listCommits,
  listNextCommits,
  MAX_CHANGED_BYTES,
  MAX_COMMITS,
} from './content-commits.ts'
import { findVersionOf } from './version-files.ts'
import { joinPast, type PastPrompt, readPast } from './version-past.ts'

const FILES_AT_ONCE = 200
/** The ID of a commit. */
const ID = /^[0-9a-f]{40,64}$/

/** The activity found in the history. */
export interface ContentHistory {
  /** The newest commit read; undefined if git is unavailable. */
  head: string | undefined
  /** The time before which nothing is known; null if the whole history was read. */
  since: string | null
  /** The changes by the repository's full name, newest first, at most 100 each. */
  changes: Map<string, readonly Activity[]>
  /** When the files of versions came to the branch, by the repository's full name: times by version, as JSON. */
  added: Map<string, string>
  /** What the versions first were that did not stay so, by the repository's full name. */
  past: Map<string, PastPrompt>
  /** The repositories that the commits changed since the earlier result; `all` if everything was read. */
  touched: ReadonlySet<string> | 'all'
}

interface FileChange {
  fullName: string
  /** Blob IDs; undefined if there was no file. */
  before: string | undefined
  after: string
  commit: string
  at: string
  by: string
  mark: ChangeMark
}

/**
 * Reads the history, or only its new part.
 *
 * @param known an earlier result; if the branch no longer contains its head, the whole history is read again
 * @param now the current time, before which nothing is known if git is unavailable
 * @param commit the newest commit to read
 */
export async function readHistory(
  contentDir: string,
  environment: Readonly<Record<string, string | undefined>>,
  now: string,
  known?: ContentHistory,
  commit = 'HEAD',
): Promise<ContentHistory> {
  const git = createGit(contentDir, environment)
  const find = (...args: string[]) => git.find(args).catch(() => undefined)
  const isNamed = !ID.test(commit) && findTop(contentDir) !== undefined
  const head = isNamed ? await find('rev-parse', '--verify', commit) : ID.exec(commit)?.[0]
  if (head === undefined) {
    if (isNamed) await warnIfRefused(git)
    return { head, since: now, changes: new Map(), added: new Map(), past: new Map(), touched: 'all' }
  }
  if (head === known?.head) return { ...known, touched: new Set() }
  const next = known?.head === undefined ? undefined : await listNextChanges(git, known.head, head)
  const before = next && known
  const { files, versions, commits, oldest, changed, touched } = next ?? (await gatherChanges(listCommits(git, head)))
  const changes = new Map(before?.changes)
  const compared = await compareFiles(git, files)
  for (const [fullName, found] of compared.changes)
    changes.set(fullName, [...found, ...(changes.get(fullName) ?? [])].slice(0, MAX_ACTIVITIES))
  const added = new Map(before?.added)
  for (const [fullName, times] of versions)
    added.set(fullName, JSON.stringify({ ...times, ...JSON.parse(added.get(fullName) ?? '{}'), ...times }))
  await keepTimes(git, compared.successions, added)
  for (const [fullName, { versions }] of before?.past ?? [])
    if (touched.has(fullName)) changed.set(fullName, new Set([...versions.keys(), ...(changed.get(fullName) ?? [])]))
  const start = before?.head ?? oldest?.parent
  const listPart = (paths: readonly string[]) =>
    listCommits(git, start === undefined ? head : `${start}..${head}`, ['--reverse'], paths)
  const past = joinPast(before?.past, await readPast(git, { start, listCommits: listPart, changed }))
  if (before && commits < MAX_COMMITS) return { head, since: before.since, changes, added, past, touched }
  const isShallow = (await find('rev-parse', '--is-shallow-repository')) !== 'false'
  const since = isShallow || commits >= MAX_COMMITS ? (oldest?.at ?? now) : null
  return { head, since, changes, added, past, touched: before ? touched : 'all' }
}

/** Lists the changes since a commit. @returns undefined if the branch did not go on from it */
async function listNextChanges(git: Git, from: string, to: string) {
  const commits = await listNextCommits(git, from, to)
  if (commits) return gatherChanges(commits)
  const [isOn, changes] = await Promise.all([
    isContinued(git, from, to),
    gatherChanges(listCommits(git, `${from}..${to}`)).catch(() => undefined),
  ])
  return isOn ? changes : undefined
}

/** Without this line, an operator would only see that a build has no history. */
async function warnIfRefused(git: Git): Promise<void> {
  const { stderr } = await git.tryRun(['rev-parse', '--verify', 'HEAD']).catch(() => ({ stderr: '' }))
  if (isOwnerRefused(stderr))
    logProblem('warning', 'history_unread', 'The history of the content was not read.', {
      cause: gitNotOpened(stderr).cause,
    })
}

/** Gathers the changes of commits, newest first, at most 100 for each `index.md`, when versions were added, and which did not stay as they came. */
async function gatherChanges(list: AsyncIterable<Commit> | Iterable<Commit>) {
  const changed = new Map<string, Set<string>>()
  const touched = new Set<string>()
  const files: FileChange[] = []
  const versions = new Map<string, Record<string, string>>()
  const counts = new Map<string, number>()
  let commits = 0
  let oldest: { at: string; parent: string | undefined } | undefined
  for await (const { entries, isFirst, parent, commit, at, by, mark } of list) {
    const origin = { commit, at, by, mark }
    commits++
    oldest = { at, parent }
    noteVersions(entries, changed, touched)
    const places = entries.map(({ path, ...change }) => ({ ...change, place: parsePath(path).value }))
    const begun = new Set(
      places.flatMap(({ status, place }) =>
        place?.kind === 'version' && status === 'A' ? [`${place.owner}/${place.name}`] : [],
      ),
    )
    for (const { before, after, status, place } of places) {
      // What a history begins with may have been there for longer: an import or a shallow clone.
      if (place?.kind === 'version' && status !== 'D' && !isFirst) {
        const times = versions.get(`${place.owner}/${place.name}`) ?? {}
        times[place.version] ??= at
        versions.set(`${place.owner}/${place.name}`, times)
      }
      if (place?.kind !== 'repository' || status === 'D') continue
      const fullName = `${place.owner}/${place.name}`
      // A file added together with versions marks the start of the repository: an import or a shallow clone.
      if (status === 'A' && begun.has(fullName)) continue
      const count = counts.get(fullName) ?? 0
      counts.set(fullName, count + 1)
      if (count < MAX_ACTIVITIES)
        files.push({ fullName, before: status === 'A' ? undefined : before.id, after: after.id, ...origin })
    }
  }
  return { files, versions, commits, oldest, changed, touched }
}

/** Notes the versions that a commit changes, and that are not added by it as a whole. */
function noteVersions(entries: readonly Change[], changed: Map<string, Set<string>>, touched: Set<string>): void {
  const added = new Set(entries.flatMap(({ status, path }) => (status === 'A' && path.endsWith('.md') ? [path] : [])))
  for (const { path, before, after, status } of entries) {
    touched.add(path.split('/', 2).join('/'))
    const at = findVersionOf(path)
    if (!at) continue
    // Whether a file is executable is not part of a version.
    if (status === 'M' && isRegular(after) && isRegular(before) && before.id === after.id) continue
    const { fullName, version } = at
    if (status === 'A' && added.has(`${fullName}/versions/${version}.md`)) continue
    changed.set(fullName, (changed.get(fullName) ?? new Set()).add(version))
  }
}

/** Lists the effects of each change by full name, newest first, and the changes that named a successor, oldest first. Unreadable files are skipped. */
async function compareFiles(git: Git, files: readonly FileChange[]) {
  const changes = new Map<string, Activity[]>()
  const successions: Succession[] = []
  for (let from = 0; from < files.length; from += FILES_AT_ONCE) {
    const part = files.slice(from, from + FILES_AT_ONCE)
    const states = await readFiles(git, [...new Set(part.flatMap(({ before, after }) => [before ?? after, after]))])
    for (const { fullName, before, after, mark, ...origin } of part) {
      const [old, now] = [before === undefined ? DEFAULT_REPOSITORY_FILE : states.get(before), states.get(after)]
      if (!old || !now) continue
      changes.set(fullName, [
        ...(changes.get(fullName) ?? []),
        ...listChanges(old, now, { ...origin, ...markFor(mark, fullName.split('/')[1]!) }),
      ])
      const { commit, at } = origin
      if (now.moved_to !== null && now.moved_to !== old.moved_to)
        successions.unshift({ commit, at, before: fullName, now: now.moved_to })
    }
  }
  return { changes, successions }
}

/** Reads files by blob ID. A submodule's commit is not a file, and an old file may be of any length. */
async function readFiles(git: Git, ids: readonly string[]): Promise<Map<string, RepositoryFile>> {
  const files = new Map<string, RepositoryFile>()
  for (const [id, bytes] of await readSmallObjects(git, ids, MAX_CHANGED_BYTES)) {
    const parsed = parseRepositoryFile(bytes.toString('utf8'))
    if (parsed.value) files.set(id, parsed.value)
  }
  return files
}

/** A commit that lets a prompt name a successor. */
interface Succession {
  commit: string
  /** When it came to the branch. */
  at: string
  before: string
  now: string
}

/**
 * Changes the times of versions that a commit copied while it let their prompt name the copy as its successor. The copy must have nothing else, as `npm run rename` makes it: otherwise, a version would look older in a prompt that others use. Without that, feeds would show them as new, and they could be deleted again.
 *
 * @param successions oldest first
 * @param added the times by version, as JSON, by the prompt's full name. Without a time, a version has the one in its file
 */
async function keepTimes(git: Git, successions: readonly Succession[], added: Map<string, string>) {
  for (const { commit, at, before, now } of successions) {
    if (before === now) continue
    const times: Record<string, string> = JSON.parse(added.get(now) ?? '{}')
    const copied = Object.keys(times).filter((version) => times[version] === at)
    if (copied.length === 0) continue
    const [own, others] = listVersions(await listTree(git, commit, [before, now]), [before, now])
    if (!others!.entries().every(([version, files]) => own!.get(version) === files)) continue
    const first: Record<string, string> = JSON.parse(added.get(before) ?? '{}')
    for (const version of copied) {
      if (!others!.has(version)) continue
      if (first[version] === undefined) delete times[version]
      else times[version] = first[version]
    }
    added.set(now, JSON.stringify(times))
  }
}

/** Describes the files of each version of prompts. */
function listVersions(tree: ReadonlyMap<string, { id: string }>, names: readonly string[]): Map<string, string>[] {
  const found = new Map(names.map((fullName) => [fullName, new Map<string, string>()]))
  for (const [path, { id }] of tree) {
    const { fullName = '', version = '' } = findVersionOf(path) ?? {}
    const versions = found.get(fullName)
    versions?.set(version, `${versions.get(version) ?? ''}${path.slice(fullName.length)} ${id}\n`)
  }
  return [...found.values()]
}
