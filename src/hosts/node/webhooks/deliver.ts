// Delivers the events of new commits to webhooks: finds them in git, stores them with each webhook that wants them, and sends them until they are accepted. Of several servers that share a store, one does this at a time.
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { listEvents } from '../../../content/content-events.ts'
import type { EventType, HubEvent } from '../../../domain/events/event.ts'
import { logProblem } from '../../../log.ts'
import { parseRecord } from '../../../state/state-entries.ts'
import type { StateStore } from '../../../state/state-store.ts'
import { OPERATOR, openQueue, openWebhooks, type StoredWebhook, type WebhookPlace } from '../../../state/webhooks.ts'
import { inBackground } from '../http/background.ts'
import { delayMs, type Outcome, openAttempts } from './attempt.ts'
import { openLines } from './lines.ts'
import type { Sender } from './send.ts'
import { openTurn } from './turn.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** How long a webhook rests at most after a failure, so that a recovered receiver is noticed. */
const MAX_PAUSE_MS = 5 * MINUTE
/** How long other events of a webhook wait at most after a success. */
const RESUME_MS = MINUTE
/** How long a server that lags behind leaves the turn to others, and how often it does. */
const REST_MS = 5 * SECOND
const REST_EVERY_MS = MINUTE
const TICK_MS = 2 * SECOND
/** How long the commit up to which events are known may be missing here, before it is given up. */
const PATIENCE_MS = 10 * MINUTE
/** How long a stop waits for deliveries. */
const END_MS = 2 * SECOND

const Cursor = z.object({
  /** The commit up to which all events are stored. */
  commit: z.string(),
  /** How many events there were before, which orders them. */
  number: z.int(),
})
type Cursor = z.infer<typeof Cursor>

/** What delivers needs. */
interface DeliveryParts {
  state: StateStore
  sender: Pick<Sender, 'send'>
  /** Names where the content is; see `sourceOf`. */
  source: string
  contentDir: string
  environment: Readonly<Record<string, string | undefined>>
  baseUrl: string
  /** The commit that readers see; null until there is a build. */
  served: () => string | null
  /** The operator's own webhook. */
  operator?: Pick<StoredWebhook, 'url' | 'secret'> | undefined
  /** Counts attempts and events that are given up or find no room. */
  count?: ((outcome: Outcome) => void) | undefined
  /** Multiplies all times; for tests. */
  pace?: number
}

/** Starts to deliver events. */
export function startDeliveries(parts: DeliveryParts) {
  const { state, sender, source, baseUrl, served, operator, count, pace = 1 } = parts
  const webhooks = openWebhooks(state)
  const queue = openQueue(state)
  const cursorKey = `webhook-cursor/${hash('sha256', source).slice(0, 16)}`
  const turn = openTurn(state)
  const openEmpty = () =>
    openLines((failures) => Math.min(MAX_PAUSE_MS, delayMs(failures - 1)) * pace, RESUME_MS * pace)
  /** What waits, as far as this server delivers. */
  let lines = openEmpty()
  /** When this server last left the turn to others because it lags behind. */
  let restedMs = -Infinity
  /** Whether there may be a cursor of webhooks that are gone. */
  let isLeft = true
  /** The commit that was served when nobody had a webhook. */
  let before: string | null = null
  let stuckSinceMs: number | undefined
  let isTicking = false
  let isEnding = false
  let isAgain = false
  const said = new Set<string>()

  /** Takes or keeps the turn to deliver. */
  const takeTurn = async (): Promise<boolean> => {
    if (await turn.keep()) return true
    if (performance.now() - restedMs < REST_MS * pace || !(await turn.take())) return false
    lines = openEmpty()
    const stored = await queue.readAll().catch(async (error: unknown) => {
      await turn.end().catch(() => {})
      throw error
    })
    for (const queued of stored) lines.add(queued)
    return turn.keep()
  }
  /** Lets a server that knows more go on. If there is none, this one takes the turn again. */
  const leaveTurn = async (): Promise<void> => {
    if (performance.now() - restedMs < REST_EVERY_MS * pace) return
    restedMs = performance.now()
    await turn.end()
  }

  const readCursor = async () => {
    const found = await state.get(cursorKey)
    const cursor = found && (await parseRecord(cursorKey, found.value, Cursor))
    return { cursor, version: found?.version }
  }
  const writeCursor = (cursor: Cursor, version: string | undefined) =>
    version === undefined
      ? state.add(cursorKey, JSON.stringify(cursor))
      : state.replace(cursorKey, JSON.stringify(cursor), version)

  /** Stores the events of what is served and was not yet. */
  const follow = async (): Promise<void> => {
    const head = served()
    if (head === null) return
    for (;;) {
      const { cursor, version } = await readCursor()
      const from: Cursor = cursor ?? { commit: before ?? head, number: Date.now() }
      if (!cursor && !(await writeCursor(from, version))) return
      if (from.commit === head) return
      if (cursor === undefined) continue
      const found = await listEvents(parts.contentDir, parts.environment, from.commit, head)
      if (found.kind === 'behind') return leaveTurn()
      if (found.kind !== 'events') {
        stuckSinceMs ??= Date.now()
        if (found.kind === 'unknown' && Date.now() - stuckSinceMs < PATIENCE_MS) return leaveTurn()
        logProblem('warning', 'events_skipped', 'The branch was set back, so webhooks are not told what changed.')
        if (!(await writeCursor({ ...from, commit: head }, version))) return
        continue
      }
      stuckSinceMs = undefined
      if (!(await storeAll(found.events, from.number))) return
      if (!(await writeCursor({ commit: found.until, number: from.number + found.events.length }, version))) return
    }
  }

  /** Stores events. @returns false if another server took the turn */
  const storeAll = async (events: readonly HubEvent[], number: number): Promise<boolean> => {
    const known = new Map<string, { id: string; events: readonly EventType[] }[]>()
    const wanting = async (owner: string) => {
      const listed = known.get(owner)
      if (listed) return listed
      for (const id of lines.idsOf(owner)) await attempts.dropRemoved({ owner, id }, lines)
      const found = await webhooks.listReceivers(owner)
      known.set(owner, found)
      return found
    }
    for (const [index, event] of events.entries()) {
      const wanted = (await wanting(event.owner)).filter((one) => one.events.includes(event.type))
      const places = wanted.map(({ id }) => ({ owner: event.owner, id }))
      for (const place of operator ? [...places, { owner: OPERATOR, id: OPERATOR }] : places) {
        if (!(await turn.keep())) return false
        await storeEvent(place, event, number + index)
      }
    }
    return turn.keep()
  }

  const storeEvent = async (place: WebhookPlace, event: HubEvent, number: number): Promise<void> => {
    if (!lines.hasRoom(place)) {
      count?.('no_room')
      sayOnce(place, 'webhook_full', 'Too many events wait for a webhook, so it is not told of new ones.')
      return
    }
    const { owner, name, type, data } = event
    const prompt = `${owner}/${name}`
    const address = `${baseUrl}/${prompt}`
    const payload = JSON.stringify({
      type,
      timestamp: data.at,
      data: { full_name: prompt, html_url: address, ...data },
    })
    const id = `msg_${hash('sha256', `${source}\0${number}\0${payload}`).slice(0, 32)}`
    const nowMs = Date.now()
    const waiting = { id, prompt, payload, firstMs: nowMs, attempts: 0, nextMs: nowMs }
    const queued = { ...place, key: queue.keyOf(place, number), waiting }
    // What was stored before the cursor could be written is in the lines already.
    if (await queue.store(queued.key, waiting)) lines.add(queued)
  }

  /** Logs a problem of a webhook once, until a delivery succeeds. */
  const sayOnce = ({ owner, id }: WebhookPlace, event: string, message: string, problem?: string) => {
    const key = `${event} ${owner}/${id}`
    if (said.has(key)) return
    if (said.size > 1_000) said.clear()
    said.add(key)
    logProblem('warning', event, message, { owner, webhook: id, ...(problem !== undefined && { problem }) })
  }

  const endProblems = ({ owner, id }: WebhookPlace) => {
    said.delete(`webhook_failing ${owner}/${id}`)
    said.delete(`webhook_full ${owner}/${id}`)
  }
  const problems = { say: sayOnce, end: endProblems }
  const attempts = openAttempts({ webhooks, queue, sender, operator, count, problems, pace })

  /** Sends what may be sent now. */
  const pump = (): void => {
    const mine = lines
    while (turn.isMine() && !isEnding) {
      const queued = mine.take(Date.now())
      if (!queued) return
      inBackground('Delivering an event', async () => {
        const outcome = await attempts.deliver(queued, mine).catch((error: unknown) => {
          logProblem('error', 'webhook_store_failed', 'What became of an event could not be stored.', { cause: error })
          return 'failed' as const
        })
        mine.settle(queued, outcome, Date.now())
        pump()
      })
    }
  }

  const tick = async (): Promise<void> => {
    if (isTicking) {
      isAgain = true
      return
    }
    isTicking = true
    try {
      do {
        isAgain = false
        if (isEnding) return
        if (!operator && !(await webhooks.hasAny())) {
          before = served()
          if (isLeft) await state.delete(cursorKey)
          isLeft = false
          await turn.end()
          return
        }
        isLeft = true
        if (!(await takeTurn())) return
        // Before git is read, which can take long.
        pump()
        await follow()
        pump()
        said.delete(`webhooks_paused ${OPERATOR}/${OPERATOR}`)
      } while (isAgain)
    } catch (error) {
      // A store that is down is another alarm, and is asked again.
      sayOnce(
        { owner: OPERATOR, id: OPERATOR },
        'webhooks_paused',
        'Webhooks wait for the state store or git.',
        String(error),
      )
    } finally {
      isTicking = false
      if (isEnding) await turn.end().catch(() => {})
    }
  }
  const timer = setInterval(() => inBackground('Following events', tick), Math.max(20, TICK_MS * pace)).unref()
  inBackground('Following events', tick)
  return {
    /** Looks for new events, because there is a new build. */
    wake(): void {
      inBackground('Following events', tick)
    },
    /** How many events wait. */
    length: () => lines.length(),
    /** Stops. What is being sent has a moment to end; otherwise, it is sent again. */
    async stop(): Promise<void> {
      isEnding = true
      clearInterval(timer)
      for (const endsMs = Date.now() + END_MS; lines.sending() > 0 && Date.now() < endsMs; ) await sleep(20)
      await turn.end().catch(() => {})
    },
  }
}
