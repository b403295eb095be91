// Knows whether the content's git repository takes new publishes, before somebody publishes.

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
export const watchPublishing = (git: Pick<LocalGit, 'checkWriting'>) => watch(git.checkWriting, CHECK_MS)

/** Starts to check whether GitHub accepts the hub's credential. */
export function watchGitHub(store: Pick<GitStore, 'readFolder'>) {
  return watch(async () => {
    const nobody = { owner: 'prompt-hub', name: undefined }
    await store.readFolder(nobody, { signal: AbortSignal.timeout(GITHUB_TIMEOUT_MS) })
  }, GITHUB_CHECK_MS)
}

/** Checks now and then regularly. A problem is printed once when it begins, because it lasts until somebody fixes it. */
function watch(check: () => Promise<void>, everyMs: number) {
  let health: PublishingHealth = { problem: null, wasPossible: false }
  const run = async () => {
    try {
      await check()
      health = { problem: null, wasPossible: true }
    } catch (error) {
      // Git's own message is for the operator alone, because it contains paths.
      const problem = (error instanceof Error ? error.message : String(error)).replace(' Nothing was published.', '')
      if (problem !== health.problem) logProblem('error', 'publishing_down', describeError(error))
      health = { ...health, problem }
    }
  }
  inBackground('The check of publishing', run)
  const timer = setInterval(run, everyMs).unref()
  return {
    /** Returns the result of the last check. */
    health: () => health,
    stop: () => clearInterval(timer),
  }
}
