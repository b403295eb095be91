// Owns editing search.db in place: taking out what it held of changed prompts, and putting in what they hold now.
import type { DatabaseSync } from 'node:sqlite'
import type { Catalogue } from '../domain/catalogue/catalogue.ts'
import { distinctWords, LEAST_VOTES, listOrderedWords, readFields, voteForWords } from '../domain/search/document.ts'
import { listKeys, rememberKeys, weighPlaces } from '../domain/search/filing.ts'
import { joinGuesses, partGuesses } from '../domain/search/guesses.ts'
import { editPostings } from '../domain/search/postings.ts'
import { decodeSource, promptWriter } from './search-tables.ts'

/** How the counts of a word change. */
interface WordChange {
  prompts: number
  votes: number
}

/**
 * Edits the prompts of the given names.
 *
 * @param names of repositories that changed or are gone
 * @returns the number of every listed prompt, by full name
 */
export function editIndex(
  database: DatabaseSync,
  { entries }: Catalogue,
  names: ReadonlySet<string>,
): Map<string, number> {
  const numbers = new Map(
    database
      .prepare('SELECT owner, name, id FROM prompts')
      .all()
      .map(({ owner, name, id }) => [`${owner}/${name}`, Number(id)]),
  )
  const removed = new Set<number>()
  const added = new Map<number, Map<number, number>>()
  const emptied = new Set<number>()
  const words = new Map<string, WordChange>()
  const changeWords = (fields: Parameters<typeof voteForWords>[0], distinct: ReadonlySet<string>, by: number) => {
    const changeOf = (word: string) => {
      const change = words.get(word) ?? { prompts: 0, votes: 0 }
      words.set(word, change)
      return change
    }
    for (const word of distinct) changeOf(word).prompts += by
    for (const [word, votes] of voteForWords(fields, distinct)) changeOf(word).votes += by * votes
  }
  for (const name of names) {
    const id = numbers.get(name)
    if (id === undefined) continue
    const { fields, tags } = readPrompt(database, id)
    changeWords(fields, fields.distinct, -1)
    for (const key of listKeys(fields, tags, fields.distinct)) emptied.add(key)
    removed.add(id)
    numbers.delete(name)
    for (const table of ['prompts', 'texts', 'sources']) database.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id)
  }
  const keys = rememberKeys()
  const listed = [...names].sort().filter((name) => entries.get(name)?.isListed)
  const free = freeNumbers(numbers)
  const arrivals = listed.map((name) => {
    const { repository, summary } = entries.get(name)!
    const fields = readFields(repository)
    const id = free.next().value
    const distinct = distinctWords(fields)
    changeWords(fields, distinct, 1)
    for (const [key, strength] of weighPlaces(fields, summary.tags, keys)) {
      const postings = added.get(key) ?? new Map<number, number>()
      added.set(key, postings.set(id, strength))
    }
    numbers.set(name, id)
    return { id, summary, fields, distinct }
  })
  editTerms(database, new Set([...emptied, ...added.keys()]), removed, added)
  editWords(database, words)
  const numberOf = database.prepare('SELECT number FROM terms WHERE key = ?')
  const write = promptWriter(database, true)
  const numberOfWord = (word: string) => Number(numberOf.get(keys.ofWord(word))!.number)
  for (const { id, summary, fields, distinct } of arrivals) {
    const texts = listOrderedWords(fields).map((words) => words.map(numberOfWord))
    write(id, summary, { fields, distinct, texts })
  }
  return numbers
}

/** Numbers that no prompt has, the lowest first. Arrays are as long as the highest number, so the numbers of removed prompts are given again. */
function* freeNumbers(numbers: ReadonlyMap<string, number>): Generator<number, never> {
  const taken = new Set(numbers.values())
  for (let id = 1; ; id++) if (!taken.has(id)) yield id
}

/** Reads what a prompt was filed under when it was put into the index. */
function readPrompt(database: DatabaseSync, id: number) {
  const source = database.prepare('SELECT words FROM sources WHERE id = ?').get(id)?.words
  const names: string[] = JSON.parse(
    String(database.prepare(`SELECT value FROM state WHERE key = 'fields'`).get()?.value),
  )
  const summary = JSON.parse(String(database.prepare('SELECT summary FROM prompts WHERE id = ?').get(id)?.summary))
  const tags: string[] = summary[names.indexOf('tags')]
  return { fields: decodeSource(source as Uint8Array), tags }
}

function editTerms(
  database: DatabaseSync,
  keys: ReadonlySet<number>,
  removed: ReadonlySet<number>,
  added: ReadonlyMap<number, ReadonlyMap<number, number>>,
): void {
  const read = database.prepare('SELECT postings FROM terms WHERE key = ?')
  const insert = database.prepare('INSERT INTO terms VALUES (?, ?, ?, ?)')
  const update = database.prepare('UPDATE terms SET prompts = ?, postings = ? WHERE key = ?')
  const remove = database.prepare('DELETE FROM terms WHERE key = ?')
  let last = Number(database.prepare(`SELECT value FROM state WHERE key = 'last_number'`).get()?.value)
  for (const key of keys) {
    const row = read.get(key)
    const { count, bytes } = editPostings(
      row === undefined ? new Uint8Array() : (row.postings as Uint8Array),
      removed,
      added.get(key) ?? new Map(),
    )
    if (row !== undefined && count > 0) update.run(count, bytes, key)
    else if (row !== undefined) remove.run(key)
    else if (count > 0) insert.run(key, ++last, count, bytes)
  }
  database.prepare(`UPDATE state SET value = ? WHERE key = 'last_number'`).run(last)
}

function editWords(database: DatabaseSync, changes: ReadonlyMap<string, WordChange>): void {
  const read = database.prepare('SELECT prompts, votes FROM words WHERE word = ?')
  const write = database.prepare('INSERT OR REPLACE INTO words VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM words WHERE word = ?')
  const guesses = new Map<string, boolean>()
  for (const [word, change] of changes) {
    const row = read.get(word)
    const prompts = Number(row?.prompts ?? 0) + change.prompts
    const before = Number(row?.votes ?? 0)
    const votes = before + change.votes
    if (prompts > 0) write.run(word, prompts, votes)
    else remove.run(word)
    if (before >= LEAST_VOTES !== votes >= LEAST_VOTES) guesses.set(word, votes >= LEAST_VOTES)
  }
  editGuesses(database, guesses)
}

/** @param changes words, and whether each may now be meant by a mistyped one */
function editGuesses(database: DatabaseSync, changes: ReadonlyMap<string, boolean>): void {
  const read = database.prepare('SELECT words FROM guesses WHERE length = ?')
  const write = database.prepare('INSERT OR REPLACE INTO guesses VALUES (?, ?)')
  for (const length of new Set([...changes.keys()].map((word) => word.length))) {
    const words = new Set(partGuesses(length, String(read.get(length)?.words ?? '')))
    for (const [word, isThere] of changes) if (word.length === length) words[isThere ? 'add' : 'delete'](word)
    write.run(length, joinGuesses(words).get(length) ?? '')
  }
}
