// Answers a question from an opened index: the query as an FTS5 expression, its candidates in one order, and a page of them.
import type { DatabaseSync } from 'node:sqlite'
import { LIMITS } from '../../domain/api/limits.ts'
import { addressesBelow } from '../../domain/api/record-links.ts'
import type { Sort } from '../../domain/api/routes.ts'
import type { RepositorySummary } from '../../domain/api/schema.ts'
import { isTag } from '../../domain/content/names.ts'
import { FIELD_WEIGHTS, tagTerm } from '../../domain/search/document.ts'
import { formatGroup, type Query, readQuery, weighGroup } from '../../domain/search/query.ts'
import { tokenize } from '../../domain/search/tokens.ts'
import type { SearchAnswer, SearchQuestion } from '../../ports/search.ts'
import { openVocabulary } from './vocabulary.ts'

/** Candidates that are scored: the first by rowid, which follows `top`. docs/contract.md section 4. */
const MAX_SCORED = 1_200
/** Candidates that are put in an order that was asked for. */
const MAX_SORTED = 100_000
/** Prompts of one name or title that are put first: any number of owners may use one. */
const MAX_NAMED = 1_000
/** When this many prompts hold every word, partial matches are left out. */
const ENOUGH = 5
const MAX_PARTIAL = 20
/** Of the words' weight, what a partial match must hold: of what any prompt holds at most, or of all where everything was typed together. */
const MIN_SHARE = { ofMost: 0.35, ofAll: 0.4 }
const BM25 = `bm25(texts, ${Object.values(FIELD_WEIGHTS).join(', ')}, 0)`

/** What candidates are found for, beside the query. */
interface Asked {
  /** Prompts whose full name, name or title is the question. */
  named: readonly number[]
  /** Adds the tags that must all be carried to an FTS5 expression. */
  withTags: (expression: string) => string
  sort: Sort | undefined
  /** Candidates behind that many may stay in any order. */
  needed: number
}

/** Opens the search in an index. */
export function openFinder(database: DatabaseSync): (question: SearchQuestion) => SearchAnswer {
  const readState = database.prepare('SELECT value FROM state WHERE key = ?')
  const stateOf = (key: string) => readState.get(key)?.value
  const vocabulary = openVocabulary(database, new Map(JSON.parse(String(stateOf('equivalents')))))
  const addresses = addressesBelow(String(stateOf('base_url')))
  const orders = new Map<Sort, { ids: Uint32Array; places: Uint32Array }>()
  const orderOf = (sort: Sort) => {
    const order = orders.get(sort) ?? readOrder(stateOf(sort) as Uint8Array)
    orders.set(sort, order)
    return order
  }
  // One row of JSON crosses into JavaScript ten times as fast as a thousand rows.
  const select = (score: string) =>
    database.prepare(
      `SELECT json_group_array(json_array(id, score)) AS pairs FROM (SELECT rowid AS id, ${score} AS score FROM texts
        WHERE texts MATCH ?1 AND (?2 IS NULL OR +rowid IN (SELECT value FROM json_each(?2))) LIMIT ?3)`,
    )
  const [unscored, scored] = [select('0'), select(BM25)]
  const byName = database.prepare(
    `SELECT id FROM prompts WHERE (owner = ? AND name = ?) OR name = ? OR title = ? LIMIT ${MAX_NAMED}`,
  )
  const summaryOf = database.prepare('SELECT owner, name, summary FROM prompts WHERE id = ?')
  const total = orderOf('top').ids.length

  return ({ text, tags, sort, offset, limit }) => {
    const isAsked = text.trim() !== ''
    // No prompt has more tags than are allowed, or a tag that is none.
    const canMatch = tags.length <= LIMITS.tagsPerRepository && tags.every(isTag)
    const required = tags.map((tag) => `"${tagTerm(tag)}"`).join(' AND ')
    const tagged = canMatch && required !== '' ? new Set(listIds(required, total)) : undefined
    const hasTags = (id: number) => tagged?.has(id) ?? canMatch
    if (!isAsked) {
      const ids = orderOf(sort ?? 'top').ids.filter(hasTags)
      const matches = Array.from(ids.slice(offset, offset + limit), summarize)
      return { matches, total: ids.length, isTotalExact: true, matched: undefined }
    }
    const query = readQuery(canMatch ? text : '', vocabulary())
    const { ids, exact, isExact } = findCandidates(query, {
      named: listNamed(text).filter(hasTags),
      withTags: (expression) => (tagged ? `(${expression}) AND ${required}` : expression),
      sort,
      needed: offset + limit,
    })
    const { ignored, corrected } = query
    const isAsTyped = ignored.length === 0 && Object.keys(corrected).length === 0
    return {
      matches: ids.slice(offset, offset + limit).map(summarize),
      total: ids.length,
      isTotalExact: isExact && !query.isCut,
      matched: { exact: isAsTyped ? exact : 0, corrected, ignored },
    }
  }

  /** What matches an expression, by id, with its score: the lower, the better. @param among the only ids that count */
  function score(expression: string, among: readonly number[] | null = null): Map<number, number> {
    return new Map(JSON.parse(String(scored.get(expression, among && JSON.stringify(among), MAX_SCORED)?.pairs)))
  }

  function listIds(expression: string, most = MAX_SCORED): number[] {
    const pairs: [id: number, score: number][] = JSON.parse(String(unscored.get(expression, null, most)?.pairs))
    return pairs.map(([id]) => id)
  }

  /** Everything that matches, in the order of docs/contract.md section 4; `exact` of it hold every word. */
  function findCandidates(query: Query, asked: Asked): { ids: number[]; exact: number; isExact: boolean } {
    if (query.groups.length === 0) return { ids: [], exact: 0, isExact: true }
    const { sort, withTags } = asked
    const most = sort === undefined ? MAX_SCORED : MAX_SORTED
    const anywhere = listIds(withTags(query.groups.map(formatGroup).join(' AND ')), most)
    const full = sort === undefined ? rank(query, anywhere, asked) : anywhere
    const partial = full.length < ENOUGH ? findPartial(query, withTags, new Set(full)) : []
    if (sort !== undefined) for (const ids of [full, partial]) ids.sort(comparePlaces(sort))
    return { ids: [...full, ...partial], exact: full.length, isExact: anywhere.length < most }
  }

  /** Puts what holds every word in order: by class, and within a class by score. */
  function rank({ groups, phrase }: Query, anywhere: readonly number[], { named, withTags, needed }: Asked): number[] {
    const expression = groups.map(formatGroup).join(' AND ')
    const inName = score(withTags(`{owner name title} : (${expression})`))
    const left = new Set([...named, ...inName.keys(), ...anywhere])
    const ranked: number[] = []
    const take = (ids: Iterable<number>, scores: ReadonlyMap<number, number>) =>
      ranked.push(...[...ids].filter((id) => left.delete(id)).sort(compareScores(scores)))
    take(named, inName)
    take(inName.keys(), inName)
    if (ranked.length < needed && left.size > 0) {
      const scores = score(withTags(expression))
      if (phrase !== undefined) take(listIds(withTags(`"${phrase}"`)), scores)
      take(left, scores)
    }
    return [...ranked, ...left]
  }

  /** Prompts that hold a part of the words, the best first. */
  function findPartial(
    { groups, isOnePhrase }: Query,
    withTags: Asked['withTags'],
    full: ReadonlySet<number>,
  ): number[] {
    const weights = new Map<number, number>()
    const weighed = groups
      .map((group) => ({ expression: formatGroup(group), weight: weighGroup(group, total) }))
      .sort((a, b) => b.weight - a.weight)
    let rarer = ''
    for (const { expression, weight } of weighed) {
      const ids = new Set(listIds(withTags(expression)))
      // Of a common word, also those beyond the first that hold a rarer one.
      if (ids.size === MAX_SCORED && rarer !== '')
        for (const id of listIds(withTags(`${expression} AND (${rarer})`))) ids.add(id)
      for (const id of ids) weights.set(id, (weights.get(id) ?? 0) + weight)
      rarer += `${rarer && ' OR '}${expression}`
    }
    const all = weighed.reduce((sum, { weight }) => sum + weight, 0)
    const least = isOnePhrase ? MIN_SHARE.ofAll * all : MIN_SHARE.ofMost * Math.max(0, ...weights.values())
    const close = [...weights].filter(([id, weight]) => weight >= least && !full.has(id)).sort(([, a], [, b]) => b - a)
    const best = close.slice(0, MAX_SCORED).map(([id]) => id)
    // A word that was guessed counts only where every word was.
    const typed = groups.filter(({ readAs }) => readAs === undefined)
    const scores = score((typed.length > 0 ? typed : groups).map(formatGroup).join(' OR '), best)
    return best.sort(compareScores(scores)).slice(0, MAX_PARTIAL)
  }

  function comparePlaces(sort: Sort) {
    const { places } = orderOf(sort)
    return (a: number, b: number) => places[a]! - places[b]!
  }

  function compareScores(scores: ReadonlyMap<number, number>) {
    const compare = comparePlaces('top')
    return (a: number, b: number) => (scores.get(a) ?? 0) - (scores.get(b) ?? 0) || compare(a, b)
  }

  /** Prompts whose full name, name or title is the question. */
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

/** @param bytes the ids of prompts in their order @returns these, and the place of each by its id */
function readOrder(bytes: Uint8Array): { ids: Uint32Array; places: Uint32Array } {
  const ids = new Uint32Array(bytes.slice().buffer)
  const places = new Uint32Array(ids.reduce((most, id) => Math.max(most, id), 0) + 1)
  for (const [place, id] of ids.entries()) places[id] = place
  return { ids, places }
}
