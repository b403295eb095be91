// Owns writing search.db: building it from a catalogue, and bringing it up to a newer one. What is kept of a prompt stands in domain/search.
import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { SORTS } from '../domain/api/routes.ts'
import type { Repository } from '../domain/api/schema.ts'
import type { Catalogue } from '../domain/catalogue/catalogue.ts'
import { distinctWords, LEAST_VOTES, listOrderedWords, readFields, voteForWords } from '../domain/search/document.ts'
import { stemEquivalents } from '../domain/search/equivalents.ts'
import { KEYS, type Places, weighPlaces } from '../domain/search/filing.ts'
import { joinGuesses } from '../domain/search/guesses.ts'
import { PostingWriter } from '../domain/search/postings.ts'
import { MENU_SIZE, type MenuEntry } from '../ports/search.ts'
import { editIndex } from './search-index-edits.ts'
import { INDEX_SHAPE } from './search-records.ts'
import { INDEXES, promptWriter, storedFields, TABLES } from './search-tables.ts'

/** When more than this part of all prompts changed, building anew is faster than editing. */
const MOST_EDITED = 0.1

/**
 * Writes the index of a catalogue's listed repositories.
 *
 * @param path where the file will be; one that is there already is replaced. It is not in WAL mode, because such a file cannot be opened on a read-only disk.
 * @param isEditable whether `updateSearchIndex` shall be able to edit it; an index that is deployed need not, and is a fifth smaller
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
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${TABLES} BEGIN`)
    yield* fillPrompts(database, catalogue, isEditable)
    database.exec(INDEXES)
    database.prepare(`INSERT INTO state VALUES ('editable', ?)`).run(isEditable ? 1 : 0)
    writeState(database, catalogue, new Map(catalogue.listed.top.map(({ full_name }, index) => [full_name, index + 1])))
    database.exec('COMMIT; PRAGMA journal_mode = DELETE')
  } finally {
    database.close()
  }
}

/** Of ordinary length, so many prompts take some 50 ms. */
const PROMPTS_PER_STEP = 50

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
  const isFew = names.size <= Math.max(10, MOST_EDITED * catalogue.listed.top.length)
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
    const state = new Map(
      database
        .prepare('SELECT key, value FROM state')
        .all()
        .map(({ key, value }) => [key, value]),
    )
    const { baseUrl, listed } = catalogue
    const isOurs =
      state.get('shape') === INDEX_SHAPE &&
      state.get('editable') === 1 &&
      state.get('base_url') === baseUrl &&
      (listed.top[0] === undefined || state.get('fields') === JSON.stringify(storedFields(listed.top[0])))
    if (!isOurs) return false
    const numbers = editIndex(database, catalogue, names)
    writeState(database, catalogue, numbers)
    database.exec('COMMIT')
    return true
  } catch {
    // Whatever is wrong with the old index, a new one can be built from the catalogue.
    return false
  } finally {
    database.close()
  }
}

/** What is filed under a key, as it grows: prompts come in the order of their numbers. */
interface GrowingTerm {
  number: number
  postings: PostingWriter
}

/** A word, and in how many prompts it stands. */
interface GrowingWord {
  term: GrowingTerm
  prompts: number
  votes: number
}

function* fillPrompts(database: DatabaseSync, { listed, entries }: Catalogue, isEditable: boolean): Generator<void> {
  const insert = promptWriter(database, isEditable)
  const terms = new Map<number, GrowingTerm>()
  const words = new Map<string, GrowingWord>()
  const growing = (key: number) =>
    getOrMake(terms, key, () => ({ number: terms.size + 1, postings: new PostingWriter() }))
  const wordOf = (word: string) =>
    getOrMake(words, word, () => ({ term: growing(KEYS.ofWord(word)), prompts: 0, votes: 0 }))
  const prefixes = new Map<string, GrowingTerm>()
  // The words of one prompt: few, so they are found faster than among all.
  const own = new Map<string, GrowingWord>()
  const places: Places<GrowingTerm> = {
    ofWord: (word) => own.get(word)!.term,
    ofPrefix: (prefix) => getOrMake(prefixes, prefix, () => growing(KEYS.ofPrefix(prefix))),
    ofInitials: (letters) => growing(KEYS.ofInitials(letters)),
    ofTag: (tag) => growing(KEYS.ofTag(tag)),
    ofTitle: (title) => growing(KEYS.ofTitle(title)),
  }
  for (const [index, summary] of listed.top.entries()) {
    const id = index + 1
    const fields = readFields(entries.get(summary.full_name)!.repository)
    const distinct = distinctWords(fields)
    own.clear()
    for (const word of distinct) {
      const known = wordOf(word)
      known.prompts++
      own.set(word, known)
    }
    for (const [word, votes] of voteForWords(fields, distinct)) own.get(word)!.votes += votes
    for (const [{ postings }, strength] of weighPlaces(fields, summary.tags, places)) postings.add(id, strength)
    const texts = listOrderedWords(fields).map((list) => list.map((word) => own.get(word)!.term.number))
    insert(id, summary, { fields, distinct, texts })
    if (id % PROMPTS_PER_STEP === 0) yield
  }
  // Rows are written in the order in which their tables keep them, which is faster and leaves no gaps in the file.
  const insertTerm = database.prepare('INSERT INTO terms VALUES (?, ?, ?, ?)')
  for (const [key, { number, postings }] of [...terms].sort(([a], [b]) => a - b))
    insertTerm.run(key, number, postings.count, postings.bytes)
  database.prepare(`INSERT INTO state VALUES ('last_number', ?)`).run(terms.size)
  const insertWord = database.prepare('INSERT INTO words VALUES (?, ?, ?)')
  for (const [word, { prompts, votes }] of [...words].sort(([a], [b]) => (a < b ? -1 : 1)))
    insertWord.run(word, prompts, votes)
  const guesses = [...words].filter(([, { votes }]) => votes >= LEAST_VOTES).map(([word]) => word)
  const insertGuesses = database.prepare('INSERT INTO guesses VALUES (?, ?)')
  for (const [length, joined] of joinGuesses(guesses)) insertGuesses.run(length, joined)
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

/** Writes what changes with every catalogue: places, menu, and what the index was made by. @param numbers of the listed prompts, by full name */
function writeState(database: DatabaseSync, catalogue: Catalogue, numbers: ReadonlyMap<string, number>): void {
  const { listed, entries, baseUrl, equivalents } = catalogue
  const write = database.prepare('INSERT OR REPLACE INTO state VALUES (?, ?)')
  const highest = Math.max(0, ...numbers.values())
  for (const sort of SORTS) {
    const places = new Uint32Array(highest + 1)
    for (const [index, { full_name }] of listed[sort].entries()) places[numbers.get(full_name)!] = index + 1
    write.run(sort, new Uint8Array(places.buffer))
  }
  write.run('shape', INDEX_SHAPE)
  write.run('base_url', baseUrl)
  write.run('fields', JSON.stringify(listed.top[0] === undefined ? [] : storedFields(listed.top[0])))
  write.run('equivalents', JSON.stringify(stemEquivalents(equivalents)))
  database.exec('DELETE FROM menu')
  const insertMenu = database.prepare('INSERT INTO menu VALUES (?, ?)')
  for (const [index, { full_name }] of listed.top.slice(0, MENU_SIZE).entries())
    insertMenu.run(index + 1, JSON.stringify(menuEntryOf(entries.get(full_name)!.repository)))
}

function menuEntryOf({ owner, name, title, description, updated_at, variables }: Repository): MenuEntry {
  return { owner, name, title, description, updated_at, variables }
}
