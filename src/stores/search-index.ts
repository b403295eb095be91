// Owns writing search.db: building it from a catalogue, and bringing it up to a newer one. What is kept of a prompt stands in domain/search.
import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Repository } from '../domain/api/schema.ts'
import type { Catalogue } from '../domain/catalogue/catalogue.ts'
import { SORTS } from '../domain/catalogue/ranking.ts'
import {
  distinctWords,
  LEAST_VOTES,
  readFields,
  voteForWords,
  weighKeys,
  weighTerms,
} from '../domain/search/document.ts'
import { encodeNumbers } from '../domain/search/postings.ts'
import { termOf } from '../domain/search/terms.ts'
import { forgivenTypos, typoKeys } from '../domain/search/typos.ts'
import { MENU_SIZE, type MenuEntry } from '../ports/search.ts'
import { editIndex } from './search-index-edits.ts'
import { INDEX_SHAPE, INDEXES, promptWriter, storedFields, TABLES } from './search-tables.ts'

/** Beyond this part of all prompts, building anew is faster than editing. */
const MOST_EDITED = 0.1

/**
 * Writes the index of a catalogue's listed repositories.
 *
 * @param path where the file will be; one that is there already is replaced. Not in WAL mode, which does not open on a read-only disk.
 * @param isEditable whether `updateSearchIndex` shall be able to edit it; an index that is deployed need not, and is a fifth smaller
 */
export function buildSearchIndex(catalogue: Catalogue, path: string, { isEditable } = { isEditable: true }): void {
  rmSync(path, { force: true })
  const database = new DatabaseSync(path)
  try {
    // A build that is interrupted is thrown away whole, so nothing needs a journal.
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${TABLES} BEGIN`)
    fillPrompts(database, catalogue, isEditable)
    database.exec(INDEXES)
    database.prepare(`INSERT INTO state VALUES ('editable', ?)`).run(isEditable ? 1 : 0)
    writeState(database, catalogue, new Map(catalogue.listed.top.map(({ full_name }, index) => [full_name, index + 1])))
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
 */
export function updateSearchIndex(path: string, catalogue: Catalogue, { changed, removed }: CatalogueChange): void {
  const next = `${path}.next`
  const names = new Set([...changed, ...removed])
  rmSync(next, { force: true })
  const isFew = names.size <= Math.max(10, MOST_EDITED * catalogue.listed.top.length)
  if (!isFew || !existsSync(path) || !editCopy(path, next, catalogue, names)) buildSearchIndex(catalogue, next)
  renameSync(next, path)
}

/** @returns whether the index could be edited; else nothing is promised about the copy */
function editCopy(path: string, next: string, catalogue: Catalogue, names: ReadonlySet<string>): boolean {
  copyFileSync(path, next, constants.COPYFILE_FICLONE)
  const database = new DatabaseSync(next)
  try {
    // The copy is nobody's until it is renamed.
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
    // Whatever is wrong with the old file, the catalogue is whole.
    return false
  } finally {
    database.close()
  }
}

/** The postings of a term as they grow: prompts come in the order of their numbers. */
interface GrowingTerm {
  id: number
  bytes: number[]
  last: number
  prompts: number
}

function fillPrompts(database: DatabaseSync, { listed, entries }: Catalogue, isEditable: boolean): void {
  const insert = promptWriter(database, isEditable)
  const terms = new Map<string, GrowingTerm>()
  const words = new Map<string, { id: number; term: string; prompts: number; votes: number }>()
  const wordOf = (word: string) => {
    let known = words.get(word)
    if (!known) {
      known = { id: words.size + 1, term: termOf(word), prompts: 0, votes: 0 }
      words.set(word, known)
    }
    return known
  }
  for (const [index, summary] of listed.top.entries()) {
    const id = index + 1
    const fields = readFields(entries.get(summary.full_name)!.repository)
    const distinct = distinctWords(fields)
    insert(id, summary, fields, (word) => wordOf(word).id)
    for (const word of distinct) wordOf(word).prompts++
    for (const [word, votes] of voteForWords(fields, distinct)) wordOf(word).votes += votes
    const strengths = weighTerms(fields, (word) => wordOf(word).term)
    for (const [term, strength] of [...strengths, ...weighKeys(fields, summary.tags)]) {
      let growing = terms.get(term)
      if (!growing) {
        growing = { id: terms.size + 1, bytes: [], last: 0, prompts: 0 }
        terms.set(term, growing)
      }
      growing.bytes.push(...encodeNumbers([(id - growing.last) * 16 + strength]))
      growing.last = id
      growing.prompts++
    }
  }
  const insertTerm = database.prepare('INSERT INTO terms VALUES (?, ?, ?, ?)')
  for (const [term, { id, bytes, prompts }] of terms) insertTerm.run(id, term, prompts, Uint8Array.from(bytes))
  const insertWord = database.prepare('INSERT INTO words VALUES (?, ?, ?, ?, ?)')
  const insertTypo = database.prepare('INSERT INTO typos VALUES (?, ?)')
  for (const [word, { id, term, prompts, votes }] of words) {
    insertWord.run(id, word, terms.get(term)!.id, prompts, votes)
    if (votes >= LEAST_VOTES) for (const key of typoKeys(word, forgivenTypos(word))) insertTypo.run(key, id)
  }
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
  write.run('equivalents', JSON.stringify(equivalents))
  database.exec('DELETE FROM menu')
  const insertMenu = database.prepare('INSERT INTO menu VALUES (?, ?)')
  for (const [index, { full_name }] of listed.top.slice(0, MENU_SIZE).entries())
    insertMenu.run(index + 1, JSON.stringify(menuEntryOf(entries.get(full_name)!.repository)))
}

function menuEntryOf({ owner, name, title, description, updated_at, variables }: Repository): MenuEntry {
  return { owner, name, title, description, updated_at, variables }
}
