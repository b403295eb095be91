// Reads a question as groups of alternatives, one group for each word, and writes them as an FTS5 expression. No sign of the question gets there: only terms, in quotes.
import { cutWord } from './document.ts'
import { isStopWord, listUnits, relatedTerms, termOf } from './terms.ts'
import { splitQuestion, splitWords } from './words.ts'

/** What an index knows of its words. Each call is bounded. */
export interface Vocabulary {
  /** How many prompts hold a term, about. */
  countTerm(term: string): number
  /** Whether a prompt holds this very word. */
  hasWord(word: string): boolean
  /** The most used words that begin so, the most used first. */
  listBeginning(prefix: string): string[]
  /** The words that a mistyped one most likely stands for, the likeliest first. */
  listCorrections(word: string): string[]
  /** What means the same as a phrase. @param key its terms, joined by spaces @returns phrases as terms */
  listEquivalents(key: string): readonly (readonly string[])[]
}

/** A phrase that a prompt may hold in place of a word. */
interface Alternative {
  terms: readonly string[]
  /** How many prompts hold it, at most. */
  prompts: number
  /** Whether it is the word itself, its beginning or its correction, not something that means the same. */
  isItself: boolean
}

/** A word of a question with everything that may stand for it. */
interface WordGroup {
  word: string
  alternatives: Alternative[]
  /** What the word was read as, when no prompt holds it. */
  readAs?: string
}

/** A question as it is put to an index. */
export interface ReadQuestion {
  /** Those that something is known of. */
  groups: WordGroup[]
  /** All telling words in a row; none of fewer than two. */
  phrase: string[]
  ignored: string[]
  corrected: Record<string, string>
  /** Whether all of it was typed together. */
  isOne: boolean
  /** Whether something was left out to keep the cost in bounds. */
  isCut: boolean
}

/** Letters of the shortest beginning: one letter begins a tenth of all words. */
const MIN_BEGINNING = 2
/** Letters of the shortest word that is read as cut off, and of the shortest part of one that was written together. */
const MIN_PART = 3
/** Words that a beginning or a correction may stand for. */
const MAX_BEGINNINGS = 12
const MAX_CORRECTIONS = 4
/** Equivalents and joined words reach over this many neighbours. */
const MAX_SPAN = 4
/** Words of a question that are looked for, the rarest. */
const MAX_GROUPS = 20
/** What may stand for one word. */
const MAX_ALTERNATIVES = 24
/** Entries of the index that the words of one question have, counted before it is asked. */
const MAX_ENTRIES = 250_000
/** What was guessed counts less than what was typed. */
const GUESSED_SHARE = 0.7

/** Reads a question. @returns nothing when it holds no letter or digit */
export function readQuestion(text: string, vocabulary: Vocabulary): ReadQuestion | undefined {
  const split = splitQuestion(text)
  const phrases = split.phrases.map((words) => words.map(cutWord))
  if (phrases.length === 0) return undefined
  const units = listUnits(phrases)
  const begun = phrases.at(-1)!.at(-1)!
  const groups = units.map((unit) => readUnit(unit, unit === begun, vocabulary))
  addSpans(units, groups, vocabulary)
  for (const [index, group] of groups.entries())
    if (group.alternatives.length === 0) guess(group, units[index] !== begun, vocabulary)
  for (const group of groups) group.alternatives = distinct(group.alternatives).slice(0, MAX_ALTERNATIVES)
  const known = groups.filter(({ alternatives }) => alternatives.length > 0)
  const kept = keepAffordable(known)
  const isCut = kept.length < known.length
  const telling = units.filter((unit) => !isStopWord(unit))
  return {
    groups: kept,
    phrase: telling.length > 1 ? telling.flatMap(termsOf) : [],
    ignored: [
      ...new Set([...groups.filter((group) => !kept.includes(group)).map(({ word }) => word), ...split.ignored]),
    ],
    corrected: Object.fromEntries(groups.flatMap(({ word, readAs }) => (readAs === undefined ? [] : [[word, readAs]]))),
    isOne: phrases.length === 1,
    isCut,
  }
}

/** How much a group tells: the rarer, the more. @param total how many prompts there are */
export function weighGroup({ alternatives, readAs }: WordGroup, total: number): number {
  const itself = alternatives.filter(({ isItself }) => isItself)
  const prompts = Math.max(1, ...(itself.length > 0 ? itself : alternatives).map((one) => one.prompts))
  return (readAs === undefined ? 1 : GUESSED_SHARE) * Math.log(1 + (total + 1) / prompts)
}

/** Writes a group as FTS5 reads it. https://www.sqlite.org/fts5.html#full_text_query_syntax */
export function formatGroup({ alternatives }: WordGroup): string {
  return `(${alternatives.map(({ terms }) => formatPhrase(terms)).join(' OR ')})`
}

/** Writes a phrase as FTS5 reads it. Terms are letters and digits. */
export function formatPhrase(terms: readonly string[]): string {
  return `"${terms.join(' ')}"`
}

/** A unit is a word, or two characters of a script without spaces. */
const termsOf = (unit: string) => splitWords(unit).map(termOf)

function readUnit(unit: string, isBegun: boolean, vocabulary: Vocabulary): WordGroup {
  const alternatives = [
    ...alternative(termsOf(unit), true, vocabulary),
    ...(isBegun && unit.length >= MIN_BEGINNING ? readBeginning(unit, MAX_BEGINNINGS, vocabulary) : []),
    ...relatedTerms(unit).flatMap((term) => alternative([term], false, vocabulary)),
  ]
  return { word: unit, alternatives }
}

function readBeginning(word: string, most: number, vocabulary: Vocabulary): Alternative[] {
  const words = vocabulary.listBeginning(word).slice(0, most)
  return words.flatMap((whole) => alternative([termOf(whole)], true, vocabulary))
}

/** The phrase as an alternative; none when no prompt can hold it. */
function alternative(terms: readonly string[], isItself: boolean, vocabulary: Vocabulary): Alternative[] {
  const prompts = Math.min(...terms.map((term) => vocabulary.countTerm(term)))
  return prompts > 0 ? [{ terms, prompts, isItself }] : []
}

function distinct(alternatives: readonly Alternative[]): Alternative[] {
  return [...new Map([...alternatives].reverse().map((one) => [one.terms.join(' '), one])).values()].reverse()
}

/** Adds what neighbours mean together: their equivalents, and the two written as one. Each word of them gets it. */
function addSpans(units: readonly string[], groups: readonly WordGroup[], vocabulary: Vocabulary): void {
  const terms = units.map(termOf)
  const isKnown = groups.map(({ alternatives }) => alternatives.length > 0)
  for (let start = 0; start < units.length; start++) {
    for (let end = start + 1; end <= Math.min(units.length, start + MAX_SPAN); end++) {
      const whole = units.slice(start, end).join('')
      const keys = [terms.slice(start, end).join(' '), ...(whole.length === end - start ? [termOf(whole)] : [])]
      const found = [...new Set(keys)]
        .flatMap((key) => vocabulary.listEquivalents(key))
        // An equivalent whose words were all typed adds nothing.
        .filter((others) => !others.every((term) => terms.includes(term)))
        .flatMap((others) => alternative(others, false, vocabulary))
      const joined = end - start === 2 ? alternative([termOf(whole)], true, vocabulary) : []
      for (let index = start; index < end; index++) {
        groups[index]!.alternatives.push(...found, ...joined)
        if (joined.length > 0 && !isKnown[index]) groups[index]!.readAs = whole
      }
    }
  }
}

/** Reads a word that no prompt holds as two words, as a typo, or as cut off. */
function guess(group: WordGroup, mayBeCutOff: boolean, vocabulary: Vocabulary): void {
  const { word } = group
  const parts = splitTogether(word, vocabulary)
  const words = parts ? [] : vocabulary.listCorrections(word).slice(0, MAX_CORRECTIONS)
  group.alternatives = parts
    ? alternative(parts.map(termOf), true, vocabulary)
    : words.flatMap((other) => alternative([termOf(other)], true, vocabulary))
  group.readAs = parts?.join(' ') ?? words[0]
  if (group.readAs !== undefined || !mayBeCutOff || word.length < MIN_PART) return
  const [first] = vocabulary.listBeginning(word)
  group.alternatives = readBeginning(word, MAX_CORRECTIONS, vocabulary)
  group.readAs = first
}

/** Parts a word into two known ones. Of several ways it takes the one whose rarer part is in most prompts. */
function splitTogether(word: string, vocabulary: Vocabulary): string[] | undefined {
  let best: { parts: string[]; least: number } | undefined
  for (let at = MIN_PART; at <= word.length - MIN_PART; at++) {
    const parts = [word.slice(0, at), word.slice(at)]
    if (!parts.every((part) => vocabulary.hasWord(part))) continue
    const least = Math.min(...parts.map((part) => vocabulary.countTerm(termOf(part))))
    if (least > (best?.least ?? 0)) best = { parts, least }
  }
  return best?.parts
}

/** Keeps the rarest words, and of each the first alternatives, so that all lists together stay within `MAX_ENTRIES`. */
function keepAffordable(groups: readonly WordGroup[]): WordGroup[] {
  let left = MAX_ENTRIES
  const affords = ({ prompts, terms }: Alternative) => {
    const cost = prompts * terms.length
    if (cost > left) return false
    left -= cost
    return true
  }
  const rarestFirst = [...groups].sort((a, b) => a.alternatives[0]!.prompts - b.alternatives[0]!.prompts)
  const kept = rarestFirst.filter(
    ({ alternatives }, index) => index < MAX_GROUPS && (affords(alternatives[0]!) || index === 0),
  )
  for (const group of kept) group.alternatives = group.alternatives.filter((one, index) => index === 0 || affords(one))
  return groups.filter((group) => kept.includes(group))
}
