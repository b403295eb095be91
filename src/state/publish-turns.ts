// The publish queue: publishes access git one at a time, and publishers take turns.

import { createTurns } from '../concurrency/turn-queue.ts'
import type { TakeTurn, Turns } from '../concurrency/turns.ts'
import { HubError } from '../domain/api/errors.ts'
import { LIMITS } from '../domain/limits.ts'

/** Maximum number of waiting publishes. Each keeps its body of up to 1 MiB in memory. */
const MAX_WAITING = 100

/** Waits until it is this hub's turn among the hubs that share a branch. @returns a function that ends the turn and never fails; undefined if the turn did not come in time @throws HubError `unavailable` if the hubs' queue cannot be reached */
type TakeBranch = (waitMs: number) => Promise<(() => Promise<void>) | undefined>

/** Creates an empty queue. A publisher can have as many waiting publishes as the rate limit allows per minute. */
export function createPublishTurns(total = MAX_WAITING, perSender: number = LIMITS.publishesPerMinute): Turns {
  return createTurns({
    running: { total: 1, perSender: 1 },
    waiting: { total, perSender },
    refuse: queueError,
  })
}

/**
 * Adds the queue of all hubs to the queue of one hub. Hubs take turns with one publish each, so that none loses the race for the branch head, which would cost the git host's calls.
 *
 * @param takeTurn this hub's own queue; its first publish waits in the queue of all hubs
 */
export function shareTurns(takeTurn: TakeTurn, takeBranch: TakeBranch): TakeTurn {
  return (request, work) => {
    const endsMs = performance.now() + request.waitMs
    return takeTurn(request, async () => {
      const endTurn = await takeBranch(endsMs - performance.now())
      if (!endTurn) throw queueError()
      try {
        return await work()
      } finally {
        await endTurn()
      }
    })
  }
}

const RETRY_SECONDS = 5

function queueError(): HubError {
  return new HubError(
    'unavailable',
    `Too many publishes are waiting for the git host. Nothing was written; try again in ${RETRY_SECONDS} s.`,
    { retryAfterSeconds: RETRY_SECONDS },
  )
}
