// Converts the editor's form to the requests that it stands for: a publish, and a change of the details that a publish cannot set.

import type { Repository, Variable, VersionRecord } from '../../domain/api/schema.ts'
import { findVariableNames } from '../../domain/content/placeholders.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ValueProblem } from '../../domain/text/problems.ts'
import { FORMATS, type Format } from '../../domain/values/chat.ts'

/** The form's values, most of which are unvalidated strings. */
export interface VersionForm {
  owner: string
  name: string
  title: string
  description: string
  /** Comma-separated tags. */
  tags: string
  license: string
  readme: string
  format: Format
  /** The text; with `compose`, the source with its include lines. */
  content: string
  /** Whether include lines are replaced by the prompts that they name. */
  compose: boolean
  changelog: string
  bump: string
  /** Whether a breaking change may have a smaller number. */
  allowBreaking: boolean
  /** The parameters as JSON; empty if there are none. */
  parameters: string
  /** The variables used in the content. */
  variables: VariableFields[]
  /** The latest version when the form was opened; empty for a new prompt. */
  expected: string
  /** What the version does as an Agent Skill, and when to use it; empty if it is not a skill. */
  skill: string
  /** The version that a new prompt was forked from, as `owner/name@x.y.z`; empty if it is not a fork. */
  forkedFrom: string
}

/** The fields of a variable. */
export interface VariableFields {
  name: string
  type: string
  description: string
  required: boolean
  default: string
  example: string
  /** The options, one per line. */
  options: string
}

/** The parts of the latest version and its prompt that a form is compared with. */
export interface FormBase {
  repository: Pick<Repository, 'owner' | 'name' | 'license' | 'readme'>
  /** The text that the form was opened with. */
  content: string
  variables: readonly Pick<Variable, 'name' | 'default' | 'example'>[]
}

/** The values of a submitted form, by field name. */
export type SentForm = Readonly<Record<string, string>>

/** The fields in the body of an API request. */
type Body = Readonly<Record<string, unknown>>

/** The requests of a form. */
interface FormRequests {
  /** The body of the publish, without `dry_run`. */
  publish: Body
  /** The body of the change of the prompt after it; empty if there is nothing to change. */
  details: Body
  /** What is wrong with values that have no place in these bodies. */
  problems: ValueProblem[]
}

/** Creates the form for a new prompt. */
export const emptyForm = (owner: string): VersionForm => readVersionForm({ owner }, '')

/** Creates the fields of a variable that is not described yet. */
export function blankFields(name: string): VariableFields {
  return { name, type: 'string', description: '', required: true, default: '', example: '', options: '' }
}

/** Converts a variable to form fields. */
export function fieldsOf(variable: Variable): VariableFields {
  const show = (value: unknown) => (value === null ? '' : String(value))
  const { default: preset, example, options } = variable
  return { ...variable, default: show(preset), example: show(example), options: options.join('\n') }
}

/** Parses a submitted form. @param before the content that the form was opened with, needed to restore its line ends, because browsers send each one as CR LF */
export function readVersionForm(sent: SentForm, before: string): VersionForm {
  const text = (key: string) => (sent[key] ?? '').trim()
  const format = FORMATS.find((one) => one === sent.format) ?? 'text'
  const content = restoreLineEnds(sent.content ?? '', before)
  return {
    owner: text('owner'),
    name: text('name'),
    title: text('title'),
    description: text('description'),
    tags: text('tags'),
    license: text('license'),
    format,
    content,
    changelog: text('changelog'),
    compose: text('compose') !== '',
    bump: text('bump') || 'auto',
    allowBreaking: text('allow_breaking') !== '',
    parameters: text('parameters'),
    expected: text('expected'),
    skill: text('skill'),
    forkedFrom: text('forked_from'),
    readme: withLineFeeds(sent.readme ?? ''),
    variables: findVariableNames({ content, format })
      .slice(0, LIMITS.variablesPerVersion)
      .map((name) => readVariable(sent, name)),
  }
}

function readVariable(sent: SentForm, name: string): VariableFields {
  const text = (field: string) => withLineFeeds(sent[`variable.${name}.${field}`] ?? '')
  if (text('type') === '') return blankFields(name)
  return {
    name,
    type: text('type'),
    description: text('description').trim(),
    required: text('required') !== '',
    default: text('default'),
    example: text('example'),
    options: text('options'),
  }
}

const withLineFeeds = (text: string) => text.replaceAll(/\r\n?/g, '\n')

/** Content that nobody edited keeps its bytes. In edited content, every line ends with LF, or with CR LF if every line did before. */
function restoreLineEnds(sent: string, before: string): string {
  const text = withLineFeeds(sent)
  if (text === withLineFeeds(before)) return before
  return before.includes('\r\n') && !/(?<!\r)\n|\r(?!\n)/.test(before) ? text.replaceAll('\n', '\r\n') : text
}

/** Builds the requests of a form. @param base undefined for a new prompt */
export function requestsOf(form: VersionForm, base?: FormBase): FormRequests {
  const problems: ValueProblem[] = []
  let parameters: unknown = {}
  try {
    if (form.parameters !== '') parameters = JSON.parse(form.parameters)
  } catch {
    problems.push({ key: 'parameters', message: 'expected JSON, such as {"temperature": 0.2}' })
  }
  const publish = {
    content: form.content,
    format: form.format,
    changelog: form.changelog,
    parameters,
    bump: form.bump,
    allow_breaking: form.allowBreaking,
    ...(form.compose && { compose: true }),
    variables: form.variables.map((fields) =>
      inputOf(
        fields,
        base?.variables.find(({ name }) => name === fields.name),
      ),
    ),
    expected_version: form.expected === '' ? null : form.expected,
    // A new prompt without a title is named after its name, and an existing prompt has one, which cannot be removed.
    ...((base || form.title !== '') && { title: form.title }),
    ...((base || form.description !== '') && { description: form.description }),
    ...((base || form.tags !== '') && { tags: splitTags(form.tags) }),
    ...(form.license !== '' && { license: form.license }),
    skill: form.skill === '' ? null : { description: form.skill },
    ...(!base && form.forkedFrom !== '' && { forked_from: form.forkedFrom }),
  }
  const before = base?.repository
  const hasNewReadme = form.readme.trim() !== withLineFeeds(before?.readme ?? '').trim()
  const details = {
    ...(hasNewReadme && { readme: form.readme }),
    ...(form.license === '' && before && before.license !== null && { license: null }),
  }
  return { publish, details, problems }
}

/** Splits comma-separated tags. */
export const splitTags = (text: string): string[] => text.split(',').flatMap((tag) => tag.trim() || [])

/** Converts a variable to its declaration in a publish. @param before the same variable in the latest version */
function inputOf(fields: VariableFields, before?: Pick<Variable, 'default' | 'example'>): Body {
  const { name, type, description, required, default: preset, example, options } = fields
  const value = (text: string, known: unknown) => {
    // A form cannot tell an empty text from no value, so an empty text of the latest version stays one.
    if (text === '') return known === '' && type === 'string' ? '' : null
    if (type === 'number' || type === 'integer') return Number.isNaN(Number(text)) ? text : Number(text)
    if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
    return text
  }
  return {
    name,
    type,
    description,
    required,
    default: value(preset, before?.default),
    example: value(example, before?.example),
    // The form shows the options of an enum only.
    options: type === 'enum' ? options.split('\n').filter((option) => option.trim() !== '') : [],
  }
}

/** Returns the parts of a form that a preview shows. Values that match no type stay as they were typed. @param composed the text with its parts, after a check of one that includes others */
export function previewedOf(
  { content, format, variables, compose }: VersionForm,
  composed?: Pick<VersionRecord, 'content' | 'variables'> | null,
): Pick<VersionRecord, 'content' | 'format' | 'variables'> {
  const own = variables.map((fields) => inputOf(fields) as unknown as Variable)
  if (!compose || !composed) return { content, format, variables: own }
  const names = new Set(own.map(({ name }) => name))
  const others = composed.variables.filter(({ name }) => !names.has(name))
  return { content: composed.content, format, variables: [...own, ...others] }
}

/** Returns the name of the form field that a problem concerns. @param key its path in the request @param variables the names of the variables, in order */
export function fieldOfProblem(key: string, variables: readonly string[]): string {
  const [field = '', place = '', part = 'description'] = key.split('.')
  const variable = field === 'variables' ? variables[Number(place || Number.NaN)] : undefined
  if (variable !== undefined && part !== 'name') return `variable.${variable}.${part}`
  return field === 'variables' || field === 'messages' ? 'content' : field
}
