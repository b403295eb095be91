// Formats a number with its noun: "1 prompt", "2 prompts".

/** Formats a number with thousands separators. Only large numbers use the locale, which takes much longer. */
export function formatCount(count: number): string {
  return count < 1_000 ? String(count) : count.toLocaleString('en')
}

/** Formats a count with its noun, such as "1 variable" or "2 variables". @param noun singular */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`
}
