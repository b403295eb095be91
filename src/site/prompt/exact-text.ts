// Encodes text in HTML byte for byte, and decodes it in the browser.

/**
 * Returns the attribute that an element needs in addition to its text, so that the exact text can be restored. An HTML parser converts every carriage return to a line feed (HTML section 13.2.3.5), so text that contains one is included a second time.
 *
 * @returns undefined if the text is unaffected
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
