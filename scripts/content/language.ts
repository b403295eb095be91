// A made-up language for synthetic prompts, with the word frequencies of a real one.
import { pick, type Random, randomInteger, zipf } from './random.ts'

/** Number of words. It is about the size of an educated reader's vocabulary, so that an index has a realistic size. */
const VOCABULARY = 30_000
/** The most frequent words stand for words such as "the" and "of", and appear in no name. */
const FUNCTION_WORDS = 60

const ONSETS = 'b br ch d dr f fl g gr h k l m n p pl r s sh st t tr v w z'.split(' ')
const VOWELS = 'a e i o u ai ea ou'.split(' ')

/** A source of names and sentences. */
export interface Language {
  /** Returns some words that indicate a topic, joined by hyphens. */
  name(words: number): string
  /** Returns a title made from a few topics. */
  title(): string
  /** Returns a sentence that starts with a capital letter and ends with a period. */
  sentence(): string
}

/** Creates a language; random generators with the same seed create the same language. */
export function createLanguage(random: Random): Language {
  const found = new Set<string>()
  while (found.size < VOCABULARY) {
    // Frequent words are short, as in every language.
    const syllables = found.size < 100 ? 1 : found.size < 3_000 ? 2 : randomInteger(random, 3, 4)
    found.add(Array.from({ length: syllables }, () => pick(random, ONSETS) + pick(random, VOWELS)).join(''))
  }
  const words = [...found]
  const drawWord = zipf(random, { ranks: VOCABULARY, offset: 2.7 })
  const drawTopic = zipf(random, { ranks: VOCABULARY - FUNCTION_WORDS, offset: 60 })
  const topic = () => words[FUNCTION_WORDS + drawTopic()]!
  const join = (count: number, draw: () => string) => Array.from({ length: count }, draw).join(' ')
  const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  return {
    name: (count) => Array.from({ length: count }, topic).join('-'),
    title: () => capitalise(join(randomInteger(random, 2, 4), topic)),
    sentence: () => `${capitalise(join(randomInteger(random, 5, 16), () => words[drawWord()]!))}.`,
  }
}
