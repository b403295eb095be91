// Owns lines of code with a heading and a button that copies them, as plain HTML: a page of a prompt has a dozen, and components cost many times as much.
import { drawCopy } from '../../server/account/copy-button.ts'
import { escapeHtml } from '../prompt-text.ts'

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
export function drawSnippet({ id, label, what, code, classes }: DrawnSnippet): string {
  const name = escapeHtml(id)
  return `<div class="snippet${classes ? ` ${classes}` : ''}"><div class="bar"><p>${escapeHtml(label)}</p>${drawCopy(id, what).text}</div><pre><code id="${name}">${escapeHtml(code)}</code></pre></div>`
}
