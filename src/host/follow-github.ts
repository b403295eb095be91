// Follows the branch on GitHub with a clone of its own: every few seconds, and at once when something was published.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Config, findSourceHost } from '../config.ts'
import {
  type ChangedPaths,
  type ContentCloneOptions,
  type FetchState,
  openContentClone,
} from '../stores/content/content-clone.ts'
import { takeLock } from '../stores/git/process-lock.ts'
import { createTokenSource } from '../stores/github/github-connection.ts'
import { whenAborted } from './http/abort.ts'
import { inBackground } from './http/background.ts'

/** Where the clone lies; a second process in the same folder has one of its own beside it. */
const CLONE_DIR = '.hub/content'

/** The content as GitHub has it. */
interface FollowedClone {
  /** The folder that holds the prompts. */
  contentDir: string
  state: () => FetchState
  /** Brings the files to what was fetched. Call it only while nobody reads them. @throws Error when they cannot be written */
  update: () => Promise<ChangedPaths>
  /** Looks at once, because something was published; several calls while a look is under way are followed by one more. */
  fetchSoon: () => void
  /** Begins to follow, until the signal. @param onMove told that `update` has something to do */
  start: (onMove: () => void) => void
}

/**
 * Opens the clone, or makes one, which takes as long as the repository is large.
 *
 * @param config with `gitStore.kind` `github`
 * @param environment usually that of the process, in which git is found
 * @throws Error when there is no clone yet and GitHub cannot be reached or refuses
 */
export async function followGitHub(
  config: Config,
  environment: ContentCloneOptions['environment'],
  signal: AbortSignal,
): Promise<FollowedClone> {
  const { contentPollMs } = config
  const clone = await openContentClone(cloneOptions(config, environment, holdCloneFolder(signal)))
  let isFetching = false
  let isWanted = false
  let onMove = () => {}
  let said: string | undefined
  const fetch = async () => {
    isWanted = true
    if (isFetching) return
    isFetching = true
    try {
      while (isWanted && !signal.aborted) {
        isWanted = false
        if (await clone.fetch()) onMove()
        if (said !== undefined) console.log('GitHub answers again.')
        said = undefined
      }
    } catch {
      const { failure } = clone.state()
      // Once, because it may stay so for hours.
      if (failure !== said && !signal.aborted) console.error(`${failure}\nWhat is served stays as it is.`)
      said = failure
    } finally {
      isFetching = false
    }
  }
  const fetchSoon = () => inBackground('Fetching the content', fetch)
  return {
    contentDir: clone.contentDir,
    state: clone.state,
    update: clone.update,
    fetchSoon,
    start(moved) {
      onMove = moved
      const timer = setInterval(fetchSoon, contentPollMs)
      whenAborted(signal, () => clearInterval(timer))
      fetchSoon()
    },
  }
}

/** How the repository of the settings is cloned. @param config with `gitStore.kind` `github` */
export function cloneOptions(
  config: Config,
  environment: ContentCloneOptions['environment'],
  folder: string,
): ContentCloneOptions {
  const { gitStore } = config
  const source = findSourceHost(config)
  if (gitStore.kind !== 'github' || !source) throw new Error('The settings name no repository on GitHub.')
  return {
    folder,
    url: `${source.web}.git`,
    branch: gitStore.branch,
    getToken: createTokenSource(gitStore),
    environment,
  }
}

/** Locked for as long as this process lives. A clone of a second process goes with it. */
function holdCloneFolder(signal: AbortSignal): string {
  mkdirSync('.hub', { recursive: true })
  const kept = takeLock(resolve(`${CLONE_DIR}.lock`), 0)
  if (kept) {
    whenAborted(signal, kept.release)
    removeAbandoned()
    return resolve(CLONE_DIR)
  }
  const folder = resolve(`${CLONE_DIR}-${process.pid}`)
  whenAborted(signal, () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Removes the clones of second processes that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(dirname(CLONE_DIR))) {
    const [, pid] = /^content-(\d+)$/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(dirname(CLONE_DIR), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
