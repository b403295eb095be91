// A seeded random generator, and the distributions from which synthetic catalogues are drawn.

/** Draws a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

/** Creates a generator whose numbers depend only on the seed. It uses mulberry32, whose 32 bits of state are enough for text. @param seed an integer */
export function seedRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Picks one of the values, with equal probability. */
export function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)]!
}

/** Draws an integer from an inclusive range. */
export function randomInteger(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1))
}

/** Draws a log-normal size: most sizes are small, a few are huge. @param sigma standard deviation of the logarithm */
export function drawLogNormal(random: Random, { median, sigma }: { median: number; sigma: number }): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return median * Math.exp(sigma * normal)
}

/**
 * Draws Zipf–Mandelbrot ranks, like those of words, owners and tags: the first rank is the most frequent, and the tail is long.
 *
 * @param ranks the number of ranks
 * @param offset Mandelbrot's offset: the larger it is, the less the first ranks dominate
 * @returns a function that draws a 0-based rank
 */
export function zipf(random: Random, { ranks, offset }: { ranks: number; offset: number }): () => number {
  const sums = new Float64Array(ranks)
  let sum = 0
  for (let rank = 0; rank < ranks; rank++) sums[rank] = sum += 1 / (rank + 1 + offset)
  return () => {
    const wanted = random() * sum
    let low = 0
    let high = ranks - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}
