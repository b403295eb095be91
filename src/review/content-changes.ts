// Compares a content folder with a base commit, to determine which versions existed, which changed, and which must not change.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FileState } from '../content/content-walk.ts'
import { parsePath } from '../domain/content/content-path.ts'
import type { RuleProblem } from '../domain/text/problems.ts'
import { createGit, GIT_USAGE, type Git } from '../git/git-command.ts'
import { gitNotOpened, isOwnerRefused } from '../git/git-work-tree.ts'
import type { FileChange } from './rules/review.ts'

/** The rule that a file breaks whose bytes attributes, line-ending settings or filters changed on checkout. */
const CONVERTED: RuleProblem = {
  rule: 'bytes-as-in-git',
  key: '',
  message: 'expected the bytes stored in git, got different bytes that git considers unchanged: the file was converted',
}

/** A base to compare with. */
export interface Comparison {
  git: Git
  /** The base's name, as given by the caller. */
  name: string
  /** The base's commit. */
  base: string
  /** The commit where this branch forked from the base, or a merge of all such commits. Later commits on the base do not count as changes of this branch. */
  fork: string
  /** Whether older history is missing (in a shallow clone), so that previously deleted version numbers are unknown. */
  isShallow: boolean
  /** Whether the file system supports executable bits. */
  areModesKept: boolean
  /** What was deleted from versions. It is read once, and only if there is a new version. */
  readDeleted(): Promise<DeletedVersions>
}

/** The versions that were deleted in the history of the base. */
interface DeletedVersions {
  /** For each path that exists again, the blob IDs of the earlier bytes. */
  ids: ReadonlyMap<string, ReadonlySet<string>>
  /** The numbers that were used, by the full names of prompts. */
  numbers: ReadonlyMap<string, ReadonlySet<string>>
}

/** Bytes and mode of a file in the folder. */
export interface FileHere {
  /** The git blob ID of its bytes, without any conversion. */
  id: string
  isExecutable: boolean
}

interface PathChange extends FileChange {
  problems: RuleProblem[]
}

/**
 * Opens a comparison of a content folder with a commit.
 *
 * @param dir the content folder, in a git working tree; uncommitted files are included unchanged
 * @param name any revision that names a commit
 * @throws Error that explains what to do if the commit is missing
 */
export async function openComparison(
  dir: string,
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Comparison> {
  const git = createGit(dir, environment)
  const { code, stdout, stderr } = await git.tryRun([
    ...['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
  ])
  if (stderr !== '') throw gitNotOpened(stderr)
  const base = stdout.toString().trim()
  if (code !== 0) {
    const remotes = (await git.find(['remote']))?.split('\n') ?? []
    const remote = remotes.find((each) => each !== '' && name.startsWith(`${each}/`))
    const fetched = remote === undefined ? `origin ${name}` : `${remote} ${name.slice(remote.length + 1)}`
    const wayOut = remotes.includes(remote ?? 'origin')
      ? `in a shallow clone, fetch it first: git fetch ${fetched}`
      : 'leave out --base to compare with the last commit'
    throw new Error(`--base: expected a commit in this repository, got ${name}; ${wayOut}`)
  }
  let deleted: Promise<DeletedVersions> | undefined
  return {
    git,
    name,
    base,
    fork: await findFork(git, base),
    isShallow: (await git.find(['rev-parse', '--is-shallow-repository'])) === 'true',
    areModesKept: (await git.find(['config', '--type=bool', 'core.fileMode'])) !== 'false',
    readDeleted: () => (deleted ??= readDeleted(dir, git, base)),
  }
}

/**
 * Returns `HEAD` if git tracks the content folder and has a commit; undefined otherwise, or if git is not installed.
 *
 * @throws HubError if git refuses to open the repository, because a review without git would miss changed versions
 */
export async function findTrackedHead(
  dir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const found = await createGit(dir, environment)
    .tryRun(['rev-parse', '--verify', '--quiet', 'HEAD:./'])
    .catch(() => undefined)
  if (found && isOwnerRefused(found.stderr)) throw gitNotOpened(found.stderr)
  return found?.code === 0 ? 'HEAD' : undefined
}

/** Finds the fork point. Two branches that merged the same commits have several merge bases; like git, this function merges the bases first. @throws Error if git is too old to merge them */
async function findFork(git: Git, base: string): Promise<string> {
  // Without a common ancestor (after a rewrite of the base, or in a shallow clone), the base itself is used.
  const found = (await git.find(['merge-base', '--all', base, 'HEAD'])) ?? base
  let [fork = base, ...others] = found.split('\n')
  for (const other of others) {
    const { code, stdout } = await git.tryRun(['merge-tree', '--write-tree', '--no-messages', fork, other])
    if (code === GIT_USAGE)
      throw new Error('--base: this branch has several merge bases, which requires git 2.38 or later')
    const [tree = ''] = stdout.toString().split('\n')
    fork = (await git.run(['commit-tree', '-p', fork, '-p', other, '-m', 'merge base', tree])).toString().trim()
  }
  return fork
}

/** Reads which versions were deleted. Keeps only the bytes whose path exists again, because no others are looked up. */
async function readDeleted(dir: string, git: Git, commit: string): Promise<DeletedVersions> {
  const deleted = new Map<string, Set<string>>()
  const numbers = new Map<string, Set<string>>()
  const deletions = ['log', '-m', '--raw', '--diff-filter=D', '--format=', '--no-renames', '--no-abbrev']
  let id: string | undefined
  for await (const record of git.records([...deletions, '--relative', '-z', commit, '--', '.'])) {
    // Each metadata record is followed by a path, which may look like a metadata record itself.
    if (id === undefined) [, id] = /^[\s:]*\d+ \d+ ([0-9a-f]+) /.exec(record) ?? []
    else {
      const place = parsePath(record).value
      if (place?.kind === 'version') {
        const fullName = `${place.owner}/${place.name}`
        numbers.set(fullName, (numbers.get(fullName) ?? new Set()).add(place.version))
      }
      if (existsSync(join(dir, record))) deleted.set(record, (deleted.get(record) ?? new Set()).add(id))
      id = undefined
    }
  }
  return { ids: deleted, numbers }
}

function isVersionPath(path: string): boolean {
  return ['version', 'file', 'attestation'].includes(parsePath(path).value?.kind ?? '')
}

/** Returns whether the base had a version at this path at the fork point, or has a version there now. */
export function isPublished({ path, atBase, atFork }: FileState): boolean {
  return (atBase !== undefined || atFork !== undefined) && isVersionPath(path)
}

/** Determines how the file at a path changed. @param here undefined if there is no regular file */
export async function classifyChange(
  comparison: Comparison,
  state: FileState,
  here: FileHere | undefined,
): Promise<PathChange> {
  const { name } = comparison
  const { path, atBase, atFork, inIndex } = state
  const problems: RuleProblem[] = []
  const refuse = (rule: string, message: string) => problems.push({ rule, key: '', message })
  const isLinked = inIndex?.mode === '160000' || (inIndex?.mode === '120000' && here !== undefined)
  if (isLinked)
    refuse(
      'regular-file',
      `expected a regular file, got ${inIndex.mode === '160000' ? 'a submodule' : 'a symbolic link'}`,
    )
  if (isConverted(state, here) && !isLinked) problems.push(CONVERTED)
  const became = becameOf(comparison, state, here)
  const isVersion = isVersionPath(path)
  if (isVersion && became !== undefined)
    refuse('version-unchanged', `expected the file as it is in ${name}, got ${became}`)
  if (isVersion && atBase && !atFork && here && here.id !== atBase.id)
    refuse('version-unchanged', `expected the file as it is in ${name}, which now has that version, got other bytes`)
  const isTouched = here !== undefined && (atFork === undefined || became !== undefined)
  if (!isVersion || !here || atBase || atFork) return { isNew: false, isRestored: false, isTouched, problems }
  const ids = (await comparison.readDeleted()).ids.get(path)
  if (ids && !ids.has(here.id))
    refuse(
      'version-number-used',
      `expected a version number that was never used: ${name} once had this version, with other bytes`,
    )
  return { isNew: true, isRestored: ids !== undefined, isTouched, problems }
}

/** Returns whether a file's bytes differ from git although git considers it unchanged: if an attribute or a setting converts the file, git shows no diff. */
function isConverted({ inIndex, edited }: FileState, here: FileHere | undefined): boolean {
  return here !== undefined && inIndex !== undefined && edited === undefined && here.id !== inIndex.id
}

/** Describes the change to a file that existed at the fork; undefined if it is unchanged. */
function becameOf({ areModesKept }: Comparison, state: FileState, here: FileHere | undefined): string | undefined {
  const { atFork, inIndex, edited } = state
  if (!atFork) return undefined
  if (!inIndex) return 'nothing'
  if (edited === 'T' || kindOf(inIndex) !== kindOf(atFork)) return 'another kind of file'
  // A file excluded by sparse checkout is missing here, but not deleted.
  if (!here && edited !== undefined) return 'nothing'
  const ids = [inIndex.id, ...(here && !isConverted(state, here) ? [here.id] : [])]
  if (ids.some((id) => id !== atFork.id)) return 'other bytes'
  const modes = [isRunnable(inIndex), ...(here && areModesKept ? [here.isExecutable] : [])]
  const mode = modes.find((one) => one !== isRunnable(atFork))
  return mode === undefined ? undefined : `mode ${mode ? '100755' : '100644'}`
}

const kindOf = ({ mode }: { mode: string }) => mode.slice(0, 3)
const isRunnable = ({ mode }: { mode: string }) => (Number.parseInt(mode, 8) & 0o100) !== 0
