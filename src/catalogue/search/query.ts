// Converts a search query to a group of alternatives for each word, as quoted FTS5 terms. No special character in the query reaches FTS5.
import { readWords, splitWords, toTerm } from '../../domain/search/tokens.ts'
import { KIND_TERMS } from './document.ts'

/** The vocabulary of an index. The cost of each call is bounded. */
export interface Vocabulary {
  /** Returns the approximate number of prompts that contain a term. */
  countPrompts(term: string): number
  /** Returns whether a prompt contains exactly this word. */
  hasWord(word: string): boolean
  /** Returns the most frequent words with a prefix, most frequent first. */
  completePrefix(prefix: string, most: number): string[]
  /** Returns the most likely corrections of a misspelled word: the closest words, most frequent first. */
  correctTypo(word: string): string[]
  /** Returns the synonyms of a phrase; the phrase and the synonyms are terms joined by spaces. */
  listEquivalents(phrase: string): readonly string[]
}

/** A phrase that may replace a word: its terms, joined by spaces, and the maximum number of prompts that contain it. */
interface Alternative {
  phrase: string
  prompts: number
}

/** A word of a query with its alternatives, and with its correction if no prompt contains it. */
interface WordGroup {
  word: string
  alternatives: Alternative[]
  readAs?: string | undefined
}

/** A parsed query. */
export interface Query {
  /** The words found in the index. */
  groups: WordGroup[]
  /** All words as a phrase of terms; undefined for a single word. */
  phrase: string | undefined
  ignored: string[]
  corrected: Record<string, string>
  /** Whether the query contains no whitespace, as in `a:b`. */
  isOnePhrase: boolean
  /** Whether words were dropped to limit the cost. */
  isCut: boolean
}

/** A one-letter prefix would match a tenth of all words. */
const MIN_PREFIX_LETTERS = 2
/** Minimum length of a word that is treated as a prefix, and of each part when a compound is split. */
const MIN_PART_LETTERS = 3
/** Maximum number of completions of a prefix. */
const MAX_COMPLETIONS = 12
/** Maximum number of adjacent words that form a phrase. */
const MAX_SPAN = 4
const MAX_ALTERNATIVES = 24
/** Maximum number of index entries for all alternatives together. */
const MAX_ENTRIES = 250_000
/** A guessed word has a lower weight than a typed word. */
const GUESSED_SHARE = 0.7

/** Parses a query. A query without letters and digits has no groups. */
export function readQuery(question: string, vocabulary: Vocabulary): Query {
  const { words, ignored, last } = readWords(question)
  const groups = words.map((word): WordGroup => ({ word, alternatives: findPhrases([toPhrase(word)], vocabulary) }))
  for (const { word, alternatives } of groups)
    if (word === last && word.length >= MIN_PREFIX_LETTERS)
      alternatives.push(...findPhrases(vocabulary.completePrefix(word, MAX_COMPLETIONS).map(toPhrase), vocabulary))
  expandSpans(groups, vocabulary)
  for (const group of groups) {
    if (group.alternatives.length > 0) continue
    // Whoever asks for skills where there are none wants to know that.
    const phrase = toPhrase(group.word)
    if (KIND_TERMS.has(phrase)) group.alternatives.push({ phrase, prompts: 0 })
    else guessWord(group, vocabulary)
  }
  const known = groups.filter(({ alternatives }) => alternatives.length > 0)
  const kept = keepAffordable(known)
  return {
    groups: kept,
    phrase: words.length > 1 ? toPhrase(words.join(' ')) : undefined,
    ignored: [...groups.filter((group) => !kept.includes(group)).map(({ word }) => word), ...ignored],
    corrected: Object.fromEntries(groups.flatMap(({ word, readAs }) => (readAs === undefined ? [] : [[word, readAs]]))),
    isOnePhrase: !/\s/u.test(question.trim()),
    isCut: kept.length < known.length,
  }
}

/** Returns the inverse document frequency of a word. @param total number of prompts */
export function weighGroup({ alternatives, readAs }: WordGroup, total: number): number {
  const weight = Math.log(1 + (total + 1) / Math.max(1, ...alternatives.map(({ prompts }) => prompts)))
  return readAs === undefined ? weight : weight * GUESSED_SHARE
}

/** Formats a group as an FTS5 expression. https://www.sqlite.org/fts5.html#full_text_query_syntax */
export function formatGroup({ alternatives }: WordGroup): string {
  return `(${alternatives.map(({ phrase }) => `"${phrase}"`).join(' OR ')})`
}

/** Converts words to terms; a pair of ideographs counts as two terms. */
const toPhrase = (words: string): string => splitWords(words).map(toTerm).join(' ')

/** Converts phrases to alternatives, except phrases that no prompt can contain. */
function findPhrases(phrases: readonly string[], { countPrompts }: Vocabulary): Alternative[] {
  return phrases
    .map((phrase) => ({ phrase, prompts: Math.min(...phrase.split(' ').map(countPrompts)) }))
    .filter(({ prompts }) => prompts > 0)
}

/** Adds alternatives for adjacent words: their synonyms, and compounds of two words. Each of the adjacent words gets the alternative. */
function expandSpans(groups: readonly WordGroup[], vocabulary: Vocabulary): void {
  const terms = groups.map(({ word }) => toPhrase(word))
  const isKnown = groups.map(({ alternatives }) => alternatives.length > 0)
  for (let start = 0; start < groups.length; start++) {
    for (let end = start + 1; end <= Math.min(groups.length, start + MAX_SPAN); end++) {
      const span = groups.slice(start, end)
      const equivalents = vocabulary
        .listEquivalents(terms.slice(start, end).join(' '))
        // A compound adds nothing if all of its words were typed.
        .filter((phrase) => !phrase.split(' ').every((term) => terms.includes(term)))
      const joined = span.map(({ word }) => word).join('')
      const asOne = span.length === 2 ? findPhrases([toPhrase(joined)], vocabulary) : []
      for (const [index, group] of span.entries()) {
        group.alternatives.push(...findPhrases(equivalents, vocabulary), ...asOne)
        if (asOne.length > 0 && !isKnown[start + index]) group.readAs = joined
      }
    }
  }
}

/** Interprets a word that no prompt contains as two words, a typo, or a prefix. */
function guessWord(group: WordGroup, vocabulary: Vocabulary): void {
  const { word } = group
  const cutOff = word.length < MIN_PART_LETTERS ? [] : vocabulary.completePrefix(word, 1)
  const split = splitJoined(word, vocabulary)
  const whole = split === undefined ? vocabulary.correctTypo(word) : [split]
  const guesses = whole.length > 0 ? whole : cutOff
  group.readAs = guesses[0]
  group.alternatives = findPhrases(guesses.map(toPhrase), vocabulary)
}

/** Splits a word into two known words. If several splits are possible, it uses the split whose rarer part is in the most prompts. */
function splitJoined(word: string, { hasWord, countPrompts }: Vocabulary): string | undefined {
  const rarer = (parts: readonly string[]) => Math.min(...parts.map((part) => countPrompts(toTerm(part))))
  return Array.from(word, (_, at) => [word.slice(0, at), word.slice(at)])
    .filter((parts) => parts.every((part) => part.length >= MIN_PART_LETTERS && hasWord(part)))
    .sort((a, b) => rarer(b) - rarer(a))[0]
    ?.join(' ')
}

/** Keeps the rarest words, and the first alternatives of each, within `MAX_ENTRIES` in total. */
function keepAffordable(groups: readonly WordGroup[]): WordGroup[] {
  let left = MAX_ENTRIES
  const isAffordable = ({ prompts, phrase }: Alternative) => {
    left -= prompts * phrase.split(' ').length
    return left >= 0
  }
  const kept = [...groups]
    .sort((a, b) => a.alternatives[0]!.prompts - b.alternatives[0]!.prompts)
    .filter(({ alternatives }, at) => isAffordable(alternatives[0]!) || at === 0)
  for (const group of kept) {
    const [first, ...others] = new Map(group.alternatives.map((one) => [one.phrase, one])).values()
    group.alternatives = [first!, ...others.slice(0, MAX_ALTERNATIVES - 1).filter(isAffordable)]
  }
  return groups.filter((group) => kept.includes(group))
}
