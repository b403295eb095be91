// Reads a question as a query: a group of alternatives for each word, written as FTS5 terms in quotes. No sign of the question gets there.
import { listWords, splitQuestion, tokenize, toTerm } from './tokens.ts'

/** What an index knows of its words. Each call is bounded. */
export interface Vocabulary {
  /** How many prompts hold a term, about. */
  countPrompts(term: string): number
  /** Whether a prompt holds this very word. */
  hasWord(word: string): boolean
  /** The most used words with a prefix, the most used first. */
  completePrefix(prefix: string): string[]
  /** The words that a mistyped one most likely stands for, the likeliest first. */
  correctTypos(word: string): string[]
  /** What means the same as a phrase; both are terms, joined by spaces. */
  listEquivalents(phrase: string): readonly string[]
}

/** A phrase that a prompt may hold in place of a word. */
interface Alternative {
  /** Its terms, joined by spaces. */
  phrase: string
  /** How many prompts hold it, at most. */
  prompts: number
}

/** A word of a question with everything that may stand for it. */
interface WordGroup {
  word: string
  alternatives: Alternative[]
  /** What the word was read as, when no prompt holds it. */
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
  /** Whether all of it was typed together. */
  isOnePhrase: boolean
  /** Whether words were left out to bound the cost. */
  isCut: boolean
}

/** A prefix of one letter would stand for a tenth of all words. */
const MIN_PREFIX_LETTERS = 2
/** The shortest word that is read as cut off, and the shortest part of one that was written together. */
const MIN_PART_LETTERS = 3
/** Words that a prefix, or a word that no prompt holds, may stand for. */
const MAX_COMPLETIONS = 12
const MAX_GUESSES = 4
/** Neighbours that mean something together. */
const MAX_SPAN = 4
/** Words of a question that are looked for, the rarest. */
const MAX_GROUPS = 20
const MAX_ALTERNATIVES = 24
/** Entries of the index that all alternatives have together. */
const MAX_ENTRIES = 250_000
/** What was guessed tells less than what was typed. */
const GUESSED_SHARE = 0.7

/** Reads a question. Without a letter or digit it has no groups. */
export function readQuery(question: string, vocabulary: Vocabulary): Query {
  const { phrases, ignored } = splitQuestion(question)
  const words = listWords(phrases)
  const last = phrases.at(-1)?.at(-1)
  const groups = words.map((word): WordGroup => ({ word, alternatives: expandWord(word, word === last, vocabulary) }))
  expandSpans(groups, vocabulary)
  for (const group of groups) if (group.alternatives.length === 0) guessWord(group, group.word !== last, vocabulary)
  const known = groups.filter(({ alternatives }) => alternatives.length > 0)
  const kept = keepAffordable(known)
  return {
    groups: kept,
    phrase: words.length > 1 ? toPhrase(words) : undefined,
    ignored: [...new Set([...groups.filter((group) => !kept.includes(group)).map(({ word }) => word), ...ignored])],
    corrected: Object.fromEntries(groups.flatMap(({ word, readAs }) => (readAs === undefined ? [] : [[word, readAs]]))),
    isOnePhrase: phrases.length === 1,
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
const toPhrase = (words: readonly string[]): string => words.flatMap(tokenize).map(toTerm).join(' ')

/** The phrase as an alternative; none when no prompt can hold it. */
function findPhrase(phrase: string, vocabulary: Vocabulary): Alternative[] {
  const prompts = Math.min(...phrase.split(' ').map((term) => vocabulary.countPrompts(term)))
  return prompts > 0 ? [{ phrase, prompts }] : []
}

function expandWord(word: string, isPrefix: boolean, vocabulary: Vocabulary): Alternative[] {
  const completions = isPrefix && word.length >= MIN_PREFIX_LETTERS ? vocabulary.completePrefix(word) : []
  const words = [word, ...completions.slice(0, MAX_COMPLETIONS)]
  return words.flatMap((one) => findPhrase(toPhrase([one]), vocabulary))
}

/** Adds what neighbours mean together: their equivalents, and two written as one. Each word of them gets it. */
function expandSpans(groups: readonly WordGroup[], vocabulary: Vocabulary): void {
  const terms = groups.map(({ word }) => toPhrase([word]))
  const isKnown = groups.map(({ alternatives }) => alternatives.length > 0)
  for (let start = 0; start < groups.length; start++) {
    for (let end = start + 1; end <= Math.min(groups.length, start + MAX_SPAN); end++) {
      const span = groups.slice(start, end)
      const joined = span.map(({ word }) => word).join('')
      const keys = new Set([terms.slice(start, end).join(' '), toTerm(joined)])
      const equivalents = [...keys]
        .flatMap((key) => vocabulary.listEquivalents(key))
        // One whose words were all typed adds nothing.
        .filter((phrase) => !phrase.split(' ').every((term) => terms.includes(term)))
        .flatMap((phrase) => findPhrase(phrase, vocabulary))
      const asOne = span.length === 2 ? findPhrase(toTerm(joined), vocabulary) : []
      for (const [index, group] of span.entries()) {
        group.alternatives.push(...equivalents, ...asOne)
        if (asOne.length > 0 && !isKnown[start + index]) group.readAs = joined
      }
    }
  }
}

/** Reads a word that no prompt holds as two words, as a typo, or as cut off. */
function guessWord(group: WordGroup, mayBeCutOff: boolean, vocabulary: Vocabulary): void {
  const { word } = group
  const parts = splitJoined(word, vocabulary)
  const read = (words: readonly string[]) => {
    group.alternatives = words.slice(0, MAX_GUESSES).flatMap((one) => findPhrase(toPhrase(one.split(' ')), vocabulary))
    if (words.length > 0) group.readAs = words[0]!
  }
  read(parts ? [parts] : vocabulary.correctTypos(word))
  if (group.readAs === undefined && mayBeCutOff && word.length >= MIN_PART_LETTERS)
    read(vocabulary.completePrefix(word))
}

/** Splits a word into two known ones. Of several ways it takes the one whose rarer part is in most prompts. */
function splitJoined(word: string, vocabulary: Vocabulary): string | undefined {
  let best: { parts: string; prompts: number } | undefined
  for (let at = MIN_PART_LETTERS; at <= word.length - MIN_PART_LETTERS; at++) {
    const parts = [word.slice(0, at), word.slice(at)]
    if (!parts.every((part) => vocabulary.hasWord(part))) continue
    const prompts = Math.min(...parts.map((part) => vocabulary.countPrompts(toTerm(part))))
    if (prompts > (best?.prompts ?? 0)) best = { parts: parts.join(' '), prompts }
  }
  return best?.parts
}

/** Keeps the rarest words, and of each the first alternatives, so that all together stay within `MAX_ENTRIES`. */
function keepAffordable(groups: readonly WordGroup[]): WordGroup[] {
  let left = MAX_ENTRIES
  const isAffordable = ({ prompts, phrase }: Alternative) => {
    const cost = prompts * phrase.split(' ').length
    if (cost > left) return false
    left -= cost
    return true
  }
  const rarestFirst = [...groups].sort((a, b) => a.alternatives[0]!.prompts - b.alternatives[0]!.prompts)
  const kept = rarestFirst
    .slice(0, MAX_GROUPS)
    .filter(({ alternatives }, at) => isAffordable(alternatives[0]!) || at === 0)
  for (const group of kept) {
    const [first, ...others] = new Map(group.alternatives.map((one) => [one.phrase, one])).values()
    group.alternatives = [first!, ...others.slice(0, MAX_ALTERNATIVES - 1).filter(isAffordable)]
  }
  return groups.filter((group) => kept.includes(group))
}
