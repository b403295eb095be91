// Decides how many typos are tolerated, and computes the distance between words.

/** Returns the maximum number of typos in a word: one in words of at least four letters, two in words of at least eight, and none in words of more than 32 letters, which are identifiers and hashes. */
export function maxTypos(word: string): 0 | 1 | 2 {
  if (word.length < 4 || word.length > 32) return 0
  return word.length < 8 ? 1 : 2
}

/** No token is longer. Comparing two words takes time proportional to the product of their lengths. */
const MAX_WORD_CHARACTERS = 64

/**
 * Computes the edit distance of two words: insertions, deletions, substitutions and transpositions (optimal string alignment).
 *
 * @param most larger distances return `most + 1`; so does a word of more than 64 characters
 */
export function countTypos(a: string, b: string, most: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > most || Math.max(a.length, b.length) > MAX_WORD_CHARACTERS) return most + 1
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(Math.min(change, next[j - 1]! + 1, row[j]! + 1, isSwapped ? before[j - 2]! + 1 : most + 1))
    }
    ;[before, row] = [row, next]
  }
  return Math.min(row[b.length]!, most + 1)
}
