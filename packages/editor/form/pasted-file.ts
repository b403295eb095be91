// Fills in the editor's form from another tool's file, or from a prompt file, that stands in its text.
import { HubError } from '../../../src/domain/api/errors.ts'
import type { ConversionProblem } from '../../../src/domain/api/export-formats.ts'
import { findVariableNames } from '../../../src/domain/content/placeholders.ts'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { readPromptFile } from '../../../src/domain/publishing/prompt-file.ts'
import { formatProblem } from '../../../src/domain/text/problems.ts'
import { countBytes } from '../../../src/domain/text/text-length.ts'
import { formatChat } from '../../../src/domain/values/chat.ts'
import { toDetails } from '../../formats/details.ts'
import { detectFormat, type ImportFormat, READERS } from '../../formats/formats.ts'
import { toName } from '../../formats/names.ts'
import { ConversionProblems } from '../../formats/portable.ts'
import { PASTED_FORMATS, recogniseFormat } from '../../formats/recognise.ts'
import { clip } from '../../formats/template.ts'
import {
  type FormBase,
  fieldsOf,
  measureSize,
  readVersionForm,
  type SentForm,
  type VersionForm,
} from './version-form.ts'

/** Maximum size of a pasted file, in bytes. Parsing a YAML file of twice that size can take a second. */
const MAX_PASTED_BYTES = 65_536

/** A form that is filled in from its text. */
export interface PastedForm {
  form: VersionForm
  /** The words for the format; undefined if nothing was recognised. */
  format: string | undefined
  /** Messages about what was lost or refused. */
  said: string[]
}

/** The fields of a form that a file can fill in. */
type Filled = Partial<Omit<VersionForm, 'owner' | 'expected' | 'forkedFrom' | 'bump' | 'changelog' | 'readme'>>

/**
 * Reads the file in a form's text. What the file does not state stays as it was typed. If the file contains several prompts, only the first one is used.
 *
 * @param wanted the format that the user chose; empty if it is recognised by the content
 */
export function readPastedForm(sent: SentForm, wanted: string, base?: FormBase): PastedForm {
  const form = readVersionForm(sent, '')
  const { content: source } = form
  if (countBytes(source) > MAX_PASTED_BYTES)
    return refuse(form, `The file is larger than ${MAX_PASTED_BYTES} bytes. Use npm run import, or publish its text.`)
  const found = isPastedFormat(wanted) ? wanted : recogniseFormat(source)
  const reader = found === 'json' ? detectFormat('pasted.json', source) : found
  if (reader === undefined) return refuse(form, 'This text is not a file of another tool that the hub knows.')
  const { filled, said } = reader === 'prompt-file' ? readOwnFile(source) : readForeignFile(source, reader)
  if (!filled) return { form, format: PASTED_FORMATS[reader], said }
  const owner = base?.repository.owner ?? form.owner
  const name = base?.repository.name ?? (form.name || (filled.name ?? ''))
  return { form: { ...form, ...filled, owner, name }, format: PASTED_FORMATS[reader], said }
}

const refuse = (form: VersionForm, sentence: string): PastedForm => ({ form, format: undefined, said: [sentence] })

function isPastedFormat(text: string): text is keyof typeof PASTED_FORMATS {
  return Object.hasOwn(PASTED_FORMATS, text)
}

/** Reads a prompt file with the parser of the API. */
function readOwnFile(source: string): { filled?: Filled; said: string[] } {
  try {
    const {
      content,
      format = 'text',
      variables,
      parameters = {},
      skill,
      ...rest
    } = readPromptFile(source, {}, measureSize)
    const declared = variables ?? findVariableNames({ content, format }).map(undeclaredVariable)
    const { title, description, tags, license } = rest
    return {
      said: [],
      filled: {
        ...(title !== undefined && { title, name: toName(title) }),
        ...(description !== undefined && { description }),
        ...(tags && { tags: tags.join(', ') }),
        ...(license !== undefined && { license }),
        ...{ format, content, variables: declared.map(fieldsOf), skill: skill?.description ?? '' },
        parameters: formatParameters(parameters),
        compose: rest.compose === true,
      },
    }
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown
    return { said: (thrown.problems?.map(formatProblem) ?? [thrown.message]).map((words) => `Refused: ${words}.`) }
  }
}

function readForeignFile(source: string, reader: ImportFormat): { filled?: Filled; said: string[] } {
  const { prompts, findings } = READERS[reader](source, '')
  const [found] = prompts
  const more = new ConversionProblems()
  const details = found && toDetails(found, more)
  const { compatibility, metadata = {} } = found?.skill ?? {}
  const unfilled = [
    ...(compatibility ? ['compatibility'] : []),
    ...Object.keys(metadata).map((key) => `metadata.${key}`),
    ...(found?.tests === undefined ? [] : ['tests']),
  ]
  for (const field of unfilled) more.lost(field, 'this form has no field for it; npm run import keeps it')
  for (const { tag } of found?.references ?? [])
    more.lost('reference', `${clip(tag)} stays text; npm run import replaces it if the other prompt comes along`)
  const said = [...findings, ...more.all].slice(0, LIMITS.problemsNamed).map(say)
  if (prompts.length > 1)
    said.push(`The file contains ${prompts.length} prompts. This is the first one; npm run import reads all of them.`)
  if (!found) return { said: said.length > 0 ? said : ['This file contains no prompt.'] }
  const { body, parameters, variables } = found
  const name = toName(found.name) || toName(found.title)
  const filled: Filled = {
    ...(name !== '' && { name }),
    ...(details?.title && { title: details.title }),
    ...(details?.description && { description: details.description }),
    ...(details?.tags && { tags: details.tags.join(', ') }),
    ...(details?.license && { license: details.license }),
    ...{ format: body.format, variables: variables.map(fieldsOf), skill: found.skill?.description ?? '' },
    content: body.format === 'chat' ? formatChat(body.messages) : body.text,
    parameters: formatParameters(parameters),
  }
  return { filled, said }
}

function formatParameters(parameters: Readonly<Record<string, unknown>>): string {
  return Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, null, 2)
}

function say({ kind, field, line, message }: ConversionProblem): string {
  return `${kind === 'lost' ? 'Lost' : 'Refused'}: ${field}${line === null ? '' : ` (line ${line})`}: ${message}.`
}
