// Owns the tables of search.db, and what is kept of one prompt apart from what it is filed under.
import type { DatabaseSync } from 'node:sqlite'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { RepositorySummary } from '../domain/api/schema.ts'
import type { FieldWords } from '../domain/search/document.ts'
import { encodeNumbers } from '../domain/search/postings.ts'

/**
 * `terms` hold the prompts of whatever they are filed under, by the keys of domain/search/keys.ts; `texts` the numbers of a prompt's terms in
 * their order; `guesses` the words that may be meant by a mistyped one; `sources`, for editing alone, what a prompt was filed under. Where a
 * prompt stands in each order is in `state`, for that changes with every publish.
 */
export const TABLES = `
  CREATE TABLE state (key TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID;
  CREATE TABLE prompts (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, summary TEXT NOT NULL);
  CREATE TABLE texts (id INTEGER PRIMARY KEY, terms BLOB NOT NULL);
  CREATE TABLE sources (id INTEGER PRIMARY KEY, words BLOB NOT NULL);
  CREATE TABLE menu (id INTEGER PRIMARY KEY, entry TEXT NOT NULL);
  CREATE TABLE terms (key INTEGER PRIMARY KEY, number INTEGER NOT NULL, prompts INTEGER NOT NULL, postings BLOB NOT NULL);
  CREATE TABLE words (word TEXT PRIMARY KEY, prompts INTEGER NOT NULL, votes INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE guesses (length INTEGER PRIMARY KEY, words TEXT NOT NULL);
`
/** Made once the tables are full, because that is faster than adding every row to them. */
export const INDEXES = `
  CREATE UNIQUE INDEX prompts_by_owner ON prompts (owner, name);
  CREATE INDEX prompts_by_name ON prompts (name);
`

/** What a prompt was filed under, as far as its summary does not tell. */
type Source = Pick<FieldWords, (typeof SOURCE_FIELDS)[number]> & {
  /** All of its different words. */
  distinct: Set<string>
}

const SOURCE_FIELDS = ['owner', 'name', 'title', 'tags', 'description'] as const

function encodeSource(fields: FieldWords, distinct: ReadonlySet<string>): Uint8Array {
  const lists = [...SOURCE_FIELDS.map((field) => fields[field]), [...distinct]]
  return deflateRawSync(lists.map((words) => words.join(' ')).join('\n'), { level: 1 })
}

/** Reads what `promptWriter` wrote of a prompt's words. */
export function decodeSource(bytes: Uint8Array): Source {
  const lists = inflateRawSync(bytes).toString().split('\n')
  const [owner, name, title, tags, description, distinct] = lists.map((line) => line.split(' ').filter(Boolean))
  return {
    owner: owner!,
    name: name!,
    title: title!,
    tags: tags!,
    description: description!,
    distinct: new Set(distinct!),
  }
}

/** Writes what is kept of one prompt apart from what it is filed under. */
export function promptWriter(database: DatabaseSync, isEditable: boolean) {
  const insertPrompt = database.prepare('INSERT INTO prompts VALUES (?, ?, ?, ?)')
  const insertText = database.prepare('INSERT INTO texts VALUES (?, ?)')
  const insertSource = database.prepare('INSERT INTO sources VALUES (?, ?)')
  /** @param texts the numbers of its terms in their order, a list for each field */
  return (
    id: number,
    summary: RepositorySummary,
    { fields, distinct, texts }: { fields: FieldWords; distinct: ReadonlySet<string>; texts: readonly number[][] },
  ): void => {
    const { owner, name } = summary
    insertPrompt.run(id, owner, name, JSON.stringify(storedFields(summary).map((field) => summary[field])))
    insertText.run(id, encodeNumbers(texts.flatMap((numbers) => [...numbers, 0])))
    if (isEditable) insertSource.run(id, encodeSource(fields, distinct))
  }
}

/** The fields of a summary that cannot be concluded from owner and name; the addresses take more room than all the rest. */
export function storedFields(summary: RepositorySummary): (keyof RepositorySummary)[] {
  const concluded = new Set(['owner', 'name', 'full_name', 'url', 'html_url', 'raw_url'])
  return (Object.keys(summary) as (keyof RepositorySummary)[]).filter((field) => !concluded.has(field))
}
