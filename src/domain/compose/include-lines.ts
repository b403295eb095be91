// Finds the include lines of a source, and cuts a source out of assembled content again. docs/compose.md
import { LIMITS } from '../limits.ts'
import { printable } from '../text/printable.ts'
import type { Parsed, ValueProblem } from '../text/problems.ts'
import type { Include } from '../values/include.ts'
import { kindOfRange } from '../values/include-range.ts'
import { splitFullName } from '../values/names.ts'

/** What an include line names. */
export interface Reference {
  repository: string
  range: string
}

/** An include line, with its position in UTF-16 code units. */
export interface IncludeLine extends Reference {
  offset: number
  /** The length of the line, without its line end. */
  length: number
}

/** A line that begins as an include line does. Lines end with LF or CRLF; a byte order mark may precede the first one. */
const INCLUDE_LIKE_LINE = /(?:(?<=^\uFEFF?)|(?<=\n))\{\{include(?=[ "'])[^\n]*/g
/** Such a line, if it is complete. */
const INCLUDE_LINE = /^\{\{include "([^"@]*)(?:@([^"]*))?"\}\}$/
/** Longer than any line that names a repository and a range. */
const MAX_LINE_CHARACTERS = 300

const EXPECTED = 'expected {{include "owner/name@range"}} alone on its line'
const AS_TEXT = 'To keep the line as text, begin it with a space'

/**
 * Finds the include lines of a source. Their number is limited before any of them is read.
 *
 * @returns the lines in order, or their problems
 */
export function findIncludeLines(source: string): Parsed<IncludeLine[]> {
  const found: { line: string; offset: number }[] = []
  const targets = new Set<string>()
  for (const { 0: whole, index } of source.matchAll(INCLUDE_LIKE_LINE)) {
    if (found.length === LIMITS.includesPerVersion)
      return wrong(`expected at most ${LIMITS.includesPerVersion} include lines`)
    found.push({ line: whole.endsWith('\r') ? whole.slice(0, -1) : whole, offset: index })
  }
  const problems: ValueProblem[] = []
  const lines = found.flatMap(({ line, offset }): IncludeLine[] => {
    const { value, problems: unread } = readIncludeLine(line)
    if (value) {
      targets.add(value.repository)
      return [{ ...value, offset, length: line.length }]
    }
    problems.push(...unread.map((problem) => ({ ...problem, offset })))
    return []
  })
  if (problems.length > 0) return { problems }
  if (targets.size > LIMITS.includedRepositories)
    return wrong(`expected includes of at most ${LIMITS.includedRepositories} prompts, got ${targets.size}`)
  return { value: lines }
}

function wrong(message: string): { problems: ValueProblem[] } {
  return { problems: [{ key: 'content', message }] }
}

function readIncludeLine(text: string): Parsed<Reference> {
  const [, repository, range] = (text.length <= MAX_LINE_CHARACTERS && INCLUDE_LINE.exec(text)) || []
  if (repository === undefined) return wrong(`${EXPECTED}, got ${printable(text)}. ${AS_TEXT}`)
  if (!splitFullName(repository)) return wrong(`expected owner/name of a prompt, got ${printable(repository)}`)
  if (range === undefined) return { value: { repository, range: '*' } }
  const message = findRangeProblem(range)
  if (message !== undefined) return wrong(message)
  if (range === '*') return wrong(`expected {{include "${repository}"}}, without @*, which means the same`)
  return { value: { repository, range } }
}

/** @returns why a text is not a range, a version or a label */
function findRangeProblem(range: string): string | undefined {
  if (kindOfRange(range) !== undefined) return undefined
  const expected = 'expected a range such as ^1.2.0, a version or a label after @'
  if (range === 'latest')
    return `${expected}, got latest. Leave out @latest: without @, the highest version is included`
  return `${expected}, got ${printable(range) || 'nothing'}`
}

/** Writes an include line, without a line end; the inverse of what `findIncludeLines` reads. */
export function formatIncludeLine({ repository, range }: Reference): string {
  return `{{include "${repository}${range === '*' ? '' : `@${range}`}"}}`
}

/** Returns the content of a version as it is included: without its final line end. */
export function partText(content: string): string {
  if (content.endsWith('\r\n')) return content.slice(0, -2)
  return content.endsWith('\n') ? content.slice(0, -1) : content
}

/** The content of a version and what it includes. */
export interface Composed {
  content: string
  includes?: readonly Include[] | undefined
}

/** A piece of content: text of the prompt itself, or a part with its include. */
export interface Piece {
  text: string
  include?: Include
}

/** Divides content into what the prompt itself says and what it includes, in order. @throws RangeError if a position is not in the content, or within a character */
export function divideContent({ content, includes = [] }: Composed): Piece[] {
  if (includes.length === 0) return [{ text: content }]
  const bytes = new TextEncoder().encode(content)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const cut = (from: number, to: number) => {
    if (from > to || to > bytes.length) throw new RangeError('an include is not in the content')
    try {
      return decoder.decode(bytes.subarray(from, to))
    } catch (cause) {
      throw new RangeError('an include begins or ends within a character', { cause })
    }
  }
  const pieces: Piece[] = []
  let end = 0
  for (const include of includes) {
    pieces.push({ text: cut(end, include.start) })
    end = include.start + include.length
    pieces.push({ text: cut(include.start, end), include })
  }
  return [...pieces, { text: cut(end, bytes.length) }]
}

/** Cuts the source out of assembled content: each part becomes its include line again. */
export function cutSource(composed: Composed): string {
  return divideContent(composed)
    .map(({ text, include }) => (include ? formatIncludeLine(include) : text))
    .join('')
}
