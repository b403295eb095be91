// Owns answering a question from an index: words to readings, readings to matches, matches to a page. How matches rank stands in domain/search/tally.ts.
import type { DatabaseSync } from 'node:sqlite'
import { LIMITS } from '../domain/api/limits.ts'
import { addressesBelow } from '../domain/api/record-links.ts'
import type { RepositorySummary } from '../domain/api/schema.ts'
import { SORTS, type Sort } from '../domain/catalogue/ranking.ts'
import { isTag } from '../domain/content/names.ts'
import { tagKey } from '../domain/search/document.ts'
import { indexEquivalents } from '../domain/search/equivalents.ts'
import { decodePostings, makePostingRoom } from '../domain/search/postings.ts'
import { CLASSES, classOf, ENOUGH, placeOf, raise, Tally } from '../domain/search/tally.ts'
import { pairIdeographs, STOP_WORDS } from '../domain/search/terms.ts'
import { isIdeograph, splitQuestion } from '../domain/search/words.ts'
import type { SearchAnswer, SearchQuestion } from '../ports/search.ts'
import { Lexicon, type Reading, type WordReadings } from './search-lexicon.ts'
import { decodeText } from './search-tables.ts'

/** So many postings are counted for one question: what makes its cost bounded. The rarest words come first, then the ways to read them. */
const MOST_POSTINGS = 800_000
/** So many of the best matches are looked at for words that stand together. */
const MOST_LOOKED_AT = 200
/** A question or a title of more words is not the name of a prompt. */
const MOST_NAMED = 1_000

/** The search in one opened index. */
export class Finder {
  readonly #lexicon: Lexicon
  readonly #tally: Tally
  readonly #places: Readonly<Record<Sort, Uint32Array>>
  readonly #numbers: Readonly<Record<Sort, Uint32Array>>
  readonly #summaryOf: (id: number) => RepositorySummary
  readonly #textOf
  readonly #byTitle
  readonly #byName
  readonly #byFullName

  /** @param state the table of that name */
  constructor(database: DatabaseSync, state: ReadonlyMap<string, unknown>) {
    this.#lexicon = new Lexicon(database, indexEquivalents(JSON.parse(String(state.get('equivalents')))))
    this.#places = eachSort((sort) => readPlaces(state.get(sort)))
    this.#numbers = eachSort((sort) => invert(this.#places[sort]))
    this.#tally = new Tally(this.#places.top.length)
    this.#summaryOf = summaryReader(database, state)
    this.#textOf = database.prepare('SELECT words FROM texts WHERE id = ?')
    this.#byTitle = database.prepare(`SELECT id FROM titles WHERE title = ? LIMIT ${MOST_NAMED}`)
    this.#byName = database.prepare(`SELECT id FROM names WHERE name = ? LIMIT ${MOST_NAMED}`)
    this.#byFullName = database.prepare('SELECT id FROM names WHERE owner = ? AND name = ?')
  }

  /** Answers a question. */
  find({ text, tags, sort, offset, limit }: SearchQuestion): SearchAnswer {
    const isAsked = text.trim() !== ''
    const matched = { exact: 0, corrected: {}, ignored: [] }
    const nothing = { matches: [], total: 0, isTotalExact: true, matched: isAsked ? matched : undefined }
    // Nothing carries more tags than it may.
    if (tags.length > LIMITS.tagsPerRepository || !tags.every(isTag)) return nothing
    const isTagged = tags.length === 0 ? undefined : this.#findTagged(tags)
    const page = (keys: Float64Array, order: Sort) =>
      [...keys.subarray(offset, offset + limit)].map((key) => this.#summaryOf(this.#numbers[order][placeOf(key)]!))
    if (!isAsked) {
      const keys = this.#list(sort ?? 'top', isTagged)
      return { ...nothing, matches: page(keys, sort ?? 'top'), total: keys.length }
    }
    const { phrases, ignored } = splitQuestion(text)
    if (phrases.length === 0) return nothing
    const found = this.#findWords(text, phrases, { sort, isTagged })
    return {
      matches: page(found.keys, sort ?? 'top'),
      total: found.keys.length,
      isTotalExact: found.isComplete,
      matched: { exact: found.exact, corrected: found.corrected, ignored: [...found.ignored, ...ignored] },
    }
  }

  #findWords(
    text: string,
    phrases: string[][],
    { sort, isTagged }: { sort: Sort | undefined; isTagged: Uint8Array | undefined },
  ) {
    const read = this.#lexicon.readWords(unitsOf(phrases), phrases.at(-1)!.at(-1)!)
    const known = read.filter(({ readings }) => readings.length > 0)
    const { words, dropped } = affordable(known)
    const order = sort ?? 'top'
    const named = this.#findNamed(text, phrases)
    const rank = (further: ReadonlyMap<string, Reading>) => {
      this.#tally.clear()
      for (const { word, readings } of words) {
        const extra = further.get(word)
        this.#tally.addWord(
          [...readings.map((one) => this.#open(one, true)), ...(extra ? [this.#open(extra, false)] : [])],
          this.#weigh(readings),
        )
      }
      return this.#tally.rank(this.#places[order], isTagged, named, sort !== undefined)
    }
    const corrected = new Map(read.flatMap(({ word, readAs }) => (readAs === undefined ? [] : [[word, readAs]])))
    let { full, partly } = rank(new Map())
    if (full.length < ENOUGH) {
      const further = this.#readFurther(words)
      if (further.size > 0) {
        const again = rank(further)
        // Only what it brings is worth saying.
        if (again.partly.length > partly.length)
          for (const [word, reading] of further) corrected.set(word, reading.word)
        full = again.full
        partly = again.partly
      }
    }
    if (sort === undefined) this.#raiseTogether(full, phrases)
    const ignored = read.filter((one) => !words.includes(one)).map(({ word }) => word)
    const keys = new Float64Array(full.length + partly.length)
    keys.set(full)
    keys.set(partly, full.length)
    const isAsTyped = ignored.length === 0 && read.every(({ readAs }) => readAs === undefined)
    return {
      keys: words.length === 0 ? new Float64Array() : keys,
      exact: isAsTyped ? full.length : 0,
      corrected: Object.fromEntries(corrected),
      ignored,
      isComplete: !dropped,
    }
  }

  /** Words that are known but find little may be typos of words that find much. */
  #readFurther(words: readonly WordReadings[]): Map<string, Reading & { word: string }> {
    return new Map(
      words.flatMap(({ word, readings }) => {
        const prompts = Math.max(...readings.map(({ terms }) => leastOf(terms)))
        const further = prompts < ENOUGH ? this.#lexicon.readFurther(word, prompts) : undefined
        return further ? [[word, further]] : []
      }),
    )
  }

  #open({ terms, weight }: Reading, counts: boolean) {
    return { postings: terms.map((term) => this.#lexicon.readPostings(term)), weight, counts }
  }

  /** The rarer a word, the more it tells. */
  #weigh(readings: readonly Reading[]): number {
    const prompts = Math.max(1, ...readings.filter(({ weight }) => weight === 1).map(({ terms }) => leastOf(terms)))
    const rarest = readings.some(({ weight }) => weight === 1)
      ? prompts
      : Math.max(1, ...readings.map(({ terms }) => leastOf(terms)))
    return Math.log(1 + (this.#places.top.length + 1) / rarest)
  }

  /** Prompts whose full name, name or title is the question. */
  #findNamed(text: string, phrases: readonly string[][]): Set<number> {
    const [owner = '', name = '', ...rest] = text.trim().toLowerCase().split('/')
    const words = phrases.flat()
    const rows = [
      ...(rest.length === 0 && name !== '' ? this.#byFullName.all(owner, name) : []),
      ...this.#byName.all(words.join('-')),
      ...this.#byTitle.all(words.join(' ')),
    ]
    return new Set(rows.map(({ id }) => Number(id)))
  }

  /** Puts matches in which the words stand together before those in which they stand anywhere. */
  #raiseTogether(keys: Float64Array, phrases: readonly string[][]): void {
    const words = phrases.flat()
    if (words.length < 2) return
    const first = keys.findIndex((key) => classOf(key) === CLASSES.everywhere)
    if (first < 0) return
    const forms = words.map((word) => this.#lexicon.listForms(word))
    const formsOf = new Map(words.map((word, index) => [word, forms[index]!]))
    const joined = phrases.filter(({ length }) => length > 1).map((phrase) => phrase.map((word) => formsOf.get(word)!))
    const looked = keys.subarray(first, first + MOST_LOOKED_AT)
    for (const [index, key] of looked.entries()) {
      const row = this.#textOf.get(this.#numbers.top[placeOf(key)]!)
      if (!(row?.words instanceof Uint8Array)) continue
      const text = decodeText(row.words).inOrder
      const isTogether =
        holdsInRow(text, forms) || (joined.length > 0 && joined.every((phrase) => holdsInRow(text, phrase)))
      if (isTogether) looked[index] = raise(key, CLASSES.together)
    }
    looked.sort()
  }

  #findTagged(tags: readonly string[]): Uint8Array {
    const size = this.#places.top.length + 1
    const counts = new Uint8Array(size)
    const room = makePostingRoom(size)
    for (const tag of tags) {
      const term = this.#lexicon.findTerm(tagKey(tag))
      const found = term ? decodePostings(this.#lexicon.readPostings(term), room) : 0
      for (let index = 0; index < found; index++) counts[room.ids[index]!]!++
    }
    return counts.map((count) => (count === tags.length ? 1 : 0))
  }

  #list(sort: Sort, isAllowed: Uint8Array | undefined): Float64Array {
    const numbers = this.#numbers[sort]
    const places = Float64Array.from(numbers.subarray(1), (_, index) => index + 1)
    return isAllowed ? places.filter((place) => isAllowed[numbers[place]!] === 1) : places
  }
}

/** The words that count one by one: scripts without spaces by pairs; stop words not, unless there are no others or they hang together with others. */
function unitsOf(phrases: readonly string[][]): string[] {
  const telling = phrases.filter(([word = '', ...more]) => more.length > 0 || !STOP_WORDS.has(word))
  const units = (telling.length > 0 ? telling : phrases).flatMap((phrase) => {
    const pairs = pairIdeographs(phrase)
    return pairs.length === 0 ? phrase : [...phrase.filter((word) => !isIdeograph(word)), ...pairs]
  })
  return [...new Set(units)]
}

/** What a question may cost: the rarest words first, then the ways to read them; words that are too common to be afforded tell nothing apart. */
function affordable(read: readonly WordReadings[]): { words: WordReadings[]; dropped: boolean } {
  const costOf = ({ terms }: Reading) => terms.reduce((sum, { prompts }) => sum + prompts, 0)
  let spent = 0
  let dropped = false
  const affords = (reading: Reading) => {
    const cost = costOf(reading)
    const fits = spent + cost <= MOST_POSTINGS
    if (fits) spent += cost
    else dropped = true
    return fits
  }
  const rarestFirst = [...read].sort((a, b) => costOf(a.readings[0]!) - costOf(b.readings[0]!))
  const kept = new Set(rarestFirst.filter(({ readings }) => affords(readings[0]!)))
  const words = read
    .filter((one) => kept.has(one))
    .map((one) => {
      one.readings = one.readings.filter((reading, index) => index === 0 || affords(reading))
      return one
    })
  return { words, dropped }
}

function leastOf(terms: readonly { prompts: number }[]): number {
  return Math.min(...terms.map(({ prompts }) => prompts))
}

/** Whether words of a text stand in a row in the forms that are asked for. */
function holdsInRow(text: readonly number[], forms: readonly ReadonlySet<number>[]): boolean {
  return text.some((word, at) => forms[0]!.has(word) && forms.every((form, index) => form.has(text[at + index]!)))
}

function eachSort<Value>(make: (sort: Sort) => Value): Record<Sort, Value> {
  return Object.fromEntries(SORTS.map((sort) => [sort, make(sort)])) as Record<Sort, Value>
}

function readPlaces(value: unknown): Uint32Array {
  const bytes = value instanceof Uint8Array ? value : new Uint8Array()
  return new Uint32Array(bytes.slice().buffer)
}

/** From the place in an order to the number of the prompt. */
function invert(places: Uint32Array): Uint32Array {
  const numbers = new Uint32Array(places.reduce((count, place) => Math.max(count, place), 0) + 1)
  for (const [id, place] of places.entries()) if (place > 0) numbers[place] = id
  return numbers
}

function summaryReader(database: DatabaseSync, state: ReadonlyMap<string, unknown>): (id: number) => RepositorySummary {
  const statement = database.prepare('SELECT summary FROM prompts WHERE id = ?')
  const fields: string[] = JSON.parse(String(state.get('fields')))
  const addresses = addressesBelow(String(state.get('base_url')))
  return (id) => {
    const values: unknown[] = JSON.parse(String(statement.get(id)?.summary))
    const kept = Object.fromEntries(fields.map((field, index) => [field, values[index]]))
    const { owner, name, ...rest } = kept as Omit<RepositorySummary, 'full_name' | 'url' | 'html_url' | 'raw_url'>
    return { owner, name, full_name: `${owner}/${name}`, ...rest, ...addresses.repository(owner, name) }
  }
}
