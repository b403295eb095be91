// Owns the repositories of a content folder: those with which nothing is wrong, whose files are left in the cache, and the others, whose files are at hand.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { formatPath } from '../domain/content/content-path.ts'
import type { RepositoryEntry } from '../domain/content/content-tree.ts'
import type { Usage } from '../domain/content/front-matter.ts'
import type { Problem } from '../domain/content/problems.ts'
import { checkRepository, type Neighbours } from '../domain/content/rules.ts'
import {
  type ContentCache,
  type ContentChanges,
  fullNameOf,
  type KeptUnit,
  type ParsedFiles,
  type SettledNotes,
  unitOf,
} from './content-cache.ts'
import { nameFile } from './content-files.ts'
import { areMarksOf, formatMarks, type ListedFile, parseMarks } from './content-listing.ts'
import { type Grown, growRepository, storeRepository } from './kept-repository.ts'
import {
  chooseGood,
  chooseNow,
  isSame,
  judgeFiles,
  keepGood,
  readOrNothing,
  recallFiles,
  refreshFiles,
} from './known-files.ts'
import { type AtHand, conclude, isSoundAlone, namesOthers, type Outlines, parsedOf } from './sound-repository.ts'

/** A repository with which nothing is wrong. */
interface Settled {
  kind: 'settled'
  /** Marks of its files (content-listing.ts). */
  lines: string
  notes: SettledNotes
  entry: RepositoryEntry
  /** Is given its files when the cache is about to be given others. */
  hold(parsed: ParsedFiles): void
}

/** A repository with which something is wrong, or may be. */
interface Open extends AtHand {
  kind: 'open'
  /** Made of the last good state of each. */
  good?: Grown | undefined
}

/** What is given for every reading. */
interface Reading {
  changes: ContentChanges
  /** Counts of downloads, by full name. */
  usage: ReadonlyMap<string, Usage[string]>
}

/** The repositories, by full name. */
interface ContentRepositories {
  /** Takes up what an earlier process kept of one. */
  recall(unit: KeptUnit): void
  /** Reads what changed of one. @returns how many files were read */
  refresh(fullName: string, listed: readonly ListedFile[], reading: Reading): number
  /** Forgets those that are gone. */
  keepOnly(present: { has(fullName: string): boolean }, changes: ContentChanges): void
  /** What is wrong with files, and with repositories by the rules. */
  judge(): Problem[]
  /** Leaves to the cache what can be left to it. @param wrong names of files with which something is wrong, as problems name them */
  settle(wrong: ReadonlySet<string>, reading: Reading): void
  /** As they are. */
  list(): Map<string, RepositoryEntry>
  /** Each in its last good state. */
  listGood(): Map<string, RepositoryEntry>
  /** Whether nothing can be wrong with one, whatever the others are. */
  isSound(fullName: string): boolean
}

/** Opens the repositories of a folder. */
export function openRepositories(dir: string, cache: ContentCache, outlines?: Outlines): ContentRepositories {
  const known = new Map<string, Settled | Open>()
  const settle = (fullName: string, lines: string, notes: SettledNotes, now?: RepositoryEntry): void => {
    const [owner = '', name = ''] = fullName.split('/')
    const stored =
      now && cache.isInMemory
        ? { entry: now, hold: () => {} }
        : storeRepository({ owner, name, digest: notes.digest, ...(notes.kept && { kept: notes.kept }) }, () =>
            cache.read(unitOf(fullName)),
          )
    known.set(fullName, { kind: 'settled', lines, notes, ...stored })
  }
  const settleOpen = (fullName: string, one: Open, { changes, usage }: Reading): void => {
    const { unit, parsed } = conclude(fullName, one, cache.isInMemory ? undefined : outlines, usage)
    changes.put(unit, parsed)
    const { entry } = one.now!
    // Parts of a file's text would keep all of it in memory: what stays is copied.
    settle(fullName, unit.lines, JSON.parse(JSON.stringify(unit.settled)), entry)
  }
  /** Makes an outline anew when what it was made by is different. */
  const updateOutline = (fullName: string, { entry, notes, lines }: Settled, { changes, usage }: Reading): void => {
    const stats = usage.get(fullName) ?? null
    if (!outlines || cache.isInMemory || notes.kept?.given === outlines.nameGiven(stats)) return
    const newer = { ...notes, kept: outlines.make(entry, stats) }
    changes.put({ name: unitOf(fullName), lines, settled: newer })
    settle(fullName, lines, newer)
  }
  const neighbours: Neighbours = {
    repositories: {
      has: (fullName) => neighbours.repositories.get(fullName) !== undefined,
      get: (fullName) => {
        const one = known.get(fullName)
        if (one?.kind === 'settled') return { file: one.notes }
        return one?.now && { file: one.now.entry.file }
      },
    },
  }
  return {
    recall(unit) {
      const fullName = fullNameOf(unit.name)
      const { lines, settled: notes } = unit
      if (notes) settle(fullName, lines, notes)
      else known.set(fullName, { kind: 'open', files: recallFiles(unit, cache.read(unit.name)) })
    },
    refresh(fullName, listed, reading) {
      let one = known.get(fullName)
      if (one?.kind === 'settled') {
        const touched = compareFiles(dir, one.lines, listed)
        if (touched) {
          if (touched.lines !== one.lines) {
            one.lines = touched.lines
            reading.changes.put({ name: unitOf(fullName), lines: one.lines, settled: one.notes })
          }
          updateOutline(fullName, one, reading)
          return touched.filesRead
        }
        const parsed = cache.read(unitOf(fullName))
        one.hold(parsed)
        one = { kind: 'open', files: recallFiles(one, parsed) }
      }
      const open: Open = one ?? { kind: 'open', files: new Map() }
      known.set(fullName, open)
      const filesRead = refreshFiles(dir, open.files, listed)
      open.now = growRepository(chooseNow(open.files), open.now)
      // Nothing but the others can be wrong with it, and it names none of them: so its files need not stay at hand until all are read.
      if (isSoundAlone(open)) settleOpen(fullName, open, reading)
      return filesRead
    },
    keepOnly(present, changes) {
      for (const [fullName, one] of known) {
        if (present.has(fullName)) continue
        if (one.kind === 'settled') one.hold(cache.read(unitOf(fullName)))
        known.delete(fullName)
        changes.drop(unitOf(fullName))
      }
    },
    judge() {
      const problems: Problem[] = []
      for (const [fullName, one] of known) {
        if (one.kind === 'open') problems.push(...judgeFiles(one.files))
        const entry = one.kind === 'open' ? one.now?.entry : namesOthers(one.notes) ? one.entry : undefined
        if (!entry) continue
        const file = nameFile(indexPath(fullName))
        for (const problem of checkRepository(entry, neighbours)) problems.push({ file, ...problem })
      }
      return problems
    },
    settle(wrong, reading) {
      for (const [fullName, one] of known) {
        if (one.kind === 'settled') continue
        const files = [...one.files.keys(), indexPath(fullName)]
        if (!files.some((path) => wrong.has(nameFile(path)))) settleOpen(fullName, one, reading)
        else if (keepGood(one.files, (path) => wrong.has(nameFile(path))).length > 0) {
          const good = chooseGood(one.files)
          reading.changes.put({ name: unitOf(fullName), lines: formatMarks(good) }, parsedOf(good))
        }
      }
    },
    list: () => collect(known, ({ now }) => now?.entry),
    listGood: () =>
      collect(known, (one) => {
        one.good = growRepository(chooseGood(one.files), one.good)
        return one.good?.entry
      }),
    isSound: (fullName) => {
      const one = known.get(fullName)
      return one?.kind === 'settled' && one.notes.moved_to === null
    },
  }
}

function indexPath(fullName: string): string {
  const [owner = '', name = ''] = fullName.split('/')
  return formatPath({ kind: 'repository', owner, name })
}

/** Compares what lies there with what was kept; files with other times are read. @returns undefined when any is different, else the marks as they are now */
function compareFiles(
  dir: string,
  lines: string,
  listed: readonly ListedFile[],
): { lines: string; filesRead: number } | undefined {
  if (areMarksOf(lines, listed)) return { lines, filesRead: 0 }
  const marks = parseMarks(lines)
  let filesRead = 0
  for (const { path, stamp } of listed) {
    const mark = marks.get(path)
    if (!mark) return undefined
    if (isSame(mark, stamp)) continue
    const bytes = readOrNothing(join(dir, path))
    if (!bytes || hash('sha256', bytes) !== mark.sha256) return undefined
    mark.stamp = stamp
    filesRead++
  }
  if (marks.size !== listed.length) return undefined
  return { lines: filesRead === 0 ? lines : formatMarks(marks), filesRead }
}

function collect(
  known: ReadonlyMap<string, Settled | Open>,
  choose: (one: Open) => RepositoryEntry | undefined,
): Map<string, RepositoryEntry> {
  const entries = new Map<string, RepositoryEntry>()
  for (const [fullName, one] of known) {
    const entry = one.kind === 'settled' ? one.entry : choose(one)
    if (entry) entries.set(fullName, entry)
  }
  return entries
}
