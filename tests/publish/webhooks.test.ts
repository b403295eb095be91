// Tests webhooks: who may set them, what is delivered, and what becomes of receivers that are hostile, slow or down. See src/pages/docs/webhooks.md.
import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { runInThisContext } from 'node:vm'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { PromptHub } from '../../clients/typescript/source/prompt-hub.ts'
import { EVENT_TYPES, type EventType } from '../../src/domain/events/event.ts'
import type { Outcome } from '../../src/hosts/node/webhooks/attempt.ts'
import { startDeliveries } from '../../src/hosts/node/webhooks/deliver.ts'
import { openLines } from '../../src/hosts/node/webhooks/lines.ts'
import { openSender } from '../../src/hosts/node/webhooks/send.ts'
import { OPERATOR, openQueue, openWebhooks, type Queued } from '../../src/state/webhooks.ts'
import { BASE_URL } from '../hubs/make-hub.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { gitOf, openLocalWorld, type World } from '../hubs/worlds.ts'
import { listen, stop } from '../listen.ts'
import { blocksOf } from '../operate/follow-guide.ts'

const FILES = { 'content/acme/index.md': '---\nname: Acme\n---\n', 'content/zoe/index.md': '---\nname: Zoe\n---\n' }
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

let world: World
let hub: Hub
let state: ReturnType<typeof memoryState>
const stops: (() => Promise<unknown>)[] = []

const openAll = async () => {
  world = openLocalWorld(FILES)
  state = memoryState(undefined, Date.now)
  hub = await openHub(world, { state })
  await hub.build()
}
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

const call = async (method: string, id: string, body?: object, token = 'all') =>
  hub.publish(body, {
    method,
    path: `/api/v1/users/acme/webhooks${id && `/${id}`}`,
    token: token === 'all' ? await hub.makeToken({ permissions: ['maintain'] }) : token,
  })

/** A receiver on loopback, and what it has got. */
async function receive(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const got: { body: string; headers: IncomingMessage['headers']; type: string; prompt: string }[] = []
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { type = '', data = {} } = body === '' ? {} : JSON.parse(body)
    got.push({ body, headers: request.headers, type, prompt: data.full_name })
    answer(request, response)
  })
  const url = `${await listen(server)}/`
  stops.push(() => stop(server))
  return { url, got }
}
const accept = (_: IncomingMessage, response: ServerResponse) => void response.writeHead(204).end()

const headOf = async () => (await gitOf(world, 'rev-parse', 'main')).trim()

/** Starts to deliver what is at the head of the branch. */
async function deliver({ operator, timeoutMs = 10_000 }: { operator?: string; timeoutMs?: number } = {}) {
  const outcomes: Outcome[] = []
  const deliveries = startDeliveries({
    state,
    sender: openSender(true, timeoutMs),
    source: 'tests',
    contentDir: await world.contentDir(),
    environment: process.env,
    baseUrl: BASE_URL,
    served: () => head,
    operator: operator === undefined ? undefined : { url: operator, secret: SECRET },
    count: (outcome) => outcomes.push(outcome),
    pace: 0.005,
  })
  let head: string | null = await headOf()
  stops.push(deliveries.stop)
  /** As after a build. */
  const show = async () => {
    head = await headOf()
    deliveries.wake()
  }
  await vi.waitFor(() => expect([...state.texts.keys()].some((key) => key.startsWith('webhook-cursor/'))).toBe(true))
  return { ...deliveries, outcomes, show }
}

/** Sets a webhook as if its address had been allowed. */
async function setWebhook(
  id: string,
  url: string,
  owner = 'acme',
  events: EventType[] = [...EVENT_TYPES],
): Promise<string> {
  const { secret } = await openWebhooks(state).set({ owner, id }, { url, events }, { by: null, now: new Date() })
  return secret!
}

describe('who may set which webhook', () => {
  // One store is enough: each test sets or refuses its own.
  beforeAll(openAll)
  const PUBLIC = { url: 'https://ci.example.com/hook' }
  test('a member sets, sees, changes and removes it; the secret is shown once', async () => {
    const made = await call('PUT', 'ci', PUBLIC)
    expect([made.status, made.data]).toMatchObject([
      201,
      { id: 'ci', ...PUBLIC, secret: expect.stringMatching(/^whsec_/) },
    ])
    const again = await call('PUT', 'ci', { ...PUBLIC, events: ['label.moved'] })
    expect([again.status, again.data]).toMatchObject([200, { events: ['label.moved'], secret: null }])
    const listed = await call('GET', '')
    expect(JSON.parse(listed.text).data).toMatchObject([{ id: 'ci', events: ['label.moved'], pending: 0 }])
    expect(listed.text).not.toContain('whsec_')
    for (let index = 1; index < 10; index++) await call('PUT', `ci-${index}`, PUBLIC)
    expect(await call('PUT', 'more', PUBLIC)).toMatchObject({
      status: 422,
      message: expect.stringContaining('Remove one'),
    })
    expect((await call('DELETE', 'ci')).data).toEqual({ id: 'ci', unchanged: false })
    expect((await call('DELETE', 'ci')).data).toEqual({ id: 'ci', unchanged: true })
  })

  // src/domain/access has tables of private addresses.
  test.each([
    ['http', { url: 'http://ci.example.com/' }],
    ['loopback within IPv6', { url: 'https://[::ffff:127.0.0.1]/' }],
    ['a password', { url: 'https://a:b@ci.example.com/' }],
    ['an unknown event', { ...PUBLIC, events: ['everything'] }],
    ['an unknown field', { ...PUBLIC, secret: SECRET }],
  ])('refuses %s', async (_, body) => {
    expect(await call('PUT', 'ci', body)).toMatchObject({ status: 422, code: 'validation_failed' })
  })

  test.each<[string, Parameters<Hub['makeToken']>[0] | undefined, number]>([
    ['no token', undefined, 401],
    ['a token without maintain', { permissions: ['publish', 'label'] }, 403],
    ['the token of one prompt', { permissions: ['maintain'], scope: 'acme/code-review' }, 403],
    ['another owner', { permissions: ['maintain'], scope: 'zoe/*' }, 403],
    [
      'somebody who is no member',
      { permissions: ['maintain'], holder: { kind: 'person', login: 'eve', user_id: '9' } },
      403,
    ],
  ])('refuses %s', async (_, made, status) => {
    const token = made ? await hub.makeToken(made) : ''
    for (const [method, id, body] of [
      ['GET', ''],
      ['PUT', 'ci', PUBLIC],
      ['DELETE', 'ci'],
    ] as const)
      expect((await call(method, id, body, token)).status).toBe(status)
  })
})

describe('what is delivered', () => {
  beforeEach(openAll)
  test('events are signed, in order, of every kind and also of commits by hand, to those who want them', async () => {
    const [all, some, others, operators] = await Promise.all([1, 2, 3, 4].map(() => receive(accept)))
    const secret = await setWebhook('all', all!.url)
    await setWebhook('some', some!.url, 'acme', ['label.moved'])
    await setWebhook('all', others!.url, 'zoe')
    const { show } = await deliver({ operator: operators!.url })
    const at = '/api/v1/repos/acme/code-review'
    const token = await hub.makeToken({ permissions: ['publish', 'label', 'maintain'] })
    for (const content of ['One\n', 'Two\n']) await hub.publish({ content, bump: 'minor' }, { token })
    const put = (path: string, body: object) => hub.publish(body, { method: 'PUT', path: at + path, token })
    await put('/labels/production', { version: '1.0.0', reason: 'Try.' })
    await put('/versions/1.1.0/yank', { reason: 'Wrong.' })
    await put('/versions/1.0.0/results/smoke', { passed: 2, failed: 0 })
    await show()
    const index =
      '---\nlabels: { production: "1.0.0" }\nyanked: { "1.1.0": Wrong. }\nadvisories: [{range: "<1.1.0", severity: high, message: Leaks.}]\n---\n'
    await world.commitOutside({ 'content/acme/code-review/index.md': index })
    await show()
    const types = [
      'version.published',
      'version.published',
      'label.moved',
      'version.yanked',
      'result.reported',
      'advisory.published',
    ]
    await vi.waitFor(
      () => expect([all!.got.map(({ type }) => type), operators!.got.length]).toEqual([types, 6]),
      60_000,
    )
    expect([some!.got.map(({ type }) => type), others!.got]).toEqual([['label.moved'], []])
    for (const { body, headers } of all!.got) new Webhook(secret).verify(body, headers as Record<string, string>)
    for (const { body, headers } of operators!.got) new Webhook(SECRET).verify(body, headers as Record<string, string>)
    expect(JSON.parse(all!.got[2]!.body)).toMatchObject({
      type: 'label.moved',
      data: {
        full_name: 'acme/code-review',
        html_url: `${BASE_URL}/acme/code-review`,
        type: 'labelled',
        to: '1.0.0',
        reason: 'Try.',
        commit: expect.any(String),
      },
    })
    expect(new Set(all!.got.map(({ headers }) => headers['webhook-id'])).size).toBe(6)
    const listed = JSON.parse((await call('GET', '')).text).data
    expect(listed[0]).toMatchObject({ pending: 0, last_delivered_at: expect.any(String), last_problem: null })
  })

  test('what is refused is sent again, in order for one prompt, and delays nobody else; a restart loses nothing', async () => {
    let isDown = true
    const flaky = await receive((_, response) => void response.writeHead(isDown ? 500 : 200).end())
    const good = await receive(accept)
    await setWebhook('flaky', flaky.url)
    await setWebhook('good', good.url)
    const first = await deliver()
    for (const name of ['a', 'b'])
      for (const content of ['One\n', 'Two\n']) await hub.publish({ content }, { to: `acme/${name}` })
    await first.show()
    await vi.waitFor(() => expect([good.got.length, flaky.got.length > 2]).toEqual([4, true]), 60_000)
    expect(JSON.parse((await call('GET', '')).text).data[0]).toMatchObject({
      pending: 4,
      last_problem: { message: 'the answer has the status 500' },
    })
    await first.stop()
    isDown = false
    flaky.got.length = 0
    const second = await deliver()
    await vi.waitFor(() => expect(flaky.got.length).toBe(4), 60_000)
    await vi.waitFor(() => expect(second.length()).toBe(0), 60_000)
    for (const name of ['a', 'b']) {
      const versions = flaky.got
        .filter(({ prompt }) => prompt === `acme/${name}`)
        .map(({ body }) => JSON.parse(body).data.version)
      expect(versions).toEqual(['1.0.0', '1.0.1'])
    }
    expect(good.got.length).toBe(4)
  })

  test('of two servers with one store, one delivers; the other takes over', async () => {
    const { url, got } = await receive(accept)
    await setWebhook('ci', url)
    const [one, two] = [await deliver(), await deliver()]
    await hub.publish({ content: 'One\n' })
    await Promise.all([one.show(), two.show()])
    await vi.waitFor(() => expect(got.length).toBe(1), 60_000)
    await one.stop()
    await hub.publish({ content: 'Two\n' })
    await two.show()
    await vi.waitFor(() => expect(got.length).toBe(2), 60_000)
    expect(one.outcomes.length + two.outcomes.length).toBe(2)
  })

  test('a webhook that replaces a failing one gets its events at once, and nothing of the earlier one', async () => {
    const { url, got } = await receive(accept)
    await setWebhook('ci', url)
    const queue = openQueue(state)
    const [firstMs, nextMs] = [Date.now(), Date.now() + 3_600_000]
    for (let number = 0; number < 3; number++) {
      const waiting = { id: `msg_${number}`, prompt: 'acme/code-review', payload: '{}', firstMs, attempts: 6, nextMs }
      await queue.store(queue.keyOf({ owner: 'acme', id: 'ci' }, number), waiting)
    }
    const { show, length } = await deliver()
    await vi.waitFor(() => expect(length()).toBe(3))
    await openWebhooks(state).remove({ owner: 'acme', id: 'ci' })
    await setWebhook('ci', url)
    await hub.publish({ content: 'One\n' })
    await show()
    await vi.waitFor(() => expect([got.map(({ type }) => type), length()]).toEqual([['version.published'], 0]), 60_000)
  })

  test('a server that lags behind the others leaves the turn to them', async () => {
    const { url } = await receive(accept)
    await setWebhook('ci', url)
    await state.set(
      `webhook-cursor/${hash('sha256', 'tests').slice(0, 16)}`,
      JSON.stringify({ commit: '0'.repeat(40), number: 1 }),
    )
    await deliver()
    await vi.waitFor(async () => expect((await state.get('webhook-turn'))?.value).toBe('free'), 60_000)
  })

  test('hostile receivers get no more than their time and bytes, no redirect is followed, and others do not wait', async () => {
    const trap = await receive(accept)
    const good = await receive(accept)
    const redirect = await receive((_, response) => void response.writeHead(307, { Location: trap.url }).end())
    const silent = await receive(() => {})
    const dripping = await receive((_, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const endless = await receive((_, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
      }
      response.writeHead(200).on('drain', more)
      more()
    })
    for (const [id, { url }] of Object.entries({ redirect, silent, dripping, endless })) await setWebhook(id, url)
    await setWebhook('good', good.url, 'zoe')
    // With more time than the test has, nobody waits for a receiver that never answers.
    const patient = await deliver({ timeoutMs: 600_000 })
    await hub.publish({ content: 'One\n' })
    await hub.publish({ content: 'One\n' }, { to: 'zoe/b', token: await hub.makeToken({ scope: 'zoe/*' }) })
    await patient.show()
    await vi.waitFor(() => expect([silent, dripping, good].every(({ got }) => got.length > 0)).toBe(true), 60_000)
    await patient.stop()
    const { outcomes } = await deliver({ timeoutMs: 1_000 })
    const problems = async () => {
      const listed: { id: string; last_problem: { message: string } | null }[] = JSON.parse(
        (await call('GET', '')).text,
      ).data
      return Object.fromEntries(listed.map(({ id, last_problem }) => [id, last_problem?.message ?? null]))
    }
    await vi.waitFor(
      async () =>
        expect(await problems()).toEqual({
          redirect: 'the answer has the status 307',
          silent: 'no complete answer within 1 s',
          dripping: 'no complete answer within 1 s',
          endless: null,
        }),
      { timeout: 60_000, interval: 200 },
    )
    expect(outcomes).toContain('failed')
    expect(trap.got).toEqual([])
  })

  test('a private address is refused at each delivery, whatever the name resolves to', async () => {
    const { url, got } = await receive(accept)
    const sender = openSender(false)
    const message = { secret: SECRET, id: 'msg_1', payload: '{}' }
    const port = new URL(url).port
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1'])
      expect(await sender.send({ ...message, url: `https://${host}:${port}/` })).toContain('private network')
    expect(got).toEqual([])
  })

  test('a client verifies a message, and refuses an old, a changed and an unsigned one', async () => {
    const client = new PromptHub({ url: BASE_URL })
    const body = JSON.stringify({
      type: 'label.moved',
      timestamp: '2026-11-20T10:00:00Z',
      data: { full_name: 'acme/a', version: '1.0.0', label: 'production' },
    })
    const headersAt = (date: Date) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(date.getTime() / 1000)),
      'webhook-signature': `v1a,x ${new Webhook(SECRET).sign('msg_1', date, body)}`,
    })
    const headers = headersAt(new Date())
    expect(await client.handleWebhook(body, headers, SECRET)).toMatchObject({
      id: 'msg_1',
      data: { full_name: 'acme/a' },
    })
    expect(await client.handleWebhook(body, new Headers(headers), SECRET)).toMatchObject({ type: 'label.moved' })
    const [example = ''] = blocksOf('webhooks', 'ts')
    const program = `(hub, request, process) => (async () => {${example}; return event })()`
    const received = new Request('https://ci.example.com/', { method: 'POST', headers, body })
    expect(await runInThisContext(program)(client, received, { env: { WEBHOOK_SECRET: SECRET } })).toMatchObject({
      type: 'label.moved',
    })
    const refused = [
      client.handleWebhook(`${body} `, headers, SECRET),
      client.handleWebhook(body, { ...headers, 'webhook-id': 'msg_2' }, SECRET),
      client.handleWebhook(body, {}, SECRET),
      client.handleWebhook(body, headers, `whsec_${Buffer.alloc(32).toString('base64')}`),
      client.handleWebhook(body, headers, 'hub_x'),
      client.handleWebhook(body, headersAt(new Date(Date.now() - 301_000)), SECRET),
    ]
    const reasons = (await Promise.allSettled(refused)).map((one) => one.status === 'rejected' && one.reason.code)
    expect(reasons).toEqual(refused.map(() => 'invalid_request'))
  })
})

const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'
//  what the receiver does, how, and what the sender says
test.each<[string, (socket: Socket) => void, RegExp]>([
  ['switches protocols', (socket) => socket.write(switching), /without a complete answer/],
  ['closes without an answer', (socket) => socket.end(), /no connection|without a complete answer/],
  [
    'closes within an answer',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'),
    /complete|no conn/,
  ],
  ['informs without end', (socket) => flood(socket), /informational/],
])('a delivery ends when the receiver %s', async (_, answer, problem) => {
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  const url = `${await listen(server)}/`
  stops.push(async () => server.close())
  // If it did not end by itself, it would say so after this time.
  expect(await openSender(true, 60_000).send({ url, secret: SECRET, id: 'msg_1', payload: '{}' })).toMatch(problem)
})
function flood(socket: Socket): void {
  const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5)
  socket.on('close', () => clearInterval(timer))
}

test('lines: owners take turns, a full queue has no room, and the head of a line goes first', () => {
  const lines = openLines(() => 100, 10)
  const queued = (owner: string, id: string, prompt: string, number: number): Queued => {
    const waiting = { id: String(number), prompt, payload: '', firstMs: 0, attempts: 0, nextMs: 0 }
    return { owner, id, key: String(number), waiting }
  }
  for (let number = 0; number < 500; number++) lines.add(queued('acme', 'ci', 'acme/a', number))
  expect([lines.hasRoom({ owner: 'acme', id: 'ci' }), lines.hasRoom({ owner: 'acme', id: 'other' })]).toEqual([
    false,
    true,
  ])
  for (let number = 500; number < 1_000; number++) lines.add(queued('acme', 'other', 'acme/b', number))
  expect([lines.hasRoom({ owner: 'acme', id: 'third' }), lines.hasRoom({ owner: OPERATOR, id: OPERATOR })]).toEqual([
    false,
    true,
  ])
  lines.add(queued('zoe', 'ci', 'zoe/a', 2_000))
  const taken = [1, 2, 3, 4].map(() => lines.take(0))
  // Two of an owner at once, one of a webhook, and of a prompt the oldest.
  expect(taken.map((one) => one?.key)).toEqual(['0', '2000', '500', undefined])
  lines.settle(taken[0]!, 'failed', 0)
  expect([lines.take(99)?.key, lines.take(100)?.key]).toEqual([undefined, '0'])
  // What is dropped says nothing about the receiver, and after a success, the other lines go on.
  lines.settle(taken[2]!, 'failed', 0)
  const again = lines.take(100)!
  lines.settle(again, 'dropped', 100)
  expect([again.key, lines.take(100)?.key]).toEqual(['500', '501'])
  const far = queued('zoe', 'ci', 'zoe/b', 2_001)
  far.waiting.nextMs = 1_000_000
  lines.add(far)
  lines.settle(taken[1]!, 'delivered', 200)
  expect([lines.take(209)?.key, lines.take(210)?.key]).toEqual([undefined, '2001'])
})
