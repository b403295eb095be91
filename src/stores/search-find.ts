// Answers a question from an opened index: groups of words to an FTS5 expression, its matches to one order, and that to a page.
import type { DatabaseSync } from 'node:sqlite'
import { LIMITS } from '../domain/api/limits.ts'
import { addressesBelow } from '../domain/api/record-links.ts'
import type { Sort } from '../domain/api/routes.ts'
import type { RepositorySummary } from '../domain/api/schema.ts'
import { isTag } from '../domain/content/names.ts'
import { FIELD_WEIGHTS, tagTerm } from '../domain/search/document.ts'
import { formatGroup, formatPhrase, type ReadQuestion, readQuestion, weighGroup } from '../domain/search/question.ts'
import { splitQuestion } from '../domain/search/words.ts'
import type { SearchAnswer, SearchQuestion } from '../ports/search.ts'
import { openVocabulary } from './search-words.ts'

/** Matches that are scored: the first by number, which follows `top`. docs/contract.md section 4. */
const MAX_SCORED = 1_200
/** Matches that are put in an order that was asked for. */
const MAX_SORTED = 100_000
/** Prompts of one name or title that are put first: any number of owners may use one. */
const MAX_NAMED = 1_000
/** When this many prompts hold every word, those that hold only a part are left out. */
const ENOUGH = 5
const MAX_PARTLY = 20
/** Of the words' weight, what a prompt that lacks some must hold: of what any prompt holds at most, or of all where everything was typed together. */
const MIN_SHARE = { ofMost: 0.35, ofAll: 0.4 }

const TAGGED = 'AND (? IS NULL OR +rowid IN (SELECT rowid FROM texts WHERE texts MATCH ?))'
const NONE = { ids: [], full: 0, isExact: true }
const DESCRIBING = '{owner name title tags description}'
/** The search in one opened index. */
export function openFinder(database: DatabaseSync): (question: SearchQuestion) => SearchAnswer {
  const state = new Map(
    database
      .prepare('SELECT key, value FROM state')
      .all()
      .map(({ key, value }) => [String(key), value]),
  )
  const vocabulary = openVocabulary(database, String(state.get('equivalents')))
  const addresses = addressesBelow(String(state.get('base_url')))
  const orders = new Map<Sort, { ids: Uint32Array; places: Uint32Array }>()
  const orderOf = (sort: Sort) => {
    const known = orders.get(sort) ?? readOrder(state.get(sort) as Uint8Array)
    orders.set(sort, known)
    return known
  }
  const prompts = orderOf('top').ids.length
  const weights = [...Object.values(FIELD_WEIGHTS), 0].join(', ')
  // One row of JSON crosses into JavaScript ten times as fast as a thousand rows.
  const list = database.prepare(
    `SELECT json_group_array(id) AS ids FROM (SELECT rowid AS id FROM texts WHERE texts MATCH ? ${TAGGED} LIMIT ?)`,
  )
  const score = database.prepare(
    `SELECT json_group_array(id) AS ids, json_group_array(score) AS scores FROM (SELECT rowid AS id,
      CAST(bm25(texts, ${weights}) * 1e6 AS INTEGER) AS score FROM texts WHERE texts MATCH ? ${TAGGED} LIMIT ?)`,
  )
  const scoreAmong = database.prepare(
    `SELECT rowid AS id, CAST(bm25(texts, ${weights}) * 1e6 AS INTEGER) AS score FROM texts
      WHERE texts MATCH ? AND +rowid IN (SELECT value FROM json_each(?))`,
  )
  const byName = database.prepare(`SELECT id FROM prompts WHERE name = ? OR title = ? LIMIT ${MAX_NAMED}`)
  const byFullName = database.prepare('SELECT id FROM prompts WHERE owner = ? AND name = ?')
  const summaryOf = database.prepare('SELECT owner, name, summary FROM prompts WHERE id = ?')

  const idsOf = (match: string, tags: string | null, most = MAX_SCORED): number[] =>
    JSON.parse(String(list.get(match, tags, tags, most)?.ids))
  const scoresOf = (match: string, tags: string | null): Map<number, number> => {
    const row = score.get(match, tags, tags, MAX_SCORED)
    const scores: number[] = JSON.parse(String(row?.scores))
    return new Map((JSON.parse(String(row?.ids)) as number[]).map((id, index) => [id, scores[index]!]))
  }

  return (question) => {
    const { text, tags, sort, offset, limit } = question
    const isAsked = text.trim() !== ''
    const matched = { exact: 0, corrected: {}, ignored: [] as string[] }
    const nothing = { matches: [], total: 0, isTotalExact: true, matched: isAsked ? matched : undefined }
    // No prompt has more tags than are allowed, or a tag that is none.
    if (tags.length > LIMITS.tagsPerRepository || !tags.every(isTag)) return nothing
    const tagMatch = tags.length === 0 ? null : tags.map((tag) => formatPhrase([tagTerm(tag)])).join(' AND ')
    const show = (ids: ArrayLike<number>) => Array.from(ids, showPrompt)
    if (!isAsked) {
      const { ids } = orderOf(sort ?? 'top')
      const among = tagMatch === null ? undefined : new Set(idsOf(tagMatch, null, prompts))
      const all = among ? ids.filter((id) => among.has(id)) : ids
      return { ...nothing, matches: show(all.slice(offset, offset + limit)), total: all.length }
    }
    const read = readQuestion(text, vocabulary())
    if (read === undefined) return nothing
    const found = read.groups.length === 0 ? NONE : findGroups(read, question, tagMatch)
    const isAsTyped = read.ignored.length === 0 && Object.keys(read.corrected).length === 0
    return {
      matches: show(found.ids.slice(offset, offset + limit)),
      total: found.ids.length,
      isTotalExact: found.isExact && !read.isCut,
      matched: { exact: isAsTyped ? found.full : 0, corrected: read.corrected, ignored: read.ignored },
    }
  }

  function findGroups(read: ReadQuestion, { text, sort, offset, limit }: SearchQuestion, tags: string | null) {
    const expression = read.groups.map(formatGroup).join(' AND ')
    const most = sort === undefined ? MAX_SCORED : MAX_SORTED
    const anywhere = idsOf(expression, tags, most)
    const full = sort === undefined ? rank() : anywhere.sort(byPlace(sort))
    const partly = full.length < ENOUGH ? findPartly(read, tags, new Set(full)) : []
    if (sort !== undefined) partly.sort(byPlace(sort))
    return { ids: [...full, ...partly], full: full.length, isExact: anywhere.length < most }

    /** Puts what holds every word in order: by class, and within a class by score. What stands behind the page that is asked for stays as it is. */
    function rank(): number[] {
      const named = listNamed(text, tags)
      const inName = scoresOf(`{owner name title} : (${expression})`, tags)
      const left = new Set([...named, ...inName.keys(), ...anywhere])
      const ranked: number[] = []
      const take = (ids: Iterable<number>, scores: ReadonlyMap<number, number>) =>
        ranked.push(...[...ids].filter((id) => left.delete(id)).sort(byScore(scores)))
      take(named, inName)
      take(inName.keys(), inName)
      if (ranked.length < offset + limit && left.size > 0) {
        const scores = scoresOf(expression, tags)
        if (read.phrase.length > 1) take(idsOf(formatPhrase(read.phrase), tags), scores)
        take(left, scores)
      }
      return [...ranked, ...left]
    }
  }

  /** Prompts that hold a part of the words, the best first. */
  function findPartly({ groups, isOne }: ReadQuestion, tags: string | null, full: ReadonlySet<number>): number[] {
    const held = new Map<number, number>()
    const weighed = groups
      .map((group) => ({ match: formatGroup(group), weight: weighGroup(group, prompts) }))
      .sort((a, b) => b.weight - a.weight)
    const all = weighed.map(({ match }) => match)
    for (const [index, { match, weight }] of weighed.entries()) {
      const ids = new Set(idsOf(match, tags))
      // Of a common word, also those beyond the first that hold a rarer one.
      if (ids.size === MAX_SCORED && index > 0)
        for (const id of idsOf(`${match} AND (${all.slice(0, index).join(' OR ')})`, tags)) ids.add(id)
      for (const id of ids) held.set(id, (held.get(id) ?? 0) + weight)
    }
    const total = weighed.reduce((sum, { weight }) => sum + weight, 0)
    const least = isOne ? MIN_SHARE.ofAll * total : MIN_SHARE.ofMost * Math.max(0, ...held.values())
    const close = [...held].filter(([id, weight]) => weight >= least && !full.has(id)).sort(([, a], [, b]) => b - a)
    const best = close.slice(0, MAX_SCORED).map(([id]) => id)
    // A word that describes a prompt counts more; one that was guessed does not.
    const typed = groups.filter(({ readAs }) => readAs === undefined).map(formatGroup)
    const match = `${DESCRIBING} : (${(typed.length > 0 ? typed : all).join(' OR ')}) OR ${all.join(' OR ')}`
    const rows = scoreAmong.all(match, JSON.stringify(best))
    const scores = new Map(rows.map(({ id, score }) => [Number(id), Number(score)]))
    return best.sort(byScore(scores)).slice(0, MAX_PARTLY)
  }

  function byPlace(sort: Sort) {
    const { places } = orderOf(sort)
    return (a: number, b: number) => places[a]! - places[b]!
  }

  function byScore(scores: ReadonlyMap<number, number>) {
    const compare = byPlace('top')
    return (a: number, b: number) => (scores.get(a) ?? 0) - (scores.get(b) ?? 0) || compare(a, b)
  }

  /** Prompts whose full name, name or title is the question. */
  function listNamed(text: string, tags: string | null): number[] {
    const [owner = '', name = '', ...rest] = text.trim().toLowerCase().split('/')
    const words = splitQuestion(text).phrases.flat()
    const rows = [
      ...(rest.length === 0 && name !== '' ? byFullName.all(owner, name) : []),
      ...byName.all(words.join('-'), words.join(' ')),
    ]
    const among = tags === null ? undefined : new Set(idsOf(tags, null, prompts))
    return rows.map(({ id }) => Number(id)).filter((id) => among?.has(id) ?? true)
  }

  function showPrompt(id: number): RepositorySummary {
    const row = summaryOf.get(id)
    const [owner, name] = [String(row?.owner), String(row?.name)]
    return {
      owner,
      name,
      full_name: `${owner}/${name}`,
      ...JSON.parse(String(row?.summary)),
      ...addresses.repository(owner, name),
    }
  }
}

/** @param bytes the numbers of prompts in their order @returns these, and the place of each by its number */
function readOrder(bytes: Uint8Array): { ids: Uint32Array; places: Uint32Array } {
  const ids = new Uint32Array(bytes.slice().buffer)
  const places = new Uint32Array(ids.reduce((most, id) => Math.max(most, id), 0) + 1)
  for (const [place, id] of ids.entries()) places[id] = place
  return { ids, places }
}
