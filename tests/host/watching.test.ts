// Tests what our own host reports about its requests: one log line per request, without secrets, and metrics with a
// limited number of labels. A slow reader of the log delays nothing.
import { execFile } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { STARTING } from '../../src/host/health.ts'
import { type AnsweredRequest, startServer } from '../../src/host/http/http-server.ts'
import { formatRequest, nameRequest, redactSecrets, writeLines } from '../../src/host/http/request-log.ts'
import { openMetrics, routeOf } from '../../src/host/metrics.ts'
import { createHandler, listenTo, routeFunctions } from '../../src/host/run-functions.ts'
import type { GitStore } from '../../src/ports/git-store.ts'
import type { Hub } from '../../src/wiring/platform.ts'
import { connectPublish } from '../../src/wiring/publish.ts'
import { poll } from '../e2e/client.ts'
import { memoryState } from '../hubs/memory-state.ts'

const TOKEN = 'hub_000000000000000000000000000000002XhiBt'
const answered = (given: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  ...{ method: 'GET', path: '/api/v1/tags', status: 200, ms: 1.25, bytes: 300, cache: 'no-store', id: 'a-request' },
  ...given,
})

describe('the log line of a request', () => {
  test('has exactly these fields', () => {
    expect(formatRequest(answered(), new Date('2026-11-21T15:00:00Z'))).toBe(
      '{"time":"2026-11-21T15:00:00.000Z","level":"info","method":"GET","path":"/api/v1/tags","status":200,"ms":1.3,"bytes":300,"cache":"no-store","request_id":"a-request"}\n',
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
    const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-log-'))
    const path = join(dir, 'log')
    const writer = writeLines(openSync(path, 'w'))
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`)
    for (const line of lines) writer.write(line)
    const read = () => readFileSync(path, 'utf8')
    await poll('the last line', 60_000, async () => (read().endsWith('line 4999\n') ? true : undefined))
    expect(read()).toBe(lines.join(''))
    rmSync(dir, { recursive: true })
  })

  test('a stalled reader does not block writing; the number of dropped lines is logged', async () => {
    const program = `
      const { writeLines } = await import(${JSON.stringify(join(process.cwd(), 'src/host/http/request-log.ts'))})
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

describe('metrics', () => {
  //  method    path                                       name
  test.each([
    ['GET', '/api/v1/repos/acme/x?utm=1', 'getRepository'],
    ['POST', '/api/v1/repos/acme/x/versions', 'publish'],
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

  const read = async (metrics: ReturnType<typeof openMetrics>) => {
    const elsewhere = async () => new Response('elsewhere')
    const health = {
      ...STARTING,
      built_at: '1970-01-01T00:01:00Z',
      counts: { repositories: 2, versions: 3, owners: 1 },
    }
    const answer = metrics.withMetrics(elsewhere, () => health)
    expect(await (await answer(new Request('http://localhost/x'), '')).text()).toBe('elsewhere')
    const response = await answer(new Request('http://localhost/metrics'), '')
    expect(response.headers.get('Content-Type')).toContain('text/plain; version=0.0.4')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    return response.text()
  }

  test('include git calls, build duration and served content', async () => {
    const metrics = openMetrics()
    const fail = async () => Promise.reject(new Error('away'))
    const git = metrics.countGit<GitStore & { extra: number }>({
      ...{ readFolder: fail, readBlob: async () => new Uint8Array(), commit: async () => ({ kind: 'moved' }) as const },
      extra: 1,
    })
    const signal = AbortSignal.timeout(1_000)
    await git.commit({} as never, { signal })
    await git.readBlob('x', { signal })
    await expect(git.readFolder({} as never, { signal })).rejects.toThrow('away')
    expect(git.extra).toBe(1)
    metrics.noteBuild(new Date(Date.now() - 2_000))
    const text = await read(metrics)
    expect(text).toContain('hub_git_duration_seconds_count{verb="commit",outcome="moved"} 1')
    expect(text).toContain('hub_git_duration_seconds_count{verb="read_folder",outcome="error"} 1')
    expect(text).toContain('hub_git_duration_seconds_count{verb="read_blob",outcome="done"} 1')
    expect(text).toContain('hub_served{what="repositories"} 2')
    expect(text).toContain('hub_served{what="built_at_seconds"} 60')
    expect(text).toMatch(/^hub_build_duration_seconds 2/m)
  })
})

test('calls to GitHub are counted like local git calls', async () => {
  const before = process.env
  const settings = { GITHUB_REPOSITORY: 'acme/prompts', GITHUB_TOKEN: 'ghp_x', GITHUB_API_URL: 'http://127.0.0.1:9' }
  process.env = { ...before, ...settings }
  try {
    const metrics = openMetrics()
    const absent = async () => undefined
    const hub = { state: memoryState(), countGit: metrics.countGit, files: { read: absent } } as Partial<Hub> as Hub
    const { git } = await connectPublish(new Request('http://localhost/'), { ip: '127.0.0.1', hub })
    await expect(git.readBlob('0'.repeat(40), { signal: AbortSignal.timeout(5_000) })).rejects.toThrow('git host')
    const answer = metrics.withMetrics(
      async () => new Response(),
      () => STARTING,
    )
    const text = await (await answer(new Request('http://localhost/metrics'), '')).text()
    expect(text).toContain('hub_git_duration_seconds_count{verb="read_blob",outcome="error"} 1')
  } finally {
    process.env = before
  }
})

test('reports status, duration and bytes sent for each request', async () => {
  const told: [string, number, number, number][] = []
  const files = { read: async (path: string) => (path === '/index.html' ? Buffer.from('home') : undefined) }
  const running = await startServer(listenTo(createHandler(routeFunctions([]), () => ({ files }))), 0, {
    listenAt: ['127.0.0.1'],
    onAnswered: ({ url = '' }, { statusCode }, ms, bytes) => told.push([url, statusCode, ms, bytes]),
  })
  const base = `http://127.0.0.1:${(running.server.address() as AddressInfo).port}`
  for (const path of ['/', '/nothing', '/a\\b']) await promisify(execFile)('curl', ['-s', '--path-as-is', base + path])
  await running.stop()
  expect(told.map(([path, status]) => [path, status])).toEqual([
    ['/', 200],
    ['/nothing', 404],
    ['/a\\b', 400],
  ])
  for (const [, , ms, bytes] of told) expect([ms > 0, bytes > 100]).toEqual([true, true])
})
