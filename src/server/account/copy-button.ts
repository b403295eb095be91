// Owns the button that copies the text of another element, for pages of the build and of functions; it works through site/client/copy.ts.
import { type Html, html } from './html.ts'

/**
 * Draws the button.
 *
 * @param of the id of the element whose text is copied
 * @param what names it, for those who do not see what stands beside the button
 */
export function drawCopy(of: string, what: string): Html {
  return html`<button type="button" class="copy small needs-script" data-copy="${of}"><span data-copy-words>Copy<span class="visually-hidden"> ${what}</span></span><span data-copy-done aria-hidden="true">✓ Copied</span></button>`
}
