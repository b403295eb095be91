// Finds prompts with nearly the same text. It keeps a few hashes of each text, and compares only texts whose hashes match.
import { LRUCache } from 'lru-cache'

/** Two prompts that share at least so much of their runs of words are nearly the same. */
const ALIKE = 0.8
/** So many words make a run. With fewer, every prompt would resemble every other. */
const RUN_WORDS = 4
/** Texts of fewer words are not compared, because they are alike by accident. */
const MIN_WORDS = 20
/** So many of a text's runs are compared. The share that is found so is nearly always off by a tenth at most. */
const SKETCH = 128
/** Texts beyond this are compared by their beginnings. */
const MAX_WORDS = 20_000
/** So many marks of four bytes are kept of a text. The share of marks in which two texts agree is about that of the runs that they share. */
const MARKS = 32
/**
 * So many marks must agree at the same place for two texts to be looked at: of two that share 0.8 of their runs, one pair in 68 is missed; of two that
 * share a quarter, one in 32 is looked at.
 */
const BAND = 4
/** A pair with fewer marks in common is not read again: of the pairs that share 0.8 of their runs, one in 500 has so few. */
const MIN_AGREEING = 19
/** Of the texts that agree in one band, so many are compared. When a thousand do, comparing more of them would find nothing new. */
const MAX_SHARING = 20
/** Of those that a text may resemble, so many are read again: the ones with the most marks in common. */
const MAX_READ = 4
/** So many sketches of the texts that were last read again are kept, because many texts may resemble the same one. */
const SKETCHES_KEPT = 256

/** Two prompts that are nearly the same. */
interface NearDuplicate {
  of: string
  /** The prompt that it resembles most. */
  name: string
  /** From 0 to 1. */
  share: number
  /** Whether `of` was added as wanted. When it was not, `name` was. */
  isWanted: boolean
}

/** Texts of which only their marks are kept. */
interface TextMarks {
  /** @param isWanted whether it matters what the text resembles: two texts that both do not are never compared */
  add(name: string, text: string, isWanted: boolean): void
  /**
   * Finds for each text the one that it resembles most, if any does.
   *
   * @param read the text of a name again
   * @returns a text that resembles an earlier one, in the order in which they were added; the earlier one is not named again
   */
  find(read: (name: string) => string): NearDuplicate[]
}

/** Collects texts whose likeness is asked for once all of them are known. */
export function openTextMarks(): TextMarks {
  const names: string[] = []
  const wanted: boolean[] = []
  // The marks of all texts stand in one array, because an object for each text would be three times as large as its marks.
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

/** For each text the earlier ones that it may resemble: those with a band in common, the most alike first. */
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

/** Groups the texts whose marks agree in one band, each text as its place, lowest first. It sorts, because a map of lists would take most of the memory. */
function* groupByBand(marks: Int32Array, band: number): Generator<number[]> {
  // A mark of 32 bits and a place of 21 fit into one number, and numbers sort fast.
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

/** Fills in the marks of a text: there are as many orders of all numbers as marks, and each mark is the run that comes first in its order. @see https://en.wikipedia.org/wiki/MinHash */
function markRuns(runs: ReadonlySet<number>, marks: Int32Array): void {
  marks.fill(0x7fffffff)
  for (const run of runs) {
    for (let at = 0; at < MARKS; at++) {
      const placed = spread(Math.imul(run ^ Math.imul(at + 1, 0x9e3779b1), 0x85ebca6b))
      if (placed < marks[at]!) marks[at] = placed
    }
  }
}

/** The smallest hashes of a text's runs, in their order. */
function sketchOf(runs: ReadonlySet<number>): Int32Array {
  return Int32Array.from(runs).sort().slice(0, SKETCH)
}

/** Hashes of a text's runs of words; none of a text that is too short to be compared. */
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

/** FNV-1a of 32 bits over a run that begins at a word, with a space after each. @see https://datatracker.ietf.org/doc/draft-eastlake-fnv/ */
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

/** How much of the union of two sketches both have. */
function shareOf(a: Int32Array, b: Int32Array): number {
  const inA = new Set(a)
  const inB = new Set(b)
  const union = [...inA.union(inB)].sort((x, y) => x - y).slice(0, Math.min(SKETCH, Math.max(a.length, b.length)))
  return union.filter((run) => inA.has(run) && inB.has(run)).length / union.length
}
