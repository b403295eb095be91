// Owns what the words of a question may mean: their forms, what they begin, their equivalents, and neighbours read as one word.
import { isShortFor } from './equivalents.ts'
import { INITIALS, PREFIX_LETTERS, prefixKey } from './keys.ts'
import { type Reading, readTerms, WEIGHTS, type WordReadings } from './readings.ts'
import { relatedTerms, termOf } from './terms.ts'
import { GUESSED_TELLS, UnknownWords } from './unknown-words.ts'
import type { Vocabulary } from './vocabulary.ts'

/** When so many prompts have a word with this beginning in their name or description, contents are not looked at for more. */
const MANY_LISTED = 100
/** Of the words with one beginning, so many are looked at, in the order of letters, and the most used are taken. */
const MOST_BEGINNINGS = { seen: 2_000, taken: 32 }
/** Equivalents and joined words reach over so many neighbours. */
const LONGEST_SPAN = 4
/** A word with a number behind it. */
const NUMBERED = /^(\p{L}{2,})\p{N}{1,2}$/u

/** Reads the words of questions, one question after the other. */
export class Lexicon {
  readonly #vocabulary: Vocabulary
  readonly #equivalents: ReadonlyMap<string, string[][]>
  /** Of the question that was read last. */
  #unknown: UnknownWords

  /** @param equivalents what `indexEquivalents` made: the terms of a phrase → those of each phrase that means the same */
  constructor(vocabulary: Vocabulary, equivalents: ReadonlyMap<string, string[][]>) {
    this.#vocabulary = vocabulary
    this.#equivalents = equivalents
    this.#unknown = new UnknownWords(vocabulary)
  }

  /**
   * Reads the words of a question.
   *
   * @param words folded, in the order typed
   * @param begun the last word typed, which may be only the beginning of what somebody is still typing
   * @param capitals abbreviations by how they were typed, which are neither mistyped nor cut off
   * @returns one for each word, in their order
   */
  readWords(words: readonly string[], begun: string, capitals: ReadonlySet<string>): WordReadings[] {
    this.#unknown = new UnknownWords(this.#vocabulary)
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
    for (const one of read) {
      if (one.readings.length === 0) one.readings.push(...one.loosely)
      if (one.readings.length === 0) this.#readNumbered(one)
    }
    // What no prompt holds as it was typed may also be short for something else than what is known of it.
    const rare = read.filter(({ readings }) => readings.every(({ weight }) => weight !== WEIGHTS.itself))
    for (const one of rare.filter(({ word }) => !capitals.has(word))) {
      if (one.readings.length === 0) this.#unknown.read(one)
      else if (one.word !== begun) this.#unknown.readClipped(one)
    }
    this.#readInitials(read, rare)
    return read
  }

  /** Reads a known word of the last question as a typo: for questions that find little. @param prompts how many prompts hold the word */
  readFurther(word: string, prompts: number): (Reading & { word: string }) | undefined {
    return this.#unknown.readAsTypo(word, prompts)
  }

  #readTerms(terms: readonly string[], weight: number): Reading[] {
    return readTerms(this.#vocabulary, terms, weight)
  }

  #readBeginning(word: string): Reading[] {
    const short = word.length > PREFIX_LETTERS ? undefined : this.#vocabulary.findTerm(prefixKey(word))
    const listed = short ? [{ terms: [short], weight: WEIGHTS.beginning }] : []
    if (short && short.prompts >= MANY_LISTED) return listed
    const found = new Map<string, number>()
    for (const { word: whole, prompts } of this.#vocabulary.listBeginning(word, MOST_BEGINNINGS.seen)) {
      const term = termOf(whole)
      found.set(term, (found.get(term) ?? 0) + prompts)
    }
    const most = [...found].sort(([, a], [, b]) => b - a).slice(0, MOST_BEGINNINGS.taken)
    return [...listed, ...most.flatMap(([term]) => this.#readTerms([term], WEIGHTS.beginning))]
  }

  /** Reads an unknown word that ends with a number without it: `sev1` as what `sev` means. */
  #readNumbered(one: WordReadings): void {
    const [, letters] = NUMBERED.exec(one.word) ?? []
    if (letters === undefined) return
    const term = termOf(letters)
    one.readings.push(
      ...this.#readTerms([term], WEIGHTS.clipped),
      ...(this.#equivalents.get(term) ?? []).flatMap((others) => this.#readTerms(others, WEIGHTS.equivalent)),
    )
    if (one.readings.length === 0) return
    one.tells = GUESSED_TELLS
    one.readAs = letters
  }

  /** Reads neighbours together: as a phrase with equivalents, and as one word. What is found so is a reading of each of them. */
  #readSpans(words: readonly string[], read: readonly WordReadings[], isKnown: readonly boolean[]): void {
    const terms = words.map(termOf)
    const typed = new Set(terms)
    const readEquivalents = (key: string): Reading[] =>
      (this.#equivalents.get(key) ?? [])
        // An equivalent whose words were all typed too adds nothing.
        .filter((others) => !others.every((term) => typed.has(term)))
        .flatMap((others) =>
          this.#readTerms(
            others,
            isShortFor(key.replaceAll(' ', ''), others) ? WEIGHTS.abbreviated : WEIGHTS.equivalent,
          ),
        )
    for (let start = 0; start < words.length; start++) {
      for (let length = 1; length <= LONGEST_SPAN && start + length <= words.length; length++) {
        const span = words.slice(start, start + length)
        const readings = readEquivalents(terms.slice(start, start + length).join(' '))
        const joined = span.join('')
        // An abbreviation that was typed with dots between its letters comes as words of one letter.
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

  /**
   * Reads words as the first letters of several words. Two letters begin many pairs of words, so they are read so beside words that mean something, or alone.
   *
   * @param rare those of all words that no prompt holds as they were typed
   */
  #readInitials(all: readonly WordReadings[], rare: readonly WordReadings[]): void {
    const pairs = new Map<WordReadings, Reading[]>()
    for (const one of rare) {
      const found = this.#unknown.readInitials(one.word)
      if (one.word.length > INITIALS.whole) one.readings.push(...found)
      else pairs.set(one, found)
    }
    if (all.every((one) => one.readings.length > 0 || pairs.get(one)?.length))
      for (const [one, found] of pairs) one.readings.push(...found)
  }

  /** Equivalents of three words or more, with each of their words left out in turn: a prompt that holds all the others is likely meant too. */
  #readLoosely(term: string): Reading[] {
    const long = (this.#equivalents.get(term) ?? []).filter(({ length }) => length > 2)
    return long.flatMap((words) =>
      words.flatMap((_, left) => this.#readTerms(words.toSpliced(left, 1), WEIGHTS.loosely)),
    )
  }
}
