// Generates the data files of repositories, and updates them at a cost proportional to the change. Only an outline of each repository stays in memory: content is read, written and freed one repository at a time.

import { type Catalogue, joinCatalogue, type Orders, orderCatalogue } from '../catalogue/catalogue.ts'
import type { CatalogueEntry } from '../catalogue/entry.ts'
import { fixRepository } from '../catalogue/last-good.ts'
import type { RepositoryOutline } from '../catalogue/outline.ts'
import { listRepositoryPaths, listVersionPaths } from '../catalogue/published/data-files.ts'
import type { History } from '../catalogue/published/shared-files.ts'
import { joinOthers, nameIndex, readListed, readRepository, sortProblems } from '../content/content-dir.ts'
import { type ContentReader, pathOf } from '../content/content-files.ts'
import {
  type ContentListing,
  isFolderUnreadable,
  type ListedFile,
  listListingProblems,
} from '../content/content-listing.ts'
import { openBundles } from '../content/version-files.ts'
import { DATA_FILES } from '../domain/api/data-paths.ts'
import { parsePath } from '../domain/content/content-path.ts'
import type { Models } from '../domain/content/models.ts'
import { checkNames, checkRepository, type Neighbours, NO_NEIGHBOURS } from '../domain/content/rules.ts'
import type { Problem } from '../domain/text/problems.ts'
import { isOwner } from '../domain/values/names.ts'
import { readDigests } from '../skills/npm.ts'
import { ContentError } from './content-error.ts'
import type { DataSink, StoredFile, StoredRepository } from './data-sink.ts'
import { type Changed, makeInOrder, type ParseAhead } from './make-in-order.ts'
import { formatStatuses, makeRepository } from './make-repository.ts'
import { type KnownTroubles, listUnchanged, marksOfServed, openRecall } from './recalled-versions.ts'
import { readEntry, restoreEntry } from './recorded-entry.ts'
import { describeFailure, openHistoryFiles } from './shared-files.ts'

/** The parameters of `openSiteData`. */
interface SiteDataParts {
  /** The hub's base URL, without a trailing slash. */
  baseUrl: string
  sink: DataSink
  /** Whether only readers may read the hub. */
  isForReaders?: boolean
  /** Returns the orders of the stored repositories, from which the next ones follow. */
  ordersOf?: (stored: ReadonlyMap<string, unknown>) => Orders | undefined
  /** Called with the number of repositories checked so far. */
  onProgress?: (done: number, total: number) => void
  /** Called with each new repository, while its records are at hand. */
  onNew?: (made: Pick<CatalogueEntry, 'repository' | 'summary' | 'isListed'>) => void
  /** Returns the full name of a repository that is made before the others. @param left those that are not made yet */
  findAsked?: (left: ReadonlyMap<string, unknown>) => string | undefined
}

/** A build, and what it changed. */
export interface MadeBuild {
  /** Contains only outlines; the records of an entry are read from its data files on demand. */
  catalogue: Catalogue
  /** Full names of the repositories whose data files are new or changed. */
  changed: string[]
  /** Full names of removed repositories. */
  removed: string[]
  /** The orders of the catalogue's repositories. */
  orders: Orders
  /** Owners whose file cannot be read now. */
  unreadableOwners: ReadonlySet<string>
  /** Whether any repository, file outside repositories or history changed; the orders may differ in any case. */
  isDifferent: boolean
  /** Problems in the content, sorted by path. For each affected part, the last valid content is served, if there is any. */
  problems: Problem[]
  /** Number of files read. */
  filesRead: number
}

/** Updates a site from a listing of the content, whose files are opened if the folder can be read. Must not be called again after an error. */
export type MakeBuild = (
  listing: ContentListing,
  openContent: () => ContentReader,
  options: {
    day: string
    history: History
    isStrict?: boolean
    /** Starts to parse the new prompts in another thread, if that is worth it. */
    parseAhead?: ParseAhead | undefined
  },
) => MadeBuild

/**
 * Prepares a site's data files for updates.
 *
 * @returns a function that updates the data files from a listing of the content. It throws a ContentError if the
 * folder is unreadable or, with `isStrict`, if there is any problem
 */
export function openSiteData({ baseUrl, sink, ...parts }: SiteDataParts): MakeBuild {
  const { isForReaders = false } = parts
  const repositories = new Map<string, StoredRepository>()
  const entries = new Map<string, CatalogueEntry>()
  /** The repositories whose records name others. */
  const naming = new Set<string>()
  const remember = (fullName: string, part: StoredRepository) => {
    const { movedTo, replacedBy } = part.outline
    if (movedTo === null && replacedBy === null) naming.delete(fullName)
    else naming.add(fullName)
    repositories.set(fullName, part)
    entries.set(fullName, readEntry(part.outline, part.digests, sink.read))
  }
  /** Opened for each update. */
  let folder: ContentReader
  const others = new Map<string, StoredFile>()
  /** What the last update took from them. */
  let good: ReturnType<typeof joinOthers> | undefined
  /** What is wrong with versions, by the full names of their prompts. A new process reads their files again. */
  const troubles = new Map<string, KnownTroubles>()
  for (const [name, part] of sink.listParts()) {
    if ('outline' in part) remember(name.slice(0, -1), part)
    else others.set(name, part)
  }
  let lastOrders = parts.ordersOf?.(entries)
  const writeHistory = openHistoryFiles(sink, sink.listPathsOutside('/data/v1/repos/'))
  return (listing, openContent, { day, history, isStrict = false, parseAhead }) => {
    if (isFolderUnreadable(listing)) throw new ContentError(listing.others.problems)
    const problemsListed = listListingProblems(listing)
    const round = openRound(problemsListed)
    folder = openContent()
    const known = good
    good = readOthers(listing.others.files, round)
    const { usage, models } = good
    const unlisted = findUnlisted(problemsListed)
    const late: Reading[] = []
    /** The repositories that were made, and whether others may name them. */
    const isThere = new Map<string, boolean>()
    const gone = new Set<string>()
    const isListed = (fullName: string) => (listing.prompts.get(fullName)?.files.length ?? 0) > 0 && !gone.has(fullName)
    const changed = new Map<string, Changed>()
    let kept = 0
    for (const [fullName, part] of listing.prompts) {
      if (part.files.length === 0) continue
      const added = history.added.get(fullName) ?? '{}'
      const before = repositories.get(fullName)
      if (before) kept++
      const isSame = before && before.marks === part.marks && before.added === added
      if (isSame && known === good) continue
      const used = usage.get(fullName)
      const stats = used ? JSON.stringify(used) : 'null'
      if (isSame && before.stats === stats && isSameModels(before, models)) continue
      changed.set(fullName, { fullName, part, before, stats, added })
      isThere.set(fullName, false)
    }
    const mayDrop = kept < repositories.size
    const make = ({ fullName, part, before, stats, added }: Changed, parsed?: ReturnType<typeof readRepository>) => {
      const { files, marks } = part
      const { recall, recalled, note } = openRecall(before, troubles.get(fullName), marks, sink.read)
      const found = parsed ?? derive(fullName, () => readRepository(folder, fullName, files, recall), round)
      if (found && found.troubles.size > 0) troubles.set(fullName, note(found.troubles))
      else troubles.delete(fullName)
      if (!found) {
        // Its last valid data stays.
        isThere.set(fullName, before !== undefined)
        return
      }
      if (!found.isThere && found.wrong.size === 0) {
        round.problems.push(...found.problems)
        gone.add(fullName)
        return
      }
      for (const name of unlisted.get(fullName) ?? []) found.wrong.add(name)
      const isRight = found.problems.length + found.wrong.size === 0
      // A repository with a problem is looked at again by every build, so that the problem is reported until it is gone.
      const read = {
        ...found,
        fullName,
        marks: isRight ? marks : marksOfServed(marks, found.wrong),
        stats,
        added,
        recalled,
      }
      round.filesRead += files.length
      isThere.set(fullName, read.isThere)
      // Repositories that are valid regardless of the others are written immediately, so that their content does not stay in memory.
      if (read.isThere && read.wrong.size === 0 && checkRepository(read.entry, NO_NEIGHBOURS).length === 0) {
        round.problems.push(...read.problems)
        derive(fullName, () => write(read, models, round), round)
      } else late.push(read)
    }
    const inOrder = folder
    makeInOrder(
      changed,
      {
        inOrder,
        openContent,
        parseAhead,
        mayParseAhead: ({ fullName, before }) => !before && !troubles.has(fullName),
        onProgress: parts.onProgress,
        findAsked: parts.findAsked,
      },
      (one, reader, parsed) => {
        folder = reader
        make(one, parsed)
      },
    )
    folder = inOrder
    const neighbours: Neighbours = {
      repositories: { has: (fullName) => isThere.get(fullName) ?? (repositories.has(fullName) && isListed(fullName)) },
    }
    for (const read of late) derive(read.fullName, () => judge(read, neighbours, models, round), round)
    checkUnread(neighbours, new Set(late.map(({ fullName }) => fullName)), round)
    if (mayDrop || gone.size > 0)
      for (const [fullName, { outline }] of repositories) if (!isListed(fullName)) drop(fullName, outline, round)
    if (isStrict && round.problems.length > 0) throw new ContentError(sortProblems(round.problems))
    const unreadableOwners = listUnreadable(round.problems)
    const orders = orderCatalogue(entries, { day }, lastOrders)
    lastOrders = orders
    const catalogue = joinCatalogue({ ...good, entries }, { baseUrl, isForReaders, unreadableOwners }, orders)
    const isDifferent = writeHistory(catalogue, history) || round.isDifferent
    const problems = sortProblems(round.problems)
    return { ...round, isDifferent, catalogue, orders, unreadableOwners, problems }
  }

  /**
   * Runs a step that derives one repository's data. Whatever it throws is a problem of that repository alone: its last
   * valid data stays, if there is any, and everybody else's update goes on.
   *
   * @throws the errors of the sink, which are about all repositories
   */
  function derive<Value>(fullName: string, step: () => Value, round: Round): Value | undefined {
    try {
      return step()
    } catch (error) {
      if (error instanceof SinkError) throw error.cause
      round.problems.push(describeFailure(nameIndex(fullName), error))
      const before = repositories.get(fullName)
      if (before) keep(fullName, { ...before, marks: '' })
      return undefined
    }
  }

  /** Reads the changed files outside repositories. */
  function readOthers(alone: readonly ListedFile[], round: Round) {
    const present = new Set(alone.map(({ path }) => path))
    let isChanged = false
    const unread = alone.filter(({ path, id }) => others.get(path)?.marks !== id)
    folder.expect?.(unread.map(({ path }) => path))
    for (const path of others.keys())
      if (!present.has(path)) {
        others.delete(path)
        sink.storePart(path, undefined)
        isChanged = true
      }
    for (const { path, id: marks } of unread) {
      const { parsed, problems } = readListed(folder, path)
      round.filesRead++
      round.problems.push(...problems)
      if (!parsed || problems.length > 0) continue
      others.set(path, { marks, parsed })
      sink.storePart(path, { marks, parsed })
      isChanged = true
    }
    round.isDifferent ||= isChanged
    return good && !isChanged ? good : joinOthers([...others.values()].map(({ parsed }) => parsed))
  }

  /** Checks a repository's references to other repositories, and writes the parts that can be served. */
  function judge(read: Reading, neighbours: Neighbours, models: Models, round: Round): void {
    const { fullName, entry, problems, wrong, isThere } = read
    const file = nameIndex(fullName)
    const found = isThere ? checkRepository(entry, neighbours).map((problem) => ({ file, ...problem })) : []
    round.problems.push(...problems, ...found)
    if (wrong.size + found.length === 0) {
      write(read, models, round)
      return
    }
    const before = repositories.get(fullName)
    const last = before && restoreEntry(before.outline, sink.read)
    const mended = fixRepository({ now: entry, wrong, last }, neighbours)
    const served = new Set(mended?.versions)
    const others = entry.versions.flatMap((one) => (served.has(one) ? [] : one.version))
    const marks = marksOfServed(read.marks, new Set([...wrong, ...others]))
    if (mended) write({ ...read, entry: { ...mended, bytes: entry.bytes ?? 0 }, marks }, models, round)
    else if (before) keep(fullName, { ...before, marks: marksOfServed(before.marks, wrong) })
  }

  /** Rechecks the references of repositories that were not read, because their targets may have been removed. */
  function checkUnread(neighbours: Neighbours, isJudged: ReadonlySet<string>, round: Round): void {
    for (const fullName of naming) {
      if (isJudged.has(fullName) || !neighbours.repositories.has(fullName)) continue
      const [owner = '', name = ''] = fullName.split('/')
      const { movedTo, replacedBy } = repositories.get(fullName)!.outline
      const file = { moved_to: movedTo, replaced_by: replacedBy }
      for (const problem of checkNames({ owner, name, file }, neighbours))
        round.problems.push({ file: nameIndex(fullName), ...problem })
    }
  }

  function keep(fullName: string, part: StoredRepository): void {
    remember(fullName, part)
    sink.storePart(`${fullName}/`, part)
  }

  function write(
    { fullName, entry, marks, stats, added, recalled }: Omit<Reading, 'isThere' | 'problems' | 'wrong'>,
    models: Models,
    round: Round,
  ): void {
    const before = repositories.get(fullName)
    const gone = new Set(before ? listRepositoryPaths(before.outline) : [])
    const unchanged = before ? listUnchanged(entry, recalled, before.outline) : new Set<string>()
    for (const version of unchanged)
      for (const path of listVersionPaths(entry.owner, entry.name, version)) gone.delete(path)
    const packages = before
      ? inSink(() => readDigests(sink.read(DATA_FILES.npm(entry.owner, entry.name)), unchanged))
      : new Map()
    const made = makeRepository(entry, {
      baseUrl,
      stats,
      added,
      models,
      readFile: openBundles(folder),
      unchanged,
      packages,
      before,
    })
    // What replaces valid data is written when all of it could be made. A new repository is written at once, because it may be too large for the memory.
    const different: [path: string, content: string | Uint8Array][] = []
    const written: string[] = []
    const put = (path: string, content: string | Uint8Array) => {
      if (before) different.push([path, content])
      else {
        written.push(path)
        inSink(() => sink.write(path, content))
      }
    }
    try {
      for (const [path, text] of made.files) {
        gone.delete(path)
        if (!before || inSink(() => sink.read(path)) !== text) put(path, text)
      }
      // The name of such a file is its digest.
      for (const [path, bytesOf] of made.bundles) if (!gone.delete(path)) put(path, bytesOf())
    } catch (error) {
      inSink(() => {
        for (const path of written) sink.remove(path)
      })
      throw error
    }
    inSink(() => {
      for (const [path, content] of different) sink.write(path, content)
      for (const path of gone) sink.remove(path)
    })
    keep(fullName, { marks, ...made.part })
    if (!before) parts.onNew?.({ ...made.part.outline, repository: made.repository })
    if (different.length + written.length + gone.size === 0) return
    round.changed.push(fullName)
    round.isDifferent = true
  }

  function drop(fullName: string, outline: RepositoryOutline, round: Round): void {
    for (const path of listRepositoryPaths(outline)) sink.remove(path)
    repositories.delete(fullName)
    entries.delete(fullName)
    naming.delete(fullName)
    troubles.delete(fullName)
    sink.storePart(`${fullName}/`, undefined)
    round.removed.push(fullName)
    round.isDifferent = true
  }
}

/** Wraps an error of the sink, which a repository cannot be blamed for. */
class SinkError extends Error {}

function inSink<Value>(use: () => Value): Value {
  try {
    return use()
  } catch (cause) {
    throw new SinkError('The site cannot be written.', { cause })
  }
}

/** A repository that was read, with the identifier of its files. */
interface Reading extends ReturnType<typeof readRepository> {
  fullName: string
  marks: string
  stats: string
  added: string
  /** The versions that were taken from their records, because their files have not changed. */
  recalled: ReadonlySet<string>
}

/** Returns whether a repository's records say what is announced now about its models. */
function isSameModels({ outline, models: before }: StoredRepository, models: Models): boolean {
  return before === formatStatuses(outline, models)
}

type Round = Omit<MadeBuild, 'catalogue' | 'orders' | 'unreadableOwners'>

const openRound = (problems: readonly Problem[]): Round => ({
  changed: [],
  removed: [],
  isDifferent: false,
  filesRead: 0,
  problems: [...problems],
})

/** Finds the files of repositories that cannot be listed, such as a link in place of `index.md`. If they counted as missing, yanked versions would be served again. @returns by full name, the version numbers and `index.md` */
function findUnlisted(problems: readonly Problem[]): Map<string, string[]> {
  const unlisted = new Map<string, string[]>()
  for (const { file } of problems) {
    const place = parsePath(pathOf(file)).value
    if (
      place?.kind !== 'repository' &&
      place?.kind !== 'version' &&
      place?.kind !== 'file' &&
      place?.kind !== 'attestation'
    )
      continue
    const fullName = `${place.owner}/${place.name}`
    const name = place.kind === 'repository' ? 'index.md' : place.version
    unlisted.set(fullName, [...(unlisted.get(fullName) ?? []), name])
  }
  return unlisted
}

/** Lists the owners whose file or folder cannot be read. */
function listUnreadable(problems: readonly Problem[]): Set<string> {
  const owners = problems.flatMap(({ file }) => {
    const path = pathOf(file)
    return parsePath(path).value?.kind === 'owner' || isOwner(path) ? path.replace(/\/.*/, '') : []
  })
  return new Set(owners)
}
