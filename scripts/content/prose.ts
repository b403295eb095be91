// Generates text for synthetic prompts: pronounceable words with Zipf frequencies.
import { pick, type Random, randomInteger, zipf } from './random.ts'

/** Number of words. It is about the size of an educated reader's vocabulary, so that an index has a realistic size. */
const VOCABULARY = 30_000
/** Number of function words. These are the most frequent words; they stand for words such as "the" and "of" and appear in no name or query. */
const FUNCTION_WORDS = 60

const ONSETS = 'b br ch d dr f fl g gr h k l m n p pl r s sh st t tr v w z'.split(' ')
const VOWELS = 'a e i o u a e i o u ai ea ou ö é'.split(' ')
const CODAS = ['', '', '', 'n', 'r', 's', 'l', 'm', 'nd', 'rt']

/** A source of words and sentences. */
export interface Prose {
  /** Returns any word, chosen by frequency. */
  word(): string
  /** Returns a word that indicates a topic. */
  topic(): string
  /** Returns a sentence that starts with a capital letter and ends with a period. */
  sentence(): string
  /** Returns a title made from a few topics. */
  title(): string
}

/** Creates a synthetic language; random generators with the same seed create the same language. */
export function createProse(random: Random): Prose {
  const words = generateWords(random)
  const drawWord = zipf(random, { ranks: VOCABULARY, offset: 2.7 })
  const drawTopic = zipf(random, { ranks: VOCABULARY - FUNCTION_WORDS, offset: 60 })
  const word = () => words[drawWord()]!
  const topic = () => words[FUNCTION_WORDS + drawTopic()]!
  const some = (count: number, draw: () => string) => Array.from({ length: count }, draw).join(' ')
  return {
    word,
    topic,
    sentence: () => `${capitalise(some(randomInteger(random, 5, 16), word))}.`,
    title: () => capitalise(some(randomInteger(random, 2, 4), topic)),
  }
}

/** Converts a word for use in a name, tag or handle. */
export function toAscii(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '')
}

/** Generates distinct words; frequent words are short, as in every language. */
function generateWords(random: Random): string[] {
  const words = new Set<string>()
  while (words.size < VOCABULARY) {
    const syllables = words.size < 200 ? 1 : words.size < 3_000 ? 2 : randomInteger(random, 2, 4)
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
