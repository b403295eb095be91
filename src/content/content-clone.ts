// Maintains a clone of the content repository on GitHub, without a checkout: only its commits are read. It follows the branch wherever it goes, also to a rewritten history.
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createGit, type Git } from '../git/git-command.ts'
import { GitFailure } from '../git/git-failure.ts'

/** Source and destination of the clone. */
export interface ContentCloneOptions {
  /** Absolute path of the clone. Sibling paths that start with its name and a dot are removed. */
  folder: string
  /** The URL that git fetches from, such as `https://github.com/acme/prompts.git`. */
  url: string
  branch: string
  /** Returns the token; called before each request to GitHub. */
  getToken: (signal: AbortSignal) => Promise<string>
  /** Usually `process.env`; used to find git. */
  environment: Readonly<Record<string, string | undefined>>
  /** Time limit for checking the branch, in milliseconds. The limit for a fetch is five times as long, and the limit for a full clone sixty times as long. */
  lookTimeoutMs?: number
}

/** How up to date the clone is. */
export interface FetchState {
  /** When the clone was last confirmed to be up to date with GitHub; undefined until this process has confirmed it. */
  fetchedAt: Date | undefined
  /** Why the last fetch failed, or undefined. Contains no secrets. */
  failure: string | undefined
}

/** The ref of the commit to serve, outside the branch namespace so that it cannot conflict with a branch. */
const REF = 'refs/hub/content'
/** The ref of the last commit that was fetched, which may not be fit to be served. */
const FETCHED = 'refs/hub/fetched'
const LOOK_TIMEOUT_MS = 20_000
/** A connection is aborted if it stays below this rate, in bytes per second, for this time. */
const SLOW = { 'http.lowSpeedLimit': '100', 'http.lowSpeedTime': '20' }

/**
 * Opens the clone, or creates a new one if there is no usable clone. Opening an existing clone does not use the network.
 *
 * @throws Error if there is no usable clone and GitHub is unreachable, denies access or takes too long
 */
export async function openContentClone(options: ContentCloneOptions) {
  const { folder, url, branch, environment, lookTimeoutMs = LOOK_TIMEOUT_MS } = options
  const beside = `${folder}.new`
  const old = `${folder}.old`
  const contentDir = join(folder, 'content')
  const gitIn = (dir: string) => createGit(dir, environment)
  const source = `${url} ${branch}`

  const { callGitHub, look } = createCaller(options)
  /** Fetches the branch, and serves it. @returns its commit @throws Error if it cannot be served; the last commit stays */
  const fetchInto = async (git: Git, timeoutMs: number): Promise<string> => {
    const flags = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--force']
    await callGitHub(git, ['fetch', ...flags, '--end-of-options', url, `refs/heads/${branch}:${FETCHED}`], timeoutMs)
    const commit = (await git.run(['rev-parse', '--verify', `${FETCHED}^{commit}`])).toString('utf8').trim()
    await requireContentFolder(git, commit, url)
    await git.run(['update-ref', REF, commit])
    return commit
  }
  /** Clones into a folder. Its content folder stays empty: git takes the paths of the commit from where it is. @returns the branch's commit */
  const make = async (dir: string): Promise<string> => {
    await rm(dir, { recursive: true, force: true })
    await mkdir(join(dir, 'content'), { recursive: true })
    const git = gitIn(dir)
    await git.run(['init', '--quiet', '--template='])
    await git.run(['config', 'hub.source', source])
    await git.run(['symbolic-ref', 'HEAD', REF])
    return fetchInto(git, 60 * lookTimeoutMs)
  }
  const swap = async (): Promise<void> => {
    await rm(old, { recursive: true, force: true })
    if (existsSync(folder)) await rename(folder, old)
    await rename(beside, folder)
    await rm(old, { recursive: true, force: true })
  }

  await mkdir(dirname(folder), { recursive: true })
  for (const left of [beside, old]) await rm(left, { recursive: true, force: true })
  const known = await findFetched(gitIn(folder), folder, source)
  /** The newest commit that can be served. */
  let served = known ?? (await make(beside))
  if (known === undefined) await swap()
  else await removeLocks(join(folder, '.git'))

  let state: FetchState = { fetchedAt: undefined, failure: undefined }

  /** @returns whether there is another commit to serve */
  const follow = async (replace: Replace): Promise<boolean> => {
    const before = served
    if ((await look()) === before) return false
    try {
      served = await fetchInto(gitIn(folder), 5 * lookTimeoutMs)
    } catch (error) {
      if (error instanceof UnfitContent) throw error
      // GitHub has just responded, so the cause may be a damaged clone.
      const made = await make(beside)
      await replace(swap)
      served = made
    }
    return served !== before
  }
  /** Saves the question whether the branch has moved, which costs as much as the fetch. @returns whether there is another commit to serve; undefined if the clone must be checked */
  const followMoved = async (): Promise<boolean | undefined> => {
    const before = served
    try {
      served = await fetchInto(gitIn(folder), lookTimeoutMs)
      return served !== before
    } catch (error) {
      if (error instanceof UnfitContent) throw error
      return undefined
    }
  }
  return {
    /** The folder of the prompts, which is empty: the commit has them. */
    contentDir,
    state: () => state,
    /**
     * Checks the branch on GitHub and fetches it if it moved.
     *
     * @param hasMoved whether it is known to have moved
     * @param replace puts a new clone in the place of a damaged one while nothing reads it
     * @returns whether there is something new to serve
     * @throws Error if GitHub is unreachable, denies access or takes too long; `state` also records it
     */
    async fetch(hasMoved = false, replace: Replace = (swap) => swap()): Promise<boolean> {
      try {
        const isNew = (hasMoved ? await followMoved() : undefined) ?? (await follow(replace))
        state = { fetchedAt: new Date(), failure: undefined }
        return isNew
      } catch (error) {
        state = { ...state, failure: error instanceof Error ? error.message : String(error) }
        throw error
      }
    },
  }
}

/** Calls a function that replaces the clone while nothing reads it. */
type Replace = (swap: () => Promise<void>) => Promise<void>

/** The branch has a commit that cannot be served. */
class UnfitContent extends Error {}

/** A link named `content` would lead to any folder of this machine. @throws Error if `content` is anything but a folder */
async function requireContentFolder(git: Git, commit: string, url: string): Promise<void> {
  const entry = (await git.run(['ls-tree', commit, '--', 'content'])).toString('utf8')
  if (entry !== '' && !entry.startsWith('040000 '))
    throw new UnfitContent(
      `${url}: expected content to be a folder. Replace it in the repository; until then, the hub stays at the last commit.`,
    )
}

/** Builds git's network options, including the credential. */
function createCaller({ url, branch, getToken, environment, lookTimeoutMs = LOOK_TIMEOUT_MS }: ContentCloneOptions) {
  const callGitHub = async (git: Git, args: readonly string[], timeoutMs: number): Promise<string> => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const token = await getToken(signal)
      const config = {
        ...SLOW,
        // Nobody can respond to a credential prompt, and the user's credential helpers are for other repositories.
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
      ['ls-remote', '--end-of-options', url, `refs/heads/${branch}`],
      lookTimeoutMs,
    )
    const head = /^([0-9a-f]{40,64})\t/.exec(answer)?.[1]
    if (head === undefined) throw new Error(`${url} has no branch ${branch}.`)
    return head
  }
  return { callGitHub, look }
}

/** Returns the commit that was last served; undefined if the folder is not a hub's clone of this branch. */
async function findFetched(git: Git, folder: string, source: string): Promise<string | undefined> {
  if (!existsSync(join(folder, '.git'))) return undefined
  if ((await git.find(['config', '--local', '--get', 'hub.source'])) !== source) return undefined
  if ((await git.find(['symbolic-ref', '--quiet', 'HEAD'])) !== REF) return undefined
  return git.find(['rev-parse', '--quiet', '--verify', `${REF}^{commit}`])
}

/** Removes locks left by a killed process. Safe because only one process at a time uses the clone. */
async function removeLocks(gitDir: string): Promise<void> {
  const locks = readdirSync(gitDir, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.lock') && !path.startsWith('objects'),
  )
  for (const lock of locks) await rm(join(gitDir, lock), { force: true })
}

function describeFailure(error: unknown, url: string, timeoutMs: number, isLate: boolean): string {
  const why = isLate
    ? `no response within ${Math.round(timeoutMs / 1000)} s`
    : error instanceof GitFailure
      ? (/(?:fatal|error): (.*)/.exec(error.message)?.[1] ?? error.message)
      : error instanceof Error
        ? error.message
        : String(error)
  return `${url} could not be fetched: ${why}`
}
