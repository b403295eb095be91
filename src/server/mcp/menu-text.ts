// Cleans single lines for menus and messages: removes hidden and control characters from third-party text.
import { countCharacters } from '../../domain/text/text-length.ts'

/** Control, format, private-use and unassigned characters, and other invisible ones: variation selectors, fillers. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu

/** Converts a string to a single line without hidden characters. @param maxCharacters maximum length in code points; longer lines are truncated and end with `…` */
export function menuText(text: string, maxCharacters: number): string {
  const line = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').trim()
  if (countCharacters(line) <= maxCharacters) return line
  return `${[...line].slice(0, maxCharacters - 1).join('')}…`
}
