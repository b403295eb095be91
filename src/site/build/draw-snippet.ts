// Owns lines of code with a heading and a button that copies them, as plain HTML: a page of a prompt has a dozen, and components cost many times as much.
import { drawCopy } from '../../server/account/copy-button.ts'
import { type Html, html } from '../../server/account/html.ts'

/** Some lines to copy. */
interface DrawnSnippet {
  id: string
  label: string
  /** What is copied, for those who do not see the label beside the button. */
  what: string
  code: string
  /** More classes of the whole. */
  classes?: string
}

/** Draws the lines. */
export function drawSnippet({ id, label, what, code, classes }: DrawnSnippet): Html {
  return html`<div class="snippet${classes ? ` ${classes}` : ''}"><div class="bar"><p>${label}</p>${drawCopy(id, what)}</div><pre><code id="${id}">${code}</code></pre></div>`
}
