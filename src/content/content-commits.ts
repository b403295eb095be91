// Lists the commits that changed the content, with what each of them changed.
import { type ChangeMark, readMark } from '../domain/catalogue/change-mark.ts'
import { LIMITS } from '../domain/limits.ts'
import { formatMoment } from '../domain/values/values.ts'
import type { Git } from '../git/git-command.ts'
import { type Change, findObjects, listDifferences, parseRaw, readObjects } from '../git/git-objects.ts'
import { parseMessage } from '../git/git-store.ts'

/** Maximum number of commits read: a history can be of any length, but recent commits matter most. */
export const MAX_COMMITS = 20_000
/** Maximum size of an `index.md` or a result whose change is described; larger files are ignored. */
export const MAX_CHANGED_BYTES = 2 * LIMITS.contentBytes
/** Maximum number of commits that are read one by one, without a process that lists them. */
const MAX_NEXT = 50
const MAX_NAME = 100
/** The end of the year 9999: git accepts any number of seconds as a time, but an out-of-range time must not make a build fail. */
const MAX_SECONDS = 253_402_300_799

/** A commit on the branch that changed content. */
export interface Commit {
  commit: string
  at: string
  /** Who made the change. */
  by: string
  /** Who published the versions that it adds: of a proposal, who proposed it, and not who accepted it. */
  publishedBy: string
  /** What else its message says. */
  mark: ChangeMark
  /** Whether it has no parent. */
  isFirst: boolean
  /** The parent on the branch. */
  parent: string | undefined
  /** What it changed; the paths are relative to the content folder. */
  entries: Change[]
}

/** Lists the commits on the branch, newest first. A merge counts as one commit by the user who merged. @param options such as `--reverse` @param paths limits the commits and their files */
export async function* listCommits(
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
      current?.entries.push({ path: record, ...parseRaw(raw) })
      raw = undefined
    } else if (text.startsWith('\x01')) {
      if (current) yield current
      const [commit = '', parents, committed = '', author = '', message = ''] = text.slice(1).split('\x02')
      const [parent] = parents ? parents.split(' ') : []
      current = { commit, ...describe({ parent, seconds: committed, author, message }), entries: [] }
    } else if (text.startsWith(':')) raw = text
  }
  if (current) yield current
}

/** Describes a commit by what git says of it. A merge counts as one commit by the user who merged. */
function describe({
  parent,
  seconds,
  author,
  message,
}: {
  parent: string | undefined
  seconds: string
  author: string
  message: string
}): Omit<Commit, 'commit' | 'entries'> {
  const { trailers } = parseMessage(message)
  const at = formatMoment(new Date(Math.min(Number(seconds) || 0, MAX_SECONDS) * 1000))
  const nameOf = (by: string) => by.replace(/\p{C}/gu, '').slice(0, MAX_NAME)
  const published = trailers.get('Published-By')
  const by = trailers.get('Changed-By') ?? trailers.get('Accepted-By') ?? published ?? author
  const publishedBy = nameOf(published ?? by)
  return { isFirst: parent === undefined, parent, at, by: nameOf(by), publishedBy, mark: readMark(trailers) }
}

/** Lists the commits that a branch gained, newest first. @returns undefined if the branch did not go on from the earlier one, or if they are many: ask git then */
export async function listNextCommits(git: Git, from: string, to: string): Promise<Commit[] | undefined> {
  const commits: Commit[] = []
  for (let commit = to, count = 0; commit !== from; count++) {
    const [object] = count < MAX_NEXT ? await readObjects(git, [commit]) : []
    const read = object?.type === 'commit' ? readCommit(object.bytes.toString()) : undefined
    if (read?.parent === undefined) return undefined
    const [tree, before] = await findObjects(git, [`${commit}:./`, `${read.parent}:./`])
    const entries = await listDifferences(git, before?.id, tree?.id)
    if (entries.length > 0) commits.push({ commit, ...describe(read), parent: read.parent, entries })
    commit = read.parent
  }
  return commits
}

/** Reads a commit object. @returns undefined if its text is in another encoding than UTF-8 @see https://git-scm.com/docs/gitformat-signature and git-commit(1), "Discussion" */
function readCommit(text: string) {
  const end = text.indexOf('\n\n')
  const headers = end === -1 ? text : text.slice(0, end)
  if (/^encoding (?!utf-?8$)/im.test(headers)) return undefined
  const [, author = ''] = /^author (.*?) ?<[^\n]*$/m.exec(headers) ?? []
  const [, seconds = ''] = /^committer .*> (\d+) [-+]\d+$/m.exec(headers) ?? []
  const [, parent] = /^parent ([0-9a-f]+)$/m.exec(headers) ?? []
  return { parent, author, seconds, message: end === -1 ? '' : text.slice(end + 2) }
}

/** Returns whether the branch went on from a commit. If it was merged as a side branch, git would leave out the merge. */
export async function isContinued(git: Git, from: string, to: string): Promise<boolean> {
  const args = ['rev-list', '--first-parent', '--parents', `--max-count=${MAX_COMMITS}`, `${from}..${to}`]
  const commits = await git.find(args).catch(() => undefined)
  return commits?.trimEnd().split('\n').at(-1)?.split(' ')[1] === from
}
