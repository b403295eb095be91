// Tests what becomes of events that wait: when they are sent again and given up, and what a removed webhook and a lost turn do to them.
import { afterEach, expect, test, vi } from 'vitest'
import { memoryState } from '../../../../tests/hubs/memory-state.ts'
import { EVENT_TYPES } from '../../../domain/events/event.ts'
import { openQueue, openWebhooks } from '../../../state/webhooks.ts'
import type { Outcome } from './attempt.ts'
import { startDeliveries } from './deliver.ts'

const HOUR = 3_600_000
const PLACE = { owner: 'acme', id: 'ci' }
const REQUEST = { url: 'https://ci.example.com/', events: [...EVENT_TYPES] }

let stop = async () => {}
afterEach(async () => {
  await stop()
  vi.restoreAllMocks()
})

/** Starts to deliver what waits. @param waiting how long ago each event was found, and in how long it is sent */
async function open(waiting: { ageMs?: number; inMs?: number }[], answers: (string | undefined)[] = []) {
  const state = memoryState(undefined, Date.now)
  const webhooks = openWebhooks(state)
  const queue = openQueue(state)
  const set = () => webhooks.set(PLACE, REQUEST, { by: 'ada', now: new Date() })
  await set()
  const keys: string[] = []
  for (const [index, { ageMs = 0, inMs = 0 }] of waiting.entries()) {
    const key = queue.keyOf(PLACE, index)
    keys.push(key)
    const [firstMs, nextMs] = [Date.now() - ageMs, Date.now() + inMs]
    const event = { id: `msg_${index}`, prompt: `acme/p${index}`, payload: '{}', firstMs, attempts: 6, nextMs }
    // Without an end, so that tests choose when it is gone.
    await state.set(key, JSON.stringify(event))
  }
  const sent: { id: string; answer: (problem?: string) => void }[] = []
  const outcomes: Outcome[] = []
  const send = async ({ id }: { id: string }) => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    sent.push({ id, answer: resolve })
    if (sent.length <= answers.length) resolve(answers[sent.length - 1])
    return promise
  }
  const deliveries = startDeliveries({
    state,
    sender: { send },
    source: 'tests',
    contentDir: '/none',
    environment: {},
    baseUrl: 'https://hub.example.com',
    served: () => null,
    count: (outcome) => outcomes.push(outcome),
  })
  stop = async () => {
    for (const { answer } of sent) answer()
    await deliveries.stop()
  }
  const stored = (key: string | undefined) => JSON.parse(state.texts.get(key ?? '') ?? 'null')
  return { state, webhooks, set, keys, sent, outcomes, stored, ...deliveries }
}

test('the last attempt is after 24 hours, and an event that waited behind others for longer is tried once', async () => {
  const late = { ageMs: 20 * HOUR }
  const { keys, stored, sent } = await open([late], ['down'])
  await vi.waitFor(() => expect(stored(keys[0])?.attempts).toBe(7))
  expect(stored(keys[0]).nextMs).toBe(stored(keys[0]).firstMs + 24 * HOUR)
  await stop()
  const older = await open([{ ageMs: 40 * HOUR }], ['down'])
  await vi.waitFor(() => expect(older.outcomes).toEqual(['failed', 'given_up']))
  expect([sent.length, older.sent.length, older.length()]).toEqual([1, 1, 0])
})

test('an event that expired counts as given up', async () => {
  const { state, keys, outcomes, sent, length, wake } = await open([{ ageMs: 8 * 24 * HOUR, inMs: 50 }])
  await vi.waitFor(() => expect(length()).toBe(1))
  await state.delete(keys[0]!)
  await vi.waitFor(() => {
    wake()
    expect(outcomes).toEqual(['given_up'])
  })
  expect([sent, length()]).toEqual([[], 0])
})

test('a webhook that is gone takes all that waits for it along', async () => {
  const { webhooks, sent, keys, length, stored, set, wake } = await open([{}, { inMs: HOUR }, { inMs: 50 }])
  await vi.waitFor(() => expect(sent.length).toBe(1))
  await webhooks.remove(PLACE)
  await set()
  sent[0]!.answer('down')
  // Neither is the event stored again, nor does the new webhook rest.
  await vi.waitFor(() => {
    wake()
    expect(length()).toBe(0)
  })
  expect([stored(keys[0]), sent.length]).toEqual([null, 1])
})

test('a server whose turn ended sends nothing more, however long it takes to notice', async () => {
  const { state, sent, wake } = await open([{}, {}])
  await vi.waitFor(() => expect(sent.length).toBe(1))
  // It looks for webhooks, and gets no answer.
  const asked = vi.spyOn(state, 'list').mockReturnValue(new Promise(() => {}))
  wake()
  await vi.waitFor(() => expect(asked).toHaveBeenCalled())
  const later = 20_000
  const [date, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)]
  vi.spyOn(Date, 'now').mockImplementation(() => date() + later)
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + later)
  sent[0]!.answer()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(sent.length).toBe(1)
})

test('a server that gave no sign of life for long does not overwrite what another stored', async () => {
  const { state, sent, keys, stored, outcomes } = await open([{}])
  await vi.waitFor(() => expect(sent.length).toBe(1))
  await state.set(keys[0]!, JSON.stringify({ ...stored(keys[0]), attempts: 9 }))
  sent[0]!.answer('down')
  await vi.waitFor(() => expect(outcomes).toEqual(['failed']))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(stored(keys[0]).attempts).toBe(9)
})
