// Owns counting matches: which prompts hold which words of a question, how well, and the order that follows. docs/contract.md section 4.
import { CLASSES, keyOf, placeOf } from './match-keys.ts'
import {
  decodeAmong,
  decodePostings,
  IN_NAME,
  LEVEL,
  makePostingRoom,
  type PostingRoom,
  STRENGTHS,
} from './postings.ts'
import { sliceSorted } from './smallest.ts'

/** With so many full matches, those that hold only a part of the words are left out. */
export const ENOUGH = 5
/** How many matches that hold a part of the words are shown. */
const MOST_PARTLY = 20
/** Of the words' weight, so much at least must be held. */
const LEAST_SHARE = 0.4

/** One way to hold a word: by the postings of a term, or of several of which all must be held. */
interface Alternative {
  postings: readonly Uint8Array[]
  /** 1 for the word itself; less for what stands for it. */
  weight: number
  /** Whether a prompt that holds the word only so holds it fully. */
  counts: boolean
}

/** A word of a question, as it is counted. */
interface CountedWord {
  /** The ways to hold it; at least one. */
  alternatives: readonly Alternative[]
  /** How much it tells: the rarer, the more. */
  weight: number
}

/** Prompts that may be found: those with this mark, by number. */
export interface Allowed {
  marks: Uint8Array
  mark: number
}

/** Counts the matches of one question at a time; its memory is some 45 bytes a prompt. */
export class Tally {
  readonly #room: PostingRoom
  readonly #other: PostingRoom
  readonly #score: Float32Array
  readonly #share: Float32Array
  /** How many words each prompt holds fully. */
  readonly #full: Uint8Array
  readonly #named: Uint8Array
  readonly #best: Float32Array
  readonly #flags: Uint8Array
  readonly #touched: Uint32Array
  readonly #group: Uint32Array
  readonly #keys: Float64Array
  readonly #values = new Float64Array(STRENGTHS)
  #touchedCount = 0
  #groupCount = 0

  /** @param prompts the highest number of a prompt */
  constructor(prompts: number) {
    this.#room = makePostingRoom(prompts)
    this.#other = makePostingRoom(prompts)
    this.#score = new Float32Array(prompts + 1)
    this.#share = new Float32Array(prompts + 1)
    this.#full = new Uint8Array(prompts + 1)
    this.#named = new Uint8Array(prompts + 1)
    this.#best = new Float32Array(prompts + 1)
    this.#flags = new Uint8Array(prompts + 1)
    this.#touched = new Uint32Array(prompts + 1)
    this.#group = new Uint32Array(prompts + 1)
    this.#keys = new Float64Array(prompts + 1)
  }

  /** What matches, before it is put in order; good until the next question is ranked. */
  rank(words: readonly CountedWord[], by: RankedBy): Ranked {
    // The rarest first: of the others, only what these left is counted.
    const rarestFirst = [...words].sort((a, b) => roomOf(a) - roomOf(b))
    const isPlain = words.every(({ alternatives }) => alternatives.every(({ counts }) => counts))
    const ranked = (isPlain && this.#rankFull(rarestFirst, by)) || this.#rankAll(rarestFirst, by)
    this.#clear()
    return ranked
  }

  /** Those alone that hold every word. @returns nothing when they are not enough; then what holds a part of the words is asked for too */
  #rankFull(words: readonly CountedWord[], by: RankedBy): Ranked | undefined {
    for (const [index, word] of words.entries()) {
      this.#countAmong(word, index, by.allowed)
      if (this.#groupCount < ENOUGH) return undefined
    }
    const scale = 1 / totalOf(words)
    let better = 0
    for (let index = 0; index < this.#groupCount; index++) {
      const id = this.#group[index]!
      const matchClass = this.#classOf(id, words.length, by)
      if (matchClass < CLASSES.everywhere) better++
      this.#keys[index] = this.#keyOf(id, matchClass, scale, by)
    }
    return { full: this.#keys.subarray(0, this.#groupCount), better, partly: new Float64Array() }
  }

  /** Leaves in the group what holds one more word. @param before how many words all of the group hold already */
  #countAmong({ alternatives, weight }: CountedWord, before: number, allowed: Allowed | undefined): void {
    const among = before > 0 ? { marks: this.#full, mark: before } : allowed
    const count = this.#gather(alternatives, among)
    for (let index = 0; index < count; index++) {
      const id = this.#group[index]!
      this.#score[id]! += weight * this.#best[id]!
      this.#full[id] = before + 1
      if (this.#flags[id]! & IN_NAME) this.#named[id]!++
      this.#best[id] = this.#flags[id] = 0
    }
    this.#groupCount = count
    if (before > 0) return
    this.#touched.set(this.#group.subarray(0, count))
    this.#touchedCount = count
  }

  /** Those that hold every word, and the best of those that hold most of them. */
  #rankAll(words: readonly CountedWord[], by: RankedBy): Ranked {
    this.#clear()
    for (const word of words) this.#countAll(word, by.allowed)
    const total = totalOf(words)
    const scale = 1 / total
    const keys = this.#keys
    let fullCount = 0
    let better = 0
    // From the other end, towards those that hold every word.
    let partlyStart = keys.length
    for (let index = 0; index < this.#touchedCount; index++) {
      const id = this.#touched[index]!
      if (this.#full[id] === words.length) {
        const matchClass = this.#classOf(id, words.length, by)
        if (matchClass < CLASSES.everywhere) better++
        keys[fullCount++] = this.#keyOf(id, matchClass, scale, by)
      } else if (fullCount < ENOUGH && this.#share[id]! >= LEAST_SHARE * total) {
        keys[--partlyStart] = keyOf(CLASSES.partly, this.#score[id]! * scale, by.places[id]!)
      }
    }
    const full = keys.subarray(0, fullCount)
    if (fullCount >= ENOUGH) return { full, better, partly: new Float64Array() }
    const best = sliceSorted(keys.subarray(partlyStart), 0, MOST_PARTLY)
    const sorted = by.isSorted ? best.map((key) => keyOf(CLASSES.partly, 0, placeOf(key))).sort() : best
    return { full, better, partly: sorted }
  }

  #countAll({ alternatives, weight }: CountedWord, allowed: Allowed | undefined): void {
    const count = this.#gather(alternatives, allowed)
    for (let index = 0; index < count; index++) {
      const id = this.#group[index]!
      const flags = this.#flags[id]!
      if (this.#share[id] === 0) this.#touched[this.#touchedCount++] = id
      this.#score[id]! += weight * this.#best[id]!
      this.#share[id]! += weight
      if (flags & COUNTS) this.#full[id]!++
      if (flags & IN_NAME) this.#named[id]!++
      this.#best[id] = this.#flags[id] = 0
    }
  }

  /** Puts into the group what holds a word in any way, with what it is worth at best. @returns how many these are */
  #gather(alternatives: readonly Alternative[], among: Allowed | undefined): number {
    let count = 0
    const { ids, strengths } = this.#room
    for (const { postings, weight, counts } of alternatives) {
      let found = among
        ? decodeAmong(postings[0]!, this.#room, among.marks, among.mark)
        : decodePostings(postings[0]!, this.#room)
      for (const more of postings.slice(1)) found = this.#keepThoseIn(more, found)
      for (let strength = 0; strength < STRENGTHS; strength++)
        this.#values[strength] = (weight * ((strength & LEVEL) + 0.5)) / (LEVEL + 0.5)
      // A prompt that only holds a typo of a word does not count as holding the word itself.
      const flagsOf = counts ? COUNTS : TOUCHED
      const inName = counts ? IN_NAME : 0
      for (let index = 0; index < found; index++) {
        const id = ids[index]!
        const strength = strengths[index]!
        const value = this.#values[strength]!
        if (this.#flags[id] === 0) this.#group[count++] = id
        if (value > this.#best[id]!) this.#best[id] = value
        this.#flags[id]! |= flagsOf | (strength & inName)
      }
    }
    return count
  }

  /** Leaves of the room what other postings hold as well, with the weaker strength of the two. */
  #keepThoseIn(more: Uint8Array, found: number): number {
    const { ids, strengths } = this.#room
    const others = decodePostings(more, this.#other)
    let kept = 0
    for (let index = 0, other = 0; index < found && other < others; ) {
      const id = ids[index]!
      const otherId = this.#other.ids[other]!
      if (id === otherId) {
        const [a, b] = [strengths[index]!, this.#other.strengths[other]!]
        ids[kept] = id
        strengths[kept++] = Math.min(a & LEVEL, b & LEVEL) | (a & b & IN_NAME)
      }
      if (id <= otherId) index++
      if (otherId <= id) other++
    }
    return kept
  }

  #classOf(id: number, words: number, { named }: RankedBy): number {
    if (named.size > 0 && named.has(id)) return CLASSES.named
    return this.#named[id] === words ? CLASSES.inName : CLASSES.everywhere
  }

  #keyOf(id: number, matchClass: number, scale: number, { places, isSorted }: RankedBy): number {
    return isSorted ? places[id]! : keyOf(matchClass, this.#score[id]! * scale, places[id]!)
  }

  /** Forgets the last question. */
  #clear(): void {
    for (let index = 0; index < this.#touchedCount; index++) {
      const id = this.#touched[index]!
      this.#score[id] = this.#share[id] = this.#full[id] = this.#named[id] = 0
    }
    this.#touchedCount = this.#groupCount = 0
  }
}

/** So much is read to count a word. */
function roomOf({ alternatives }: CountedWord): number {
  return alternatives.reduce((sum, { postings }) => postings.reduce((more, { length }) => more + length, sum), 0)
}

function totalOf(words: readonly CountedWord[]): number {
  return words.reduce((sum, { weight }) => sum + weight, 0)
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

/** What `#flags` says of a prompt beside `IN_NAME`: that it is in the group, and that it holds the word fully. */
const TOUCHED = 1
const COUNTS = 2
