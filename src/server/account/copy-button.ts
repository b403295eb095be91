// Renders the button that copies another element's text; site/client/copy.ts adds the behaviour.
import { type Html, html } from './html.ts'

/**
 * Renders the button.
 *
 * @param of the ID of the element whose text is copied
 * @param what describes the text, for screen readers
 */
export function renderCopyButton(of: string, what: string): Html {
  return html`<button type="button" class="copy small needs-script" data-copy="${of}"><span data-copy-words>Copy<span class="visually-hidden"> ${what}</span></span><span data-copy-done aria-hidden="true">✓ Copied</span></button>`
}
