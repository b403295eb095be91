// Owns the workbench: the text with its variables as chips, and the fields that fill them, side by side.
import type { Variable, VersionRecord } from '../../../domain/api/schema.ts'
import { formatCount } from '../../../domain/content/count-of.ts'
import { asDrawn, type Html, html } from '../../../server/account/html.ts'
import { exactAttribute } from '../../exact-text.ts'
import { drawContent } from '../../prompt-text.ts'
import { drawVariableField } from './draw-variable-field.ts'

/** So many lines of the text are shown before it fades. */
const SHOWN_LINES = 40

const VIEWS = html`<div class="switch needs-script" role="group" aria-label="What is shown"><button type="button" data-view="template" aria-pressed="true">Template</button><button type="button" data-view="filled" aria-pressed="false">Filled</button></div>`

/** Draws it. @param unseen how many characters the text holds that a reader cannot see */
export function drawWorkbench(record: VersionRecord, unseen: number): Html {
  const { variables } = record
  const hasVariables = variables.length > 0
  return html`<div class="workbench${hasVariables ? '' : ' alone'}"><section aria-labelledby="prompt"><div class="bar"><h2 id="prompt">Prompt</h2>${
    hasVariables && VIEWS
  }</div>${drawUnseen(unseen)}${drawText(record)}</section>${hasVariables && drawFields(variables)}</div>`
}

function drawUnseen(count: number): Html | undefined {
  if (count === 0) return undefined
  const characters = count === 1 ? 'a character' : `${formatCount(count)} characters`
  return html`<p class="notice warns" role="note">This text holds ${characters} that a reader cannot see. Each is shown by its number, such as <span class="unseen" data-code="U+200B"></span>.</p>`
}

function drawText({ content, variables, full_name, version }: VersionRecord): Html {
  const lines = content.split('\n').length
  const folds = lines > SHOWN_LINES
  const exact = exactAttribute(content)
  return html`<div class="content${folds ? ' folds' : ''}">${[
    folds && html`<input type="checkbox" id="show-all" class="visually-hidden">`,
    html`<pre><code id="content" dir="auto"${exact !== undefined && html` data-exact="${exact}"`} data-name="${full_name} ${version}">${asDrawn(drawContent(content, variables, { isLinked: true }))}</code></pre>`,
    folds &&
      html`<label class="button" for="show-all"><span>Show all ${formatCount(lines)} lines</span><span>Show fewer lines</span></label>`,
  ]}</div>`
}

function drawFields(variables: readonly Variable[]): Html {
  const hasExamples = variables.some(({ example }) => example !== null && example !== '')
  const required = variables.filter((variable) => variable.required && variable.default === null).length
  // What the script needs to know of the variables; the page says the rest.
  const rules = variables.map(({ name, type, required, default: preset, options }) => ({
    name,
    type,
    required,
    default: preset,
    options,
  }))
  return html`<section class="fields-column" aria-labelledby="variables">${[
    html`<div class="bar"><h2 id="variables">Variables</h2><p id="progress" class="quiet needs-script" role="status">0 of ${required} required</p></div>`,
    html`<div id="fill-in" data-rules="${JSON.stringify(rules)}">${[
      variables.map(drawVariableField),
      html`<div class="actions needs-script">${hasExamples && html`<button id="with-examples" type="button">Fill in examples</button>`}<button id="clear" type="button">Clear</button></div>`,
      html`<p class="quiet needs-script">Values stay in this page’s address, after the #. They are never sent.</p>`,
    ]}</div>`,
  ]}</section>`
}
