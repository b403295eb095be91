// Owns counting the words of a question over prompts, and the rank of each that follows: which of them hold all words, and which only a part. docs/contract.md section 4.
import { type Allowed, type Alternative, COUNTS, Holders } from './holders.ts'
import { CLASSES, keyOf, placeOf } from './match-keys.ts'
import { IN_NAME } from './postings.ts'
import { sliceSorted } from './smallest.ts'

/** When so many prompts hold every word, those that hold only a part of the words are left out. */
export const ENOUGH = 5
/** How many prompts that hold only a part of the words are shown. */
const MOST_PARTLY = 20
/** How much of the words' weight a prompt that lacks some words must hold: of what any prompt holds at most, or of all where everything was typed together, for that is hardly meant one by one. */
const LEAST_SHARE = { ofMost: 0.35, ofAll: 0.4 }

/** A word of a question, as it is counted. */
interface CountedWord {
  /** The ways to hold it; at least one. */
  alternatives: readonly Alternative[]
  /** How much it tells: the rarer, the more. */
  weight: number
}

/** What decides about the order of matches. */
interface RankedBy {
  /** The place of each prompt in the order that breaks ties, or that was asked for, from 1. */
  places: Uint32Array
  /** Everything may be found when undefined. */
  allowed: Allowed | undefined
  /** Prompts whose name or title the question is. */
  named: ReadonlySet<number>
  /** Whether only places decide, as when an order was asked for. */
  isSorted: boolean
  /** Whether all words were typed together. */
  isOne: boolean
}

/** Matches as keys that `placeOf` reads: the lower, the better. */
interface Ranked {
  /** Those that hold every word, in no order. */
  full: Float64Array
  /** How many of these stand in a better class than `everywhere`. */
  better: number
  /** The best of those that hold most of the words, in their order; none where enough hold every word. */
  partly: Float64Array
}

/** Counts the matches of one question at a time; its memory is 46 bytes a prompt, those of `Holders` among them. */
export class Tally {
  readonly #holders: Holders
  readonly #score: Float32Array
  /** By prompt: the weight of the words that it holds in any way. */
  readonly #share: Float32Array
  /** By prompt: how many words it holds fully, and how many of them in its owner, name or title. */
  readonly #full: Uint8Array
  readonly #named: Uint8Array
  /** The prompts that were counted since the last question. */
  readonly #touched: Uint32Array
  readonly #keys: Float64Array
  #touchedCount = 0
  #heldCount = 0

  /** @param prompts the highest number of a prompt */
  constructor(prompts: number) {
    this.#holders = new Holders(prompts)
    this.#score = new Float32Array(prompts + 1)
    this.#share = new Float32Array(prompts + 1)
    this.#full = new Uint8Array(prompts + 1)
    this.#named = new Uint8Array(prompts + 1)
    this.#touched = new Uint32Array(prompts + 1)
    this.#keys = new Float64Array(prompts + 1)
  }

  /** Finds what matches. The page that is asked for has still to be put in order; the keys are good until the next question is ranked. */
  rank(words: readonly CountedWord[], by: RankedBy): Ranked {
    // The rarest first: of each further word, only the prompts that hold all words before it are counted.
    const rarestFirst = [...words].sort((a, b) => roomOf(a) - roomOf(b))
    const isPlain = words.every(({ alternatives }) => alternatives.every(({ counts }) => counts))
    const ranked = (isPlain && this.#rankFull(rarestFirst, by)) || this.#rankAll(rarestFirst, by)
    this.#clear()
    return ranked
  }

  /** Ranks only what holds every word. @returns nothing when these are not enough, so that what holds a part of the words has to be counted too */
  #rankFull(words: readonly CountedWord[], by: RankedBy): Ranked | undefined {
    for (const [index, word] of words.entries()) {
      this.#countAmong(word, index, by.allowed)
      if (this.#heldCount < ENOUGH) return undefined
    }
    const { ids } = this.#holders
    const scale = 1 / totalOf(words)
    let better = 0
    for (let index = 0; index < this.#heldCount; index++) {
      const id = ids[index]!
      const matchClass = this.#classOf(id, words.length, by)
      if (matchClass < CLASSES.everywhere) better++
      this.#keys[index] = this.#keyOf(id, matchClass, scale, by)
    }
    return { full: this.#keys.subarray(0, this.#heldCount), better, partly: new Float64Array() }
  }

  /** Counts one more word, of those that hold all words before it. @param before how many these words are */
  #countAmong({ alternatives, weight }: CountedWord, before: number, allowed: Allowed | undefined): void {
    const among = before > 0 ? { marks: this.#full, mark: before } : allowed
    const count = this.#holders.gather(alternatives, among)
    const { ids, best, flags } = this.#holders
    for (let index = 0; index < count; index++) {
      const id = ids[index]!
      this.#score[id]! += weight * best[index]!
      this.#full[id] = before + 1
      if (flags[index]! & IN_NAME) this.#named[id]!++
    }
    this.#heldCount = count
    if (before > 0) return
    this.#touched.set(ids.subarray(0, count))
    this.#touchedCount = count
  }

  /** Ranks what holds every word, and the best of what holds most of them. */
  #rankAll(words: readonly CountedWord[], by: RankedBy): Ranked {
    this.#clear()
    for (const word of words) this.#countAll(word, by.allowed)
    const total = totalOf(words)
    const scale = 1 / total
    const keys = this.#keys
    let fullCount = 0
    let better = 0
    let most = 0
    for (let index = 0; index < this.#touchedCount; index++) {
      const id = this.#touched[index]!
      if (this.#share[id]! > most) most = this.#share[id]!
      if (this.#full[id] !== words.length) continue
      const matchClass = this.#classOf(id, words.length, by)
      if (matchClass < CLASSES.everywhere) better++
      keys[fullCount++] = this.#keyOf(id, matchClass, scale, by)
    }
    // Both kinds share one array: what holds every word fills it from the front, the rest from the end.
    let partlyStart = keys.length
    const least = by.isOne ? LEAST_SHARE.ofAll * total : LEAST_SHARE.ofMost * most
    for (let index = 0; fullCount < ENOUGH && index < this.#touchedCount; index++) {
      const id = this.#touched[index]!
      if (this.#full[id] !== words.length && this.#share[id]! >= least)
        keys[--partlyStart] = keyOf(CLASSES.partly, this.#score[id]! * scale, by.places[id]!)
    }
    const full = keys.subarray(0, fullCount)
    if (fullCount >= ENOUGH) return { full, better, partly: new Float64Array() }
    const best = sliceSorted(keys.subarray(partlyStart), 0, MOST_PARTLY)
    const sorted = by.isSorted ? best.map((key) => keyOf(CLASSES.partly, 0, placeOf(key))).sort() : best
    return { full, better, partly: sorted }
  }

  #countAll({ alternatives, weight }: CountedWord, allowed: Allowed | undefined): void {
    const count = this.#holders.gather(alternatives, allowed)
    const { ids, best, flags } = this.#holders
    for (let index = 0; index < count; index++) {
      const id = ids[index]!
      if (this.#share[id] === 0) this.#touched[this.#touchedCount++] = id
      this.#score[id]! += weight * best[index]!
      this.#share[id]! += weight
      if (flags[index]! & COUNTS) this.#full[id]!++
      if (flags[index]! & IN_NAME) this.#named[id]!++
    }
  }

  #classOf(id: number, words: number, { named }: RankedBy): number {
    if (named.size > 0 && named.has(id)) return CLASSES.named
    return this.#named[id] === words ? CLASSES.inName : CLASSES.everywhere
  }

  #keyOf(id: number, matchClass: number, scale: number, { places, isSorted }: RankedBy): number {
    return isSorted ? places[id]! : keyOf(matchClass, this.#score[id]! * scale, places[id]!)
  }

  /** Sets back what the last question counted, prompt by prompt: filling whole arrays would cost every question the size of the catalogue. */
  #clear(): void {
    for (let index = 0; index < this.#touchedCount; index++) {
      const id = this.#touched[index]!
      this.#score[id] = this.#share[id] = this.#full[id] = this.#named[id] = 0
    }
    this.#touchedCount = this.#heldCount = 0
  }
}

/** How many bytes are read to count a word. */
function roomOf({ alternatives }: CountedWord): number {
  return alternatives.reduce((sum, { postings }) => postings.reduce((more, { length }) => more + length, sum), 0)
}

function totalOf(words: readonly CountedWord[]): number {
  return words.reduce((sum, { weight }) => sum + weight, 0)
}
