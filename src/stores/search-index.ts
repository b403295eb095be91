// Writes search.db: builds it from a catalogue, or edits a copy of it. Asking it stands in search-sqlite.ts.
import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { SORTS } from '../domain/api/routes.ts'
import type { Catalogue } from '../domain/catalogue/catalogue.ts'
import { FIELDS, type FieldWords, listColumns, readFields, voteForWords } from '../domain/search/document.ts'
import { stemEquivalents } from '../domain/search/equivalents.ts'
import { termOf } from '../domain/search/terms.ts'
import { MENU_SIZE } from '../ports/search.ts'

/** Raised when terms, equivalents or tables change their form: an index of another shape is built anew. */
export const INDEX_SHAPE = 9
/** When more than this part of all prompts changed, building anew is faster than editing. */
const MAX_EDITED_SHARE = 0.1
/** Prompts per step (about 50 ms). */
const PROMPTS_PER_STEP = 50
/** Pages merged, and words written, per step. */
const MERGED_PAGES = 500
const WORDS_PER_STEP = 5_000

/**
 * `texts` has the terms of every prompt, in the order of `top` by rowid, and no text. `words` are the words as they are written, to complete and to correct what is
 * typed. `sources`, for editing alone, is what was indexed of a prompt: FTS5 needs it to take the prompt out again.
 * https://www.sqlite.org/fts5.html#contentless_tables
 */
const TABLES = `
  CREATE TABLE state (key TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID;
  CREATE TABLE prompts (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, title TEXT, summary TEXT NOT NULL);
  CREATE UNIQUE INDEX prompts_by_owner ON prompts (owner, name);
  CREATE INDEX prompts_by_name ON prompts (name);
  CREATE INDEX prompts_by_title ON prompts (title) WHERE title IS NOT NULL;
  CREATE TABLE menu (id INTEGER PRIMARY KEY, entry TEXT NOT NULL);
  CREATE TABLE words (word TEXT PRIMARY KEY, term TEXT NOT NULL, prompts INTEGER NOT NULL, votes INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX words_by_term ON words (term, prompts);
  CREATE INDEX guesses ON words (length(word), word) WHERE votes > 1;
  CREATE TABLE sources (id INTEGER PRIMARY KEY, columns BLOB NOT NULL);
  CREATE VIRTUAL TABLE texts USING fts5(${FIELDS.join(', ')}, labels, content='', tokenize='ascii');
`

/**
 * Writes the index of a catalogue's listed repositories.
 *
 * @param path where the file will be; one that is there already is replaced. It is not in WAL mode, because such a file cannot be opened on a read-only disk.
 * @param isEditable whether `updateSearchIndex` shall be able to edit it; an index that is deployed need not, and is a third smaller
 */
export function buildSearchIndex(catalogue: Catalogue, path: string, { isEditable } = { isEditable: true }): void {
  finish(buildSearchIndexInSteps(catalogue, path, { isEditable }))
}

/** Does what `buildSearchIndex` does in steps of some 50 ms, for a thread that has other work between them. The file is whole after the last. */
function* buildSearchIndexInSteps(
  catalogue: Catalogue,
  path: string,
  { isEditable } = { isEditable: true },
): Generator<void> {
  rmSync(path, { force: true })
  const database = new DatabaseSync(path)
  try {
    // A build that is interrupted is thrown away whole, so nothing needs a journal.
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; ${TABLES}`)
    database.prepare(`INSERT INTO state VALUES ('editable', ?)`).run(isEditable ? 1 : 0)
    database.exec(`INSERT INTO texts (texts, rank) VALUES ('hashsize', 16000000)`)
    yield* changePrompts(
      database,
      catalogue,
      [],
      catalogue.listed.top.map(({ full_name }) => full_name),
      isEditable,
    )
    yield* mergeSegments(database)
    database.exec('COMMIT; PRAGMA journal_mode = DELETE')
  } finally {
    database.close()
  }
}

/** What differs between the catalogue of an index and a newer one; names are `owner/name`. */
interface CatalogueChange {
  /** Every repository that is new or has a record that differs, listed or no longer listed. */
  changed: Iterable<string>
  /** Repositories that are gone. */
  removed: Iterable<string>
}

/**
 * Brings an index up to a newer catalogue. Its answers are then those of an index that was built of that catalogue.
 *
 * @param path an index that `buildSearchIndex` or this function wrote; replaced in one step, so that whoever opens it meets the old
 * or the new state, and whoever has it open keeps the old one. Missing or made by other code, it is built anew
 * @param catalogue the newer one, whole: places in `top`, `trending` and `new` come from it
 * @param from the index to begin with, where it shall stay beside the newer one
 */
export function updateSearchIndex(path: string, catalogue: Catalogue, change: CatalogueChange, from = path): void {
  finish(updateSearchIndexInSteps(path, catalogue, change, from))
}

/** Does what `updateSearchIndex` does in steps, as `buildSearchIndexInSteps`. */
function* updateSearchIndexInSteps(
  path: string,
  catalogue: Catalogue,
  { changed, removed }: CatalogueChange,
  from = path,
): Generator<void> {
  const next = `${path}.next`
  const names = new Set([...changed, ...removed])
  rmSync(next, { force: true })
  const isFew = names.size <= Math.max(10, MAX_EDITED_SHARE * catalogue.listed.top.length)
  if (!isFew || !existsSync(from) || !editCopy(from, next, catalogue, names))
    yield* buildSearchIndexInSteps(catalogue, next)
  renameSync(next, path)
}

function finish(steps: Iterator<void>): void {
  while (!steps.next().done);
}

/** Edits a copy of an index. @returns whether it could be edited; if not, the copy may hold anything */
function editCopy(path: string, next: string, catalogue: Catalogue, names: ReadonlySet<string>): boolean {
  copyFileSync(path, next, constants.COPYFILE_FICLONE)
  const database = new DatabaseSync(next)
  try {
    // Nobody opens the copy before it is renamed, so nothing needs a journal.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN')
    const stateOf = (key: string) => database.prepare('SELECT value FROM state WHERE key = ?').get(key)?.value
    const edits = Number(stateOf('edits')) + names.size
    const isOurs = stateOf('shape') === INDEX_SHAPE && stateOf('editable') === 1
    // The numbers of prompts follow `top` when an index is built; after many edits they no longer do.
    if (!isOurs || edits > Math.max(10, MAX_EDITED_SHARE * catalogue.listed.top.length)) return false
    const listed = [...names].sort().filter((name) => catalogue.entries.get(name)?.isListed)
    finish(changePrompts(database, catalogue, names, listed, true))
    database.prepare(`UPDATE state SET value = ? WHERE key = 'edits'`).run(edits)
    database.exec('COMMIT')
    return true
  } catch {
    // Whatever is wrong with the old index, a new one can be built from the catalogue.
    return false
  } finally {
    database.close()
  }
}

/** Makes one segment of all that FTS5 wrote, some pages at a time: questions then look each word up once. https://www.sqlite.org/fts5.html#the_merge_command */
function* mergeSegments(database: DatabaseSync): Generator<void> {
  const merge = database.prepare(`INSERT INTO texts (texts, rank) VALUES ('merge', ?)`)
  const count = database.prepare('SELECT total_changes() AS changes')
  for (let pages = -MERGED_PAGES, before = -2; Number(count.get()?.changes) - before >= 2; pages = MERGED_PAGES) {
    before = Number(count.get()?.changes)
    merge.run(pages)
    yield
  }
}

/** Takes prompts out and puts prompts in, by full name, and brings everything else up to the catalogue. */
function* changePrompts(
  database: DatabaseSync,
  catalogue: Catalogue,
  removed: Iterable<string>,
  added: readonly string[],
  isEditable: boolean,
): Generator<void> {
  const { entries, listed } = catalogue
  const rows = database.prepare('SELECT owner, name, id FROM prompts').all()
  const numbers = new Map(rows.map(({ owner, name, id }) => [`${owner}/${name}`, Number(id)]))
  const words = new Map<string, { prompts: number; votes: number }>()
  const terms = new Map<string, string>()
  const stem = (word: string) => {
    const term = terms.get(word) ?? termOf(word)
    terms.set(word, term)
    return term
  }
  const columns = [...FIELDS, 'labels'].join(', ')
  const values = `?${', ?'.repeat(FIELDS.length + 1)}`
  const insertText = database.prepare(`INSERT INTO texts (rowid, ${columns}) VALUES (${values})`)
  const deleteText = database.prepare(`INSERT INTO texts (texts, rowid, ${columns}) VALUES ('delete', ${values})`)
  const countWords = (fields: FieldWords, by: 1 | -1) => {
    for (const [word, votes] of voteForWords(fields)) {
      const change = words.get(word) ?? { prompts: 0, votes: 0 }
      words.set(word, { prompts: change.prompts + by, votes: change.votes + by * votes })
    }
  }
  const source = database.prepare('SELECT columns FROM sources WHERE id = ?')
  for (const name of removed) {
    const id = numbers.get(name)
    if (id === undefined) continue
    const { fields, tags } = JSON.parse(inflateRawSync(source.get(id)!.columns as Uint8Array).toString())
    deleteText.run(id, ...listColumns(fields, tags, stem))
    countWords(fields, -1)
    for (const table of ['prompts', 'sources']) database.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id)
  }
  const insertPrompt = database.prepare('INSERT INTO prompts VALUES (?, ?, ?, ?, ?)')
  const insertSource = database.prepare('INSERT INTO sources VALUES (?, ?)')
  let last = Number(database.prepare('SELECT max(id) AS id FROM prompts').get()?.id ?? 0)
  for (const [index, fullName] of added.entries()) {
    const { repository, summary } = entries.get(fullName)!
    const { owner, name, full_name, url, html_url, raw_url, ...rest } = summary
    const fields = readFields(repository)
    const id = numbers.get(fullName) ?? ++last
    numbers.set(fullName, id)
    const title = fields.title.join(' ')
    insertText.run(id, ...listColumns(fields, summary.tags, stem))
    insertPrompt.run(id, owner, name, title === fields.name.join(' ') ? null : title, JSON.stringify(rest))
    if (isEditable) insertSource.run(id, deflateRawSync(JSON.stringify({ fields, tags: summary.tags }), { level: 1 }))
    countWords(fields, 1)
    if (index % PROMPTS_PER_STEP === 0) yield
  }
  const changeWord = database.prepare(
    `INSERT INTO words VALUES (?, ?, ?, ?)
      ON CONFLICT (word) DO UPDATE SET prompts = prompts + excluded.prompts, votes = votes + excluded.votes`,
  )
  const sorted = [...words].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [index, [word, { prompts, votes }]] of sorted.entries()) {
    if (prompts !== 0 || votes !== 0) changeWord.run(word, stem(word), prompts, votes)
    if (index % WORDS_PER_STEP === 0) yield
  }
  database.exec('DELETE FROM words WHERE prompts = 0; DELETE FROM menu')
  const insertMenu = database.prepare('INSERT INTO menu VALUES (?, ?)')
  for (const [index, { full_name }] of listed.top.slice(0, MENU_SIZE).entries()) {
    const { owner, name, title, description, updated_at, variables } = entries.get(full_name)!.repository
    insertMenu.run(index + 1, JSON.stringify({ owner, name, title, description, updated_at, variables }))
  }
  const writeState = database.prepare('INSERT OR REPLACE INTO state VALUES (?, ?)')
  for (const sort of SORTS)
    writeState.run(
      sort,
      new Uint8Array(Uint32Array.from(listed[sort], ({ full_name }) => numbers.get(full_name)!).buffer),
    )
  writeState.run('shape', INDEX_SHAPE)
  writeState.run('edits', 0)
  writeState.run('base_url', catalogue.baseUrl)
  writeState.run('equivalents', JSON.stringify(stemEquivalents(catalogue.equivalents)))
}
