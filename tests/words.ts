// Lets tests write a long list of words as lines of text.

/** Splits a text into its words, in order. Without it, a list too long for one line has one word a line. */
export function words(text: TemplateStringsArray, ...values: string[]): string[] {
  return String.raw({ raw: text }, ...values)
    .trim()
    .split(/\s+/)
}
