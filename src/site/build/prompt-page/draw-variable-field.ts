// Owns one variable of a prompt: what it is, and the field to give it a value in (client/workbench.ts reads the fields).
import type { Variable } from '../../../domain/api/schema.ts'
import { type Html, html } from '../../../server/account/html.ts'

/** Examples up to this length are shown; a longer one would push the fields apart, so it is folded. */
const SHORT_CHARACTERS = 60

/** Draws it. */
export function drawVariableField(variable: Variable): Html {
  const { name, type, required, default: preset, example } = variable
  const id = idOf(variable)
  const kind = `${type === 'string' ? 'text' : type}${required && preset === null ? '' : ', optional'}`
  const exampleText = example === null ? '' : String(example)
  const isShort = exampleText.length <= SHORT_CHARACTERS && !exampleText.includes('\n')
  return html`<div class="variable">${[
    html`<p class="variable-name"><label for="${id}"><span class="chip" data-chip-label="${name}">${name}</span></label> <span class="quiet">${kind}</span></p>`,
    drawAbout(variable, isShort ? exampleText : ''),
    !isShort && html`<details><summary class="quiet">Example</summary><pre dir="auto">${exampleText}</pre></details>`,
    drawField(variable),
    html`<p id="${id}-wrong" class="wrong" hidden></p>`,
  ]}</div>`
}

const idOf = ({ name }: Variable) => `variable-${name}`

function drawAbout(variable: Variable, example: string): Html {
  const { description, type, options, default: preset } = variable
  return html`<div id="${idOf(variable)}-about" class="about quiet">${[
    description !== '' && html`<p dir="auto">${description}</p>`,
    preset !== null && preset !== '' && html`<p>Default: <code dir="auto">${String(preset)}</code></p>`,
    type === 'enum' &&
      html`<p class="without-script">One of: ${options.map((option) => html`<code dir="auto">${option}</code> `)}</p>`,
    example !== '' && html`<p>Example: <code dir="auto">${example}</code></p>`,
  ]}</div>`
}

function drawField(variable: Variable): Html {
  const { name, type, required, options, default: preset, example } = variable
  const id = idOf(variable)
  // Scripts read these attributes. The field has no `name`, because one called like a property of forms would hide that property.
  const field = html`id="${id}" class="needs-script" data-variable="${name}"${example !== null && html` data-example="${String(example)}"`} aria-describedby="${id}-about ${id}-wrong" autocomplete="off"`
  const choices = type === 'boolean' ? ['true', 'false'] : options
  if (choices.length > 0) {
    const unchosen = preset === null ? (required ? 'Choose …' : 'Leave empty') : `Default: ${preset}`
    return html`<select ${field}><option value="">${unchosen}</option>${choices.map((choice) => html`<option value="${choice}">${choice}</option>`)}</select>`
  }
  if (type === 'string') return html`<textarea ${field} rows="1" dir="auto"></textarea>`
  return html`<input ${field} type="text" inputmode="${type === 'integer' ? 'numeric' : 'decimal'}">`
}
