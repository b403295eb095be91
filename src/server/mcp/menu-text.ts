// Cleans one-line texts of menus and messages: removes hidden and control characters from third-party text.
import { countCharacters } from '../../domain/text/text-length.ts'

/** Control, format, private and unassigned characters, and others that are invisible: variation selectors, fillers. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu

/** A one-line text without hidden characters. @param maxCharacters maximum length in code points; a longer text is cut and ends with `…` */
export function menuText(text: string, maxCharacters: number): string {
  const line = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').trim()
  if (countCharacters(line) <= maxCharacters) return line
  return `${[...line].slice(0, maxCharacters - 1).join('')}…`
}
