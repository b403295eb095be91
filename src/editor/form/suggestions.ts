// Suggests corrections of values in the editor's form that are obviously meant otherwise, such as `mit` for MIT.
import licenses from 'spdx-license-ids/index.json' with { type: 'json' }
import { recogniseFormat } from '../../../packages/prompt-formats/source/recognise.ts'
import { toName, toTags } from '../../../packages/prompt-formats/source/to-name.ts'
import { findIncludeLines } from '../../domain/compose/include-lines.ts'
import { findNearPlaceholders } from '../../domain/content/placeholders.ts'
import { findRoleLine } from '../../domain/values/chat.ts'
import { isName, isTag } from '../../domain/values/names.ts'
import { splitTags, type VariableFields, type VersionForm } from './version-form.ts'

/** A better value for a field. */
export interface Suggestion {
  /** The name of the form field. */
  field: string
  value: string
  /** The words of its button. */
  label: string
  /** Whether the text is a file from which the form is filled in. */
  isFile?: true
}

/** A longer value is not a slip of the pen. */
const MAX_CORRECTED_CHARACTERS = 300

/** Returns the suggestions for a form, at most one correction for each field. */
export function suggestCorrections(form: VersionForm): Suggestion[] {
  const { name, license, tags, format, content, expected } = form
  const found: Suggestion[] = []
  const suggest = (field: string, value: string | undefined, label = `Use ${value}`) => {
    if (value !== undefined && value !== '') found.push({ field, value, label })
  }
  if (expected === '' && name !== '' && !isName(name)) suggest('name', correctName(name))
  const id = isShort(license) ? correctLicense(license) : undefined
  if (id !== license) suggest('license', id)
  const given = isShort(tags) ? splitTags(tags) : []
  if (given.some((tag) => !isTag(tag)) || new Set(given).size < given.length) suggest('tags', toTags(given).join(', '))
  if (recogniseFormat(content) !== undefined)
    found.push({ field: 'content', value: '', label: 'Fill in the form from this file', isFile: true })
  // A line that only resembles an include line is text.
  if (!form.compose && (findIncludeLines(content).value ?? []).length > 0)
    suggest('compose', 'yes', 'Replace the include lines')
  const hasRoles = findRoleLine(content) !== undefined
  if (format === 'text' && hasRoles) suggest('format', 'chat', 'Use the format chat')
  if (format === 'chat' && !hasRoles && content.trim() !== '')
    suggest('content', `{{role "user"}}\n${content}`, 'Make this text a user message')
  else {
    const declared = form.variables.map((variable) => variable.name)
    const near = findNearPlaceholders(content, declared).find(({ meant }) => meant !== undefined)
    const meant = `{{${near?.meant}}}`
    if (near)
      suggest(
        'content',
        content.replaceAll(near.text, () => meant),
        `Use ${meant} for ${near.text}`,
      )
  }
  for (const variable of form.variables)
    for (const part of ['default', 'example'] as const)
      suggest(`variable.${variable.name}.${part}`, correctValue(variable, variable[part]))
  return found
}

const isShort = (text: string) => text.length <= MAX_CORRECTED_CHARACTERS

function correctName(text: string): string | undefined {
  return isShort(text) ? toName(text) : undefined
}

/** Finds the SPDX identifier that is spelled almost like a text: in another case, or with spaces. */
function correctLicense(text: string): string | undefined {
  const plain = (one: string) =>
    one
      .toLowerCase()
      .replace(/[\s_-]+/g, '-')
      .replace(/-licen[cs]e$/, '')
  const wanted = plain(text.trim())
  return licenses.find((id) => plain(id) === wanted)
}

/** Finds the option or the boolean that a value equals in another case. */
function correctValue({ type, options }: VariableFields, value: string): string | undefined {
  if (value === '' || !isShort(value)) return undefined
  const allowed = type === 'enum' ? options.split('\n') : type === 'boolean' ? ['true', 'false'] : []
  const wanted = value.trim().toLowerCase()
  return allowed.includes(value) ? undefined : allowed.find((one) => one.trim().toLowerCase() === wanted)
}
