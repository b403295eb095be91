// Sends one event to its webhook, and stores what became of it.
import { logProblem } from '../../../log.ts'
import {
  OPERATOR,
  type openQueue,
  type openWebhooks,
  type Queued,
  type StoredWebhook,
  type WebhookPlace,
} from '../../../state/webhooks.ts'
import type { openLines, Settled } from './lines.ts'
import type { Sender } from './send.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** How long to wait after each failed attempt; the last one repeats until an event is given up. */
const RETRY_MS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 8 * HOUR] as const
/** For how long an event is sent again. src/pages/docs/webhooks.md */
const GIVE_UP_MS = 24 * HOUR

/** What became of a delivery or of an event. */
export type Outcome = 'delivered' | 'failed' | 'given_up' | 'no_room'

/** What attempts need. */
interface AttemptParts {
  webhooks: ReturnType<typeof openWebhooks>
  queue: ReturnType<typeof openQueue>
  sender: Pick<Sender, 'send'>
  operator?: Pick<StoredWebhook, 'url' | 'secret'> | undefined
  count?: ((outcome: Outcome) => void) | undefined
  /** Logs a problem of a webhook once, until `end` is called for it. */
  problems: {
    say(place: WebhookPlace, event: string, message: string, problem?: string): void
    end(place: WebhookPlace): void
  }
  pace: number
}
type Lines = ReturnType<typeof openLines>

/** Opens what sends an event once. */
export function openAttempts({ webhooks, queue, sender, operator, count, problems, pace }: AttemptParts) {
  const find = async ({ owner, id }: WebhookPlace) => (owner === OPERATOR ? operator : webhooks.find({ owner, id }))

  const sayGivenUp = ({ owner, id, waiting }: Queued): void => {
    count?.('given_up')
    logProblem('warning', 'event_given_up', 'An event was not delivered within 24 hours.', {
      owner,
      webhook: id,
      message_id: waiting.id,
    })
  }

  /** Drops from the lines what is no longer stored, because its webhook was removed. */
  const dropRemoved = async (place: WebhookPlace, mine: Lines): Promise<void> => {
    const known = mine.of(place)
    if (known.length === 0) return
    const stored = new Set(await queue.listKeys(place))
    const gone = known.filter(({ key }) => !stored.has(key))
    if (gone.length > 0) mine.removeAll(place, gone)
  }

  const deliver = async (queued: Queued, mine: Lines): Promise<Settled> => {
    const { key, waiting } = queued
    const [version, webhook] = [await queue.versionOf(key), await find(queued)]
    if (!webhook) {
      const all = mine.of(queued)
      for (const one of all) await queue.drop(one.key)
      mine.removeAll(queued, all)
      return 'dropped'
    }
    if (version === undefined) {
      if (queue.hasExpired(waiting, Date.now())) sayGivenUp(queued)
      await dropRemoved(queued, mine)
      return 'dropped'
    }
    const problem = await sender.send({ ...webhook, id: waiting.id, payload: waiting.payload })
    const now = new Date()
    const note = async () => {
      const at = now.toISOString()
      const delivered_at = problem === undefined ? at : ((await webhooks.standing(queued))?.delivered_at ?? null)
      await webhooks.noteStanding(queued, {
        delivered_at,
        problem: problem === undefined ? null : { at, message: problem },
      })
    }
    if (problem === undefined) {
      count?.('delivered')
      problems.end(queued)
      await note().catch(() => {})
      await queue.drop(key)
      return 'delivered'
    }
    count?.('failed')
    problems.say(
      queued,
      'webhook_failing',
      'A webhook does not accept events; they are sent again for 24 hours.',
      problem,
    )
    const endsMs = waiting.firstMs + GIVE_UP_MS * pace
    if (now.getTime() >= endsMs) {
      sayGivenUp(queued)
      await note().catch(() => {})
      await queue.drop(key)
      return 'given_up'
    }
    waiting.attempts += 1
    const nextMs = now.getTime() + delayMs(waiting.attempts - 1) * pace * (0.9 + Math.random() * 0.2)
    waiting.nextMs = Math.min(nextMs, endsMs)
    if (!(await queue.update(key, waiting, version))) {
      await dropRemoved(queued, mine)
      return 'dropped'
    }
    await note().catch(() => {})
    return 'failed'
  }

  return { deliver, dropRemoved }
}

/** Returns how long to wait after so many failures before this one. */
export const delayMs = (failures: number) => RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]!
