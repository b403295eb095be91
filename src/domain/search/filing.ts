// Owns what a prompt is filed under in an index, and how strongly it holds each: terms, tags, title, first letters and short beginnings of words.
import { type DescribingField, FIELDS, type Field, type FieldWords, withPairs } from './document.ts'
import { INITIALS, initialsKey, PREFIX_LETTERS, prefixKey, tagKey, termKey, titleKey } from './keys.ts'
import { IN_NAME, LEVEL } from './postings.ts'
import { termOf } from './terms.ts'

/** Where an index files prompts: under keys, or under what stands for each. What has the same key must have the same place. */
export interface Places<Place> {
  /** Of the term of a word. */
  ofWord(word: string): Place
  ofPrefix(prefix: string): Place
  ofInitials(letters: string): Place
  ofTag(tag: string): Place
  /** @param words folded, in their order */
  ofTitle(words: readonly string[]): Place
}

/** The keys themselves. */
export const KEYS: Places<number> = {
  ofWord: (word) => termKey(termOf(word)),
  ofPrefix: prefixKey,
  ofInitials: initialsKey,
  ofTag: tagKey,
  ofTitle: titleKey,
}

/** The keys themselves, of prompts that share most of their words: each word is stemmed once. */
export function rememberKeys(): Places<number> {
  const known = new Map<string, number>()
  const ofWord = (word: string) => {
    const key = known.get(word) ?? KEYS.ofWord(word)
    known.set(word, key)
    return key
  }
  return { ...KEYS, ofWord }
}

/**
 * What a prompt is filed under: its terms, its tags, its title where that is not its name, first letters, and the short beginnings of the words that
 * describe it. Contents give no beginnings, because nearly every content has a word that begins with any given two letters.
 *
 * @returns the strength of each, as in postings.ts, by its place
 */
export function weighPlaces<Place>(
  fields: FieldWords,
  tags: readonly string[],
  places: Places<Place>,
): Map<Place, number> {
  const strengths = countTerms(fields, places)
  for (const [place, counts] of strengths) strengths.set(place, strengthOf(counts, fields))
  for (const [prefix, strength] of weighPrefixes(fields)) strengths.set(places.ofPrefix(prefix), strength)
  for (const letters of listInitials(fields.title, tags)) strengths.set(places.ofInitials(letters), 3)
  if (fields.title.length === INITIALS.whole) strengths.set(places.ofInitials(lettersOf(fields.title)), IN_NAME + 5)
  for (const tag of tags) strengths.set(places.ofTag(tag), LEVEL)
  if (fields.title.join(' ') !== fields.name.join(' ')) strengths.set(places.ofTitle(fields.title), LEVEL)
  return strengths
}

/** The keys under which a prompt was filed, worked out again from what the index keeps of it. @param words all of its words */
export function listKeys(
  fields: Pick<FieldWords, DescribingField>,
  tags: readonly string[],
  words: Iterable<string>,
): Set<number> {
  return new Set([
    ...Array.from(words, KEYS.ofWord),
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

const DESCRIBING: readonly (readonly [DescribingField, number])[] = [
  ['name', IN_NAME + 5],
  ['title', IN_NAME + 5],
  ['owner', IN_NAME + 3],
  ['tags', 3],
  ['description', 2],
]

/**
 * How often each term stands in readme and content, and whether in the other fields, as one number: a prompt has hundreds of terms, and an object for
 * each would take longer than the counting.
 */
function countTerms<Place>(fields: FieldWords, places: Places<Place>): Map<Place, number> {
  const counts = new Map<Place, number>()
  for (const field of FIELDS) {
    const one = ONE[field]
    const isCounted = field === 'readme' || field === 'content'
    for (const word of withPairs(fields[field])) {
      const place = places.ofWord(word)
      const before = counts.get(place) ?? 0
      counts.set(place, isCounted ? before + one : before | one)
    }
  }
  return counts
}

/** A field has at most 4,000 words and as many pairs, so 13 bits count them. */
const COUNT_BITS = 13
const COUNT = 2 ** COUNT_BITS - 1
/** What a word of a field adds to the number of its term. */
const ONE: Readonly<Record<Field, number>> = {
  content: 1,
  readme: 2 ** COUNT_BITS,
  owner: 2 ** (2 * COUNT_BITS),
  name: 2 ** (2 * COUNT_BITS + 1),
  title: 2 ** (2 * COUNT_BITS + 2),
  tags: 2 ** (2 * COUNT_BITS + 3),
  description: 2 ** (2 * COUNT_BITS + 4),
}

/**
 * How strongly a prompt holds a term: the sum of what each field adds. A word of a short name says more than one of a long name, so it adds more.
 *
 * @param counts as `countTerms` makes them
 */
function strengthOf(counts: number, { name, title, content }: FieldWords): number {
  const stands = (field: Field) => (counts & ONE[field]) !== 0
  const inContent = counts & COUNT
  const inReadme = (counts >>> COUNT_BITS) & COUNT
  const shortest = Math.min(stands('name') ? name.length : Infinity, stands('title') ? title.length : Infinity)
  const impact =
    (shortest < Infinity ? 4 + 4 / shortest : 0) +
    (stands('owner') ? 3 : 0) +
    (stands('tags') ? 3 : 0) +
    (stands('description') ? 3 : 0) +
    inReadme / (inReadme + 2) +
    (2.5 * inContent) / (inContent + 1 + Math.min(4, content.length / USUAL_LENGTH))
  const level = Math.min(LEVEL, Math.floor((9.5 * impact) / (impact + 5)))
  return level | (shortest < Infinity || stands('owner') ? IN_NAME : 0)
}

/** A usual content has so many words. In a longer one a word is more likely to stand by chance, so it adds less. */
const USUAL_LENGTH = 150
