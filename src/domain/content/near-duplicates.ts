// Owns finding prompts that say nearly the same: sketches of their runs of words, compared where they share something.

/** Two prompts that share at least so much of their runs of words are nearly the same. */
const ALIKE = 0.8
/** Words in a run: fewer, and every prompt resembles every other. */
const RUN_WORDS = 4
/** Shorter texts are alike by accident. */
const LEAST_WORDS = 20
/** How many of a text's runs are kept: the share of two sketches is off by a tenth at most, nearly always. */
const SKETCH = 128
/** Texts beyond this are compared by their beginnings. */
const MOST_WORDS = 20_000
/** So many texts with one run are compared; of a run that a thousand share, the others tell nothing more. */
const MOST_SHARING = 20

/** Two that are nearly the same. */
interface NearDuplicate {
  of: string
  /** What it resembles most. */
  name: string
  /** From 0 to 1. */
  share: number
}

/**
 * Finds for each text the one that it resembles most, if any does.
 *
 * @param texts by name
 * @returns a text that resembles an earlier one, in the order given; the earlier one is not named again
 */
export function findNearDuplicates(texts: Iterable<readonly [name: string, text: string]>): NearDuplicate[] {
  const names: string[] = []
  const sketches: Int32Array[] = []
  // By run, the places of the texts that have it: most runs are of one text, and a list for each would be most of the memory.
  const sharing = new Map<number, number | number[]>()
  const found: NearDuplicate[] = []
  for (const [name, text] of texts) {
    const sketch = sketchOf(text)
    const candidates = new Map<number, number>()
    for (const run of sketch)
      for (const other of [sharing.get(run) ?? []].flat()) candidates.set(other, (candidates.get(other) ?? 0) + 1)
    let best: NearDuplicate | undefined
    for (const [other, shared] of candidates) {
      if (shared < sketch.length / 4) continue
      const share = shareOf(sketch, sketches[other]!)
      if (share >= ALIKE && share > (best?.share ?? 0)) best = { of: name, name: names[other]!, share }
    }
    if (best) found.push(best)
    const place = names.push(name) - 1
    sketches.push(sketch)
    for (const run of sketch) {
      const others = sharing.get(run)
      if (others === undefined) sharing.set(run, place)
      else if (typeof others === 'number') sharing.set(run, [others, place])
      else if (others.length < MOST_SHARING) others.push(place)
    }
  }
  return found
}

/** The smallest hashes of a text's runs of words, each once, in their order. */
function sketchOf(text: string): Int32Array {
  const words = (
    text
      .slice(0, MOST_WORDS * 20)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  ).slice(0, MOST_WORDS)
  if (words.length < LEAST_WORDS) return new Int32Array()
  const hashes = new Set<number>()
  for (let at = 0; at + RUN_WORDS <= words.length; at++) hashes.add(hashOf(words.slice(at, at + RUN_WORDS).join(' ')))
  return Int32Array.from(hashes).sort().slice(0, SKETCH)
}

/** FNV-1a of 32 bits, with the bits of its end spread over all of them. @see https://datatracker.ietf.org/doc/draft-eastlake-fnv/ */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}

/** How much of the union of two sketches both have. */
function shareOf(a: Int32Array, b: Int32Array): number {
  const inA = new Set(a)
  const inB = new Set(b)
  const union = [...inA.union(inB)].sort((x, y) => x - y).slice(0, Math.min(SKETCH, Math.max(a.length, b.length)))
  return union.filter((run) => inA.has(run) && inB.has(run)).length / union.length
}
