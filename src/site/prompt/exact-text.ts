// Encodes a text in HTML byte for byte, and decodes it in the browser.

/**
 * The attribute that an element needs beside its text so that a reader gets the very same text back.
 *
 * An HTML parser turns every carriage return into a line feed (HTML section 13.2.3.5), so a text that holds one is carried a second time.
 *
 * @returns undefined when the text survives by itself
 */
export function exactAttribute(text: string): string | undefined {
  return text.includes('\r') ? JSON.stringify(text) : undefined
}

/** The text that an element was given in the build. */
export function exactText(element: HTMLElement): string {
  const { exact } = element.dataset
  if (exact === undefined) return element.textContent
  const text: string = JSON.parse(exact)
  return text
}
