// Owns what a word of a question was read as, and how much each way to read it is worth.
import { termKey } from './keys.ts'
import type { Term, Vocabulary } from './vocabulary.ts'

/** One way to read a word of a question. A prompt matches it when it holds all of the terms. */
export interface Reading {
  terms: readonly Term[]
  /** What a match is worth beside one of the word itself, which is worth 1. */
  weight: number
}

/** What a word of a question may mean. */
export interface WordReadings {
  word: string
  /** The word itself and what stands for it as well as the word; empty when no prompt holds any of it. */
  readings: Reading[]
  /** Equivalents of three words or more, with one of these left out: for questions that find little, and for words without any other reading. */
  loosely: Reading[]
  /** What the word was read as when no prompt holds the word itself; undefined when one does. */
  readAs: string | undefined
  /** How much the word counts beside the other words of the question: 1, or less when it had to be guessed. */
  tells: number
}

/** How much each way of reading a word is worth beside the word itself. */
export const WEIGHTS = {
  itself: 1,
  beginning: 0.8,
  joined: 0.9,
  split: 0.85,
  typo: 0.8,
  clipped: 0.8,
  clippedToo: 0.5,
  related: 0.7,
  /** What an abbreviation stands for is the same word written out; other equivalents only mean nearly the same. */
  abbreviated: 0.9,
  equivalent: 0.6,
  initials: 0.6,
  loosely: 0.4,
}

/** The reading by all of some terms; none when the index lacks one of them, for then no prompt holds all. */
export function readTerms(vocabulary: Vocabulary, terms: readonly string[], weight: number): Reading[] {
  const found = terms.map((term) => vocabulary.findTerm(termKey(term)))
  return found.every((term) => term !== undefined) ? [{ terms: found, weight }] : []
}
