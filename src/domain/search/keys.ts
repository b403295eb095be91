// Owns the keys that an index files prompts under: a number for each term, tag, title and short beginning of a word.

/** Beginnings of up to so many letters have postings of their own: people who search as they type ask for them, and each stands for thousands of words. */
export const PREFIX_LETTERS = 3

/** How many first letters may stand for words: `least` to `most` for neighbours in a title and for the words of a tag, but `whole` only for a title or tag of just so many words, because any two letters begin too many pairs of neighbours. */
export const INITIALS = { whole: 2, least: 3, most: 5 } as const

/** The key of a term, as `termOf` makes it. */
export function termKey(term: string): number {
  return hashText(term)
}

/** The key of a short beginning. No term holds a `*`, so no term has the same key. */
export function prefixKey(prefix: string): number {
  return hashText(`${prefix}*`)
}

/** The key of a tag. */
export function tagKey(tag: string): number {
  return hashText(`#${tag}`)
}

/** The key of a whole title. @param words folded, in their order */
export function titleKey(words: readonly string[]): number {
  return hashText(`=${words.join(' ')}`)
}

/** The key of the first letters of several words: `rca` for a root cause analysis. */
export function initialsKey(letters: string): number {
  return hashText(`${letters}.`)
}

/**
 * Makes 48 bits of a text. Keys take a quarter of the room that the texts would take with an index of them. Among a million texts, two share a key
 * with a chance of one in five hundred; then each finds the other's prompts too.
 *
 * @see https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js public domain
 */
function hashText(text: string): number {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2_654_435_761)
    b = Math.imul(b ^ code, 1_597_334_677)
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909)
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909)
  return (b & 0xffff) * 2 ** 32 + (a >>> 0)
}
