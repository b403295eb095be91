// Converts another tool's file, pasted by the user, to the form for a new prompt.
import { LIMITS } from '../../domain/api/limits.ts'
import { formatChat } from '../../domain/content/chat.ts'
import { detectFormat, type ImportFormat, READERS } from '../../domain/formats/formats.ts'
import { toLine, toName, toTags } from '../../domain/formats/names.ts'
import type { Finding } from '../../domain/formats/portable.ts'
import { emptyForm, fieldsOf, type VersionForm } from './version-form.ts'

/** Maximum size of a pasted file, in bytes. Parsing a YAML file of twice that size can take a second. */
const MAX_PASTED_BYTES = 65_536

/** The result of reading a pasted file. */
interface ReadSource {
  /** The filled-in form; omitted if nothing could be read. */
  form?: VersionForm
  /** Messages about what was lost or refused. */
  said: string[]
}

/**
 * Reads a pasted file. If it contains several prompts, only the first one is used.
 *
 * @param file the file name, which determines the format if `format` does not; may be empty
 */
export function readSource(source: string, file: string, format: string, owner: string): ReadSource {
  if (Buffer.byteLength(source) > MAX_PASTED_BYTES)
    return { said: [`The file is larger than ${MAX_PASTED_BYTES} bytes. Use npm run import, or publish its text.`] }
  const path = file.replaceAll('\\', '/').slice(-LIMITS.addressCharacters)
  const reader = isImportFormat(format) ? format : (detectFormat(path || nameFor(source), source) ?? 'markdown')
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '')
  const { prompts, findings } = READERS[reader](source, name)
  const said = findings.slice(0, LIMITS.problemsNamed).map(say)
  if (prompts.length > 1)
    said.push(`The file contains ${prompts.length} prompts. This is the first one; npm run import reads all of them.`)
  const [prompt] = prompts
  if (!prompt) return { said: said.length > 0 ? said : ['This file contains no prompt.'] }
  const { body, title, description, tags, license, parameters, variables } = prompt
  const form: VersionForm = {
    ...emptyForm(owner),
    ...{ name: toName(prompt.name) || toName(title), title: toLine(title, LIMITS.titleCharacters) },
    ...{ description: toLine(description, LIMITS.descriptionCharacters), tags: toTags(tags).join(', ') },
    ...{ license: license ?? '', format: body.format, variables: variables.map(fieldsOf) },
    content: body.format === 'chat' ? formatChat(body.messages) : body.text,
    skill: prompt.skill?.description ?? '',
    parameters: Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, null, 2),
  }
  return { form, said }
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

function say({ kind, field, line, message }: Finding): string {
  return `${kind === 'lost' ? 'Lost' : 'Refused'}: ${field}${line === null ? '' : ` (line ${line})`}: ${message}.`
}
