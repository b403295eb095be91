// The form of the letters that scripts/pictures/draw-letters.ts draws and letters.ts puts on pictures.

/** The ways a text is written on a card; sizes in pixels. */
export const LETTER_STYLES = [
  { name: 'title', size: 36, weight: 700 },
  { name: 'text', size: 17, weight: 450 },
] as const
/** The name of one of them. */
export type LetterStyle = (typeof LETTER_STYLES)[number]['name']

/** A letter in pixels: how far it moves the pen, where its ink begins as seen from pen and base line, how large the ink is, and where its rows begin in the sheet. */
interface Letter {
  width: number
  left: number
  top: number
  columns: number
  rows: number
  at: number
}

/** Every letter, by its style and then by its character. */
export interface LetterSheet {
  letters: Record<LetterStyle, Record<string, Letter>>
  /** Coverage from 0 to 7, a byte each. */
  pixels: Uint8Array
}
