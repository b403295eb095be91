// The publish queue: publishes access git one at a time, and publishers take turns, so that a publisher with many publishes does not delay the others.
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/api/limits.ts'

/** A publisher in the queue. */
interface TurnRequest {
  /** The publisher's key for rate limits: a user, an operator's token or a CI job's repository. */
  publisher: string
  /** Maximum time to wait in the queue, in milliseconds. */
  waitMs: number
}

/**
 * Runs work when it is the publisher's turn and all earlier work has finished, successfully or not.
 *
 * @throws HubError `unavailable` if the turn does not come in time or too many publishes are waiting; in both cases, the work was not started
 */
export type TakeTurn = <Value>(request: TurnRequest, work: () => Promise<Value>) => Promise<Value>

/** How full the queue is. */
export interface QueueState {
  /** The number of publishes that are waiting. */
  length: number
  /** How long the oldest of them has been waiting, in milliseconds; 0 if there is none. */
  oldestMs: number
}

/** A queue of publishes. */
type Turns = TakeTurn & { state: () => QueueState }

/** Waits until it is this hub's turn among the hubs that share a branch. @returns a function that ends the turn and never fails; undefined if the turn did not come in time @throws HubError `unavailable` if the hubs' queue cannot be reached */
type TakeBranch = (waitMs: number) => Promise<(() => Promise<void>) | undefined>

/** A publish that is waiting in the queue. */
interface Waiting {
  since: number
  start: () => void
  refuse: () => void
}

/** Maximum number of waiting publishes. Each keeps its body of up to 1 MiB in memory. */
const MAX_WAITING = 100

/** Creates an empty queue. A publisher can have as many waiting publishes as the rate limit allows per minute. */
export function createTurns(maxWaiting = MAX_WAITING, maxPerPublisher: number = LIMITS.publishesPerMinute): Turns {
  /** The publishers in the order of their turns, each with its waiting publishes, oldest first. */
  const queues = new Map<string, Waiting[]>()
  let count = 0
  let isBusy = false

  const leave = (publisher: string, one: Waiting) => {
    const queue = queues.get(publisher) ?? []
    queue.splice(queue.indexOf(one), 1)
    if (queue.length === 0) queues.delete(publisher)
    count -= 1
  }
  /** If the queue is full, the publisher with the most waiting publishes loses one to a publisher with fewer. */
  const hasPlace = (publisher: string): boolean => {
    const own = queues.get(publisher)?.length ?? 0
    if (own >= maxPerPublisher) return false
    if (count < maxWaiting) return true
    const longest = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    if (longest.length <= own + 1) return false
    longest.at(-1)!.refuse()
    return true
  }
  const wait = ({ publisher, waitMs }: TurnRequest): Promise<void> => {
    if (waitMs <= 0 || !hasPlace(publisher)) return Promise.reject(queueError())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const end = () => {
      clearTimeout(timer)
      leave(publisher, one)
    }
    const one: Waiting = {
      since: performance.now(),
      start: () => {
        end()
        resolve()
      },
      refuse: () => {
        end()
        reject(queueError())
      },
    }
    const timer = setTimeout(one.refuse, waitMs)
    queues.set(publisher, [...(queues.get(publisher) ?? []), one])
    count += 1
    return promise
  }
  const passOn = (publisher: string) => {
    const own = queues.get(publisher)
    // After each turn, a publisher moves to the end of the queue.
    if (own && queues.delete(publisher)) queues.set(publisher, own)
    const [next] = queues.values()
    if (next) next[0]!.start()
    else isBusy = false
  }
  const takeTurn: TakeTurn = async (request, work) => {
    if (isBusy) await wait(request)
    isBusy = true
    try {
      return await work()
    } finally {
      passOn(request.publisher)
    }
  }
  const state = () => {
    const since = [...queues.values()].flat().map((one) => one.since)
    return { length: count, oldestMs: since.length === 0 ? 0 : performance.now() - Math.min(...since) }
  }
  return Object.assign(takeTurn, { state })
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
