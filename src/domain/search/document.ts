// Owns what the search keeps of a prompt: its words by field, bounded, and how strongly it holds each term.
import type { Repository } from '../api/schema.ts'
import { INITIALS, initialsKey, PREFIX_LETTERS, prefixKey, tagKey, termKey, titleKey } from './keys.ts'
import { IN_NAME, LEVEL } from './postings.ts'
import { isStopWord, pairIdeographs, termOf } from './terms.ts'
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
const FIELDS = ['owner', 'name', 'title', 'tags', 'description', 'readme', 'content'] as const
type Field = (typeof FIELDS)[number]

/** The words of each field, in their order. */
export type FieldWords = Readonly<Record<Field, readonly string[]>>

/** Reads the words of a prompt: folded, in their order, and within the bounds above. */
export function readFields(repository: Repository): FieldWords {
  const { owner, name, title, tags, description, readme, content } = repository
  const different = new Set<string>()
  const words = (text: string) =>
    splitWords(text)
      .slice(0, WORDS_PER_FIELD)
      .map(cutWord)
      .filter((word) => different.has(word) || (different.size < DIFFERENT_WORDS && different.add(word)))
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
  return new Set(FIELDS.flatMap((field) => [...fields[field], ...pairIdeographs(fields[field])]))
}

/** How strongly a prompt holds each term. @param stem turns a word into its term; given so that a build looks each word up once */
function weighTerms(fields: FieldWords, stem: (word: string) => string): Map<string, number> {
  const terms = new Map<string, Record<Field, number>>()
  const termsOfWords = new Map<string, string>()
  for (const field of FIELDS) {
    const words = fields[field]
    for (const word of [...words, ...pairIdeographs(words)]) {
      const term = termsOfWords.get(word) ?? stem(word)
      termsOfWords.set(word, term)
      const counts = terms.get(term) ?? { ...NOWHERE }
      terms.set(term, counts)
      counts[field]++
    }
  }
  return new Map([...terms].map(([term, counts]) => [term, strengthOf(counts, fields)]))
}

/**
 * What a prompt is filed under: its terms, its tags, its title where that is not its name, first letters, and the short beginnings of the words that
 * describe it. Contents give no beginnings, because nearly every content has a word that begins with any given two letters.
 *
 * @param stem turns a word into its term; given so that a build looks each word up once
 * @returns the strength of each, as in postings.ts, by its key
 */
export function weighKeys(fields: FieldWords, tags: readonly string[], stem = termOf): Map<number, number> {
  const strengths = new Map<number, number>()
  for (const [term, strength] of weighTerms(fields, stem)) strengths.set(termKey(term), strength)
  for (const [prefix, strength] of weighPrefixes(fields)) strengths.set(prefixKey(prefix), strength)
  for (const letters of listInitials(fields.title, tags)) strengths.set(initialsKey(letters), 3)
  if (fields.title.length === INITIALS.whole) strengths.set(initialsKey(lettersOf(fields.title)), IN_NAME + 5)
  for (const tag of tags) strengths.set(tagKey(tag), LEVEL)
  if (fields.title.join(' ') !== fields.name.join(' ')) strengths.set(titleKey(fields.title), LEVEL)
  return strengths
}

/** The keys under which a prompt was filed, worked out again from what the index keeps of it. @param words all of its words */
export function listKeys(
  fields: Pick<FieldWords, DescribingField>,
  tags: readonly string[],
  words: Iterable<string>,
): Set<number> {
  return new Set([
    ...Array.from(words, (word) => termKey(termOf(word))),
    ...Array.from(weighPrefixes(fields).keys(), prefixKey),
    ...Array.from(listInitials(fields.title, tags), initialsKey),
    ...(fields.title.length === INITIALS.whole ? [initialsKey(lettersOf(fields.title))] : []),
    ...tags.map(tagKey),
    titleKey(fields.title),
  ])
}

function weighPrefixes(fields: Pick<FieldWords, DescribingField>): Map<string, number> {
  const strengths = new Map<string, number>()
  for (const [field, strength] of DESCRIBING) {
    for (const word of fields[field]) {
      for (let letters = 1; letters <= Math.min(PREFIX_LETTERS, word.length); letters++) {
        const prefix = word.slice(0, letters)
        strengths.set(prefix, Math.max(strengths.get(prefix) ?? 0, strength))
      }
    }
  }
  return strengths
}

/** What people may shorten a prompt to: the first letters of three neighbours in its title, or of a whole tag of several words. */
function listInitials(title: readonly string[], tags: readonly string[]): Set<string> {
  const { whole, least, most } = INITIALS
  const threes = title.map((_, index) => title.slice(index, index + least)).filter(({ length }) => length === least)
  const short = tags.map((tag) => tag.split('-')).filter(({ length }) => length >= whole && length <= most)
  return new Set([...threes, ...short].map(lettersOf))
}

function lettersOf(words: readonly string[]): string {
  return words.map((word) => word[0]!).join('')
}

type DescribingField = 'owner' | 'name' | 'title' | 'tags' | 'description'
const DESCRIBING: readonly (readonly [DescribingField, number])[] = [
  ['name', IN_NAME + 5],
  ['title', IN_NAME + 5],
  ['owner', IN_NAME + 3],
  ['tags', 3],
  ['description', 2],
]

const NOWHERE: Readonly<Record<Field, number>> = Object.freeze({
  owner: 0,
  name: 0,
  title: 0,
  tags: 0,
  description: 0,
  readme: 0,
  content: 0,
})

/** How strongly a prompt holds a term: the sum of what each field adds. A word of a short name says more than one of a long name, so it adds more. */
function strengthOf(counts: Readonly<Record<Field, number>>, fields: FieldWords): number {
  const names = [fields.name, fields.title].filter((_, index) => (index === 0 ? counts.name : counts.title) > 0)
  const shortest = Math.min(...names.map(({ length }) => length))
  const impact =
    (names.length > 0 ? 4 + 4 / shortest : 0) +
    (counts.owner > 0 ? 3 : 0) +
    (counts.tags > 0 ? 3 : 0) +
    (counts.description > 0 ? 3 : 0) +
    counts.readme / (counts.readme + 2) +
    (2.5 * counts.content) / (counts.content + 1 + Math.min(4, fields.content.length / USUAL_LENGTH))
  const level = Math.min(LEVEL, Math.floor((9.5 * impact) / (impact + 5)))
  return level | (names.length > 0 || counts.owner > 0 ? IN_NAME : 0)
}

/** A usual content has so many words. In a longer one a word is more likely to stand by chance, so it adds less. */
const USUAL_LENGTH = 150

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
  const others = [...words].filter((word) => isForgiven(word) && !votes.has(word)).sort()
  for (const word of others.slice(0, MOST_GUESSABLE)) votes.set(word, 1)
  return votes
}

/** The terms of a prompt in their order, field by field, from which it is seen what stands together. Stop words are left out, and long fields are cut. */
export function listOrderedTerms(fields: FieldWords, stem: (word: string) => string): string[][] {
  return FIELDS.map((field) =>
    fields[field]
      .filter((word) => !isStopWord(word))
      .slice(0, KEPT_IN_ORDER[field])
      .map(stem),
  )
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
