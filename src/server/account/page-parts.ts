// Renders components shared by several pages: form fields, problems, copy buttons and code snippets.
import type { Said } from '../../domain/api/words-for-people.ts'
import { type Html, html } from './html.ts'

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

/**
 * Renders a button that copies another element's text; site/client/copy.ts implements the copying.
 *
 * @param of the ID of the element whose text is copied
 * @param what describes the text, for screen readers
 */
export function renderCopyButton(of: string, what: string): Html {
  return html`<button type="button" class="copy small needs-script" data-copy="${of}"><span data-copy-words>Copy<span class="visually-hidden"> ${what}</span></span><span data-copy-done aria-hidden="true">✓ Copied</span></button>`
}

/** Renders a code snippet with a copy button. @param id unique on the page @param label shown above the lines */
export function renderSnippet(id: string, label: string, code: string): Html {
  return html`<div class="snippet"><div class="bar"><p>${label}</p>${renderCopyButton(`snippet-${id}`, `snippet: ${label}`)}</div><pre tabindex="0"><code id="snippet-${id}">${code}</code></pre></div>`
}
