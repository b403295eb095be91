// Owns which typos are forgiven, and how far a word is from the one that was meant.

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
  if (Math.abs(a.length - b.length) > most) return none
  let [before, row, next] = rowsFor(b.length)
  for (let j = 0; j <= b.length; j++) row[j] = j
  for (let i = 1; i <= a.length; i++) {
    // Only pairs of letters whose places differ by at most `most` are compared: to bring two others together would take more typos than that.
    const from = Math.max(1, i - most)
    const to = Math.min(b.length, i + most)
    next[from - 1] = from === 1 ? i : none
    let least = next[from - 1]!
    const letter = a.charCodeAt(i - 1)
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1)
      let count = row[j - 1]! + (letter === other ? 0 : 1)
      if (row[j]! < count) count = row[j]! + 1
      if (next[j - 1]! < count) count = next[j - 1]! + 1
      const isSwapped = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other
      if (isSwapped && before[j - 2]! < count) count = before[j - 2]! + 1
      next[j] = count
      if (count < least) least = count
    }
    if (least > most) return none
    if (to < b.length) next[to + 1] = none
    const spare = before
    before = row
    row = next
    next = spare
  }
  return Math.min(row[b.length]!, none)
}

let rows: [Uint16Array, Uint16Array, Uint16Array] | undefined

/** Kept from call to call: thousands of words are compared for one that is mistyped. */
function rowsFor(length: number): [Uint16Array, Uint16Array, Uint16Array] {
  if (rows === undefined || rows[0].length < length + 2) {
    const room = length + 64
    rows = [new Uint16Array(room), new Uint16Array(room), new Uint16Array(room)]
  }
  return rows
}
