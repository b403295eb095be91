// Owns what a question may cost, decided before it is answered: which of its words are counted, and which ways to read them.
import type { Reading, WordReadings } from './readings.ts'

/** So many postings are counted for one question. */
const MOST_POSTINGS = 500_000

/**
 * What of a question is counted: the rarest words first, then the ways to read them. A word that is too common to be counted hardly tells prompts apart.
 *
 * @param read words with at least one reading
 * @returns the words in their order, and whether anything had to be left out
 */
export function affordReadings(read: readonly WordReadings[]): { words: WordReadings[]; dropped: boolean } {
  let spent = 0
  const affords = (reading: Reading) => {
    const cost = costOf(reading)
    const fits = spent + cost <= MOST_POSTINGS
    if (fits) spent += cost
    return fits
  }
  const rarestFirst = [...read].sort((a, b) => costOf(a.readings[0]!) - costOf(b.readings[0]!))
  const kept = new Set(rarestFirst.filter(({ readings }) => affords(readings[0]!)))
  const words = read
    .filter((one) => kept.has(one))
    .map((one) => ({ ...one, readings: one.readings.filter((reading, index) => index === 0 || affords(reading)) }))
  const countOf = (all: readonly WordReadings[]) => all.reduce((sum, { readings }) => sum + readings.length, 0)
  const dropped = countOf(words) < countOf(read)
  // These only fill up a short answer, so nothing is missing without them.
  return { words: words.map((one) => ({ ...one, loosely: one.loosely.filter(affords) })), dropped }
}

function costOf({ terms }: Reading): number {
  return terms.reduce((sum, { prompts }) => sum + prompts, 0)
}
