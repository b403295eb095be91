// Reads another tool's file, or a prompt file, that somebody pasted into the editor.

import { toDetails } from '../../../packages/prompt-formats/source/details.ts'
import { detectFormat, READERS } from '../../../packages/prompt-formats/source/formats.ts'
import { ConversionProblems, contentOf } from '../../../packages/prompt-formats/source/portable.ts'
import { readWholeFile } from '../../../packages/prompt-formats/source/read-prompt-file.ts'
import { PASTED_FORMATS, recogniseFormat } from '../../../packages/prompt-formats/source/recognise.ts'
import { clip } from '../../../packages/prompt-formats/source/template.ts'
import { toName } from '../../../packages/prompt-formats/source/to-name.ts'
import type { ConversionProblem } from '../../domain/api/export-formats.ts'
import { LIMITS } from '../../domain/limits.ts'
import { countBytes } from '../../domain/text/plain-text.ts'
import { fieldsOf, type VersionForm } from './version-form.ts'

/** Maximum size of a pasted file, in bytes. Parsing a YAML file of twice that size can take a second. */
const MAX_PASTED_BYTES = 65_536

/** What was read. */
export interface PastedFile {
  /** The fields that the file states; undefined if it cannot be read. */
  filled?: Filled
  /** The words for the format; undefined if nothing was recognised. */
  format: string | undefined
  /** Messages about what was lost or refused. */
  said: string[]
}

/** The fields of a form that a file can fill in. */
type Filled = Partial<Omit<VersionForm, 'owner' | 'expected' | 'forkedFrom' | 'bump' | 'changelog' | 'readme'>>

/**
 * Reads a file. If it contains several prompts, only the first one is used.
 *
 * @param wanted the format that the user chose; empty if it is recognised by the content
 */
export function readPasted(source: string, wanted: string): PastedFile {
  if (countBytes(source) > MAX_PASTED_BYTES)
    return refuse(`The file is larger than ${MAX_PASTED_BYTES} bytes. Use npm run import, or publish its text.`)
  const found = isPastedFormat(wanted) ? wanted : recogniseFormat(source)
  const reader = found === 'json' ? detectFormat('pasted.json', source) : found
  if (reader === undefined) return refuse('This text is not a file of another tool that the hub knows.')
  return { format: PASTED_FORMATS[reader], ...readFile(source, reader) }
}

const refuse = (sentence: string): PastedFile => ({ format: undefined, said: [sentence] })

function isPastedFormat(text: string): text is keyof typeof PASTED_FORMATS {
  return Object.hasOwn(PASTED_FORMATS, text)
}

function readFile(source: string, reader: keyof typeof PASTED_FORMATS): { filled?: Filled; said: string[] } {
  const { prompts, findings } = (reader === 'prompt-file' ? readWholeFile : READERS[reader])(source, '')
  const [found] = prompts
  const more = new ConversionProblems()
  const details = found && toDetails(found, more)
  const { compatibility, allowed_tools, argument_hint, metadata = {} } = found?.skill ?? {}
  const unfilled = [
    ...(compatibility ? ['compatibility'] : []),
    ...(allowed_tools ? ['allowed_tools'] : []),
    ...(argument_hint ? ['argument_hint'] : []),
    ...Object.keys(metadata).map((key) => `metadata.${key}`),
    ...(found?.tests === undefined ? [] : ['tests']),
    ...(found?.labels?.length ? ['labels'] : []),
    ...(found?.earlier ? ['earlier versions'] : []),
  ]
  for (const field of unfilled) more.lost(field, 'this form has no field for it; npm run import keeps it')
  for (const { tag } of found?.references ?? [])
    more.lost('reference', `${clip(tag)} stays text; npm run import replaces it if the other prompt comes along`)
  const own = new Set(found?.positions)
  const about = findings.filter(({ prompt }) => !found || !prompt || own.has(prompt.position))
  const said = [...about, ...more.all].slice(0, LIMITS.problemsNamed).map(say)
  if (found && (prompts.length > 1 || about.length < findings.length)) {
    const first = Math.min(...own)
    const which = first === 1 ? 'the first one' : `number ${first}`
    said.push(`The file contains other prompts. This is ${which}; npm run import reads all of them.`)
  }
  if (!found) return { said: said.length > 0 ? said : ['This file contains no prompt.'] }
  const { body, parameters, variables, file } = found
  const name = toName(found.name) || toName(found.title)
  const filled: Filled = {
    ...(name !== '' && { name }),
    ...(details?.title && { title: details.title }),
    ...(details?.description !== undefined && { description: details.description }),
    ...(details?.tags && { tags: details.tags.join(', ') }),
    ...(details?.license && { license: details.license }),
    format: body.format,
    variables: variables.map(fieldsOf),
    skill: found.skill?.description ?? '',
    content: contentOf(found),
    parameters: formatParameters(parameters),
    ...(file && { compose: file.compose === true }),
  }
  return { filled, said }
}

function formatParameters(parameters: Readonly<Record<string, unknown>>): string {
  return Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, null, 2)
}

function say({ kind, field, line, message, prompt }: ConversionProblem): string {
  const place = prompt ? `prompt ${prompt.position}${prompt.name === '' ? '' : ` “${clip(prompt.name)}”`}: ` : ''
  return `${kind === 'lost' ? 'Lost' : 'Refused'}: ${place}${field}${line === null ? '' : ` (line ${line})`}: ${message}.`
}
