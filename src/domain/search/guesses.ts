// Owns finding the known words that a mistyped or contracted one may be: every word of about its length is compared, most of them by one number alone.
import { isContraction } from './contractions.ts'
import { countTypos } from './typos.ts'

/** Words of one length that somebody may have meant: written one behind the other, in order. */
export class Guesses {
  readonly length: number
  readonly #words: string
  /** Which letters each word has. */
  readonly #letters: Int32Array

  /** @param words whole words of that length, without anything between them */
  constructor(length: number, words: string) {
    this.length = length
    this.#words = words
    this.#letters = new Int32Array(words.length / length)
    for (let at = 0, index = 0; at < words.length; at += length, index++)
      this.#letters[index] = lettersOf(words, at, at + length)
  }

  /** How many words these are. */
  get count(): number {
    return this.#letters.length
  }

  /** The words that are closest to one, at most so many typos away; never the word itself. */
  findClosest(word: string, most: number): { words: string[]; typos: number } {
    const letters = lettersOf(word, 0, word.length)
    let words: string[] = []
    let least = most
    for (let index = 0; index < this.#letters.length; index++) {
      // One typo removes at most one letter from the set and adds at most one, so more than two differing bits a typo rule a word out.
      if (countBits(this.#letters[index]! ^ letters) > 2 * least) continue
      const other = this.#words.slice(index * this.length, (index + 1) * this.length)
      const typos = countTypos(word, other, least)
      if (typos > least || typos === 0) continue
      if (typos < least) words = []
      least = typos
      words.push(other)
    }
    return { words, typos: least }
  }

  /** The words that one is a contraction of. */
  findContracted(word: string): string[] {
    const letters = lettersOf(word, 0, word.length)
    const words: string[] = []
    for (let index = 0; index < this.#letters.length; index++) {
      if ((letters & ~this.#letters[index]!) !== 0) continue
      const start = index * this.length
      if (this.#words.charCodeAt(start) !== word.charCodeAt(0)) continue
      const other = this.#words.slice(start, start + this.length)
      if (isContraction(word, other)) words.push(other)
    }
    return words
  }
}

/** Joins words as `Guesses` takes them. @returns for each length the words of that length, in order and without anything between them */
export function joinGuesses(words: Iterable<string>): Map<number, string> {
  const byLength = new Map<number, string>()
  for (const word of [...words].sort()) byLength.set(word.length, (byLength.get(word.length) ?? '') + word)
  return byLength
}

/** Parts the joined words of one length again; the inverse of `joinGuesses`. */
export function partGuesses(length: number, words: string): string[] {
  return Array.from({ length: words.length / length }, (_, index) => words.slice(index * length, (index + 1) * length))
}

/** Which letters a part of a text has, one bit a letter; letters beyond `a` to `z` share their bits. */
function lettersOf(text: string, from: number, to: number): number {
  let letters = 0
  for (let at = from; at < to; at++) letters |= 1 << (text.charCodeAt(at) & 31)
  return letters
}

/** How many bits of a number are set. @see https://graphics.stanford.edu/~seander/bithacks.html#CountBitsSetParallel */
function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
