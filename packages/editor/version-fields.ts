// Renders the fields of the editor, which work without JavaScript.

import { LIMITS } from '../../src/domain/limits.ts'
import { CHAT_ROLES, FORMATS } from '../../src/domain/values/chat.ts'
import { type Html, html } from '../account/html.ts'
import { renderHidden } from '../account/page-parts.ts'
import { PASTED_FORMATS } from '../formats/recognise.ts'
import { type FieldNotes, hasProblem, renderField, renderNotes } from './field-parts.ts'
import type { KnownParts, VersionForm } from './form/version-form.ts'
import { renderVariables } from './variable-fields.ts'

const BUMPS = {
  patch: 'patch: wording',
  minor: 'minor: works as before, with additions',
  major: 'major: callers must change',
}
const FORMAT_WORDS = { text: 'text: one text', chat: 'chat: messages with roles' }

/** What the fields show. */
interface FieldsView {
  form: VersionForm
  notes: FieldNotes
  /** Possible owners of a new prompt; omitted for the next version of an existing prompt. */
  owners: readonly string[] | undefined
  parts: KnownParts
  /** The preview as HTML. */
  preview: Html
}

/** Renders all fields. */
export function renderVersionFields({ form, notes, owners, parts, preview }: FieldsView): Html {
  const input = (name: keyof VersionForm & string, label: string, most: number, hint?: string, isWide = false) =>
    renderField(
      {
        ...{ name, label, isWide, ...(hint !== undefined && { hint }) },
        control: (attributes) =>
          html`<input ${attributes} maxlength="${most}" value="${String(form[name])}" autocomplete="off" />`,
      },
      notes,
    )
  const select = (name: string, label: string, words: Readonly<Record<string, string>>, selected: string) =>
    renderField(
      {
        ...{ name, label },
        control: (attributes) =>
          html`<select ${attributes}>${Object.entries(words).map(([value, word]) => html`<option value="${value}"${value === selected && html` selected`}>${word}</option>`)}</select>`,
      },
      notes,
    )
  return html`
${renderHidden('expected', form.expected)}${renderHidden('forked_from', form.forkedFrom)}
<div class="editor-fields">
  ${owners && select('owner', 'Owner', Object.fromEntries(owners.map((owner) => [owner, owner])), form.owner)}
  ${owners && input('name', 'Name', 200, 'Lower-case words joined by hyphens, such as code-review.')}
  ${input('title', 'Title', LIMITS.titleCharacters, owners && 'If empty, the title is made from the name.', owners === undefined)}
</div>
<div class="editor-text">
  ${renderText(form, notes)}
  <section class="preview" aria-labelledby="preview-title">
    <h2 id="preview-title">Preview</h2>
    <p class="quiet">Filled in with the examples and defaults of the variables.</p>
    <div data-preview data-parts="${JSON.stringify(parts)}">${preview}</div>
  </section>
</div>
${renderVariables(form.variables, notes)}
<section aria-labelledby="about-title">
  <h2 id="about-title">About this prompt</h2>
  <div class="editor-fields">
    ${input('description', 'Description', LIMITS.descriptionCharacters, undefined, true)}
    ${input('tags', 'Tags', 1_000, 'Separated by commas.')}
    ${input('license', 'License', 200, 'An SPDX identifier, such as CC0-1.0 or MIT. If empty, all rights are reserved.')}
    ${renderMore('readme', 'Readme', html`Markdown, shown on the prompt’s page.`, form.readme, 10, notes)}
    ${renderMore('parameters', 'Parameters', html`Model settings, as JSON, such as <code>{"temperature": 0.2}</code>.`, form.parameters, 4, notes)}
    <details class="wide"${(form.skill !== '' || hasProblem(notes, 'skill')) && html` open`}><summary>Agent Skill</summary>
      ${renderField(
        {
          ...{ name: 'skill', label: 'What it does, and when to use it', isWide: true },
          hint: html`Agents read this to decide whether to load the skill. If empty, this version is not a skill. <a href="/docs/skills">Agent Skills</a>`,
          control: (attributes) =>
            html`<input ${attributes} maxlength="${LIMITS.skillDescriptionCharacters}" value="${form.skill}" />`,
        },
        notes,
      )}</details>
    ${input('changelog', 'What changed', LIMITS.changelogCharacters, undefined, true)}
    ${form.expected !== '' && select('bump', 'Version', BUMPS, form.bump)}
  </div>
</section>`
}

function renderText({ content, format, compose }: VersionForm, notes: FieldNotes): Html {
  const insert = (words: string, line: string) =>
    html`<button type="button" class="small needs-script" data-insert="${line}">${words}</button>`
  const wordsOf = (name: string) => notes.problems.filter(({ field }) => field === name).map(({ words }) => words)
  const wrong = wordsOf('content')
  const isFirst = notes.problems.find(({ field }) => field !== '')?.field === 'content'
  return html`
<div class="field" data-field="content">
  <div class="text-bar">
    <label for="content">Prompt</label>
    <label for="format" class="visually-hidden">Format</label>
    <select id="format" name="format" aria-describedby="format-wrong">${FORMATS.map((one) => html`<option value="${one}"${one === format && html` selected`}>${FORMAT_WORDS[one]}</option>`)}</select>
    <span class="roles">${CHAT_ROLES.map((role) => insert(`Add ${role}`, `{{role "${role}"}}`))}${insert('Add history', '{{history}}')}</span>
  </div>
  <div data-field="format">${renderNotes('format', wordsOf('format'), notes)}</div>
  <textarea id="content" name="content" required rows="${rowsOf(content)}" spellcheck="true" aria-describedby="content-hint content-wrong"${wrong.length > 0 && html` aria-invalid="true"`}${isFirst && html` autofocus`}>
${content}</textarea>
  <p class="quiet" id="content-hint">Write variables as <code>{{name}}</code>. In a chat prompt, each message starts with a line such as <code>{{role "system"}}</code>. You can also paste <a href="/docs/import">another tool’s file</a><span class="needs-script">, or drop it here</span>.</p>
  <p class="quiet needs-script" data-variable-names aria-live="polite"></p>
  ${renderNotes('content', wrong, notes)}
  ${renderCompose(compose, notes)}
  <details class="recognise"><summary>This text is another tool’s file</summary>
    <div class="actions"><label for="source-format">Its format</label><select id="source-format" name="source_format"><option value="">recognise it</option>${Object.entries(PASTED_FORMATS).map(([one, words]) => html`<option value="${one}">${words}</option>`)}</select>
    <button type="submit" name="step" value="recognise">Fill in the form</button></div></details>
</div>`
}

/** Renders the checkbox for include lines. */
function renderCompose(compose: boolean, notes: FieldNotes): Html {
  const wrong = notes.problems.filter(({ field }) => field === 'compose').map(({ words }) => words)
  return html`<div data-field="compose">
    <label class="check"><input type="checkbox" id="compose" name="compose" value="yes" aria-describedby="compose-hint compose-wrong"${compose && html` checked`} /> Replace include lines</label>
    <p class="quiet" id="compose-hint">A line such as <code>{{include "acme/house-style@^1"}}</code> becomes the text of that prompt when you publish. The preview shows it after a check. <a href="/docs/compose">Shared parts</a></p>
    ${renderNotes('compose', wrong, notes)}
  </div>`
}

const rowsOf = (content: string) => Math.min(40, Math.max(14, content.split('\n').length + 1))

function renderMore(
  name: 'readme' | 'parameters',
  label: string,
  hint: Html,
  value: string,
  rows: number,
  notes: FieldNotes,
): Html {
  const control = (attributes: Html) => html`<textarea ${attributes} rows="${rows}" spellcheck="false">
${value}</textarea>`
  return html`<details class="wide"${(value !== '' || hasProblem(notes, name)) && html` open`}><summary>${label}</summary>${renderField({ name, label, hint, isWide: true, control }, notes)}</details>`
}
