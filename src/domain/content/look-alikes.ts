// Owns finding words that look like another word: Latin letters mixed with letters of other scripts that are drawn the same.
import type { Finding } from './findings.ts'

/** Letters of Cyrillic, Greek and their kin that print as Latin ones. @see https://www.unicode.org/reports/tr39/#Confusable_Detection */
const DRAWN_AS_LATIN = /[асеорхуіјѕһԁԛԝӏАВЕЅЗІЈКМНОРСТХУԌԚԜοανρικΑΒΕΖΗΙΚΜΝΟΡΤΥΧցօսհⅼⅰⅴⅹ]/u
/** A run of letters in which a Latin one stands beside another script's. Bounded: a longer one is looked at in pieces. */
const MIXED_WORD = /[\p{L}\p{M}\p{Nl}]{2,64}/gu
/** Whether there is anything to look for. */
const UNUSUAL = /[^\x00-\x7f]/

/** Words of Latin letters with some that only look Latin: what a person reads is not what a program or a model compares. */
export function findLookAlikes(text: string): Finding[] {
  if (!UNUSUAL.test(text)) return []
  const findings: Finding[] = []
  for (const { 0: word, index } of text.matchAll(MIXED_WORD)) {
    const letter = DRAWN_AS_LATIN.exec(word)
    // Two Latin letters at least: Δx and µm mix scripts for good reason.
    if (!letter || !/\p{sc=Latin}.*\p{sc=Latin}/u.test(word)) continue
    const name = `U+${letter[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
    const message = `holds a word that mixes alphabets: ${JSON.stringify(word)} has ${name}, which looks like a Latin letter`
    findings.push({ code: 'look_alikes', message, offset: index + letter.index })
  }
  return findings
}
