// Tests that a hub knows when publishing has become impossible, before anybody publishes, and says so to whoever watches:
// `/healthz`, `/readyz?include=publishing` and `/metrics`.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openLocalGit } from '../../src/git/git-store-local.ts'
import { openGitHub } from '../../src/github/git-store-github.ts'
import { addPublishing, STARTING } from '../../src/hosts/node/health.ts'
import { openMetrics } from '../../src/hosts/node/metrics.ts'
import { monitoring } from '../../src/hosts/node/monitoring.ts'
import { type PublishingHealth, watchGitHub, watchPublishing } from '../../src/hosts/node/watch-publishing.ts'
import { createApp } from '../../src/routes/app.ts'
import { startGitHubStandIn } from '../github/stand-in.ts'
import { makeRepository } from '../stores/local-repository.ts'

const open = (...given: Parameters<typeof monitoring>) => {
  const app = createApp([monitoring(...given)])
  return async (request: Request) => app.fetch(request, {})
}

type Repository = ReturnType<typeof makeRepository>

/** What monitoring programs are told. */
async function ask(health: PublishingHealth) {
  const sources = {
    healthOf: () => addPublishing({ ...STARTING, status: 'ok' }, health),
    checkAll: async () => [],
    queueOf: () => ({ length: 0, oldestMs: 0 }),
  }
  const answer = open(sources, openMetrics('0123abc'))
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
test.each<[string, (repository: Repository) => void, RegExp]>([
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
  vi.advanceTimersByTime(10_000)
  await vi.waitFor(() => expect(health().wasPossible).toBe(true), 120_000)
  expect(await ask(health())).toEqual({ ready: 200, unready: [], plain: 200, up: '1', status: 'ok' })
  damage(repository)
  vi.advanceTimersByTime(10_000)
  await vi.waitFor(() => expect(health().problem).not.toBeNull(), 120_000)
  const reason = expect.stringMatching(says)
  const unready = [{ part: 'publishing', reason }]
  expect(await ask(health())).toEqual({ ready: 503, unready, plain: 200, up: '0', status: 'degraded' })
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
  const sources = { healthOf: () => STARTING, checkAll: async () => [], queueOf: () => ({ length: 0, oldestMs: 0 }) }
  const answer = open(sources, undefined)
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
  const sources = { healthOf: () => STARTING, checkAll: async () => [], queueOf: () => ({ length: 0, oldestMs: 0 }) }
  const text = await (await metrics.respond(sources)).text()
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
  const sources = { healthOf: () => STARTING, checkAll: async () => [], queueOf: () => ({ length: 0, oldestMs: 0 }) }
  const answer = open(sources, openMetrics('0123abc'), '0123456789abcdef')
  const request = new Request(
    'http://localhost/metrics',
    sent === undefined ? {} : { headers: { Authorization: sent } },
  )
  const response = await answer(request)
  expect(response.status).toBe(status)
  expect((await response.text()).includes('prompt_hub_info')).toBe(status === 200)
  expect((await answer(new Request('http://localhost/healthz'))).status).toBe(200)
})
