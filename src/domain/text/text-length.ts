// Measures text in code points, bytes and lines. Imports no schemas, so that pages can use it.

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
  let at = 0
  return (offset) => {
    if (offset < at) [line, at] = [firstLine, 0]
    for (let next = text.indexOf('\n', at); next !== -1 && next < offset; next = text.indexOf('\n', at)) {
      line++
      at = next + 1
    }
    return line
  }
}
