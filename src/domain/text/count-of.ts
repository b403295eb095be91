// Formats a number with its noun: "1 prompt", "2 prompts".

/** A count with a comma after thousands. Most are small, and a locale is asked for the others alone, because that takes much longer. */
export function formatCount(count: number): string {
  return count < 1_000 ? String(count) : count.toLocaleString('en')
}

/** "1 variable", "2 variables". @param noun of one, whose plural has an `s` */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
