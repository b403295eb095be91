// Shows that the building process may be killed at any moment: what the next start finds is a complete state, and what it then builds is what a clean build writes.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedRandom } from '../../scripts/bench/random.ts'
import { readConfig } from '../../src/config.ts'
import type { BuilderMessage } from '../../src/host/builder-process.ts'
import { describeFolder, listPaths, SiteState } from '../../src/host/site-folder.ts'
import { hashCode } from '../../src/site/build/code-hash.ts'
import { openPages, type PageRenderer } from '../../src/site/build/render-pages.ts'
import { openSiteBuilder } from '../../src/site/build/site-builder.ts'
import { openBuildCache } from '../../src/stores/build-cache.ts'
import { buildSearchIndex } from '../../src/stores/search-index.ts'
import { openSearchIndex } from '../../src/stores/search-sqlite.ts'
import { PAGES } from '../hubs/build-site.ts'

/** Many by hand: KILLS=30 npx vitest run tests/host/builder-kills.test.ts */
const KILLS = Number(process.env.KILLS ?? 3)
const random = seedRandom(Number(process.env.SEED ?? 1))
/** When layers are moved into the base: builder-process.ts. */
const FOLD_MS = 10_100
const DAY = '2026-11-20'

const root = mkdtempSync(join(tmpdir(), 'prompt-hub-kills-'))
const contentDir = join(root, 'content')
const folder = describeFolder(join(root, 'site'))
const settings = {
  CONTENT_DIR: contentDir,
  SITE_URL: 'https://hub.test',
  SOURCE_DATE_EPOCH: String(Date.parse(DAY) / 1000),
}
let pages: PageRenderer | undefined
let child: ChildProcess | undefined
beforeAll(() => {
  for (let number = 0; number < 6; number++) put(`owner-${number % 2}/prompt-${number}`, number)
  mkdirSync(folder.dir)
})
afterAll(() => {
  child?.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

/** In one step, as git writes: each content there ever is has a clean build below. */
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

/** A whole site with what its index answers. */
interface Seen {
  files: Map<string, string>
  found: unknown
}

function ask(index: string): unknown {
  const search = openSearchIndex(index)
  const found = ['', 'text'].map((text) => search.find({ text, tags: [], sort: 'new', offset: 0, limit: 100 }))
  search.close()
  return found
}

const readEach = (dir: string) =>
  listPaths(dir).map((path): [string, string] => [path, readFileSync(join(dir, path), 'latin1')])

async function buildClean(): Promise<Seen> {
  const dir = join(root, 'clean')
  const config = readConfig(settings)
  const cache = openBuildCache(join(root, 'clean.db'), { parser: '1', site: '1' })
  cache.forgetWritten()
  const given = async () => (pages ??= await openPages(PAGES))
  const builder = openSiteBuilder({
    config,
    environment: process.env,
    today: () => DAY,
    root: process.cwd(),
    openPages: given,
    cache,
  })
  await builder.read(true)
  await builder.write(dir, 'all', ({ catalogue }) => buildSearchIndex(catalogue, join(root, 'clean-search.db')))
  cache.close()
  const seen = { files: new Map(readEach(dir)), found: ask(join(root, 'clean-search.db')) }
  rmSync(dir, { recursive: true })
  return seen
}

/** The last complete state as a start would serve it, by the same reading of base and layers. */
function readServed(): Seen | undefined {
  const cache = openBuildCache(folder.cache, hashCode(process.cwd()))
  const text = cache.loadState()
  cache.close()
  if (text === undefined) return undefined
  const state = SiteState.parse(JSON.parse(text))
  const files = new Map(readEach(folder.base).filter(([path]) => !path.endsWith('.next')))
  for (const { name, gone } of state.layers) {
    for (const path of gone) files.delete(path)
    for (const [path, bytes] of readEach(folder.layer(name))) files.set(path, bytes)
  }
  return { files, found: ask(folder.file(state.search)) }
}

const isData = (path: string) => path.startsWith('/data/')
const partOf = ({ files }: Seen, isMeant: (path: string) => boolean) =>
  JSON.stringify([...files].filter(([path]) => isMeant(path)).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Whether what programs read is that of one clean build, and the pages are of the same one or of one before. @param clean in the order they were made */
function isComplete(served: Seen, clean: readonly Seen[]): boolean {
  return clean.some(
    (one, index) =>
      JSON.stringify(one.found) === JSON.stringify(served.found) &&
      partOf(one, isData) === partOf(served, isData) &&
      clean
        .slice(0, index + 1)
        .some((other) => partOf(other, (path) => !isData(path)) === partOf(served, (path) => !isData(path))),
  )
}

/** Starts the process as our host does. @param hear every message, after it was answered */
function start(hear: (message: BuilderMessage) => void): ChildProcess {
  const started = fork('src/host/builder-process.ts', [folder.dir], {
    env: { ...process.env, ...settings, ASTRO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  started.on('message', (message: BuilderMessage) => {
    if (message.kind === 'begin') started.send({ isWhole: true })
    hear(message)
  })
  child = started
  return started
}

/** A moment to die at: at any time while it starts, just after it began to read, just after a state, or while layers are folded. */
type Moment = { after: 'start' | 'begin' | 'state' | 'fold'; ms: number }

function drawMoment(number: number): Moment {
  const after = (['begin', 'state', 'start', 'begin', 'state', 'begin', 'fold'] as const)[number % 7]!
  const most = { start: 4_000, begin: 600, state: 60, fold: 100 }[after]
  return { after, ms: random() * most }
}

async function liveUntil({ after, ms }: Moment, edit: () => void): Promise<void> {
  const reached = Promise.withResolvers<void>()
  let states = 0
  const life = start(({ kind }) => {
    if (kind === 'begin' && after === 'begin') reached.resolve()
    if (kind !== 'state' && kind !== 'read') return
    // Once it shows something, the content changes under it: the next state is a layer.
    if (states++ === 0) edit()
    else if (after === 'state') reached.resolve()
    else if (after === 'fold' && states === 2) setTimeout(reached.resolve, FOLD_MS)
  })
  if (after === 'start') reached.resolve()
  await reached.promise
  await sleep(ms)
  const ended = once(life, 'exit')
  life.kill('SIGKILL')
  await ended
}

test(`after each of ${KILLS} kills, a complete state is served, and the next one is a clean build's`, {
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
    const served = readServed()
    if (served) expect(isComplete(served, clean), said).toBe(true)
    // Three times of four it is killed again on top of what is left.
    if (number % 4 !== 3 && number !== KILLS - 1) continue
    const read = Promise.withResolvers<void>()
    const life = start(({ kind }) => kind === 'read' && read.resolve())
    await read.promise
    const ended = once(life, 'exit')
    life.disconnect()
    await ended
    const now = readServed()!
    const expected = clean.at(-1)!
    expect([...now.files.keys()].sort(), said).toEqual([...expected.files.keys()].sort())
    for (const [path, bytes] of expected.files)
      if (now.files.get(path) !== bytes) expect(now.files.get(path), `${said}: ${path}`).toBe(bytes)
    expect(now.found, said).toEqual(expected.found)
  }
  expect(existsSync(folder.base) && readdirSync(folder.base).length).toBeGreaterThan(0)
})
