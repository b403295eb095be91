// Keeps the events that wait for their delivery in lines, one for each prompt and webhook, and chooses the next one to send. Holds no clock, network or store.
import type { Queued, WebhookPlace } from '../../../state/webhooks.ts'

/** Maximum number of events that wait for one webhook, for the webhooks of one owner, and in all. */
const MAX_OF_WEBHOOK = 500
const MAX_OF_OWNER = 1_000
const MAX_IN_ALL = 20_000
/** Maximum number of deliveries at once, and for one owner. */
const SENDING = 16
const SENDING_OF_OWNER = 2

interface Webhook {
  owner: string
  /** The events of each prompt, oldest first. */
  lines: Map<string, Queued[]>
  count: number
  isSending: boolean
  /** How many deliveries failed in a row, and until when the next one waits for that. */
  failures: number
  pausedUntilMs: number
}

/**
 * What became of an event that was taken: `failed` leaves it at the head of its line, `given_up` is a failure that ends
 * it, and `dropped` says nothing about the receiver.
 */
export type Settled = 'delivered' | 'failed' | 'given_up' | 'dropped'

/**
 * Opens empty lines.
 *
 * @param pauseMs how long a webhook rests after so many failures in a row
 * @param resumeMs how long the heads of a webhook's other lines wait at most after a success
 */
export function openLines(pauseMs: (failures: number) => number, resumeMs: number) {
  const owners = new Map<string, Map<string, Webhook>>()
  let total = 0
  let sending = 0
  const countOf = (owner: string) => [...(owners.get(owner)?.values() ?? [])].reduce((sum, { count }) => sum + count, 0)
  const webhookOf = ({ owner, id }: WebhookPlace): Webhook => {
    const all = owners.get(owner) ?? new Map<string, Webhook>()
    owners.set(owner, all)
    const known = all.get(id) ?? { owner, lines: new Map(), count: 0, isSending: false, failures: 0, pausedUntilMs: 0 }
    all.set(id, known)
    return known
  }
  const remove = (queued: Queued) => {
    const webhook = webhookOf(queued)
    const line = webhook.lines.get(queued.waiting.prompt) ?? []
    const at = line.indexOf(queued)
    if (at < 0) return
    line.splice(at, 1)
    if (line.length === 0) webhook.lines.delete(queued.waiting.prompt)
    webhook.count -= 1
    total -= 1
  }
  const rest = (webhook: Webhook, failures: number, nowMs = 0) => {
    webhook.failures = failures
    webhook.pausedUntilMs = failures === 0 ? 0 : nowMs + pauseMs(failures)
  }
  const forget = ({ owner, id }: WebhookPlace) => {
    const all = owners.get(owner)
    const webhook = all?.get(id)
    if (!all || !webhook || webhook.count > 0 || webhook.isSending || webhook.failures > 0) return
    all.delete(id)
    if (all.size === 0) owners.delete(owner)
  }
  return {
    /** Returns whether another event may wait for a webhook. */
    hasRoom: ({ owner, id }: WebhookPlace) =>
      (owners.get(owner)?.get(id)?.count ?? 0) < MAX_OF_WEBHOOK && countOf(owner) < MAX_OF_OWNER && total < MAX_IN_ALL,
    /** Adds an event behind those of its prompt. */
    add(queued: Queued): void {
      const webhook = webhookOf(queued)
      const line = webhook.lines.get(queued.waiting.prompt) ?? []
      line.push(queued)
      webhook.lines.set(queued.waiting.prompt, line)
      webhook.count += 1
      total += 1
    },
    /** Takes the next event that may be sent; owners take turns. @returns undefined if there is none now */
    take(nowMs: number): Queued | undefined {
      if (sending >= SENDING) return undefined
      for (const [owner, webhooks] of owners) {
        if ([...webhooks.values()].filter(({ isSending }) => isSending).length >= SENDING_OF_OWNER) continue
        for (const [id, webhook] of webhooks) {
          if (webhook.isSending || webhook.pausedUntilMs > nowMs) continue
          const [prompt, line] = [...webhook.lines].find(([, [first]]) => first!.waiting.nextMs <= nowMs) ?? []
          if (prompt === undefined || !line) continue
          // To the end, so that the others come first the next time.
          webhook.lines.delete(prompt)
          webhook.lines.set(prompt, line)
          webhooks.delete(id)
          webhooks.set(id, webhook)
          owners.delete(owner)
          owners.set(owner, webhooks)
          webhook.isSending = true
          sending += 1
          return line[0]
        }
      }
      return undefined
    },
    /** Ends a delivery. */
    settle(queued: Queued, outcome: Settled, nowMs: number): void {
      const webhook = webhookOf(queued)
      webhook.isSending = false
      sending -= 1
      if (outcome !== 'failed') remove(queued)
      if (outcome === 'delivered') {
        rest(webhook, 0)
        for (const [head] of webhook.lines.values())
          head!.waiting.nextMs = Math.min(head!.waiting.nextMs, nowMs + resumeMs)
      } else if (outcome !== 'dropped') rest(webhook, webhook.failures + 1, nowMs)
      forget(queued)
    },
    /** Lists what waits for a webhook. */
    of: ({ owner, id }: WebhookPlace): Queued[] => [
      ...(owners
        .get(owner)
        ?.get(id)
        ?.lines.values()
        .flatMap((line) => line.values()) ?? []),
    ],
    /** Lists the webhooks of an owner for which something waits. */
    idsOf: (owner: string): string[] => [...(owners.get(owner)?.keys() ?? [])],
    /** Drops events of a webhook that is gone. Another one with its name does not rest for its failures. */
    removeAll(place: WebhookPlace, gone: readonly Queued[]): void {
      for (const queued of gone) remove(queued)
      rest(webhookOf(place), 0)
      forget(place)
    },
    length: () => total,
    sending: () => sending,
  }
}
