// Reads the list of equivalents: sets of words and phrases that mean the same to people who search, as maintainers write them down.

import { type Parsed, printable, type ValueProblem } from '../text/problems.ts'
import { termOf } from './terms.ts'
import { splitWords } from './words.ts'

/** How much the list may hold, because all of it is read whenever an index is opened. */
const EQUIVALENTS_LIMITS = { sets: 2_000, phrasesPerSet: 20, wordsPerPhrase: 4 } as const

/** Phrases, each its folded words joined by a space: those that mean the same, or what is short and all that it may be short for. */
type EquivalentSet = readonly string[] | { readonly short: readonly string[]; readonly long: readonly string[] }
/** What means the same, set by set. */
export type Equivalents = readonly EquivalentSet[]

/**
 * Reads `content/equivalents.txt`: one set a line, phrases parted by commas. `>` parts what is short from what it may be short for: `erd > data model, schema`
 * finds both for `erd`, and nothing more for `schema`. A line that starts with `#` explains what follows, an empty line parts.
 *
 * @returns the sets, or every problem with its line
 */
export function parseEquivalents(text: string): Parsed<Equivalents> {
  const sets: EquivalentSet[] = []
  const problems: ValueProblem[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const sides = trimmed.split('>').map((side) => side.split(',').map(splitWords))
    const message = sides.length > 2 ? 'expected one > at most' : findProblem(sides.flat())
    const [short, long] = sides.map((phrases) => phrases.map((words) => words.join(' ')))
    if (message === undefined) sets.push(long === undefined ? short! : { short: short!, long })
    else problems.push({ key: `line ${index + 1}`, message: `${message}, got ${JSON.stringify(printable(trimmed))}` })
  }
  if (sets.length > EQUIVALENTS_LIMITS.sets)
    problems.push({ key: '', message: `expected at most ${EQUIVALENTS_LIMITS.sets} sets, got ${sets.length}` })
  return problems.length > 0 ? { problems } : { value: sets }
}

function findProblem(phrases: readonly (readonly string[])[]): string | undefined {
  const { phrasesPerSet, wordsPerPhrase } = EQUIVALENTS_LIMITS
  if (phrases.length < 2 || phrases.length > phrasesPerSet)
    return `expected 2 to ${phrasesPerSet} phrases parted by commas`
  if (phrases.some(({ length }) => length === 0)) return 'expected a word on each side of every comma'
  if (phrases.some(({ length }) => length > wordsPerPhrase)) return `expected at most ${wordsPerPhrase} words a phrase`
  const keys = phrases.map(keyOf)
  return new Set(keys).size < keys.length ? 'expected each phrase once; forms of a word are one word' : undefined
}

/** Sets of phrases as an index keeps them: each phrase is its terms, joined by a space, so that every form of it is found. */
export function stemEquivalents(sets: Equivalents): EquivalentSet[] {
  const stem = (phrases: readonly string[]) => phrases.map((phrase) => keyOf(phrase.split(' ')))
  return sets.map((set) => ('short' in set ? { short: stem(set.short), long: stem(set.long) } : stem(set)))
}

/** What else may be meant by a phrase. @param sets stemmed @returns for the terms of a phrase, those of each equivalent one */
export function indexEquivalents(sets: Equivalents): Map<string, string[][]> {
  const index = new Map<string, string[][]>()
  for (const set of sets) {
    const { short, long } = 'short' in set ? set : { short: set, long: set }
    for (const key of short) {
      const known = index.get(key) ?? []
      index.set(key, known)
      for (const other of long) if (other !== key) known.push(other.split(' '))
    }
  }
  return index
}

/** The key of a phrase: the terms of its words, so that every form of it is found. */
function keyOf(words: readonly string[]): string {
  return words.map(termOf).join(' ')
}
