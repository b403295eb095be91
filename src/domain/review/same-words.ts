// Recognises prompts with the same words.

/** Shorter texts are not compared, because they are the same by accident. */
const MIN_WORDS = 20

/** Returns the words of a text in lower case, separated by single spaces, without punctuation; undefined for a short text. */
export function joinWords(text: string): string | undefined {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.length < MIN_WORDS ? undefined : words.join(' ')
}
