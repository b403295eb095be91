// Owns where parsed content is kept from one reading to the next: in memory, or in the cache of a build, from which other threads read it too.
import type { DatabaseSync } from 'node:sqlite'
import type { KeptOutline } from '../domain/content/content-tree.ts'
import type { RepositoryFile } from '../domain/content/prompt-file.ts'
import type { ParsedFile } from './content-file.ts'

/** Parsed files by their paths from the content folder. */
export type ParsedFiles = Readonly<Record<string, ParsedFile>>

/** A repository, or a file that belongs to none. */
export interface KeptUnit {
  /** `owner/name/`, or the path of the file. */
  name: string
  /** What its files were when they were parsed: stamp, SHA-256 and path of each, a line each (content-listing.ts). */
  lines: string
  /** What is known of a repository with which nothing is wrong; left out when something is, or may be. */
  settled?: SettledNotes | undefined
}

/** What need not be asked of the files of a repository. */
export interface SettledNotes extends Pick<RepositoryFile, 'moved_to' | 'replaced_by'> {
  /** Changes whenever one of them does. */
  digest: string
  kept?: KeptOutline | undefined
}

/** A unit and its parsed files as the cache of a build has them: JSON texts, which any thread can make. */
export interface UnitRow {
  name: string
  lines: string
  settled: string
  /** As `formatParsed` gives them. */
  parsed: string[]
}

/** Takes up what changed. */
export interface ContentChanges {
  /** @param parsed left out when it is as it was */
  put(unit: KeptUnit, parsed?: ParsedFiles): void
  drop(name: string): void
}

/** Where parsed files are kept. What is missing there is read and parsed again. */
export interface ContentCache {
  /** Whether what is kept lies in memory, so that asking for it costs nothing. */
  isInMemory: boolean
  /** Everything but the parsed files. */
  load(): Iterable<KeptUnit>
  /** The parsed files of a unit. @throws Error when there is none of that name */
  read(name: string): ParsedFiles
  /** Changes what is kept, all of it or nothing. */
  change(work: (changes: ContentChanges) => void): void
}

/** Where parsed files are kept for the next process. */
export interface KeptContent extends ContentCache {
  isEmpty(): boolean
  /** Takes up units that were read beside each other. */
  fill(rows: readonly UnitRow[]): void
}

/** Keeps what was parsed in memory, for as long as the process lives. */
export function keepInMemory(): ContentCache {
  const files = new Map<string, ParsedFiles>()
  return {
    isInMemory: true,
    load: () => [],
    read: (name) => files.get(name)!,
    change: (work) =>
      work({
        put: ({ name }, parsed) => {
          if (parsed) files.set(name, parsed)
        },
        drop: (name) => files.delete(name),
      }),
  }
}

/** The tables of a kept content: what is parsed stands apart, for most of it is never asked for. */
export const CONTENT_TABLES = `
  CREATE TABLE IF NOT EXISTS units (name TEXT PRIMARY KEY, lines TEXT NOT NULL, settled TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS parsed (name TEXT NOT NULL, part INTEGER NOT NULL, files TEXT NOT NULL, PRIMARY KEY (name, part));
`

/** The name of the unit that a repository is. It ends in a slash, so that no file has the same. */
export const unitOf = (fullName: string) => `${fullName}/`
/** The repository that a unit is. @param unit its name */
export const fullNameOf = (unit: string) => unit.slice(0, -1)

/** V8 ends a text at 536 million characters, and a repository may have a thousand versions of a quarter of a megabyte each. */
const MOST_CHARACTERS = 16_000_000

/** Writes parsed files as JSON: one text, or several when one would be long, each when it is asked for. */
export function* formatParsed(files: ParsedFiles): Generator<string> {
  let some: string[] = []
  let length = 0
  for (const [path, file] of Object.entries(files)) {
    const text = `${JSON.stringify(path)}:${JSON.stringify(file)}`
    if (length > 0 && length + text.length > MOST_CHARACTERS) {
      yield `{${some.join(',')}}`
      some = []
      length = 0
    }
    some.push(text)
    length += text.length
  }
  yield `{${some.join(',')}}`
}

/** Reads parsed files that `keepContent` wrote. */
export function openParsed(database: DatabaseSync): ContentCache['read'] {
  const read = database.prepare('SELECT files FROM parsed WHERE name = ? ORDER BY part')
  return (name) => {
    // Used without a check, because this very code wrote it: what other code kept is deleted when the cache is opened.
    const parts = read.all(name).map(({ files }): ParsedFiles => JSON.parse(String(files)))
    if (parts.length === 0) throw new Error(`Nothing is kept of ${name}.`)
    return parts.length === 1 ? parts[0]! : Object.assign({}, ...parts)
  }
}

/** Keeps what was parsed in a database with the tables. */
export function keepContent(database: DatabaseSync): KeptContent {
  return {
    isEmpty: () => database.prepare('SELECT 1 FROM units LIMIT 1').get() === undefined,
    fill(rows) {
      const writer = prepareWriter(database)
      changeWhole(database, () => {
        database.exec('BEGIN')
        for (const { name, lines, settled, parsed } of rows) writer.write(name, lines, settled, parsed)
      })
    },
    isInMemory: false,
    *load() {
      for (const { name, lines, settled } of database.prepare('SELECT name, lines, settled FROM units').iterate())
        yield {
          ...{ name: String(name), lines: String(lines) },
          ...(settled !== null && { settled: JSON.parse(String(settled)) }),
        }
    },
    read: openParsed(database),
    change(work) {
      const writer = prepareWriter(database)
      const begin = () => {
        // Most readings change nothing, and then nothing is written.
        if (!database.isTransaction) database.exec('BEGIN')
      }
      changeWhole(database, () =>
        work({
          put({ name, lines, settled }, parsed) {
            begin()
            writer.write(name, lines, settled ? JSON.stringify(settled) : null, parsed && formatParsed(parsed))
          },
          drop(name) {
            begin()
            writer.drop(name)
          },
        }),
      )
    },
  }
}

/** Does work that begins a transaction, or none, and ends it. */
export function changeWhole(database: DatabaseSync, work: () => void): void {
  try {
    work()
    if (database.isTransaction) database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function prepareWriter(database: DatabaseSync) {
  const setUnit = database.prepare('INSERT OR REPLACE INTO units VALUES (?, ?, ?)')
  const addPart = database.prepare('INSERT INTO parsed VALUES (?, ?, ?)')
  const [dropUnit, dropParts] = ['units', 'parsed'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE name = ?`),
  )
  return {
    /** @param parts left out when they are as they were */
    write(name: string, lines: string, settled: string | null, parts: Iterable<string> | undefined) {
      setUnit.run(name, lines, settled)
      if (!parts) return
      dropParts!.run(name)
      let part = 0
      for (const files of parts) addPart.run(name, part++, files)
    },
    drop(name: string) {
      dropUnit!.run(name)
      dropParts!.run(name)
    },
  }
}
