// Generates text for synthetic prompts: pronounceable words with Zipf frequencies.
import { between, pick, type Random, zipf } from './random.ts'

/** About the vocabulary of an educated reader, so that an index has a realistic size. */
const VOCABULARY = 30_000
/** The most frequent words stand for "the" and "of", which appear in no name and no query. */
const FUNCTION_WORDS = 60

const ONSETS = 'b br ch d dr f fl g gr h k l m n p pl r s sh st t tr v w z'.split(' ')
const VOWELS = 'a e i o u a e i o u ai ea ou ö é'.split(' ')
const CODAS = ['', '', '', 'n', 'r', 's', 'l', 'm', 'nd', 'rt']

/** A source of words and sentences. */
export interface Prose {
  /** Any word, by frequency. */
  word(): string
  /** A word that indicates a topic. */
  topic(): string
  /** Words that start with a capital letter and end with a period. */
  sentence(): string
  /** A few topics as a title. */
  title(): string
}

/** Creates a language; the same random generator creates the same one. */
export function inventProse(random: Random): Prose {
  const words = inventWords(random)
  const drawWord = zipf(random, { ranks: VOCABULARY, offset: 2.7 })
  const drawTopic = zipf(random, { ranks: VOCABULARY - FUNCTION_WORDS, offset: 60 })
  const word = () => words[drawWord()]!
  const topic = () => words[FUNCTION_WORDS + drawTopic()]!
  const some = (count: number, draw: () => string) => Array.from({ length: count }, draw).join(' ')
  return {
    word,
    topic,
    sentence: () => `${capitalise(some(between(random, 5, 16), word))}.`,
    title: () => capitalise(some(between(random, 2, 4), topic)),
  }
}

/** A word for a name, a tag or a handle. */
export function toAscii(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '')
}

/** Distinct words; frequent ones are short, as in every language. */
function inventWords(random: Random): string[] {
  const words = new Set<string>()
  while (words.size < VOCABULARY) {
    const syllables = words.size < 200 ? 1 : words.size < 3_000 ? 2 : between(random, 2, 4)
    words.add(
      Array.from({ length: syllables }, () => pick(random, ONSETS) + pick(random, VOWELS)).join('') +
        pick(random, CODAS),
    )
  }
  return [...words]
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
