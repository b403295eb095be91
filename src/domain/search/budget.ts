// Owns what a question may cost, decided before it is answered: which of its words are counted, and which ways to read them.
import type { Reading, WordReadings } from './readings.ts'

/** At most so many postings are counted for one question. */
const MOST_POSTINGS = 500_000

/**
 * Chooses what of a question is counted, within the bound: the first reading of each word, the rarest words first, then their other readings. What is
 * left out is common, and a word in nearly every prompt hardly tells prompts apart.
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
  // Loose readings only fill up a short answer, so leaving some out is not worth telling.
  return { words: words.map((one) => ({ ...one, loosely: one.loosely.filter(affords) })), dropped }
}

function costOf({ terms }: Reading): number {
  return terms.reduce((sum, { prompts }) => sum + prompts, 0)
}
