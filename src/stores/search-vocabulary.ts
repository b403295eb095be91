// Owns what an opened index knows of words, and where it keeps their prompts: every statement looks rows up by key.
import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { wholeLengths } from '../domain/search/contractions.ts'
import { Guesses } from '../domain/search/guesses.ts'
import type { Candidate, Term, Vocabulary } from '../domain/search/vocabulary.ts'

/** So many bytes of postings are kept in memory: at a hundred thousand prompts those of thirty words that everybody uses. Keeping more was no faster. */
const KEPT_BYTES = 4 * 1024 * 1024
const KEPT_TERMS = 10_000
/** Of words that are equally close to a mistyped one, so many are compared by their votes. */
const MOST_CLOSE = 200

/** The words of an index, and the postings of whatever its prompts are filed under. */
export class IndexVocabulary implements Vocabulary {
  readonly #term
  readonly #postings
  readonly #word
  readonly #beginning
  readonly #guesses
  readonly #keptTerms = new LRUCache<number, Term>({ max: KEPT_TERMS })
  readonly #keptPostings = new LRUCache<number, Uint8Array>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ length }) => length + 1,
  })
  /** The words that may be meant by mistyped ones, by their length; those of a length are read when they are needed first. */
  readonly #known = new Map<number, Guesses | undefined>()

  constructor(database: DatabaseSync) {
    this.#term = database.prepare('SELECT number, prompts FROM terms WHERE key = ?')
    this.#postings = database.prepare('SELECT postings FROM terms WHERE key = ?')
    this.#word = database.prepare('SELECT votes FROM words WHERE word = ?')
    this.#beginning = database.prepare(
      'SELECT word, prompts FROM words WHERE word >= ? AND word < ? ORDER BY word LIMIT ?',
    )
    this.#guesses = database.prepare('SELECT words FROM guesses WHERE length = ?')
  }

  findTerm(key: number): Term | undefined {
    const kept = this.#keptTerms.get(key)
    if (kept) return kept
    const row = this.#term.get(key)
    if (row === undefined) return undefined
    const term = { key, number: Number(row.number), prompts: Number(row.prompts) }
    this.#keptTerms.set(key, term)
    return term
  }

  /** The postings of what is filed under a key; none when nothing is. */
  readPostings(key: number): Uint8Array {
    const kept = this.#keptPostings.get(key)
    if (kept) return kept
    const postings = this.#postings.get(key)?.postings
    if (!(postings instanceof Uint8Array)) return new Uint8Array()
    this.#keptPostings.set(key, postings)
    return postings
  }

  hasWord(word: string): boolean {
    return this.#word.get(word) !== undefined
  }

  listBeginning(prefix: string, most: number): { word: string; prompts: number }[] {
    // The upper end comes after every word with this beginning, because no character is higher than U+10FFFF.
    const rows = this.#beginning.all(prefix, `${prefix}\u{10ffff}`, most)
    return rows.map(({ word, prompts }) => ({ word: String(word), prompts: Number(prompts) }))
  }

  findClose(word: string, most: number): { close: Candidate[]; looked: number } {
    let close: string[] = []
    let least = most
    let looked = 0
    // Words of its own length first, for they are the closest most often, and then fewer are compared.
    for (const length of [0, -1, 1, -2, 2].filter((by) => Math.abs(by) <= most).map((by) => word.length + by)) {
      const guesses = this.#guessesOf(length)
      if (!guesses) continue
      looked += guesses.count
      const found = guesses.findClosest(word, least)
      if (found.words.length === 0) continue
      if (found.typos < least) close = []
      least = found.typos
      close.push(...found.words)
    }
    return { close: this.#countVotes(close), looked }
  }

  findContracted(word: string): { close: Candidate[]; looked: number } {
    const guesses = wholeLengths(word).flatMap((length) => this.#guessesOf(length) ?? [])
    const close = guesses.flatMap((one) => one.findContracted(word))
    return { close: this.#countVotes(close), looked: guesses.reduce((sum, { count }) => sum + count, 0) }
  }

  #countVotes(words: readonly string[]): Candidate[] {
    return words.slice(0, MOST_CLOSE).map((word) => ({ word, votes: Number(this.#word.get(word)?.votes ?? 0) }))
  }

  #guessesOf(length: number): Guesses | undefined {
    if (!this.#known.has(length)) {
      const words = this.#guesses.get(length)?.words
      this.#known.set(length, typeof words === 'string' ? new Guesses(length, words) : undefined)
    }
    return this.#known.get(length)
  }
}
