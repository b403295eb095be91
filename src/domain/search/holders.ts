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

/** Gathers the prompts that hold a word, one word at a time; its memory is 19 bytes a prompt. */
export class Holders {
  /** The numbers of the prompts that were gathered: as many as `gather` returned. */
  readonly ids: Uint32Array
  /** By prompt: what holding the word is worth at best, 0 to 1. */
  readonly best: Float32Array
  /** By prompt: in which ways it holds the word, `COUNTS` and `IN_NAME` among them. */
  readonly flags: Uint8Array
  readonly #room
  readonly #other
  /** What each strength is worth in the alternative that is being gathered. */
  readonly #values = new Float64Array(STRENGTHS)

  /** @param prompts the highest number of a prompt */
  constructor(prompts: number) {
    this.ids = new Uint32Array(prompts + 1)
    this.best = new Float32Array(prompts + 1)
    this.flags = new Uint8Array(prompts + 1)
    this.#room = makePostingRoom(prompts)
    this.#other = makePostingRoom(prompts)
  }

  /**
   * Gathers what holds a word in any way. The caller sets `best` and `flags` of each gathered prompt back to 0 while it reads them, before the
   * next word is gathered: a loop of our own over the same prompts would cost time.
   *
   * @param among only these are gathered; all when undefined
   * @returns how many were gathered
   */
  gather(alternatives: readonly Alternative[], among: Allowed | undefined): number {
    let count = 0
    const gathered = this.ids
    const { best, flags } = this
    const values = this.#values
    const { ids, strengths } = this.#room
    for (const { postings, weight, counts } of alternatives) {
      let found = among
        ? decodeAmong(postings[0]!, this.#room, among.marks, among.mark)
        : decodePostings(postings[0]!, this.#room)
      for (const more of postings.slice(1)) found = this.#keepThoseIn(more, found)
      for (let strength = 0; strength < STRENGTHS; strength++)
        values[strength] = (weight * ((strength & LEVEL) + 0.5)) / (LEVEL + 0.5)
      // A prompt that only holds what the word may be a typo of does not hold the word itself, in its name or elsewhere.
      const flagsOf = counts ? COUNTS : TOUCHED
      const inName = counts ? IN_NAME : 0
      for (let index = 0; index < found; index++) {
        const id = ids[index]!
        const strength = strengths[index]!
        const value = values[strength]!
        if (flags[id] === 0) gathered[count++] = id
        if (value > best[id]!) best[id] = value
        flags[id]! |= flagsOf | (strength & inName)
      }
    }
    return count
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
