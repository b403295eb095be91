// Says which typos are forgiven, and how far a word is from the one that was meant.

/** The shortest word in which a typo is forgiven: in three letters, one changed letter is another word. */
const MIN_FORGIVEN_LETTERS = 4
/** Longer words are identifiers and hashes. */
const MAX_FORGIVEN_LETTERS = 32
/** Up to this length one typo is forgiven, in longer words two. */
const MAX_LETTERS_FOR_ONE = 7

/** How many typos are forgiven in a word: the longer it is, the more. */
export function forgivenTypos(word: string): 0 | 1 | 2 {
  if (word.length < MIN_FORGIVEN_LETTERS || word.length > MAX_FORGIVEN_LETTERS) return 0
  return word.length <= MAX_LETTERS_FOR_ONE ? 1 : 2
}

/**
 * The edit distance of two words: characters added, left out or changed, neighbours swapped (optimal string alignment).
 *
 * @param most whatever is beyond it counts as `most + 1`
 */
export function countTypos(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
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

/** Which letters a word has, one bit a letter; letters beyond `a` to `z` share their bits. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

/** Whether two words may be that few typos apart, by their letters alone: a typo removes at most one letter from the set and adds at most one. */
export function mayBeClose(letters: number, others: number, typos: number): boolean {
  let different = letters ^ others
  for (let left = 2 * typos; different !== 0; left--) {
    if (left === 0) return false
    different &= different - 1
  }
  return true
}
