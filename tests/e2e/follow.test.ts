// Checks that a running hub picks up content changes: it switches to the new responses atomically and without errors,
// logs invalid content without failing, and shuts down cleanly at any point.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { alive, descendants, freePort, launch, type Run, signalGroup } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type Answer, type Ask, type Json, openClient, poll } from './client.ts'
import { writeRepository } from './made-content.ts'
import { npmStart, type Server } from './targets.ts'

/**
 * Changes usually appear within a second or two. The limit is generous, because timing means little on a shared
 * machine.
 */
const WITHIN = 60_000
const FIRST = { at: '2025-03-01T00:00:00Z', content: 'Originalword {{a}}\n' }
const items = (answer: Answer) => (answer.json() as { data: Json[] }).data
const record = (answer: Answer) => (answer.json() as { data: Json }).data
const item = (answer: Answer, key: string, value: string) => items(answer).find((one) => one[key] === value)

/** Creates files atomically, as git and editors do. */
function put(root: string, file: string, text: string): void {
  const [aside, path] = [join(root, '..', 'aside'), join(root, file)]
  writeFileSync(aside, text)
  mkdirSync(dirname(path), { recursive: true })
  renameSync(aside, path)
}

function writeContent(): string {
  const root = join(temporaryFolder(), 'content')
  writeRepository(root, 'acme/followed', { index: 'title: Before\ntags: [first-tag]', versions: { '1.0.0': FIRST } })
  writeRepository(root, 'acme/other', { index: 'title: Other\ntags: [first-tag]', versions: { '1.0.0': FIRST } })
  return root
}

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

describe('npm start applies content changes', () => {
  const root = writeContent()
  let server: Server
  let ask: Ask
  const abandoned = join('.hub/data', `abandoned-${process.pid}`)
  beforeAll(async () => {
    mkdirSync(join(abandoned, 'base'), { recursive: true })
    writeFileSync(join(abandoned, 'base/page.html'), 'x')
    writeFileSync(join(abandoned, 'place.json'), JSON.stringify({ contentDir: join(root, 'gone') }))
    server = await npmStart.start({ contentDir: root, limit: 0 })
    ask = openClient(server.base)
  })
  afterAll(() => server?.stop())

  test('removes a built site whose content folder no longer exists', { timeout: WITHIN }, async () => {
    const isLeft = () => readdirSync('.hub/data').some((name) => name.startsWith(basename(abandoned)))
    expect(await poll('removed', WITHIN, async () => (isLeft() ? undefined : true))).toBe(true)
  })

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
      () => put(root, file, readFileSync(join(root, file), 'utf8').replace(before, after)),
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
      () => put(root, 'acme/followed/index.md', '---\ntitle: After\ntags: [second-tag]\n---\n'),
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
          root,
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
        ['/api/v1/repos', total, 2, 3],
        ['/api/v1/repos?sort=trending', total, 2, 3],
        ['/api/v1/repos?q=originalword', total, 1, 2],
        ['/api/v1/tags', (answer) => item(answer, 'name', 'third-tag')?.count ?? 0, 0, 1],
        ['/api/v1/users/newcomer', ({ status }) => status, 404, 200],
        ['/data/v1/index.json', total, 2, 3],
      ],
      () => renameSync(join(aside, 'added'), join(root, 'newcomer', 'added')),
    )
  })

  test('only logs a broken file, keeps the old content and serves the file once it is fixed', async () => {
    const before = (await ask(repository)).text
    const list = (await ask('/api/v1/repos')).text
    const from = server.log().length
    put(root, 'acme/followed/index.md', '---\ntitle: Broken\ntagz: [second-tag]\n---\n')
    const words = await poll('the log names the file', WITHIN, async () => {
      expect((await ask(repository)).text).toBe(before)
      expect((await ask('/api/v1/repos')).text).toBe(list)
      const line = server
        .log()
        .slice(from)
        .split('\n')
        .find((one) => one.includes('acme/followed/index.md') && one.includes('tagz'))
      return line
    })
    expect(words).toMatch(/acme\/followed\/index\.md: tagz: \S+/)
    put(root, 'acme/followed/versions/1.2.0.md', 'no front matter at all\n')
    await poll('the log names the other file', WITHIN, async () => {
      expect((await ask(repository)).text).toBe(before)
      return /acme\/followed\/versions\/1\.2\.0\.md: line 1: expected .*---/.test(server.log().slice(from))
        ? true
        : undefined
    })
    rmSync(join(root, 'acme/followed/versions/1.2.0.md'))
    await follow(ask, [[repository, (answer) => record(answer).title, 'After', 'Mended']], () =>
      put(root, 'acme/followed/index.md', '---\ntitle: Mended\ntags: [second-tag]\n---\n'),
    )
  })

  test('stops serving a deleted repository', async () => {
    await follow(
      ask,
      [
        ['/api/v1/repos/newcomer/added', ({ status }) => status, 200, 404],
        ['/api/v1/repos', (answer) => items(answer).length, 3, 2],
        ['/data/v1/repos/newcomer/added.json', ({ status }) => status, 200, 404],
      ],
      () => renameSync(join(root, 'newcomer'), join(root, '..', 'gone')),
    )
  })
})

describe('npm start exits cleanly on SIGTERM', () => {
  const root = writeContent()
  const SITES = '.hub/data'
  /**
   * Lists the site folders. A hub whose folder is already used by another hub creates a temporary folder, and removes
   * it when it exits.
   */
  const standIns = () => (existsSync(SITES) ? readdirSync(SITES) : [])

  /** Runs the command behind `npm start` directly, to get the exit code of the hub instead of npm's. */
  const start = async (): Promise<[Run, string]> => {
    const port = await freePort()
    const settings = { PORT: String(port), CONTENT_DIR: root, RATE_LIMIT_PER_MINUTE: '0' }
    return [launch('node_modules/.bin/node', ['scripts/start.ts'], settings), `http://localhost:${port}`]
  }
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
  const endsCleanly = async (run: Run, when: string) => {
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
    expect(run.log(), when).not.toMatch(/\n\s+at |Error/)
    const left = standIns().filter((name) => name.endsWith(`.${run.child.pid}`))
    expect(left, `${when}: left in ${SITES}`).toEqual([])
  }

  // The delays are random. Each run tries only a few of them, but over many runs all are covered.
  test('sent at a random time within 1800 ms after the start', async () => {
    const [run] = await start()
    const moment = Math.round(1800 * Math.random())
    await pause(moment)
    await endsCleanly(run, `${moment} ms after the start`)
  })

  test('sent within 80 ms after the first output', async () => {
    const [run] = await start()
    const moment = Math.round(80 * Math.random())
    await new Promise((resolve) => run.child.stdout?.once('data', resolve))
    await pause(moment)
    await endsCleanly(run, `${moment} ms after the first word`)
  })

  test('sent within 1200 ms after a content change; a second hub on the same port exits and names the port', async () => {
    const [run, base] = await start()
    const ask = openClient(base)
    await poll('it answers', WITHIN, async () =>
      (await ask('/api/v1/tags').catch(() => undefined))?.status === 200 ? true : undefined,
    )
    const second = launch('node_modules/.bin/node', ['scripts/start.ts'], {
      PORT: new URL(base).port,
      CONTENT_DIR: root,
    })
    const { code } = await second.closed
    expect(code).not.toBe(0)
    expect(second.log()).toMatch(new RegExp(`Port ${new URL(base).port} is in use`))
    expect(standIns().filter((name) => name.endsWith(`.${second.child.pid}`))).toEqual([])
    const misused = launch('node_modules/.bin/node', ['scripts/start.ts', '--port', '8889'], { CONTENT_DIR: root })
    expect(await misused.closed).toMatchObject({ code: 1 })
    expect(JSON.parse(misused.log())).toMatchObject({
      level: 'error',
      event: 'start_failed',
      message: 'Unexpected argument: --port. Settings are environment variables, as in PORT=8889 npm start.',
    })
    put(root, 'acme/followed/index.md', '---\ntitle: Changed\n---\n')
    const moment = Math.round(1200 * Math.random())
    await pause(moment)
    await endsCleanly(run, `${moment} ms after a change`)
  })
})
