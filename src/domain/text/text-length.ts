// Owns how long a text is, in the two units that limits are given in; apart from the schemas, so that a page can measure without them.

/** The length of a text in code points: what a person counts, and what JSON Schema's `maxLength` means (RFC 8259 section 8.2). */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const encoder = new TextEncoder()

/** The length of a text in bytes of UTF-8. */
export function countBytes(text: string): number {
  return encoder.encode(text).length
}
