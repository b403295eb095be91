// Writes search.db: builds it from a catalogue, or edits it in place.
import { renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { CatalogueEntry } from '../catalogue/entry.ts'
import { FIELDS, listColumns, listWords, readDocument } from '../catalogue/search/document.ts'
import { indexEquivalents } from '../catalogue/search/equivalents.ts'
import { SORTS } from '../domain/api/data-paths.ts'
import { skeletonOf } from '../domain/search/near-names.ts'
import { toTerm } from '../domain/search/tokens.ts'
import { MENU_SIZE } from './search.ts'

/** Incremented when the format of terms, synonyms or tables changes; an index with another number is rebuilt. */
export const INDEX_SHAPE = 6
/** Share of changed prompts above which rebuilding is faster than editing. */
const MAX_EDITED_SHARE = 0.1
const MIN_EDITED = 10

/**
 * `texts` contains the terms of every prompt but not its text; rowids follow `top`. `words` is the vocabulary, for prefix completion and corrections. `source` is the indexed text of a prompt, which FTS5 needs to delete a row. https://www.sqlite.org/fts5.html#contentless_tables
 */
const TABLES = `
  CREATE TABLE state (key TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID;
  CREATE TABLE prompts (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL, skeleton TEXT NOT NULL, summary TEXT NOT NULL, source BLOB NOT NULL);
  CREATE UNIQUE INDEX prompts_by_owner ON prompts (owner, name);
  CREATE INDEX prompts_by_name ON prompts (name);
  CREATE INDEX prompts_by_skeleton ON prompts (skeleton);
  CREATE INDEX prompts_by_title ON prompts (title);
  CREATE TABLE words (word TEXT PRIMARY KEY, term TEXT NOT NULL, uses INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX words_by_term ON words (term, uses);
  CREATE INDEX corrections ON words (length(word), word) WHERE uses > 1;
  CREATE VIRTUAL TABLE texts USING fts5(${FIELDS.join(', ')}, filters, content='', tokenize='ascii');
`

/** Size to which the journal is cut again, because that of a whole index is as large as the index. */
const MAX_JOURNAL_BYTES = 16_777_216
/** How long to wait for a reader that recovers the index after a crash. */
const MAX_WAIT_MS = 5_000

/**
 * Writes the index of a catalogue's listed repositories.
 *
 * @param path the file's path; an existing file is replaced. The index is not in WAL mode, because a WAL database cannot be opened on a read-only disk.
 * @param isEditable whether `editSearchIndex` can edit it later; a deployed index need not be editable, and is half as large (docs/scale.md section 5)
 * @param prepared what is known of some prompts already
 */
export function buildSearchIndex(
  catalogue: Catalogue,
  path: string,
  { isEditable, prepared }: { isEditable: boolean; prepared?: PreparedPrompts | undefined } = { isEditable: true },
): void {
  rmSync(path, { force: true })
  // A defensive connection would keep its journal: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html
  const database = new DatabaseSync(path, { defensive: false })
  try {
    // It needs no journal, because no process opens an incomplete file.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN')
    fill(database, catalogue, isEditable, prepared)
    database.exec('COMMIT; PRAGMA journal_mode = DELETE')
  } finally {
    database.close()
  }
}

function fill(
  database: DatabaseSync,
  catalogue: Catalogue,
  isEditable: boolean,
  prepared?: PreparedPrompts,
): PromptIds {
  database.exec(TABLES)
  database.exec(`INSERT INTO texts (texts, rank) VALUES ('hashsize', 16000000)`)
  writeState(database, { shape: INDEX_SHAPE, edits: 0, edition: 0, number: 0 })
  const names = catalogue.listed.top.map(({ full_name }) => full_name)
  const ids = changePrompts(database, catalogue, { removed: [], added: names, isEditable, prepared }, new Map())
  // Merges all segments into one, so that queries look up each term only once. https://www.sqlite.org/fts5.html#the_optimize_command
  database.exec(`INSERT INTO texts (texts) VALUES ('optimize')`)
  return ids
}

/** What an index stores of a prompt, wherever the prompt is in its lists. */
interface PreparedPrompt {
  title: string
  /** An `IndexedPrompt` as JSON, compressed. */
  source: Uint8Array
}
type PreparedPrompts = ReadonlyMap<string, PreparedPrompt>

/** Prepares prompts for an index that is written later, when the order of all is known. */
export function openPreparedPrompts(): { prompts: PreparedPrompts; add(prompt: DescribedPrompt): void } {
  const prompts = new Map<string, PreparedPrompt>()
  const term = openTerms()
  return {
    prompts,
    add(prompt) {
      const { title, ...source } = describePrompt(prompt, term)
      // A copy, because Node returns the beginning of a buffer of 16 KB.
      prompts.set(prompt.repository.full_name, { title, source: Uint8Array.from(compress(source)) })
    },
  }
}

/** Returns `toTerm`, which keeps what it was asked for. */
function openTerms(): typeof toTerm {
  const terms = new Map<string, string>()
  return (word) => terms.get(word) ?? terms.set(word, toTerm(word)).get(word)!
}

type DescribedPrompt = Pick<CatalogueEntry, 'repository' | 'summary'>

/** The texts of a prompt by column, and its words for the vocabulary. */
interface IndexedPrompt {
  texts: string[]
  words: string[]
}

function describePrompt(
  { repository, summary }: DescribedPrompt,
  term: typeof toTerm,
): IndexedPrompt & { title: string } {
  const document = readDocument(repository)
  const { tags, kind, owner, license } = summary
  const texts = listColumns(document, { tags, kind, owner, license: license ?? undefined }, term)
  return { title: document.title.join(' '), texts, words: listWords(document) }
}

const compress = (source: IndexedPrompt) => deflateRawSync(JSON.stringify(source), { level: 1 })
const expand = (source: Uint8Array): IndexedPrompt => JSON.parse(inflateRawSync(source).toString())

/** The rowids of an index by full name. Whoever edits it many times keeps them, because reading them takes longer than a small edit. */
export type PromptIds = Map<string, number>

/** An index with changes that its readers do not see yet. */
export interface EditedIndex {
  /** For the next edit; of no use after `cancel`. */
  ids: PromptIds
  /** Shows the changes to its readers, and closes it. */
  commit(): void
  /** Drops the changes, and closes it. Never throws. */
  cancel(): void
}

/**
 * Builds an index that can be edited while it is read, and puts it in place.
 *
 * @param number the number of the build, see `readIndexNumber`
 */
export function startSearchIndex(path: string, catalogue: Catalogue, number: number, prepared?: PreparedPrompts): void {
  const next = `${path}.next`
  buildSearchIndex(catalogue, next, { isEditable: true, prepared })
  const database = new DatabaseSync(next)
  try {
    writeState(database, { number })
    database.exec('PRAGMA journal_mode = WAL')
  } finally {
    database.close()
  }
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  renameSync(next, path)
}

/**
 * Edits an index of `startSearchIndex` to a newer catalogue. The result is equivalent to a new index of that catalogue.
 *
 * @param catalogue the complete newer catalogue, which determines the positions in `top`, `trending` and `new`
 * @param changed full names of every repository that is new, removed or changed
 * @param number the number of the build, see `readIndexNumber`
 * @param known what the last edit returned, if nothing has changed the index since
 * @throws Error if the index cannot be edited, for example because it is missing, damaged or of other code
 */
export function editSearchIndex(
  path: string,
  catalogue: Catalogue,
  changed: Iterable<string>,
  number: number,
  known?: PromptIds,
): EditedIndex {
  const names = [...new Set(changed)].sort()
  const database = openEditable(path)
  let ids: PromptIds
  try {
    database.exec(`PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${MAX_JOURNAL_BYTES}; BEGIN IMMEDIATE`)
    const edition = Number(readState(database, 'edition')) + 1
    ids = editPrompts(database, catalogue, names, known)
    writeState(database, { number, edition })
  } catch (error) {
    database.close()
    throw error
  }
  return {
    ids,
    commit() {
      try {
        database.exec('COMMIT')
      } finally {
        database.close()
      }
    },
    cancel: () => database.close(),
  }
}

/** Returns the number of the build that last changed an index, which shows after a crash whether the index is that of the build; undefined if it cannot be read. */
export function readIndexNumber(path: string): number | undefined {
  try {
    const database = openEditable(path)
    try {
      return Number(readState(database, 'number'))
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}

/** @throws Error if there is none, because SQLite would create an empty one */
function openEditable(path: string): DatabaseSync {
  const address = pathToFileURL(path)
  address.searchParams.set('mode', 'rw')
  return new DatabaseSync(address, { timeout: MAX_WAIT_MS })
}

const readState = (database: DatabaseSync, key: string) =>
  database.prepare('SELECT value FROM state WHERE key = ?').get(key)?.value

/** Edits the rows of the changed prompts, or all of them after many edits: rowids follow `top` in a new index, but no longer then. @throws Error for an index of another shape */
function editPrompts(
  database: DatabaseSync,
  catalogue: Catalogue,
  names: readonly string[],
  known: PromptIds | undefined,
): PromptIds {
  if (readState(database, 'shape') !== INDEX_SHAPE) throw new Error('expected an index to edit')
  const edits = Number(readState(database, 'edits')) + names.length
  if (edits > Math.max(MIN_EDITED, MAX_EDITED_SHARE * catalogue.orders.ranks.top.length)) {
    database.exec('DROP TABLE texts; DROP TABLE words; DROP TABLE prompts; DROP TABLE state')
    return fill(database, catalogue, true)
  }
  writeState(database, { edits })
  const added = names.filter((name) => catalogue.entries.get(name)?.isListed)
  return changePrompts(database, catalogue, { removed: names, added, isEditable: true }, known)
}

/** Removes and adds prompts by full name, and updates everything else from the catalogue. */
function changePrompts(
  database: DatabaseSync,
  { entries, orders, baseUrl, equivalents }: Catalogue,
  {
    removed,
    added,
    isEditable,
    prepared,
  }: {
    removed: readonly string[]
    added: readonly string[]
    isEditable: boolean
    prepared?: PreparedPrompts | undefined
  },
  ids: PromptIds = readIds(database),
): PromptIds {
  const uses = new Map<string, number>()
  const count = (words: Iterable<string>, by: 1 | -1) => {
    for (const word of words) uses.set(word, (uses.get(word) ?? 0) + by)
  }
  const columns = `rowid, ${FIELDS.join(', ')}, filters`
  const values = `?, ?${', ?'.repeat(FIELDS.length)}`
  const deleteText = database.prepare(`INSERT INTO texts (texts, ${columns}) VALUES ('delete', ${values})`)
  const deletePrompt = database.prepare('DELETE FROM prompts WHERE id = ? RETURNING source')
  for (const id of removed.flatMap((name) => ids.get(name) ?? [])) {
    const { texts, words } = expand(deletePrompt.get(id)!.source as Uint8Array)
    deleteText.run(id, ...texts)
    count(words, -1)
  }
  const isAdded = new Set(added)
  for (const name of removed) if (!isAdded.has(name)) ids.delete(name)
  const term = openTerms()
  const insertText = database.prepare(`INSERT INTO texts (${columns}) VALUES (${values})`)
  const insertPrompt = database.prepare('INSERT INTO prompts VALUES (?, ?, ?, ?, ?, ?, ?)')
  let last = 0
  for (const id of ids.values()) last = Math.max(last, id)
  for (const fullName of added) {
    const entry = entries.get(fullName)!
    const { owner, name, full_name, url, html_url, raw_url, ...rest } = entry.summary
    const known = prepared?.get(fullName)
    const { title, texts, words } = known ? { ...known, ...expand(known.source) } : describePrompt(entry, term)
    const id = ids.get(fullName) ?? ++last
    ids.set(fullName, id)
    insertText.run(id, ...texts)
    const source = isEditable ? (known?.source ?? compress({ texts, words })) : ''
    insertPrompt.run(id, owner, name, title, skeletonOf(name), JSON.stringify(rest), source)
    count(words, 1)
  }
  const changeWord = database.prepare(
    'INSERT INTO words VALUES (?, ?, ?) ON CONFLICT (word) DO UPDATE SET uses = uses + excluded.uses',
  )
  for (const word of [...uses.keys()].sort())
    if (uses.get(word) !== 0) changeWord.run(word, term(word), uses.get(word)!)
  database.exec('DELETE FROM words WHERE uses = 0')
  const menu = Array.from(orders.ranks.top.subarray(0, MENU_SIZE), (position) =>
    describeInMenu(entries.get(orders.names[position]!)!),
  )
  const idByPosition = orders.names.map((fullName) => ids.get(fullName)!)
  const orderOf = (sort: (typeof SORTS)[number]) => orders.ranks[sort].map((position) => idByPosition[position]!)
  writeState(database, {
    base_url: baseUrl,
    menu: JSON.stringify(menu),
    originals: JSON.stringify(
      [...orders.originals].map(([copy, of]) => [ids.get(copy), of.map((name) => ids.get(name))]),
    ),
    equivalents: JSON.stringify([...indexEquivalents(equivalents)]),
    ...Object.fromEntries(SORTS.map((sort) => [sort, new Uint8Array(orderOf(sort).buffer)])),
  })
  return ids
}

function readIds(database: DatabaseSync): PromptIds {
  const rows = database.prepare('SELECT owner, name, id FROM prompts').all()
  return new Map(rows.map(({ owner, name, id }) => [`${owner}/${name}`, Number(id)]))
}

/** What the menu says of prompts, because few of them change between two edits. */
const inMenu = new WeakMap<CatalogueEntry, object>()

function describeInMenu(entry: CatalogueEntry): object {
  const known = inMenu.get(entry)
  if (known) return known
  const { owner, name, title, description, updated_at, variables, forked_from } = entry.repository
  const described = { owner, name, title, description, updated_at, variables, forked_from }
  inMenu.set(entry, described)
  return described
}

function writeState(database: DatabaseSync, state: Readonly<Record<string, string | number | Uint8Array>>): void {
  const insert = database.prepare('INSERT OR REPLACE INTO state VALUES (?, ?)')
  for (const [key, value] of Object.entries(state)) insert.run(key, value)
}
