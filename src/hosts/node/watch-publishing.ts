// Finishes interrupted publishes, and knows whether the content's git repository takes new ones, before somebody publishes.

import type { LocalGit } from '../../git/git-store-local.ts'
import { describeError } from '../../log.ts'

const CHECK_MS = 10_000

/** What is known about publishing to the local git repository. */
export interface PublishingHealth {
  /** Why nothing can be published now, with the fix; null if the last check found no reason. */
  problem: string | null
  /** Whether an earlier check succeeded: other hubs only read. */
  wasPossible: boolean
}

/** Starts to check the repository. A problem is printed once when it begins, because it lasts until somebody fixes it. */
export function watchPublishing(git: Pick<LocalGit, 'finishPublishes' | 'isSettled'>) {
  let health: PublishingHealth = { problem: null, wasPossible: false }
  /** Finishes interrupted publishes. @returns whether the content folder contains everything that was published */
  const finish = async (): Promise<boolean> => {
    try {
      await git.finishPublishes()
      health = { problem: null, wasPossible: true }
    } catch (error) {
      // Git's own message is for the operator alone, because it contains paths.
      const problem = (error instanceof Error ? error.message : String(error)).replace(' Nothing was published.', '')
      if (problem !== health.problem) console.error(describeError(error))
      health = { ...health, problem }
    }
    return health.problem === null
  }
  const timer = setInterval(finish, CHECK_MS).unref()
  const finishBeforeBuild = async (): Promise<boolean> => {
    const isKnown = health.wasPossible && health.problem === null
    return (isKnown && (await git.isSettled())) || finish()
  }
  return {
    /** Finishes interrupted publishes before a build. As long as there are none, the next check says whether git takes new ones. */
    finish: finishBeforeBuild,
    /** Returns the result of the last check. */
    health: () => health,
    stop: () => clearInterval(timer),
  }
}
