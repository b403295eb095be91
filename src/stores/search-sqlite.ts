// Owns search.db: building it from a catalogue and asking it. SQLite FTS5 through node:sqlite; how a text becomes words stands in domain/words.ts.
import { renameSync, rmSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { HubError } from '../domain/api/errors.ts'
import { LIMITS } from '../domain/api/limits.ts'
import type { Repository, RepositorySummary } from '../domain/api/schema.ts'
import type { Catalogue } from '../domain/catalogue/catalogue.ts'
import { isTag } from '../domain/content/values.ts'
import { isForgiven, isOneTypoApart, splitQuestion, splitWords, typoKeys } from '../domain/search/words.ts'
import {
  type Completions,
  MENU_SIZE,
  type MenuEntry,
  type Search,
  type SearchAnswer,
  type SearchQuestion,
} from '../ports/search.ts'

/**
 * Texts come in already split into folded words, so the `ascii` tokenizer, which splits at white space and keeps everything beyond ASCII, adds
 * no opinion of its own. A repository's id is its place in `top`: equal matches stay in that order for nothing.
 */
const TABLES = `
  CREATE TABLE repositories (id INTEGER PRIMARY KEY, trending INTEGER NOT NULL, new INTEGER NOT NULL, summary TEXT NOT NULL);
  CREATE TABLE names (owner TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (owner, name)) WITHOUT ROWID;
  CREATE TABLE menu (id INTEGER PRIMARY KEY, entry TEXT NOT NULL);
  CREATE TABLE repository_tags (tag TEXT NOT NULL, repository INTEGER NOT NULL, PRIMARY KEY (tag, repository)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE words USING fts5(full_name, title, tags, description, readme, content, content='', tokenize='ascii');
  CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL, repositories INTEGER NOT NULL);
  CREATE TABLE typos (key TEXT NOT NULL, term_id INTEGER NOT NULL, PRIMARY KEY (key, term_id)) WITHOUT ROWID;
`

/** The name and title weigh most; then what authors chose with care; the content, where a word may stand by chance, least. */
const BEST_MATCH = 'bm25(words, 10.0, 10.0, 6.0, 4.0, 2.0, 1.0)'

/** How many words a mistyped one may stand for; the most used ones are kept. */
const MOST_CORRECTIONS = 8
/** So many words of a readme or a content are indexed: far more than prompts have, and a bound for those made to be long. */
const MOST_WORDS = 4_000
/** A word that one prompt alone uses is more often noise than a word: nobody is guessed to have meant it. */
const LEAST_SHARED = 2
/** So many different words of one prompt may be what somebody mistyped: each takes many times its length in keys. */
const MOST_GUESSABLE = 500

/**
 * Writes the index of a catalogue's listed repositories.
 *
 * @param path where the file will be; one that is there already is replaced. Not in WAL mode, which does not open on a read-only disk.
 */
export function buildSearchIndex(catalogue: Catalogue, path: string): void {
  rmSync(path, { force: true })
  const database = new DatabaseSync(path)
  try {
    // A build that is interrupted is thrown away whole, so nothing needs a journal.
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${TABLES} BEGIN`)
    fillTypos(database, fillRepositories(database, catalogue))
    database.exec(`COMMIT; INSERT INTO words(words) VALUES ('optimize'); PRAGMA journal_mode = DELETE; PRAGMA optimize`)
  } finally {
    database.close()
  }
}

/** What differs between the catalogue of an index and a newer one; names are `owner/name`. */
export interface CatalogueChange {
  /** New or changed repositories, listed or no longer listed. */
  changed: Iterable<string>
  /** Repositories that are gone. */
  removed: Iterable<string>
}

/**
 * Brings an index up to a newer catalogue. Its answers are then those of an index that was built of that catalogue.
 *
 * @param path an index that `buildSearchIndex` or this function wrote; replaced in one step, so that whoever opens it meets the old
 * or the new state, and whoever has it open keeps the old one
 * @param catalogue the newer one, whole: places in `top`, `trending` and `new` come from it
 */
export function updateSearchIndex(path: string, catalogue: Catalogue, _change: CatalogueChange): void {
  const next = `${path}.next`
  buildSearchIndex(catalogue, next)
  renameSync(next, path)
}

/** @returns how many prompts use each word that may be what somebody mistyped */
function fillRepositories(database: DatabaseSync, { listed, entries }: Catalogue): Map<string, number> {
  const guessable = new Map<string, number>()
  const places = { trending: placesIn(listed.trending), new: placesIn(listed.new) }
  const insertRepository = database.prepare('INSERT INTO repositories VALUES (?, ?, ?, ?)')
  const insertName = database.prepare('INSERT INTO names VALUES (?, ?)')
  const insertMenu = database.prepare('INSERT INTO menu VALUES (?, ?)')
  const insertTag = database.prepare('INSERT INTO repository_tags VALUES (?, ?)')
  const insertWords = database.prepare(
    'INSERT INTO words(rowid, full_name, title, tags, description, readme, content) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const fold = (text: string) => splitWords(text).slice(0, MOST_WORDS).join(' ')
  for (const [index, summary] of listed.top.entries()) {
    const id = index + 1
    const { repository } = entries.get(summary.full_name)!
    insertRepository.run(
      id,
      places.trending.get(summary.full_name)!,
      places.new.get(summary.full_name)!,
      JSON.stringify(summary),
    )
    insertName.run(summary.owner, summary.name)
    if (id <= MENU_SIZE) insertMenu.run(id, JSON.stringify(menuEntryOf(repository)))
    for (const tag of new Set(summary.tags)) insertTag.run(tag, id)
    const texts = [summary.full_name, summary.title, summary.tags.join(' '), summary.description]
    const fields = [...texts, repository.readme, repository.content ?? ''].map(fold)
    insertWords.run(id, ...fields)
    const words = new Set(fields.flatMap((field) => field.split(' ')).filter(isForgiven))
    for (const word of [...words].slice(0, MOST_GUESSABLE)) guessable.set(word, (guessable.get(word) ?? 0) + 1)
  }
  return guessable
}

function menuEntryOf({ owner, name, title, description, updated_at, variables }: Repository): MenuEntry {
  return { owner, name, title, description, updated_at, variables }
}

function placesIn(summaries: readonly RepositorySummary[]): Map<string, number> {
  return new Map(summaries.map(({ full_name }, index) => [full_name, index + 1]))
}

function fillTypos(database: DatabaseSync, guessable: ReadonlyMap<string, number>): void {
  const insertTerm = database.prepare('INSERT INTO terms VALUES (?, ?, ?)')
  const insertTypo = database.prepare('INSERT INTO typos VALUES (?, ?)')
  let id = 0
  for (const [word, repositories] of guessable) {
    if (repositories < LEAST_SHARED) continue
    insertTerm.run(++id, word, repositories)
    for (const key of typoKeys(word)) insertTypo.run(key, id)
  }
}

/**
 * Opens an index for asking.
 *
 * @throws HubError `unavailable` when the file is missing or is none
 */
export function openSearchIndex(path: string): Search & { close(): void } {
  const database = orUnavailable(() => {
    const opened = new DatabaseSync(path, { readOnly: true })
    opened.prepare('SELECT 1 FROM repositories LIMIT 1').get()
    return opened
  })
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  return {
    find: async (question) => orUnavailable(() => find(question, prepare)),
    listMenu: async () =>
      orUnavailable(() =>
        prepare('SELECT entry FROM menu ORDER BY id')
          .all()
          .map(({ entry }): MenuEntry => JSON.parse(String(entry))),
      ),
    completeOwner: async (prefix, limit) =>
      orUnavailable(() => complete('owner', 'owner >= ? AND owner < ?', rangeOf(prefix), limit, prepare)),
    completeName: async (prefix, owner, limit) =>
      orUnavailable(() =>
        owner === undefined
          ? complete('name', 'name >= ? AND name < ?', rangeOf(prefix), limit, prepare)
          : complete('name', 'owner = ? AND name >= ? AND name < ?', [owner, ...rangeOf(prefix)], limit, prepare),
      ),
    close: () => database.close(),
  }
}

type Prepare = (sql: string) => StatementSync

function orUnavailable<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    throw new HubError('unavailable', 'The search cannot be read just now. Try again in a few seconds.', {
      cause,
      retryAfterSeconds: 5,
    })
  }
}

function find(question: SearchQuestion, prepare: Prepare): SearchAnswer {
  const matched = { exact: 0, corrected: {}, ignored: [] }
  const isAsked = question.text.trim() !== ''
  const nothing = { matches: [], total: 0, isTotalExact: true, matched: isAsked ? matched : undefined }
  // Nothing carries more tags than it may; and each shape of a question is a statement that is kept.
  if (question.tags.length > LIMITS.tagsPerRepository || !question.tags.every(isTag)) return nothing
  if (!isAsked) return { ...nothing, ...select(question, undefined, prepare) }
  const { phrases, ignored } = splitQuestion(question.text)
  if (phrases.length === 0) return nothing
  const exact = select(question, matchExactly(phrases), prepare)
  if (exact.total > 0) return { ...nothing, ...exact, matched: { ...matched, exact: exact.total, ignored } }
  const corrections = new Map(phrases.flat().map((word) => [word, correct(word, prepare)]))
  const corrected = Object.fromEntries(
    [...corrections].flatMap(([word, [best]]) => (best === undefined ? [] : [[word, best]])),
  )
  const forgiven = select(question, matchForgivingly(phrases, corrections), prepare)
  return { ...nothing, ...forgiven, matched: { ...matched, corrected, ignored } }
}

function select(
  { sort, tags, offset, limit }: SearchQuestion,
  match: string | undefined,
  prepare: Prepare,
): Pick<SearchAnswer, 'matches' | 'total'> {
  const order = sort ?? (match === undefined ? 'top' : 'best')
  const needsRepositories = match === undefined || order === 'trending' || order === 'new'
  const source =
    match === undefined
      ? 'repositories'
      : needsRepositories
        ? 'words JOIN repositories ON repositories.id = words.rowid'
        : 'words'
  const id = needsRepositories ? 'repositories.id' : 'words.rowid'
  // The plus keeps the tag from leading: SQLite would match the words anew for every repository that carries it.
  const tagged = match === undefined ? id : `+${id}`
  const conditions = [
    ...(match === undefined ? [] : ['words MATCH ?']),
    ...tags.map(() => `${tagged} IN (SELECT repository FROM repository_tags WHERE tag = ?)`),
  ]
  const from = `FROM ${source} WHERE ${conditions.join(' AND ') || 'true'}`
  const values = [...(match === undefined ? [] : [match]), ...tags]
  const total = Number(prepare(`SELECT count(*) AS total ${from}`).get(...values)?.total)
  if (offset >= total) return { matches: [], total }
  const orders = { best: BEST_MATCH, top: id, trending: 'trending', new: 'new' }
  // One statement for the whole page: asking for each summary apart would cost more than the order does.
  const page = `SELECT ${id} AS id, ${orders[order]} AS place ${from} ORDER BY place, id LIMIT ? OFFSET ?`
  const rows = prepare(
    `SELECT summary FROM (${page}) AS found JOIN repositories ON repositories.id = found.id ORDER BY found.place, found.id`,
  ).all(...values, limit, offset)
  return { matches: rows.map(({ summary }): RepositorySummary => JSON.parse(String(summary))), total }
}

/** From a prefix to just behind all that begins with it: names hold letters, digits and hyphens, which all come before `{`. */
function rangeOf(prefix: string): string[] {
  return [prefix, `${prefix}{`]
}

function complete(
  column: 'owner' | 'name',
  condition: string,
  values: readonly string[],
  limit: number,
  prepare: Prepare,
): Completions {
  const from = `FROM (SELECT DISTINCT ${column} AS value FROM names WHERE ${condition})`
  return {
    values: prepare(`SELECT value ${from} ORDER BY value LIMIT ?`)
      .all(...values, limit)
      .map(({ value }) => String(value)),
    total: Number(prepare(`SELECT count(*) AS total ${from}`).get(...values)?.total),
  }
}

/** Each phrase in quotes, where no character has a meaning to FTS5; phrases hold letters and digits only, so none needs escaping. */
function matchExactly(phrases: readonly string[][]): string {
  return phrases.map((phrase, index) => quote(phrase, index === phrases.length - 1)).join(' AND ')
}

function matchForgivingly(phrases: readonly string[][], corrections: ReadonlyMap<string, string[]>): string {
  return phrases
    .map((phrase, index) => {
      const isLast = index === phrases.length - 1
      const variants = phrase.flatMap((word, place) =>
        corrections.get(word)!.map((corrected) => phrase.with(place, corrected)),
      )
      return `(${[quote(phrase, isLast), ...variants.map((variant) => quote(variant, false))].join(' OR ')})`
    })
    .join(' AND ')
}

function correct(word: string, prepare: Prepare): string[] {
  if (!isForgiven(word)) return []
  // One statement for each key: a list of keys would make a statement of every length, each of them kept.
  const statement = prepare('SELECT term, repositories FROM typos JOIN terms ON terms.id = term_id WHERE key = ?')
  const found = new Map(
    typoKeys(word).flatMap((key) => statement.all(key).map((row) => [String(row.term), Number(row.repositories)])),
  )
  return [...found]
    .filter(([term]) => isOneTypoApart(word, term))
    .sort(([a, most], [b, least]) => least - most || (a < b ? -1 : 1))
    .slice(0, MOST_CORRECTIONS)
    .map(([term]) => term)
}

function quote(phrase: readonly string[], isPrefix: boolean): string {
  return `"${phrase.join(' ')}"${isPrefix ? ' *' : ''}`
}
