// The builder, a thread of the server: watches the content, writes each new build next to the one being served, and reports when it is complete.
import { isDeepStrictEqual } from 'node:util'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type * as z from 'zod'
import { hashCode } from '../../../build/code-hash.ts'
import { ContentError, formatContentProblem } from '../../../build/content-error.ts'
import type { StoredPart } from '../../../build/data-sink.ts'
import { type MadeBuild, type MakeBuild, openSiteData } from '../../../build/site-data.ts'
import { keepCommits, readBuildSource } from '../../../built/build-source.ts'
import { openSiteDatabase, type SiteDatabase } from '../../../built/site-database.ts'
import type { Catalogue } from '../../../catalogue/catalogue.ts'
import { groupProblems } from '../../../catalogue/last-good.ts'
import { readConfig } from '../../../config.ts'
import { type ContentReader, describeIgnored, nameFile } from '../../../content/content-files.ts'
import { readHistory } from '../../../content/content-history.ts'
import { isFolderUnreadable, listIgnored, promptOf } from '../../../content/content-listing.ts'
import { openObjects, readAhead } from '../../../content/content-reader.ts'
import { describeMissing, openContentSource } from '../../../content/content-source.ts'
import { applyFirstFiles, type FirstFilesByPrompt, listProblems } from '../../../content/first-files.ts'
import { createGit, findTop, keepObjectReaders, startGitRunner } from '../../../git/git-command.ts'
import { openLocalGit } from '../../../git/git-store-local.ts'
import { describeError, logProblem, setLog } from '../../../log.ts'
import {
  type EditedIndex,
  editSearchIndex,
  openPreparedPrompts,
  type PromptIds,
  readIndexNumber,
  startSearchIndex,
} from '../../../search/write-index.ts'
import { type BuildSource, openOrderClock, UNKNOWN_SOURCE } from '../../../state/fresh-copies.ts'
import { isDamage } from '../../../state/sqlite-errors.ts'
import { inBackground } from '../http/background.ts'
import { lowerPriority } from '../thread-priority.ts'
import { type BuilderMessage, type BuilderParameters, type HostMessage, pauseAfter } from './builder-messages.ts'
import { openComparison } from './compare-versions.ts'
import { openEarlyAnswers } from './early-reads.ts'
import { parseAhead } from './parse-ahead.ts'
import { openKeeper } from './seen-content.ts'
import { describeFolder, nameNewIndex, OLD_BUILD_MS, removeOtherIndexes, SiteBuild } from './site-folder.ts'
import { formatOrders, parseOrders } from './snapshots.ts'
import { watchContent, watchDays } from './watch-content.ts'

/** How often the server hears that this thread runs. */
const ALIVE_MS = 5_000
/** Minimum time between progress messages, so that people can read them. */
const PROGRESS_MS = 100
/** A watcher can miss events, so the whole folder is scanned after this time without changes. Any change postpones the scan. */
const LOOK_MS = 60_000
/** How often to look whether the branch moved: a commit of edits that are already built changes no file. */
const COMMIT_MS = 2_000
/** When to look whether the files of a prompt are those that the hub wrote. */
const CHECK_MS = 1_000
/** When to look at all files after a start that trusted the commit, so that publishes of the first seconds need not wait for it. */
const FIRST_LOOK_MS = 5_000
/** When to look again whether files are missing that the commit has, because somebody may be about to commit their removal. */
const MISSING_MS = 1_000

const config = readConfig(process.env)
setLog(config.logging)
const parameters: BuilderParameters = workerData
const folder = describeFolder(parameters.dir)
const { contentDir } = parameters
const order = openOrderClock(Date.now, parameters.lastOrder)
const isClone = config.keepsClone
/** How long a publish may be ahead of what is read here: of the folder, for a moment; of a clone, until it is fetched. */
const SETTLE_MS = isClone ? 60_000 : 5_000
const comparison = openComparison(config, SETTLE_MS)
lowerPriority()
startGitRunner()
keepObjectReaders()
const code = hashCode(process.cwd()).data
const git = createGit(contentDir, process.env)
/** The repository to which this machine's hubs publish; undefined if they publish to another machine. */
const localGit =
  config.gitStore.kind === 'local'
    ? openLocalGit({
        contentDir,
        environment: process.env,
        warn: (message) => logProblem('warning', 'git', message),
      })
    : undefined
const keeper = openKeeper(folder.file('seen'), code)
const restored = keeper.read()
const content = openContentSource({
  contentDir,
  dir: isClone ? undefined : folder.file('git'),
  environment: process.env,
  known: restored?.seen,
})

/** What this thread keeps between its rounds. */
interface BuildData {
  /** The database of complete builds. */
  database: SiteDatabase<StoredPart>
  makeBuild: MakeBuild
  /** The last complete build. */
  last: SiteBuild | undefined
  /** Whether the search index is that of the last complete build: after a crash, either may be ahead of the other. */
  isSearchKnown: boolean
  /** What the index of a first build has of prompts that are made. The thread that parses them takes longer than this one, so this costs no time. */
  prepared: ReturnType<typeof openPreparedPrompts> | undefined
  /** The rowids of that index; undefined before its first edit. */
  ids: PromptIds | undefined
  /** The last complete build, also that of other code or of a damaged database. */
  before: LastContent | undefined
  /** What the last complete round said; undefined if there was none, so that every prompt must be compared. */
  report: Extract<BuilderMessage, { kind: 'read' }> | undefined
  /** What the last round found of versions whose files changed; undefined if every prompt must be compared. */
  first: FirstFilesByPrompt | undefined
}

/** What is known of a build that other code may have made. */
const LastContent = SiteBuild.pick({ counts: true, commit: true })
type LastContent = z.infer<typeof LastContent>

/** Opened by the next round; undefined after a failure. */
let data: BuildData | undefined
/** Whether the database is damaged, so that everything must be built again. */
let isDamaged = false
/** The number of the last build. */
let lastNumber = 0
let history = restored?.history
/** No request reads a build with a lower number any more. */
let oldestRead = 0
setInterval(() => say({ kind: 'alive' }), ALIVE_MS)

function say(message: BuilderMessage): void {
  parentPort?.postMessage(message)
}

let saidAt = 0
let saidStep = ''
function reportProgress(step: string, done: number, total: number): void {
  if (step === saidStep && performance.now() - saidAt < PROGRESS_MS) return
  saidAt = performance.now()
  saidStep = step
  say({ kind: 'progress', step, done, total })
}

/** Says that this thread runs whenever it reads a file, because one prompt may have files that take minutes. */
function tellAlive(reader: ContentReader): ContentReader {
  let toldAt = performance.now()
  return {
    ...reader,
    read(path, maxBytes) {
      if (performance.now() - toldAt > ALIVE_MS) {
        toldAt = performance.now()
        say({ kind: 'alive' })
      }
      return reader.read(path, maxBytes)
    },
  }
}

/** Opens the data as the last complete build left it. @throws Error if a file cannot be read or written; nothing stays open */
function openData(): BuildData {
  const database = openSiteDatabase<StoredPart>(folder.database, code, isDamaged)
  try {
    const last = database.build === undefined ? undefined : SiteBuild.parse(JSON.parse(database.build))
    const makeBuild = openSiteData({
      baseUrl: config.baseUrl,
      isForReaders: config.readAccess.kind === 'members',
      sink: { ...database, read: readAndHear(database) },
      ordersOf: (entries) => (database.orders === undefined ? undefined : parseOrders(database.orders, entries).orders),
      onProgress: (done, total) => reportProgress('Reading the content', done, total),
      onNew: (made) => made.isListed && data?.prepared?.add(made),
      findAsked(left) {
        hearAll()
        return early.findAsked(left)
      },
    })
    isDamaged = false
    if (lastNumber === 0) oldestRead = last?.number ?? 0
    lastNumber = Math.max(lastNumber, last?.number ?? 0)
    const before = last ?? readLast(database.replaced)
    const isSearchKnown = last !== undefined && readIndexNumber(folder.file(last.search.name)) === last.search.number
    const prepared = last ? undefined : openPreparedPrompts()
    return {
      database,
      makeBuild,
      last,
      isSearchKnown,
      prepared,
      before,
      ids: undefined,
      report: undefined,
      first: undefined,
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/** The prompts that the current round makes; undefined before the content is listed, and empty once all are made. */
let listed: ReadonlyMap<string, unknown> | undefined
const early = openEarlyAnswers(
  { read: (path) => data?.database.readBytes(path), isListed: (fullName) => listed?.has(fullName) },
  (id, bytes) => say({ kind: 'early', id, bytes }),
)
/** Whether everything is made, and the search index of it is being written. */
let isIndexing = false

/** Hears what the server says while this thread works: no event arrives then. */
function hearAll(): void {
  for (let waiting = receiveMessageOnPort(parentPort!); waiting; waiting = receiveMessageOnPort(parentPort!))
    hear(waiting.message)
}

/** Reads a file, and hears the server if that may take a while. */
function readAndHear({ read }: SiteDatabase<StoredPart>): SiteDatabase<StoredPart>['read'] {
  return (path) => {
    if (isIndexing) hearAll()
    return read(path)
  }
}

/** @param text what is stored about a build @returns undefined if it has another form */
function readLast(text: string | undefined): LastContent | undefined {
  return text === undefined ? undefined : LastContent.safeParse(JSON.parse(text)).data
}

/** What the next round is about: the files that may have changed; `all` if any may have; `look` if that is only looked at, although nothing says so; `commit` if only commits count. */
type Wanted = ReadonlySet<string> | 'all' | 'look' | 'commit'
let wanted: Wanted | undefined
let isBusy = false
/** Whether a transaction of the site's database is open. */
let isWriting = false
let failures = 0
/** The files that were missing in the last round. */
let missing: ReadonlySet<string> = new Set()
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
          isIndexing = false
          listed = undefined
        })
        failures = 0
      } catch (error) {
        handleFailure(error)
      }
    }
  } finally {
    isBusy = false
    // A history that does not reach back may become whole while nobody looks.
    keeper.keepSoon(() =>
      !isBusy && history?.since === null && content.seen ? { history, seen: content.seen } : undefined,
    )
  }
}

/** Nothing in here may fail, because nothing would start another round. The next round reads the saved state again, because the data in memory may be ahead of it. */
function handleFailure(error: unknown): void {
  // A reader may have met damage during this round.
  isDamaged ||= isDamage(error)
  data?.database.close()
  data = undefined
  const pauseMs = pauseAfter(failures++)
  say({
    kind: 'failed',
    message: describeError(error),
    next: `Retrying in ${Math.round(pauseMs / 1000)} s, and whenever the content changes.`,
  })
  retry = setTimeout(want, pauseMs)
}

/** Builds again. @param paths the changed files, relative to the content folder; undefined if any file may have changed */
function want(paths?: readonly string[]): void {
  wanted = paths && typeof wanted !== 'string' ? new Set([...(wanted ?? []), ...paths]) : 'all'
  start()
}

/** Looks whether anything has changed, although nothing says so. */
function wantLook(): void {
  checkFiles('all', () => {
    wanted ??= 'look'
    start()
  })
}

/** Builds the commit of what is built already. A hub that cannot read it says so when it next looks. */
async function checkCommit(): Promise<void> {
  const found = isBusy || !data?.report ? undefined : await content.find().catch(() => undefined)
  if (found && !isBusy && data?.last && found.commit !== data.last.commit) want([])
}

/** Checks beside the rounds whether files are as the commit that is built: a publish need not wait for it. @param build called if they are not, or if that is not known */
function checkFiles(changed: ReadonlySet<string> | 'all', build: () => void): void {
  const began = new Date().toISOString()
  const own = new Set(unchecked)
  checks.add(own)
  inBackground('Checking the files', async () => {
    const clean = await content.findIfClean(changed, own).catch(() => undefined)
    checks.delete(own)
    const isWhole = history?.since === null && data?.first && isSettled(data, data.first)
    if (clean === undefined || !isWhole) return build()
    if (isBusy) return
    if (clean !== data?.last?.commit) return want([])
    say({ ...data!.report!, began })
    clearTimeout(looking)
    looking = setTimeout(wantLook, LOOK_MS)
  })
}

/** Returns whether a round of the same content would find the same. @param first of that content */
function isSettled({ isSearchKnown, report }: BuildData, first: FirstFilesByPrompt): boolean {
  const problems = (report?.problems.length ?? 1) + listProblems(first).length
  return isSearchKnown && comparison.hasAsked && !hasUnsettled(first) && problems === 0
}

const hasUnsettled = (first: FirstFilesByPrompt): boolean => first.values().some((one) => one.isUnsettled)

function start(): void {
  inBackground('Building', run)
}

async function run(): Promise<void> {
  await work().catch((cause: unknown) => {
    logProblem('error', 'builder_failed', 'The builder cannot go on. The server starts another one.', { cause })
    process.exit(1)
  })
}

/** Builds a change that was noticed. The files that the hub wrote itself are looked at later. */
function wantChange(paths?: readonly string[]): void {
  if (paths?.every((path) => unchecked.has(promptOf(path)))) return
  say({ kind: 'changed' })
  want(paths)
}

/** The folders of the prompts that the hub wrote since the last round began. */
const written = new Set<string>()
/** The prompts that the hub wrote, and whose files were not looked at since. */
const unchecked = new Set<string>()
/** For each check that is under way, the prompts that were unchecked when it began, and those that the hub wrote since. */
const checks = new Set<Set<string>>()

/** Builds what the hub wrote from its commit, and looks at the files later, because that takes longer. */
function wantWritten(fullName: string): void {
  if (unchecked.size === 0) setTimeout(wantChecked, CHECK_MS)
  unchecked.add(fullName)
  for (const own of checks) own.add(fullName)
  want([`${fullName}/`])
}

function wantChecked(): void {
  const paths = [...unchecked].map((name) => `${name}/`)
  unchecked.clear()
  checkFiles(new Set(paths), () => want(paths))
}

async function build(wanted: Wanted): Promise<void> {
  if (isDamaged) data?.database.close()
  if (isDamaged || !data) data = openData()
  const mine = data
  const { database, last } = mine
  const began = new Date().toISOString()
  say({ kind: 'begin' })
  const isWhole = await finishPublishes()
  // Taken before the content is read, so that a later publish is after it.
  const orderMs = order.next(last?.source.read_until)
  // A round may read only what has changed, but counts everything written before it as read, which the server has told by now.
  hearAll()
  const moved = [...written]
  written.clear()
  const own = new Set(unchecked)
  const at = await content.find()
  const { commit } = at
  if (mine.before && commit === null && !at.problem) checkUncommitted(mine.before)
  const day = readConfig(process.env).buildDay
  const [look, past, read] = await Promise.all([
    content.look(whatToLookAt(wanted, moved), at, own),
    readHistory(contentDir, process.env, `${day}T00:00:00Z`, history, commit ?? 'HEAD'),
    readSource(mine, isWhole ? orderMs : undefined, commit),
  ])
  // Git would only say that it cannot be started there.
  if (isFolderUnreadable(look.listing)) throw new ContentError(look.listing.others.problems)
  if (look.listing.prompts.size + look.listing.others.files.length === 0 && mine.before && !isClone)
    await checkEmptied(mine.before, commit)
  history = past
  const first = await comparison.compare(content.git, look, history, mine.report ? mine.first : undefined)
  const tree = content.seen?.tree
  const isSame = look.changed !== 'all' && look.changed.size + look.missing.length + missing.size === 0
  const isKnown = wanted !== 'all' && isSame && moved.length === 0 && isSettled(mine, first) && commit === last?.commit
  if (isKnown && mine.report) {
    clearTimeout(looking)
    looking = setTimeout(wantLook, LOOK_MS)
    return say({ ...mine.report, began })
  }
  const others = listProblems(first)
  const listing = applyFirstFiles(look.listing, first)
  const ahead = await readAhead(content.git, listing, look.changed)
  const number = lastNumber + 1
  database.begin(number)
  isWriting = true
  listed = listing.prompts
  const made = mine.makeBuild(listing, () => tellAlive(openObjects(content.git, listing, ahead)), {
    day,
    history,
    parseAhead: (prompts) => parseAhead(content.git, prompts),
  })
  const broken = Object.fromEntries(groupProblems([...others, ...made.problems]))
  // What was made is whole for a prompt whose first files are served, so older copies of it do not count.
  const source = { ...read, broken: [...groupProblems(made.problems).keys()] }
  // A look that finds nothing new makes no new build, whose pages would have to be rendered again.
  const isLook = (wanted === 'look' || (wanted === 'commit' && commit === last?.commit)) && moved.length === 0
  const known = isLook ? { ...source, read_until: last?.source.read_until ?? null } : source
  const used = Object.fromEntries(
    Array.from(first).flatMap(([name, one]) => (one.used.length > 0 ? [[name, one.used]] : [])),
  )
  const saysSame =
    last && isDeepStrictEqual([broken, used, known, commit], [last.broken, last.used, last.source, last.commit])
  const orders = formatOrders(made.orders, made.unreadableOwners)
  const isDifferent = made.isDifferent || orders !== database.orders
  if (saysSame && !isDifferent && mine.isSearchKnown) database.saveNothing()
  else {
    isIndexing = true
    listed = new Map()
    early.answer()
    const { search, edited } = makeSearch(mine, { ...made, isDifferent }, number)
    const about = { number, search, began, commit, tree, day, source, counts: count(made.catalogue), broken, used }
    mine.last = { ...about, built_at: new Date().toISOString() }
    try {
      database.save(JSON.stringify(mine.last), orders)
    } catch (error) {
      edited?.cancel()
      throw error
    }
    edited?.commit()
    mine.ids = edited?.ids
    mine.prepared = undefined
    mine.isSearchKnown = true
    lastNumber = number
    say({ kind: 'built' })
    setTimeout(() => {
      oldestRead = number
      removeOld()
    }, OLD_BUILD_MS + 100).unref()
  }
  clearTimeout(looking)
  // What is missing now and was not before may be removed by the next commit.
  const gone = new Set(look.missing)
  const isNewlyMissing = !gone.isSubsetOf(missing)
  const soonMs = isNewlyMissing ? MISSING_MS : LOOK_MS
  looking = setTimeout(wantLook, hasUnsettled(first) || !comparison.hasAsked ? SETTLE_MS : soonMs)
  const stillMissing = look.missing.filter((path) => missing.has(path))
  missing = gone
  mine.first = first
  mine.before = mine.last
  keeper.note(look.changed)
  const problems = [...describeMissing(stillMissing), ...others, ...made.problems].map(formatContentProblem)
  // A pull writes the files before it updates the branch, so the files may have been read in between.
  if ((await content.find()).commit !== commit) want(look.isOfCommit ? [] : undefined)
  mine.report = { kind: 'read', began, problems, ignored: describeIgnored(listIgnored(listing)) }
  say(mine.report)
  // The timers do nothing while a build is being written, and builds may follow each other without a pause.
  isWriting = false
  removeOld()
}

function whatToLookAt(wanted: Wanted, moved: readonly string[]): ReadonlySet<string> | 'all' | 'commit' {
  if (wanted === 'commit') return wanted
  return typeof wanted === 'string' ? 'all' : new Set([...wanted, ...moved])
}

/** Completes what a killed hub has committed, so that the folder contains it. @returns whether the folder contains everything published on this machine so far */
async function finishPublishes(): Promise<boolean> {
  if (!localGit || findTop(contentDir) === undefined) return false
  // The server says why publishing does not work.
  return localGit.finishPublishes().then(
    () => true,
    () => false,
  )
}

/** Returns which publishes this round includes. @param orderMs its place in the order of publishes and builds, if the folder contains everything published before */
async function readSource(
  { last }: BuildData,
  orderMs: number | undefined,
  commit: string | null,
): Promise<BuildSource> {
  if (!localGit) return keepCommits(await readBuildSource(contentDir, process.env, commit ?? 'HEAD'), last?.source)
  if (orderMs === undefined) return last?.source ?? UNKNOWN_SOURCE
  return { read_until: new Date(orderMs).toISOString(), commits: [], broken: [] }
}

/** Refuses a folder without a commit where there was one: its repository may be damaged, and only its history says what versions first were. @throws ContentError */
function checkUncommitted({ commit }: LastContent): void {
  if (commit === null) return
  const message = `expected a commit, because the last build has ${commit}, but git finds none for ${contentDir}. Repair its repository. If it is no longer in git on purpose, stop the hub, remove ${folder.dir}, which has the last build, and start the hub again`
  throw new ContentError([{ file: nameFile(''), rule: 'content-folder', key: '', message }])
}

/** Accepts that the content folder is empty if a commit removed everything since the last build. Otherwise it is a mount that has disappeared, as a rule, and must not be served as a hub without prompts. @throws ContentError */
async function checkEmptied({ counts, commit }: LastContent, head: string | null): Promise<void> {
  if (counts.repositories === 0) return
  const isKnown = commit !== null && head !== null
  if (isKnown && (await git.tryRun(['diff', '--quiet', commit, head, '--', '.'])).code === 1) return
  const message = `expected files, got an empty folder: ${contentDir}. Mount or restore it. If every prompt was removed on purpose, stop the hub, remove ${folder.dir}, which has the last build, and start the hub again`
  throw new ContentError([{ file: nameFile(''), rule: 'content-folder', key: '', message }])
}

/** Brings the search index up to the build. A new file is made only if the last one cannot be edited. @returns its file, and the edits that readers do not see yet */
function makeSearch(
  { last, isSearchKnown, prepared, ids }: BuildData,
  { catalogue, changed, removed, isDifferent }: MadeBuild,
  number: number,
): { search: SiteBuild['search']; edited?: EditedIndex } {
  if (last && isSearchKnown && !isDifferent) return { search: last.search }
  reportProgress('Writing the search index', 0, 0)
  if (last && isSearchKnown) {
    const { name } = last.search
    try {
      const edited = editSearchIndex(folder.file(name), catalogue, [...changed, ...removed], number, ids)
      return { search: { name, number }, edited }
    } catch {
      // Whatever is wrong with it, the catalogue has everything for a new one.
    }
  }
  const name = nameNewIndex(folder, number)
  startSearchIndex(folder.file(name), catalogue, number, prepared?.prompts)
  return { search: { name, number } }
}

function count({ entries, handles }: Catalogue): SiteBuild['counts'] {
  const versions = [...entries.values()].reduce((sum, { summary }) => sum + summary.versions_count, 0)
  return { repositories: entries.size, versions, owners: handles.size }
}

/** Removes the files of old builds that no request reads any more, and of search indexes that were replaced. */
function removeOld(): void {
  inBackground('Removing old builds', () => {
    if (!data?.last || isWriting) return
    data.database.forgetBefore(oldestRead)
    if (oldestRead === data.last.number) removeOtherIndexes(folder, data.last.search.name)
  })
}

/** Whether all files are looked at soon in any case. */
let isLookDue = restored?.seen.isClean === true
function watchFiles(): void {
  if (isClone) return
  watchContent(
    contentDir,
    wantChange,
    (reason) => say({ kind: 'polling', reason }),
    () => {
      if (isLookDue) return
      if (wanted === undefined) wantLook()
      else want()
    },
  )
}
function hear(message: HostMessage): void {
  if (message.kind === 'moved') want([])
  else if (message.kind === 'ask') early.ask(message)
  else if (message.kind === 'damaged') {
    isDamaged = true
    want()
  } else {
    written.add(`${message.fullName}/`)
    if (!isClone) wantWritten(message.fullName)
  }
}
parentPort?.on('message', hear)
watchDays(want)
if (!isClone) setInterval(checkCommit, COMMIT_MS)
if (isLookDue) {
  wanted = 'commit'
  inBackground('Watching the files', async () => {
    // Watching thousands of folders would slow down the first build.
    await run()
    watchFiles()
    if (!isLookDue) wantLook()
  })
  setTimeout(() => {
    isLookDue = false
    checkFiles('all', want)
  }, FIRST_LOOK_MS).unref()
} else {
  watchFiles()
  want()
}
