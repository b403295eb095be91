// Renders the fields of the variables. A script copies the template for a variable that appears while the user types.

import { VariableType } from '../../src/domain/values/values.ts'
import { type Html, html } from '../account/html.ts'
import { type FieldNotes, NO_NOTES, renderField } from './field-parts.ts'
import { blankFields, type VariableFields } from './form/version-form.ts'

/** The name in the template; no variable can have it, because of its length. */
const TEMPLATE_NAME = `_${'template'.repeat(10)}`

/** Renders all variables, and a template for further ones. */
export function renderVariables(variables: readonly VariableFields[], notes: FieldNotes): Html {
  return html`
<section class="variables" aria-labelledby="variables-title">
  <h2 id="variables-title">Variables</h2>
  <p class="quiet" data-no-variables${variables.length > 0 && html` hidden`}>Write <code>{{name}}</code> in the prompt to add a variable<span class="without-script">, then select Check</span>.</p>
  <div class="variable-list" data-variables>${variables.map((variable) => renderVariable(variable, notes))}</div>
  <template data-variable-template="${TEMPLATE_NAME}">${renderVariable(blankFields(TEMPLATE_NAME), NO_NOTES)}</template>
</section>`
}

const TYPE_WORDS = {
  ...{ string: 'string (text)', number: 'number', integer: 'integer', boolean: 'boolean' },
  enum: 'enum (options)',
}

function renderVariable(variable: VariableFields, notes: FieldNotes): Html {
  const { name, type, description, isRequired, preset, example, options } = variable
  const field = (key: string) => `variable.${name}.${key}`
  // A value with line breaks needs a textarea, because browsers remove line feeds from an input element.
  const input = (key: string, label: string, value: string, isWide = false) =>
    renderField(
      {
        ...{ name: field(key), label, isWide: isWide || value.includes('\n') },
        control: (attributes) =>
          value.includes('\n')
            ? html`<textarea ${attributes} rows="3">\n${value}</textarea>`
            : html`<input ${attributes} value="${value}" autocomplete="off" />`,
      },
      notes,
    )
  return html`
<fieldset class="variable-fields" data-variable-name="${name}"><legend><span class="visually-hidden">Variable </span><code class="chip">{{${name}}}</code></legend>
  ${input('description', 'Description', description, true)}
  ${renderField(
    {
      ...{ name: field('type'), label: 'Type' },
      control: (attributes) =>
        html`<select ${attributes}>${VariableType.options.map((one) => html`<option value="${one}"${one === type && html` selected`}>${TYPE_WORDS[one]}</option>`)}</select>`,
    },
    notes,
  )}
  <div class="field"><label class="check"><input type="checkbox" id="${field('required')}" name="${field('required')}" value="yes"${isRequired && html` checked`} /> Required</label></div>
  ${renderField(
    {
      ...{ name: field('options'), label: 'Options, one on each line', isWide: true },
      control: (attributes) => html`<textarea ${attributes} rows="3">\n${options}</textarea>`,
    },
    notes,
  )}
  ${input('default', 'Default', preset)}
  ${input('example', 'Example', example)}
</fieldset>`
}
