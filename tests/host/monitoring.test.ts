// Tests what monitoring programs are told. `/readyz` returns 200 only if every part responds, names each part that does
// not, and causes little work. A hub knows when publishing has become impossible, before anybody publishes, and says so in
// `/healthz`, `/readyz?include=publishing` and `/metrics`.
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HubError } from '../../src/domain/api/errors.ts'
import { openLocalGit } from '../../src/git/git-store-local.ts'
import { openGitHub } from '../../src/github/git-store-github.ts'
import { addPublishing, addState, addUnbuilt, STARTING } from '../../src/hosts/node/health.ts'
import { openMetrics } from '../../src/hosts/node/metrics.ts'
import { monitoring } from '../../src/hosts/node/monitoring.ts'
import { checkState, checkThrough, openReadiness, type Unready } from '../../src/hosts/node/readiness.ts'
import { type PublishingHealth, watchGitHub, watchPublishing } from '../../src/hosts/node/watch-publishing.ts'
import { watchState } from '../../src/hosts/node/watch-state.ts'
import { createApp } from '../../src/routes/app.ts'
import { openSqliteState } from '../../src/state/state-sqlite.ts'
import { startGitHubStandIn } from '../github/stand-in.ts'
import { type LocalRepository, makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const fine = async () => {}
const fail = (message: string) => async () => Promise.reject(new HubError('unavailable', message))
const SOURCES = {
  healthOf: () => STARTING,
  checkAll: async (): Promise<Unready[]> => [],
  queueOf: () => ({ length: 0, oldestMs: 0 }),
}
type Monitoring = Parameters<typeof monitoring>
const monitor = (sources: Monitoring[0], metrics?: Monitoring[1], token?: Monitoring[2]) => {
  const app = createApp([monitoring(sources, metrics, token)])
  return async (request: Request) => app.fetch(request, {})
}
const ask = async (checks: Parameters<typeof openReadiness>[0], query = '', method = 'GET') =>
  monitor({ ...SOURCES, checkAll: openReadiness(checks) })(new Request(`http://localhost/readyz${query}`, { method }))

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
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = ask({ state: () => new Promise(() => {}) })
  await vi.advanceTimersByTimeAsync(2_000)
  const answer = await asked
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
  const answer = monitor(SOURCES)
  const response = await answer(new Request('http://localhost/healthz'))
  expect([response.status, response.headers.get('Retry-After')]).toEqual([200, null])
  expect(await response.json()).toMatchObject({ status: 'starting', version: expect.any(String), built_at: null })
  expect((await answer(new Request('http://localhost/healthz', { method: 'POST' }))).status).toBe(405)
})

test('checks at most once a second, however often it is asked', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let checked = 0
  const check = openReadiness({ data: async () => void checked++ })
  await Promise.all(Array.from({ length: 50 }, check))
  await check()
  expect(checked).toBe(1)
  vi.advanceTimersByTime(1_000)
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
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
  const watch = watchState(state, 'file')
  await watch.check()
  expect(watch.health()).toEqual({ kind: 'file', problem: null })
  const database = new DatabaseSync(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  writeFileSync(path, Buffer.alloc(statSync(path).size, 'damaged'))
  vi.advanceTimersByTime(10_000)
  await vi.waitFor(() => expect(watch.health().problem).toContain(`${path} is damaged`), 120_000)
  const answer = await ask({ state: () => checkState(watch) })
  expect([answer.status, (await answer.json()).unready]).toEqual([
    503,
    [{ part: 'state', reason: watch.health().problem }],
  ])
  expect(logged.mock.calls.flat().filter((line) => line.includes('does not work'))).toHaveLength(1)
  watch.stop()
  await state.close()
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

/** What monitoring programs are told. */
async function listen(health: PublishingHealth) {
  const healthOf = () => addPublishing({ ...STARTING, status: 'ok' }, health)
  const answer = monitor({ ...SOURCES, healthOf }, openMetrics('0123abc'))
  const get = (path: string) => answer(new Request(`http://localhost${path}`))
  const [ready, plain, healthy, metrics] = await Promise.all(
    ['/readyz?include=publishing', '/readyz', '/healthz', '/metrics'].map(get),
  )
  const up = /^hub_publishing_up (\d)$/m.exec(await metrics!.text())?.[1]
  return {
    ready: ready!.status,
    unready: (await ready!.json()).unready,
    plain: plain!.status,
    up,
    status: (await healthy!.json()).status,
  }
}

//  what                                 how                                                        what it says
test.each<[string, (repository: LocalRepository) => void, RegExp]>([
  [
    'a detached HEAD',
    ({ git }) => {
      git('checkout', '-q', '--detach')
    },
    /no branch checked out .* run git switch main to check it out\.$/,
  ],
  [
    'an index lock that nobody holds any more',
    ({ folder }) => {
      const path = join(folder, '.git/index.lock')
      writeFileSync(path, '')
      utimesSync(path, new Date(), new Date(Date.now() - 120_000))
    },
    /Another git command holds the index .* remove index\.lock .* if no git command is running\.$/,
  ],
  [
    'a git directory that takes no files',
    ({ folder }) => {
      rmSync(join(folder, '.git/prompt-hub'), { recursive: true, force: true })
      writeFileSync(join(folder, '.git/prompt-hub'), '')
    },
    /cannot be written: its disk may be full or read-only/,
  ],
])('%s', async (_, damage, says) => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
  const repository = makeRepository('ready')
  mkdirSync(join(repository.folder, 'content'), { recursive: true })
  const git = openLocalGit({ contentDir: join(repository.folder, 'content'), environment: process.env })
  const { health, stop } = watchPublishing(git)
  onTestFinished(stop)
  await vi.waitFor(() => expect(health().wasPossible).toBe(true), 120_000)
  expect(await listen(health())).toEqual({ ready: 200, unready: [], plain: 200, up: '1', status: 'ok' })
  damage(repository)
  vi.advanceTimersByTime(10_000)
  await vi.waitFor(() => expect(health().problem).not.toBeNull(), 120_000)
  const reason = expect.stringMatching(says)
  const unready = [{ part: 'publishing', reason }]
  expect(await listen(health())).toEqual({ ready: 503, unready, plain: 200, up: '0', status: 'degraded' })
})

test('a credential that GitHub no longer accepts is called by its name', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const standIn = await startGitHubStandIn({})
  onTestFinished(async () => {
    vi.restoreAllMocks()
    await standIn.close()
  })
  const { repository, branch } = await standIn.createRepository()
  const credential = { kind: 'token', token: 'expired' } as const
  const store = openGitHub({ repository, branch, credential, apiUrl: standIn.url, callTimeoutMs: 8_000 })
  const { health, stop } = watchGitHub(store)
  onTestFinished(stop)
  await vi.waitFor(() => expect(health().problem).toMatch(/^GitHub does not accept the hub’s credential/), 120_000)
})

test('include takes only publishing', async () => {
  const answer = monitor(SOURCES)
  const response = await answer(new Request('http://localhost/readyz?include=all'))
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('include: expected publishing.'),
  ])
})

test('publishes are counted by what became of them', async () => {
  const metrics = openMetrics('0123abc')
  for (const status of [201, 201, 200, 409, 422, 503])
    metrics.countRequest({
      method: 'POST',
      path: '/api/v1/repos/a/b/versions',
      status,
      ms: 1,
      bytes: 1,
      cache: null,
      id: 'x',
    })
  const text = await (await metrics.respond(SOURCES)).text()
  expect(text.match(/^hub_publishes_total.*$/gm)).toEqual([
    'hub_publishes_total{outcome="published"} 2',
    'hub_publishes_total{outcome="unchanged"} 1',
    'hub_publishes_total{outcome="refused"} 2',
    'hub_publishes_total{outcome="failed"} 1',
  ])
})

test.each([
  [undefined, 401],
  ['Bearer 0123456789abcdeg', 401],
  ['bearer 0123456789abcdef', 401],
  ['Bearer 0123456789abcdef', 200],
])('with METRICS_TOKEN, “%s” may read the metrics: %i', async (sent, status) => {
  const answer = monitor(SOURCES, openMetrics('0123abc'), '0123456789abcdef')
  const request = new Request(
    'http://localhost/metrics',
    sent === undefined ? {} : { headers: { Authorization: sent } },
  )
  const response = await answer(request)
  expect(response.status).toBe(status)
  expect((await response.text()).includes('prompt_hub_info')).toBe(status === 200)
  expect((await answer(new Request('http://localhost/healthz'))).status).toBe(200)
})
