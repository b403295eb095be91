// The publish queue: publishes access git one at a time, and publishers take turns.

import { createTurns } from '../concurrency/turn-queue.ts'
import type { TakeTurn, Turns } from '../concurrency/turns.ts'
import { HubError } from '../domain/api/errors.ts'
import { LIMITS } from '../domain/limits.ts'

/** Maximum number of waiting publishes. Each keeps its body in memory, of which `request.ts` limits the sum. */
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

/** How long a hub goes on with its own waiting publishes in one turn. Passing the turn on costs more than a publish to a fast git host; with a slow one, a turn is one publish. */
const TURN_MS = 500

/** This hub's turn on the branch. */
interface BranchTurn {
  end: () => Promise<void>
  /** No publish begins in this turn after that time. */
  endsMs: number
}

/**
 * Adds the queue of all hubs to the queue of one hub. Hubs take turns, so that none loses the race for the branch head, which would cost the git host's calls.
 *
 * @param takeTurn this hub's own queue; its first publish waits in the queue of all hubs
 */
export function shareTurns(takeTurn: TakeTurn, takeBranch: TakeBranch): TakeTurn {
  let turn: BranchTurn | undefined
  let isRunning = false
  /** How many publishes of this hub have not begun. */
  let waiting = 0
  const openTurn = async (waitMs: number): Promise<BranchTurn> => {
    const end = await takeBranch(waitMs)
    if (!end) throw queueError()
    return { end, endsMs: performance.now() + TURN_MS }
  }
  const endTurn = async () => {
    const mine = turn
    turn = undefined
    await mine?.end()
  }
  return async (request, work) => {
    const endsMs = performance.now() + request.waitMs
    let hasBegun = false
    waiting += 1
    try {
      return await takeTurn(request, async () => {
        hasBegun = true
        waiting -= 1
        isRunning = true
        try {
          turn ??= await openTurn(endsMs - performance.now())
          return await work()
        } finally {
          isRunning = false
          if (waiting === 0 || performance.now() >= (turn?.endsMs ?? 0)) await endTurn()
        }
      })
    } finally {
      // The turn was kept for a publish that was then refused.
      if (!hasBegun && --waiting === 0 && !isRunning) await endTurn()
    }
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
