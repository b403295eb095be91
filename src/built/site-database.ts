// Stores the builds of a site in one SQLite file: the files of repositories, and what the catalogue is made from. Each row records the first build in which a file has this content, so a reader sees a consistent build while the next one is written.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Bytes } from './site-files.ts'

/** Page size. Records take about 3 kB, and fewer of them overflow with larger pages. */
const PAGE_BYTES = 16_384
/** How long to wait for another process that is writing a few rows. */
const MAX_WAIT_MS = 5_000

const TABLES = `
  CREATE TABLE IF NOT EXISTS files (path TEXT NOT NULL, since INTEGER NOT NULL, bytes BLOB, UNIQUE (path, since));
  CREATE INDEX IF NOT EXISTS files_since ON files (since);
  CREATE TABLE IF NOT EXISTS parts (name TEXT PRIMARY KEY, part TEXT, since INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS parts_since ON parts (since);
  CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`

/** Writes builds. One process has it open. `Part` is what is stored about a part of the content. */
export type SiteDatabase<Part extends object> = ReturnType<typeof openSiteDatabase<Part>>

/**
 * Opens the database of a site for the builder.
 *
 * @param code identifies the code: data written by other code is replaced by the first `save`
 * @param isDamaged whether to replace the data in any case
 */
export function openSiteDatabase<Part extends object>(path: string, code: string, isDamaged = false) {
  mkdirSync(dirname(path), { recursive: true })
  const before = findNotes(path)
  let isNew = isDamaged || before?.code !== code || before.build === undefined
  const next = `${path}.next`
  removeDatabase(next)
  let database = openWriter(isNew ? next : path, isNew)
  let statements = prepare(database)
  let now = 0
  /** Older contents of files of this build and those before it are deleted. */
  let forgotten = Number(readNote(database, 'forgotten') ?? 0)
  let { build } = readNotes(database)
  let lastOrders: string | undefined
  if (isNew) {
    database.exec('BEGIN')
    statements.setNote.run('code', code)
    statements.setNote.run('id', randomUUID())
    database.exec('COMMIT')
  }
  return {
    /** What the database contained that the first `save` replaces: the argument of its last `save`. */
    replaced: isNew ? before?.build : undefined,
    /** The argument of the last `save`; undefined if nothing has been saved. */
    get build() {
      return build
    },
    /** Reads the newest content of a file, including the build in progress. */
    read(path: string): string | undefined {
      const text = statements.newest.get(path)?.text
      return typeof text === 'string' ? text : undefined
    },
    /** Reads the newest content of any file. */
    readBytes(path: string): Bytes | undefined {
      const bytes = statements.newestBytes.get(path)?.bytes
      return bytes instanceof Uint8Array ? (bytes as Bytes) : undefined
    },
    write(path: string, content: string | Uint8Array): void {
      statements.insert.run(path, now, content)
    },
    remove(path: string): void {
      statements.insert.run(path, now, null)
    },
    /** Returns the paths of the files outside a folder. @param dir a folder such as `/data/v1/repos/` */
    listPathsOutside: (dir: string) =>
      statements.outside.all(dir, `${dir.slice(0, -1)}0`).map(({ path }) => String(path)),
    /** Lists the parts that an earlier process stored with `storePart`. They are not validated, because the same version of the code wrote them. */
    *listParts(): Generator<[name: string, part: Part]> {
      for (const { name, part } of database.prepare('SELECT name, part FROM parts WHERE part IS NOT NULL').iterate())
        yield [String(name), JSON.parse(String(part))]
    },
    storePart(name: string, part: Part | undefined): void {
      // A part that was removed leaves its name, so that readers of an older build learn of it.
      statements.storePart.run(name, part === undefined ? null : JSON.stringify(part), now)
    },
    /** Starts the next build; all writes until `save` belong to it. @param number higher than the number of the previous build */
    begin(number: number): void {
      now = number
      database.exec('BEGIN')
    },
    /** The orders of the last build, as `save` got them; undefined if there is none. */
    get orders(): string | undefined {
      lastOrders ??= readNote(database, 'orders')
      return lastOrders
    },
    /** Completes the build; from then on, it survives a crash. @param orders the orders of its catalogue, as JSON */
    save(text: string, orders = ''): void {
      statements.setNote.run('build', text)
      statements.setNote.run('orders', orders)
      database.exec('COMMIT')
      build = text
      lastOrders = orders
      if (!isNew) return
      // The first build is written without a journal in a separate file, and put in place atomically.
      isNew = false
      database.exec('PRAGMA journal_mode = WAL')
      database.close()
      removeDatabase(path)
      renameSync(next, path)
      database = openWriter(path, false)
      statements = prepare(database)
    },
    /** Ends the build without a change, because no file differs. */
    saveNothing: () => database.exec('COMMIT'),
    /** Deletes old file contents. Call it when no process reads earlier builds any more. */
    forgetBefore(number: number): void {
      if (number <= forgotten) return
      database.exec('BEGIN')
      try {
        statements.removeOlder.run(forgotten, number)
        statements.removeGone.run(forgotten, number)
        statements.setNote.run('forgotten', String(number))
        database.exec('COMMIT')
        forgotten = number
      } finally {
        // Otherwise, the next build could not begin.
        if (database.isTransaction) database.exec('ROLLBACK')
      }
      database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    },
    /** Closes the database; a build in progress is discarded. Never throws. */
    close(): void {
      // A failed `save` may already have closed it.
      if (database.isOpen) database.close()
    },
  }
}

/** Removes a database and SQLite's files next to it. */
function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
}

function openWriter(path: string, isNew: boolean): DatabaseSync {
  // A defensive connection keeps its journal, whatever it is told: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html
  const database = new DatabaseSync(path, { timeout: MAX_WAIT_MS, defensive: !isNew })
  try {
    prepareWriter(database, isNew)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function prepareWriter(database: DatabaseSync, isNew: boolean): void {
  // If the first write is interrupted, the whole file is discarded, so it needs no journal. Later writes are checkpointed only after readers have switched to the new build.
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0`)
  database.exec(`PRAGMA journal_mode = ${isNew ? 'OFF' : 'WAL'}; BEGIN; ${TABLES} COMMIT`)
}

function prepare(database: DatabaseSync) {
  return {
    newest: database.prepare(
      'SELECT CAST(bytes AS TEXT) AS text FROM files WHERE path = ? ORDER BY since DESC LIMIT 1',
    ),
    newestBytes: database.prepare('SELECT bytes FROM files WHERE path = ? ORDER BY since DESC LIMIT 1'),
    insert: database.prepare('INSERT OR REPLACE INTO files VALUES (?, ?, CAST(? AS BLOB))'),
    outside: database.prepare(
      'SELECT path FROM files AS one WHERE (path < ? OR path >= ?) AND bytes IS NOT NULL AND since = (SELECT max(since) FROM files WHERE path = one.path)',
    ),
    storePart: database.prepare('INSERT OR REPLACE INTO parts VALUES (?, ?, ?)'),
    setNote: database.prepare('INSERT OR REPLACE INTO notes VALUES (?, ?)'),
    removeOlder: database.prepare(
      'DELETE FROM files WHERE rowid IN (SELECT old.rowid FROM files AS new JOIN files AS old ON old.path = new.path AND old.since < new.since WHERE new.since > ? AND new.since <= ?)',
    ),
    removeGone: database.prepare('DELETE FROM files WHERE bytes IS NULL AND since > ? AND since <= ?'),
  }
}

function readNotes(database: DatabaseSync): { build: string | undefined; code: string | undefined } {
  return { build: readNote(database, 'build'), code: readNote(database, 'code') }
}

function readNote(database: DatabaseSync, name: string): string | undefined {
  return database.prepare('SELECT value FROM notes WHERE name = ?').get(name)?.value?.toString()
}

/** Returns the metadata of the last complete build; undefined if there is none, or if other code wrote it. */
export function readLastBuild(path: string, code: string): string | undefined {
  const notes = findNotes(path)
  return notes?.code === code ? notes.build : undefined
}

function findNotes(path: string): ReturnType<typeof readNotes> | undefined {
  if (!existsSync(path)) return undefined
  try {
    const database = new DatabaseSync(path, { timeout: MAX_WAIT_MS })
    try {
      return readNotes(database)
    } finally {
      database.close()
    }
  } catch {
    // A truncated or invalid file is recreated, because nothing in it is needed.
    return undefined
  }
}

/** A build that a reader knows. */
interface KnownBuild {
  /** Identifies the database, which may have been made again since. */
  id: string
  number: number
}

/** What the newest build of a database is made from. */
interface ReadBuild {
  id: string
  /** The metadata of the build, as given to `save`. */
  build: string
  orders: string
  /** Whether `parts` has only what changed since the known build. */
  isUpdate: boolean
  /** The parts as JSON; null if a part was removed. */
  parts: { name: string; part: string | null }[]
}

/** Opens the database of a site for reading, while a builder writes. */
export function readSiteDatabase(path: string) {
  const database = new DatabaseSync(path, { readOnly: true, timeout: MAX_WAIT_MS })
  const select = database.prepare('SELECT bytes FROM files WHERE path = ? AND since <= ? ORDER BY since DESC LIMIT 1')
  const notesOf = database.prepare('SELECT name, value FROM notes')
  const changedParts = database.prepare('SELECT name, part FROM parts WHERE since > ?')
  return {
    /** Reads the newest build. @param known the build that the reader has */
    readBuild(known: KnownBuild | undefined): ReadBuild {
      // All of it belongs to one build, whatever is committed meanwhile.
      database.exec('BEGIN')
      try {
        const notes: Record<string, unknown> = {}
        for (const { name, value } of notesOf.all()) notes[String(name)] = value
        const [id, build, orders] = [String(notes.id), String(notes.build), String(notes.orders)]
        const isUpdate = known?.id === id
        const rows = isUpdate
          ? changedParts.all(known.number)
          : database.prepare('SELECT name, part FROM parts WHERE part IS NOT NULL').all()
        return { id, build, orders, isUpdate, parts: rows as { name: string; part: string | null }[] }
      } finally {
        database.exec('ROLLBACK')
      }
    },
    /** Reads a file of a build. @throws Error of SQLite */
    read(path: string, number: number): Bytes | undefined {
      const bytes = select.get(path, number)?.bytes
      return bytes instanceof Uint8Array ? (bytes as Bytes) : undefined
    },
    close: () => database.close(),
  }
}
