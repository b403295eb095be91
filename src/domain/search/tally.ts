// Owns counting matches: which prompts hold which words of a question, how well, and the order that follows. docs/contract.md section 4.
import { decodePostings, IN_NAME, LEVEL, makePostingRoom, type PostingRoom } from './postings.ts'
import { sliceSorted } from './smallest.ts'

/** The classes of matches, the best first. Before each there is room for those in which the words stand together. */
const CLASSES = { named: 1, inName: 3, everywhere: 5, partly: 7 } as const
/** With so many full matches, nobody needs those that hold a part of the words. */
export const ENOUGH = 5
/** More of those would be noise. */
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

const SCORE_STEPS = 2 ** 23
const PLACES = 2 ** 20

/** Counts the matches of one question at a time; its memory is some 50 bytes a prompt. */
export class Tally {
  readonly #room: PostingRoom
  readonly #other: PostingRoom
  readonly #score: Float32Array
  readonly #share: Float32Array
  readonly #full: Uint8Array
  readonly #named: Uint8Array
  readonly #best: Float32Array
  readonly #flags: Uint8Array
  readonly #touched: Uint32Array
  readonly #group: Uint32Array
  readonly #keys: Float64Array
  #touchedCount = 0
  #groups = 0
  #weight = 0

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

  /** Forgets the last question. */
  clear(): void {
    for (let index = 0; index < this.#touchedCount; index++) {
      const id = this.#touched[index]!
      this.#score[id] = this.#share[id] = this.#full[id] = this.#named[id] = 0
    }
    this.#touchedCount = this.#groups = this.#weight = 0
  }

  /** Counts one word of the question. @param weight how much it tells: the rarer, the more */
  addWord(alternatives: readonly Alternative[], weight: number): void {
    this.#groups++
    this.#weight += weight
    const [first, ...others] = alternatives
    if (first && others.length === 0 && first.postings.length === 1) {
      this.#addPlainly(first, weight)
      return
    }
    let count = 0
    for (const alternative of alternatives) count = this.#addAlternative(alternative, count)
    for (let index = 0; index < count; index++) {
      const id = this.#group[index]!
      const flags = this.#flags[id]!
      if (this.#share[id] === 0) this.#touched[this.#touchedCount++] = id
      this.#score[id]! += weight * this.#best[id]!
      this.#share[id]! += weight
      if (flags & COUNTS) this.#full[id]!++
      if (flags & NAMED) this.#named[id]!++
      this.#best[id] = this.#flags[id] = 0
    }
  }

  /** One way alone: nothing has to be compared. */
  #addPlainly(alternative: Alternative, weight: number): void {
    const { ids, strengths } = this.#room
    const found = decodePostings(alternative.postings[0]!, this.#room)
    const counts = alternative.counts ? 1 : 0
    const values = Array.from({ length: LEVEL + 1 }, (_, level) => weight * worthOf(alternative, level))
    for (let index = 0; index < found; index++) {
      const id = ids[index]!
      const strength = strengths[index]!
      if (this.#share[id] === 0) this.#touched[this.#touchedCount++] = id
      this.#score[id]! += values[strength & LEVEL]!
      this.#share[id]! += weight
      this.#full[id]! += counts
      if (strength & IN_NAME) this.#named[id]! += counts
    }
  }

  #addAlternative(alternative: Alternative, known: number): number {
    const { postings, counts } = alternative
    let found = decodePostings(postings[0]!, this.#room)
    for (const more of postings.slice(1)) found = this.#keepThoseIn(more, found)
    const { ids, strengths } = this.#room
    const values = Array.from({ length: LEVEL + 1 }, (_, level) => worthOf(alternative, level))
    let count = known
    for (let index = 0; index < found; index++) {
      const id = ids[index]!
      const strength = strengths[index]!
      const value = values[strength & LEVEL]!
      if (this.#flags[id] === 0) this.#group[count++] = id
      if (value > this.#best[id]!) this.#best[id] = value
      this.#flags[id]! |= TOUCHED | (counts ? COUNTS | (strength & IN_NAME ? NAMED : 0) : 0)
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

  /** What matches, before it is put in order; good until the next question is ranked. @param isSorted whether only places decide, as when an order was asked for */
  rank({ places, isAllowed, named, isSorted }: RankedBy): Ranked {
    const keys = this.#keys
    const scale = 1 / this.#weight
    const least = LEAST_SHARE * this.#weight
    let fullCount = 0
    let better = 0
    // From the other end, towards those that hold every word.
    let partlyStart = keys.length
    for (let index = 0; index < this.#touchedCount; index++) {
      const id = this.#touched[index]!
      if (isAllowed && isAllowed[id] === 0) continue
      if (this.#full[id] === this.#groups) {
        const isInName = this.#named[id] === this.#groups
        const matchClass =
          named.size > 0 && named.has(id) ? CLASSES.named : isInName ? CLASSES.inName : CLASSES.everywhere
        if (matchClass < CLASSES.everywhere) better++
        keys[fullCount++] = isSorted ? places[id]! : keyOf(matchClass, this.#score[id]! * scale, places[id]!)
      } else if (fullCount < ENOUGH && this.#share[id]! >= least) {
        keys[--partlyStart] = keyOf(CLASSES.partly, this.#score[id]! * scale, places[id]!)
      }
    }
    const full = keys.subarray(0, fullCount)
    if (fullCount >= ENOUGH) return { full, better, partly: new Float64Array() }
    const best = sliceSorted(keys.subarray(partlyStart), 0, MOST_PARTLY)
    const sorted = isSorted ? best.map((key) => keyOf(CLASSES.partly, 0, placeOf(key))).sort() : best
    return { full, better, partly: sorted }
  }
}

/** What decides about the order of matches. */
interface RankedBy {
  /** The place of each prompt in the order that breaks ties, or that was asked for, from 1. */
  places: Uint32Array
  /** Whether a prompt may be found at all, by number; everything may when undefined. */
  isAllowed: Uint8Array | undefined
  /** Prompts whose name or title the question is. */
  named: ReadonlySet<number>
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

/** What a way to hold a word is worth. @param level of a strength */
function worthOf({ weight }: Alternative, level: number): number {
  return (weight * (level + 0.5)) / (LEVEL + 0.5)
}

const TOUCHED = 1
const COUNTS = 2
const NAMED = 4

/** A key that sorts by class, then by score, then by place. @param score 0 to 1, the higher the better */
function keyOf(matchClass: number, score: number, place: number): number {
  const steps = SCORE_STEPS - 1 - Math.min(SCORE_STEPS - 1, Math.round(score * (SCORE_STEPS - 1)))
  return (matchClass * SCORE_STEPS + steps) * PLACES + place
}

/** The place that a key ends with. */
export function placeOf(key: number): number {
  return key % PLACES
}

/** The key of a match in which the words stand together: before all others of its class. */
export function raise(key: number): number {
  return key - SCORE_STEPS * PLACES
}
