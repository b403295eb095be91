// Tests `/readyz`: it returns 200 only if every part responds, names each part that does not, and causes little work.
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { HubError } from '../../src/domain/api/errors.ts'
import { addState, addUnbuilt, STARTING } from '../../src/hosts/node/health.ts'
import { monitoring } from '../../src/hosts/node/monitoring.ts'
import { checkState, checkThrough, openReadiness, type Unready } from '../../src/hosts/node/readiness.ts'
import { watchState } from '../../src/hosts/node/watch-state.ts'
import { createApp } from '../../src/routes/app.ts'
import { openSqliteState } from '../../src/state/state-sqlite.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const fine = async () => {}
const fail = (message: string) => async () => Promise.reject(new HubError('unavailable', message))
const monitor = (checkAll: () => Promise<Unready[]>) => {
  const sources = { healthOf: () => STARTING, checkAll, queueOf: () => ({ length: 0, oldestMs: 0 }) }
  const app = createApp([monitoring(sources, undefined)])
  return async (request: Request) => app.fetch(request, {})
}
const ask = async (checks: Parameters<typeof openReadiness>[0], query = '', method = 'GET') =>
  monitor(openReadiness(checks))(new Request(`http://localhost/readyz${query}`, { method }))

test('returns 200 if every part responds', async () => {
  const answer = await ask({ data: fine, state: fine })
  expect([answer.status, answer.headers.get('Cache-Control'), await answer.json()]).toEqual([
    200,
    'no-store',
    {
      status: 'ready',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      unready: [],
      unbuilt: null,
      fetch: null,
      state: null,
    },
  ])
})

test('returns 503 and the reason for each part that does not respond', async () => {
  const answer = await ask({ state: fail('It is away.'), data: fine, pages: fail('They are being bundled.') })
  expect([answer.status, answer.headers.get('Retry-After'), await answer.json()]).toEqual([
    503,
    '5',
    {
      status: 'unready',
      version: expect.any(String),
      unready: [
        { part: 'pages', reason: 'They are being bundled.' },
        { part: 'state', reason: 'It is away.' },
      ],
      unbuilt: null,
      fetch: null,
      state: null,
    },
  ])
})

test('a part that takes too long does not respond', async () => {
  const answer = await ask({ state: () => new Promise(() => {}) })
  expect([answer.status, (await answer.json()).unready]).toEqual([
    503,
    [{ part: 'state', reason: 'There was no response within 2 s.' }],
  ])
})

test('keeps the details of an unexpected error out of the response', async () => {
  const answer = await ask({ data: async () => Promise.reject(new Error('password=secret')) })
  expect([answer.status, await answer.text()]).toEqual([503, expect.not.stringContaining('secret')])
})

//  query                          status  body
test.each([
  ['?exclude=state', 200, '"part":"state"'],
  ['?exclude=state&exclude=data', 200, '"ready"'],
  ['?exclude=data', 503, '"part":"state"'],
  ['?exclude=database', 400, 'expected one of data, pages, downloads, search, state'],
])('%s returns %i', async (query, status, body) => {
  const answer = await ask({ state: fail('It is away.') }, query)
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(body)])
})

test('accepts only reads', async () => {
  expect((await ask({}, '', 'POST')).status).toBe(405)
  const head = await ask({}, '', 'HEAD')
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test('/healthz returns 200 even before the first build', async () => {
  const answer = monitor(async () => [])
  const response = await answer(new Request('http://localhost/healthz'))
  expect([response.status, response.headers.get('Retry-After')]).toEqual([200, null])
  expect(await response.json()).toMatchObject({ status: 'starting', version: expect.any(String), built_at: null })
  expect((await answer(new Request('http://localhost/healthz', { method: 'POST' }))).status).toBe(405)
})

test('checks at most once a second, however often it is asked', async () => {
  let checked = 0
  const check = openReadiness({ data: async () => void checked++ })
  await Promise.all(Array.from({ length: 50 }, check))
  await check()
  expect(checked).toBe(1)
  await sleep(1_100)
  await check()
  expect(checked).toBe(2)
})

test('asks the hub what a reader would ask, and renders the front page once for each bundle', async () => {
  const asked: string[] = []
  const bundle: { current: object | undefined } = { current: undefined }
  const answer = async ({ url }: Request) => {
    const { pathname } = new URL(url)
    asked.push(pathname)
    return pathname === '/' && !bundle.current
      ? Response.json({ error: { message: 'The pages are being prepared.' } }, { status: 503 })
      : new Response('text')
  }
  const { data, downloads, pages } = checkThrough(answer, bundle)
  await expect(pages!()).rejects.toThrow('/ returns 503: The pages are being prepared.')
  bundle.current = {}
  await pages!()
  await pages!()
  await Promise.all([data!(), downloads!()])
  expect(asked).toEqual(['/', '/', '/data/v1/tags.json', '/cli/hubcli'])
})

test('the state store is checked often, also without requests, and its problem names the file and the fix', async () => {
  const dir = temporaryFolder('hub-watch-')
  const path = join(dir, 'state.db')
  const state = await openSqliteState(path)
  const watch = watchState(state, 'file')
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  await watch.check()
  expect(watch.health()).toEqual({ kind: 'file', problem: null })
  const database = new DatabaseSync(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  writeFileSync(path, Buffer.alloc(statSync(path).size, 'damaged'))
  await expect.poll(() => watch.health().problem).toContain(`${path} is damaged`)
  const answer = await ask({ state: () => checkState(watch) })
  expect([answer.status, (await answer.json()).unready]).toEqual([
    503,
    [{ part: 'state', reason: watch.health().problem }],
  ])
  expect(logged.mock.calls.flat().filter((line) => line.includes('does not work'))).toHaveLength(1)
  watch.stop()
  await state.close()
  logged.mockRestore()
})

test('a hub with an old change or a broken state store is degraded', () => {
  const ok = { ...STARTING, status: 'ok' } as const
  const now = new Date('2026-11-25T12:00:00Z')
  expect(addUnbuilt(ok, undefined, now)).toEqual(ok)
  expect(addUnbuilt(ok, new Date('2026-11-25T11:59:00Z'), now)).toMatchObject({
    status: 'ok',
    unbuilt: { since: '2026-11-25T11:59:00.000Z', age_seconds: 60 },
  })
  expect(addUnbuilt(ok, new Date('2026-11-25T11:50:00Z'), now)).toMatchObject({
    status: 'degraded',
    unbuilt: { age_seconds: 600 },
  })
  expect(addState(ok, { kind: 'file', problem: null }).status).toBe('ok')
  expect(addState(ok, { kind: 'file', problem: 'It is away.' }).status).toBe('degraded')
})
