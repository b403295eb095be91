// Reads the words of a prompt that the search indexes: by field, folded and bounded.
import type { Repository } from '../api/schema.ts'
import { isStopWord, termOf } from './terms.ts'
import { forgivenTypos } from './typos.ts'
import { splitWords } from './words.ts'

/** Words of a field that count. docs/contract.md section 4. */
const MAX_WORDS_PER_FIELD = 4_000
/** Different words of a prompt that count. A text of ten thousand words has about as many; one of random letters has more. */
const MAX_DIFFERENT_WORDS = 2_000
/** Longer words are cut. As long as a name may be, so that a name of one word is found whole. */
export const MAX_WORD_LETTERS = 64
/** Describing words of a prompt that may correct a typo even if no other prompt has them. */
const MAX_TELLING_WORDS = 16
/** A word needs this many votes to correct a typo: what a single prompt's text has is more often a mistake than a word. */
const MIN_VOTES = 2

/** The indexed fields with the weight of a word in each. */
export const FIELD_WEIGHTS = {
  owner: 4,
  name: 10,
  title: 8,
  tags: 6,
  description: 4,
  readme: 0.5,
  content: 0.5,
} as const
type Field = keyof typeof FIELD_WEIGHTS
export const FIELDS = Object.keys(FIELD_WEIGHTS) as Field[]

/** The words of each field, in their order. */
export type FieldWords = Record<Field, string[]>

/** Reads the words of a prompt within the bounds above. */
export function readFields(repository: Repository): FieldWords {
  const different = new Set<string>()
  const read = (text: string) =>
    splitWords(text)
      .slice(0, MAX_WORDS_PER_FIELD)
      .map(cutWord)
      .filter((word) => different.has(word) || (different.size < MAX_DIFFERENT_WORDS && different.add(word)))
  const { owner, name, title, tags, description, readme, content } = repository
  const texts = { owner, name, title, tags: tags.join(' '), description, readme, content: content ?? '' }
  return Object.fromEntries(FIELDS.map((field) => [field, read(texts[field])])) as FieldWords
}

/** Cuts a long word, without leaving half of a surrogate pair at its end. */
export function cutWord(word: string): string {
  return word.length <= MAX_WORD_LETTERS ? word : word.slice(0, MAX_WORD_LETTERS).replace(/[\ud800-\udbff]$/, '')
}

/**
 * The text of each column of the index: terms in their order. Prose goes without stop words, which nearly every text has, so that the words around
 * them stand together.
 *
 * @param tags whole ones, each a term that no word is
 */
export function listColumns(fields: FieldWords, tags: readonly string[], stem = termOf): string[] {
  const texts = FIELDS.map((field) => {
    const isProse = field === 'description' || field === 'readme' || field === 'content'
    return (isProse ? fields[field].filter((word) => !isStopWord(word)) : fields[field]).map(stem).join(' ')
  })
  return [...texts, tags.map(tagTerm).join(' ')]
}

/** The term of a whole tag: `·` is in no word. */
export function tagTerm(tag: string): string {
  return `·${tag.replaceAll('-', '·')}`
}

/** The different words of a prompt with their votes for correcting a typo: two for the first that describe it, one for any other. */
export function voteForWords(fields: FieldWords): Map<string, number> {
  const { owner, name, title, tags, description, readme, content } = fields
  const describing = [...new Set([...name, ...title, ...owner, ...tags, ...description])]
  const telling = describing.filter((word) => forgivenTypos(word) > 0).slice(0, MAX_TELLING_WORDS)
  return new Map([
    ...[...describing, ...readme, ...content].map((word) => [word, 1] as const),
    ...telling.map((word) => [word, MIN_VOTES] as const),
  ])
}
