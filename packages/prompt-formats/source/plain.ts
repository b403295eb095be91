// Prompts without a specific format: Markdown or text files, pairs of `system.md` and `user.md`, and CSV with a title and a prompt.
import { parse } from 'csv-parse/sync'
import type { WriteResult } from '../../../src/domain/api/export-formats.ts'
import { OPENS_FRONT_MATTER } from '../../../src/domain/publishing/prompt-file.ts'
import { trimLineEnds } from '../../../src/domain/values/chat.ts'
import { findFrontKeys } from './front-keys.ts'
import { declarePlaceholders } from './names.ts'
import {
  ConversionProblems,
  type ExportedVersion,
  emptyPrompt,
  type PortableMessage,
  type PortablePrompt,
  type ReadOptions,
  type ReadResult,
  writtenFile,
} from './portable.ts'
import { isPromptFile, readWholeFile, SETTINGS } from './read-prompt-file.ts'
import {
  joinResults,
  licenseIn,
  placeResult,
  readDetails,
  readSourceFile,
  removeByteOrderMark,
  tagsIn,
  textBelow,
} from './source-file.ts'
import { readDollarBraces } from './template.ts'
import { writePromptFile } from './write-prompt-file.ts'

/** Maximum number of rows in a CSV file. */
const MAX_ROWS = 10_000
const TITLE_COLUMNS = ['title', 'act', 'name']
const PROMPT_COLUMNS = ['prompt', 'content', 'text']
const NEEDS_VARIABLES = '--without-variables would lose it. Import this file without that option'
const OTHER_KEYS = 'only a prompt file may have it, and a prompt file has no other keys. Remove those to import it'
const VERSION_FILE =
  'a version file of a hub. Copy its folder into content/, or run npm run export -- --format markdown there and import the result'
/** The keys of front matter that are read, unless it is that of a prompt file. */
const KNOWN = {
  text: ['title', 'name', 'description'],
  texts: ['tags'],
  other: ['license', 'licence', ...SETTINGS],
}

/**
 * Reads a Markdown or text file. What a publish accepts is read as it reads it; in other files, front matter may contain title, description, tags and license.
 *
 * @param name file name without extension
 */
export function readMarkdown(source: string, name: string, { keepsText }: ReadOptions = {}): ReadResult {
  const findings = new ConversionProblems()
  const whole = OPENS_FRONT_MATTER.test(source) ? readWholeFile(source, name) : undefined
  const own = whole?.prompts[0]
  if (own?.file) {
    const { compose, variables = [] } = own.file
    if (keepsText && compose) findings.refused('compose', NEEDS_VARIABLES)
    if (keepsText && variables.length > 0) findings.refused('variables', NEEDS_VARIABLES)
    return findings.result(own)
  }
  const file = readSourceFile(source, findings)
  const keys = file ? Object.keys(file.front) : (findFrontKeys(source)?.keys ?? [])
  if (whole && isPromptFile(keys)) return whole
  if (!file) return { prompts: [], findings: findings.all }
  const { front, body } = file
  const prompt = { ...emptyPrompt(name), ...readDetails(front) }
  if (isPromptFile(keys)) findings.refused('file', 'expected a first line that is exactly ---', 1)
  else if (keys.includes('published_at') && keys.includes('published_by')) findings.refused('file', VERSION_FILE)
  else {
    findings.unsupported(front, KNOWN, file.lineOf)
    for (const key of keys) if (SETTINGS.has(key)) findings.lost(key, OTHER_KEYS, file.lineOf(key))
  }
  if (body.trim() === '') findings.refused('content', 'expected some text', file.bodyLine)
  prompt.body = { format: 'text', text: textBelow(file, source) }
  return findings.result(declarePlaceholders(prompt))
}

/** Writes a prompt file, which publishes the same version again. */
export function writeMarkdown(version: ExportedVersion): WriteResult {
  return writtenFile(
    'markdown',
    version,
    writePromptFile(version, { ...version, format: version.body.format }, version.latest),
  )
}

/** Reads `system.md` and `user.md` (and `assistant.md`) of one folder as one chat prompt. @param name folder name */
export function readRoleFiles(files: ReadonlyMap<'system' | 'user' | 'assistant', string>, name: string): ReadResult {
  const findings = new ConversionProblems()
  const messages: PortableMessage[] = (['system', 'user', 'assistant'] as const).flatMap((role) => {
    const content = trimLineEnds(removeByteOrderMark(files.get(role) ?? ''))
    return content.trim() === '' ? [] : [{ role, content }]
  })
  if (messages.length === 0) findings.refused('content', 'expected some text')
  return findings.result(declarePlaceholders({ ...emptyPrompt(name), body: { format: 'chat', messages } }))
}

/** Reads CSV (RFC 4180) whose first row names a title column and a prompt column. Excel separates columns with semicolons where the comma is the decimal sign. */
export function readCsv(source: string, _name = '', { keepsText }: ReadOptions = {}): ReadResult {
  const findings = new ConversionProblems()
  const text = removeByteOrderMark(source)
  let rows: string[][]
  try {
    rows = parse(text, {
      delimiter: findDelimiter(text),
      to: MAX_ROWS + 2,
      relax_column_count: true,
      max_record_size: 1_048_576,
    })
  } catch (error) {
    findings.refused('csv', error instanceof Error ? error.message.slice(0, 200) : 'expected CSV', readCsvLine(error))
    return { prompts: [], findings: findings.all }
  }
  const [head = [], ...records] = rows
  const names = head.map((cell) => cell.trim().toLowerCase())
  const column = (...wanted: readonly string[]) => names.findIndex((name) => wanted.includes(name))
  const [title, prompt] = [column(...TITLE_COLUMNS), column(...PROMPT_COLUMNS)]
  if (title === -1 || prompt === -1)
    findings.refused(
      'csv',
      'expected a first row that names a title column and a prompt column, such as title,prompt',
      1,
    )
  if (records.length > MAX_ROWS) findings.refused('csv', `expected at most ${MAX_ROWS} rows; split the file`)
  if (findings.isRefused) return { prompts: [], findings: findings.all }
  const [description, tags, license] = [column('description'), column('tags'), column('license', 'licence')]
  const read = new Set([title, prompt, description, tags, license])
  for (const [index, cell] of head.entries())
    if (!read.has(index)) findings.lost(`column ${cell}`, 'Prompt Hub does not support it', 1)
  const results = records.flatMap((record, index) => {
    if (record.every((cell) => cell.trim() === '')) return []
    const own = new ConversionProblems()
    const part = record[prompt] ?? ''
    const name = (record[title] ?? '').trim()
    if (part.trim() === '' || name === '') own.refused('row', 'expected a title and a prompt')
    const row: PortablePrompt = {
      ...emptyPrompt(name),
      title: name,
      description: (record[description] ?? '').trim(),
      tags: tagsIn(record[tags]),
      license: licenseIn({ license: record[license] }),
      body: { format: 'text', text: part },
      part: JSON.stringify(record),
    }
    const read = names[title] === 'act' && !keepsText ? readRow(row, part, own) : declarePlaceholders(row)
    return [placeResult(own.result(read), { position: index + 1, name })]
  })
  if (results.length === 0) findings.refused('csv', 'expected a row with a title and a prompt')
  return joinResults([{ prompts: [], findings: findings.all }, ...results])
}

/** Reads a row of prompts.chat, whose column is `act` and whose variables are `${name}` or `${name:default}`. */
function readRow(row: PortablePrompt, part: string, findings: ConversionProblems): PortablePrompt {
  const { text, variables } = readDollarBraces(part, '', findings)
  return declarePlaceholders({ ...row, body: { format: 'text', text } }, variables)
}

/** Returns the separator of the first line: the one that names the columns. */
function findDelimiter(text: string): string {
  const end = text.search(/[\r\n]/)
  const head = end === -1 ? text : text.slice(0, end)
  const count = (mark: string) => head.split(mark).length
  return [';', '\t'].find((mark) => count(mark) > count(',')) ?? ','
}

function readCsvLine(error: unknown): number | null {
  return typeof error === 'object' && error !== null && 'lines' in error && typeof error.lines === 'number'
    ? error.lines
    : null
}
