// Reads a question as a query: a group of alternatives for each word, written as FTS5 terms in quotes. No sign of the question gets there.
import { readWords, tokenize, toTerm } from './tokens.ts'

/** What an index knows of its words. Each call is bounded. */
export interface Vocabulary {
  /** How many prompts hold a term, about. */
  countPrompts(term: string): number
  /** Whether a prompt holds this very word. */
  hasWord(word: string): boolean
  /** The most used words with a prefix, the most used first. */
  completePrefix(prefix: string, most: number): string[]
  /** The word that a mistyped one most likely stands for. */
  correctTypo(word: string): string | undefined
  /** What means the same as a phrase; both are terms, joined by spaces. */
  listEquivalents(phrase: string): readonly string[]
}

/** A phrase that a prompt may hold in place of a word: its terms, joined by spaces, and how many prompts hold it at most. */
interface Alternative {
  phrase: string
  prompts: number
}

/** A word of a question with everything that may stand for it, and what it was read as when no prompt holds it. */
interface WordGroup {
  word: string
  alternatives: Alternative[]
  readAs?: string
}

/** A question as it is put to an index. */
export interface Query {
  /** The words that the index knows. */
  groups: WordGroup[]
  /** All words in a row, as terms; undefined of a single one. */
  phrase: string | undefined
  ignored: string[]
  corrected: Record<string, string>
  /** Whether words were left out to bound the cost. */
  isCut: boolean
}

/** A prefix of one letter would stand for a tenth of all words. */
const MIN_PREFIX_LETTERS = 2
/** The shortest word that is read as cut off, and the shortest part of one that was written together. */
const MIN_PART_LETTERS = 3
/** Words that a prefix may stand for. */
const MAX_COMPLETIONS = 12
/** Neighbours that mean something together. */
const MAX_SPAN = 4
const MAX_ALTERNATIVES = 24
/** Entries of the index that all alternatives have together. */
const MAX_ENTRIES = 250_000
/** What was guessed tells less than what was typed. */
const GUESSED_SHARE = 0.7

/** Reads a question. Without a letter or digit it has no groups. */
export function readQuery(question: string, vocabulary: Vocabulary): Query {
  const { words, ignored, last } = readWords(question)
  const groups = words.map((word): WordGroup => ({ word, alternatives: findPhrases([toPhrase(word)], vocabulary) }))
  for (const { word, alternatives } of groups)
    if (word === last && word.length >= MIN_PREFIX_LETTERS)
      alternatives.push(...findPhrases(vocabulary.completePrefix(word, MAX_COMPLETIONS).map(toPhrase), vocabulary))
  expandSpans(groups, vocabulary)
  for (const group of groups) if (group.alternatives.length === 0) guessWord(group, vocabulary)
  const known = groups.filter(({ alternatives }) => alternatives.length > 0)
  const kept = keepAffordable(known)
  return {
    groups: kept,
    phrase: words.length > 1 ? toPhrase(words.join(' ')) : undefined,
    ignored: [...groups.filter((group) => !kept.includes(group)).map(({ word }) => word), ...ignored],
    corrected: Object.fromEntries(groups.flatMap(({ word, readAs }) => (readAs === undefined ? [] : [[word, readAs]]))),
    isCut: kept.length < known.length,
  }
}

/** How much a word tells (inverse document frequency). @param total how many prompts there are */
export function weighGroup({ alternatives, readAs }: WordGroup, total: number): number {
  const weight = Math.log(1 + (total + 1) / Math.max(1, ...alternatives.map(({ prompts }) => prompts)))
  return readAs === undefined ? weight : weight * GUESSED_SHARE
}

/** Writes a group as FTS5 reads it. https://www.sqlite.org/fts5.html#full_text_query_syntax */
export function formatGroup({ alternatives }: WordGroup): string {
  return `(${alternatives.map(({ phrase }) => `"${phrase}"`).join(' OR ')})`
}

/** The terms of words; a pair of ideographs is two. */
const toPhrase = (words: string): string => tokenize(words).map(toTerm).join(' ')

/** Phrases as alternatives, but for those that no prompt can hold. */
function findPhrases(phrases: readonly string[], { countPrompts }: Vocabulary): Alternative[] {
  return phrases
    .map((phrase) => ({ phrase, prompts: Math.min(...phrase.split(' ').map(countPrompts)) }))
    .filter(({ prompts }) => prompts > 0)
}

/** Adds what neighbours mean together: their equivalents, and two written as one. Each word of them gets it. */
function expandSpans(groups: readonly WordGroup[], vocabulary: Vocabulary): void {
  const terms = groups.map(({ word }) => toPhrase(word))
  const isKnown = groups.map(({ alternatives }) => alternatives.length > 0)
  for (let start = 0; start < groups.length; start++) {
    for (let end = start + 1; end <= Math.min(groups.length, start + MAX_SPAN); end++) {
      const span = groups.slice(start, end)
      const equivalents = vocabulary
        .listEquivalents(terms.slice(start, end).join(' '))
        // One whose words were all typed adds nothing.
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

/** Reads a word that no prompt holds as two words, as a typo, or as cut off. */
function guessWord(group: WordGroup, vocabulary: Vocabulary): void {
  const { word } = group
  const cutOff = word.length < MIN_PART_LETTERS ? [] : vocabulary.completePrefix(word, 1)
  const guess = splitJoined(word, vocabulary) ?? vocabulary.correctTypo(word) ?? cutOff[0]
  if (guess === undefined) return
  group.readAs = guess
  group.alternatives = findPhrases([toPhrase(guess)], vocabulary)
}

/** Splits a word into two known ones. Of several ways it takes the one whose rarer part is in most prompts. */
function splitJoined(word: string, { hasWord, countPrompts }: Vocabulary): string | undefined {
  const rarer = (parts: readonly string[]) => Math.min(...parts.map((part) => countPrompts(toTerm(part))))
  return Array.from(word, (_, at) => [word.slice(0, at), word.slice(at)])
    .filter((parts) => parts.every((part) => part.length >= MIN_PART_LETTERS && hasWord(part)))
    .sort((a, b) => rarer(b) - rarer(a))[0]
    ?.join(' ')
}

/** Keeps the rarest words, and of each the first alternatives, so that all together stay within `MAX_ENTRIES`. */
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
