// Renders components shared by several pages: form fields, problems and code snippets.

import { renderCopyButton } from '../../src/site/copy-button.ts'
import { type Html, html, trustedHtml } from './html.ts'
import type { Said } from './words-for-people.ts'

/** Renders a hidden form field. */
export function renderHidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}

/** Renders a select element. @param id default: the name @param words the label for each value; default: the value itself */
export function renderSelect(
  name: string,
  values: readonly string[],
  { id = name, selected, words = {} }: { id?: string; selected?: string; words?: Readonly<Record<string, string>> },
): Html {
  return html`<select id="${id}" name="${name}">${values.map((value) => html`<option value="${value}"${value === selected && html` selected`}>${words[value] ?? value}</option>`)}</select>`
}

/** Renders why a form was rejected. @param more shown below */
export function renderProblem({ sentences, link }: Said, more?: Html): Html {
  const [first = '', ...others] = sentences
  const words =
    others.length === 0
      ? html`<p>${first}</p>`
      : html`<ul class="plain">${sentences.map((one) => html`<li>${one}</li>`)}</ul>`
  return html`<div class="notice" role="alert">${words}${link && html`<p><a href="${link.href}">${link.text}</a></p>`}${more}</div>`
}

/** Renders a code snippet with a copy button. @param id unique on the page @param label shown above the lines */
export function renderSnippet(id: string, label: string, code: string): Html {
  return html`<div class="snippet"><div class="bar"><p>${label}</p>${trustedHtml(renderCopyButton(`snippet-${id}`, `snippet: ${label}`))}</div><pre tabindex="0"><code id="snippet-${id}">${code}</code></pre></div>`
}
