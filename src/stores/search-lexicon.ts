// Owns finding out what the words of a question may mean in an index: its forms, its beginnings, equivalents, joined and split words, typos.
import type { DatabaseSync } from 'node:sqlite'
import { PREFIX_LETTERS, prefixKey } from '../domain/search/document.ts'
import { keyOf } from '../domain/search/equivalents.ts'
import { relatedTerms, termOf } from '../domain/search/terms.ts'
import { countTypos, forgivenTypos, typoKeys } from '../domain/search/typos.ts'

/** A term of the index. */
interface Term {
  id: number
  /** How many prompts hold it. */
  prompts: number
}

/** One way to read a word of a question: all of the terms must be held. */
export interface Reading {
  terms: readonly Term[]
  weight: number
}

/** What a word of a question may mean. */
export interface WordReadings {
  word: string
  /** The word itself and what stands for it as well as the word; empty when nothing does. */
  readings: Reading[]
  /** What it was read as, where nothing holds the word itself. */
  readAs: string | undefined
}

/** How much each way of reading a word is worth beside the word itself. */
const WEIGHTS = { itself: 1, beginning: 0.8, joined: 0.9, split: 0.85, typo: 0.8, related: 0.7, equivalent: 0.6 }
/** A short beginning of words in so many names and descriptions is no longer looked for in contents. */
const MANY_LISTED = 100
/** So many words are looked at for a beginning, in the order of letters, and the most used of them are taken. */
const MOST_BEGINNINGS = { seen: 2_000, taken: 32 }
/** So many words are looked at for a typo, and the closest of them are taken. */
const MOST_CORRECTIONS = { seen: 2_000, taken: 4 }
/** The shortest part of a word that was written together. */
const SHORTEST_PART = 3
const LONGEST_SPLIT = 32
/** Equivalents and joined words reach over so many words. */
const LONGEST_SPAN = 4

/** What an index knows of words. Every statement looks a bounded number of rows up by key. */
export class Lexicon {
  readonly #term
  readonly #termById
  readonly #postings
  readonly #wordsOfTerm
  readonly #word
  readonly #beginnings
  readonly #candidates
  readonly #equivalents: ReadonlyMap<string, string[][]>

  constructor(database: DatabaseSync, equivalents: ReadonlyMap<string, string[][]>) {
    this.#term = database.prepare('SELECT id, prompts FROM terms WHERE term = ?')
    this.#termById = database.prepare('SELECT id, prompts FROM terms WHERE id = ?')
    this.#postings = database.prepare('SELECT postings FROM terms WHERE id = ?')
    this.#word = database.prepare(
      'SELECT terms.id AS id, terms.prompts AS prompts FROM words JOIN terms ON terms.id = words.term WHERE word = ?',
    )
    this.#wordsOfTerm = database.prepare('SELECT id FROM words WHERE term = ? LIMIT 200')
    this.#beginnings = database.prepare(
      `SELECT term, prompts FROM words WHERE word >= ? AND word < ? ORDER BY word LIMIT ${MOST_BEGINNINGS.seen}`,
    )
    this.#candidates = database.prepare(
      `SELECT words.word AS word, votes, term FROM typos JOIN words ON words.id = typos.word WHERE key = ? LIMIT ${MOST_CORRECTIONS.seen}`,
    )
    this.#equivalents = equivalents
  }

  /** The postings of a term. */
  readPostings({ id }: Term): Uint8Array {
    const postings = this.#postings.get(id)?.postings
    return postings instanceof Uint8Array ? postings : new Uint8Array()
  }

  /** The numbers of the words that a typed word may be in a text. */
  listForms(word: string): Set<number> {
    const term = this.findTerm(termOf(word))
    return new Set(term === undefined ? [] : this.#wordsOfTerm.all(term.id).map(({ id }) => Number(id)))
  }

  /** A term by its key. */
  findTerm(key: string): Term | undefined {
    const row = this.#term.get(key)
    return row === undefined ? undefined : { id: Number(row.id), prompts: Number(row.prompts) }
  }

  /** Reads the words of a question. @param words in their order @param begun the one that may be only the beginning of a word */
  readWords(words: readonly string[], begun: string): WordReadings[] {
    const read = words.map((word): WordReadings => {
      const readings = [
        ...this.#readTerms([termOf(word)], WEIGHTS.itself),
        ...(word === begun ? this.#readBeginning(word) : []),
        ...relatedTerms(word).flatMap((term) => this.#readTerms([term], WEIGHTS.related)),
      ]
      return { word, readings, readAs: undefined }
    })
    const isKnown = read.map(({ readings }) => readings.length > 0)
    this.#readSpans(words, read, isKnown)
    for (const one of read) if (one.readings.length === 0) this.#readUnknown(one)
    return read
  }

  /** Words that a known one may be a typo of, far more used than it: for questions that find little. */
  readFurther(word: string, prompts: number): (Reading & { word: string }) | undefined {
    const [best] = this.#correct(word).filter(({ votes }) => votes >= MUCH_MORE * Math.max(1, prompts))
    return best && { terms: [best.term], weight: WEIGHTS.typo / 2, word: best.word }
  }

  #readTerms(keys: readonly string[], weight: number): Reading[] {
    const terms = keys.map((key) => this.findTerm(key))
    return terms.every((term) => term !== undefined) ? [{ terms, weight }] : []
  }

  #readBeginning(word: string): Reading[] {
    const listed = word.length > PREFIX_LETTERS ? [] : this.#readTerms([prefixKey(word)], WEIGHTS.beginning)
    // Where names and descriptions have enough, contents are not looked at.
    if (listed.some(({ terms }) => terms[0]!.prompts >= MANY_LISTED)) return listed
    const found = new Map<number, number>()
    // Behind everything that begins with it: no word holds a character beyond the last plane.
    for (const { term, prompts } of this.#beginnings.all(word, `${word}\u{10ffff}`))
      found.set(Number(term), (found.get(Number(term)) ?? 0) + Number(prompts))
    const most = [...found].sort(([, a], [, b]) => b - a).slice(0, MOST_BEGINNINGS.taken)
    const others = most.flatMap(([id]) => {
      const row = this.#termById.get(id)
      return row === undefined
        ? []
        : [{ terms: [{ id: Number(row.id), prompts: Number(row.prompts) }], weight: WEIGHTS.beginning }]
    })
    return [...listed, ...others]
  }

  /** What several neighbours may mean together: each of them is then held. */
  #readSpans(words: readonly string[], read: readonly WordReadings[], isKnown: readonly boolean[]): void {
    for (let start = 0; start < words.length; start++) {
      for (let length = 1; length <= LONGEST_SPAN && start + length <= words.length; length++) {
        const span = words.slice(start, start + length)
        const readings = (this.#equivalents.get(keyOf(span)) ?? []).flatMap((terms) =>
          this.#readTerms(terms, WEIGHTS.equivalent),
        )
        if (length === 2) {
          const joined = this.#readTerms([termOf(span.join(''))], WEIGHTS.joined)
          readings.push(...joined)
          if (joined.length > 0)
            for (let index = start; index < start + length; index++)
              if (!isKnown[index]) read[index]!.readAs = span.join('')
        }
        for (let index = start; index < start + length; index++) read[index]!.readings.push(...readings)
      }
    }
  }

  #readUnknown(one: WordReadings): void {
    const split = this.#split(one.word)
    if (split) {
      one.readings.push({ terms: split.terms, weight: WEIGHTS.split })
      one.readAs = split.parts.join(' ')
      return
    }
    const corrections = this.#correct(one.word)
    for (const { term } of corrections) one.readings.push({ terms: [term], weight: WEIGHTS.typo })
    one.readAs = corrections[0]?.word
  }

  /** The two known words that one was written together of: where the rarer of them is most used. */
  #split(word: string): { parts: string[]; terms: Term[] } | undefined {
    if (word.length > LONGEST_SPLIT) return undefined
    let best: { parts: string[]; terms: Term[]; least: number } | undefined
    for (let at = SHORTEST_PART; at <= word.length - SHORTEST_PART; at++) {
      const parts = [word.slice(0, at), word.slice(at)]
      const terms = parts.map((part) => this.#findWord(part)).filter((term) => term !== undefined)
      const least = Math.min(...terms.map(({ prompts }) => prompts))
      if (terms.length === 2 && least > (best?.least ?? 0)) best = { parts, terms, least }
    }
    return best
  }

  /** The term of a word that stands in a text exactly so: a stem by itself is no word. */
  #findWord(word: string): Term | undefined {
    const row = this.#word.get(word)
    return row === undefined ? undefined : { id: Number(row.id), prompts: Number(row.prompts) }
  }

  /** The words that one may be a typo of: the closest, of these the most used. */
  #correct(word: string): { word: string; votes: number; term: Term }[] {
    const most = forgivenTypos(word)
    if (most === 0) return []
    const seen = new Map<string, { word: string; votes: number; term: number; typos: number }>()
    for (const key of typoKeys(word, most)) {
      if (seen.size > MOST_CORRECTIONS.seen) break
      for (const row of this.#candidates.all(key)) {
        const candidate = String(row.word)
        if (candidate === word || seen.has(candidate)) continue
        const typos = countTypos(word, candidate, most)
        seen.set(candidate, { word: candidate, votes: Number(row.votes), term: Number(row.term), typos })
      }
    }
    const close = [...seen.values()].filter(({ typos }) => typos <= most)
    const least = Math.min(...close.map(({ typos }) => typos))
    const first = (candidate: string) => (candidate[0] === word[0] ? 0 : 1)
    const best = close
      .filter(({ typos }) => typos === least)
      .sort((a, b) => first(a.word) - first(b.word) || b.votes - a.votes || (a.word < b.word ? -1 : 1))
    return best.slice(0, MOST_CORRECTIONS.taken).flatMap(({ term, ...rest }) => {
      const row = this.#termById.get(term)
      return row === undefined ? [] : [{ ...rest, term: { id: Number(row.id), prompts: Number(row.prompts) } }]
    })
  }
}

/** A word is taken for a typo of another when the other is so many times as frequent. */
const MUCH_MORE = 10
