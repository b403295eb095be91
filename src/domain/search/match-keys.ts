// Owns the number that a match is put in order by: its class, then its score, then its place in the order that breaks ties.

/** The classes of matches, the best first. The number before each is for those of its matches in which the words stand together. */
export const CLASSES = { named: 1, inName: 3, everywhere: 5, partly: 7 } as const

const SCORE_STEPS = 2 ** 23
const PLACES = 2 ** 20

/** A key that sorts by class, then by score, then by place. @param score 0 to 1, the higher the better */
export function keyOf(matchClass: number, score: number, place: number): number {
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
