// Formats a number with its noun: "1 prompt", "2 prompts".

/** A number with thousands separators. Most are small, and only larger ones use the locale, which takes much longer. */
export function formatCount(count: number): string {
  return count < 1_000 ? String(count) : count.toLocaleString('en')
}

/** "1 variable", "2 variables". @param noun singular; its plural adds an `s` */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
