// Owns answering a question from an index: words to readings, readings to matches, matches to a page. How matches rank stands in domain/search/tally.ts.
import type { DatabaseSync } from 'node:sqlite'
import { LIMITS } from '../domain/api/limits.ts'
import type { Sort } from '../domain/api/routes.ts'
import { isTag } from '../domain/content/names.ts'
import { affordReadings } from '../domain/search/budget.ts'
import { indexEquivalents } from '../domain/search/equivalents.ts'
import type { Allowed } from '../domain/search/holders.ts'
import { tagKey, termKey, titleKey } from '../domain/search/keys.ts'
import { Lexicon } from '../domain/search/lexicon.ts'
import { placeOf, raise } from '../domain/search/match-keys.ts'
import { decodePostings, encodeNumbers, makePostingRoom } from '../domain/search/postings.ts'
import type { Reading, WordReadings } from '../domain/search/readings.ts'
import { sliceSorted } from '../domain/search/smallest.ts'
import { ENOUGH, Tally } from '../domain/search/tally.ts'
import { isStopWord, listUnits, termOf } from '../domain/search/terms.ts'
import { listCapitals, splitQuestion } from '../domain/search/words.ts'
import type { SearchAnswer, SearchQuestion } from '../ports/search.ts'
import { holdsRow, orderReader, summaryReader, textReader } from './search-records.ts'
import { IndexVocabulary } from './search-vocabulary.ts'

/** In so many of the best matches it is looked up whether the words stand together. */
const MOST_LOOKED_AT = 100
/** At most so many prompts whose name is the question are put first: any number of owners may use one name. */
const MOST_NAMED = 1_000

/** The search in one opened index. */
export class Finder {
  readonly #vocabulary: IndexVocabulary
  readonly #lexicon: Lexicon
  readonly #tally: Tally
  readonly #order
  readonly #prompts: number
  readonly #room
  readonly #summaryOf
  readonly #textOf
  readonly #byName
  readonly #byFullName

  /** @param state the index's table of that name */
  constructor(database: DatabaseSync, state: ReadonlyMap<string, unknown>) {
    this.#vocabulary = new IndexVocabulary(database)
    this.#lexicon = new Lexicon(this.#vocabulary, indexEquivalents(JSON.parse(String(state.get('equivalents')))))
    this.#order = orderReader(state)
    this.#prompts = this.#order('top').places.length
    this.#tally = new Tally(this.#prompts)
    this.#room = makePostingRoom(this.#prompts)
    this.#summaryOf = summaryReader(database, state)
    this.#textOf = textReader(database)
    this.#byName = database.prepare(`SELECT id FROM prompts WHERE name = ? LIMIT ${MOST_NAMED}`)
    this.#byFullName = database.prepare('SELECT id FROM prompts WHERE owner = ? AND name = ?')
  }

  /** Answers a question. */
  find(question: SearchQuestion): SearchAnswer {
    const { text, tags, sort } = question
    const isAsked = text.trim() !== ''
    const matched = { exact: 0, corrected: {}, ignored: [] }
    const nothing = { matches: [], total: 0, isTotalExact: true, matched: isAsked ? matched : undefined }
    // No prompt has more tags than are allowed, or a tag that is none; so nothing matches.
    if (tags.length > LIMITS.tagsPerRepository || !tags.every(isTag)) return nothing
    const tagged = tags.length === 0 ? undefined : this.#findTagged(tags)
    const order = sort ?? 'top'
    const show = (places: Float64Array) =>
      Array.from(places, (key) => this.#summaryOf(this.#order(order).numbers[placeOf(key)]!))
    if (!isAsked) {
      const places = this.#list(order, tagged)
      return { ...nothing, matches: show(pageOf(places, question)), total: places.length }
    }
    const { phrases, ignored } = splitQuestion(text)
    if (phrases.length === 0) return nothing
    const found = this.#findWords(question, phrases, tagged)
    return {
      matches: show(found.page),
      total: found.total,
      isTotalExact: found.isComplete,
      matched: { exact: found.exact, corrected: found.corrected, ignored: [...found.ignored, ...ignored] },
    }
  }

  #findWords(question: SearchQuestion, phrases: string[][], allowed: Allowed | undefined) {
    const { text, sort } = question
    const read = this.#lexicon.readWords(listUnits(phrases), phrases.at(-1)!.at(-1)!, listCapitals(text))
    const { words, dropped } = affordReadings(read.filter(({ readings }) => readings.length > 0))
    const named = this.#findNamed(text, phrases)
    const { places } = this.#order(sort ?? 'top')
    /** @param further more readings of a word; who holds a word only by one of these counts as holding a part of the words */
    const rank = (further: (one: WordReadings) => readonly Reading[]) => {
      const counted = words.map((one) => ({
        alternatives: [
          ...one.readings.map((reading) => this.#open(reading, true)),
          ...further(one).map((reading) => this.#open(reading, false)),
        ],
        weight: one.tells * this.#weigh(one.readings),
      }))
      return this.#tally.rank(counted, {
        places,
        allowed,
        named,
        isSorted: sort !== undefined,
        isOne: phrases.length === 1,
      })
    }
    const corrected = new Map(read.flatMap(({ word, readAs }) => (readAs === undefined ? [] : [[word, readAs]])))
    let ranked = rank(() => [])
    if (ranked.full.length < ENOUGH) {
      if (words.some(({ loosely }) => loosely.length > 0)) ranked = rank(({ loosely }) => loosely)
      const typos = this.#readTypos(words)
      if (typos.size > 0) {
        const before = ranked.partly.length
        ranked = rank(({ word, loosely }) => [...loosely, ...(typos.get(word) ?? [])])
        // A correction that found nothing more is not told.
        if (ranked.partly.length > before) for (const [word, [{ word: used }]] of typos) corrected.set(word, used)
      }
    }
    const known = new Set(words.map(({ word }) => word))
    const ignored = read.filter(({ word }) => !known.has(word)).map(({ word }) => word)
    const isAsTyped = ignored.length === 0 && read.every(({ readAs }) => readAs === undefined)
    const total = ranked.full.length + ranked.partly.length
    return {
      page: this.#turnTo(question, ranked, phrases),
      total,
      exact: isAsTyped ? ranked.full.length : 0,
      corrected: Object.fromEntries(corrected),
      ignored,
      isComplete: !dropped,
    }
  }

  /** Takes the page that was asked for. Only as many matches as that needs are put in order. */
  #turnTo(question: SearchQuestion, { full, better, partly }: ReturnType<Tally['rank']>, phrases: string[][]) {
    const { offset, limit, sort } = question
    const end = offset + limit
    if (offset >= full.length) return pageOf(partly, { offset: offset - full.length, limit })
    // Words that stand together are looked for in the same matches whichever page is asked for, so that all pages come from one order.
    const joined = phrases.filter(({ length }) => length > 1)
    const inNames = sort === undefined && joined.length > 0 ? Math.min(better, MOST_LOOKED_AT) : 0
    const anywhere = sort === undefined && better < end ? better + MOST_LOOKED_AT : 0
    const looked = Math.max(inNames, anywhere)
    const start = offset < looked ? 0 : offset
    const best = sliceSorted(full, start, Math.max(end, start === 0 ? looked : 0))
    if (start === 0) {
      this.#raiseTogether(best.subarray(0, inNames), joined, [])
      this.#raiseTogether(best.subarray(better, Math.max(better, anywhere)), joined, phrases.flat())
    }
    const page = best.subarray(offset - start, end - start)
    return Float64Array.of(...page, ...partly.subarray(0, limit - page.length))
  }

  /** Reads words that are known but find little as typos of words that find much. */
  #readTypos(words: readonly WordReadings[]): Map<string, [Reading & { word: string }]> {
    return new Map(
      words.flatMap(({ word, readings }) => {
        const prompts = Math.max(...readings.map(({ terms }) => leastOf(terms)))
        const further = prompts < ENOUGH ? this.#lexicon.readFurther(word, prompts) : undefined
        return further ? [[word, [further]]] : []
      }),
    )
  }

  #open({ terms, weight }: Reading, counts: boolean) {
    return { postings: terms.map(({ key }) => this.#vocabulary.readPostings(key)), weight, counts }
  }

  /** How much a word counts: the fewer prompts hold it, the more. */
  #weigh(readings: readonly Reading[]): number {
    const prompts = Math.max(1, ...readings.filter(({ weight }) => weight === 1).map(({ terms }) => leastOf(terms)))
    const rarest = readings.some(({ weight }) => weight === 1)
      ? prompts
      : Math.max(1, ...readings.map(({ terms }) => leastOf(terms)))
    return Math.log(1 + (this.#prompts + 1) / rarest)
  }

  /** Prompts whose full name, name or title is the question. */
  #findNamed(text: string, phrases: readonly string[][]): Set<number> {
    const [owner = '', name = '', ...rest] = text.trim().toLowerCase().split('/')
    const words = phrases.flat()
    const rows = [
      ...(rest.length === 0 && name !== '' ? this.#byFullName.all(owner, name) : []),
      ...this.#byName.all(words.join('-')),
    ]
    const named = new Set(rows.map(({ id }) => Number(id)))
    this.#eachFiled(titleKey(words), (id) => named.add(id))
    return named
  }

  /**
   * Puts matches in which words stand together before those in which they stand anywhere.
   *
   * @param keys of the matches, in order; they are put in their new order
   * @param joined phrases of several words, such as `code-review`: a match with the words of each in a row comes first
   * @param all all words of the question: a match with all of these in a row comes first too; none when that does not count
   */
  #raiseTogether(keys: Float64Array, joined: readonly string[][], all: readonly string[]): void {
    const rowOf = (words: readonly string[]): Uint8Array | undefined => {
      const terms = words
        .filter((word) => !isStopWord(word))
        .map((word) => this.#vocabulary.findTerm(termKey(termOf(word)))?.number)
      if (terms.length < 2) return undefined
      // When no prompt holds one of the terms, none has all of them in a row.
      return terms.every((term) => term !== undefined) ? encodeNumbers(terms) : NOWHERE
    }
    const whole = rowOf(all)
    const rows = joined.map(rowOf).filter((row) => row !== undefined)
    if (keys.length === 0 || (rows.length === 0 && whole === undefined)) return
    const { numbers } = this.#order('top')
    for (const [index, key] of keys.entries()) {
      const text = this.#textOf(numbers[placeOf(key)]!)
      const holds = (row: Uint8Array) => row !== NOWHERE && holdsRow(text, row)
      if ((rows.length > 0 && rows.every(holds)) || (whole && holds(whole))) keys[index] = raise(key)
    }
    keys.sort()
  }

  #findTagged(tags: readonly string[]): Allowed {
    const marks = new Uint8Array(this.#prompts + 1)
    for (const tag of tags) this.#eachFiled(tagKey(tag), (id) => marks[id]!++)
    return { marks, mark: tags.length }
  }

  #eachFiled(key: number, work: (id: number) => void): void {
    const found = decodePostings(this.#vocabulary.readPostings(key), this.#room)
    for (let index = 0; index < found; index++) work(this.#room.ids[index]!)
  }

  #list(order: Sort, allowed: Allowed | undefined): Float64Array {
    const { numbers } = this.#order(order)
    const places = Float64Array.from(numbers.subarray(1), (_, index) => index + 1)
    return allowed ? places.filter((place) => allowed.marks[numbers[place]!] === allowed.mark) : places
  }
}

function pageOf(places: Float64Array, { offset, limit }: Pick<SearchQuestion, 'offset' | 'limit'>): Float64Array {
  return places.subarray(offset, offset + limit)
}

function leastOf(terms: readonly { prompts: number }[]): number {
  return Math.min(...terms.map(({ prompts }) => prompts))
}

/** The row of words that no text has. */
const NOWHERE = new Uint8Array()
