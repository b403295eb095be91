// Queues the hubs that share a database, so that one hub at a time publishes to the branch. The queue only avoids lost races: git's compare-and-swap decides which commit counts, with or without it.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { stateUnavailable } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/** The queue is one row. A connection's lock would end with its hub, but not all poolers keep a hub's connection. */
const KEY = 'turns/branch'
/** How long a hub may hold the turn without a sign of life. Until then, a killed hub delays all others. */
const LEASE_MS = 5_000
/** How often the hub that has the turn gives a sign of life. */
const RENEW_MS = 1_000
/** How often the next hub in the queue looks; the hubs behind it look less often. */
const POLL_MS = 25
/** Maximum number of attempts to change the row. Each failure means that another hub changed it. */
const MAX_TRIES = 50

const Queue = z.object({
  /** The hub that has the turn, or null. */
  holder: z.string().nullable(),
  /** Increases with every turn and every sign of life. */
  beat: z.int(),
  /** The hubs that wait for the turn, in order. */
  waiting: z.array(z.string()),
})
type Queue = z.infer<typeof Queue>

const EMPTY: Queue = { holder: null, beat: 0, waiting: [] }

/** Ends this hub's turn. Never fails. */
type EndTurn = () => Promise<void>

/**
 * Opens this hub's place in the queue. Hubs never compare clocks: each measures by its own clock how long the row has shown no sign of life.
 *
 * @param state a store whose `replace` is exact: a database
 * @returns a function that waits for this hub's turn, for at most the given time; it must not be called again before the turn has ended. It returns undefined if the turn did not come in time, and throws HubError `unavailable` if the store fails
 */
export function openHubTurns(state: StateStore): (waitMs: number) => Promise<EndTurn | undefined> {
  const hub = randomUUID()

  const read = async () => {
    const found = await state.get(KEY)
    return { queue: found ? parseQueue(found.value) : EMPTY, version: found?.version }
  }
  const write = (queue: Queue, version: string | undefined) =>
    version === undefined ? state.add(KEY, JSON.stringify(queue)) : state.replace(KEY, JSON.stringify(queue), version)
  /** @param next returns the same object if nothing must change */
  const change = async (next: (queue: Queue) => Queue): Promise<Queue> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { queue, version } = await read()
      const changed = next(queue)
      if (changed === queue || (await write(changed, version))) return changed
    }
    throw stateUnavailable(new Error('too many hubs are changing the publish queue at once'))
  }
  // If the store fails, the row shows no sign of life, and another hub takes the turn.
  const changeOrLeave = (next: (queue: Queue) => Queue) => change(next).then(ignore, ignore)

  const hold = (): EndTurn => {
    const renewing = setInterval(() => changeOrLeave((queue) => renew(queue, hub)), RENEW_MS).unref()
    return () => {
      clearInterval(renewing)
      return changeOrLeave((queue) => leave(queue, hub))
    }
  }
  return async (waitMs) => {
    const endsMs = performance.now() + waitMs
    let seen = { sign: '', atMs: 0 }
    const isSilent = ({ holder, beat }: Queue): boolean => {
      const sign = `${holder} ${beat}`
      if (sign !== seen.sign) seen = { sign, atMs: performance.now() }
      return performance.now() - seen.atMs >= LEASE_MS
    }
    for (;;) {
      const { holder, waiting } = await change((queue) => enter(isSilent(queue) ? passOn(queue) : queue, hub))
      if (holder === hub) return hold()
      if (performance.now() >= endsMs) {
        await changeOrLeave((queue) => leave(queue, hub))
        return undefined
      }
      await sleep(POLL_MS * (1 + waiting.indexOf(hub)))
    }
  }
}

/** A row that cannot be read counts as empty, because at worst two hubs then publish at the same time. */
function parseQueue(text: string): Queue {
  try {
    return Queue.parse(JSON.parse(text))
  } catch {
    return EMPTY
  }
}

/** Takes the turn if no hub has it; otherwise, joins the end of the queue. */
function enter(queue: Queue, hub: string): Queue {
  const { holder, beat, waiting } = queue
  if (holder === hub || waiting.includes(hub)) return queue
  return holder === null ? { ...queue, holder: hub, beat: beat + 1 } : { ...queue, waiting: [...waiting, hub] }
}

function passOn({ beat, waiting: [next, ...waiting] }: Queue): Queue {
  return { holder: next ?? null, beat: beat + 1, waiting }
}

function renew(queue: Queue, hub: string): Queue {
  return queue.holder === hub ? { ...queue, beat: queue.beat + 1 } : queue
}

function leave(queue: Queue, hub: string): Queue {
  if (queue.holder === hub) return passOn(queue)
  const waiting = queue.waiting.filter((other) => other !== hub)
  return waiting.length === queue.waiting.length ? queue : { ...queue, waiting }
}

function ignore(): void {}
