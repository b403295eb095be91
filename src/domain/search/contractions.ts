// Owns which words are contractions of others: `mgmt`, `wknd`, `nwsltr`.

/** A contraction has so many letters: a shorter one would stand for too many words, and longer ones hardly occur. */
const LETTERS = { least: 3, most: 10 } as const
/** A contraction keeps at least so much of the letters: four of the thirteen of `international`. */
const LEAST_KEPT = 0.3
const LONGEST_WHOLE = 16
const ENGLISH = /^[a-z]+$/

/** The lengths of the words that one may be a contraction of; none when it cannot be a contraction. */
export function wholeLengths(word: string): number[] {
  const { length } = word
  if (length < LETTERS.least || length > LETTERS.most || !ENGLISH.test(word)) return []
  const longest = Math.min(LONGEST_WHOLE, Math.floor(length / LEAST_KEPT))
  return Array.from({ length: longest - length }, (_, index) => length + 1 + index)
}

/**
 * Whether a word may be a contraction of a longer one: it has the same first letter, all of its letters stand there in the same order, and it either
 * has the same last letter or holds the first consonants without a gap.
 */
export function isContraction(word: string, whole: string): boolean {
  if (!keepsLetters(word, whole)) return false
  return word.at(-1) === whole.at(-1) || skeletonOf(whole).startsWith(skeletonOf(word))
}

/** Whether a word is some letters of another in their order, the first one among them. */
export function keepsLetters(word: string, whole: string): boolean {
  if (word[0] !== whole[0]) return false
  let at = 0
  for (let index = 0; index < whole.length && at < word.length; index++) if (whole[index] === word[at]) at++
  return at === word.length
}

/** Whether a word lacks nothing but vowels and doubled letters of another. These are the surest contractions. */
export function lacksVowelsOnly(word: string, whole: string): boolean {
  return skeletonOf(word) === skeletonOf(whole)
}

/** Whether a word has no vowel behind its first letter. Hardly any word that is written out lacks them all. */
export function hasNoVowels(word: string): boolean {
  return !VOWELS.test(word.slice(1))
}

const VOWELS = /[aeiouy]/

function skeletonOf(word: string): string {
  return (
    word[0]! +
    word
      .slice(1)
      .replace(/[aeiouy]/g, '')
      .replace(/(.)\1+/g, '$1')
  )
}
