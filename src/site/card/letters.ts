// Places text on an image, with the letters that scripts/pictures/draw-letters.ts drew.
import { inflateSync } from 'node:zlib'
import drawnLetters from '../fonts/letters.bin?inline'
import type { LetterSheet, LetterStyle } from './letter-sheet.ts'

/** The pixels of a letter: rows of coverage from 0 to 7, one byte each. */
export interface Ink {
  pixels: Uint8Array
  /** Offset of the first row. */
  at: number
  columns: number
  rows: number
}

let sheet: LetterSheet | undefined

/** Reads the drawn letters, once per process. */
function readSheet(): LetterSheet {
  if (sheet) return sheet
  const bytes = inflateSync(Buffer.from(drawnLetters.slice(drawnLetters.indexOf(',') + 1), 'base64'))
  const end = bytes.indexOf('\n')
  sheet = { letters: JSON.parse(bytes.toString('utf8', 0, end)), pixels: bytes.subarray(end + 1) }
  return sheet
}

/** Returns whether every letter of a string is available. */
export function canWrite(text: string, style: LetterStyle): boolean {
  const letters = readSheet().letters[style]
  for (const letter of text) if (!Object.hasOwn(letters, letter)) return false
  return true
}

/** Width of a text in pixels. */
export function measureText(text: string, style: LetterStyle): number {
  const letters = readSheet().letters[style]
  let width = 0
  for (const letter of text) width += letters[letter]?.width ?? 0
  return width
}

/** Breaks a string into lines; if it does not fit, the last line ends with an ellipsis. @param room the width of a line in pixels, and the maximum number of lines */
export function breakLines(text: string, style: LetterStyle, room: { width: number; most: number }): string[] {
  const lines: string[] = []
  const space = measureText(' ', style)
  let line = ''
  let width = 0
  for (const word of text.split(/\s+/)) {
    const more = measureText(word, style) + (line === '' ? 0 : space)
    if (line !== '' && width + more > room.width && lines.length < room.most - 1) {
      lines.push(line)
      line = word
      width = more - space
    } else {
      line = line === '' ? word : `${line} ${word}`
      width += more
      if (width > room.width) return [...lines, cut(line, style, room.width)]
    }
  }
  return line === '' ? lines : [...lines, line]
}

/** Truncates a line to a width and adds an ellipsis. */
function cut(line: string, style: LetterStyle, width: number): string {
  let left = width - measureText('…', style)
  let kept = ''
  for (const letter of line) {
    left -= measureText(letter, style)
    if (left < 0) break
    kept += letter
  }
  return `${kept.trimEnd()}…`
}

/**
 * Writes a line.
 *
 * @param stamp called for each visible letter with the position of its upper left corner
 * @returns the final position of the pen
 */
export function writeLine(
  text: string,
  style: LetterStyle,
  { x, y }: { x: number; y: number },
  stamp: (ink: Ink, x: number, y: number) => void,
): number {
  const { letters, pixels } = readSheet()
  const known = letters[style]
  let pen = x
  for (const one of text) {
    const letter = known[one]
    if (!letter) continue
    const { left, top, columns, rows, at } = letter
    stamp({ pixels, at, columns, rows }, Math.round(pen) + left, y + top)
    pen += letter.width
  }
  return pen
}
