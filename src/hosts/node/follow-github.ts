// Follows the branch on GitHub with a local clone: fetches every few seconds, and soon after a publish.
import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, findSourceHost } from '../../config.ts'
import { type ContentCloneOptions, openContentClone } from '../../content/content-clone.ts'
import { takeLock } from '../../git/git-ready.ts'
import { createTokenSource } from '../../github/github-connection.ts'
import { logInfo, logProblem } from '../../log.ts'
import { inBackground, onAbort } from './http/background.ts'

/** The path of the clone. Each further process in the same folder uses its own clone next to it. */
const CLONE_DIR = '.hub/content'
/** Minimum pause before a fetch for what this hub publishes, while more of its publishes wait and it shares a database. Each fetch costs a build, and the records are in the shared state at once. */
const OWN_PAUSE_MS = 1_000
/** The same for what other hubs publish, whose publishers do not wait for it here. */
const OTHERS_PAUSE_MS = 2_000
/** A loaded machine fetches slowly, so it fetches less often. */
const PAUSES_PER_FETCH = 3
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
  /** The shortest pause before the next fetch that somebody asked for; undefined if nobody waits for a fetch. */
  let pauseMs: number | undefined
  let endedMs = Number.NEGATIVE_INFINITY
  let lastedMs = 0
  let timer: NodeJS.Timeout | undefined
  let onMove = () => {}
  let replace: Parameters<typeof clone.fetch>[1]
  let said: string | undefined
  const fetch = async () => {
    isWanted = true
    if (isFetching) return
    isFetching = true
    const startedMs = performance.now()
    try {
      while (isWanted && !signal.aborted) {
        isWanted = false
        const hasMoved = pauseMs !== undefined
        pauseMs = undefined
        if (await clone.fetch(hasMoved, replace)) onMove()
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
      endedMs = performance.now()
      lastedMs = endedMs - startedMs
      plan()
    }
  }
  const fetchSoon = () => inBackground('Fetching the content', fetch)
  const plan = () => {
    clearTimeout(timer)
    if (pauseMs === undefined || isFetching || signal.aborted) return
    timer = setTimeout(fetchSoon, Math.max(0, endedMs + pauseMs - performance.now())).unref()
  }
  const fetchAfter = (atLeastMs: number) => {
    const ms = atLeastMs === 0 ? 0 : Math.max(atLeastMs, PAUSES_PER_FETCH * lastedMs)
    pauseMs = Math.min(pauseMs ?? ms, ms)
    plan()
  }
  const { contentDir, state } = clone
  return {
    contentDir,
    state,
    /** Fetches soon, because this hub has published something. @param isLast whether no other publish waits here */
    fetchPublished: (isLast: boolean) => fetchAfter(isLast || config.databaseUrl === undefined ? 0 : OWN_PAUSE_MS),
    /** Fetches soon, because another hub published something. */
    fetchForOthers: () => fetchAfter(OTHERS_PAUSE_MS),
    /** Fetches regularly until the signal aborts. @param moved called when there is another commit to serve @param replaceContent replaces a damaged clone while nothing reads it */
    start(moved: () => void, replaceContent: NonNullable<typeof replace>): void {
      onMove = moved
      replace = replaceContent
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
      lock.close()
    })
    return folder
  }
  throw new Error(`Other processes use ${CLONE_DIR} and the folders next to it. Stop one of them, then try again.`)
}
