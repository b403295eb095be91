// Warns about includes: lines that were probably meant as include lines, and parts that their maintainers warn about. docs/compose.md
import type { Warning } from '../api/schema.ts'
import type { Finding } from '../content/finding.ts'
import { printable } from '../text/printable.ts'
import { type Composed, divideContent } from './include-lines.ts'
import type { Resolved } from './resolve.ts'

/** A text that looks like an include line, whether or not it is alone on its line. */
const LOOKS_LIKE_INCLUDE = /\{\{\{?[ \t]{0,8}include[ \t]{1,8}["'][^\n]{0,160}/gi
/** Maximum number of warnings of one kind. */
const MAX_WARNINGS = 5

/** Finds text that looks like an include line but is stored as text. @param isComposed whether include lines have been replaced */
export function findIncludeLike(version: Composed, isComposed: boolean): Finding[] {
  const wayOut = isComposed
    ? 'If it should be an include, write {{include "owner/name@range"}} alone on its line, without spaces around it'
    : 'To include the other prompt, publish with compose: true'
  const found: Finding[] = []
  let start = 0
  for (const { text, include } of divideContent(version)) {
    if (!include)
      for (const { 0: like, index } of text.matchAll(LOOKS_LIKE_INCLUDE)) {
        if (found.length === MAX_WARNINGS) return found
        const message = `${printable(like)} is stored as text. ${wayOut}`
        found.push({ code: 'looks_like_include', key: 'content', message, offset: start + index })
      }
    start += text.length
  }
  return found
}

/** Warns about parts with an advisory, and parts that are deprecated or archived. */
export function warnOfParts(parts: readonly Resolved[]): Warning[] {
  const messages = new Set(
    parts.flatMap(({ repository, version, concerns }) => concerns.map((one) => `${repository}@${version} ${one}`)),
  )
  return [...messages]
    .slice(0, MAX_WARNINGS)
    .map((message) => ({ code: 'included_advisory', message: `includes: ${message}`, line: null }))
}
