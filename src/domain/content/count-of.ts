// Owns how a number of things is said, on pages and in facts.

/** "1 variable", "2 variables". @param noun of one, whose plural has an `s` */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
