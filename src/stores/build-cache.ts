// Owns what a build keeps for the next one, in one SQLite file: parsed content, what was written where, and what was said of the last complete state. Losing it costs only time.
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  CONTENT_TABLES,
  type ContentCache,
  changeWhole,
  type KeptContent,
  keepContent,
  openParsed,
} from './content-cache.ts'

/** Files that are written together, with the hash of everything they are made from. */
export interface WrittenGroup {
  /** Hash of everything that decides what the files hold. */
  key: string
  /** How many files. */
  count: number
  /** What else decides it, and was found out only while the files were made, by name. */
  facts?: Record<string, string>
}

/** What is kept between builds. */
export interface BuildCache {
  /** Where it lies. */
  path: string
  content: KeptContent
  /** What the last complete state consists of; empty when the code that made it was another. */
  loadGroups(): Map<string, WrittenGroup>
  /** The files of a group, from the site's root, as it was staged or recorded last. */
  readPaths(id: string): string[]
  /** Every file of the last complete state, from the site's root: those of one group after those of another. */
  listPaths(): Iterable<readonly string[]>
  /** What `save` was told of the last complete state; undefined when there is none. */
  loadState(): string | undefined
  /** Takes up a group of the next state, which is recorded with it. @param paths its files, from the site's root */
  stage(id: string, group: WrittenGroup, paths: readonly string[]): void
  /** Forgets what was staged: that state is never going to be complete. */
  unstage(): void
  /** Records a complete state, with what was staged, all of it or nothing. @param removed groups that are gone */
  save(removed: readonly string[], state: string): void
  /** Forgets what was written, before it is written anew. */
  forgetWritten(): void
  close(): void
}

const TABLES = `${CONTENT_TABLES}
  CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS groups (id TEXT PRIMARY KEY, key TEXT NOT NULL, facts TEXT, count INTEGER NOT NULL, paths TEXT NOT NULL) WITHOUT ROWID;
`

/**
 * Opens the cache at a path; a file that cannot be read is begun anew.
 *
 * @param codes hashes of the code that parses and of the code that makes the site: what other code kept is not used
 */
export function openBuildCache(path: string, codes: { parser: string; site: string }): BuildCache {
  const database = openDatabase(path)
  const note = database.prepare('SELECT value FROM notes WHERE name = ?')
  const setNote = database.prepare('INSERT OR REPLACE INTO notes VALUES (?, ?)')
  const readNote = (name: string) => note.get(name)?.value
  const insertGroup = database.prepare('INSERT OR REPLACE INTO groups VALUES (?, ?, ?, ?, ?)')
  const selectPaths = database.prepare('SELECT paths FROM groups WHERE id = ?')
  const within = (work: () => void) =>
    changeWhole(database, () => {
      if (!database.isTransaction) database.exec('BEGIN')
      work()
    })
  const forgetWritten = () =>
    within(() => {
      database.exec(`DELETE FROM groups; DELETE FROM notes WHERE name = 'state'`)
      setNote.run('site', codes.site)
    })
  if (readNote('parser') !== codes.parser)
    within(() => {
      database.exec('DELETE FROM units; DELETE FROM parsed')
      setNote.run('parser', codes.parser)
    })
  if (readNote('site') !== codes.site) forgetWritten()
  return {
    path,
    content: keepContent(database),
    loadGroups() {
      const groups = new Map<string, WrittenGroup>()
      // Rows are used without a check, because `stage` of this very code wrote them: those of other code were deleted above.
      for (const { id, key, facts, count } of database.prepare('SELECT id, key, facts, count FROM groups').iterate())
        groups.set(String(id), {
          ...{ key: String(key), count: Number(count) },
          ...(facts !== null && { facts: JSON.parse(String(facts)) }),
        })
      return groups
    },
    readPaths: (id) => JSON.parse(String(selectPaths.get(id)?.paths ?? '[]')),
    *listPaths() {
      for (const { paths } of database.prepare('SELECT paths FROM groups').iterate()) yield JSON.parse(String(paths))
    },
    loadState: () => {
      const state = readNote('state')
      return state === undefined ? undefined : String(state)
    },
    stage(id, { key, facts, count }, paths) {
      if (!database.isTransaction) database.exec('BEGIN')
      insertGroup.run(id, key, facts ? JSON.stringify(facts) : null, count, JSON.stringify(paths))
    },
    unstage() {
      if (database.isTransaction) database.exec('ROLLBACK')
    },
    save(removed, state) {
      const drop = database.prepare('DELETE FROM groups WHERE id = ?')
      within(() => {
        for (const id of removed) drop.run(id)
        setNote.run('state', state)
      })
    },
    forgetWritten,
    close: () => database.close(),
  }
}

/** Opens what a cache keeps of the content for another thread, which may read it while the first writes. */
export function readKeptContent(path: string): ContentCache['read'] {
  return openParsed(new DatabaseSync(path, { readOnly: true, timeout: WAIT_MS }))
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. https://sqlite.org/rescode.html */
const BROKEN_CODES = new Set([11, 26])
/** Raised when the tables change: those of another number are dropped. */
const LAYOUT = 4
/** Parsed files take some 3 kB each: with four to a page, all of them are written in half the time that pages of one take. Pages of a file that is there already keep their size. */
const PAGE_BYTES = 16_384
/** How long to wait for another process that has the file: it is about to end, or writes a few rows. */
const WAIT_MS = 5_000

function openDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true })
  try {
    return prepareDatabase(path)
  } catch (error) {
    const isBroken = error instanceof Error && 'errcode' in error && BROKEN_CODES.has(Number(error.errcode))
    if (!isBroken) throw error
    // A file that was cut off, or is no database, is removed: nothing in it is needed.
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
    return prepareDatabase(path)
  }
}

function prepareDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: WAIT_MS })
  try {
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}`)
    if (database.prepare('PRAGMA user_version').get()?.user_version !== LAYOUT)
      database.exec(
        `${['notes', 'files', 'units', 'parsed', 'groups'].map((name) => `DROP TABLE IF EXISTS ${name};`).join(' ')}`,
      )
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA user_version = ${LAYOUT}; ${TABLES}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
