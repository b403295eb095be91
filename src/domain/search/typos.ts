// Says which typos are forgiven, and how far a word is from the one that was meant.

/** The shortest word in which a typo is forgiven: in three letters, one changed letter is another word. */
const SHORTEST_FORGIVEN = 4
/** The longest word in which a typo is forgiven: longer ones are identifiers and hashes. */
const LONGEST_FORGIVEN = 32
/** Up to this length one typo is forgiven, in longer words two. */
const LONGEST_FOR_ONE = 7

/** How many typos are forgiven in a word: the longer it is, the more. */
export function forgivenTypos(word: string): 0 | 1 | 2 {
  if (word.length < SHORTEST_FORGIVEN || word.length > LONGEST_FORGIVEN) return 0
  return word.length <= LONGEST_FOR_ONE ? 1 : 2
}

/**
 * How many typos lie between two words: characters added, left out or changed, neighbours swapped (optimal string alignment).
 *
 * @param most counting ends there, and whatever is beyond it counts as `most + 1`
 */
export function countTypos(a: string, b: string, most: number): number {
  const none = most + 1
  if (Math.abs(a.length - b.length) > most || b.length >= MAX_LETTERS) return none
  let [before, row, next] = rows as [Uint8Array, Uint8Array, Uint8Array]
  for (let j = 0; j <= b.length; j++) row[j] = j
  for (let i = 1; i <= a.length; i++) {
    // Letters whose places differ by more than `most` are not compared: to bring them together takes more typos than that.
    const from = Math.max(1, i - most)
    const to = Math.min(b.length, i + most)
    next[from - 1] = from === 1 ? i : none
    for (let j = from; j <= to; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const change = Math.min(row[j - 1]! + (isSame ? 0 : 1), next[j - 1]! + 1, j < i + most ? row[j]! + 1 : none)
      next[j] = isSwapped ? Math.min(change, before[j - 2]! + 1) : change
    }
    ;[before, row, next] = [row, next, before]
  }
  return Math.min(row[b.length]!, none)
}

const MAX_LETTERS = 72
/** Kept from call to call: thousands of words are compared for one that is mistyped. */
const rows = [0, 1, 2].map(() => new Uint8Array(MAX_LETTERS))

/** Which letters a word has, one bit a letter; letters beyond `a` to `z` share their bits. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

/** Whether two words may be that few typos apart: one removes at most one letter from the set and adds at most one. */
export function mayBeClose(letters: number, others: number, typos: number): boolean {
  let different = letters ^ others
  for (let most = 2 * typos; different !== 0; most--) {
    if (most === 0) return false
    different &= different - 1
  }
  return true
}
