// Renders parts that several account pages share: hidden form fields, and snippets with a copy button.
import { renderCopyButton } from './copy-button.ts'
import { type Html, html } from './html.ts'

/** Renders a hidden form field. */
export function renderHidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}

/** Renders lines to copy. @param id unique on the page @param label shown above the lines */
export function renderSnippet(id: string, label: string, code: string): Html {
  return html`<div class="snippet"><div class="bar"><p>${label}</p>${renderCopyButton(`snippet-${id}`, `snippet: ${label}`)}</div><pre tabindex="0"><code id="snippet-${id}">${code}</code></pre></div>`
}
