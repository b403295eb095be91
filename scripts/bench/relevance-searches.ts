// Owns the searches that are compared: ours, and three floors: the words as they were matched before, plain FTS5 with porter, and MiniSearch.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import MiniSearch from 'minisearch'
import type { Catalogue } from '../../src/domain/catalogue/catalogue.ts'
import { splitQuestion, splitWords } from '../../src/domain/search/words.ts'
import { buildSearchIndex } from '../../src/stores/search-index.ts'
import { openSearchIndex } from '../../src/stores/search-sqlite.ts'

/** Answers a question with full names, the best first. */
export type CompareSearch = (question: string) => Promise<string[]>

const MOST_ANSWERS = 20
const WEIGHTS = [10, 10, 6, 4, 2, 1]

/** The searches over one catalogue, ours first. */
export function openSearches(catalogue: Catalogue): Record<'ours' | 'before' | 'fts5' | 'minisearch', CompareSearch> {
  const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-relevance-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'search.db')
  buildSearchIndex(catalogue, path)
  const search = openSearchIndex(path)
  const ask = { tags: [], sort: undefined, offset: 0, limit: MOST_ANSWERS }
  const ours: CompareSearch = async (text) =>
    (await search.find({ ...ask, text })).matches.map(({ full_name }) => full_name)
  return { ours, before: openBefore(catalogue), fts5: openFts5(catalogue), minisearch: openMiniSearch(catalogue) }
}

function fieldsOf({ entries, listed }: Catalogue): [fullName: string, fields: string[]][] {
  return listed.top.map(({ full_name, title, tags, description }) => {
    const { readme, content } = entries.get(full_name)!.repository
    return [full_name, [full_name, title, tags.join(' '), description, readme, content ?? '']]
  })
}

function openTable(catalogue: Catalogue, tokenizer: string, write: (text: string) => string) {
  const database = new DatabaseSync(':memory:')
  database.exec(
    `CREATE VIRTUAL TABLE words USING fts5(full_name, title, tags, description, readme, content, tokenize='${tokenizer}')`,
  )
  const insert = database.prepare('INSERT INTO words VALUES (?, ?, ?, ?, ?, ?)')
  const rows = fieldsOf(catalogue)
  for (const [, fields] of rows) insert.run(...fields.map(write))
  const find = database.prepare(
    `SELECT rowid AS id FROM words WHERE words MATCH ? ORDER BY bm25(words, ${WEIGHTS.join(', ')}), rowid LIMIT ${MOST_ANSWERS}`,
  )
  return (match: string) => find.all(match).map(({ id }) => rows[Number(id) - 1]![0])
}

const quote = (words: readonly string[]) => `"${words.join(' ')}"`

/**
 * The search as it was before issue Search: every word must stand in the text, the last one as a prefix; when nothing matches, words one
 * typo away do as well.
 */
function openBefore(catalogue: Catalogue): CompareSearch {
  const find = openTable(catalogue, 'ascii', (text) => splitWords(text).join(' '))
  const vocabulary = new Set(fieldsOf(catalogue).flatMap(([, fields]) => fields.flatMap(splitWords)))
  const close = (word: string) =>
    word.length < 4 ? [] : [...vocabulary].filter((other) => isOneTypoApart(word, other)).slice(0, 8)
  return async (text) => {
    const { phrases } = splitQuestion(text)
    if (phrases.length === 0) return []
    const exact = find(`${phrases.map(quote).join(' AND ')} *`)
    if (exact.length > 0) return exact
    const match = phrases.map((phrase, index) => {
      const itself = `${quote(phrase)}${index === phrases.length - 1 ? ' *' : ''}`
      const variants = phrase.flatMap((word, at) => close(word).map((other) => quote(phrase.with(at, other))))
      return `(${[itself, ...variants].join(' OR ')})`
    })
    return find(match.join(' AND '))
  }
}

function isOneTypoApart(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (restA.length <= 1 && restB.length <= 1) return true
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0]
}

/** What SQLite does by itself: stems, and any of the words. */
function openFts5(catalogue: Catalogue): CompareSearch {
  const find = openTable(catalogue, 'porter unicode61', (text) => text)
  return async (text) => {
    const words = splitWords(text)
    return words.length === 0 ? [] : find(`${words.map((word) => quote([word])).join(' OR ')} *`)
  }
}

/** As its documentation advises for search as you type. */
function openMiniSearch(catalogue: Catalogue): CompareSearch {
  const names = ['full_name', 'title', 'tags', 'description', 'readme', 'content']
  const mini = new MiniSearch({ fields: names, idField: 'id' })
  const rows = fieldsOf(catalogue)
  mini.addAll(
    rows.map(([, fields], id) => ({ id, ...Object.fromEntries(names.map((name, index) => [name, fields[index]])) })),
  )
  const boost = Object.fromEntries(names.map((name, index) => [name, WEIGHTS[index]!]))
  return async (text) =>
    mini
      .search(text, { boost, prefix: true, fuzzy: 0.2 })
      .slice(0, MOST_ANSWERS)
      .map(({ id }) => rows[Number(id)]![0])
}
