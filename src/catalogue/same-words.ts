// Recognises prompts with the same words.

/** Minimum number of words for a comparison, because shorter prompts may be equal by coincidence. */
const MIN_WORDS = 20

/** Returns the words of a prompt in lower case, separated by single spaces and without punctuation; undefined if there are too few words. */
export function joinWords(text: string): string | undefined {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.length < MIN_WORDS ? undefined : words.join(' ')
}
