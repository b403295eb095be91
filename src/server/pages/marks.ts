// Finds which words of a text are shown as those that were looked for.
import { tokenize } from '../../domain/search/tokens.ts'

/** A part of a text, and whether it is a word that was looked for. */
interface MarkedPart {
  text: string
  isMatch: boolean
}

/** The shortest beginning that two words must share to count as forms of one. */
const SHORTEST_STEM = 4

/** The words that a question looks for, and those that it was read as. @param corrected the word that was used, by the word that was typed */
export function listSoughtWords(question: string, corrected: Readonly<Record<string, string>> = {}): string[] {
  return [...new Set([question, ...Object.values(corrected)].flatMap((text) => tokenize(text)))]
}

/** Cuts a text into parts; joined, they are the text again. A word counts when it begins with a sought one, or is the beginning of one. */
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
