// Cleans one-line texts of menus and messages: removes hidden and control characters from third-party text.
import { countCharacters } from '../../domain/text/text-length.ts'

/** Control, format, private and unassigned characters, and the rest of what is drawn as nothing: variation selectors, fillers. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu

/** A text on one line, without hidden characters. @param maxCharacters longest length in code points; beyond it, `…` ends the text */
export function menuText(text: string, maxCharacters: number): string {
  const line = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').trim()
  if (countCharacters(line) <= maxCharacters) return line
  return `${[...line].slice(0, maxCharacters - 1).join('')}…`
}
