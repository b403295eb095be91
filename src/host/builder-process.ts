// Owns the process that builds for our host: it watches the content, makes each new state beside the one that is served, and says when it is complete.
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { readConfig } from '../config.ts'
import type { Catalogue } from '../domain/catalogue/catalogue.ts'
import { hashCode } from '../site/build/code-hash.ts'
import { ContentError } from '../site/build/load-catalogue.ts'
import { openPages } from '../site/build/render-pages.ts'
import { openSiteBuilder, type SearchChanges, type SitePart } from '../site/build/site-builder.ts'
import { takeTurns } from '../site/build/turns.ts'
import { openBuildCache } from '../stores/build-cache.ts'
import { takeLock } from '../stores/process-lock.ts'
import { buildSearchIndexInSteps, updateSearchIndexInSteps } from '../stores/search-index.ts'
import { inBackground } from './background.ts'
import { describeFolder, foldLayer, PAGES_DIR, removeLeftovers, removeOldBase, SiteState } from './site-folder.ts'
import { watchContent, watchDays } from './watch-content.ts'

/** What the host is told. */
export type BuilderMessage =
  | {
      kind: 'state'
      state: SiteState
      /** The files of the newest layer; undefined when only its place changed. */
      written: string[] | undefined
    }
  /** It is about to read the content, and waits until the host says what is there. */
  | { kind: 'begin' }
  /** The content was read, and this is all that is wrong with it. `isWhole`: everything published until `began` was there. */
  | { kind: 'read'; began: string; isWhole: boolean; problems: string[]; ignored: string | undefined }
  | { kind: 'failed'; message: string }
  /** How far it is; `total` is 0 for a step that cannot be counted. */
  | { kind: 'progress'; step: string; done: number; total: number }

/** Progress is sent so often at most, because people cannot read it faster. */
const PROGRESS_MS = 100
/** How long requests that began with a state may still read its files after another took over. */
const RETIRE_MS = 10_000
/** How long the builder of a host that was killed may take to notice. */
const ORPHAN_MS = 60_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

const config = readConfig(process.env)
const folder = describeFolder(process.argv[2] ?? '')
process.once('disconnect', () => process.exit())
// Building gives way to the process that serves readers.
setPriority(10)
// Only one process may write: the builder of a host that was killed may still be running.
const lock = takeLock(folder.file('builder.lock'), ORPHAN_MS)
if (!lock) throw new Error('Another process builds into the same folder.')
const root = process.cwd()
const codes = hashCode(root)
const cache = openBuildCache(folder.cache, codes)
let state = readState()
removeLeftovers(folder, state)
if (!state) cache.forgetWritten()
else tidyOldBase()
const builder = openSiteBuilder({
  environment: process.env,
  config,
  today: () => readConfig(process.env).buildDay,
  ...{ root, cache, openPages: () => openPages({ root, keptDir: resolve(PAGES_DIR), code: codes.site }) },
  onProgress: sayProgress,
})

function say(message: BuilderMessage): void {
  // Sending fails when the host was killed; "disconnect" tells that.
  process.send?.(message, undefined, undefined, () => {})
}

let saidAt = 0
let saidStep = ''
function sayProgress(step: string, done: number, total: number): void {
  if (step === saidStep && performance.now() - saidAt < PROGRESS_MS) return
  saidAt = performance.now()
  saidStep = step
  say({ kind: 'progress', step, done, total })
}

function readState(): SiteState | undefined {
  const text = cache.loadState()
  return text === undefined ? undefined : SiteState.safeParse(JSON.parse(text)).data
}

let isWanted = true
let isBusy = false
let failures = 0
let retry: NodeJS.Timeout | undefined
/** Layers that may be folded, and when. */
const foldable = new Map<string, number>((state?.layers ?? []).map(({ name }) => [name, Date.now() + RETIRE_MS]))

/** Does what is to be done, one after the other. */
async function work(): Promise<void> {
  if (isBusy) return
  isBusy = true
  try {
    while (isWanted) {
      isWanted = false
      clearTimeout(retry)
      try {
        await build()
        failures = 0
      } catch (error) {
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures++, LONGEST_PAUSE_MS)
        say({
          kind: 'failed',
          message: `${sayError(error)}\nTried again in ${Math.round(pauseMs / 1000)} s, and whenever the content changes.`,
        })
        retry = setTimeout(want, pauseMs)
      }
    }
    fold()
  } finally {
    isBusy = false
  }
}

function want(): void {
  isWanted = true
  inBackground('Building the site', work)
}

function sayError(error: unknown): string {
  if (error instanceof ContentError) return error.message
  return error instanceof Error ? error.message : String(error)
}

async function build(): Promise<void> {
  const began = new Date().toISOString()
  const isWhole = await askToBegin()
  const commit = await readCommit()
  const { catalogue, problems, ignored } = await builder.read(false)
  const about = { began, commit, counts: count(catalogue) }
  // What programs read does not wait for pages, which take longer; the first state is whole.
  for (const part of state ? (['data', 'pages'] as const) : (['all'] as const)) await makePart(part, about)
  // A repository that is left out may have been published to just now, so its fresh copy is still needed.
  say({ kind: 'read', began, isWhole: isWhole && problems.length === 0, problems, ignored })
}

/** Makes a new state out of what was read, unless nothing of that part is different. */
async function makePart(part: SitePart, about: Pick<SiteState, 'began' | 'commit' | 'counts'>): Promise<void> {
  const number = (state?.number ?? 0) + 1
  const name = String(number)
  const dir = state ? folder.layer(name) : folder.base
  // Removes what a failed round left behind.
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  let search = ''
  const difference = await builder.write(dir, part, async (changes) => {
    search = await makeSearch(changes, number)
  })
  if (state && difference.count === 0 && difference.gone.length === 0) {
    rmSync(dir, { recursive: true })
    return
  }
  const layers = state ? [...state.layers, { name, gone: difference.gone }] : []
  const next = { ...about, layers, search, number, built_at: new Date().toISOString() }
  builder.keep(difference, JSON.stringify(next))
  retire(state, next)
  state = next
  say({ kind: 'state', state, written: layers.length === 0 ? undefined : difference.written })
}

/** @returns the file's name; the one that is asked meanwhile stays as it is */
async function makeSearch({ catalogue, areNone, ...changes }: SearchChanges, number: number): Promise<string> {
  if (state && areNone) return state.search
  const name = `search-${number}.db`
  const path = folder.file(name)
  await takeTurns(
    state
      ? updateSearchIndexInSteps(path, catalogue, changes, folder.file(state.search))
      : buildSearchIndexInSteps(catalogue, path),
  )
  return name
}

function count(catalogue: Catalogue): SiteState['counts'] {
  const versions = [...catalogue.entries.values()].reduce((sum, entry) => sum + entry.summary.versions_count, 0)
  return { repositories: catalogue.entries.size, versions, owners: catalogue.users.size }
}

function tidyOldBase(): void {
  inBackground('Removing what other code built', () => removeOldBase(folder))
}

function retire(before: SiteState | undefined, { layers, search }: SiteState): void {
  const newest = layers.at(-1)
  if (newest) foldable.set(newest.name, Date.now() + RETIRE_MS)
  setTimeout(() => {
    if (!before) tidyOldBase()
    if (before && before.search !== search) rmSync(folder.file(before.search), { force: true })
    inBackground('Tidying up', work)
  }, RETIRE_MS + 100)
}

/** Moves the oldest layers into the base once no request reads the state before them. */
function fold(): void {
  for (let layer = state?.layers[0]; state && layer; layer = state.layers[0]) {
    const { name } = layer
    if ((foldable.get(name) ?? 0) > Date.now()) return
    foldLayer(folder, layer)
    foldable.delete(name)
    const next: SiteState = { ...state, layers: state.layers.slice(1) }
    cache.save([], JSON.stringify(next))
    state = next
    say({ kind: 'state', state, written: undefined })
    setTimeout(() => rmSync(folder.layer(name), { recursive: true, force: true }), RETIRE_MS)
  }
}

/** The host knows of publishes that were cut off, and brings them into the content folder first. */
function askToBegin(): Promise<boolean> {
  const answer = new Promise<boolean>((resolve) =>
    process.once('message', ({ isWhole }: { isWhole: boolean }) => resolve(isWhole)),
  )
  say({ kind: 'begin' })
  return answer
}

async function readCommit(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', config.contentDir, 'rev-parse', '--verify', 'HEAD'])
    return stdout.trim()
  } catch {
    // No git, or no commit yet.
    return null
  }
}

// What changes before watching has begun is found by the round that follows then.
watchContent(config.contentDir, want)
watchDays(want)
want()
