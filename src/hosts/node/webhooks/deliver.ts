// Delivers the events of new commits to webhooks: finds them in git, stores them with each webhook that wants them, and sends them until they are accepted. Of several servers that share a store, one does this at a time.
import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { listEvents } from '../../../content/content-events.ts'
import type { EventType, HubEvent } from '../../../domain/events/event.ts'
import { logProblem } from '../../../log.ts'
import { parseRecord } from '../../../state/state-entries.ts'
import type { StateStore } from '../../../state/state-store.ts'
import { OPERATOR, openQueue, openWebhooks, type Queued, type StoredWebhook } from '../../../state/webhooks.ts'
import { inBackground } from '../http/background.ts'
import { openLines } from './lines.ts'
import type { Sender } from './send.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** How long to wait after each failed attempt; the last one repeats until an event is given up. */
const RETRY_MS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 8 * HOUR] as const
/** For how long an event is sent again. src/pages/docs/webhooks.md */
const GIVE_UP_MS = 24 * HOUR
/** How long a webhook rests at most after a failure, so that a recovered receiver is noticed. */
const MAX_PAUSE_MS = 5 * MINUTE
/** How long a server delivers without a sign of life. Until then, a killed server delays deliveries. */
const LEASE_MS = 15 * SECOND
const TICK_MS = 2 * SECOND
/** How long the commit up to which events are known may be missing here, before it is given up. */
const PATIENCE_MS = 10 * MINUTE
/** How long a stop waits for deliveries. */
const END_MS = 2 * SECOND
const LEASE = 'webhook-turn'

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

/** What became of a delivery or of an event. */
export type Outcome = 'delivered' | 'failed' | 'given_up' | 'no_room'

/** Starts to deliver events. */
export function startDeliveries(parts: DeliveryParts) {
  const { state, sender, source, baseUrl, served, operator, count, pace = 1 } = parts
  const webhooks = openWebhooks(state)
  const queue = openQueue(state)
  const here = randomUUID()
  const cursorKey = `webhook-cursor/${hash('sha256', source).slice(0, 16)}`
  const openEmpty = () => openLines((failures) => Math.min(MAX_PAUSE_MS, delayMs(failures - 1)) * pace)
  /** What waits, as far as this server delivers. */
  let lines = openEmpty()
  /** Until when this server has the turn to deliver; undefined if another has it. */
  let turnUntilMs: number | undefined
  /** Whether there may be a cursor of webhooks that are gone. */
  let isLeft = true
  /** The commit that was served when nobody had a webhook. */
  let before: string | null = null
  let stuckSinceMs: number | undefined
  let isTicking = false
  let isEnding = false
  let isAgain = false
  const said = new Set<string>()

  const find = async ({ owner, id }: Pick<Queued, 'owner' | 'id'>) =>
    owner === OPERATOR ? operator : webhooks.find({ owner, id })

  /** Takes or keeps the turn to deliver. */
  const takeTurn = async (): Promise<boolean> => {
    const nowMs = Date.now()
    if (turnUntilMs !== undefined && turnUntilMs - nowMs > LEASE_MS / 2) return true
    const expiresAt = nowMs + LEASE_MS
    const found = turnUntilMs === undefined ? undefined : await state.get(LEASE)
    const isKept = found?.value === here && (await state.replace(LEASE, here, found.version, { expiresAt }))
    if (!isKept) {
      turnUntilMs = undefined
      if (!(await state.add(LEASE, here, { expiresAt }))) return false
      lines = openEmpty()
      for (const queued of await queue.readAll()) lines.add(queued)
    }
    turnUntilMs = expiresAt
    return true
  }
  const endTurn = async () => {
    const isMine = turnUntilMs !== undefined
    turnUntilMs = undefined
    if (isMine && (await state.get(LEASE))?.value === here) await state.delete(LEASE)
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
      if (found.kind === 'behind') return
      if (found.kind !== 'events') {
        stuckSinceMs ??= Date.now()
        if (found.kind === 'unknown' && Date.now() - stuckSinceMs < PATIENCE_MS) return
        logProblem('warning', 'events_skipped', 'The branch was set back, so webhooks are not told what changed.')
        if (!(await writeCursor({ ...from, commit: head }, version))) return
        continue
      }
      stuckSinceMs = undefined
      await storeAll(found.events, from.number)
      if (!(await writeCursor({ commit: found.until, number: from.number + found.events.length }, version))) return
    }
  }

  const storeAll = async (events: readonly HubEvent[], number: number): Promise<void> => {
    const known = new Map<string, { id: string; events: readonly EventType[] }[]>()
    const wanting = async (owner: string) => {
      const listed = known.get(owner) ?? (await webhooks.listReceivers(owner))
      known.set(owner, listed)
      return listed
    }
    for (const [index, event] of events.entries()) {
      const wanted = (await wanting(event.owner)).filter((one) => one.events.includes(event.type))
      const places = wanted.map(({ id }) => ({ owner: event.owner, id }))
      for (const place of operator ? [...places, { owner: OPERATOR, id: OPERATOR }] : places)
        await storeEvent(place, event, number + index)
    }
  }

  const storeEvent = async (place: Pick<Queued, 'owner' | 'id'>, event: HubEvent, number: number): Promise<void> => {
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
    await queue.store(queued.key, waiting)
    lines.add(queued)
  }

  /** Logs a problem of a webhook once, until a delivery succeeds. */
  const sayOnce = ({ owner, id }: Pick<Queued, 'owner' | 'id'>, event: string, message: string, problem?: string) => {
    const key = `${event} ${owner}/${id}`
    if (said.has(key)) return
    if (said.size > 1_000) said.clear()
    said.add(key)
    logProblem('warning', event, message, { owner, webhook: id, ...(problem !== undefined && { problem }) })
  }

  /** Sends what may be sent now. */
  const pump = (): void => {
    const mine = lines
    while (turnUntilMs !== undefined && !isEnding) {
      const queued = mine.take(Date.now())
      if (!queued) return
      inBackground('Delivering an event', async () => {
        const outcome = await deliver(queued).catch((error: unknown) => {
          logProblem('error', 'webhook_store_failed', 'What became of an event could not be stored.', { cause: error })
          return 'failed' as const
        })
        mine.settle(queued, outcome, Date.now())
        pump()
      })
    }
  }

  const deliver = async (queued: Queued): Promise<'delivered' | 'failed' | 'dropped'> => {
    const { key, waiting } = queued
    const webhook = (await queue.has(key)) ? await find(queued) : undefined
    if (!webhook) {
      await queue.drop(key)
      return 'dropped'
    }
    const problem = await sender.send({ ...webhook, id: waiting.id, payload: waiting.payload })
    const now = new Date()
    await webhooks
      .noteStanding(queued, {
        delivered_at:
          problem === undefined ? now.toISOString() : ((await webhooks.standing(queued))?.delivered_at ?? null),
        problem: problem === undefined ? null : { at: now.toISOString(), message: problem },
      })
      .catch(() => {})
    if (problem === undefined) {
      count?.('delivered')
      said.delete(`webhook_failing ${queued.owner}/${queued.id}`)
      said.delete(`webhook_full ${queued.owner}/${queued.id}`)
      await queue.drop(key)
      return 'delivered'
    }
    count?.('failed')
    sayOnce(queued, 'webhook_failing', 'A webhook does not accept events; they are sent again for 24 hours.', problem)
    waiting.attempts += 1
    waiting.nextMs = now.getTime() + delayMs(waiting.attempts - 1) * pace * (0.9 + Math.random() * 0.2)
    if (now.getTime() - waiting.firstMs >= GIVE_UP_MS * pace) {
      count?.('given_up')
      logProblem('warning', 'event_given_up', 'An event was not delivered within 24 hours.', {
        owner: queued.owner,
        webhook: queued.id,
        message_id: waiting.id,
      })
      await queue.drop(key)
      return 'dropped'
    }
    await queue.store(key, waiting)
    return 'failed'
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
          await endTurn()
          return
        }
        isLeft = true
        if (!(await takeTurn())) return
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
    }
  }
  const timer = setInterval(() => inBackground('Following events', tick), Math.max(20, TICK_MS * pace)).unref()
  inBackground('Following events', tick)
  return {
    /** Looks for new events, because there is a new build. */
    wake: () => inBackground('Following events', tick),
    /** How many events wait. */
    length: () => lines.length(),
    /** Stops. What is being sent has a moment to end; otherwise, it is sent again. */
    async stop(): Promise<void> {
      isEnding = true
      clearInterval(timer)
      for (const endsMs = Date.now() + END_MS; lines.sending() > 0 && Date.now() < endsMs; ) await sleep(20)
      await endTurn().catch(() => {})
    },
  }
}

const delayMs = (failures: number) => RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]!
