// Owns what the words of a question may mean: their forms, beginnings, equivalents, joined and split words, typos. What an index knows of words is asked of its vocabulary.
import { hasNoVowels, lacksVowelsOnly } from './contractions.ts'
import { INITIALS, initialsKey, PREFIX_LETTERS, prefixKey, termKey } from './keys.ts'
import { relatedTerms, termOf } from './terms.ts'
import { forgivenTypos } from './typos.ts'

/** A term of an index, or whatever else prompts are filed under. */
export interface Term {
  key: number
  /** What stands for it where the order of words is kept. */
  number: number
  /** How many prompts hold it. */
  prompts: number
}

/** What an index knows of words; every answer takes a bounded number of look-ups. */
export interface Vocabulary {
  /** What is filed under a key. */
  findTerm(key: number): Term | undefined
  /** Whether a text has a word exactly so: a stem by itself is no word. */
  hasWord(word: string): boolean
  /** Words that begin so, in the order of letters, at most so many. */
  listBeginning(prefix: string, most: number): { word: string; prompts: number }[]
  /** The words that are closest to a mistyped one, at most so many typos away, with their votes; and how many words were looked at. */
  findClose(word: string, most: number): { close: { word: string; votes: number }[]; looked: number }
  /** The words that one is a contraction of, the shortest first, with their votes; and how many words were looked at. */
  findContracted(word: string): { close: { word: string; votes: number }[]; looked: number }
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
  /** Equivalents of several words without one of them: for questions that find little. */
  loosely: Reading[]
  /** What it was read as, where nothing holds the word itself. */
  readAs: string | undefined
  /** How much the word tells beside one that was typed as it is known: 1, or less where it was guessed. */
  tells: number
}

/** How much each way of reading a word is worth beside the word itself. */
const WEIGHTS = {
  itself: 1,
  beginning: 0.8,
  joined: 0.9,
  split: 0.85,
  typo: 0.8,
  clipped: 0.8,
  related: 0.7,
  equivalent: 0.6,
  initials: 0.6,
  loosely: 0.4,
}
/** How much a word tells that was guessed, beside one that was typed so. */
const GUESSED_TELLS = 0.7
/** A short beginning of words in so many names and descriptions is no longer looked for in contents. */
const MANY_LISTED = 100
/** So many words are looked at for a beginning, in the order of letters, and the most used of them are taken. */
const MOST_BEGINNINGS = { seen: 2_000, taken: 32 }
/** So many words are looked at for all typos of a question, and the best of the closest are taken for each. */
const MOST_CORRECTIONS = { looked: 2_000_000, taken: 4 }
/** As for a beginning, for words that are not the last. */
const MOST_CLIPPED = { seen: 200, taken: 4 }
/** The shortest part of a word that was written together or cut off. */
const SHORTEST_PART = 3
const LONGEST_SPLIT = 32
/** Equivalents and joined words reach over so many words. */
const LONGEST_SPAN = 4

/** Reads the words of questions. */
export class Lexicon {
  readonly #vocabulary: Vocabulary
  readonly #equivalents: ReadonlyMap<string, string[][]>
  #looked = 0

  /** @param equivalents what else may be meant, by the key of a phrase */
  constructor(vocabulary: Vocabulary, equivalents: ReadonlyMap<string, string[][]>) {
    this.#vocabulary = vocabulary
    this.#equivalents = equivalents
  }

  /** Reads the words of a question. @param words in their order @param begun the one that may be only the beginning of a word */
  readWords(words: readonly string[], begun: string): WordReadings[] {
    this.#looked = 0
    const read = words.map((word): WordReadings => {
      const readings = [
        ...this.#readTerms([termOf(word)], WEIGHTS.itself),
        ...(word === begun ? this.#readBeginning(word) : []),
        ...relatedTerms(word).flatMap((term) => this.#readTerms([term], WEIGHTS.related)),
      ]
      return { word, readings, loosely: this.#readLoosely(termOf(word)), readAs: undefined, tells: 1 }
    })
    const isKnown = read.map(({ readings }) => readings.length > 0)
    this.#readSpans(words, read, isKnown)
    for (const one of read) if (one.readings.length === 0) one.readings.push(...one.loosely)
    for (const one of read) {
      if (one.readings.length === 0) this.#readUnknown(one)
      // Two letters that only begin words may be the first ones of two.
      else if (one.word.length === INITIALS.whole && one.readings.every(({ weight }) => weight === WEIGHTS.beginning))
        this.#readInitials(one)
    }
    return read
  }

  /** Words that a known one may be a typo of, far more used than it: for questions that find little. */
  readFurther(word: string, prompts: number): (Reading & { word: string }) | undefined {
    const [best] = this.#correct(word).filter(({ votes }) => votes >= MUCH_MORE * Math.max(1, prompts))
    return best && { terms: [best.term], weight: WEIGHTS.typo / 2, word: best.word }
  }

  #readTerms(words: readonly string[], weight: number): Reading[] {
    const terms = words.map((word) => this.#findTerm(word))
    return terms.every((term) => term !== undefined) ? [{ terms, weight }] : []
  }

  #findTerm(term: string): Term | undefined {
    return this.#vocabulary.findTerm(termKey(term))
  }

  #readBeginning(word: string): Reading[] {
    const short = word.length > PREFIX_LETTERS ? undefined : this.#vocabulary.findTerm(prefixKey(word))
    const listed = short ? [{ terms: [short], weight: WEIGHTS.beginning }] : []
    // Where names and descriptions have enough, contents are not looked at.
    if (short && short.prompts >= MANY_LISTED) return listed
    const found = new Map<string, number>()
    for (const { word: whole, prompts } of this.#vocabulary.listBeginning(word, MOST_BEGINNINGS.seen)) {
      const term = termOf(whole)
      found.set(term, (found.get(term) ?? 0) + prompts)
    }
    const most = [...found].sort(([, a], [, b]) => b - a).slice(0, MOST_BEGINNINGS.taken)
    return [...listed, ...most.flatMap(([term]) => this.#readTerms([term], WEIGHTS.beginning))]
  }

  /** What several neighbours may mean together: each of them is then held. */
  #readSpans(words: readonly string[], read: readonly WordReadings[], isKnown: readonly boolean[]): void {
    const terms = words.map(termOf)
    const typed = new Set(terms)
    const readEquivalents = (key: string): Reading[] =>
      (this.#equivalents.get(key) ?? [])
        // An equivalent whose words were all typed too adds nothing.
        .filter((others) => !others.every((term) => typed.has(term)))
        .flatMap((others) => this.#readTerms(others, WEIGHTS.equivalent))
    for (let start = 0; start < words.length; start++) {
      for (let length = 1; length <= LONGEST_SPAN && start + length <= words.length; length++) {
        const span = words.slice(start, start + length)
        const readings = readEquivalents(terms.slice(start, start + length).join(' '))
        const joined = span.join('')
        // Letters of an abbreviation, with dots between them.
        const isSpelled = length > 1 && joined.length === length
        if (isSpelled) readings.push(...readEquivalents(termOf(joined)))
        if (length === 2 || isSpelled) {
          const whole = this.#readTerms([termOf(joined)], WEIGHTS.joined)
          readings.push(...whole)
          if (whole.length > 0)
            for (let index = start; index < start + length; index++) if (!isKnown[index]) read[index]!.readAs = joined
        }
        for (let index = start; index < start + length; index++) read[index]!.readings.push(...readings)
      }
    }
  }

  /** What stands for three words or more may be held by all of them but one. */
  #readLoosely(term: string): Reading[] {
    const long = (this.#equivalents.get(term) ?? []).filter(({ length }) => length > 2)
    return long.flatMap((words) =>
      words.flatMap((_, left) => this.#readTerms(words.toSpliced(left, 1), WEIGHTS.loosely)),
    )
  }

  #readUnknown(one: WordReadings): void {
    const split = this.#split(one.word)
    if (split) {
      one.readings.push({ terms: split.terms, weight: WEIGHTS.split })
      one.readAs = split.parts.join(' ')
      return
    }
    one.tells = GUESSED_TELLS
    this.#guess(one)
    this.#readInitials(one)
  }

  /** Takes the first way to read a word that leads anywhere. A typo leaves vowels, a contraction hardly any. */
  #guess(one: WordReadings): void {
    const isBare = hasNoVowels(one.word)
    const take = (guesses: readonly { word: string; term: Term }[]) => {
      for (const { term } of guesses) one.readings.push({ terms: [term], weight: WEIGHTS.typo })
      one.readAs = guesses[0]?.word
      return guesses.length > 0
    }
    if (isBare && take(this.#expand(one.word))) return
    if (take(this.#correct(one.word))) return
    this.#readClipped(one)
    if (!isBare && one.readings.length === 0) take(this.#expand(one.word))
  }

  /** Of several words, the first letters alone. */
  #readInitials(one: WordReadings): void {
    if (one.word.length < INITIALS.whole || one.word.length > INITIALS.most) return
    const term = this.#vocabulary.findTerm(initialsKey(one.word))
    if (term) one.readings.push({ terms: [term], weight: WEIGHTS.initials })
  }

  /** A word of which people write only the beginning: `eval`, `config`. */
  #readClipped(one: WordReadings): void {
    if (one.word.length < SHORTEST_PART) return
    const whole = this.#vocabulary.listBeginning(one.word, MOST_CLIPPED.seen).sort((a, b) => b.prompts - a.prompts)
    for (const { word } of whole.slice(0, MOST_CLIPPED.taken))
      one.readings.push(...this.#readTerms([termOf(word)], WEIGHTS.clipped))
    one.readAs = whole[0]?.word
  }

  /** The two known words that one was written together of: where the rarer of them is most used. */
  #split(word: string): { parts: string[]; terms: Term[] } | undefined {
    if (word.length > LONGEST_SPLIT) return undefined
    let best: { parts: string[]; terms: Term[]; least: number } | undefined
    for (let at = SHORTEST_PART; at <= word.length - SHORTEST_PART; at++) {
      const parts = [word.slice(0, at), word.slice(at)]
      if (!parts.every((part) => this.#vocabulary.hasWord(part))) continue
      const terms = parts.flatMap((part) => this.#findTerm(termOf(part)) ?? [])
      const least = Math.min(...terms.map(({ prompts }) => prompts))
      if (terms.length === 2 && least > (best?.least ?? 0)) best = { parts, terms, least }
    }
    return best
  }

  /** The words that one may be a contraction of: of those that lack nothing but vowels, or of all, the most used. */
  #expand(word: string): { word: string; votes: number; term: Term }[] {
    if (this.#looked > MOST_CORRECTIONS.looked) return []
    const { close, looked } = this.#vocabulary.findContracted(word)
    this.#looked += looked
    const sure = close.filter((one) => lacksVowelsOnly(word, one.word))
    return this.#takeBest(sure.length > 0 ? sure : close, word)
  }

  /** The words that one may be a typo of: the closest, of these the most used. */
  #correct(word: string): { word: string; votes: number; term: Term }[] {
    const most = forgivenTypos(word)
    if (most === 0 || this.#looked > MOST_CORRECTIONS.looked) return []
    const { close, looked } = this.#vocabulary.findClose(word, most)
    this.#looked += looked
    return this.#takeBest(close, word)
  }

  /** Of words that may have been meant, those that begin alike first, then the most used. */
  #takeBest(
    close: readonly { word: string; votes: number }[],
    word: string,
  ): { word: string; votes: number; term: Term }[] {
    const first = (candidate: string) => (candidate[0] === word[0] ? 0 : 1)
    return [...close]
      .sort((a, b) => first(a.word) - first(b.word) || b.votes - a.votes || (a.word < b.word ? -1 : 1))
      .slice(0, MOST_CORRECTIONS.taken)
      .flatMap((one) => {
        const term = this.#findTerm(termOf(one.word))
        return term === undefined ? [] : [{ ...one, term }]
      })
  }
}

/** A word is taken for a typo of another when the other is so many times as frequent. */
const MUCH_MORE = 10
