// Checks the includes of a version against its content: positions, digests and variables. docs/compose.md
import type { VersionEntry } from '../content/content-tree.ts'
import type { RuleProblem } from '../text/problems.ts'
import { divideContent, findIncludeLines, formatIncludeLine, type Piece } from './include-lines.ts'

/** What the rule needs of a version. */
type Checked = Pick<VersionEntry, 'content' | 'variables' | 'includes'>
/** Computes the digest of content. */
type Measure = (content: string) => Pick<VersionEntry, 'content_sha256'>

/**
 * Checks that a version’s includes are what composing stores: the source that they cut out has exactly these include lines, and each part is the content of a version with the digest. Whether that version has this digest, a review checks.
 *
 * @param self the full name of the prompt
 */
export function checkIncludes(self: string, version: Checked, measure: Measure): RuleProblem[] {
  const { includes = [], variables } = version
  if (includes.length === 0) return []
  const pieces = divide(version)
  if (typeof pieces === 'string') return [wrong('includes', pieces)]
  const problems: RuleProblem[] = []
  for (const [index, { repository, through }] of includes.entries())
    if (repository === self || through.includes(self))
      problems.push(wrong(`includes.${index}.repository`, 'expected a different prompt'))
  if (!areLines(pieces))
    problems.push(
      wrong('includes', 'expected each part alone on its lines, and no other include lines. Compose the version again'),
    )
  for (const [index, { text, include }] of pieces.filter((piece) => piece.include).entries())
    if (!candidatesOf(text).some((content) => measure(content).content_sha256 === include!.content_sha256))
      problems.push(
        wrong(`includes.${index}`, `expected the content of ${include!.repository}@${include!.version}, byte for byte`),
      )
  const named = includes.flatMap((include) => include.variables)
  const declared = new Set(variables.map(({ name }) => name))
  const unknown = named.find((name, index) => !declared.has(name) || named.indexOf(name) !== index)
  if (unknown !== undefined)
    problems.push(wrong('includes', `expected ${unknown} once, and among the variables of the version`))
  return problems
}

const wrong = (key: string, message: string): RuleProblem => ({ rule: 'includes-match', key, message })

/** @returns the pieces, or why a position is wrong */
function divide(version: Checked): Piece[] | string {
  try {
    return divideContent(version)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return 'expected positions of whole characters in the content, in increasing order'
  }
}

/** Returns whether the source has exactly the include lines that its pieces say, in the same places. */
function areLines(pieces: readonly Piece[]): boolean {
  let source = ''
  const expected = pieces.flatMap(({ text, include }) => {
    const offset = source.length
    source += include ? formatIncludeLine(include) : text
    return include ? [`${offset} ${include.repository}@${include.range}`] : []
  })
  const { value: lines = [], problems } = findIncludeLines(source)
  const found = lines.map(({ offset, repository, range }) => `${offset} ${repository}@${range}`)
  return problems === undefined && found.join('\n') === expected.join('\n')
}

/** Returns the contents that `partText` turns into a text. */
function candidatesOf(text: string): string[] {
  if (text.endsWith('\r')) return []
  return [`${text}\n`, `${text}\r\n`, ...(text.endsWith('\n') ? [] : [text])]
}
