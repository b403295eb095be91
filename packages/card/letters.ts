// Draws text on an image, using the letters rendered by tests/pictures/draw-letters.ts.
import { inflateSync } from 'node:zlib'
import drawnLetters from './letters.bin?inline'

/** The text styles of a card. */
export type LetterStyle = 'title' | 'text'

/** The metrics of a letter in pixels: its advance width, the position of its bitmap relative to the pen, the bitmap's size, and the offset of its rows in the sheet. */
interface Letter {
  width: number
  left: number
  top: number
  columns: number
  rows: number
  at: number
}

/** All letters, by style and character. */
export type Letters = Record<LetterStyle, Record<string, Letter>>

/** The rendered letters and their pixels. Each pixel is one byte, which is its coverage from 0 to 7. */
let sheet: { letters: Letters; pixels: Uint8Array } | undefined

/** Reads the rendered letters once per process. */
function readSheet() {
  if (sheet) return sheet
  const bytes = inflateSync(Buffer.from(drawnLetters.slice(drawnLetters.indexOf(',') + 1), 'base64'))
  const end = bytes.indexOf('\n')
  sheet = { letters: JSON.parse(bytes.toString('utf8', 0, end)), pixels: bytes.subarray(end + 1) }
  return sheet
}

/** Smallest share of available letters with which a text is still readable. */
const MIN_SHARE = 0.7

/**
 * Returns the part of a text that can be drawn: letters that are not available lose their accent, or are left out.
 *
 * @returns undefined if too little of the text would remain, as with most scripts beyond Europe
 */
export function toWritable(text: string, style: LetterStyle): string | undefined {
  const letters = readSheet().letters[style]
  const characters = [...text.normalize('NFC')]
  const written = characters.map((character) => {
    const plain = character.normalize('NFKD').replace(/\p{M}/gu, '')
    return [character, plain].find((one) => Object.hasOwn(letters, one)) ?? ''
  })
  const isWord = (character: string) => /[\p{L}\p{N}]/u.test(character)
  const words = characters.filter(isWord).length
  const left = characters.filter((character, index) => isWord(character) && written[index] !== '').length
  return left > 0 && left >= MIN_SHARE * words ? written.join('').trim() : undefined
}

/** Returns the width of a text in pixels. */
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

/** Draws a line of text. @param put called for each pixel that a letter covers, with its coverage from 1 to 7 */
export function writeLine(
  text: string,
  style: LetterStyle,
  place: { x: number; y: number },
  put: (x: number, y: number, coverage: number) => void,
): void {
  const { letters, pixels } = readSheet()
  let pen = place.x
  for (const character of text) {
    const letter = letters[style][character]
    if (!letter) continue
    const { width, left, top, columns, rows, at } = letter
    const x = Math.round(pen) + left
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const coverage = pixels[at + row * columns + column]!
        if (coverage > 0) put(x + column, place.y + top + row, coverage)
      }
    pen += width
  }
}
