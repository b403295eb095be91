// Owns what the search reads of a prompt: its words by field, bounded, those that may be meant by a mistyped one, and those that are kept in their order.
import type { Repository } from '../api/schema.ts'
import { isStopWord, pairIdeographs } from './terms.ts'
import { forgivenTypos } from './typos.ts'
import { splitWords } from './words.ts'

/** So many words of a field count. Real prompts have far fewer; the bound is for texts that were made to be long. docs/contract.md section 4. */
const WORDS_PER_FIELD = 4_000
/** So many different words of a prompt count. A text of ten thousand words has about as many; one of random letters would have more. */
const DIFFERENT_WORDS = 2_000
/** Words are cut to so many letters. Longer ones are identifiers, hashes and keys, which are then found by their beginning. */
const LETTERS_PER_WORD = 40
/** So many different words of one prompt are kept as what somebody may have mistyped. */
const MOST_GUESSABLE = 500

/** So many words that describe a prompt may be meant by a mistyped one even if no other prompt has them. */
const MOST_TELLING = 16

/** The fields of a prompt that are searched, the weightiest first. */
export const FIELDS = ['owner', 'name', 'title', 'tags', 'description', 'readme', 'content'] as const
export type Field = (typeof FIELDS)[number]

/** The words of each field, in their order. */
export type FieldWords = Readonly<Record<Field, readonly string[]>>

/** Reads the words of a prompt: folded, in their order, and within the bounds above. */
export function readFields(repository: Repository): FieldWords {
  const { owner, name, title, tags, description, readme, content } = repository
  // Equal words become one and the same string, which makes looking them up again much faster.
  const different = new Map<string, string>()
  const words = (text: string) => {
    const kept: string[] = []
    for (const whole of splitWords(text).slice(0, WORDS_PER_FIELD)) {
      const word = cutWord(whole)
      const known = different.get(word)
      if (known === undefined && different.size === DIFFERENT_WORDS) continue
      if (known === undefined) different.set(word, word)
      kept.push(known ?? word)
    }
    return kept
  }
  return {
    owner: words(owner),
    name: words(name),
    title: words(title),
    tags: words(tags.join(' ')),
    description: words(description),
    readme: words(readme),
    content: words(content ?? ''),
  }
}

/** Cuts a word without leaving half of a surrogate pair at its end, which would be stored as another character. */
function cutWord(word: string): string {
  return word.length <= LETTERS_PER_WORD ? word : word.slice(0, LETTERS_PER_WORD).replace(HALF, '')
}

const HALF = /[\ud800-\udbff]$/

/** The different words of a prompt, and the pairs of scripts without spaces. */
export function distinctWords(fields: FieldWords): Set<string> {
  const distinct = new Set<string>()
  for (const field of FIELDS) for (const word of withPairs(fields[field])) distinct.add(word)
  return distinct
}

/** Words, and after them their pairs of scripts without spaces. */
export function withPairs(words: readonly string[]): readonly string[] {
  const pairs = pairIdeographs(words)
  return pairs.length === 0 ? words : [...words, ...pairs]
}

/** The fields that say what a prompt is. */
export type DescribingField = 'owner' | 'name' | 'title' | 'tags' | 'description'

/** So many votes make a word one that may be meant by a mistyped one. One vote is not enough, for what a single prompt has is more often a mistake than a word. */
export const LEAST_VOTES = 2

/**
 * The different words of a prompt that may be what somebody mistyped, each with its votes: two for the first words of name, title, owner, tags
 * and description, which are what people look for; one for any other, in the order of letters while there are not too many.
 *
 * @param words all of the prompt's
 */
export function voteForWords(fields: Pick<FieldWords, DescribingField>, words: Iterable<string>): Map<string, number> {
  const { owner, name, title, tags, description } = fields
  const isForgiven = (word: string) => forgivenTypos(word) > 0
  const telling = new Set([...name, ...title, ...owner, ...tags, ...description].filter(isForgiven))
  const votes = new Map([...telling].slice(0, MOST_TELLING).map((word) => [word, LEAST_VOTES]))
  const others = [...words].filter((word) => isForgiven(word) && !votes.has(word))
  const counted = others.length > MOST_GUESSABLE ? others.sort().slice(0, MOST_GUESSABLE) : others
  for (const word of counted) votes.set(word, 1)
  return votes
}

/** The words of a prompt in their order, field by field, from which it is seen what stands together. Stop words are left out, and long fields are cut. */
export function listOrderedWords(fields: FieldWords): string[][] {
  return FIELDS.map((field) => {
    const kept: string[] = []
    for (const word of fields[field]) {
      if (kept.length === KEPT_IN_ORDER[field]) break
      if (!isStopWord(word)) kept.push(word)
    }
    return kept
  })
}

/** How many words of each field are kept in their order: as a rule all, but of readme and content only the beginning, because these are the longest. */
const KEPT_IN_ORDER: Readonly<Record<Field, number>> = {
  owner: 40,
  name: 64,
  title: 200,
  tags: 400,
  description: 500,
  readme: 40,
  content: 80,
}
