// Finds what in a text deserves a warning for authors and readers: secrets, hidden characters and look-alike letters. Imports no schemas, because reads use it.
import type { VersionRecord, Warning } from '../api/schema.ts'
import { lineCounter } from '../text/plain-text.ts'
import type { Finding } from './finding.ts'
import { findHiddenCharacters } from './hidden-characters.ts'
import type { RepositoryFile } from './prompt-file.ts'
import { findSecrets } from './secrets.ts'

/** The text fields of a version. */
type VersionTexts = Pick<VersionRecord, 'content' | 'changelog' | 'variables' | 'parameters'> & {
  skill?: { description: string } | null | undefined
}

/** Returns all warnings about one text field; warnings of the same kind are sorted by position. */
export function findInText(text: string): Finding[] {
  return [...findHiddenCharacters(text), ...findLookAlikes(text), ...findSecrets(text)]
}

/** Maximum number of findings listed for each kind and text field; the others are only counted, because a text may cause a quarter of a million findings. */
export const MAX_PER_KIND = 5

/** Returns the warnings about the text fields of a version and of its repository. `line` is the 1-based line of the content; findings in other fields name the field instead. */
export function warnOfTexts(
  { content, changelog, skill, variables, parameters }: VersionTexts,
  { title, description, readme }: Partial<Pick<RepositoryFile, 'title' | 'description' | 'readme'>> = {},
): Warning[] {
  const warnings = toWarnings(limitFindings(findInText(content)), content)
  const fields = {
    changelog,
    title,
    description,
    readme,
    skill: skill?.description,
    variables: variables.length > 0 ? JSON.stringify(variables) : undefined,
    parameters: JSON.stringify(parameters),
  }
  for (const [field, text] of Object.entries(fields)) {
    if (!text) continue
    const findings = limitFindings(findInText(text)).map((one) => ({ ...one, key: field, offset: -1 }))
    warnings.push(...toWarnings(findings))
  }
  return warnings
}

/** Makes warnings of findings: with the key of each before its message, and its line in the content. */
export function toWarnings(findings: readonly Finding[], content = ''): Warning[] {
  if (findings.length === 0) return []
  const lineAt = lineCounter(content, 1)
  return findings.map(({ code, key, message, offset }) => ({
    code,
    message: key === undefined ? message : `${key}: ${message}`,
    line: offset < 0 ? null : lineAt(offset),
  }))
}

/** Keeps the first few findings of each kind, and counts the rest. */
export function limitFindings(findings: readonly Finding[]): Finding[] {
  if (findings.length <= MAX_PER_KIND) return [...findings]
  return [...Map.groupBy(findings, ({ code }) => code)].flatMap(([, all]) =>
    all.length <= MAX_PER_KIND
      ? all
      : [
          ...all.slice(0, MAX_PER_KIND),
          { ...all[0]!, message: `and ${all.length - MAX_PER_KIND} more of this kind`, offset: -1 },
        ],
  )
}

/** Cyrillic, Greek and related letters that look like Latin letters. @see https://www.unicode.org/reports/tr39/#Confusable_Detection */
const DRAWN_AS_LATIN = /[асеорхуіјѕһԁԛԝӏАВЕЅЗІЈКМНОРСТХУԌԚԜοανρικΑΒΕΖΗΙΚΜΝΟΡΤΥΧցօսհⅼⅰⅴⅹ]/u
/** A sequence of letters that mixes Latin and another script. The length is bounded, so a longer sequence is checked in parts. */
const MIXED_WORD = /[\p{L}\p{M}\p{Nl}]{2,64}/gu

/** Finds words that mix Latin letters with look-alikes, which users read as one word and programs as another. */
function findLookAlikes(text: string): Finding[] {
  if (!DRAWN_AS_LATIN.test(text)) return []
  const findings: Finding[] = []
  for (const { 0: word, index } of text.matchAll(MIXED_WORD)) {
    const letter = DRAWN_AS_LATIN.exec(word)
    // Requires at least two Latin letters, because Δx and µm legitimately mix scripts.
    if (!letter || !/\p{sc=Latin}.*\p{sc=Latin}/u.test(word)) continue
    const name = `U+${letter[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
    const message = `contains a word that mixes alphabets: ${JSON.stringify(word)} has ${name}, which looks like a Latin letter`
    findings.push({ code: 'look_alikes', message, offset: index + letter.index })
  }
  return findings
}
