// The build process: watches the content, writes each new build next to the one being served, and reports when it is complete.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { isDeepStrictEqual, promisify } from 'node:util'
import { readConfig } from '../../config.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { groupProblems } from '../../domain/content/last-good.ts'
import { type BuildSource, UNKNOWN_SOURCE } from '../../ports/fresh-copies.ts'
import { hashCode } from '../../site/build/code-hash.ts'
import { ContentError, formatContentProblem } from '../../site/build/content-error.ts'
import type { DataSink, StoredPart } from '../../site/build/data-sink.ts'
import { type BuildState, type BuiltState, openSiteData } from '../../site/build/site-data.ts'
import { describeIgnored } from '../../stores/content/content-files.ts'
import { type ContentHistory, readHistory } from '../../stores/content/content-history.ts'
import { type ContentListing, listContent, listContentAgain } from '../../stores/content/content-listing.ts'
import { findConverted } from '../../stores/content/converted-files.ts'
import { takeLock } from '../../stores/git/process-lock.ts'
import { buildSearchIndex, updateSearchIndex } from '../../stores/search/write-index.ts'
import { readBuildSource } from '../../stores/site/build-source.ts'
import { openSiteDatabase, type SiteDatabase } from '../../stores/site/site-database.ts'
import { inBackground } from '../http/background.ts'
import { type BuilderMessage, type HostMessage, pauseAfter, type ReadyContent } from './builder-messages.ts'
import { describeFolder, RETIRE_MS, RETIRE_SEARCH_MS, removeOtherIndexes, SiteState } from './site-folder.ts'
import { watchContent, watchDays } from './watch-content.ts'

/** Minimum time between progress messages, so that people can read them. */
const PROGRESS_MS = 100
/** A watcher can miss events, so the whole folder is scanned after this time without changes. Any change postpones the scan. */
const LOOK_MS = 60_000
/** How long the builder of a killed server may take to notice that the server is gone, and exit. */
const ORPHAN_MS = 60_000

const config = readConfig(process.env)
const folder = describeFolder(process.argv[2] ?? '')
/** The content folder: either the configured folder, or the clone, which only the server changes. */
const contentDir = process.argv[3] ?? config.contentDir
const isClone = config.keepsClone
process.once('disconnect', () => process.exit())
// Building runs at a lower priority than serving requests.
setPriority(10)
// Only one process may write to the folder, but the builder of a killed server may still be running.
const lock = takeLock(folder.file('builder.lock'), ORPHAN_MS)
if (!lock) throw new Error('Another process is building into the same folder.')
const code = hashCode(process.cwd()).data
let site = openSite()
let history: ContentHistory | undefined
removeOtherIndexes(folder, site.state ? [site.state.search] : [])

function say(message: BuilderMessage): void {
  // Sending fails if the server was killed; the "disconnect" event handles that case.
  process.send?.(message, undefined, undefined, () => {})
}

let saidAt = 0
let saidStep = ''
function reportProgress(step: string, done: number, total: number): void {
  if (step === saidStep && performance.now() - saidAt < PROGRESS_MS) return
  saidAt = performance.now()
  saidStep = step
  say({ kind: 'progress', step, done, total })
}

/** The database of complete builds. */
interface OpenSite {
  database: SiteDatabase
  makeState: BuildState
  state: SiteState | undefined
  /** The result of the last scan of the content; undefined if a full scan is needed. */
  listing: ContentListing | undefined
}

function openSite(): OpenSite {
  const database = openSiteDatabase(folder.database, code)
  const state = database.state === undefined ? undefined : SiteState.parse(JSON.parse(database.state))
  if (state) database.forgetBefore(state.number)
  const makeState = openSiteData({
    contentDir,
    baseUrl: config.baseUrl,
    sink: sinkOf(database),
    sharedPaths: database.listPathsOutside('/data/v1/repos/'),
    kept: listKept(database),
    onProgress: (done, total) => reportProgress('Reading the content', done, total),
  })
  return { database, makeState, state, listing: undefined }
}

function sinkOf(database: SiteDatabase): DataSink {
  const { read, write, remove } = database
  return { read, write, remove, keep: (name, part) => database.keep(name, part && JSON.stringify(part)) }
}

/** Not validated, because the same version of the code wrote it; files written by other versions were removed. */
function* listKept(database: SiteDatabase): Generator<[string, StoredPart]> {
  for (const [name, part] of database.listKept()) yield [name, JSON.parse(part)]
}

/** The files that may have changed; `all` if any file may have changed. */
let wanted: Set<string> | 'all' | undefined = 'all'
let isBusy = false
/** Whether a transaction of the site's database is open. */
let isWriting = false
let failures = 0
let retry: NodeJS.Timeout | undefined
let looking: NodeJS.Timeout | undefined

/** Builds, one round at a time, until no more changes are pending. */
async function work(): Promise<void> {
  if (isBusy) return
  isBusy = true
  try {
    while (wanted) {
      const changed = wanted
      wanted = undefined
      clearTimeout(retry)
      try {
        await build(changed).finally(() => {
          isWriting = false
        })
        failures = 0
      } catch (error) {
        // Reloads the saved state, because the in-memory data may be ahead of it.
        site.database.giveUp()
        site.database.close()
        site = openSite()
        const pauseMs = pauseAfter(failures++)
        say({
          kind: 'failed',
          message: `${error instanceof Error ? error.message : error}\nRetrying in ${Math.round(pauseMs / 1000)} s, and whenever the content changes.`,
        })
        retry = setTimeout(want, pauseMs)
      }
    }
  } finally {
    isBusy = false
  }
}

/** @param paths the changed files, relative to the content folder; undefined if any file may have changed */
function want(paths?: readonly string[]): void {
  wanted = paths && wanted !== 'all' ? new Set([...(wanted ?? []), ...paths]) : 'all'
  inBackground('Building the site', work)
}

async function build(wanted: ReadonlySet<string> | 'all'): Promise<void> {
  const { database, state } = site
  const began = new Date().toISOString()
  const ready = await askToBegin()
  const { changed: moved } = ready
  const changed = wanted === 'all' || moved === 'all' ? 'all' : new Set([...wanted, ...moved])
  const commit = await readCommit()
  const read = await readSource(ready)
  const listing = await look(changed)
  const number = (state?.number ?? 0) + 1
  removeRetired()
  database.begin(number)
  isWriting = true
  const day = readConfig(process.env).buildDay
  history = await readHistory(contentDir, process.env, `${day}T00:00:00Z`, history)
  const made = site.makeState(listing, { day, history })
  const broken = Object.fromEntries(groupProblems(made.problems))
  const source = { ...read, broken: Object.keys(broken) }
  if (state && !made.isDifferent && isDeepStrictEqual([broken, source], [state.broken, state.source]))
    database.saveKept()
  else {
    const search = makeSearch(made, number)
    const about = { number, search, began, commit, source, counts: count(made.catalogue), broken }
    site.state = { ...about, built_at: new Date().toISOString() }
    database.save(JSON.stringify(site.state))
    say({ kind: 'state', state: site.state })
    if (state) retired.push({ ...state, atMs: performance.now() })
    for (const ms of [RETIRE_SEARCH_MS, RETIRE_MS])
      setTimeout(() => inBackground('Removing old builds', async () => removeRetired()), ms + 100).unref()
    clearTimeout(looking)
    looking = setTimeout(want, LOOK_MS)
  }
  site.listing = listing
  const { problems } = made
  // A pull writes the files before it updates the branch, so the files may have been read in between.
  if ((await readCommit()) !== commit) want()
  say({ kind: 'read', began, problems: problems.map(formatContentProblem), ignored: describeIgnored(listing.ignored) })
}

/** Returns which publishes this round includes. A content folder in a git repository contains everything published so far. */
async function readSource({ isWhole, orderMs }: ReadyContent): Promise<BuildSource> {
  if (config.gitStore.kind !== 'local') return readBuildSource(contentDir, process.env)
  const read_until = new Date(orderMs).toISOString()
  return isWhole ? { read_until, commits: [], broken: [] } : (site.state?.source ?? UNKNOWN_SOURCE)
}

/** Scans the content, or only the repositories with changed files if no others can have changed. */
async function look(changed: ReadonlySet<string> | 'all'): Promise<ContentListing> {
  if (!site.listing) {
    const converted = await findConverted(contentDir, process.env)
    if (converted.length > 0) throw new ContentError(converted)
  }
  if (!site.listing || changed === 'all') return listContent(contentDir)
  const places = [...changed].map((path) => path.split('/'))
  // If the content folder itself is missing, its files must not be treated as deleted.
  if (places.some(({ length }) => length < 3) || !existsSync(contentDir)) return listContent(contentDir)
  return listContentAgain(contentDir, site.listing, [...new Set(places.map(([owner, name]) => `${owner}/${name}`))])
}

/** @returns the name of the new index file; the index in use is not modified */
function makeSearch({ catalogue, changed, removed, isDifferent }: BuiltState, number: number): string {
  const { state } = site
  if (state && !isDifferent) return state.search
  reportProgress('Writing the search index', 0, 0)
  const name = `search-${number}.db`
  if (state) updateSearchIndex(folder.file(name), catalogue, [...changed, ...removed], folder.file(state.search))
  else buildSearchIndex(catalogue, folder.file(name))
  return name
}

function count({ entries, users }: Catalogue): SiteState['counts'] {
  const versions = [...entries.values()].reduce((sum, { summary }) => sum + summary.versions_count, 0)
  return { repositories: entries.size, versions, owners: users.size }
}

/** The builds that were replaced, oldest first, with the time of the replacement by the monotonic clock. */
let retired: (Pick<SiteState, 'number' | 'search'> & { atMs: number })[] = []

/** Removes files and data used only by older builds, once no request needs them. Called between the rounds of builds, and when no build follows. */
function removeRetired(): void {
  const { database, state } = site
  if (!state || isWriting) return
  const read = (ms: number) => retired.filter(({ atMs }) => atMs > performance.now() - ms)
  const searches = read(RETIRE_SEARCH_MS).map(({ search }) => search)
  retired = read(RETIRE_MS)
  database.forgetBefore((retired[0] ?? state).number)
  removeOtherIndexes(folder, [...searches, state.search])
}

let begun = Promise.withResolvers<ReadyContent>()

/** Waits until the server has updated the content folder from git. @throws Error if the server cannot update it */
function askToBegin(): Promise<ReadyContent> {
  begun = Promise.withResolvers()
  say({ kind: 'begin' })
  return begun.promise
}

async function readCommit(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', contentDir, 'rev-parse', '--verify', 'HEAD'])
    return stdout.trim()
  } catch {
    // The folder is not in a git repository, or the repository has no commits yet.
    return null
  }
}

const content = isClone ? undefined : watchContent(contentDir, want, (reason) => say({ kind: 'polling', reason }))
process.on('message', (message: HostMessage) => {
  if (message.kind === 'ready') begun.resolve(message)
  else if (message.kind === 'unready') begun.reject(new Error(message.message))
  else if (message.kind === 'moved') want([])
  else content?.noteChange(`${message.fullName}/`)
})
watchDays(want)
want()
