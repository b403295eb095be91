// Tests the builder. One that throws, one in an endless loop and one whose round never ends are replaced; until then, the
// age of the oldest change that is not built is known. During the first build, prompts are served that somebody asks for.
// A hub can be killed at any moment of a build: the next start finds a complete build, and the next equals a clean one.
// Prompts parsed in another thread are the same, and nothing depends on that thread.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { seedRandom } from '../../scripts/content/random.ts'
import { hashCode } from '../../src/build/code-hash.ts'
import type { ParsedAhead } from '../../src/build/make-in-order.ts'
import { openSiteData } from '../../src/build/site-data.ts'
import { writeData } from '../../src/build/write-data.ts'
import { openSiteDatabase, readLastBuild } from '../../src/built/site-database.ts'
import { readRepository } from '../../src/content/content-dir.ts'
import { openObjects } from '../../src/content/content-reader.ts'
import { lookOnce, openContentSource } from '../../src/content/content-source.ts'
import { createGit } from '../../src/git/git-command.ts'
import { type BuilderMessage, type HostMessage, pauseAfter } from '../../src/hosts/node/builds/builder-messages.ts'
import { openEarlyReads } from '../../src/hosts/node/builds/early-reads.ts'
import { type FollowMessage, keepBuilding } from '../../src/hosts/node/builds/follow-content.ts'
import { startParsing } from '../../src/hosts/node/builds/parse-ahead.ts'
import { describeFolder } from '../../src/hosts/node/builds/site-folder.ts'
import { openSnapshots } from '../../src/hosts/node/builds/snapshots.ts'
import { openSearchIndex } from '../../src/search/open-index.ts'
import { readIndexNumber } from '../../src/search/write-index.ts'
import { openOrderClock } from '../../src/state/fresh-copies.ts'
import { versionFile } from '../doctor/setups.ts'
import { readTree } from '../hubs/build-site.ts'
import { readDatabase } from '../hubs/host-site.ts'
import { runSync } from '../run-sync.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

describe('a builder that fails', () => {
  const WITHIN = 120_000
  const PATIENCE = { silenceMs: 3_000, roundMs: 600_000, checkMs: 250 }
  /** Where a silent builder is not what is tested: on a busy machine, one that starts is silent for long. */
  const PATIENT = { ...PATIENCE, silenceMs: 600_000 }
  let root = ''
  let stop = new AbortController()
  let heard: FollowMessage[] = []

  beforeEach(() => {
    root = temporaryFolder('hub-stuck-')
    stop = new AbortController()
    heard = []
    write('one', 'First')
    mkdirSync(join(root, 'site'))
    vi.stubEnv('CONTENT_DIR', join(root, 'content'))
    vi.stubEnv('SITE_URL', 'https://hub.test')
  })
  afterEach(() => {
    stop.abort()
    vi.unstubAllEnvs()
  })

  function write(name: string, text: string): void {
    const dir = join(root, 'content/acme', name, 'versions')
    mkdirSync(dir, { recursive: true })
    writeFileSync(
      join(dir, '1.0.0.md'),
      `---\npublished_at: "2026-11-01T00:00:00Z"\npublished_by: acme\n---\n${text}\n`,
    )
  }
  const build = (options: Parameters<typeof keepBuilding>[3] = {}) =>
    keepBuilding(
      { dir: join(root, 'site'), contentDir: join(root, 'content'), lastOrder: openOrderClock().last },
      stop.signal,
      (message) => void heard.push(message),
      { patience: PATIENCE, ...options },
    )
  const failures = () => heard.flatMap((one) => (one.kind === 'failed' ? [`${one.message} ${one.next}`] : []))
  const repositories = () => {
    if (!heard.some(({ kind }) => kind === 'built')) return undefined
    const text = readLastBuild(join(root, 'site/site.db'), hashCode(process.cwd()).data)
    return text === undefined ? undefined : JSON.parse(text).counts.repositories
  }
  const isServed = (count: number) => expect.poll(repositories, { timeout: WITHIN }).toBe(count)

  /** Starts a builder with short pauses that does something whenever a round begins while the flag exists. @param code may use `isFaulty()` */
  function buildWithFault(code: string, patience = PATIENCE) {
    const fault = join(root, 'fault.mjs')
    writeFileSync(
      fault,
      `import { existsSync } from 'node:fs'
    import { parentPort } from 'node:worker_threads'
    const isFaulty = () => existsSync(${JSON.stringify(join(root, 'flag'))})
    const post = parentPort.postMessage.bind(parentPort)
    parentPort.postMessage = (message) => {
      post(message)
      if (message.kind === 'begin') ${code}
    }
    await import(${JSON.stringify(new URL('../hubs/short-pauses.ts', import.meta.url).href)})
    await import(${JSON.stringify(new URL('../../src/hosts/node/builds/builder-thread.ts', import.meta.url).href)})`,
    )
    return { flag: join(root, 'flag'), builder: build({ module: pathToFileURL(fault), patience }) }
  }

  test('a builder that crashes is restarted, and nothing old is left of its builds', {
    timeout: 3 * WITHIN,
  }, async () => {
    const crash = `if (isFaulty()) setTimeout(() => { throw new Error('Out of order.') }, 20)`
    const { flag, builder } = buildWithFault(crash, PATIENT)
    await isServed(1)
    writeFileSync(flag, '')
    write('two', 'Second')
    builder.send({ kind: 'written', fullName: 'acme/two' })
    const said = 'The builder ended: Out of order. Restarting it in 1 s.'
    await expect.poll(() => failures()[0], { timeout: WITHIN }).toBe(said)
    rmSync(flag)
    await isServed(2)
    const database = new DatabaseSync(join(root, 'site/site.db'), { readOnly: true })
    const newest = database.prepare("SELECT max(since) AS since FROM files WHERE path = '/data/v1/repos/acme/one.json'")
    const sinceOf = () => Number(newest.get()?.since)
    const before = sinceOf()
    write('one', 'Another text')
    builder.send({ kind: 'written', fullName: 'acme/one' })
    await expect.poll(sinceOf, { timeout: WITHIN }).toBeGreaterThan(before)
    const countOld = () =>
      Number(database.prepare('SELECT count(*) - count(DISTINCT path) AS old FROM files').get()?.old)
    const indexes = () => readdirSync(join(root, 'site')).filter((name) => /^search-\d+\.db$/.test(name)).length
    await expect.poll(() => [indexes(), countOld()], { timeout: WITHIN }).toEqual([1, 0])
    database.close()
  })

  test('the delays between restarts increase', () => {
    expect([0, 1, 2, 5, 6, 100].map(pauseAfter)).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000])
  })

  test('a builder in an endless loop is replaced, and the change that waited for it is built', {
    timeout: 3 * WITHIN,
  }, async () => {
    // Between two rounds it sleeps, which leaves the processor to other tests and responds as little.
    const { flag, builder } = buildWithFault(
      'while (isFaulty()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)',
    )
    await isServed(1)
    // On a busy machine, a builder that starts is silent for longer, and is replaced, too.
    heard = []
    writeFileSync(flag, '')
    await expect.poll(builder.oldestUnbuilt, { timeout: WITHIN }).toBe(undefined)
    write('two', 'Second')
    const began = Date.now()
    builder.send({ kind: 'written', fullName: 'acme/two' })
    expect(builder.oldestUnbuilt()!.getTime()).toBeGreaterThanOrEqual(began)
    await expect
      .poll(() => failures()[0], { timeout: WITHIN })
      .toBe('The builder has not responded for 3 s. It is being replaced.')
    await expect
      .poll(() => failures()[1], { timeout: WITHIN })
      .toBe('The builder ended: exit code 1. Restarting it in 1 s.')
    // Retries while the loop lasts do not make the change any younger.
    const since = builder.oldestUnbuilt()!
    rmSync(flag)
    expect(since.getTime()).toBeLessThan(Date.now() - 3_000)
    await isServed(2)
    await expect.poll(builder.oldestUnbuilt, { timeout: WITHIN }).toBe(undefined)
  })

  test('a round that makes no progress ends, although the builder responds', { timeout: 3 * WITHIN }, async () => {
    const [bin, flag] = [join(root, 'bin'), join(root, 'flag')]
    mkdirSync(bin)
    const git = runSync('which', ['git'], { encoding: 'utf8' }).trim()
    const waits = `#!/bin/sh\nwhile [ -e '${flag}' ]; do sleep 0.1; done\nexec ${git} "$@"\n`
    writeFileSync(join(bin, 'git'), waits, { mode: 0o755 })
    writeFileSync(flag, '')
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
    build({ patience: { ...PATIENT, roundMs: 2_000 } })
    await expect
      .poll(() => failures()[0], { timeout: WITHIN })
      .toBe('The builder has made no progress for 2 s. It is being replaced.')
    rmSync(flag)
    await isServed(1)
  })

  test('a damaged repository does not become a folder without one, whose versions anybody can change', {
    timeout: 3 * WITHIN,
  }, async () => {
    const git = (...args: string[]) =>
      runSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root })
    git('init', '--quiet')
    git('add', 'content')
    git('commit', '--quiet', '--message=First')
    build({ patience: PATIENT })
    await isServed(1)
    rmSync(join(root, '.git/objects'), { recursive: true })
    write('one', 'Changed')
    write('two', 'Second')
    await expect
      .poll(() => failures()[0], { timeout: WITHIN })
      .toMatch(/because the last build has [0-9a-f]{40}, but git finds none for .*content\. Repair its repository\./)
    expect(repositories()).toBe(1)
  })

  test('the content is replaced while no builder runs, and read again', { timeout: 3 * WITHIN }, async () => {
    const builder = build({ patience: PATIENT })
    await isServed(1)
    heard = []
    const failing = builder.replaceContent(() => Promise.reject(new Error('The disk is full.')))
    await expect(failing).rejects.toThrow('The disk is full.')
    await builder.replaceContent(async () => {
      rmSync(join(root, 'content'), { recursive: true })
      for (const name of ['one', 'two', 'three']) write(name, name)
    })
    await isServed(3)
    expect(failures()).toEqual([])
  })
})

describe('early reads', () => {
  const WITHIN = 120_000
  /** More than the builder makes before it hears the server. */
  const PROMPTS = 250

  test('a prompt is read before the build is complete, with the bytes that the build has', async () => {
    const names = Array.from({ length: PROMPTS }, (_, at) => `prompt-${String(at).padStart(3, '0')}`)
    const repository = makeRepository()
    repository.commit({
      ...Object.fromEntries(
        names.map((name) => [`content/acme/${name}/versions/1.0.0.md`, versionFile(`I am ${name}.`)]),
      ),
      'content/acme/links/versions/1.0.0.md': versionFile('I have moved.'),
      'content/acme/links/index.md': '---\nmoved_to: acme/prompt-000\n---\n',
    })
    const builder = new Worker(new URL('../../src/hosts/node/builds/builder-thread.ts', import.meta.url), {
      workerData: {
        dir: temporaryFolder('early-'),
        contentDir: join(repository.folder, 'content'),
        lastOrder: openOrderClock().last,
      },
    })
    const send = (message: HostMessage) => builder.postMessage(message)
    const early = openEarlyReads(
      (asked) => send({ kind: 'ask', ...asked }),
      () => new Error('not built'),
      WITHIN,
    )
    const order: string[] = []
    const begun = Promise.withResolvers<void>()
    const complete = Promise.withResolvers<void>()
    builder.on('error', complete.reject)
    builder.on('message', (message: BuilderMessage) => {
      if (message.kind === 'progress') begun.resolve()
      if (message.kind === 'early') early.settle(message.id, message.bytes)
      if (message.kind === 'failed') complete.reject(new Error(message.message))
      if (message.kind === 'built') {
        order.push('complete')
        early.end({ read: () => Promise.reject(new Error('not built')) })
        complete.resolve()
      }
    })
    const textOf = async (path: string) => {
      const bytes = await early.files.read(path)
      order.push(path)
      return bytes && new TextDecoder().decode(bytes)
    }
    await begun.promise
    // The last in the content, a version of another, what does not exist, and what is known only when all others are.
    const [last, record, nothing, noVersion, linked, list] = await Promise.allSettled([
      textOf(`/data/v1/repos/acme/${names.at(-1)}/raw.txt`),
      textOf(`/data/v1/repos/acme/${names.at(-2)}/versions/1.0.0.json`),
      textOf('/data/v1/repos/acme/nothing.json'),
      textOf(`/data/v1/repos/acme/${names.at(-1)}/versions/2.0.0.json`),
      textOf('/data/v1/repos/acme/links.json'),
      textOf('/data/v1/index.json'),
    ])
    await complete.promise
    await builder.terminate()
    expect(last).toEqual({ status: 'fulfilled', value: `I am ${names.at(-1)}.\n` })
    expect(record).toMatchObject({ status: 'fulfilled', value: expect.stringContaining(`I am ${names.at(-2)}.`) })
    expect([nothing, noVersion]).toEqual([
      { status: 'fulfilled', value: undefined },
      { status: 'fulfilled', value: undefined },
    ])
    expect(linked).toMatchObject({
      status: 'fulfilled',
      value: expect.stringContaining('"moved_to":"acme/prompt-000"'),
    })
    expect(list).toMatchObject({ status: 'rejected', reason: new Error('not built') })
    expect(order.at(-1)).toBe('complete')
  })

  test('what is asked for is made first, from a reader of its own', async () => {
    const repository = makeRepository()
    const names = ['one', 'two', 'three']
    repository.commit(
      Object.fromEntries(names.map((name) => [`content/acme/${name}/versions/1.0.0.md`, versionFile(`I am ${name}.`)])),
    )
    const contentDir = join(repository.folder, 'content')
    const source = openContentSource({ contentDir, dir: undefined, environment: process.env })
    const { listing } = await source.look()
    const files = new Map<string, string | Uint8Array>()
    const makeBuild = openSiteData({
      baseUrl: 'https://hub.test',
      sink: {
        read: (path) => files.get(path)?.toString(),
        write: (path, content) => files.set(path, content),
        remove: (path) => files.delete(path),
        listPathsOutside: () => [],
        storePart() {},
        listParts: () => [],
      },
      findAsked: (left) => (left.has('acme/two') ? 'acme/two' : undefined),
    })
    const history = { since: null, changes: new Map(), added: new Map() }
    const { changed, problems } = makeBuild(listing, () => openObjects(source.git, listing), {
      day: '2026-01-01',
      history,
    })
    expect({ changed, problems }).toEqual({ changed: ['acme/two', 'acme/one', 'acme/three'], problems: [] })
    expect(names.map((name) => files.get(`/data/v1/repos/acme/${name}/raw.txt`))).toEqual(
      names.map((name) => `I am ${name}.\n`),
    )
  })
})

test('a build is read from its own database until it ends, also when the builder has made another one', async () => {
  const path = join(temporaryFolder('hub-snapshots-'), 'site.db')
  const open = openSnapshots(path, { baseUrl: 'https://hub.test', isForReaders: false })
  const build = (number: number, isDamaged = false) => {
    const at = '2026-01-01T00:00:00Z'
    const about = {
      number,
      search: { name: 'search.db', number },
      began: at,
      built_at: at,
      commit: null,
      day: '2026-01-01',
    }
    const rest = { counts: { repositories: 0, versions: 0, owners: 0 }, broken: {}, used: {} }
    const database = openSiteDatabase(path, '1', isDamaged)
    database.begin(number)
    for (const file of ['a', 'b']) database.write(`/data/v1/${file}.json`, `${file}${number}`)
    database.save(JSON.stringify({ ...about, ...rest, source: { read_until: at, commits: [], broken: [] } }))
    database.close()
    return open(() => {})
  }
  const read = async ({ files }: ReturnType<typeof open>, file: string) =>
    Buffer.from((await files.read(`/data/v1/${file}.json`))!).toString()
  const first = build(1)
  const second = build(2)
  const third = build(3, true)
  expect(await read(first, 'a')).toBe('a1')
  first.end()
  expect(await read(second, 'a')).toBe('a2')
  second.end()
  expect([await read(second, 'a'), await read(second, 'b'), await read(third, 'a')]).toEqual(['a2', 'b3', 'a3'])
})

describe('kills', () => {
  /** The number of kills. To run more: `KILLS=30 npx vitest run tests/host/builder.test.ts -t kills` */
  const KILLS = Number(process.env.KILLS ?? 3)
  const random = seedRandom(Number(process.env.SEED ?? 1))
  /** The delay before files of older builds are removed, from site-folder.ts. */
  const TIDY_MS = 10_000
  const DAY = '2026-11-20'

  const root = temporaryFolder('prompt-hub-kills-')
  const contentDir = join(root, 'content')
  const folder = describeFolder(join(root, 'site'))
  const settings = {
    CONTENT_DIR: contentDir,
    SITE_URL: 'https://hub.test',
    SOURCE_DATE_EPOCH: String(Date.parse(DAY) / 1000),
  }
  let child: ChildProcess | undefined
  beforeAll(() => {
    for (let number = 0; number < 6; number++) put(`owner-${number % 2}/prompt-${number}`, number)
    mkdirSync(folder.dir)
  })
  afterAll(() => child?.kill('SIGKILL'))

  /** Writes content atomically, as git does. The test makes a clean build of each resulting content below. */
  function put(name: string, number: number): void {
    const file = join(contentDir, name, 'versions/1.0.0.md')
    mkdirSync(dirname(file), { recursive: true })
    const aside = join(root, 'aside')
    writeFileSync(
      aside,
      `---\npublished_at: "2026-11-0${1 + (number % 9)}T00:00:00Z"\npublished_by: owner-1\n---\nText ${number}\n`,
    )
    renameSync(aside, file)
  }

  /** All files of a site, and the responses from its search index. */
  interface Seen {
    files: Map<string, string>
    found: unknown
  }

  async function ask(index: string): Promise<unknown> {
    const search = openSearchIndex(index, { isEdited: true })
    const found = await Promise.all(
      ['', 'text'].map((text) => search.find({ text, tags: [], sort: 'new', offset: 0, limit: 100 })),
    )
    search.close()
    return found
  }

  async function buildClean(): Promise<Seen> {
    const [siteDir, indexPath] = [join(root, 'clean'), join(root, 'clean-search.db')]
    await writeData({ contentDir, baseUrl: 'https://hub.test', buildDay: DAY }, { siteDir, indexPath })
    const seen = { files: readTree(siteDir), found: await ask(indexPath) }
    rmSync(siteDir, { recursive: true })
    return seen
  }

  /** Returns the last complete build, which a hub would serve after a restart; without its index, if a kill left another one. */
  async function readServed(): Promise<Seen | undefined> {
    const text = readLastBuild(folder.database, hashCode(process.cwd()).data)
    if (text === undefined) return undefined
    const snapshot = openSnapshots(folder.database, { baseUrl: 'https://hub.test', isForReaders: false })(() => {})
    const { number, search } = snapshot.build
    const index = folder.file(search.name)
    const found = readIndexNumber(index) === search.number ? await ask(index) : undefined
    return { files: readDatabase(folder.database, number, snapshot.catalogue), found }
  }

  /**
   * Starts a process with nothing but the builder. @param onMessage called with each message, after the reply has been
   * sent
   */
  function start(onMessage: (message: BuilderMessage) => void): ChildProcess {
    const started = fork(join(import.meta.dirname, 'builder-alone.ts'), [folder.dir, contentDir], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    })
    started.on('message', (message: BuilderMessage) => {
      onMessage(message)
    })
    child = started
    return started
  }

  /**
   * When to kill the process: at a random time during startup, shortly after it has begun to read, shortly after a build,
   * or while files of older builds are being removed.
   */
  type Moment = { after: 'start' | 'begin' | 'built' | 'tidy'; ms: number }

  function drawMoment(number: number): Moment {
    const after = (['begin', 'built', 'start', 'begin', 'built', 'begin', 'tidy'] as const)[number % 7]!
    const most = { start: 4_000, begin: 600, built: 60, tidy: 100 }[after]
    return { after, ms: random() * most }
  }

  async function liveUntil({ after, ms }: Moment, edit: () => void): Promise<void> {
    const reached = Promise.withResolvers<void>()
    let builds = 0
    const life = start(({ kind }) => {
      if (kind === 'begin' && after === 'begin') reached.resolve()
      if (kind !== 'built' && kind !== 'read') return
      // The content changes only after the process has produced a build.
      if (builds++ === 0) edit()
      else if (after === 'built') reached.resolve()
      else if (after === 'tidy' && builds === 2) setTimeout(reached.resolve, TIDY_MS)
    })
    if (after === 'start') reached.resolve()
    await reached.promise
    await sleep(ms)
    const ended = once(life, 'exit')
    life.kill('SIGKILL')
    await ended
  }

  test(`serves a complete build after each of ${KILLS} kills, and the next build equals a clean one`, {
    timeout: 120_000 + KILLS * 60_000,
  }, async () => {
    const clean = [await buildClean()]
    let edits = 6
    for (let number = 0; number < KILLS; number++) {
      const moment = drawMoment(number)
      const before = edits
      await liveUntil(moment, () => put(`owner-${edits % 2}/prompt-${edits % 9}`, ++edits))
      const said = `kill ${number}, ${Math.round(moment.ms)} ms after ${moment.after}`
      if (edits !== before) clean.push(await buildClean())
      const served = await readServed()
      if (served) {
        const same = clean.find(({ files }) => JSON.stringify([...files]) === JSON.stringify([...served.files]))
        expect(same, said).toBeDefined()
        if (served.found) expect(served.found, said).toEqual(same!.found)
      }
      // Only every fourth kill is followed by a complete build. After the other kills, the next process starts among the
      // leftovers and is killed too.
      if (number % 4 !== 3 && number !== KILLS - 1) continue
      const read = Promise.withResolvers<void>()
      const life = start(({ kind }) => kind === 'read' && read.resolve())
      await read.promise
      const ended = once(life, 'exit')
      life.kill('SIGKILL')
      await ended
      const now = (await readServed())!
      const expected = clean.at(-1)!
      expect([...now.files.keys()].sort(), said).toEqual([...expected.files.keys()].sort())
      for (const [path, bytes] of expected.files)
        if (now.files.get(path) !== bytes) expect(now.files.get(path), `${said}: ${path}`).toBe(bytes)
      expect(now.found, said).toEqual(expected.found)
    }
    const isPart = (name: string) => /^(?:site\.db(?:-wal|-shm)?|search-\d+\.db(?:-wal|-shm)?|git)$/.test(name)
    expect(readdirSync(folder.dir).filter((name) => !isPart(name))).toEqual([])
  })
})

describe('prompts parsed in another thread', () => {
  const CONTENT = 'content'

  test('gives each prompt as a reader does, also when some are not taken', async () => {
    await lookOnce(CONTENT, process.env, async ({ listing }, { git }) => {
      const prompts = Array.from(listing.prompts, ([fullName, { files }]) => [fullName, files] as const)
      const reader = openObjects(git, listing)
      const ahead = startParsing(git, prompts)
      const taken = prompts.filter((_, at) => at % 3 !== 1)
      expect(taken.length).toBeGreaterThan(40)
      for (const [fullName, files] of taken)
        expect(ahead.take(fullName), fullName).toEqual(readRepository(reader, fullName, files))
      expect(ahead.take('acme/unknown')).toBeUndefined()
      ahead.end()
    })
  })

  test('gives nothing when the thread fails', () => {
    const git = createGit(join(temporaryFolder('prompt-hub-gone-'), 'gone'), process.env)
    const ahead = startParsing(git, [['acme/a', [{ path: 'acme/a/index.md', id: '0'.repeat(40), bytes: 1 }]]])
    expect(ahead.take('acme/a')).toBeUndefined()
    ahead.end()
  })

  /** Writes the data of the samples. @returns each file's bytes by path, without the search index */
  async function write(limitAhead?: (ahead: ParsedAhead) => ParsedAhead): Promise<Map<string, string>> {
    const dir = temporaryFolder('prompt-hub-ahead-')
    const siteDir = join(dir, 'site')
    const config = { contentDir: CONTENT, baseUrl: 'https://hub.example', buildDay: '2026-11-01' }
    const places = { siteDir, indexPath: join(dir, 'search.db') }
    await writeData(
      config,
      places,
      undefined,
      limitAhead && ((content, prompts) => limitAhead(startParsing(content.git, prompts))),
    )
    const paths = readdirSync(siteDir, { recursive: true, encoding: 'utf8' })
    const files = paths.filter((path) => statSync(join(siteDir, path)).isFile())
    return new Map(files.map((path) => [path, readFileSync(join(siteDir, path), 'latin1')]))
  }

  const differing = (one: Map<string, string>, other: Map<string, string>) =>
    [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path))

  test('a build writes the same with the thread, without it, and if it ends in the middle', async () => {
    const alone = await write()
    expect(alone.size).toBeGreaterThan(500)
    let took = 0
    const counting = ({ take, end }: ParsedAhead): ParsedAhead => ({
      end,
      take: (fullName) => {
        took++
        return take(fullName)
      },
    })
    expect(differing(await write(counting), alone)).toEqual([])
    expect(took).toBeGreaterThan(40)
    let left = 10
    const short = await write(({ take, end }) => ({ end, take: (name) => (left-- > 0 ? take(name) : undefined) }))
    expect(differing(short, alone)).toEqual([])
    expect(left).toBe(-1)
  })
})
