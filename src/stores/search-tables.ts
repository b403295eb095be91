// Owns the tables of search.db, and what is kept of one prompt apart from its terms.
import type { DatabaseSync } from 'node:sqlite'
import type { RepositorySummary } from '../domain/api/schema.ts'
import { distinctWords, FIELDS, type FieldWords, KEPT_IN_ORDER } from '../domain/search/document.ts'
import { decodeNumbers, encodeNumbers } from '../domain/search/postings.ts'

/** Another number means that an index of before cannot be brought up to date: terms, strengths or tables changed. */
export const INDEX_SHAPE = 3
/**
 * `terms` hold words' stems, short prefixes and tags; `words` lead from a word as written to its term, and from the number in `texts` to a word.
 * Where a prompt stands in each order is in `state`, for that changes with every publish.
 */
export const TABLES = `
  CREATE TABLE state (key TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID;
  CREATE TABLE prompts (id INTEGER PRIMARY KEY, summary TEXT NOT NULL);
  CREATE TABLE texts (id INTEGER PRIMARY KEY, words BLOB NOT NULL);
  CREATE TABLE names (owner TEXT NOT NULL, name TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (owner, name)) WITHOUT ROWID;
  CREATE TABLE titles (title TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (title, id)) WITHOUT ROWID;
  CREATE TABLE menu (id INTEGER PRIMARY KEY, entry TEXT NOT NULL);
  CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL, prompts INTEGER NOT NULL, postings BLOB NOT NULL);
  CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL, term INTEGER NOT NULL, prompts INTEGER NOT NULL, votes INTEGER NOT NULL);
  CREATE TABLE typos (key TEXT NOT NULL, word INTEGER NOT NULL, PRIMARY KEY (key, word)) WITHOUT ROWID;
`
/** Made when the tables are full, which is faster. */
export const INDEXES = `
  CREATE INDEX names_by_name ON names (name, id);
  CREATE UNIQUE INDEX terms_by_term ON terms (term);
  CREATE UNIQUE INDEX words_by_word ON words (word);
  CREATE INDEX words_by_term ON words (term);
`

/** The words of a prompt as numbers: some in their order, each field ended by a zero; then, for editing alone, all others, ascending, by their distances. */
function encodeText(fields: FieldWords, numberOf: (word: string) => number, isEditable: boolean): Uint8Array {
  const inOrder = FIELDS.flatMap((field) => [...fields[field].slice(0, KEPT_IN_ORDER[field]).map(numberOf), 0])
  if (!isEditable) return encodeNumbers(inOrder)
  const kept = new Set(inOrder)
  const others = [...distinctWords(fields)].map(numberOf).filter((number) => !kept.has(number))
  others.sort((a, b) => a - b)
  return encodeNumbers([...inOrder, ...others.map((number, index) => number - (others[index - 1] ?? 0))])
}

/** The inverse of writing them. */
export function decodeText(bytes: Uint8Array): { inOrder: number[]; others: number[] } {
  const numbers = decodeNumbers(bytes)
  let end = -1
  for (let field = 0; field < FIELDS.length; field++) end = numbers.indexOf(0, end + 1)
  let last = 0
  const others = numbers.slice(end + 1).map((distance) => {
    last += distance
    return last
  })
  return { inOrder: numbers.slice(0, end + 1), others }
}

/** Writes what is kept of one prompt apart from terms. */
export function promptWriter(database: DatabaseSync, isEditable: boolean) {
  const insertPrompt = database.prepare('INSERT INTO prompts VALUES (?, ?)')
  const insertText = database.prepare('INSERT INTO texts VALUES (?, ?)')
  const insertName = database.prepare('INSERT INTO names VALUES (?, ?, ?)')
  const insertTitle = database.prepare('INSERT INTO titles VALUES (?, ?)')
  return (id: number, summary: RepositorySummary, fields: FieldWords, numberOf: (word: string) => number): void => {
    insertPrompt.run(id, JSON.stringify(storedFields(summary).map((field) => summary[field])))
    insertText.run(id, encodeText(fields, numberOf, isEditable))
    insertName.run(summary.owner, summary.name, id)
    const title = fields.title.join(' ')
    if (title !== fields.name.join(' ')) insertTitle.run(title, id)
  }
}

/** The fields of a summary that cannot be concluded from the others; the addresses take more room than all the rest. */
export function storedFields(summary: RepositorySummary): (keyof RepositorySummary)[] {
  const concluded = new Set(['full_name', 'url', 'html_url', 'raw_url'])
  return (Object.keys(summary) as (keyof RepositorySummary)[]).filter((field) => !concluded.has(field))
}
