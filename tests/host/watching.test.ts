// Tests what our own host reports about its requests: one log line per request, without secrets, and metrics with a
// limited number of labels. A slow reader of the log delays nothing.
import { execFile } from 'node:child_process'
import { appendFileSync, openSync, readFileSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { GitStore } from '../../src/git/git-store.ts'
import { findCode, findCommit } from '../../src/hosts/node/code-commit.ts'
import { type Health, STARTING } from '../../src/hosts/node/health.ts'
import { createHandler } from '../../src/hosts/node/http/answer.ts'
import { nameRequest, startServer } from '../../src/hosts/node/http/http-server.ts'
import { type AnsweredRequest, auditRead, formatRequest, writeLines } from '../../src/hosts/node/http/request-log.ts'
import { openMetrics, routeOf } from '../../src/hosts/node/metrics.ts'
import { monitoring } from '../../src/hosts/node/monitoring.ts'
import type { Unready } from '../../src/hosts/node/readiness.ts'
import type { StatusSources } from '../../src/hosts/node/status-metrics.ts'
import type { ServerHub } from '../../src/hub/open-hub.ts'
import { openPublishHub } from '../../src/hub/open-publish-hub.ts'
import {
  joinTrace,
  type LogSettings,
  logAudit,
  logInfo,
  logProblem,
  nameAddress,
  redactSecrets,
  setLog,
  toHubError,
  traceHeaders,
} from '../../src/log.ts'
import { createApp } from '../../src/routes/app.ts'
import { respondWithError } from '../../src/server/refusals.ts'
import { createPublishTurns } from '../../src/state/publish-turns.ts'
import type { StateStore } from '../../src/state/state-store.ts'
import { poll } from '../e2e/client.ts'
import { FILES_APP } from '../hubs/app.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const UUID = /^[0-9a-f-]{36}$/
const TOKEN = 'hub_000000000000000000000000000000002XhiBt'
const answered = (given: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  method: 'GET',
  path: '/api/v1/tags',
  status: 200,
  ms: 1.25,
  bytes: 300,
  cache: 'no-store',
  id: 'a-request',
  sender: { address: '192.0.2.7', token_id: 'a-token' },
  ...given,
})

const settings = (given: Partial<LogSettings> = {}): LogSettings => ({
  level: 'info',
  format: 'json',
  address: 'plain',
  addressKey: 'a key',
  auditFile: undefined,
  ...given,
})

describe('the settings of the log', () => {
  const written: string[] = []
  beforeAll(() => {
    for (const stream of ['log', 'error'] as const)
      vi.spyOn(console, stream).mockImplementation((line) => void written.push(`${stream} ${line}`))
  })
  afterAll(() => {
    setLog(settings())
    vi.restoreAllMocks()
  })
  const write = (given: Partial<LogSettings>): string[] => {
    setLog(settings(given))
    written.length = 0
    logInfo('built', 'Built.', { prompts: 2 })
    logProblem('warning', 'odd', 'Odd:\n\u001b[1ma\u2028', { cause: new Error('why') })
    logProblem('error', 'bad', 'Bad.')
    logAudit('token_revoked', { token_id: 'a' })
    return written.map((line) => line.replace(/"time":"[^"]+",|,"stack":"(?:[^"\\]|\\.)*"/g, ''))
  }

  test('write each line as JSON with a level and an event', () =>
    expect(write({})).toEqual([
      'log {"level":"info","event":"built","message":"Built.","prompts":2}',
      'error {"level":"warning","event":"odd","message":"Odd:\\n\\u001b[1ma\u2028","cause":"why"}',
      'error {"level":"error","event":"bad","message":"Bad."}',
      'error {"level":"audit","event":"token_revoked","token_id":"a"}',
    ]))

  test('write text for people, without commands to a terminal', () =>
    expect(write({ format: 'text' })).toEqual([
      'log Built.',
      'error warning: Odd:\n?[1ma\u2028 cause=why',
      'error error: Bad.',
      'error audit: token_revoked token_id=a',
    ]))

  test.each([
    ['warning', 3],
    ['error', 2],
  ] as const)('leave out what is less important than %s, but no audit line', (level, count) => {
    expect(write({ level })).toHaveLength(count)
    expect(written.at(-1)).toContain('"audit"')
  })

  test('may name a file for audit lines, which only its owner reads', () => {
    const auditFile = join(temporaryFolder('hub-audit-'), 'audit.log')
    expect(write({ auditFile })).toHaveLength(3)
    write({ auditFile })
    const lines = readFileSync(auditFile, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(['token_revoked', 'token_revoked'])
    expect(statSync(auditFile).mode & 0o777).toBe(0o600)
    expect(() => setLog(settings({ auditFile: '/dev/null/audit.log' }))).toThrow('AUDIT_LOG cannot be written')
  })

  test('name the address of a client in plain, as a hash, or not at all', () => {
    const named = (['plain', 'hash', 'none'] as const).map((address) => {
      setLog(settings({ address }))
      return nameAddress('192.0.2.7')
    })
    expect(named).toEqual(['192.0.2.7', expect.stringMatching(/^[0-9a-f]{16}$/), undefined])
  })

  test('audit what a reader has read, without the search', () => {
    setLog(settings())
    written.length = 0
    auditRead(answered({ path: '/api/v1/repos/a/b/raw?version=1.0.0&q=my+illness' }))
    auditRead(answered({ sender: { address: '192.0.2.7' } }))
    auditRead(answered({ status: 404 }))
    auditRead(answered({ method: 'POST' }))
    expect(written).toHaveLength(1)
    expect(written[0]).toContain(
      '"event":"read","address":"192.0.2.7","token_id":"a-token","path":"/api/v1/repos/a/b/raw","version":"1.0.0","status":200,"request_id":"a-request"}',
    )
  })
})

describe('the trace of a request', () => {
  const ID = '4bf92f3577b34da6a3ce929d0e0e4736'
  //  traceparent                                         joined
  test.each([
    [`00-${ID}-00f067aa0ba902b7-01`, true],
    [`cc-${ID}-00f067aa0ba902b7-00-more`, true],
    [undefined, false],
    [`00-${ID}-00f067aa0ba902b7-01-more`, false],
    [`ff-${ID}-00f067aa0ba902b7-01`, false],
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, false],
    [`00-${ID}-${'0'.repeat(16)}-01`, false],
    [`00-${ID.toUpperCase()}-00f067aa0ba902b7-01`, false],
    [`00-${ID}-00f067aa0ba902b7-01'*/; DROP TABLE x; --`, false],
    [`cc-${ID}-00f067aa0ba902b7-00-${'x'.repeat(600)}`, false],
  ])('%s: %s', (traceparent, isJoined) => {
    const trace = joinTrace(traceparent, 'vendor=1')
    expect(trace?.trace_id).toBe(isJoined ? ID : undefined)
    if (trace)
      expect(traceHeaders(trace)).toEqual({ traceparent: expect.stringMatching(FORWARDED), tracestate: 'vendor=1' })
  })
  const FORWARDED = RegExp(`^00-${ID}-(?!00f067aa0ba902b7)[0-9a-f]{16}-0[01]$`)

  test('is in the lines of the log', () => {
    const trace = joinTrace(`00-${ID}-00f067aa0ba902b7-01`, 'a=\u0000')!
    expect(Object.keys(traceHeaders(trace))).toEqual(['traceparent'])
    expect(JSON.parse(formatRequest(answered({ trace }), new Date()))).toMatchObject({
      trace_id: ID,
      span_id: trace.span_id,
    })
  })
})

describe('the log line of a request', () => {
  test('has exactly these fields', () => {
    expect(formatRequest(answered(), new Date('2026-11-21T15:00:00Z'))).toBe(
      '{"time":"2026-11-21T15:00:00.000Z","level":"info","event":"request","method":"GET","path":"/api/v1/tags","status":200,"ms":1.3,"bytes":300,"cache":"no-store","request_id":"a-request","address":"192.0.2.7","token_id":"a-token"}\n',
    )
  })

  //  path                                     path in the log
  test.each([
    ['/auth/local?key=secret', '/auth/local'],
    ['/api/v1/repos?q=my+illness', '/api/v1/repos'],
    [`/api/v1/${TOKEN}/x`, '/api/v1/hub_…/x'],
    ['/x/ghp_0123456789abcdef/y', '/x/ghp_…/y'],
    ['/x/github_pat_11AAAAAAA0_abcdef/y', '/x/github_pat_…/y'],
    ['/x/eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln/y', '/x/eyJ…/y'],
    [`/${'x'.repeat(2_000)}`, `/${'x'.repeat(499)}`],
  ])('%s → %s', (path, left) => expect(redactSecrets(path)).toBe(left))

  test('is a single line for any path', () => {
    expect(formatRequest(answered({ path: '/a\n{"level":"error"}\u2028' }), new Date()).trimEnd()).not.toContain('\n')
  })

  test('keeps a valid request ID from the proxy, else makes a new one', () => {
    expect(nameRequest('abc-12345')).toBe('abc-12345')
    for (const given of ['', 'short', 'with blank', 'x'.repeat(65), '"},{"'])
      expect(nameRequest(given)).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('writing the log', () => {
  test('writes all lines in order', async () => {
    const dir = temporaryFolder('prompt-hub-log-')
    const path = join(dir, 'log')
    const writer = writeLines(openSync(path, 'w'))
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`)
    for (const line of lines) writer.write(line)
    const read = () => readFileSync(path, 'utf8')
    await poll('the last line', 60_000, async () => (read().endsWith('line 4999\n') ? true : undefined))
    expect(read()).toBe(lines.join(''))
  })

  test('a stalled reader does not block writing; the number of dropped lines is logged', async () => {
    const program = `
      const { writeLines } = await import(${JSON.stringify(join(process.cwd(), 'src/hosts/node/http/request-log.ts'))})
      const writer = writeLines()
      for (let line = 0; line < 50_000; line++) writer.write('x'.repeat(99) + '\\n')
      process.stderr.write('done')
      setTimeout(() => writer.write('last\\n'), 1_000)
    `
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', '"$0" --input-type=module -e "$1" 2>/dev/null | { sleep 1; cat; }', process.execPath, program],
      { maxBuffer: 1 << 26 },
    )
    const lines = stdout.trimEnd().split('\n')
    const lost = lines.map((line) => /"dropped":(\d+)/.exec(line)?.[1]).find((count) => count !== undefined)
    expect(lines.at(-1)).toBe('last')
    expect(lines.filter((line) => line.startsWith('xxx')).length + Number(lost)).toBe(50_000)
  })
})

/** Returns sources of the metrics about a hub's status. */
const sourcesOf = (health: Health, unready: Unready[] = [], queue = { length: 0, oldestMs: 0 }): StatusSources => ({
  healthOf: () => health,
  checkAll: async () => unready,
  queueOf: () => queue,
})

describe('metrics', () => {
  //  method    path                                       name
  test.each([
    ['GET', '/api/v1/repos/acme/x?utm=1', 'getRepository'],
    ['POST', '/api/v1/repos/acme/x/versions', 'publishVersion'],
    ['PUT', '/api/v1/repos/acme/x/labels/production', 'setLabel'],
    ['POST', '/api/v1/repos/acme/x/labels/production', 'api'],
    ['GET', '/api/v1/repos/acme/x/versions', 'listVersions'],
    ['GET', '/api/v1/nothing', 'api'],
    ['GET', '/data/v1/index.json', 'data'],
    ['POST', '/mcp', 'mcp'],
    ['GET', '/search?q=x', 'search'],
    ['GET', '/clients/releases/1.0.0/x.tgz', 'clients'],
    ['GET', '/nobody', 'page'],
    ['GET', '/acme/code-review', 'page'],
    ['GET', '/', 'page'],
  ])('%s %s is counted as %s', (method, path, name) => expect(routeOf(method, path)).toBe(name))

  test('made-up paths and methods do not create new labels', async () => {
    const metrics = openMetrics()
    for (let index = 0; index < 2_000; index++)
      metrics.countRequest(answered({ method: `M${index}`, path: `/owner-${index}/x`, status: 404 }))
    const text = await read(metrics)
    expect(text.match(/^hub_request_duration_seconds_count/gm)?.length).toBe(1)
    expect(text).toContain('hub_request_duration_seconds_count{route="page",method="other",status="404"} 2000')
  })

  const read = async (metrics: ReturnType<typeof openMetrics>, known: Partial<Health> = {}) => {
    const health = {
      ...STARTING,
      built_at: '1970-01-01T00:01:00Z',
      counts: { repositories: 2, versions: 3, owners: 1 },
    }
    const app = createApp([monitoring(sourcesOf({ ...health, ...known }), metrics)])
    const response = await app.fetch(new Request('http://localhost/metrics'), {})
    expect(response.headers.get('Content-Type')).toContain('text/plain; version=0.0.4')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    return response.text()
  }

  // A proxy that keeps others away knows no other spelling of the address.
  test.each(['/metrics/', '/%6detrics', '//metrics', '/METRICS', '/metrics/x'])('are not at %s', async (path) => {
    const app = createApp([monitoring(sourcesOf(STARTING), openMetrics())])
    expect((await app.fetch(new Request(`http://localhost${path}`), {})).status).toBe(404)
  })

  test('include git calls, build duration and served content', async () => {
    const metrics = openMetrics()
    const fail = async () => Promise.reject(new Error('away'))
    const git = metrics.countGit<GitStore & { extra: number }>({
      readFolder: fail,
      readBlob: async () => new Uint8Array(),
      commit: async () => ({ kind: 'moved' }) as const,
      listFolder: async () => new Map(),
      extra: 1,
    })
    const signal = AbortSignal.timeout(1_000)
    await git.commit({} as never, { signal })
    await git.readBlob('x', { signal })
    await expect(git.readFolder({} as never, { signal })).rejects.toThrow('away')
    expect(git.extra).toBe(1)
    metrics.noteBuild(2)
    const text = await read(metrics)
    expect(text).toContain('hub_git_duration_seconds_count{verb="commit",outcome="moved"} 1')
    expect(text).toContain('hub_git_duration_seconds_count{verb="read_folder",outcome="error"} 1')
    expect(text).toContain('hub_git_duration_seconds_count{verb="read_blob",outcome="done"} 1')
    expect(text).toContain('hub_served{what="repositories"} 2')
    expect(text).toContain('hub_served{what="built_at_seconds"} 60')
    expect(text).toMatch(/^hub_build_duration_seconds 2/m)
  })

  test('have the version and the commit of the code', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(await read(openMetrics('0123abc'))).toContain(`prompt_hub_info{version="${version}",commit="0123abc"} 1`)
    expect(await read(openMetrics())).toContain(`prompt_hub_info{version="${version}",commit=""} 1`)
  })

  test('include figures of the process', async () => {
    const text = await read(openMetrics())
    for (const name of ['process_resident_memory_bytes', 'process_open_fds', 'nodejs_eventloop_lag_p99_seconds'])
      expect(text).toMatch(RegExp(`^${name} [1-9\\d.e-]+$`, 'm'))
  })

  test('count builds and failures', async () => {
    const metrics = openMetrics()
    expect(await read(metrics)).toContain('hub_builds_total{outcome="failed"} 0')
    metrics.noteBuild(0)
    metrics.noteFailedBuild()
    metrics.noteFailedBuild()
    const text = await read(metrics)
    expect(text).toContain('hub_builds_total{outcome="done"} 1')
    expect(text).toContain('hub_builds_total{outcome="failed"} 2')
  })

  test('include the latency of the state store', async () => {
    const metrics = openMetrics()
    const memory = memoryState()
    const get: StateStore['get'] = async () => Promise.reject(new Error('away'))
    const state = metrics.timeState({ ...memory, get })
    await state.set('a', '1')
    await expect(state.get('a')).rejects.toThrow('away')
    expect((await memory.get('a'))?.value).toBe('1')
    const text = await read(metrics)
    expect(text).toContain('hub_state_duration_seconds_count{operation="set",outcome="done"} 1')
    expect(text).toContain('hub_state_duration_seconds_count{operation="get",outcome="error"} 1')
  })

  test('say what does not work, and since when', async () => {
    const metrics = openMetrics()
    const ask = async (sources: StatusSources) => (await metrics.respond(sources)).text()
    const ill = await ask(
      sourcesOf(
        {
          ...STARTING,
          unbuilt: { since: '2026-11-25T12:00:00.000Z', age_seconds: 700 },
          fetch: { at: '2026-11-25T12:00:00.000Z', age_seconds: 90, failure: 'away' },
          state: { kind: 'database', problem: 'away' },
        },
        [{ part: 'state', reason: 'away' }],
        { length: 3, oldestMs: 2_500 },
      ),
    )
    expect(ill.match(/^hub_(?:ready|state_up|oldest|fetch|publish_)\S* \S+$/gm)).toEqual([
      ...['data', 'pages', 'downloads', 'search'].map((part) => `hub_ready{part="${part}"} 1`),
      'hub_ready{part="state"} 0',
      'hub_state_up{kind="database"} 0',
      'hub_oldest_unbuilt_change_age_seconds 700',
      'hub_fetch_age_seconds 90',
      'hub_fetch_up 0',
      'hub_publish_queue_length 3',
      'hub_publish_queue_oldest_seconds 2.5',
    ])
    const well = await ask(sourcesOf({ ...STARTING, state: { kind: 'database', problem: null } }))
    expect(well).toContain('hub_state_up{kind="database"} 1')
    expect(well).toContain('hub_ready{part="state"} 1')
    expect(well).toContain('hub_oldest_unbuilt_change_age_seconds 0')
    expect(well).not.toMatch(/^hub_fetch/m)
  })
})

test('the queue of publishes says how many wait, and for how long', async () => {
  const takeTurn = createPublishTurns()
  expect(takeTurn.state()).toEqual({ length: 0, oldestMs: 0 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const turns = [0, 1, 2].map(() => takeTurn({ sender: 'acme', waitMs: 10_000 }, () => promise))
  await sleep(20)
  const { length, oldestMs } = takeTurn.state()
  expect([length, oldestMs >= 19]).toEqual([2, true])
  resolve()
  await Promise.all(turns)
  expect(takeTurn.state()).toEqual({ length: 0, oldestMs: 0 })
})

test('the commit of the code is known only in its own git repository', async () => {
  const repository = makeRepository('ready')
  const head = repository.git('rev-parse', 'HEAD').trim()
  expect(await findCommit(repository.folder, process.env)).toBe(head)
  expect(await findCommit(join(repository.folder, 'content'), process.env)).toBe(undefined)
  expect(await findCommit(tmpdir(), process.env)).toBe(undefined)
  expect(await findCommit(repository.folder, { PATH: '/nowhere' })).toBe(undefined)
})

//  origin of the clone                                            repository
test.each([
  ['https://github.com/acme/prompt-hub', 'acme/prompt-hub'],
  ['https://github.com/acme/prompt-hub.git', 'acme/prompt-hub'],
  ['https://x-access-token:s3cret@github.com/acme/prompt-hub.git', 'acme/prompt-hub'],
  ['git@github.com:acme/prompt-hub.git', 'acme/prompt-hub'],
  ['ssh://git@github.com/acme/a.b_c', 'acme/a.b_c'],
  ['https://github.com/acme/prompt-hub/tree/main', undefined],
  ['https://github.com.evil.example/acme/prompt-hub', undefined],
  ['https://evil.example/github.com/acme/prompt-hub', undefined],
  ['https://git.acme.example/acme/prompt-hub', undefined],
  ['/srv/prompt-hub', undefined],
  [undefined, undefined],
])('the code of a clone of %s comes from %s', async (origin, repository) => {
  const { folder } = makeRepository('ready')
  if (origin) appendFileSync(join(folder, '.git/config'), `[remote "origin"]\n\turl = ${origin}\n`)
  const commit = expect.stringMatching(/^[0-9a-f]{40}$/)
  expect(await findCode(folder, process.env)).toEqual(repository && { repository, commit })
})

test('calls to GitHub are counted like local git calls', async () => {
  const before = process.env
  const settings = { GITHUB_REPOSITORY: 'acme/prompts', GITHUB_TOKEN: 'ghp_x', GITHUB_API_URL: 'http://127.0.0.1:9' }
  process.env = { ...before, ...settings }
  try {
    const metrics = openMetrics()
    const absent = async () => undefined
    const hub = {
      state: memoryState(),
      countGit: metrics.countGit,
      files: { read: absent },
    } as Partial<ServerHub> as ServerHub
    const { git } = await openPublishHub(new Request('http://localhost/'), { client: '127.0.0.1', hub })
    await expect(git.readBlob('0'.repeat(40), { signal: AbortSignal.timeout(5_000) })).rejects.toThrow('git host')
    const text = await (await metrics.respond(sourcesOf(STARTING))).text()
    expect(text).toContain('hub_git_duration_seconds_count{verb="read_blob",outcome="error"} 1')
  } finally {
    process.env = before
  }
})

test('reports status, duration and bytes sent for each request', async () => {
  const told: [string, number, number, number, string][] = []
  const files = { read: async (path: string) => (path === '/index.html' ? Buffer.from('home') : undefined) }
  const running = await startServer(
    createHandler(FILES_APP, () => ({ files })),
    0,
    {
      listenAt: ['127.0.0.1'],
      onAnswered: ({ url = '' }, { statusCode }, { ms, bytes, id }) => told.push([url, statusCode, ms, bytes, id]),
    },
  )
  const base = `http://127.0.0.1:${(running.server.address() as AddressInfo).port}`
  for (const path of ['/', '/nothing', '/a\\b']) await promisify(execFile)('curl', ['-s', '--path-as-is', base + path])
  await running.stop()
  expect(told.map(([path, status]) => [path, status])).toEqual([
    ['/', 200],
    ['/nothing', 404],
    ['/a\\b', 400],
  ])
  for (const [, , ms, bytes, id] of told) expect([ms > 0, bytes > 100, id.length]).toEqual([true, true, 36])
})

describe('a response and the lines about it', () => {
  const version: unknown = JSON.parse(readFileSync('package.json', 'utf8')).version
  let running: Awaited<ReturnType<typeof startServer>>
  let base = ''
  const lines: Record<string, unknown>[] = []
  beforeAll(async () => {
    vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(JSON.parse(line)))
    setLog(settings({ address: 'hash' }))
    const answer = async ({ url }: Request) => {
      await sleep(1)
      if (url.endsWith('/broken')) return respondWithError(new Request(url), toHubError(new Error('of a file')))
      logProblem('warning', 'odd', 'Something is odd.')
      return new Response('text')
    }
    running = await startServer(answer, 0, { listenAt: ['127.0.0.1'] })
    base = `http://127.0.0.1:${(running.server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    await running.stop()
    setLog(settings())
    vi.restoreAllMocks()
  })

  test('have the same request ID', async () => {
    const asked = await Promise.all(
      ['request-one', 'request-two', 'not safe: {}', ''].map((id, number) =>
        fetch(`${base}/${number}?q=my+illness`, { headers: { 'X-Request-Id': id } }),
      ),
    )
    const ids = asked.map(({ headers }) => headers.get('X-Request-Id'))
    expect(ids).toEqual(['request-one', 'request-two', expect.stringMatching(UUID), expect.stringMatching(UUID)])
    expect(ids[2]).not.toBe(ids[3])
    for (const [number, id] of ids.entries())
      expect(lines).toContainEqual({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        level: 'warning',
        event: 'odd',
        message: 'Something is odd.',
        request_id: id,
        path: `/${number}`,
        address: expect.stringMatching(/^[0-9a-f]{16}$/),
      })
  })

  test('of an unexpected error name the request and its path', async () => {
    const answer = await fetch(`${base}/broken`)
    expect(answer.status).toBe(500)
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      request_id: answer.headers.get('X-Request-Id'),
      path: '/broken',
      cause: 'of a file',
    })
  })

  test('outside a request have only the time', () => {
    logProblem('error', 'odd', 'Nobody asked.')
    expect(Object.keys(lines.at(-1)!)).toEqual(['time', 'level', 'event', 'message'])
  })

  test.each(['/', '/broken', '/%', '/a\\b'])('%s has the version of the hub', async (path) => {
    const { stdout } = await promisify(execFile)('curl', ['-si', '--path-as-is', base + path])
    expect(stdout).toContain(`X-Prompt-Hub-Version: ${version}\r\n`)
  })
})
