// Checks that what a write has answered is visible at every address: on the hub that answered, with lists, tags and
// search; and on another hub with the same state, whatever its build, at every address of the prompt or owner.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { writeData } from '../../src/build/write-data.ts'
import { readConfig } from '../../src/config.ts'
import { poll } from '../e2e/client.ts'
import { CONTENT_OF_WRITES, findOutdated, send, WRITES } from '../hubs/addresses-of-writes.ts'
import { makeSiteFolder } from '../hubs/build-site.ts'
import { type PostgresServer, startPostgres } from '../hubs/postgres.ts'
import { freePort, plainEnvironment, type Run, startProcess } from '../hubs/processes.ts'
import { openOwnStores, serveSite } from '../hubs/serve-site.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** How long a write waits for its build. On a machine with much other work, a build may take longer. */
const MAX_WAIT_MS = 2_000
const WITHIN = 60_000
/** How often writes meet a build, and the time that a build takes. */
const [ROUNDS, STEP_MS] = [2, 300]

/** Returns the settings of hubs with a repository of their own. */
function makeSettings(): Record<string, string> {
  const repository = makeRepository('ready')
  repository.commit(CONTENT_OF_WRITES)
  const CONTENT_DIR = join(repository.folder, 'content')
  return { CONTENT_DIR, SITE_URL: 'http://localhost', RATE_LIMIT_PER_MINUTE: '0' }
}

const makeToken = (settings: Record<string, string>) =>
  execFileSync(process.execPath, [resolve('scripts/token.ts'), 'acme', '--permissions', 'publish,label,maintain'], {
    env: { ...plainEnvironment(), ...settings },
    encoding: 'utf8',
  }).trim()

/** Until a build has read the commit, a change in the activity has the time at which the hub showed it, which may be in the next second. */
const withoutTimes = (path: string, bytes: Buffer) => {
  const text = bytes.toString('latin1')
  return path.startsWith('data/v1/activity/') ? text.replaceAll(/"at":"[^"]*"/g, '"at":""') : text
}

describe('the hub that answered', () => {
  let hub: { base: string; run: Run }
  let token: string
  let settings: Record<string, string>
  beforeAll(async () => {
    settings = makeSettings()
    hub = await startProcess({ command: ['node', 'scripts/start.ts'], settings })
    token = makeToken(settings)
  })
  afterAll(() => hub?.run.end())

  test.each(WRITES)('shows $title at once, everywhere', { timeout: WITHIN * 2 }, async (write) => {
    const { failure, ms } = await send(hub.base, token, write)
    expect(failure).toBe('')
    const { copy, page, build } = write.reads
    const [copied, built] = await Promise.all([
      findOutdated(hub.base, { ...copy, ...page }),
      findOutdated(hub.base, { ...build }),
    ])
    expect(copied).toEqual([])
    if (ms < MAX_WAIT_MS) expect(built).toEqual([])
    if (built.length > 0)
      await poll('the build is served', WITHIN, async () =>
        (await findOutdated(hub.base, { ...build })).length === 0 ? true : undefined,
      )
  })

  test('shows a new prompt and a changed owner in every read, while another write is being built', async () => {
    const missing: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const write = async (method: string, path: string, body: object) => {
        const { failure } = await send(hub.base, token, { title: '', method, path: `/api/v1/${path}`, body, reads: {} })
        expect(failure).toBe('')
      }
      const [prompt, name] = [`repos/acme/round-${round}`, `Round ${round}`]
      const before = write('POST', `repos/acme/before-${round}/versions`, { content: 'Before\n' })
      // A different pause each time, so that the writes meet the build of the first one at every step.
      await sleep((round * STEP_MS) / ROUNDS)
      await Promise.all([
        write('POST', `${prompt}/versions`, { content: 'After\n' }),
        write('PATCH', 'users/acme', { name }),
      ])
      for (const until = performance.now() + STEP_MS; performance.now() < until; await sleep(10)) {
        const [found, owner] = await Promise.all(
          [prompt, 'users/acme'].map((path) => fetch(`${hub.base}/api/v1/${path}`)),
        )
        const said = await owner!.text()
        if (!found!.ok || !said.includes(`"name":"${name}"`)) missing.push(`${round}: ${found!.status} ${said}`)
        await found!.arrayBuffer()
      }
      await before
    }
    expect(missing).toEqual([])
  })

  test('keeps one search index, and one state of each data file', async () => {
    const place = hash('sha256', JSON.stringify({ contentDir: settings.CONTENT_DIR, baseUrl: settings.SITE_URL }))
    const dir = resolve('.hub/data', place.slice(0, 16))
    const database = new DatabaseSync(join(dir, 'site.db'), { readOnly: true })
    const countOld = () =>
      Number(database.prepare('SELECT count(*) - count(DISTINCT path) AS old FROM files').get()?.old)
    const left = () => [readdirSync(dir).filter((name) => /^search-\d+\.db$/.test(name)).length, countOld()]
    await expect.poll(left, { timeout: WITHIN }).toEqual([1, 0])
    database.close()
  })
})

describe('another hub with the same database, whose build is older', () => {
  let postgres: PostgresServer
  const hubs: Awaited<ReturnType<typeof serveSite>>[] = []
  let token: string
  let settings: Record<string, string>
  const bases: string[] = []
  let logged: { mock: { calls: unknown[][] } }
  beforeEach(() => {
    logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => vi.restoreAllMocks())
  beforeAll(async () => {
    postgres = await startPostgres()
    settings = { ...makeSettings(), DATABASE_URL: await postgres.createDatabase() }
    for (const name of ['one', 'other']) {
      const port = await freePort()
      const options = { settings, openStores: openOwnStores, serving: { port } }
      hubs.push(await serveSite(makeSiteFolder(`visible-${name}`), options))
      bases.push(`http://localhost:${port}`)
    }
    token = makeToken(settings)
  })
  afterAll(async () => {
    for (const { stop } of hubs.reverse()) await stop()
    await postgres?.close()
  })

  test.each(WRITES)('shows $title at once, at its own addresses', { timeout: WITHIN }, async (write) => {
    const [one = '', other = ''] = bases
    expect((await send(one, token, write)).failure).toBe('')
    const { copy } = write.reads
    const outdated = await findOutdated(other, { ...copy })
    // A database that does not respond for seconds, as on a machine with much other work, hides the copies for a while.
    if (logged.mock.calls.flat().join().includes('The database does not respond'))
      await poll('the copies are read again', WITHIN, async () =>
        (await findOutdated(other, { ...copy })).length === 0 ? true : undefined,
      )
    else expect(outdated).toEqual([])
  })

  test('serves the data files of prompts and labels as the next build writes them, byte for byte', async () => {
    const built = temporaryFolder('visible-next-')
    await writeData(readConfig(settings), { siteDir: built, indexPath: join(built, 'search.db') })
    const paths = readdirSync(built, { recursive: true, encoding: 'utf8' })
      .filter((path) => /^data\/v1\/(?:repos|activity|users\/acme\/labels)\/.*\.\w+$/.test(path))
      .sort()
    expect(paths.length).toBeGreaterThan(30)
    const other: string[] = []
    for (const path of paths) {
      const served = Buffer.from(await (await fetch(`${bases[1]}/${path}`)).arrayBuffer())
      if (withoutTimes(path, served) !== withoutTimes(path, readFileSync(join(built, path)))) other.push(path)
    }
    expect(other).toEqual([])
  })
})
