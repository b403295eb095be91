// Runs a query on an open index: builds the FTS5 expression, fetches the candidates, orders them, and returns one page.
import type { DatabaseSync } from 'node:sqlite'
import { placeCopies } from '../catalogue/originals.ts'
import { FIELD_WEIGHTS, filterTerms } from '../catalogue/search/document.ts'
import { formatGroup, type Query, readQuery, weighGroup } from '../catalogue/search/query.ts'
import { addressesBelow, SORTS, type Sort } from '../domain/api/data-paths.ts'
import type { RepositorySummary } from '../domain/api/schema.ts'
import { LIMITS } from '../domain/limits.ts'
import { tokenize } from '../domain/search/tokens.ts'
import { isTag } from '../domain/values/names.ts'
import type { SearchQuery, SearchResults } from './search.ts'
import { openVocabulary } from './vocabulary.ts'

/** Number of candidates to score: the first candidates by rowid, which follows the order `top`. docs/contract.md section 4. */
const MAX_SCORED = 1_200
/** Number of candidates for a requested sort order. */
const MAX_SORTED = 100_000
/** Maximum number of exact matches of a name or title that are listed first, because many owners may use the same name or title. */
const MAX_NAMED = 1_000
/** If at least this many prompts contain every word, partial matches are omitted. */
const ENOUGH = 5
const MAX_PARTIAL = 20
/** Minimum weight of a partial match, as a share of the highest word weight of any prompt, or of all word weights if the query contains no whitespace. docs/contract.md section 4. */
const MIN_SHARE = { ofMost: 0.35, ofAll: 0.4 }
const BM25 = `bm25(texts, ${Object.values(FIELD_WEIGHTS).join(', ')}, 0)`

/** Opens the search in an index. */
export function openFinder(database: DatabaseSync): (question: SearchQuery) => SearchResults {
  const readState = database.prepare('SELECT value FROM state WHERE key = ?')
  const stateOf = (key: string) => readState.get(key)?.value
  const vocabulary = openVocabulary(database, new Map(JSON.parse(String(stateOf('equivalents')))))
  const addresses = addressesBelow(String(stateOf('base_url')))
  const orders = new Map(SORTS.map((sort) => [sort, readOrder(stateOf(sort) as Uint8Array)]))
  // Passing one row of JSON to JavaScript is ten times as fast as passing a thousand rows.
  const select = (score: string) =>
    database.prepare(
      `SELECT json_group_array(json_array(id, score)) AS pairs
        FROM (SELECT rowid AS id, ${score} AS score FROM texts
          WHERE texts MATCH ?1 AND (?3 IS NULL OR +rowid IN (SELECT value FROM json_each(?3))) LIMIT ?2)`,
    )
  const [unscored, scored] = [select('0'), select(BM25)]
  const byName = database.prepare(
    `SELECT id FROM prompts WHERE (owner = ? AND name = ?) OR name = ? OR title = ? LIMIT ${MAX_NAMED}`,
  )
  const summaryOf = database.prepare('SELECT owner, name, summary FROM prompts WHERE id = ?')
  const total = orders.get('top')!.ids.length
  const originals = new Map<number, number[]>(JSON.parse(String(stateOf('originals'))))

  return ({ text, sort, offset, limit, ...filters }) => {
    const { tags } = filters
    // No prompt has more than the maximum number of tags, or an invalid tag.
    const canMatch = tags.length <= LIMITS.tagsPerRepository && tags.every(isTag)
    const required = filterTerms(filters)
      .map((term) => `"${term}"`)
      .join(' AND ')
    const found = canMatch && required !== '' ? match(required, total).keys() : []
    const allowed = required === '' ? undefined : new Set(found)
    const isAllowed = (id: number) => allowed?.has(id) ?? true
    const withFilters = (expression: string) => (required === '' ? expression : `(${expression}) AND ${required}`)
    const show = (ids: ArrayLike<number> & Pick<number[], 'slice'>) => ({
      matches: Array.from(ids.slice(offset, offset + limit), summarize),
      total: ids.length,
    })
    if (text.trim() === '') {
      const ids = [...orders.get(sort ?? 'top')!.ids].filter(isAllowed)
      return { ...show(ids), isTotalExact: true, matched: undefined }
    }
    const query = readQuery(canMatch ? text : '', vocabulary())
    const { ignored, corrected } = query
    if (query.groups.length === 0) return { ...show([]), isTotalExact: true, matched: { exact: 0, corrected, ignored } }
    const most = sort === undefined ? MAX_SCORED : MAX_SORTED
    const anywhere = match(withFilters(joinGroups(query)), most, sort === undefined ? scored : unscored)
    const full =
      sort === undefined ? rank(query, anywhere, listNamed(text).filter(isAllowed), withFilters) : [...anywhere.keys()]
    const partial = full.length < ENOUGH ? findPartial(query, withFilters, new Set(full)) : []
    if (sort !== undefined) for (const ids of [full, partial]) ids.sort(comparePlaces(sort))
    const isAsTyped = ignored.length === 0 && Object.keys(corrected).length === 0
    // A copy with all words does not go down to an original with some of them: that one comes up.
    const raised = full.flatMap((id) => [...(originals.get(id) ?? []).filter((one) => partial.includes(one)), id])
    const inOrder = [...new Set([...raised, ...partial])]
    return {
      ...show(placeCopies(inOrder, (id) => originals.get(id))),
      isTotalExact: anywhere.size < most && !query.isCut,
      matched: { exact: isAsTyped ? full.length : 0, corrected, ignored },
    }
  }

  /** Returns the matches of an expression, by ID, with their scores; lower is better. @param among restricts the IDs */
  function match(expression: string, most = MAX_SCORED, statement = unscored, among?: number[]): Map<number, number> {
    return new Map(JSON.parse(String(statement.get(expression, most, JSON.stringify(among) ?? null)?.pairs)))
  }

  /** Sorts full matches by group, and by score within each group. docs/contract.md section 4. */
  function rank(
    query: Query,
    anywhere: ReadonlyMap<number, number>,
    named: readonly number[],
    withFilters: (expression: string) => string,
  ): number[] {
    const inName = match(withFilters(`{owner name title} : (${joinGroups(query)})`))
    const together = query.phrase === undefined ? new Map() : match(withFilters(`"${query.phrase}"`))
    const classes = [new Set(named), inName, together, anywhere]
    const ranked = [...new Set([...named, ...inName.keys(), ...anywhere.keys()])].map((id) => ({
      id,
      rank: classes.findIndex((one) => one.has(id)),
      score: anywhere.get(id) ?? 0,
    }))
    return ranked.sort((a, b) => a.rank - b.rank || compareScores(a, b)).map(({ id }) => id)
  }

  /** Returns prompts that contain some of the words, best first. */
  function findPartial(
    { groups, isOnePhrase }: Query,
    withFilters: (expression: string) => string,
    full: ReadonlySet<number>,
  ): number[] {
    const weights = new Map<number, number>()
    for (const group of groups) {
      const weight = weighGroup(group, total)
      for (const id of match(withFilters(formatGroup(group))).keys()) weights.set(id, (weights.get(id) ?? 0) + weight)
    }
    const all = groups.reduce((sum, group) => sum + weighGroup(group, total), 0)
    const least = isOnePhrase ? MIN_SHARE.ofAll * all : MIN_SHARE.ofMost * Math.max(0, ...weights.values())
    const close = [...weights].filter(([id, weight]) => weight >= least && !full.has(id)).sort(([, a], [, b]) => b - a)
    const best = close.slice(0, MAX_SCORED).map(([id]) => id)
    // A guessed word counts only if every word was guessed.
    const typed = groups.filter(({ readAs }) => readAs === undefined)
    const words = (typed.length > 0 ? typed : groups).map(formatGroup).join(' OR ')
    const scores = match(words, MAX_SCORED, scored, best)
    const found = best.map((id) => ({ id, score: scores.get(id) ?? 0 }))
    return found
      .sort(compareScores)
      .slice(0, MAX_PARTIAL)
      .map(({ id }) => id)
  }

  /** Sorts by score, best first; ties are broken by the order `top`. */
  function compareScores(a: { id: number; score: number }, b: { id: number; score: number }): number {
    return a.score - b.score || comparePlaces('top')(a.id, b.id)
  }

  function comparePlaces(sort: Sort) {
    const { places } = orders.get(sort)!
    return (a: number, b: number) => places[a]! - places[b]!
  }

  /** Returns prompts whose full name, name or title equals the query. */
  function listNamed(text: string): number[] {
    const [owner = '', name = ''] = text.trim().toLowerCase().split('/')
    const tokens = tokenize(text)
    return byName.all(owner, name, tokens.join('-'), tokens.join(' ')).map(({ id }) => Number(id))
  }

  function summarize(id: number): RepositorySummary {
    const row = summaryOf.get(id)
    const [owner, name] = [String(row?.owner), String(row?.name)]
    const summary = JSON.parse(String(row?.summary))
    return { owner, name, full_name: `${owner}/${name}`, ...summary, ...addresses.repository(owner, name) }
  }
}

const joinGroups = ({ groups }: Query): string => groups.map(formatGroup).join(' AND ')

/** @param bytes the prompts' IDs in order @returns the IDs, and the position of each */
function readOrder(bytes: Uint8Array): { ids: Uint32Array; places: Uint32Array } {
  const ids = new Uint32Array(bytes.slice().buffer)
  const places = new Uint32Array(ids.reduce((most, id) => Math.max(most, id), 0) + 1)
  for (const [place, id] of ids.entries()) places[id] = place
  return { ids, places }
}
