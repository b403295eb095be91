// Follows the branch on GitHub with a local clone: fetches every few seconds, and immediately after a publish.
import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, findSourceHost } from '../../config.ts'
import { type ContentCloneOptions, openContentClone } from '../../content/content-clone.ts'
import { takeLock } from '../../git/process-lock.ts'
import { createTokenSource } from '../../github/github-connection.ts'
import { logInfo, logProblem } from '../../log.ts'
import { inBackground, onAbort } from './http/background.ts'

/** The path of the clone. Each further process in the same folder uses its own clone next to it. */
const CLONE_DIR = '.hub/content'
/** Minimum time between fetches for what other hubs publish: each costs this hub a build, and their records are in the shared state at once. */
const OTHERS_MS = 2_000
/** Maximum number of processes in one folder, each with its own clone. */
const MAX_CLONES = 64

/**
 * Opens the clone, or creates it, which takes longer for larger repositories.
 *
 * @param config with `gitStore.kind` `github`
 * @param environment usually the process's own; used to find git
 * @throws Error if there is no clone yet and GitHub is unreachable or refuses access
 */
export async function followGitHub(
  config: Config,
  environment: ContentCloneOptions['environment'],
  signal: AbortSignal,
) {
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
        if (said !== undefined) logInfo('fetch_works', 'GitHub responds again.')
        said = undefined
      }
    } catch {
      const { failure } = clone.state()
      // Logged only once, because the failure may last for hours.
      if (failure !== said && !signal.aborted)
        logProblem('error', 'fetch_failed', `${failure}\nThe current build is still being served.`)
      said = failure
    } finally {
      isFetching = false
    }
  }
  const fetchSoon = () => inBackground('Fetching the content', fetch)
  let isSpaced = false
  let isLate = false
  const fetchForOthers = () => {
    isLate = isSpaced
    if (isSpaced) return
    isSpaced = true
    fetchSoon()
    const timer = setTimeout(() => {
      isSpaced = false
      if (isLate && !signal.aborted) fetchForOthers()
    }, OTHERS_MS)
    timer.unref()
  }
  const { contentDir, state, update } = clone
  return {
    contentDir,
    state,
    update,
    /** Fetches immediately, because something was published; calls during a fetch are combined into one more fetch. */
    fetchSoon,
    /** Fetches soon, because another hub published something. */
    fetchForOthers,
    /** Fetches regularly until the signal aborts. @param moved called when there is another commit to serve */
    start(moved: () => void): void {
      onMove = moved
      const timer = setInterval(fetchSoon, contentPollMs)
      onAbort(signal, () => clearInterval(timer))
      fetchSoon()
    },
  }
}

/** Returns the clone options for the configured repository. @param config with `gitStore.kind` `github` */
function cloneOptions(
  config: Config,
  environment: ContentCloneOptions['environment'],
  folder: string,
): ContentCloneOptions {
  const { gitStore } = config
  const source = findSourceHost(config)
  if (gitStore.kind !== 'github' || !source) throw new Error('No GitHub repository is configured.')
  return {
    folder,
    url: `${source.web}.git`,
    branch: gitStore.branch,
    getToken: createTokenSource(gitStore),
    environment,
  }
}

/** Locks the clone's folder until the signal aborts. A second process's clone is deleted when that process stops; if the process is killed, the next second process uses the clone. */
function holdCloneFolder(signal: AbortSignal): string {
  mkdirSync('.hub', { recursive: true })
  for (let number = 1; number <= MAX_CLONES; number++) {
    const folder = resolve(number === 1 ? CLONE_DIR : `${CLONE_DIR}-${number}`)
    const lock = takeLock(`${folder}.lock`, 0)
    if (!lock) continue
    onAbort(signal, () => {
      if (number > 1) rmSync(folder, { recursive: true, force: true })
      lock.release()
    })
    return folder
  }
  throw new Error(`Other processes use ${CLONE_DIR} and the folders next to it. Stop one of them, then try again.`)
}
