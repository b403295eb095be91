// A queue in which senders take turns, in the memory of one process.
import type { HubError } from '../domain/api/errors.ts'
import type { TakeTurn, TurnRequest, Turns } from './turns.ts'

/** The limits of a queue. */
interface TurnLimits {
  /** How much work runs at the same time, in total and for one sender. */
  running: { total: number; perSender: number }
  /** How much work may wait, in total and for one sender. */
  waiting: { total: number; perSender: number }
  /** Creates the error for work that was not started. */
  refuse: () => HubError
}

/** Work that is waiting in the queue. */
interface Waiting {
  since: number
  start: () => void
  refuse: () => void
}

/** Creates an empty queue. */
export function createTurns({ running: mostRunning, waiting: mostWaiting, refuse }: TurnLimits): Turns {
  /** The senders in the order of their turns, each with its waiting work, oldest first. */
  const queues = new Map<string, Waiting[]>()
  let count = 0
  /** How much work of each sender is running. */
  const running = new Map<string, number>()
  let total = 0

  const mayStart = (sender: string) => total < mostRunning.total && (running.get(sender) ?? 0) < mostRunning.perSender
  const begin = (sender: string) => {
    total += 1
    running.set(sender, (running.get(sender) ?? 0) + 1)
  }
  const leave = (sender: string, one: Waiting) => {
    const queue = queues.get(sender) ?? []
    queue.splice(queue.indexOf(one), 1)
    if (queue.length === 0) queues.delete(sender)
    count -= 1
  }
  /** If the queue is full, the sender with the most waiting work loses one piece to a sender with less. */
  const hasPlace = (sender: string): boolean => {
    const own = queues.get(sender)?.length ?? 0
    if (own >= mostWaiting.perSender) return false
    if (count < mostWaiting.total) return true
    const longest = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    if (longest.length <= own + 1) return false
    longest.at(-1)!.refuse()
    return true
  }
  const wait = ({ sender, waitMs }: TurnRequest): Promise<void> => {
    if (waitMs <= 0 || !hasPlace(sender)) return Promise.reject(refuse())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const end = () => {
      clearTimeout(timer)
      leave(sender, one)
    }
    const one: Waiting = {
      since: performance.now(),
      start: () => {
        end()
        begin(sender)
        resolve()
      },
      refuse: () => {
        end()
        reject(refuse())
      },
    }
    const timer = setTimeout(one.refuse, waitMs)
    queues.set(sender, [...(queues.get(sender) ?? []), one])
    count += 1
    return promise
  }
  const passOn = (sender: string) => {
    total -= 1
    const left = running.get(sender)! - 1
    if (left === 0) running.delete(sender)
    else running.set(sender, left)
    const own = queues.get(sender)
    // After each turn, a sender moves to the end of the queue.
    if (own && queues.delete(sender)) queues.set(sender, own)
    const [, waiting = []] = queues.entries().find(([next]) => mayStart(next)) ?? []
    waiting[0]?.start()
  }
  const takeTurn: TakeTurn = async (request, work) => {
    if (mayStart(request.sender)) begin(request.sender)
    else await wait(request)
    try {
      return await work()
    } finally {
      passOn(request.sender)
    }
  }
  const state = () => {
    const since = [...queues.values()].flat().map((one) => one.since)
    return { length: count, oldestMs: since.length === 0 ? 0 : performance.now() - Math.min(...since) }
  }
  return Object.assign(takeTurn, { state })
}
