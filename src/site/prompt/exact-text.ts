// Encodes a text in HTML byte for byte, and decodes it in the browser.

/**
 * The attribute that an element needs in addition to its text so that readers get the exact text back. An HTML parser turns every carriage return into a line feed (HTML section 13.2.3.5), so a text with one is included a second time.
 *
 * @returns undefined when the text is unaffected
 */
export function exactAttribute(text: string): string | undefined {
  return text.includes('\r') ? JSON.stringify(text) : undefined
}

/** Returns the text that the build put into an element. */
export function exactText(element: HTMLElement): string {
  const { exact } = element.dataset
  if (exact === undefined) return element.textContent
  const text: string = JSON.parse(exact)
  return text
}
