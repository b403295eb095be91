// Checks that a running hub survives faults: whatever happens to its builder, folder or content, it keeps serving,
// reports the problem, and recovers.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STARTING } from '../../src/hosts/node/health.ts'
import { withMonitoring } from '../../src/hosts/node/monitoring.ts'
import { type Run, signalGroup, startProcess } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'
import { type Ask, type Json, openClient, poll } from './client.ts'
import { writeRepository } from './made-content.ts'

const WITHIN = 60_000
const packageVersion: unknown = JSON.parse(readFileSync('package.json', 'utf8')).version
const root = join(temporaryFolder(), 'content')
const title = (name: string, text: string) => writeFileSync(join(root, name, 'index.md'), `---\ntitle: ${text}\n---\n`)

let run: Run
let ask: Ask
const start = async (): Promise<void> => {
  const started = await startProcess({
    command: ['node_modules/.bin/node', 'scripts/start.ts'],
    settings: {
      SITE_URL: 'http://localhost',
      CONTENT_DIR: root,
      RATE_LIMIT_PER_MINUTE: '0',
      METRICS: 'on',
      COMMIT_REF: 'abc',
    },
  })
  run = started.run
  ask = openClient(started.base)
}
const health = async () => (await ask('/healthz')).json() as Json
const titleOf = async (name: string) => ((await ask(`/api/v1/repos/${name}`)).json() as { data: Json }).data.title
const isShown = (name: string, text: string) =>
  poll(`${text} is shown\n${run.log()}`, WITHIN, async () => ((await titleOf(name)) === text ? true : undefined))
/** Waits until the health check returns the expected values, because a change is visible on pages slightly earlier. */
const healthBecomes = (expected: Json) => expect.poll(health, { timeout: WITHIN }).toMatchObject(expected)
/** Returns this hub's site folder. */
const folder = () =>
  readdirSync('.hub/data')
    .map((name) => join('.hub/data', name))
    .find((dir) => placeIn(dir).includes(JSON.stringify(root)))!
/** Returns an empty string if the folder no longer exists, because other hubs start and stop at the same time. */
const placeIn = (dir: string) => {
  try {
    return readFileSync(join(dir, 'place.json'), 'utf8')
  } catch {
    return ''
  }
}

beforeAll(async () => {
  const versions = { '1.0.0': { at: '2025-03-01T00:00:00Z', content: 'Text\n' } }
  writeRepository(root, 'acme/one', { index: 'title: One', versions })
  writeRepository(root, 'acme/two', { index: 'title: Two', versions })
  await start()
})
afterAll(async () => {
  await run?.end()
  rmSync(folder(), { recursive: true, force: true })
})

describe('npm start keeps running', { timeout: 300_000 }, () => {
  test('/healthz reports the state of the hub', async () => {
    const answer = await ask('/healthz')
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(Object.keys(answer.json() as Json)).toEqual(words`
      status version commit built_at counts broken failure polling unbuilt fetch state publishing broken_count
    `)
    expect(await health()).toMatchObject({
      status: 'ok',
      counts: { repositories: 2, versions: 2, owners: 1 },
      failure: null,
    })
  })

  test('/readyz reports that every part responds', async () => {
    const answer = await ask('/readyz')
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        status: 'ready',
        version: packageVersion,
        unready: [],
        unbuilt: null,
        fetch: null,
        state: { kind: 'file', problem: null },
      },
    ])
  })

  test('when it cannot write: serves the old build, reports the failure, recovers later', async () => {
    // Another program that writes to the database prevents the hub from doing so, as a full disk would.
    const other = new DatabaseSync(join(folder(), 'site.db'))
    other.exec('BEGIN IMMEDIATE')
    title('acme/one', 'Later')
    await healthBecomes({ status: 'degraded', failure: expect.stringContaining('database is locked') })
    expect(await titleOf('acme/one')).toBe('One')
    other.close()
    await isShown('acme/one', 'Later')
    await healthBecomes({ status: 'ok', failure: null })
    const metrics = (await ask('/metrics')).text
    expect(metrics).toContain(`prompt_hub_info{version="${packageVersion}",commit="abc"} 1`)
    expect(metrics).toMatch(/^hub_builds_total\{outcome="failed"\} [1-9]/m)
    expect(metrics).toMatch(/^hub_builds_total\{outcome="done"\} [1-9]/m)
    expect(metrics).toContain('hub_ready{part="pages"} 1')
    expect(metrics).toContain('hub_state_up{kind="file"} 1')
    expect(metrics).toContain('hub_oldest_unbuilt_change_age_seconds 0')
  })

  test('when its database and its search index are damaged: builds everything again', async () => {
    const database = join(folder(), 'site.db')
    const bytes = readFileSync(database)
    writeFileSync(database, bytes.fill('damaged', 5 * 16_384))
    for (const name of readdirSync(folder())) if (name.startsWith('search-')) rmSync(join(folder(), name))
    title('acme/one', 'Rebuilt')
    await isShown('acme/one', 'Rebuilt')
    await healthBecomes({ status: 'ok', failure: null, unbuilt: null })
    const found = (await ask('/api/v1/repos?q=rebuilt')).json() as { meta: Json }
    expect(found.meta.total).toBe(1)
    // What is read from a damaged page is made again.
    await expect.poll(async () => (await ask('/api/v1/repos/acme/two')).status, { timeout: WITHIN }).toBe(200)
    await healthBecomes({ status: 'ok', failure: null, unbuilt: null })
  })

  test('when a prompt is invalid: keeps its last valid state; page, log and /healthz report the error', async () => {
    writeFileSync(join(root, 'acme/two/index.md'), '---\ntitel: Wrong\n---\n')
    title('acme/one', 'Beside it')
    await isShown('acme/one', 'Beside it')
    expect(await titleOf('acme/two')).toBe('Two')
    await healthBecomes({
      status: 'degraded',
      broken: [expect.stringContaining('acme/two/index.md: titel')],
    })
    expect(run.log()).toContain('content/acme/two/index.md: titel')
    expect((await ask('/acme/two')).text).toContain('content/acme/two/index.md: titel')
    expect((await ask('/acme/one')).text).not.toContain('titel')
    title('acme/two', 'Mended')
    await isShown('acme/two', 'Mended')
    await healthBecomes({ status: 'ok', broken: [] })
  })

  test('after a crash and restart: serves the last build at once, then picks up changes', async () => {
    title('acme/one', 'Half-way')
    signalGroup(run.child, 'SIGKILL')
    await run.end()
    title('acme/two', 'Meanwhile')
    await start()
    expect(run.log()).toContain('Serving the build from ')
    await isShown('acme/two', 'Meanwhile')
    await isShown('acme/one', 'Half-way')
  })

  test('without its content folder: serves the last build until the folder is back', async () => {
    renameSync(root, `${root}-away`)
    await healthBecomes({ failure: expect.any(String) })
    expect(await titleOf('acme/two')).toBe('Meanwhile')
    renameSync(`${root}-away`, root)
    title('acme/two', 'Back')
    await isShown('acme/two', 'Back')
  })
})

test('/healthz returns 200 even before the first build, and leaves other paths alone', async () => {
  const sources = { healthOf: () => STARTING, checkAll: async () => [], queueOf: () => ({ length: 0, oldestMs: 0 }) }
  const answer = withMonitoring(async () => new Response('other'), sources, undefined)
  const response = await answer(new Request('http://localhost/healthz'), '')
  expect([response.status, response.headers.get('Retry-After')]).toEqual([200, null])
  expect(await response.json()).toMatchObject({ status: 'starting', version: packageVersion, built_at: null })
  expect((await answer(new Request('http://localhost/healthz', { method: 'POST' }), '')).status).toBe(405)
  expect(await (await answer(new Request('http://localhost/healthz/x'), '')).text()).toBe('other')
})
