// Finds prompts with nearly the same text. It keeps a few hashes of each text, and compares only texts whose hashes match.
import { LRUCache } from 'lru-cache'

/** Prompts that share at least this fraction of their shingles (runs of words) are near-duplicates. */
const ALIKE = 0.8
/** Words per shingle. With fewer, every prompt would resemble every other. */
const RUN_WORDS = 4
/** Shorter texts are not compared, because they are similar by accident. */
const MIN_WORDS = 20
/** Maximum shingles compared per text. The estimated fraction is nearly always within a tenth. */
const SKETCH = 128
/** Only the start of longer texts is compared. */
const MAX_WORDS = 20_000
/** Number of four-byte MinHash values kept per text. The fraction of equal values approximates the fraction of shared shingles. */
const MARKS = 32
/**
 * Values per band, all of which must be equal for two texts to become candidates: of pairs that share 0.8 of their shingles, one in 68 is missed; of pairs that share a quarter, one in 32 is examined.
 */
const BAND = 4
/** Pairs with fewer equal values are not read again: of pairs that share 0.8 of their shingles, one in 500 has so few. */
const MIN_AGREEING = 19
/** Maximum texts compared per band. When a thousand match, comparing more of them would find nothing new. */
const MAX_SHARING = 20
/** Maximum candidates that are read again per text: those with the most equal values. */
const MAX_READ = 4
/** Size of the cache of texts read again, because many texts may resemble the same one. */
const SKETCHES_KEPT = 256

/** A pair of near-duplicates. */
interface NearDuplicate {
  of: string
  /** The prompt that it resembles most. */
  name: string
  /** From 0 to 1. */
  share: number
  /** Whether `of` was added as wanted. If not, `name` was. */
  isWanted: boolean
}

/** Texts represented only by their hashes. */
interface TextMarks {
  /** @param isWanted whether duplicates of this text matter: two unwanted texts are never compared */
  add(name: string, text: string, isWanted: boolean): void
  /**
   * Finds the most similar other text for each text, if any.
   *
   * @param read reads a text again by name
   * @returns the texts that resemble an earlier one, in the order in which they were added; the earlier one is not listed again
   */
  find(read: (name: string) => string): NearDuplicate[]
}

/** Collects texts, to be compared once all of them are known. */
export function openTextMarks(): TextMarks {
  const names: string[] = []
  const wanted: boolean[] = []
  // The hashes of all texts are in one array, because one object per text would take three times the memory.
  let marks = new Int32Array(MARKS * 256)
  return {
    add(name, text, isWanted) {
      const runs = runsOf(text)
      if (runs.size === 0) return
      const end = names.push(name) * MARKS
      wanted.push(isWanted)
      if (end > marks.length) {
        const wider = new Int32Array(marks.length * 2)
        wider.set(marks)
        marks = wider
      }
      markRuns(runs, marks.subarray(end - MARKS, end))
    },
    find(read) {
      const sketches = new LRUCache<number, Int32Array>({ max: SKETCHES_KEPT })
      const sketch = (place: number) => {
        const made = sketches.get(place) ?? sketchOf(runsOf(read(names[place]!)))
        sketches.set(place, made)
        return made
      }
      const found: NearDuplicate[] = []
      const all = marks.subarray(0, names.length * MARKS)
      for (const [place, others] of pairUp(all, (a, b) => wanted[a]! || wanted[b]!)) {
        let best: NearDuplicate | undefined
        for (const other of others) {
          const share = shareOf(sketch(place), sketch(other))
          if (share >= ALIKE && share > (best?.share ?? 0))
            best = { of: names[place]!, name: names[other]!, share, isWanted: wanted[place]! }
        }
        if (best) found.push(best)
      }
      return found
    },
  }
}

/** For each text the earlier candidates: those with a band in common, most similar first. */
function pairUp(
  marks: Int32Array,
  isWanted: (a: number, b: number) => boolean,
): (readonly [place: number, others: number[]])[] {
  const pairs = new Map<number, Map<number, number>>()
  for (let band = 0; band < MARKS; band += BAND) {
    for (const places of groupByBand(marks, band)) {
      for (let at = 1; at < places.length; at++) {
        for (const other of places.slice(0, Math.min(at, MAX_SHARING))) {
          const place = places[at]!
          const known = pairs.get(place)
          if (known?.has(other) || !isWanted(place, other)) continue
          const common = countAgreeing(marks, place, other)
          if (common < MIN_AGREEING) continue
          if (known) known.set(other, common)
          else pairs.set(place, new Map([[other, common]]))
        }
      }
    }
  }
  return [...pairs]
    .sort(([a], [b]) => a - b)
    .map(([place, others]) => [
      place,
      [...others]
        .sort(([a, first], [b, second]) => second - first || a - b)
        .slice(0, MAX_READ)
        .map(([other]) => other),
    ])
}

/** Groups texts with equal hashes in a band, as ascending indexes. It sorts, because a map of lists would take most of the memory. */
function* groupByBand(marks: Int32Array, band: number): Generator<number[]> {
  // A hash of 32 bits and an index of 21 fit into one number, and numbers sort fast.
  const keyed = new Float64Array(marks.length / MARKS)
  for (const place of keyed.keys()) keyed[place] = bandOf(marks, place * MARKS + band) * 2 ** 21 + place
  keyed.sort()
  let places: number[] = []
  let last = -1
  for (const number of keyed) {
    const key = Math.floor(number / 2 ** 21)
    if (key !== last && places.length > 1) yield places
    if (key !== last) places = []
    places.push(number % 2 ** 21)
    last = key
  }
  if (places.length > 1) yield places
}

function countAgreeing(marks: Int32Array, a: number, b: number): number {
  let count = 0
  for (let at = 0; at < MARKS; at++) if (marks[a * MARKS + at] === marks[b * MARKS + at]) count++
  return count
}

function bandOf(marks: Int32Array, from: number): number {
  let hash = 0
  for (let at = from; at < from + BAND; at++) hash = spread(Math.imul(hash, 31) ^ marks[at]!)
  return hash >>> 0
}

/** Computes the hashes of a text: each value is the minimum under another permutation. @see https://en.wikipedia.org/wiki/MinHash */
function markRuns(runs: ReadonlySet<number>, marks: Int32Array): void {
  marks.fill(0x7fffffff)
  for (const run of runs) {
    for (let at = 0; at < MARKS; at++) {
      const placed = spread(Math.imul(run ^ Math.imul(at + 1, 0x9e3779b1), 0x85ebca6b))
      if (placed < marks[at]!) marks[at] = placed
    }
  }
}

/** The smallest hashes of a text's shingles, sorted. */
function sketchOf(runs: ReadonlySet<number>): Int32Array {
  return Int32Array.from(runs).sort().slice(0, SKETCH)
}

/** Hashes of a text's shingles; none for a text that is too short. */
function runsOf(text: string): Set<number> {
  const words = (
    text
      .slice(0, MAX_WORDS * 20)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  ).slice(0, MAX_WORDS)
  const runs = new Set<number>()
  if (words.length < MIN_WORDS) return runs
  for (let at = 0; at + RUN_WORDS <= words.length; at++) runs.add(hashOf(words, at))
  return runs
}

/** FNV-1a of 32 bits over a shingle, with a space after each word. @see https://datatracker.ietf.org/doc/draft-eastlake-fnv/ */
function hashOf(words: readonly string[], from: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < from + RUN_WORDS; at++) {
    const word = words[at]!
    for (let letter = 0; letter < word.length; letter++) hash = Math.imul(hash ^ word.charCodeAt(letter), 0x01000193)
    hash = Math.imul(hash ^ 0x20, 0x01000193)
  }
  return spread(Math.imul(hash ^ (hash >>> 16), 0x85ebca6b))
}

function spread(hash: number): number {
  return hash ^ (hash >>> 13)
}

/** The Jaccard similarity of two sketches. */
function shareOf(a: Int32Array, b: Int32Array): number {
  const inA = new Set(a)
  const inB = new Set(b)
  const union = [...inA.union(inB)].sort((x, y) => x - y).slice(0, Math.min(SKETCH, Math.max(a.length, b.length)))
  return union.filter((run) => inA.has(run) && inB.has(run)).length / union.length
}
