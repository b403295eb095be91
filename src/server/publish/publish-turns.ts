// The publish queue: publishes access git one at a time, and publishers take turns.
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/api/limits.ts'
import { createTurns, type TakeTurn } from '../../ports/turns.ts'

/** Maximum number of waiting publishes. Each keeps its body of up to 1 MiB in memory. */
const MAX_WAITING = 100

/** Creates an empty queue. A publisher can have as many waiting publishes as the rate limit allows per minute. */
export function createPublishTurns(total = MAX_WAITING, perSender: number = LIMITS.publishesPerMinute): TakeTurn {
  return createTurns({
    running: { total: 1, perSender: 1 },
    waiting: { total, perSender },
    refuse: queueError,
  })
}

const RETRY_SECONDS = 5

function queueError(): HubError {
  return new HubError(
    'unavailable',
    `Too many publishes are waiting for the git host. Nothing was written; try again in ${RETRY_SECONDS} s.`,
    { retryAfterSeconds: RETRY_SECONDS },
  )
}
