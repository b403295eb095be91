// Parses and formats the files below content/: front matter and body. content-path.ts decides where files are allowed.
import type * as z from 'zod'
import type { Variable } from '../api/schema.ts'
import { LIMITS } from '../limits.ts'
import { findJsonProblem, isSameJson, pick } from '../text/json.ts'
import { lineOf } from '../text/plain-text.ts'
import { type Parsed, parseWithSchema, type ValueProblem } from '../text/problems.ts'
import { formatYaml, openKeyLines, parseYaml, readLine } from '../text/yaml.ts'
import { editYaml, type KeyChange } from '../text/yaml-edit.ts'
import { AttestationFacts } from '../values/attestation.ts'
import { OwnerFrontMatter, type PublishingRule, RepositoryFrontMatter, VersionFrontMatter } from './front-matter.ts'
import { findVariableNames } from './placeholders.ts'
import { PROMPT_FILE_KEYS } from './prompt-file-keys.ts'
import { type GivenSkill, storeSkill } from './skill.ts'

/** A version file. `variables` contains the declared variables or, if none are declared, the placeholders in the content. */
export interface VersionFile extends Omit<VersionFrontMatter, 'variables'> {
  variables: Variable[]
  /** Exactly what follows the closing `---` line; may lack a trailing newline. */
  content: string
}

/** A version as it was written: the text of its file or, if the hub has its record, what is in the file. */
export type WrittenFile = string | VersionFile

/** A version file or a version's record, which has null for what is missing. */
type PublishedVersion = Omit<VersionFile, 'skill' | 'provenance' | 'attestations'> & {
  skill?: GivenSkill | null | undefined
  provenance?: VersionFile['provenance'] | null
  attestations?: readonly AttestationFacts[] | undefined
}

/** Returns attestations as a version file has them. A record also has their names and URLs. */
export function storeAttestations(
  attestations: readonly AttestationFacts[] | undefined,
): Pick<VersionFile, 'attestations'> {
  if (!attestations?.length) return {}
  return { attestations: attestations.map((one) => pick(one, AttestationFacts.keyof().options)) }
}

/** A repository's `index.md`. */
export interface RepositoryFile extends RepositoryFrontMatter {
  readme: string
}

/** The defaults for a repository without an `index.md`, and for every omitted key. */
export const DEFAULT_REPOSITORY_FILE: RepositoryFile = { ...RepositoryFrontMatter.parse({}), readme: '' }

/** An owner's `index.md`. */
export interface OwnerFile extends OwnerFrontMatter {
  bio: string
}

/** The defaults for an owner without an `index.md`, and for every omitted key. */
export const DEFAULT_OWNER_FILE: OwnerFile = { ...OwnerFrontMatter.parse({}), bio: '' }

/**
 * Parses a version file.
 *
 * @param text the whole file, already decoded; line endings unchanged
 * @returns the version, or every problem with its key. `rules.ts` checks limits that depend on the bytes. @see docs/contract.md section 2
 */
export function parseVersionFile(text: string): Parsed<VersionFile> {
  const parsed = parseFile(VersionFrontMatter, text)
  if (parsed.problems) return parsed
  const { front, body: content } = parsed.value
  const variables = front.variables ?? findVariableNames({ ...front, content }).map(undeclaredVariable)
  return { value: { ...front, variables, content } }
}

/** Returns whether two versions are equal except for the time, the publisher and the changelog. */
export function isSameVersion(
  a: Pick<VersionFile, 'content' | 'format' | 'variables' | 'parameters' | 'skill' | 'includes'>,
  b: typeof a,
): boolean {
  return (
    a.content === b.content &&
    a.format === b.format &&
    isSameJson(a.skill ?? null, b.skill ?? null) &&
    isSameJson(a.includes ?? [], b.includes ?? []) &&
    isSameJson(a.variables, b.variables) &&
    isSameJson(a.parameters, b.parameters)
  )
}

/** Formats the file of a published version. The same version always has the same bytes, so a version's record is enough to rebuild its file. Omits variables that only repeat the placeholders in the content. */
export function formatPublished({ content, format, variables, skill, provenance, ...rest }: PublishedVersion): string {
  const { published_at, published_by, changelog, parameters, attestations, includes = [] } = rest
  const isPlain = isSameJson(variables, findVariableNames({ content, format }).map(undeclaredVariable))
  return formatVersionFile({
    published_at,
    published_by,
    changelog,
    ...(format === 'chat' ? { format } : {}),
    parameters,
    ...(isPlain ? {} : { variables }),
    ...(skill && { skill: storeSkill(skill) }),
    ...(includes.length > 0 && { includes: [...includes] }),
    ...(provenance && { provenance }),
    ...(attestations && storeAttestations(attestations)),
    content,
  })
}

/**
 * Formats the draft of a next version: an author edits its content. Everything else stays, except what an edit makes untrue and what only the hub can state: `includes`, `provenance` and `attestations`.
 *
 * @param signed who publishes it, when, and what changed
 */
export function formatDraft(
  { includes: _i, provenance: _p, attestations: _a, ...kept }: PublishedVersion,
  signed: Pick<VersionFile, 'published_at' | 'published_by' | 'changelog'>,
): string {
  return formatPublished({ ...kept, ...signed })
}

/** Formats a version file; the inverse of `parseVersionFile`, byte-exact for the content. */
export function formatVersionFile({
  content,
  ...front
}: z.input<typeof VersionFrontMatter> & { content: string }): string {
  return `---\n${formatYaml(front)}---\n${content}`
}

/** Parses a repository's `index.md`; surrounding whitespace is not part of the readme. */
export function parseRepositoryFile(text: string): Parsed<RepositoryFile> {
  const parsed = parseFile(RepositoryFrontMatter, text)
  return parsed.problems ? parsed : { value: { ...parsed.value.front, readme: parsed.value.body.trim() } }
}

/** Lists the versions that were taken down, whose numbers are used up. @param index the text of `index.md`, which may be invalid */
export function listRemoved(index: string | undefined): string[] {
  return index === undefined ? [] : Object.keys(parseRepositoryFile(index).value?.removed ?? {})
}

/**
 * Sets keys in a repository's `index.md`; its other keys, comments and readme stay unchanged.
 *
 * @param text a file that `parseRepositoryFile` accepts, or undefined to create one
 */
export function editRepositoryFile(
  text: string | undefined,
  changes: Partial<z.input<typeof RepositoryFrontMatter>>,
): string {
  return text === undefined ? `---\n${formatYaml(changes)}---\n` : editFrontMatter(text, changes)
}

/** Sets keys in the front matter of a file with valid YAML, even if its values are invalid. Everything else stays unchanged. */
export function editFrontMatter(text: string, changes: Record<string, unknown>): string {
  return editKeys(
    text,
    Object.entries(changes).map(([key, value]) => ({ path: [key], value })),
  )
}

/**
 * Changes or removes keys in the front matter of a file.
 *
 * @param text a file whose front matter is valid YAML
 * @returns the file, in which only the lines of these keys change
 */
export function editKeys(text: string, changes: readonly KeyChange[]): string {
  const { value: parts, problems } = locateParts(text)
  if (problems) throw new Error('only a file with front matter can be edited')
  const { from, to } = parts.yaml
  return text.slice(0, from) + editYaml(text.slice(from, to), changes) + text.slice(to)
}

/**
 * Sets the body of an `index.md`: a readme or a bio. Whitespace around the old body stays, because it is not part of it.
 *
 * @param text a file that `parseRepositoryFile` or `parseOwnerFile` accepts
 */
export function replaceBody(text: string, wanted: string): string {
  const { value: parts, problems } = locateParts(text)
  if (problems) throw new Error('only a file with front matter can be edited')
  const body = text.slice(parts.body)
  const head = text.slice(0, parts.body)
  const old = body.trim()
  const before = old === '' ? '' : body.slice(0, body.length - body.trimStart().length)
  const after = old === '' ? '\n' : body.slice(before.length + old.length)
  return `${head}${head.endsWith('\n') ? '' : '\n'}${before}${wanted.trim()}${after}`
}

/** Parses an owner's `index.md`; surrounding whitespace is not part of the bio. */
export function parseOwnerFile(text: string): Parsed<OwnerFile> {
  const parsed = parseFile(OwnerFrontMatter, text)
  return parsed.problems ? parsed : { value: { ...parsed.value.front, bio: parsed.value.body.trim() } }
}

/** The part of an owner's file that has the rules: one of them, or a list. */
interface Ruled {
  publishing: PublishingRule | readonly PublishingRule[] | null
}

/** Lists the rules of an owner for new versions. @param file undefined for an owner without a file */
export function listPublishingRules(file: Ruled | undefined): readonly PublishingRule[] {
  return [file?.publishing ?? []].flat() as PublishingRule[]
}

/** Returns whether an owner has a rule for new versions. */
export function hasPublishingRule(file: Ruled | undefined, rule: PublishingRule): boolean {
  return listPublishingRules(file).includes(rule)
}

/** Returns the variable for an undeclared placeholder. */
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
  const front = parseWithSchema(schema, split.value.front)
  return front.problems ? front : { value: { front: front.value, body: split.value.body } }
}

/** The first line of a file with front matter. */
const FRONT_MATTER_START = /^---\r?\n/

/** As far as content is searched for front matter. */
const MAX_LOOKED_AT = 8_192

/** Returns whether content begins with the front matter of a prompt file, or with what would be front matter without a byte order mark, blank lines or spaces around its first line. */
export function beginsWithFrontMatter(content: string): boolean {
  const start = content.slice(0, MAX_LOOKED_AT)
  const [opening] = /^\s*---[ \t]*\r?\n/.exec(start) ?? []
  if (opening === undefined) return false
  const { value } = splitFile(`---\n${start.slice(opening.length)}`)
  const keys = Object.keys(value?.front ?? {})
  return keys.length > 0 && keys.every((key) => PROMPT_FILE_KEYS.has(key))
}

/** The positions of a file's parts, in UTF-16 code units. */
interface Parts {
  /** The start of the YAML, and the start of the line after it. */
  yaml: { from: number; to: number }
  /** The start of the body. */
  body: number
}

/**
 * Finds the two `---` lines of a file. gray-matter is not used, because it takes quadratic time in the number of blank lines and executes JavaScript front matter: docs/notes/yaml.md.
 */
function locateParts(text: string): Parsed<Parts> {
  const wrong = (message: string, at = 0) => ({
    problems: [{ key: '', message: `line ${lineOf(text, at)}: ${message}` }],
  })
  const open = FRONT_MATTER_START.exec(text)
  if (!open) return wrong('expected a first line that is exactly ---, with YAML below it')
  const close = text.indexOf('\n---', 3)
  if (close === -1) return wrong('expected a second line that is exactly --- after the front matter')
  const afterClose = /^(?:\r?\n|$)/.exec(text.slice(close + 4, close + 6))
  if (!afterClose) return wrong('expected the line that ends the front matter to be exactly ---', close + 1)
  return { value: { yaml: { from: open[0].length, to: close + 1 }, body: close + 4 + afterClose[0].length } }
}

/** Returns the unvalidated values of a file's front matter, and its body. */
export function splitFile(text: string): Parsed<{ front: Record<string, unknown>; body: string }> {
  const { value: parts, problems } = locateParts(text)
  if (problems) return { problems }
  const yaml = parseYaml(text.slice(parts.yaml.from, parts.yaml.to), 2)
  return yaml.problems ? yaml : { value: { front: yaml.value, body: text.slice(parts.body) } }
}

/** Finds the line of a problem. `offset` counts from the start of its key's value, in UTF-16 code units. The line is 1 if it is unknown. */
type FindLine = (problem: ValueProblem) => number

/** Opens a file, which may be invalid, to find the lines of its problems. */
export function openLines(text: string): FindLine {
  const { yaml, body } = locateParts(text).value ?? { yaml: { from: 0, to: 0 }, body: 0 }
  let ofKeys: ReturnType<typeof openKeyLines> | undefined
  return ({ key, message, offset }) => {
    if (key === 'content' || key === 'readme' || key === 'bio') {
      const leading = key === 'content' ? 0 : (/^\s*/.exec(text.slice(body))?.[0].length ?? 0)
      return lineOf(text, body + leading + (offset ?? 0))
    }
    const named = readLine(message) ?? readLine(`${key}: `)
    if (named !== undefined) return named
    ofKeys ??= openKeyLines(text.slice(yaml.from, yaml.to), 2)
    return ofKeys(key) ?? 1
  }
}
