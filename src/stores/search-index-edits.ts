// Owns editing search.db in place: taking out what it held of changed prompts, and putting in what they hold now.
import type { DatabaseSync } from 'node:sqlite'
import type { Catalogue } from '../domain/catalogue/catalogue.ts'
import {
  distinctWords,
  FIELDS,
  type FieldWords,
  LEAST_VOTES,
  readFields,
  voteForWords,
  weighKeys,
  weighTerms,
} from '../domain/search/document.ts'
import { editPostings, encodePostings } from '../domain/search/postings.ts'
import { termOf } from '../domain/search/terms.ts'
import { forgivenTypos, typoKeys } from '../domain/search/typos.ts'
import { decodeText, promptWriter } from './search-tables.ts'

/** What changes about a word, as differences. */
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
      .prepare('SELECT owner, name, id FROM names')
      .all()
      .map(({ owner, name, id }) => [`${owner}/${name}`, Number(id)]),
  )
  const removed = new Set<number>()
  const added = new Map<string, Map<number, number>>()
  const emptied = new Set<string>()
  const words = new Map<string, WordChange>()
  const changeWords = (fields: FieldWords, distinct: ReadonlySet<string>, by: number) => {
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
    const { fields, tags, distinct } = readPrompt(database, id)
    changeWords(fields, distinct, -1)
    for (const word of distinct) emptied.add(termOf(word))
    for (const key of weighKeys(fields, tags).keys()) emptied.add(key)
    removed.add(id)
    numbers.delete(name)
    for (const table of ['prompts', 'texts', 'names', 'titles'])
      database.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id)
  }
  const listed = [...names].sort().filter((name) => entries.get(name)?.isListed)
  const free = freeNumbers(numbers)
  const arrivals = listed.map((name) => {
    const { repository, summary } = entries.get(name)!
    const fields = readFields(repository)
    const id = free.next().value
    changeWords(fields, distinctWords(fields), 1)
    for (const [term, strength] of [...weighTerms(fields), ...weighKeys(fields, summary.tags)]) {
      const postings = added.get(term) ?? new Map<number, number>()
      added.set(term, postings.set(id, strength))
    }
    numbers.set(name, id)
    return { id, summary, fields }
  })
  editTerms(database, new Set([...emptied, ...added.keys()]), removed, added)
  const numberOf = editWords(database, words)
  const write = promptWriter(database, true)
  for (const { id, summary, fields } of arrivals) write(id, summary, fields, numberOf)
  return numbers
}

/** Numbers that no prompt has, the lowest first: they index arrays, so they must not grow for ever. */
function* freeNumbers(numbers: ReadonlyMap<string, number>): Generator<number, never> {
  const taken = new Set(numbers.values())
  for (let id = 1; ; id++) if (!taken.has(id)) yield id
}

/** What the index keeps of a prompt: its words, those of readme and content only in part in their order. */
function readPrompt(database: DatabaseSync, id: number) {
  const text = database.prepare('SELECT words FROM texts WHERE id = ?').get(id)?.words
  const find = database.prepare('SELECT word FROM words WHERE id = ?')
  const wordOf = (number: number) => String(find.get(number)?.word)
  const { inOrder, others } = decodeText(text as Uint8Array)
  const fields = Object.fromEntries(FIELDS.map((field) => [field, [] as string[]])) as Record<
    (typeof FIELDS)[number],
    string[]
  >
  let field = 0
  for (const number of inOrder) {
    if (number === 0) field++
    else fields[FIELDS[field]!].push(wordOf(number))
  }
  const state = database.prepare(`SELECT value FROM state WHERE key = 'fields'`).get()
  const names: string[] = JSON.parse(String(state?.value))
  const summary = JSON.parse(String(database.prepare('SELECT summary FROM prompts WHERE id = ?').get(id)?.summary))
  const tags: string[] = summary[names.indexOf('tags')]
  return { fields, tags, distinct: new Set([...distinctWords(fields), ...others.map(wordOf)]) }
}

function editTerms(
  database: DatabaseSync,
  terms: ReadonlySet<string>,
  removed: ReadonlySet<number>,
  added: ReadonlyMap<string, ReadonlyMap<number, number>>,
): void {
  const read = database.prepare('SELECT id, postings FROM terms WHERE term = ?')
  const insert = database.prepare('INSERT INTO terms (term, prompts, postings) VALUES (?, ?, ?)')
  const update = database.prepare('UPDATE terms SET prompts = ?, postings = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM terms WHERE id = ?')
  for (const term of terms) {
    const row = read.get(term)
    const old = row === undefined ? new Uint8Array() : (row.postings as Uint8Array)
    const postings = editPostings(old, removed, added.get(term) ?? new Map())
    if (row === undefined) insert.run(term, postings.length, encodePostings(postings))
    else if (postings.length > 0) update.run(postings.length, encodePostings(postings), row.id!)
    else remove.run(row.id!)
  }
}

/** @returns the number of a word */
function editWords(database: DatabaseSync, changes: ReadonlyMap<string, WordChange>): (word: string) => number {
  const read = database.prepare('SELECT id, prompts, votes FROM words WHERE word = ?')
  const termId = database.prepare('SELECT id FROM terms WHERE term = ?')
  const insert = database.prepare('INSERT INTO words (word, term, prompts, votes) VALUES (?, ?, ?, ?)')
  const update = database.prepare('UPDATE words SET prompts = ?, votes = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM words WHERE id = ?')
  const insertTypo = database.prepare('INSERT INTO typos VALUES (?, ?)')
  const removeTypo = database.prepare('DELETE FROM typos WHERE key = ? AND word = ?')
  for (const [word, change] of changes) {
    const row = read.get(word)
    const before = { id: Number(row?.id), prompts: Number(row?.prompts ?? 0), votes: Number(row?.votes ?? 0) }
    const prompts = before.prompts + change.prompts
    const votes = before.votes + change.votes
    let { id } = before
    if (row === undefined) {
      if (prompts === 0) continue
      id = Number(insert.run(word, termId.get(termOf(word))!.id!, prompts, votes).lastInsertRowid)
    } else if (prompts > 0) update.run(prompts, votes, id)
    else remove.run(id)
    const was = before.votes >= LEAST_VOTES
    const is = votes >= LEAST_VOTES
    if (was === is) continue
    for (const key of typoKeys(word, forgivenTypos(word))) (is ? insertTypo : removeTypo).run(key, id)
  }
  return (word) => Number(read.get(word)?.id)
}
