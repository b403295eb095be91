// Leads from a word to the term that stands for all its forms: spelling, then stem; and what a question leaves out. The only importer of the stemmer.
import { stemmer } from '@orama/stemmers/english'
import { unifySpelling } from './spelling.ts'
import { isIdeograph } from './words.ts'

/** Stems are English; words with any other letter stay as they are. */
const ENGLISH = /^[a-z]+$/

/** The term of a folded word: one for `summarise`, `summarizes` and `summarizing`. */
export function termOf(word: string): string {
  return ENGLISH.test(word) ? stemmer(unifySpelling(word)) : word
}

/** The terms of near relatives that a stem keeps apart: who does it and what is done, `scaler` and `scale`. */
export function relatedTerms(word: string): string[] {
  if (!ENGLISH.test(word) || word.length < 4) return []
  const term = termOf(word)
  const agents = term.endsWith('e') ? [`${term}r`] : [`${term}er`, `${term}or`]
  const deeds = /[^e]ers?$/.test(word) ? [word.replace(/ers?$/, ''), word.replace(/ers?$/, 'e')] : []
  return [...new Set([...agents, ...deeds.filter((deed) => deed.length > 3)].map(termOf))].filter((one) => one !== term)
}

/**
 * Pairs of neighbours in scripts without spaces: as terms of their own they find what stands together without a look at the text.
 *
 * @param words in their order
 */
function pairIdeographs(words: readonly string[]): string[] {
  const pairs: string[] = []
  for (let index = 1; index < words.length; index++) {
    const [word, next] = [words[index - 1]!, words[index]!]
    if (isIdeograph(next) && isIdeograph(word)) pairs.push(word + next)
  }
  return pairs
}

/** Words that a question needs as a sentence, but that do not say what it is about. Questions lose them unless they consist of nothing else; the index keeps them. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about am an and any are as at be been but by can could did do does for from get give got had has have help her his how i
  if in into is it its just like ll m me my need of on or our out please s should so some such t tell than that the their
  them then there these they this those to us ve very want was we were what when where which who why will with would you your`.split(
    /\s+/,
  ),
)

/** Shorthand that says as little, as the words that it is split into: `w/o` is `w o`. */
const STOP_SHORTHAND: ReadonlySet<string> = new Set('w o,b c,e g,i e,etc,pls,plz,abt,thru,btw'.split(','))

/** Whether a word is one of the stop words. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

/**
 * The words of a question, each of which counts by itself. Scripts without spaces are taken by pairs of characters. Shorthand and stop words are left
 * out unless there are no other words.
 */
export function listUnits(phrases: readonly (readonly string[])[]): string[] {
  // Of letters with signs between them none is left out, because together they are an abbreviation: `R&R`, `1:1`.
  const isSpelled = (phrase: readonly string[]) => phrase.length > 1 && phrase.every(({ length }) => length === 1)
  const telling = phrases
    .filter((phrase) => !STOP_SHORTHAND.has(phrase.join(' ')))
    .map((phrase) => (isSpelled(phrase) ? phrase : phrase.filter((word) => !isStopWord(word))))
    .filter(({ length }) => length > 0)
  const counted = new Set<string>()
  return (telling.length > 0 ? telling : phrases).flatMap((phrase) => {
    const pairs = pairIdeographs(phrase)
    const units = pairs.length === 0 ? phrase : [...phrase.filter((word) => !isIdeograph(word)), ...pairs]
    const isRepeated = pairs.length === 0 && isSpelled(phrase)
    const fresh = (isRepeated ? units : [...new Set(units)]).filter((unit) => !counted.has(unit))
    for (const unit of fresh) counted.add(unit)
    return fresh
  })
}
