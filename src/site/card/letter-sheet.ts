// Defines the format of the letters that scripts/pictures/draw-letters.ts draws and letters.ts places on images.

/** The text styles of a card; sizes in pixels. */
export const LETTER_STYLES = [
  { name: 'title', size: 36, weight: 700 },
  { name: 'text', size: 17, weight: 450 },
] as const
/** The name of a text style. */
export type LetterStyle = (typeof LETTER_STYLES)[number]['name']

/** A letter in pixels: its advance width, the position of its bitmap relative to the pen, the bitmap's size, and the offset of its rows in the sheet. */
interface Letter {
  width: number
  left: number
  top: number
  columns: number
  rows: number
  at: number
}

/** Every letter, by style and character. */
export interface LetterSheet {
  letters: Record<LetterStyle, Record<string, Letter>>
  /** Coverage from 0 to 7, one byte each. */
  pixels: Uint8Array
}
