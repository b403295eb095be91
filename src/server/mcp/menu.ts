// Describes the top hundred prompts, for `prompts/list` and `resources/list`.
import { countCharacters } from '../../domain/text/text-length.ts'

/** Matches control, format, private-use and unassigned characters, and other invisible characters such as variation selectors and fillers. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu

/** Converts a string to a single line without hidden characters. @param maxCharacters maximum length in code points; longer lines are truncated and end with `…` */
export function menuText(text: string, maxCharacters: number): string {
  const line = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').trim()
  if (countCharacters(line) <= maxCharacters) return line
  return `${[...line].slice(0, maxCharacters - 1).join('')}…`
}
