// Parses the list of synonyms: sets of words and phrases that mean the same, maintained by hand.

import { tokenize, toTerm } from '../../domain/search/tokens.ts'
import { printable } from '../../domain/text/printable.ts'
import type { Parsed, ValueProblem } from '../../domain/text/problems.ts'

/** Maximum size of the list, because every index contains all of it. */
const EQUIVALENTS_LIMITS = { sets: 2_000, phrasesPerSet: 20, wordsPerPhrase: 4 } as const

/** Phrases, as tokens joined by spaces: synonyms, or an abbreviation and its meanings. */
type EquivalentSet = readonly string[] | { readonly short: readonly string[]; readonly long: readonly string[] }
/** The sets of synonyms. */
export type Equivalents = readonly EquivalentSet[]

/**
 * Parses `content/equivalents.txt`: one set per line, phrases separated by commas. `>` separates an abbreviation from its meanings: a search for `erd` in `erd > data model, schema` also finds both meanings, but not vice versa. A line that starts with `#` is a comment.
 *
 * @returns the sets, or every problem with its line
 */
export function parseEquivalents(text: string): Parsed<Equivalents> {
  const sets: EquivalentSet[] = []
  const problems: ValueProblem[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const sides = trimmed.split('>').map((side) => side.split(',').map((phrase) => tokenize(phrase).join(' ')))
    const message = sides.length > 2 ? 'expected at most one >' : findProblem(sides.flat())
    const [short, long] = sides
    if (message === undefined) sets.push(long === undefined ? short! : { short: short!, long })
    else problems.push({ key: `line ${index + 1}`, message: `${message}, got ${JSON.stringify(printable(trimmed))}` })
  }
  if (sets.length > EQUIVALENTS_LIMITS.sets)
    problems.push({ key: '', message: `expected at most ${EQUIVALENTS_LIMITS.sets} sets, got ${sets.length}` })
  return problems.length > 0 ? { problems } : { value: sets }
}

function findProblem(phrases: readonly string[]): string | undefined {
  const { phrasesPerSet, wordsPerPhrase } = EQUIVALENTS_LIMITS
  if (phrases.length < 2 || phrases.length > phrasesPerSet)
    return `expected 2 to ${phrasesPerSet} phrases separated by commas`
  if (phrases.includes('')) return 'expected a word on each side of every comma'
  if (phrases.some((phrase) => phrase.split(' ').length > wordsPerPhrase))
    return `expected at most ${wordsPerPhrase} words per phrase`
  const isRepeated = new Set(phrases.map(toTerms)).size < phrases.length
  return isRepeated ? 'expected each phrase only once; all forms of a word count as the same word' : undefined
}

/** Synonyms of a phrase: for its terms, joined by a space, the terms of each synonym. */
export function indexEquivalents(sets: Equivalents): Map<string, string[]> {
  const index = new Map<string, string[]>()
  for (const set of sets) {
    const { short, long } = 'short' in set ? set : { short: set, long: set }
    const others = long.map(toTerms)
    for (const phrase of short.map(toTerms))
      index.set(phrase, [...(index.get(phrase) ?? []), ...others.filter((other) => other !== phrase)])
  }
  return index
}

const toTerms = (phrase: string): string => phrase.split(' ').map(toTerm).join(' ')
