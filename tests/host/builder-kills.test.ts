// Checks that a hub can be killed at any moment of a build: the next start finds a complete build, and the next build is
// identical to a clean one.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedRandom } from '../../scripts/content/random.ts'
import { hashCode } from '../../src/build/code-hash.ts'
import { writeData } from '../../src/build/write-data.ts'
import { readState } from '../../src/built/site-database.ts'
import type { BuilderMessage } from '../../src/hosts/node/builds/builder-messages.ts'
import { describeFolder } from '../../src/hosts/node/builds/site-folder.ts'
import { openSnapshots } from '../../src/hosts/node/builds/snapshots.ts'
import { openSearchIndex } from '../../src/search/open-index.ts'
import { readIndexNumber } from '../../src/search/write-index.ts'
import { readTree } from '../hubs/build-site.ts'
import { readDatabase } from '../hubs/host-site.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** The number of kills. To run more: `KILLS=30 npx vitest run tests/host/builder-kills.test.ts` */
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
  const text = readState(folder.database, hashCode(process.cwd()).data)
  if (text === undefined) return undefined
  const snapshot = openSnapshots(folder.database, { baseUrl: 'https://hub.test', isForReaders: false })(() => {})
  snapshot.close()
  const { number, search } = snapshot.state
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
    if (message.kind === 'begin') started.send({ kind: 'ready', isWhole: true, orderMs: Date.now(), changed: [] })
    onMessage(message)
  })
  child = started
  return started
}

/**
 * When to kill the process: at a random time during startup, shortly after it has begun to read, shortly after a build,
 * or while files of older builds are being removed.
 */
type Moment = { after: 'start' | 'begin' | 'state' | 'tidy'; ms: number }

function drawMoment(number: number): Moment {
  const after = (['begin', 'state', 'start', 'begin', 'state', 'begin', 'tidy'] as const)[number % 7]!
  const most = { start: 4_000, begin: 600, state: 60, tidy: 100 }[after]
  return { after, ms: random() * most }
}

async function liveUntil({ after, ms }: Moment, edit: () => void): Promise<void> {
  const reached = Promise.withResolvers<void>()
  let states = 0
  const life = start(({ kind }) => {
    if (kind === 'begin' && after === 'begin') reached.resolve()
    if (kind !== 'state' && kind !== 'read') return
    // The content changes only after the process has produced a build.
    if (states++ === 0) edit()
    else if (after === 'state') reached.resolve()
    else if (after === 'tidy' && states === 2) setTimeout(reached.resolve, TIDY_MS)
  })
  if (after === 'start') reached.resolve()
  await reached.promise
  await sleep(ms)
  const ended = once(life, 'exit')
  life.kill('SIGKILL')
  await ended
}

test(`serves a complete state after each of ${KILLS} kills, and the next build equals a clean one`, {
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
