// Owns what may be meant by words of a question that no prompt holds: two words written together, typos, contractions, words cut off, first letters.
import { hasNoVowels, lacksVowelsOnly } from './contractions.ts'
import { INITIALS, initialsKey, termKey } from './keys.ts'
import { type Reading, readTerms, WEIGHTS, type WordReadings } from './readings.ts'
import { termOf } from './terms.ts'
import { forgivenTypos } from './typos.ts'
import type { Candidate, Term, Vocabulary } from './vocabulary.ts'

/** How much a word that was guessed counts, beside one that was typed as it is known. */
export const GUESSED_TELLS = 0.7
/** For the typos and contractions of one question, at most about so many words are compared; each word is then read as the best few. */
const MOST_CORRECTIONS = { looked: 2_000_000, taken: 4 }
/** Of the words that begin like one that was cut off, so many are looked at, in the order of letters, and the most used are taken. */
const MOST_CLIPPED = { seen: 200, taken: 4 }
/** The shortest part of a word that was written together or cut off: two letters begin or end too many words. */
const SHORTEST_PART = 3
/** Longer texts are identifiers and hashes, not two words. */
const LONGEST_SPLIT = 32
/** A word is taken for a typo of another when the other is so many times as frequent. */
const MUCH_MORE = 10

type Guess = Candidate & { term: Term }

/** Guesses at the words of one question. What its guesses may cost is bounded for all words together. */
export class UnknownWords {
  readonly #vocabulary: Vocabulary
  /** How many words were compared so far. */
  #looked = 0

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** Adds readings to a word that has none; it still has none when no guess finds anything. */
  read(one: WordReadings): void {
    const split = this.#split(one.word)
    if (split) {
      one.readings.push({ terms: split.terms, weight: WEIGHTS.split })
      one.readAs = split.parts.join(' ')
      return
    }
    one.tells = GUESSED_TELLS
    this.#guess(one)
  }

  /** Adds what else a word may be the beginning of that no prompt holds as it was typed. */
  readClipped(one: WordReadings): void {
    one.readings.push(...this.#listClipped(one.word, WEIGHTS.clippedToo).readings)
  }

  /** The reading as the first letters of several words, of one such thing or of many: `rca` for a root cause analysis, `uts` for unit tests; none when no prompt has them. */
  readInitials(word: string): Reading[] {
    const term = word.length <= INITIALS.most ? this.#findInitials(word) : undefined
    const known =
      term ??
      (word.endsWith('s') && word.length <= INITIALS.most + 1 ? this.#findInitials(word.slice(0, -1)) : undefined)
    return known ? [{ terms: [known], weight: WEIGHTS.initials }] : []
  }

  #findInitials(letters: string): Term | undefined {
    return letters.length < INITIALS.whole ? undefined : this.#vocabulary.findTerm(initialsKey(letters))
  }

  /** Reads a known word as a typo of one that is far more used: for questions that find little. @param prompts how many prompts hold the word */
  readAsTypo(word: string, prompts: number): (Reading & { word: string }) | undefined {
    const [best] = this.#correct(word).filter(({ votes }) => votes >= MUCH_MORE * Math.max(1, prompts))
    return best && { terms: [best.term], weight: WEIGHTS.typo / 2, word: best.word }
  }

  /** Takes the first kind of guess that finds a word. A contraction leaves out vowels and a typo seldom does, so a word without vowels is taken for a contraction first, and any other word last. */
  #guess(one: WordReadings): void {
    const isBare = hasNoVowels(one.word)
    const take = (guesses: readonly Guess[]) => {
      for (const { term } of guesses) one.readings.push({ terms: [term], weight: WEIGHTS.typo })
      one.readAs = guesses[0]?.word
      return guesses.length > 0
    }
    if (isBare && take(this.#expand(one.word))) return
    if (take(this.#correct(one.word))) return
    const clipped = this.#listClipped(one.word, WEIGHTS.clipped)
    one.readings.push(...clipped.readings)
    one.readAs = clipped.best
    if (!isBare && one.readings.length === 0) take(this.#expand(one.word))
  }

  /** Reads a word as the beginning of longer ones: `eval`, `config`. */
  #listClipped(begun: string, weight: number): { best: string | undefined; readings: Reading[] } {
    if (begun.length < SHORTEST_PART) return { best: undefined, readings: [] }
    const whole = this.#vocabulary.listBeginning(begun, MOST_CLIPPED.seen).sort((a, b) => b.prompts - a.prompts)
    const most = whole.slice(0, MOST_CLIPPED.taken)
    return {
      best: whole[0]?.word,
      readings: most.flatMap(({ word }) => readTerms(this.#vocabulary, [termOf(word)], weight)),
    }
  }

  /** Parts a word into two known ones. Of several ways it takes the one whose rarer part is in most prompts. */
  #split(word: string): { parts: string[]; terms: Term[] } | undefined {
    if (word.length > LONGEST_SPLIT) return undefined
    let best: { parts: string[]; terms: Term[]; least: number } | undefined
    for (let at = SHORTEST_PART; at <= word.length - SHORTEST_PART; at++) {
      const parts = [word.slice(0, at), word.slice(at)]
      if (!parts.every((part) => this.#vocabulary.hasWord(part))) continue
      const terms = parts.flatMap((part) => this.#findTerm(part) ?? [])
      const least = Math.min(...terms.map(({ prompts }) => prompts))
      if (terms.length === 2 && least > (best?.least ?? 0)) best = { parts, terms, least }
    }
    return best
  }

  /** The words that one may be a contraction of: those that it shortens by vowels and doubled letters alone, or all when there are none of these. */
  #expand(word: string): Guess[] {
    if (this.#looked > MOST_CORRECTIONS.looked) return []
    const { close, looked } = this.#vocabulary.findContracted(word)
    this.#looked += looked
    const sure = close.filter((one) => lacksVowelsOnly(word, one.word))
    return this.#takeBest(sure.length > 0 ? sure : close, word)
  }

  /** The words that one may be a typo of: those with the fewest typos between. */
  #correct(word: string): Guess[] {
    const most = forgivenTypos(word)
    if (most === 0 || this.#looked > MOST_CORRECTIONS.looked) return []
    const { close, looked } = this.#vocabulary.findClose(word, most)
    this.#looked += looked
    return this.#takeBest(close, word)
  }

  /** Takes words with the same first letter before others, for first letters are seldom mistyped, and then the most used ones. */
  #takeBest(close: readonly Candidate[], word: string): Guess[] {
    const first = (candidate: string) => (candidate[0] === word[0] ? 0 : 1)
    return [...close]
      .sort((a, b) => first(a.word) - first(b.word) || b.votes - a.votes || (a.word < b.word ? -1 : 1))
      .slice(0, MOST_CORRECTIONS.taken)
      .flatMap((one) => {
        const term = this.#findTerm(one.word)
        return term === undefined ? [] : [{ ...one, term }]
      })
  }

  #findTerm(word: string): Term | undefined {
    return this.#vocabulary.findTerm(termKey(termOf(word)))
  }
}
