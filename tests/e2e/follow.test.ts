// Checks that a running hub picks up content changes and survives faults: it switches to the new responses atomically and
// without errors, keeps serving whatever happens to its disk, its database or its content, says so, and recovers. Then it
// shuts down cleanly, at any point.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openMachines } from '../hubs/machines.ts'
import { alive, descendants, freePort, isServingFiles, launch, type Run, signalGroup } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'
import { type Answer, type Ask, type Json, openClient, poll } from './client.ts'
import { writeRepository } from './made-content.ts'

/**
 * Changes usually appear within a second or two. The limit is generous, because timing means little on a shared
 * machine.
 */
const WITHIN = 120_000
/** Between two requests for the same path while something changes. */
const PAUSE_MS = 5
const FIRST = { at: '2025-03-01T00:00:00Z', content: 'Originalword {{a}}\n' }
const items = (answer: Answer) => (answer.json() as { data: Json[] }).data
const record = (answer: Answer) => (answer.json() as { data: Json }).data
const item = (answer: Answer, key: string, value: string) => items(answer).find((one) => one[key] === value)

const root = join(temporaryFolder(), 'content')
/** Creates files atomically, as git and editors do. */
function put(file: string, text: string): void {
  const [aside, path] = [join(root, '..', 'aside'), join(root, file)]
  writeFileSync(aside, text)
  mkdirSync(dirname(path), { recursive: true })
  renameSync(aside, path)
}
const title = (name: string, text: string) => put(`${name}/index.md`, `---\ntitle: ${text}\n---\n`)

const machines = openMachines()
const machine = machines.make({
  CONTENT_DIR: root,
  SITE_URL: 'http://localhost',
  RATE_LIMIT_PER_MINUTE: '0',
  METRICS: 'on',
  COMMIT_REF: 'abc',
})
/** The hub's own files are on a file system of their own, which can be full. Only root may mount one. */
const disk = join(machine.folder, '.hub')
const canMount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk]).status === 0
const SITES = join(disk, 'data')
const abandoned = join(SITES, 'abandoned')
let hub: { base: string; run: Run }
const ask: Ask = (path, options) => openClient(hub.base)(path, options)
const start = async () => {
  hub = await machine.start({}, async (base) => (await isServingFiles(base)) && (await fetch(`${base}/readyz`)).ok)
}

beforeAll(async () => {
  for (const [name, index] of [
    ['acme/followed', 'title: Before\ntags: [first-tag]'],
    ['acme/other', 'title: Other\ntags: [first-tag]'],
  ] as const)
    writeRepository(root, name, { index, versions: { '1.0.0': FIRST } })
  for (const name of ['zoe/one', 'zoe/two'])
    writeRepository(root, name, { index: `title: ${name}`, versions: { '1.0.0': { ...FIRST, content: 'Text\n' } } })
  mkdirSync(join(abandoned, 'base'), { recursive: true })
  writeFileSync(join(abandoned, 'base/page.html'), 'x')
  writeFileSync(join(abandoned, 'place.json'), JSON.stringify({ contentDir: join(root, 'gone') }))
  await start()
})
afterAll(async () => {
  await hub?.run.end()
  if (canMount) execFileSync('umount', ['--lazy', disk])
  machines.close()
})

const health = async () => (await ask('/healthz')).json() as Json
/** Waits until the health check returns the expected values, because a change is visible on pages slightly earlier. */
const healthBecomes = (expected: Json) => expect.poll(health, { timeout: WITHIN }).toMatchObject(expected)
const titleOf = async (name: string) => record(await ask(`/api/v1/repos/${name}`)).title
const isShown = (name: string, text: string) =>
  poll(`${text} is shown`, WITHIN, async () => ((await titleOf(name)) === text ? true : undefined)).catch((error) => {
    throw new Error(`${error}\n${hub.run.log()}`)
  })

describe('a hub that has just started', () => {
  test('/healthz reports its state', async () => {
    const answer = await ask('/healthz')
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(Object.keys(answer.json())).toEqual(words`
      status version commit built_at counts broken failure polling unbuilt fetch state publishing broken_count
    `)
    await healthBecomes({ status: 'ok', counts: { repositories: 4, versions: 4, owners: 2 }, failure: null })
  })

  test('/readyz reports that every part responds', async () => {
    const answer = await ask('/readyz')
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    const state = { kind: 'file', problem: null }
    expect([answer.status, answer.json()]).toEqual([
      200,
      { status: 'ready', version, unready: [], unbuilt: null, fetch: null, state },
    ])
  })
})

/**
 * Requests one path and checks that the response is the one from before or after the change. Any other response is an
 * error.
 */
type Look = [path: string, state: (answer: Answer) => unknown, before: unknown, after: unknown]

/**
 * Makes a change while constantly requesting every path. Each response must be the one from before or after the change.
 * After the first new response on any path, no later request may get an old one. All paths must be updated in time.
 */
async function follow(ask: Ask, looks: Look[], change: () => void): Promise<void> {
  let [firstAfter, asked] = [Number.POSITIVE_INFINITY, 0]
  const done = new Set<string>()
  const until = { time: Number.POSITIVE_INFINITY }
  const loops = looks.map(async ([path, state, before, after]) => {
    for (let still = 0; still < 3 && Date.now() < until.time; ) {
      const sent = performance.now()
      const answer = await ask(path)
      asked++
      const seen = JSON.stringify(state(answer))
      if (seen === JSON.stringify(after)) {
        firstAfter = Math.min(firstAfter, performance.now())
        done.add(path)
      } else {
        expect(seen, `${path} is neither as before nor as after: ${answer.status} ${answer.text.slice(0, 300)}`).toBe(
          JSON.stringify(before),
        )
        expect(sent, `${path} went back to the state before`).toBeLessThan(firstAfter)
      }
      if (done.size === looks.length) still++
      await sleep(PAUSE_MS)
    }
  })
  const all = Promise.all(loops)
  all.catch(() => undefined)
  await poll('every address is asked', WITHIN, async () => (asked >= 2 * looks.length ? true : undefined))
  change()
  until.time = Date.now() + WITHIN
  await all
  expect([...done].toSorted(), `as after the change within ${WITHIN} ms`).toEqual(
    looks.map(([path]) => path).toSorted(),
  )
}

describe('content changes', () => {
  const file = 'acme/followed/versions/1.0.0.md'
  const repository = '/api/v1/repos/acme/followed'

  test('serves an edited version file', async () => {
    const [before, after] = ['Originalword {{a}}\n', 'Editedword {{b}}\n']
    const variable = (answer: Answer) => (record(answer).variables as Json[]).map(({ name }) => name)
    await follow(
      ask,
      [
        [repository, (answer) => [record(answer).content, variable(answer)], [before, ['a']], [after, ['b']]],
        [`${repository}/raw`, ({ text }) => text, before, after],
        [`${repository}/raw?version=1.0.0`, ({ text }) => text, before, after],
        [`${repository}/versions/1.0.0`, (answer) => record(answer).content, before, after],
        [`${repository}/versions`, (answer) => items(answer)[0]?.size_bytes, 19, 17],
        ['/api/v1/repos?q=editedword', (answer) => items(answer).length, 0, 1],
        ['/data/v1/repos/acme/followed/raw.txt', ({ text }) => text, before, after],
        ['/data/v1/repos/acme/followed.json', (answer) => record(answer).content, before, after],
      ],
      () => put(file, readFileSync(join(root, file), 'utf8').replace(before, after)),
    )
  })

  test('serves an edited index.md', async () => {
    const title = (answer: Answer) => item(answer, 'full_name', 'acme/followed')?.title
    const tag = (answer: Answer) => [
      item(answer, 'name', 'first-tag')?.count,
      item(answer, 'name', 'second-tag')?.count ?? 0,
    ]
    await follow(
      ask,
      [
        [repository, (answer) => record(answer).title, 'Before', 'After'],
        ['/api/v1/repos', title, 'Before', 'After'],
        ['/api/v1/repos?sort=new', title, 'Before', 'After'],
        ['/api/v1/repos?tag=second-tag', (answer) => items(answer).length, 0, 1],
        ['/api/v1/repos?q=after', (answer) => items(answer).length, 0, 1],
        ['/api/v1/tags', tag, [2, 0], [1, 1]],
        [
          '/api/v1/users/acme',
          (answer) => (record(answer).repos as Json[]).map((one) => one.title).toSorted(),
          ['Before', 'Other'],
          ['After', 'Other'],
        ],
        ['/data/v1/index.json', title, 'Before', 'After'],
        ['/data/v1/lists/trending/1.json', title, 'Before', 'After'],
      ],
      () => put('acme/followed/index.md', '---\ntitle: After\ntags: [second-tag]\n---\n'),
    )
  })

  test('serves an added version', async () => {
    const latest = (answer: Answer) => item(answer, 'full_name', 'acme/followed')?.latest_version
    const state = (answer: Answer) => [record(answer).latest_version, record(answer).versions, record(answer).content]
    await follow(
      ask,
      [
        [repository, state, ['1.0.0', ['1.0.0'], 'Editedword {{b}}\n'], ['1.1.0', ['1.1.0', '1.0.0'], 'Secondword\n']],
        [
          `${repository}/raw`,
          ({ headers, text }) => [headers['x-prompt-version'], text],
          ['1.0.0', 'Editedword {{b}}\n'],
          ['1.1.0', 'Secondword\n'],
        ],
        [`${repository}/versions`, (answer) => items(answer).map((one) => one.version), ['1.0.0'], ['1.1.0', '1.0.0']],
        [`${repository}/versions/1.1.0`, ({ status }) => status, 404, 200],
        ['/api/v1/repos', latest, '1.0.0', '1.1.0'],
        ['/api/v1/repos?q=secondword', (answer) => items(answer).length, 0, 1],
        ['/data/v1/repos/acme/followed/raw/1.1.0.txt', ({ status }) => status, 404, 200],
      ],
      () =>
        put(
          'acme/followed/versions/1.1.0.md',
          '---\npublished_at: "2025-04-01T00:00:00Z"\npublished_by: tester\nchangelog: More\n---\nSecondword\n',
        ),
    )
  })

  test('serves an added repository', async () => {
    const aside = join(root, '..', 'new')
    writeRepository(aside, 'added', { index: 'title: Added\ntags: [third-tag]', versions: { '1.0.0': FIRST } })
    mkdirSync(join(root, 'newcomer'))
    const total = (answer: Answer) => (answer.json() as { meta: { total: number } }).meta.total
    await follow(
      ask,
      [
        ['/api/v1/repos/newcomer/added', ({ status }) => status, 404, 200],
        ['/api/v1/repos/newcomer/added/raw', ({ status }) => status, 404, 200],
        ['/api/v1/repos', total, 4, 5],
        ['/api/v1/repos?sort=trending', total, 4, 5],
        ['/api/v1/repos?q=originalword', total, 1, 2],
        ['/api/v1/tags', (answer) => item(answer, 'name', 'third-tag')?.count ?? 0, 0, 1],
        ['/api/v1/users/newcomer', ({ status }) => status, 404, 200],
        ['/data/v1/index.json', total, 4, 5],
      ],
      () => renameSync(join(aside, 'added'), join(root, 'newcomer', 'added')),
    )
  })

  test('stops serving a deleted repository', async () => {
    await follow(
      ask,
      [
        ['/api/v1/repos/newcomer/added', ({ status }) => status, 200, 404],
        ['/api/v1/repos', (answer) => items(answer).length, 5, 4],
        ['/data/v1/repos/newcomer/added.json', ({ status }) => status, 200, 404],
      ],
      () => renameSync(join(root, 'newcomer'), join(root, '..', 'gone')),
    )
  })

  test('keeps the old content of a broken file: log, page and /healthz name it, and everything else is updated', async () => {
    const [before, from] = [(await ask(repository)).text, hub.run.log().length]
    const said = () => hub.run.log().slice(from)
    put('acme/followed/index.md', '---\ntitle: Broken\ntagz: [second-tag]\n---\n')
    put('acme/followed/versions/1.2.0.md', 'no front matter at all\n')
    title('zoe/one', 'Beside it')
    await expect
      .poll(
        async () => {
          expect((await ask(repository)).text).toBe(before)
          return said()
        },
        { timeout: WITHIN },
      )
      .toMatch(/acme\/followed\/versions\/1\.2\.0\.md: line 1: expected .*---/)
    expect(said()).toMatch(/acme\/followed\/index\.md: tagz: \S+/)
    await isShown('zoe/one', 'Beside it')
    const broken = ['index.md: tagz', 'versions/1.2.0.md: line 1'].map((words) =>
      expect.stringContaining(`content/acme/followed/${words}`),
    )
    await healthBecomes({ status: 'degraded', broken })
    expect((await ask('/acme/followed')).text).toContain('content/acme/followed/index.md: tagz')
    expect((await ask('/zoe/one')).text).not.toContain('tagz')
    rmSync(join(root, 'acme/followed/versions/1.2.0.md'))
    await follow(ask, [[repository, (answer) => record(answer).title, 'After', 'Mended']], () =>
      put('acme/followed/index.md', '---\ntitle: Mended\ntags: [second-tag]\n---\n'),
    )
    await healthBecomes({ status: 'ok', broken: [] })
  })

  // The hub looks for such sites some seconds after its start.
  test('removes a built site whose content folder no longer exists', async () => {
    const isLeft = () => readdirSync(SITES).some((name) => name.startsWith(basename(abandoned)))
    expect(await poll('removed', WITHIN, async () => (isLeft() ? undefined : true))).toBe(true)
  })
})

describe('faults', { timeout: 6 * WITHIN }, () => {
  /** The folder with the builds of this hub. */
  const folder = () => join(SITES, readdirSync(SITES).find((name) => existsSync(join(SITES, name, 'site.db')))!)

  test('when it cannot write: serves the old build, reports the failure, recovers later', async () => {
    // Another program that writes to the database prevents the hub from doing so.
    const other = new DatabaseSync(join(folder(), 'site.db'))
    other.exec('BEGIN IMMEDIATE')
    title('zoe/one', 'Later')
    await healthBecomes({ status: 'degraded', failure: expect.stringContaining('database is locked') })
    expect(await titleOf('zoe/one')).toBe('Beside it')
    other.close()
    await isShown('zoe/one', 'Later')
    await healthBecomes({ status: 'ok', failure: null })
    const metrics = (await ask('/metrics')).text
    expect(metrics).toMatch(/^prompt_hub_info\{version="[\d.]+",commit="abc"\} 1$/m)
    expect(metrics).toMatch(/^hub_builds_total\{outcome="failed"\} [1-9]/m)
    expect(metrics).toMatch(/^hub_builds_total\{outcome="done"\} [1-9]/m)
    expect(metrics).toContain('hub_ready{part="pages"} 1')
    expect(metrics).toContain('hub_state_up{kind="file"} 1')
    expect(metrics).toContain('hub_oldest_unbuilt_change_age_seconds 0')
  })

  /** Writes until the disk is full. */
  function fill(): void {
    mkdirSync(join(disk, 'filling'))
    for (const size of [1 << 20, 1 << 12, 1])
      for (let number = 0; ; number++)
        try {
          writeFileSync(join(disk, 'filling', `${size}-${number}`), Buffer.alloc(size))
        } catch {
          break
        }
  }

  test.skipIf(!canMount)(
    'the next change is served once a full disk has space again (needs root, to mount a file system)',
    async () => {
      onTestFinished(() => rmSync(join(disk, 'filling'), { recursive: true, force: true }))
      fill()
      // More than the free pages of the database, which has been written to several times.
      const [head, text] = [
        '---\npublished_at: "2025-04-01T00:00:00Z"\npublished_by: tester\n---\n',
        'x'.repeat(250_000),
      ]
      for (const patch of [1, 2, 3, 4]) put(`zoe/two/versions/1.0.${patch}.md`, `${head}${patch} ${text}\n`)
      title('zoe/two', 'Lost')
      await healthBecomes({ failure: expect.stringMatching(/full|ENOSPC/) })
      expect(await titleOf('zoe/two')).toBe('zoe/two')
      rmSync(join(disk, 'filling'), { recursive: true })
      title('zoe/two', 'Third')
      await isShown('zoe/two', 'Third')
      await healthBecomes({ status: 'ok', failure: null })
    },
  )

  test('when its database and its search index are damaged: builds everything again', async () => {
    const database = join(folder(), 'site.db')
    const bytes = readFileSync(database)
    writeFileSync(database, bytes.fill('damaged', 5 * 16_384))
    for (const name of readdirSync(folder())) if (name.startsWith('search-')) rmSync(join(folder(), name))
    title('zoe/one', 'Rebuilt')
    // Until then, a read of a damaged page is refused.
    const shown = async () => ((await ask('/api/v1/repos/zoe/one')).json() as { data?: Json }).data?.title
    await expect.poll(shown, { timeout: WITHIN }).toBe('Rebuilt')
    await healthBecomes({ status: 'ok', failure: null, unbuilt: null })
    const found = (await ask('/api/v1/repos?q=rebuilt')).json() as { meta: Json }
    expect(found.meta.total).toBe(1)
    // What is read from a damaged page is made again.
    await expect.poll(async () => (await ask('/api/v1/repos/zoe/two')).status, { timeout: WITHIN }).toBe(200)
    await healthBecomes({ status: 'ok', failure: null, unbuilt: null })
  })

  test('after a crash and restart: serves the last build at once, then picks up changes', async () => {
    title('zoe/one', 'Half-way')
    signalGroup(hub.run.child, 'SIGKILL')
    await hub.run.end()
    title('zoe/two', 'Meanwhile')
    await start()
    expect(hub.run.log()).toContain('Serving the build from ')
    await isShown('zoe/two', 'Meanwhile')
    await isShown('zoe/one', 'Half-way')
  })
})

describe('exits cleanly on SIGTERM', () => {
  const endsCleanly = async (run: Run, when: string, from = 0) => {
    const family = descendants(run.child.pid)
    signalGroup(run.child, 'SIGTERM')
    const gone = async () => (run.ended() && !family.some(alive) ? true : undefined)
    try {
      await poll(`${when}: all processes end\n${run.log()}`, WITHIN / 2, gone)
    } finally {
      await run.end()
    }
    const { code, signal } = await run.closed
    // Before its first output, the process has no signal handlers yet, so the signal itself terminates it.
    if (run.log() !== '') expect({ code, signal }, `${when}\n${run.log()}`).toEqual({ code: 0, signal: null })
    expect(run.log().slice(from), when).not.toMatch(/\n\s+at |Error/)
    // A hub whose folder is already used by another hub makes a temporary one, and removes it when it exits.
    const left = readdirSync(SITES).filter((name) => name.endsWith(`.${run.child.pid}`))
    expect(left, `${when}: left in ${SITES}`).toEqual([])
  }
  const launchHub = (settings: Record<string, string>, ...parameters: string[]) =>
    launch(process.execPath, ['scripts/start.ts', ...parameters], { CONTENT_DIR: root, ...settings }, machine.folder)
  const launchAtAnyPort = async () => launchHub({ PORT: String(await freePort()) })

  // The moments are random. Each run tries only a few of them, but over many runs all are covered.
  test('sent within 1800 ms after the start, or within 80 ms after the first output', async () => {
    const run = await launchAtAnyPort()
    const isEarly = Math.random() < 0.5
    const moment = Math.round((isEarly ? 1800 : 80) * Math.random())
    if (!isEarly) await new Promise((resolve) => run.child.stdout?.once('data', resolve))
    await sleep(moment)
    await endsCleanly(run, `${moment} ms after the ${isEarly ? 'start' : 'first word'}`)
  })

  test('sent within 1200 ms after a content change; a second hub on the same port exits and names the port', async () => {
    const { port } = new URL(hub.base)
    const second = launchHub({ PORT: port })
    const { code } = await second.closed
    expect(code).not.toBe(0)
    expect(second.log()).toMatch(new RegExp(`Port ${port} is in use`))
    expect(readdirSync(SITES).filter((name) => name.endsWith(`.${second.child.pid}`))).toEqual([])
    const misused = launchHub({}, '--port', '8889')
    expect(await misused.closed).toMatchObject({ code: 1 })
    expect(JSON.parse(misused.log())).toMatchObject({
      level: 'error',
      event: 'start_failed',
      message: 'Unexpected argument: --port. Settings are environment variables, as in PORT=8889 npm start.',
    })
    const from = hub.run.log().length
    title('acme/followed', 'Changed')
    const moment = Math.round(1200 * Math.random())
    await sleep(moment)
    await endsCleanly(hub.run, `${moment} ms after a change`, from)
  })
})
