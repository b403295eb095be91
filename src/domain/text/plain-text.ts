// Compares, measures and counts plain text. Imports no schemas, so that pages can use it.

/** Compares strings by code unit, so that the order is the same on every machine, in any locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Returns the length of a string in code points, which is what users count and what JSON Schema's `maxLength` means (RFC 8259 section 8.2). */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const encoder = new TextEncoder()

/** Returns the length of a string in UTF-8 bytes. */
export function countBytes(text: string): number {
  return encoder.encode(text).length
}

/** Returns the 1-based line number of an offset in UTF-16 code units. */
export function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

/** Returns a function like `lineOf` for increasing offsets, which scans a long text only once. */
export function lineCounter(text: string, firstLine: number): (offset: number) => number {
  let line = firstLine
  /** The end of that line; the search for it starts again only after it, because a text may have no further line break. */
  let end = text.indexOf('\n')
  let last = 0
  return (offset) => {
    if (offset < last) [line, end] = [firstLine, text.indexOf('\n')]
    last = offset
    for (; end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line++
    return line
  }
}

/** Formats a number with thousands separators. Only large numbers use the locale, which takes much longer. */
export function formatCount(count: number): string {
  return count < 1_000 ? String(count) : count.toLocaleString('en')
}

/** Formats a count with its noun, such as "1 variable" or "2 variables". @param noun singular */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`
}
