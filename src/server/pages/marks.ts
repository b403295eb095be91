// Finds the words in a text to highlight as search matches.
import { tokenize } from '../../domain/search/tokens.ts'

/** A part of a text, with whether to highlight it. */
interface MarkedPart {
  text: string
  isMatch: boolean
}

/** Minimum length of the prefix that two words must share to count as forms of the same word. */
const SHORTEST_STEM = 4

/** Lists the words of a query and their corrections. @param corrected the correction for each misspelled word */
export function listSearchWords(question: string, corrected: Readonly<Record<string, string>> = {}): string[] {
  return [...new Set([question, ...Object.values(corrected)].flatMap((text) => tokenize(text)))]
}

/** Splits a text into matching and other parts; joined, they form the original text. A word matches if it starts with a search word, or if a search word starts with it. */
export function markWords(text: string, sought: readonly string[]): MarkedPart[] {
  if (sought.length === 0) return [{ text, isMatch: false }]
  const parts: MarkedPart[] = []
  for (const piece of text.split(/([\p{L}\p{N}\p{M}]+)/u)) {
    if (piece === '') continue
    const [word = ''] = tokenize(piece)
    const isMatch = word !== '' && sought.some((one) => word.startsWith(one) || isStemOf(word, one))
    const last = parts.at(-1)
    if (last && last.isMatch === isMatch) last.text += piece
    else parts.push({ text: piece, isMatch })
  }
  return parts
}

function isStemOf(word: string, sought: string): boolean {
  return word.length >= SHORTEST_STEM && sought.startsWith(word)
}
