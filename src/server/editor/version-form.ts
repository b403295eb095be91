// Parses the version form, converts it to the body of a publish request, and redisplays it with the submitted values.
import { LIMITS } from '../../domain/api/limits.ts'
import type { Repository, Variable, VersionRecord } from '../../domain/api/schema.ts'
import { FORMATS, type Format } from '../../domain/content/chat.ts'
import { findVariableNames } from '../../domain/content/placeholders.ts'
import { undeclaredVariable } from '../../domain/content/prompt-file.ts'
import { VariableType } from '../../domain/content/values.ts'
import type { PastedPrompt } from '../../domain/formats/pasted-file.ts'
import type { ValueProblem } from '../../domain/text/problems.ts'
import { type Html, html } from '../account/html.ts'
import { renderHidden, renderSelect } from '../account/page-parts.ts'

/** The form values, most of which are unvalidated strings: the API validates them. */
export interface VersionForm {
  owner: string
  name: string
  title: string
  description: string
  /** Comma-separated tags. */
  tags: string
  license: string
  format: Format
  content: string
  changelog: string
  bump: string
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

interface VariableFields {
  name: string
  type: string
  description: string
  isRequired: boolean
  preset: string
  example: string
  /** The options, one per line. */
  options: string
}

/** The fields in the body of an API request. */
type Body = Readonly<Record<string, unknown>>

const BUMPS = {
  patch: 'patch: wording',
  minor: 'minor: works as before, with additions',
  major: 'major: callers must change',
}

/** Creates the form for a new prompt. */
export function emptyForm(owner: string): VersionForm {
  return {
    ...{ owner, name: '', title: '', description: '', tags: '', license: '', format: 'text', content: '' },
    ...{ changelog: '', bump: 'patch', parameters: '', variables: [], skill: '', expected: '', forkedFrom: '' },
  }
}

/** Creates a form that is filled in with a version. */
export function formOf(repository: Repository, version: VersionRecord): VersionForm {
  const { owner, name, title, description, tags, license } = repository
  const { content, format, parameters } = version
  return {
    ...emptyForm(owner),
    ...{ owner, name, title, description, tags: tags.join(', '), license: license ?? '', format, content },
    parameters: Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, null, 2),
    variables: version.variables.map(fieldsOf),
    skill: version.skill?.description ?? '',
    expected: repository.latest_version ?? '',
  }
}

/** Creates a form that is filled in with a pasted prompt. */
export function formOfPasted({ tags, variables, ...prompt }: PastedPrompt, owner: string): VersionForm {
  return { ...emptyForm(owner), ...prompt, tags: tags.join(', '), variables: variables.map(fieldsOf) }
}

/** Converts a variable to form fields. */
function fieldsOf({ name, type, description, required, default: preset, example, options }: Variable): VariableFields {
  const show = (value: unknown) => (value === null ? '' : String(value))
  return {
    ...{ name, type, description, isRequired: required, preset: show(preset), example: show(example) },
    options: options.join('\n'),
  }
}

/**
 * Parses a submitted form.
 *
 * @param before the content that the form was opened with, needed to restore line endings because browsers always submit CR LF
 */
export function readVersionForm(sent: URLSearchParams, before: string): VersionForm {
  const text = (key: string) => (sent.get(key) ?? '').trim()
  const format = FORMATS.find((one) => one === sent.get('format')) ?? 'text'
  const content = restoreLineEnds(sent.get('content') ?? '', before)
  return {
    ...{ owner: text('owner'), name: text('name'), title: text('title'), description: text('description') },
    ...{ tags: text('tags'), license: text('license'), format, content, changelog: text('changelog') },
    ...{ bump: text('bump') || 'patch', parameters: text('parameters'), expected: text('expected') },
    skill: text('skill'),
    forkedFrom: text('forked_from'),
    variables: findVariableNames({ content, format })
      .slice(0, LIMITS.variablesPerVersion)
      .map((name) => readVariable(sent, name)),
  }
}

function readVariable(sent: URLSearchParams, name: string): VariableFields {
  const text = (field: string) => (sent.get(`variable.${name}.${field}`) ?? '').replaceAll('\r\n', '\n')
  if (text('type') === '') return fieldsOf(undeclaredVariable(name))
  return {
    ...{ name, type: text('type'), description: text('description').trim(), isRequired: text('required') !== '' },
    ...{ preset: text('default'), example: text('example'), options: text('options') },
  }
}

function restoreLineEnds(sent: string, before: string): string {
  const text = sent.replaceAll('\r\n', '\n')
  return /\r\n/.test(before) && !/[^\r]\n/.test(before) ? text.replaceAll('\n', '\r\n') : text
}

/** Builds the body of a publish request. @returns a problem instead if the form cannot be converted */
export function bodyOf(form: VersionForm, isDryRun: boolean): { body: Body } | { problem: ValueProblem } {
  let parameters: unknown = {}
  try {
    if (form.parameters !== '') parameters = JSON.parse(form.parameters)
  } catch {
    return { problem: { key: 'parameters', message: 'expected JSON, such as {"temperature": 0.2}' } }
  }
  const isNew = form.expected === ''
  const body = {
    ...{ content: form.content, format: form.format, changelog: form.changelog, bump: form.bump, parameters },
    ...{ variables: form.variables.map(inputOf), expected_version: isNew ? null : form.expected, dry_run: isDryRun },
    ...(form.title !== '' && { title: form.title }),
    ...(form.description !== '' && { description: form.description }),
    ...(form.license !== '' && { license: form.license }),
    ...((form.tags !== '' || !isNew) && { tags: splitTags(form.tags) }),
    skill: form.skill === '' ? null : { description: form.skill },
    ...(isNew && form.forkedFrom !== '' && { forked_from: form.forkedFrom }),
  }
  return { body }
}

/** Splits comma-separated tags. */
export const splitTags = (text: string): string[] => text.split(',').flatMap((tag) => tag.trim() || [])

function inputOf({ name, type, description, isRequired, preset, example, options }: VariableFields): Body {
  const value = (text: string) => {
    if (text === '') return null
    if (type === 'number' || type === 'integer') return Number.isNaN(Number(text)) ? text : Number(text)
    if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
    return text
  }
  return {
    ...{ name, type, description, required: isRequired, default: value(preset), example: value(example) },
    options: options.split(/\r?\n/).filter((option) => option.trim() !== ''),
  }
}

/** Converts the form's variables to the shape used in records, for the review of the version. */
export function variablesOf({ variables }: VersionForm): Variable[] {
  return variables.map((fields) => inputOf(fields) as unknown as Variable)
}

/** Renders the form fields. @param owners possible owners of a new prompt; omitted for the next version of an existing prompt */
export function renderVersionFields(form: VersionForm, owners?: readonly string[]): Html {
  return html`
${renderHidden('expected', form.expected)}${renderHidden('forked_from', form.forkedFrom)}
${
  owners &&
  html`
<div><label for="owner">Owner</label>${renderSelect('owner', owners, { selected: form.owner })}</div>
<div><label for="name">Name</label>
  <input id="name" name="name" required maxlength="64" value="${form.name}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="name-hint" />
  <p class="quiet" id="name-hint">Lower-case words joined by hyphens, such as code-review.</p></div>`
}
<div class="wide"><label for="title">Title</label><input id="title" name="title" maxlength="${LIMITS.titleCharacters}" value="${form.title}" /></div>
<div class="wide"><label for="description">Description</label><input id="description" name="description" maxlength="${LIMITS.descriptionCharacters}" value="${form.description}" /></div>
<div><label for="tags">Tags</label><input id="tags" name="tags" value="${form.tags}" autocapitalize="none" aria-describedby="tags-hint" /><p class="quiet" id="tags-hint">Separated by commas.</p></div>
<div><label for="license">License</label><input id="license" name="license" value="${form.license}" autocomplete="off" spellcheck="false" aria-describedby="license-hint" /><p class="quiet" id="license-hint">An SPDX identifier, such as CC0-1.0 or MIT. If empty, all rights are reserved.</p></div>
<div><label for="format">Format</label>${renderSelect('format', FORMATS, { selected: form.format })}</div>
<div class="wide"><label for="content">Prompt</label>
  <textarea id="content" name="content" required rows="${rowsOf(form.content)}" data-editor spellcheck="true" aria-describedby="content-hint">
${form.content}</textarea>
  <p class="quiet" id="content-hint">Write variables as <code>{{name}}</code>. In a chat prompt, each message starts with a line such as <code>{{role "system"}}</code>.</p>
  <p class="quiet needs-script" data-editor-variables aria-live="polite"></p></div>
${form.variables.map(renderVariable)}
<details class="wide"${form.parameters !== '' && html` open`}><summary>Parameters</summary>
  <label for="parameters">Model settings, as JSON</label>
  <textarea id="parameters" name="parameters" rows="4" spellcheck="false">
${form.parameters}</textarea></details>
<details class="wide"${form.skill !== '' && html` open`}><summary>Agent Skill</summary>
  <label for="skill">What it does, and when to use it</label>
  <input id="skill" name="skill" maxlength="${LIMITS.skillDescriptionCharacters}" value="${form.skill}" aria-describedby="skill-hint" />
  <p class="quiet" id="skill-hint">Agents read this to decide whether to load the skill. If empty, this version is not a skill. <a href="/docs/skills">Agent Skills</a></p></details>
<div class="wide"><label for="changelog">What changed</label><input id="changelog" name="changelog" maxlength="${LIMITS.sentenceCharacters}" value="${form.changelog}" /></div>
${form.expected !== '' && html`<div><label for="bump">Version</label>${renderSelect('bump', Object.keys(BUMPS), { selected: form.bump, words: BUMPS })}</div>`}`
}

const rowsOf = (content: string) => Math.min(40, Math.max(12, content.split('\n').length + 1))

function renderVariable({ name, type, description, isRequired, preset, example, options }: VariableFields): Html {
  const field = (key: string) => `variable.${name}.${key}`
  // A value with line breaks needs a textarea, because browsers remove line feeds from an input element.
  const input = (key: string, label: string, value: string) =>
    value.includes('\n')
      ? html`<div class="wide"><label for="${field(key)}">${label}</label><textarea id="${field(key)}" name="${field(key)}" rows="4">\n${value}</textarea></div>`
      : html`<div><label for="${field(key)}">${label}</label><input id="${field(key)}" name="${field(key)}" value="${value}" /></div>`
  return html`
<fieldset class="wide"><legend>Variable <code>${name}</code></legend>
  ${input('description', 'What to give for it', description)}
  <div><label for="${field('type')}">Type</label>${renderSelect(field('type'), VariableType.options, { selected: type })}</div>
  <div><label class="check"><input type="checkbox" name="${field('required')}" value="yes"${isRequired && html` checked`} /> Required</label></div>
  ${input('default', 'Default', preset)}
  ${input('example', 'Example', example)}
  ${type === 'enum' && html`<div><label for="${field('options')}">Options, one on each line</label><textarea id="${field('options')}" name="${field('options')}" rows="4">\n${options}</textarea></div>`}
</fieldset>`
}
