// Parses front matter, YAML and JSON in files of other tools, and checks limits before any work of unknown cost.
import matter from 'gray-matter'
import type { PromptPlace } from '../../../src/domain/api/export-formats.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { findJsonProblem, isObject } from '../../../src/domain/text/json.ts'
import { loadForeignYaml } from './foreign-yaml.ts'
import { ConversionProblems, type PortablePrompt, type ReadResult } from './portable.ts'

/** Maximum size of a converted file in bytes. Content may be 262,144 bytes long, and the front matter or JSON around it needs space too. */
export const MAX_SOURCE_BYTES = 1_048_576
/** Maximum number of lines and of characters of front matter; no prompt needs more. */
const MAX_FRONT_MATTER_LINES = 2_000
const MAX_FRONT_MATTER_CHARACTERS = 32_768
/** What ends a line for the patterns of gray-matter, which takes quadratic time in the number of blank lines. */
const LINE_END = /\r?\n|[\r\u2028\u2029]/
/** Maximum number of prompts in one JSON file. */
const MAX_PROMPTS = 10_000

/** A file with front matter and a body. */
export interface SourceFile {
  front: Record<string, unknown>
  /** Whether the file has front matter. */
  hasFront: boolean
  body: string
  /** The 1-based line where the body starts. */
  bodyLine: number
  /** Returns the 1-based line of a top-level key, or null. */
  lineOf: (key: string) => number | null
}

/** Removes a file's byte order mark. */
export function removeByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** gray-matter evaluates front matter in JavaScript, so its other engines are replaced. */
const ENGINES = { yaml: loadForeignYaml, json: refuseLanguage, javascript: refuseLanguage }

function refuseLanguage(): never {
  throw new Error('no other language is read')
}

/**
 * Parses a file with front matter between `---` lines, or another delimiter, with gray-matter.
 *
 * @returns undefined if the front matter is rejected; the findings explain why
 * @see docs/notes/yaml.md: the size of the front matter is checked first
 */
export function readSourceFile(
  source: string,
  findings: ConversionProblems,
  delimiter = '---',
): SourceFile | undefined {
  const text = removeByteOrderMark(source)
  const first = text.split('\n', 1)[0]!.trimEnd()
  if (!first.startsWith(delimiter) || first[delimiter.length] === delimiter[0])
    return { front: {}, hasFront: false, body: text, bodyLine: 1, lineOf: () => null }
  const refuse = (message: string, line = 1) => {
    findings.refused('front matter', message, line)
    return undefined
  }
  if (first !== delimiter)
    return refuse(`expected a first line that is exactly ${delimiter}; no other language is read`)
  const end = text.indexOf(`\n${delimiter}`, delimiter.length)
  const head = end === -1 ? text : text.slice(0, end)
  const lines = head.split('\n')
  if (head.split(LINE_END).length > MAX_FRONT_MATTER_LINES)
    return refuse(`expected at most ${MAX_FRONT_MATTER_LINES} lines of front matter`)
  if (head.length > MAX_FRONT_MATTER_CHARACTERS)
    return refuse(`expected at most ${MAX_FRONT_MATTER_CHARACTERS} characters of front matter`)
  if (end === -1) return refuse(`expected a line ${delimiter} after the front matter`)
  const closing = text.slice(end + 1).split('\n', 1)[0]!
  if (closing.trimEnd() !== delimiter)
    return refuse(`expected the line after the front matter to be exactly ${delimiter}`, lines.length + 1)
  // Blanks after the closing delimiter are not part of the body, but gray-matter keeps them.
  const whole = `${head}\n${delimiter}${text.slice(end + 1 + closing.trimEnd().length).replace(/^[ \t]+/, '')}`
  try {
    const { data, content } = matter(whole, { delimiters: delimiter, language: 'yaml', engines: ENGINES })
    return { front: data, hasFront: true, body: content, bodyLine: lines.length + 2, lineOf: findTopKeys(head) }
  } catch (error) {
    // The YAML begins in the file's first line, after the delimiter.
    refuseYaml('front matter', error, findings)
    return undefined
  }
}

/** Returns the text of a file: below the front matter, without the empty lines in between, or the whole source. */
export function textBelow({ hasFront, body }: SourceFile, source: string): string {
  return hasFront ? body.replace(/^(?:\r?\n)+/, '') : source
}

/** Returns the details of a prompt that its front matter states. */
export function readDetails(
  front: Record<string, unknown>,
): Pick<PortablePrompt, 'title' | 'description' | 'license' | 'tags'> {
  return {
    title: textOf(front.title) || textOf(front.name),
    description: textOf(front.description),
    license: licenseIn(front),
    tags: tagsIn(front.tags),
  }
}

/** Returns a function that finds the 1-based line of a top-level key of YAML, or null. */
export function findTopKeys(yaml: string): (key: string) => number | null {
  const lines = new Map<string, number>()
  for (const [at, line] of yaml.split('\n').entries()) {
    const key = /^(.+?):(?:\s|$)/.exec(line)?.[1]
    if (key !== undefined && !lines.has(key)) lines.set(key, at + 1)
  }
  return (key) => lines.get(key) ?? null
}

/** Parses a YAML mapping. @returns undefined if rejected */
export function readYamlSource(source: string, findings: ConversionProblems): Record<string, unknown> | undefined {
  try {
    return loadForeignYaml(removeByteOrderMark(source))
  } catch (error) {
    refuseYaml('yaml', error, findings)
    return undefined
  }
}

function refuseYaml(field: string, error: unknown, findings: ConversionProblems): void {
  const { message, cause } = error instanceof Error ? error : new Error('expected valid YAML')
  findings.refused(field, message, typeof cause === 'number' ? cause : 1)
}

/** Parses JSON with limited depth. @returns undefined if rejected */
export function readJsonSource(source: string, findings: ConversionProblems): unknown {
  const value = parseJson(source, findings)
  refuseUnsafe(value, findings)
  return findings.isRefused ? undefined : value
}

function parseJson(source: string, findings: ConversionProblems): unknown {
  try {
    return JSON.parse(removeByteOrderMark(source))
  } catch {
    findings.refused('json', 'expected valid JSON', 1)
    return undefined
  }
}

/** Refuses what no value of a hub can be, and what nests too deep for recursion. */
function refuseUnsafe(value: unknown, findings: ConversionProblems): void {
  const problem = value === undefined ? undefined : findJsonProblem(value, { depth: LIMITS.parameterDepth * 2 })
  if (problem !== undefined) findings.refused('json', problem)
}

/** Returns the objects of an API's list: `{"data": […]}`, `{"items": […]}`, a bare list, or one object. */
export function listJson(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const listed = isObject(value) ? (value.data ?? value.items) : undefined
  return Array.isArray(listed) ? listed : value === undefined ? [] : [value]
}

/** Reads every prompt of a JSON file. @param readOne returns nothing for what it refuses; it also gets the text of a prompt in a list */
export function readEach(
  source: string,
  // biome-ignore lint/suspicious/noConfusingVoidType: a reader ends with a refusal.
  readOne: (value: unknown, findings: ConversionProblems, part: string | undefined) => PortablePrompt | void,
): ReadResult {
  const findings = new ConversionProblems()
  const value = parseJson(source, findings)
  const list = listJson(value)
  if (list.length === 0 && !findings.isRefused) findings.refused('json', 'expected a prompt, got an empty list')
  if (list.length > MAX_PROMPTS) findings.refused('json', `expected at most ${MAX_PROMPTS} prompts in one file`)
  if (findings.isRefused) return { prompts: [], findings: findings.all }
  return joinResults(
    list.map((one, index) => {
      const own = new ConversionProblems()
      // Each by itself, so that one prompt that is refused refuses no other.
      refuseUnsafe(one, own)
      const part = one === value || own.isRefused ? undefined : JSON.stringify(one)
      const prompt = own.isRefused ? undefined : readOne(one, own, part)
      const result = prompt ? own.result({ ...prompt, ...(part !== undefined && { part }) }) : own.result()
      return one === value ? result : placeResult(result, { position: index + 1, name: nameIn(one) })
    }),
  )
}

/** Keys of a prompt's name in the JSON of any tool. */
const NAME_KEYS = ['name', 'prompt_name', 'slug', 'id']

function nameIn(value: unknown): string {
  const key = isObject(value) ? NAME_KEYS.find((one) => textOf(value[one]) !== '') : undefined
  return key === undefined ? '' : textOf((value as Record<string, unknown>)[key])
}

/** Says of a result in which part of its file it is. */
export function placeResult({ prompts, findings }: ReadResult, place: PromptPlace): ReadResult {
  return {
    prompts: prompts.map((prompt) => ({ ...prompt, positions: [place.position] })),
    findings: findings.map((finding) => ({ ...finding, prompt: place })),
  }
}

/** Joins the results for the parts of a file. */
export function joinResults(results: readonly ReadResult[]): ReadResult {
  return {
    prompts: results.flatMap(({ prompts }) => prompts),
    findings: results.flatMap(({ findings }) => findings),
  }
}

/** Returns a string field, or an empty string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Returns the tags of a list, or of one text with commas, or of a number. */
export function tagsIn(value: unknown): string[] {
  const tags = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value]
  return tags
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map((one) => String(one).trim())
    .filter((one) => one !== '')
}

/** Returns the license that a file states, in its own words; null if it states none. */
export function licenseIn(front: Record<string, unknown>): string | null {
  const stated = front.license ?? front.licence
  if (stated === undefined || stated === null) return null
  const words = typeof stated === 'string' ? stated : JSON.stringify(stated)
  return words.trim() === '' ? null : words
}
