// Encodes text in HTML byte for byte, and decodes it in the browser.

/**
 * Returns the value of an attribute from which an element's exact text can be restored. HTML parsers convert every carriage return to a line feed (HTML section 13.2.3.5), so text that contains carriage returns is also stored in this attribute.
 *
 * @returns undefined if the text is unaffected
 */
export function exactAttribute(text: string): string | undefined {
  return text.includes('\r') ? JSON.stringify(text) : undefined
}

/** Returns an element's exact text, as it was rendered by the server. */
export function exactText(element: HTMLElement): string {
  const { exact } = element.dataset
  if (exact === undefined) return element.textContent
  const text: string = JSON.parse(exact)
  return text
}
