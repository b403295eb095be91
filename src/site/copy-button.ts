// Renders the button that copies another element's text; site/client/copy.ts implements the copying.
import { escapeHtml } from '../domain/text/html-text.ts'

/**
 * Renders a copy button as HTML.
 *
 * @param of the ID of the element whose text is copied
 * @param what describes the text, for screen readers
 */
export function renderCopyButton(of: string, what: string): string {
  return `<button type="button" class="copy small needs-script" data-copy="${escapeHtml(of)}"><span data-copy-words>Copy<span class="visually-hidden"> ${escapeHtml(what)}</span></span><span data-copy-done aria-hidden="true">✓ Copied</span></button>`
}
