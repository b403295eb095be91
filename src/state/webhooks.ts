// Stores webhooks, and the events that wait for their delivery, in the state store.
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { mapConcurrently } from '../concurrency/promises.ts'
import { EVENT_TYPES, type EventType } from '../domain/events/event.ts'
import type { WebhookRecord, WebhookRequest } from '../domain/managing/webhook-request.ts'
import { listKeys, readRecord } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/** The webhook of the operator, of all owners' events. No owner has this name. */
export const OPERATOR = '-'
/**
 * Much longer than an event is sent again, because events behind it wait for it, and each is tried. The sweep removes
 * what a lost webhook leaves.
 */
const EVENT_MS = 7 * 24 * 3_600_000
const AT_ONCE = 8

const StoredWebhook = z.object({
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  secret: z.string(),
  created_at: z.string(),
  created_by: z.string().nullable(),
})
/** A webhook with its secret. */
export type StoredWebhook = z.infer<typeof StoredWebhook>

const Standing = z.object({
  delivered_at: z.string().nullable(),
  problem: z.object({ at: z.string(), message: z.string() }).nullable(),
})
/** Whether events arrive. */
export type Standing = z.infer<typeof Standing>

const Waiting = z.object({
  /** The ID of the message, the same in every attempt. */
  id: z.string(),
  /** The full name of the prompt, whose events are delivered in order. */
  prompt: z.string(),
  payload: z.string(),
  /** When it happened to be found, in milliseconds since 1970. */
  firstMs: z.number(),
  attempts: z.int(),
  /** When it may be sent next, in milliseconds since 1970. */
  nextMs: z.number(),
})
/** An event that waits for its delivery. */
export type Waiting = z.infer<typeof Waiting>

/** A webhook's place. */
export interface WebhookPlace {
  owner: string
  id: string
}

const keyOf = ({ owner, id }: WebhookPlace) => `webhooks/${owner}/${id}`
const standingOf = ({ owner, id }: WebhookPlace) => `webhook-standing/${owner}/${id}`
const queueOf = ({ owner, id }: WebhookPlace) => `webhook-events/${owner}/${id}/`
const QUEUES = 'webhook-events/'
const lifetimeOf = ({ firstMs }: Waiting) => ({ expiresAt: firstMs + EVENT_MS })

/** Opens the webhooks. Every function throws HubError `unavailable` if the store fails. */
export function openWebhooks(state: StateStore) {
  const find = async (place: WebhookPlace) => (await readRecord(state, keyOf(place), StoredWebhook))?.value
  const idsOf = async (owner: string) =>
    (await Array.fromAsync(listKeys(state, `webhooks/${owner}/`))).map((key) => key.split('/')[2]!)
  const findStanding = async (place: WebhookPlace) => (await readRecord(state, standingOf(place), Standing))?.value
  const show = async (place: WebhookPlace, { secret: _, ...shown }: StoredWebhook): Promise<WebhookRecord> => {
    const [standing, keys] = await Promise.all([findStanding(place), Array.fromAsync(listKeys(state, queueOf(place)))])
    return {
      id: place.id,
      ...shown,
      pending: keys.length,
      last_delivered_at: standing?.delivered_at ?? null,
      last_problem: standing?.problem ?? null,
    }
  }
  return {
    find,
    /** Returns whether anybody has a webhook. */
    async hasAny(): Promise<boolean> {
      return (await state.list('webhooks/')).keys.length > 0
    },
    idsOf,
    async list(owner: string): Promise<WebhookRecord[]> {
      const shown = await mapConcurrently(AT_ONCE, await idsOf(owner), async (id) => {
        const stored = await find({ owner, id })
        return stored && (await show({ owner, id }, stored))
      })
      return shown.filter((one) => one !== undefined)
    },
    /** Sets a webhook. @returns its secret if it is new */
    async set(
      place: WebhookPlace,
      wish: WebhookRequest,
      { by, now }: { by: string | null; now: Date },
    ): Promise<{ webhook: WebhookRecord; secret: string | null }> {
      const before = await find(place)
      const stored: StoredWebhook = {
        created_at: now.toISOString(),
        created_by: by,
        secret: `whsec_${randomBytes(32).toString('base64')}`,
        ...before,
        ...wish,
      }
      await state.set(keyOf(place), JSON.stringify(stored))
      return { webhook: await show(place, stored), secret: before ? null : stored.secret }
    },
    /** Removes a webhook, with what waits for it. @returns whether there was one */
    async remove(place: WebhookPlace): Promise<boolean> {
      const wasThere = (await state.get(keyOf(place))) !== undefined
      await state.delete(keyOf(place))
      for await (const key of listKeys(state, queueOf(place))) await state.delete(key)
      await state.delete(standingOf(place))
      return wasThere
    },
    /** Lists the webhooks of an owner, with the types of events that each receives. */
    async listReceivers(owner: string): Promise<{ id: string; events: readonly EventType[] }[]> {
      const found = await mapConcurrently(AT_ONCE, await idsOf(owner), async (id) => {
        const stored = await find({ owner, id })
        return stored && { id, events: stored.events }
      })
      return found.filter((one) => one !== undefined)
    },
    standing: findStanding,
    /** Notes how the last delivery went. */
    noteStanding: (place: WebhookPlace, standing: Standing) =>
      state.set(standingOf(place), JSON.stringify(standing), { expiresAt: Date.now() + 30 * 24 * 3_600_000 }),
  }
}

/** Deletes a login from the webhooks that the person set. The webhooks stay, because they are their owners’. */
export async function forgetWebhookSetter(state: StateStore, login: string): Promise<void> {
  for await (const key of listKeys(state, 'webhooks/'))
    for (;;) {
      const found = await readRecord(state, key, StoredWebhook)
      if (found?.value.created_by !== login) break
      if (await state.replace(key, JSON.stringify({ ...found.value, created_by: null }), found.version)) break
    }
}

/** An event that waits, and where it is stored. */
export interface Queued extends WebhookPlace {
  key: string
  waiting: Waiting
}

/** Opens the events that wait. */
export function openQueue(state: StateStore) {
  const placeIn = (key: string): WebhookPlace => {
    const [, owner = '', id = ''] = key.split('/')
    return { owner, id }
  }
  return {
    /** Returns where an event is stored. @param number its place in the order of all events */
    keyOf: (place: WebhookPlace, number: number) => `${queueOf(place)}${String(number).padStart(14, '0')}`,
    /** Stores a new event. One that is stored already stays, with its attempts. */
    store: (key: string, waiting: Waiting) => state.add(key, JSON.stringify(waiting), lifetimeOf(waiting)),
    /** Returns the version of an event that still waits: its webhook may have been removed. */
    versionOf: async (key: string) => (await state.get(key))?.version,
    /** Stores what became of an event. @returns false if it is gone, or another server sent it meanwhile */
    update: (key: string, waiting: Waiting, version: string) =>
      state.replace(key, JSON.stringify(waiting), version, lifetimeOf(waiting)),
    /** Returns whether an event was kept for as long as events are kept. */
    hasExpired: ({ firstMs }: Waiting, nowMs: number) => firstMs + EVENT_MS <= nowMs,
    /** Lists where the events of a webhook are stored. */
    listKeys: (place: WebhookPlace) => Array.fromAsync(listKeys(state, queueOf(place))),
    /** Removes an event that was delivered or given up. */
    drop: (key: string) => state.delete(key),
    /** Reads all events that wait, in the order in which they happened. */
    async readAll(): Promise<Queued[]> {
      const keys = await Array.fromAsync(listKeys(state, QUEUES))
      const read = await mapConcurrently(AT_ONCE, keys, async (key) => {
        const found = await readRecord(state, key, Waiting)
        return found && { ...placeIn(key), key, waiting: found.value }
      })
      return read.filter((one) => one !== undefined)
    },
  }
}
