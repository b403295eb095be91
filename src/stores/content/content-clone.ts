// Keeps a clone of the repository on GitHub that holds the content. The branch is followed by reset, never by merge, so a rewritten history is followed too.
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createGit, type Git, GitFailure } from '../git/git-command.ts'

/** Where the clone comes from and where it goes. */
export interface ContentCloneOptions {
  /** Absolute path of the folder that becomes the work tree. What lies beside it under its name and a dot is removed. */
  folder: string
  /** The address that git fetches from, such as `https://github.com/acme/prompts.git`. */
  url: string
  branch: string
  /** Asked before each call of GitHub. */
  getToken: (signal: AbortSignal) => Promise<string>
  /** Usually that of the process, in which git is found. */
  environment: Readonly<Record<string, string | undefined>>
  /** How long a look at the branch may take, in milliseconds; a fetch has five times as long, a whole clone sixty times. */
  lookTimeoutMs?: number
}

/** What changed, as paths below the content folder; `all` when any may have. */
export type ChangedPaths = readonly string[] | 'all'

/** How far the clone follows the branch. */
export interface FetchState {
  /** When GitHub last said where the branch is, and the clone had that commit; undefined before the first time in this process. */
  fetchedAt: Date | undefined
  /** Why the last fetch failed, or undefined. It names no secret. */
  failure: string | undefined
}

/** A clone of the content repository. */
export interface ContentClone {
  /** The folder that holds the prompts. */
  contentDir: string
  state: () => FetchState
  /**
   * Asks GitHub for the branch and fetches it where it moved. The files stay as they are.
   *
   * @returns whether `update` has something to do
   * @throws Error when GitHub cannot be reached, refuses, or takes too long; `state` says so too
   */
  fetch(): Promise<boolean>
  /**
   * Brings the files to what was fetched. Call it only while nobody reads them.
   *
   * @returns what changed since the last call
   * @throws Error when the files cannot be written; the next `fetch` then makes the clone anew
   */
  update(): Promise<ChangedPaths>
}

/** Where fetched commits are kept; a ref of our own cannot conflict with a branch of any name. */
const REF = 'refs/hub/content'
const LOOK_TIMEOUT_MS = 20_000
/** Files are published as they are: what `.gitattributes` says must not change a byte or start a program. */
const ATTRIBUTES = '* -text -ident -filter -working-tree-encoding\n'
/** A connection that sends less than this many bytes a second for this long is given up. */
const SLOW = { 'http.lowSpeedLimit': '100', 'http.lowSpeedTime': '20' }

/**
 * Opens the clone, or makes one where there is none that can be used. A clone that is there needs no network.
 *
 * @throws Error when there is none and GitHub cannot be reached, refuses, or takes too long
 */
export async function openContentClone(options: ContentCloneOptions): Promise<ContentClone> {
  const { folder, url, branch, environment, lookTimeoutMs = LOOK_TIMEOUT_MS } = options
  const beside = `${folder}.new`
  const old = `${folder}.old`
  const contentDir = join(folder, 'content')
  const gitIn = (dir: string) => createGit(dir, environment)

  const { callGitHub, look } = createCaller(options)
  const fetchInto = (git: Git, timeoutMs: number) =>
    callGitHub(
      git,
      [
        ...['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--force'],
        ...[url, `refs/heads/${branch}:${REF}`],
      ],
      timeoutMs,
    )
  const make = async (dir: string): Promise<void> => {
    await rm(dir, { recursive: true, force: true })
    await mkdir(join(dir, '.git', 'info'), { recursive: true })
    const git = gitIn(dir)
    await git.run(['init', '--quiet', '--template=', '--initial-branch=content'])
    await git.run(['config', 'hub.source', sourceOf(url, branch)])
    await writeFile(join(dir, '.git', 'info', 'attributes'), ATTRIBUTES)
    await fetchInto(git, 60 * lookTimeoutMs)
    await git.run(['reset', '--quiet', '--hard', REF])
    await mkdir(join(dir, 'content'), { recursive: true })
  }
  const swap = async (): Promise<void> => {
    await rm(old, { recursive: true, force: true })
    if (existsSync(folder)) await rename(folder, old)
    await rename(beside, folder)
    await rm(old, { recursive: true, force: true })
  }

  await mkdir(dirname(folder), { recursive: true })
  for (const left of [beside, old]) await rm(left, { recursive: true, force: true })
  if (await isUsable(gitIn(folder), folder, sourceOf(url, branch))) await removeLocks(join(folder, '.git'))
  else {
    await make(beside)
    await swap()
  }

  let state: FetchState = { fetchedAt: undefined, failure: undefined }
  /** Whether a new clone lies beside. */
  let isReplaced = false
  let isBroken = false
  /** The commit that the files are of; undefined until `update` has looked. */
  let shown: string | undefined
  let isFirst = true
  let fetched = await resolveCommit(gitIn(folder), REF)

  const follow = async (): Promise<void> => {
    const head = await look()
    if (isReplaced || (head === fetched && !isBroken)) return
    const git = gitIn(folder)
    if (!isBroken) {
      try {
        await fetchInto(git, 5 * lookTimeoutMs)
        fetched = await resolveCommit(git, REF)
        if (fetched !== undefined) return
      } catch {
        // GitHub has just answered, so the clone itself may be broken.
      }
    }
    await make(beside)
    isReplaced = true
  }
  return {
    contentDir,
    state: () => state,
    async fetch() {
      try {
        await follow()
        state = { fetchedAt: new Date(), failure: undefined }
      } catch (error) {
        state = { ...state, failure: error instanceof Error ? error.message : String(error) }
        throw error
      }
      return isFirst || isReplaced || fetched !== shown
    },
    async update() {
      if (isReplaced) {
        await swap()
        isReplaced = false
        isBroken = false
        isFirst = true
        fetched = await resolveCommit(gitIn(folder), REF)
      }
      if (!isFirst && fetched === shown) return []
      const git = gitIn(folder)
      try {
        // A fetch may go on meanwhile.
        const target = fetched ?? REF
        const changed = isFirst || !shown ? 'all' : await listChanged(git, shown, target)
        await git.run(['reset', '--quiet', '--hard', target])
        await git.run(['clean', '--quiet', '-ffdx'])
        await mkdir(contentDir, { recursive: true })
        shown = target
        isFirst = false
        return changed
      } catch (error) {
        isBroken = true
        isFirst = true
        throw error
      }
    },
  }
}

/** How GitHub is asked, by git, with the credential. */
function createCaller({ url, branch, getToken, environment, lookTimeoutMs = LOOK_TIMEOUT_MS }: ContentCloneOptions) {
  const callGitHub = async (git: Git, args: readonly string[], timeoutMs: number): Promise<string> => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const token = await getToken(signal)
      const config = {
        ...SLOW,
        // Nobody is here to answer, and what the user's helpers know is for other repositories.
        'credential.helper': '',
        [`http.${url}.extraHeader`]: `Authorization: Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
      }
      return (await git.run(args, { signal, config })).toString('utf8')
    } catch (error) {
      throw new Error(describeFailure(error, url, timeoutMs, signal.aborted), { cause: error })
    }
  }
  const look = async (): Promise<string> => {
    const answer = await callGitHub(
      createGit(tmpdir(), environment),
      ['ls-remote', url, `refs/heads/${branch}`],
      lookTimeoutMs,
    )
    const head = /^([0-9a-f]{40,64})\t/.exec(answer)?.[1]
    if (head === undefined) throw new Error(`${url} has no branch ${branch}.`)
    return head
  }
  return { callGitHub, look }
}

/** Asks GitHub for the branch, as a fetch would, and changes nothing. @returns its newest commit @throws Error as `fetch` */
export function lookAtBranch(options: ContentCloneOptions): Promise<string> {
  return createCaller(options).look()
}

function sourceOf(url: string, branch: string): string {
  return `${url} ${branch}`
}

/** Whether the folder is a clone of ours, of this branch, whose newest commit is there. */
async function isUsable(git: Git, folder: string, source: string): Promise<boolean> {
  if (!existsSync(join(folder, '.git', 'info', 'attributes'))) return false
  const config = await git.tryRun(['config', '--local', '--get', 'hub.source'])
  if (config.code !== 0 || config.stdout.toString('utf8').trimEnd() !== source) return false
  const { code } = await git.tryRun(['rev-parse', '--quiet', '--verify', `${REF}^{tree}`])
  return code === 0
}

/** What a process that was killed has locked. Only one process at a time uses the clone. */
async function removeLocks(gitDir: string): Promise<void> {
  const locks = readdirSync(gitDir, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.lock') && !path.startsWith('objects'),
  )
  for (const lock of locks) await rm(join(gitDir, lock), { force: true })
}

async function resolveCommit(git: Git, name: string): Promise<string | undefined> {
  const { code, stdout } = await git.tryRun(['rev-parse', '--quiet', '--verify', `${name}^{commit}`])
  return code === 0 ? stdout.toString('utf8').trim() : undefined
}

async function listChanged(git: Git, from: string, to: string): Promise<ChangedPaths> {
  const { code, stdout } = await git.tryRun(['diff', '--name-only', '--no-renames', '-z', from, to, '--', 'content'])
  if (code !== 0) return 'all'
  const paths = stdout.toString('utf8').split('\0')
  return paths.filter((path) => path !== '').map((path) => path.slice('content/'.length))
}

function describeFailure(error: unknown, url: string, timeoutMs: number, isLate: boolean): string {
  const why = isLate
    ? `no answer within ${Math.round(timeoutMs / 1000)} s`
    : error instanceof GitFailure
      ? (/(?:fatal|error): (.*)/.exec(error.message)?.[1] ?? error.message)
      : error instanceof Error
        ? error.message
        : String(error)
  return `${url} could not be fetched: ${why}`
}
