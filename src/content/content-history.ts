// Reads the history of the content from git: who changed labels, yanks, status and text fields in each `index.md`, and when, when versions were added, and what those first were that changed since.

import type { Activity } from '../domain/api/schema.ts'
import { listChanges, MAX_ACTIVITIES } from '../domain/catalogue/activity.ts'
import { parsePath } from '../domain/content/content-path.ts'
import { DEFAULT_REPOSITORY_FILE, parseRepositoryFile, type RepositoryFile } from '../domain/content/prompt-file.ts'
import { LIMITS } from '../domain/limits.ts'
import { formatMoment } from '../domain/values/values.ts'
import { createGit, type Git } from '../git/git-command.ts'
import { parseMessage } from '../git/git-files.ts'
import { isRegular, parseRaw, readSmallObjects } from '../git/git-objects.ts'
import { gitNotOpened, isOwnerRefused } from '../git/git-standing.ts'
import { logProblem } from '../log.ts'
import { keepTimes, type Succession } from './renamed-times.ts'
import { findVersionOf } from './version-files.ts'
import { type ChangedFile, joinPast, type PastPrompt, readPast } from './version-past.ts'

/** Maximum number of commits read: a history can be of any length, but recent commits matter most. */
const MAX_COMMITS = 20_000
const FILES_AT_ONCE = 200
/** Maximum size of an `index.md`; larger files are ignored. */
const MAX_FILE_BYTES = 2 * LIMITS.contentBytes
const MAX_NAME = 100
/** The ID of a commit. */
const ID = /^[0-9a-f]{40,64}$/
/** The end of the year 9999: git accepts any number of seconds as a time, but an out-of-range time must not make a build fail. */
const MAX_SECONDS = 253_402_300_799

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
  const head = ID.test(commit) ? commit : await find('rev-parse', '--verify', commit)
  if (head === undefined) {
    await warnIfRefused(git)
    return { head, since: now, changes: new Map(), added: new Map(), past: new Map(), touched: 'all' }
  }
  if (head === known?.head) return { ...known, touched: new Set() }
  const next = known?.head === undefined ? undefined : await listNextChanges(git, known.head, head)
  const before = next && known
  const { files, versions, commits, oldest, changed, touched } = next ?? (await listFileChanges(git, head))
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
  const [isOn, changes] = await Promise.all([
    isContinued(git, from, to),
    listFileChanges(git, `${from}..${to}`).catch(() => undefined),
  ])
  return isOn ? changes : undefined
}

/** Returns whether the branch went on from a commit. If it was merged as a side branch, git would leave out the merge. */
async function isContinued(git: Git, from: string, to: string): Promise<boolean> {
  const args = ['rev-list', '--first-parent', '--parents', `--max-count=${MAX_COMMITS}`, `${from}..${to}`]
  const commits = await git.find(args).catch(() => undefined)
  return commits?.trimEnd().split('\n').at(-1)?.split(' ')[1] === from
}

/** Without this line, an operator would only see that a build has no history. */
async function warnIfRefused(git: Git): Promise<void> {
  const { stderr } = await git.tryRun(['rev-parse', '--verify', 'HEAD']).catch(() => ({ stderr: '' }))
  if (isOwnerRefused(stderr))
    logProblem('warning', 'history_unread', 'The history of the content was not read.', {
      cause: gitNotOpened(stderr).cause,
    })
}

/** Lists the changes on the branch, newest first, at most 100 for each `index.md`, when versions were added, and which did not stay as they came. */
async function listFileChanges(git: Git, range: string) {
  const changed = new Map<string, Set<string>>()
  const touched = new Set<string>()
  const files: FileChange[] = []
  const versions = new Map<string, Record<string, string>>()
  const counts = new Map<string, number>()
  let commits = 0
  let oldest: { at: string; parent: string | undefined } | undefined
  for await (const { entries, isFirst, parent, ...origin } of listCommits(git, range)) {
    commits++
    oldest = { at: origin.at, parent }
    noteVersions(entries, changed, touched)
    const places = entries.map(({ raw, path }) => ({ raw, place: parsePath(path).value }))
    const begun = new Set(
      places.flatMap(({ raw, place }) =>
        place?.kind === 'version' && raw.endsWith(' A') ? [`${place.owner}/${place.name}`] : [],
      ),
    )
    for (const { raw, place } of places) {
      const { before, after, status } = parseRaw(raw)
      // What a history begins with may have been there for longer: an import or a shallow clone.
      if (place?.kind === 'version' && status !== 'D' && !isFirst) {
        const times = versions.get(`${place.owner}/${place.name}`) ?? {}
        times[place.version] ??= origin.at
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
function noteVersions(entries: readonly ChangedFile[], changed: Map<string, Set<string>>, touched: Set<string>): void {
  const added = new Set(entries.flatMap(({ raw, path }) => (raw.endsWith(' A') && path.endsWith('.md') ? [path] : [])))
  for (const { raw, path } of entries) {
    touched.add(path.split('/', 2).join('/'))
    const at = findVersionOf(path)
    if (!at) continue
    const { before, after, status } = parseRaw(raw)
    // Whether a file is executable is not part of a version.
    if (status === 'M' && isRegular(after) && isRegular(before) && before.id === after.id) continue
    const { fullName, version } = at
    if (status === 'A' && added.has(`${fullName}/versions/${version}.md`)) continue
    changed.set(fullName, (changed.get(fullName) ?? new Set()).add(version))
  }
}

interface Commit extends Pick<FileChange, 'commit' | 'at' | 'by'> {
  /** Whether it has no parent. */
  isFirst: boolean
  /** The parent on the branch. */
  parent: string | undefined
  entries: ChangedFile[]
}

/** Lists the commits on the branch, newest first. A merge counts as one commit by the user who merged. @param options such as `--reverse` @param paths limits the commits and their files */
async function* listCommits(
  git: Git,
  range: string,
  options: readonly string[] = [],
  paths: readonly string[] = ['.'],
): AsyncGenerator<Commit, void> {
  const format = '--format=%x01%H%x02%P%x02%ct%x02%an%x02%B'
  const args = ['log', '--first-parent', '-m', '-z', '--raw', '--no-abbrev', '--no-renames', '--relative']
  let current: Commit | undefined
  let raw: string | undefined
  const log = [...args, ...options, `--max-count=${MAX_COMMITS}`, format, range, '--', ...paths]
  for await (const record of git.records(log)) {
    const text = record.trimStart()
    // Each metadata record is followed by a path, which may look like a metadata record itself.
    if (raw !== undefined) {
      current?.entries.push({ raw, path: record })
      raw = undefined
    } else if (text.startsWith('\x01')) {
      if (current) yield current
      const [commit = '', parents, committed = '', author = '', message = ''] = text.slice(1).split('\x02')
      const { trailers } = parseMessage(message)
      const at = formatMoment(new Date(Math.min(Number(committed) || 0, MAX_SECONDS) * 1000))
      const by = trailers.get('Changed-By') ?? trailers.get('Published-By') ?? author
      const [parent] = parents ? parents.split(' ') : []
      const who = by.replace(/\p{C}/gu, '').slice(0, MAX_NAME)
      current = { commit, isFirst: parent === undefined, parent, at, by: who, entries: [] }
    } else if (text.startsWith(':')) raw = text
  }
  if (current) yield current
}

/** Lists the effects of each change by full name, newest first, and the changes that named a successor, oldest first. Unreadable files are skipped. */
async function compareFiles(git: Git, files: readonly FileChange[]) {
  const changes = new Map<string, Activity[]>()
  const successions: Succession[] = []
  for (let from = 0; from < files.length; from += FILES_AT_ONCE) {
    const part = files.slice(from, from + FILES_AT_ONCE)
    const states = await readFiles(git, [...new Set(part.flatMap(({ before, after }) => [before ?? after, after]))])
    for (const { fullName, before, after, ...origin } of part) {
      const [old, now] = [before === undefined ? DEFAULT_REPOSITORY_FILE : states.get(before), states.get(after)]
      if (!old || !now) continue
      changes.set(fullName, [...(changes.get(fullName) ?? []), ...listChanges(old, now, origin)])
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
  for (const [id, bytes] of await readSmallObjects(git, ids, MAX_FILE_BYTES)) {
    const parsed = parseRepositoryFile(bytes.toString('utf8'))
    if (parsed.value) files.set(id, parsed.value)
  }
  return files
}
