// Owns which typos are forgiven: how far a word may be from the one that was meant, and the keys by which such words find each other.

/** The shortest word in which a typo is forgiven: in three letters, one changed letter is another word. */
const SHORTEST_FORGIVEN = 4
/** The longest word that is worth forgiving; beyond it, texts are identifiers and hashes. */
const LONGEST_FORGIVEN = 32
/** Up to this length one typo is forgiven, in longer words two. */
const LONGEST_FOR_ONE = 7
/** Keys are made of so many letters at the beginning: typos beyond them leave the keys as they are. */
const KEYED_LETTERS = 7

/** How many typos are forgiven in a word. */
export function forgivenTypos(word: string): 0 | 1 | 2 {
  if (word.length < SHORTEST_FORGIVEN || word.length > LONGEST_FORGIVEN) return 0
  return word.length <= LONGEST_FOR_ONE ? 1 : 2
}

/**
 * The beginning of a word with every choice of so many letters left out: two words that are that many typos apart share one of these.
 *
 * @param typos at most 2; 2 makes at most 29 keys
 * @see https://github.com/wolfgarbe/SymSpell symmetric deletes of a prefix
 */
export function typoKeys(word: string, typos: number): string[] {
  const keys = new Set([word.slice(0, KEYED_LETTERS)])
  let last = [...keys]
  for (let count = 0; count < typos; count++) {
    last = last.flatMap((key) => Array.from(key, (_, at) => key.slice(0, at) + key.slice(at + 1)))
    for (const key of last) keys.add(key)
  }
  return [...keys]
}

/**
 * How many typos lie between two words: characters added, left out or changed, neighbours swapped (optimal string alignment).
 *
 * @param most counting ends there; anything beyond is `most + 1`
 */
export function countTypos(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let count = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) count = Math.min(count, before[j - 2]! + 1)
      next.push(count)
      least = Math.min(least, count)
    }
    if (least > most) return most + 1
    before = row
    row = next
  }
  return Math.min(row[b.length]!, most + 1)
}
