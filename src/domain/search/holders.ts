// Owns which prompts hold one word of a question in any of the ways to read it, and how well each of them does.
import { decodeAmong, decodePostings, IN_NAME, LEVEL, makePostingRoom, STRENGTHS } from './postings.ts'

/** One way to hold a word: a prompt has to stand in all of the postings. */
export interface Alternative {
  /** At least one; several for a reading of several terms. */
  postings: readonly Uint8Array[]
  /** 1 for the word itself; less for what stands for it. */
  weight: number
  /** Whether a prompt that holds the word only in this way holds it fully. */
  counts: boolean
}

/** The prompts that may be found: those that have this mark in `marks`, where a prompt's number is its index. */
export interface Allowed {
  marks: Uint8Array
  mark: number
}

/** What `flags` says of a prompt that was gathered: that it holds the word fully, or that it does only in ways that do not count. `IN_NAME` may be set beside either. */
export const COUNTS = 2
const TOUCHED = 1

/** Gathers the prompts that hold a word, one word at a time; its memory is 24 bytes a prompt. */
export class Holders {
  /** The numbers of the prompts that were gathered: as many as `gather` returned, good until it is called again. */
  ids: Uint32Array
  /** In the order of `ids`: what holding the word is worth at best, 0 to 1. */
  readonly best: Float32Array
  /** In the order of `ids`: in which ways a prompt holds the word, `COUNTS` and `IN_NAME` among them. */
  readonly flags: Uint8Array
  readonly #room
  readonly #other
  readonly #gathered: Uint32Array
  /** The same by prompt, while several alternatives are gathered; 0 otherwise. */
  readonly #bestOf: Float32Array
  readonly #flagsOf: Uint8Array
  /** What each strength is worth in the alternative that is being gathered. */
  readonly #values = new Float64Array(STRENGTHS)

  /** @param prompts the highest number of a prompt */
  constructor(prompts: number) {
    this.#gathered = new Uint32Array(prompts + 1)
    this.ids = this.#gathered
    this.best = new Float32Array(prompts + 1)
    this.flags = new Uint8Array(prompts + 1)
    this.#bestOf = new Float32Array(prompts + 1)
    this.#flagsOf = new Uint8Array(prompts + 1)
    this.#room = makePostingRoom(prompts)
    this.#other = makePostingRoom(prompts)
  }

  /**
   * Gathers what holds a word in any way.
   *
   * @param alternatives at least one
   * @param among only these are gathered; all when undefined
   * @returns how many were gathered
   */
  gather(alternatives: readonly Alternative[], among: Allowed | undefined): number {
    // Most words have one reading, whose prompts come one after the other: no prompt has to be looked up by its number.
    return alternatives.length === 1 ? this.#gatherOne(alternatives[0]!, among) : this.#gatherAny(alternatives, among)
  }

  #gatherOne(alternative: Alternative, among: Allowed | undefined): number {
    const found = this.#read(alternative, among)
    const values = this.#values
    const { best, flags } = this
    const { ids, strengths } = this.#room
    const { kind, inName } = flagsFor(alternative)
    this.ids = ids
    for (let index = 0; index < found; index++) {
      const strength = strengths[index]!
      best[index] = values[strength]!
      flags[index] = kind | (strength & inName)
    }
    return found
  }

  #gatherAny(alternatives: readonly Alternative[], among: Allowed | undefined): number {
    let count = 0
    const gathered = this.#gathered
    const bestOf = this.#bestOf
    const flagsOf = this.#flagsOf
    const values = this.#values
    const { ids, strengths } = this.#room
    for (const alternative of alternatives) {
      const found = this.#read(alternative, among)
      const { kind, inName } = flagsFor(alternative)
      for (let index = 0; index < found; index++) {
        const id = ids[index]!
        const strength = strengths[index]!
        const value = values[strength]!
        if (flagsOf[id] === 0) gathered[count++] = id
        if (value > bestOf[id]!) bestOf[id] = value
        flagsOf[id]! |= kind | (strength & inName)
      }
    }
    const { best, flags } = this
    this.ids = gathered
    for (let index = 0; index < count; index++) {
      const id = gathered[index]!
      best[index] = bestOf[id]!
      flags[index] = flagsOf[id]!
      bestOf[id] = flagsOf[id] = 0
    }
    return count
  }

  /** Reads what holds one alternative into the room, and what its strengths are worth. @returns how many prompts that are */
  #read({ postings, weight }: Alternative, among: Allowed | undefined): number {
    let found = among
      ? decodeAmong(postings[0]!, this.#room, among.marks, among.mark)
      : decodePostings(postings[0]!, this.#room)
    for (let more = 1; more < postings.length; more++) found = this.#keepThoseIn(postings[more]!, found)
    for (let strength = 0; strength < STRENGTHS; strength++)
      this.#values[strength] = (weight * ((strength & LEVEL) + 0.5)) / (LEVEL + 0.5)
    return found
  }

  /** Leaves in the room what other postings hold as well, with the weaker strength of the two. */
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
}

/** A prompt that only holds what the word may be a typo of does not hold the word itself, in its name or elsewhere. */
function flagsFor({ counts }: Alternative): { kind: number; inName: number } {
  return counts ? { kind: COUNTS, inName: IN_NAME } : { kind: TOUCHED, inName: 0 }
}
