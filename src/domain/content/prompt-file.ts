// Parses and formats the files below content/: front matter and body. content-path.ts decides where a file may be.
import type * as z from 'zod'
import { LIMITS } from '../api/limits.ts'
import type { Variable } from '../api/schema.ts'
import { findJsonProblem } from '../text/json.ts'
import { type Parsed, parseBy, type ValueProblem } from '../text/problems.ts'
import { findKeyLine, formatYaml, parseYaml, readLine } from '../text/yaml.ts'
import { editYaml, type KeyChange } from '../text/yaml-edit.ts'
import { OwnerFrontMatter, RepositoryFrontMatter, VersionFrontMatter } from './front-matter.ts'
import { findVariableNames } from './placeholders.ts'

/** A version as its file holds it. `variables` are the declared ones, or the placeholders of the content when none are declared. */
export interface VersionFile extends Omit<VersionFrontMatter, 'variables'> {
  variables: Variable[]
  /** Exactly what follows the closing `---` line, which may be without a final newline. */
  content: string
}

/** A repository as its `index.md` holds it. */
export interface RepositoryFile extends RepositoryFrontMatter {
  readme: string
}

/** What a repository without an `index.md` says: what stands for each key that is left out. */
export const UNSAID: RepositoryFile = { ...RepositoryFrontMatter.parse({}), readme: '' }

/** An owner as their `index.md` holds them. */
export interface OwnerFile extends OwnerFrontMatter {
  bio: string
}

/**
 * Reads one version file.
 *
 * @param text the whole file, already decoded; line ends untouched
 * @returns the version, or every problem with its key. Limits that need the bytes are judged by `rules.ts`.
 * @see docs/contract.md section 2
 */
export function parseVersionFile(text: string): Parsed<VersionFile> {
  const parsed = parseFile(VersionFrontMatter, text)
  if (parsed.problems) return parsed
  const { front, body: content } = parsed.value
  const variables = front.variables ?? findVariableNames({ ...front, content }).map(undeclaredVariable)
  return { value: { ...front, variables, content } }
}

/** Writes one version file; the inverse of `parseVersionFile`, and byte-exact for the content. */
export function formatVersionFile({
  content,
  ...front
}: z.input<typeof VersionFrontMatter> & { content: string }): string {
  return formatFile(front, content)
}

/** Reads a repository's `index.md`; surrounding white space does not belong to the readme. */
export function parseRepositoryFile(text: string): Parsed<RepositoryFile> {
  const parsed = parseFile(RepositoryFrontMatter, text)
  return parsed.problems ? parsed : { value: { ...parsed.value.front, readme: parsed.value.body.trim() } }
}

/**
 * Sets keys in a repository's `index.md`; its other keys, comments and readme stay as they are.
 *
 * @param text the file, which `parseRepositoryFile` reads without problems, or undefined to begin one
 */
export function editRepositoryFile(text: string | undefined, changes: Partial<RepositoryFrontMatter>): string {
  return text === undefined ? formatFile(changes, '') : editFrontMatter(text, changes)
}

/** Sets keys in the front matter of a file that has one of valid YAML, whatever its values are; everything else stays as it is. */
export function editFrontMatter(text: string, changes: Record<string, unknown>): string {
  return editKeys(
    text,
    Object.entries(changes).map(([key, value]) => ({ path: [key], value })),
  )
}

/**
 * Changes keys in the front matter of a file, or removes them.
 *
 * @param text a file that has front matter of valid YAML
 * @returns the file, in which every other byte is the same
 */
export function editKeys(text: string, changes: readonly KeyChange[]): string {
  const { value: parts, problems } = locateParts(text)
  if (problems) throw new Error('only a file that has front matter is edited')
  const { from, to } = parts.yaml
  return text.slice(0, from) + editYaml(text.slice(from, to), changes) + text.slice(to)
}

/**
 * Sets the readme of a repository's `index.md`. White space around the old one stays, because it does not belong to it.
 *
 * @param text a file that `parseRepositoryFile` reads without problems
 */
export function replaceReadme(text: string, readme: string): string {
  const { value: parts, problems } = locateParts(text)
  if (problems) throw new Error('only a file that has front matter is edited')
  const body = text.slice(parts.body)
  const head = text.slice(0, parts.body)
  const old = body.trim()
  const before = old === '' ? '' : body.slice(0, body.length - body.trimStart().length)
  const after = old === '' ? '\n' : body.slice(before.length + old.length)
  return `${head}${head.endsWith('\n') ? '' : '\n'}${before}${readme.trim()}${after}`
}

/** Reads an owner's `index.md`; surrounding white space does not belong to the bio. */
export function parseOwnerFile(text: string): Parsed<OwnerFile> {
  const parsed = parseFile(OwnerFrontMatter, text)
  return parsed.problems ? parsed : { value: { ...parsed.value.front, bio: parsed.value.body.trim() } }
}

/** What a placeholder is when nobody declared it. */
export function undeclaredVariable(name: string): Variable {
  return { name, description: '', type: 'string', required: true, default: null, options: [], example: null }
}

function parseFile<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): Parsed<{ front: z.output<Schema>; body: string }> {
  const split = splitFile(text)
  if (split.problems) return split
  const depth = findJsonProblem(split.value.front, { depth: LIMITS.parameterDepth + 2 })
  if (depth) return { problems: [{ key: '', message: depth }] }
  const front = parseBy(schema, split.value.front)
  return front.problems ? front : { value: { front: front.value, body: split.value.body } }
}

/** Where the parts of a file lie, in UTF-16 units from its start. */
interface Parts {
  /** Where the YAML begins, and where the line below it does. */
  yaml: { from: number; to: number }
  /** Where the body begins. */
  body: number
}

/**
 * Finds the two `---` lines of a file. By hand, because gray-matter takes time by the square of the number of blank lines,
 * and runs front matter that calls itself JavaScript: docs/notes/yaml.md.
 */
function locateParts(text: string): Parsed<Parts> {
  const wrong = (message: string) => ({ problems: [{ key: '', message }] })
  const open = /^---\r?\n/.exec(text)
  if (!open) return wrong('expected a first line that is exactly ---, with YAML below it')
  const close = text.indexOf('\n---', 3)
  if (close === -1) return wrong('expected a second line that is exactly --- after the front matter')
  const afterClose = /^(?:\r?\n|$)/.exec(text.slice(close + 4, close + 6))
  if (!afterClose) return wrong('expected the line that ends the front matter to be exactly ---')
  return { value: { yaml: { from: open[0].length, to: close + 1 }, body: close + 4 + afterClose[0].length } }
}

/** The values of a file's front matter, whatever they are, and its body. */
export function splitFile(text: string): Parsed<{ front: Record<string, unknown>; body: string }> {
  const { value: parts, problems } = locateParts(text)
  if (problems) return { problems }
  const yaml = parseYaml(text.slice(parts.yaml.from, parts.yaml.to), 2)
  return yaml.problems ? yaml : { value: { front: yaml.value, body: text.slice(parts.body) } }
}

/**
 * The line on which a problem stands.
 *
 * @param text the whole file, which may be broken
 * @param problem `offset` counts from the start of the text of its key, in UTF-16 units
 * @returns from 1; the first line when nothing better is known
 */
export function findLine(text: string, { key, message, offset }: ValueProblem & { offset?: number }): number {
  const { yaml, body } = locateParts(text).value ?? { yaml: { from: 0, to: 0 }, body: 0 }
  if (key === 'content' || key === 'readme' || key === 'bio') {
    const leading = key === 'content' ? 0 : (/^\s*/.exec(text.slice(body))?.[0].length ?? 0)
    return countLines(text, body + leading + (offset ?? 0))
  }
  return readLine(message) ?? readLine(`${key}: `) ?? findKeyLine(text.slice(yaml.from, yaml.to), key, 2) ?? 1
}

function countLines(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

/** The inverse of `splitFile`. */
function formatFile(front: Record<string, unknown>, body: string): string {
  return `---\n${formatYaml(front)}---\n${body}`
}
