// Finishes interrupted publishes, and knows whether the content's git repository takes new ones, before somebody publishes.

import type { GitStore } from '../../git/git-store.ts'
import type { LocalGit } from '../../git/git-store-local.ts'
import { describeError, logProblem } from '../../log.ts'
import { inBackground } from './http/background.ts'

const CHECK_MS = 10_000
/** GitHub limits requests by the hour. */
const GITHUB_CHECK_MS = 60_000
const GITHUB_TIMEOUT_MS = 10_000

/** What is known about publishing. */
export interface PublishingHealth {
  /** Why nothing can be published now, with the fix; null if the last check found no reason. */
  problem: string | null
  /** Whether an earlier check succeeded: other hubs only read. */
  wasPossible: boolean
}

/** Starts to check the local repository. */
export function watchPublishing(git: Pick<LocalGit, 'finishPublishes' | 'checkWriting'>) {
  const finishing = openCheck(git.finishPublishes)
  const writing = watch(async () => {
    // What cannot be finished says more.
    if (await finishing.run()) await git.checkWriting()
  }, CHECK_MS)
  return {
    /** Finishes interrupted publishes before a build. @returns whether the content folder contains everything that was published */
    finish: finishing.run,
    /** Returns the result of the last checks. */
    health: (): PublishingHealth => (finishing.health().problem === null ? writing.health() : finishing.health()),
    stop: writing.stop,
  }
}

/** Starts to check whether GitHub accepts the hub's credential. */
export function watchGitHub(store: Pick<GitStore, 'readFolder'>) {
  const watching = watch(async () => {
    const nobody = { owner: 'prompt-hub', name: undefined }
    await store.readFolder(nobody, { signal: AbortSignal.timeout(GITHUB_TIMEOUT_MS) })
  }, GITHUB_CHECK_MS)
  // The first build does not ask GitHub's API, as it asks the local repository.
  inBackground('The check of publishing', watching.run)
  return watching
}

function watch(look: () => Promise<void>, everyMs: number) {
  const { run, health } = openCheck(look)
  const timer = setInterval(run, everyMs).unref()
  return { run, health, stop: () => clearInterval(timer) }
}

/** Remembers the result of a check. A problem is printed once when it begins, because it lasts until somebody fixes it. */
function openCheck(look: () => Promise<void>) {
  let health: PublishingHealth = { problem: null, wasPossible: false }
  return {
    health: () => health,
    /** @returns whether there is no problem */
    async run(): Promise<boolean> {
      try {
        await look()
        health = { problem: null, wasPossible: true }
      } catch (error) {
        // Git's own message is for the operator alone, because it contains paths.
        const problem = (error instanceof Error ? error.message : String(error)).replace(' Nothing was published.', '')
        if (problem !== health.problem) logProblem('error', 'publishing_down', describeError(error))
        health = { ...health, problem }
      }
      return health.problem === null
    },
  }
}
