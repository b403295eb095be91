// Converts another tool's file, pasted by a user, to the fields of a new prompt.
import { LIMITS } from '../api/limits.ts'
import type { Variable } from '../api/schema.ts'
import { type Format, formatChat } from '../content/chat.ts'
import { countBytes } from '../text/text-length.ts'
import { toDetails } from './details.ts'
import { detectFormat, type ImportFormat, READERS } from './formats.ts'
import { toName } from './names.ts'
import { type ConversionProblem, ConversionProblems } from './portable.ts'

/** Maximum size of a pasted file, in bytes. Parsing a YAML file of twice that size can take a second. */
const MAX_PASTED_BYTES = 65_536

/** The fields of a pasted prompt, shortened to the hub's limits. */
export interface PastedPrompt {
  name: string
  title: string
  description: string
  tags: string[]
  /** Empty if the source has none. */
  license: string
  format: Format
  content: string
  variables: Variable[]
  /** As JSON; empty if there are none. */
  parameters: string
  /** Empty if it is not a skill. */
  skill: string
}

/** The result of reading a pasted file. */
export interface PastedFile {
  /** Omitted if nothing could be read. */
  prompt?: PastedPrompt
  /** Messages about what was lost or refused. */
  said: string[]
}

/**
 * Reads a pasted file. If it contains several prompts, only the first one is used.
 *
 * @param file the file name, which determines the format if `format` does not; may be empty
 */
export function readPasted(source: string, file: string, format: string): PastedFile {
  if (countBytes(source) > MAX_PASTED_BYTES)
    return { said: [`The file is larger than ${MAX_PASTED_BYTES} bytes. Use npm run import, or publish its text.`] }
  const path = file.slice(-LIMITS.addressCharacters).replaceAll('\\', '/')
  const reader = isImportFormat(format) ? format : (detectFormat(path || nameFor(source), source) ?? 'markdown')
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '')
  const { prompts, findings } = READERS[reader](source, name)
  const [found] = prompts
  const more = new ConversionProblems()
  const details = found && toDetails(found, more)
  const said = [...findings, ...more.all].slice(0, LIMITS.problemsNamed).map(say)
  if (prompts.length > 1)
    said.push(`The file contains ${prompts.length} prompts. This is the first one; npm run import reads all of them.`)
  if (!found) return { said: said.length > 0 ? said : ['This file contains no prompt.'] }
  const { body, parameters, variables } = found
  const prompt: PastedPrompt = {
    ...{ name: toName(found.name) || toName(found.title), title: details?.title ?? '' },
    ...{ description: details?.description ?? '', tags: details?.tags ?? [] },
    ...{ license: details?.license ?? '', format: body.format, variables },
    content: body.format === 'chat' ? formatChat(body.messages) : body.text,
    skill: found.skill?.description ?? '',
    parameters: Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, null, 2),
  }
  return { prompt, said }
}

function isImportFormat(text: string): text is ImportFormat {
  return Object.hasOwn(READERS, text)
}

/** Guesses a file name from the text, to determine its format. */
function nameFor(source: string): string {
  const text = source.trimStart()
  if (/^[[{]/.test(text)) return 'pasted.json'
  return /^messages:\s*$/m.test(text.slice(0, 10_000)) && !text.startsWith('---') ? 'pasted.prompt.yml' : 'pasted.md'
}

function say({ kind, field, line, message }: ConversionProblem): string {
  return `${kind === 'lost' ? 'Lost' : 'Refused'}: ${field}${line === null ? '' : ` (line ${line})`}: ${message}.`
}
