// Draws a prompt's social card: a PNG with 16 colours, which is fast enough to draw one for every prompt.
import { crc32, deflateSync } from 'node:zlib'
import type { RepositorySummary } from '../../domain/api/schema.ts'
import type { LetterStyle } from './letter-sheet.ts'
import { breakLines, canWrite, type Ink, measureText, writeLine } from './letters.ts'

/** The size in pixels; programs that preview links expect about this aspect ratio. https://ogp.me */
const WIDTH = 600
const HEIGHT = 315
const MARGIN = 36
/** Bytes per row: one for the filter, then one for every two pixels. */
const STRIDE = 1 + WIDTH / 2

/** Indexes in the palette: paper, seven steps to ink, amber, five steps to the ink of chips, and the border of chips; the light colours of styles/tokens.css. */
const AMBER = 8
const EDGE = 14
const PALETTE = [
  ...ramp([0xf7, 0xf7, 0xf4], [0x1b, 0x1e, 0x23], 8),
  ...ramp([0xfd, 0xf0, 0xd3], [0x72, 0x45, 0x00], 6),
  ...[0xeb, 0xcf, 0x94],
]

/** The parts that are the same on every card. */
let blank: Uint8Array | undefined
/** A shared buffer for drawing cards, because a new buffer of this size for each card would keep the garbage collector busy. */
const canvas = new Uint8Array(HEIGHT * STRIDE)

/** Draws a prompt's card. */
export function drawSocialCard({
  full_name,
  name,
  title,
  description,
  latest_version,
  variables_count,
  license,
}: RepositorySummary): Uint8Array<ArrayBuffer> {
  blank ??= drawBlank()
  canvas.set(blank)
  const width = WIDTH - 2 * MARGIN
  // If a title has letters that are not available, the card shows the name, which always has Latin letters.
  const heading = breakLines(canWrite(title, 'title') ? title : name, 'title', { width, most: 2 })
  let y = 125
  for (const line of heading) {
    write(canvas, line, 'title', { x: MARGIN - 2, y, strength: 7 })
    y += 42
  }
  y += 2
  drawChip(canvas, full_name.length > 52 ? `${full_name.slice(0, 51)}…` : full_name, MARGIN, y - 6)
  y += 36
  if (canWrite(description, 'text'))
    for (const line of breakLines(description, 'text', { width, most: heading.length > 1 ? 1 : 2 })) {
      write(canvas, line, 'text', { x: MARGIN, y, strength: 5 })
      y += 23
    }
  const facts = [
    latest_version === null ? 'yanked' : `v${latest_version}`,
    ...(variables_count > 0 ? [`${variables_count} ${variables_count === 1 ? 'variable' : 'variables'}`] : []),
    ...(license !== null && canWrite(license, 'text') ? [license] : []),
  ]
  write(canvas, breakLines(facts.join('  ·  '), 'text', { width, most: 1 }).join(''), 'text', {
    x: MARGIN,
    y: HEIGHT - 30,
    strength: 5,
  })
  return encode(canvas)
}

function drawBlank(): Uint8Array {
  const picture = new Uint8Array(HEIGHT * STRIDE)
  fill(picture, { x: 0, y: 0, width: WIDTH, height: 5 }, AMBER + 1)
  const right = drawChip(picture, '{{ }}', MARGIN, 53)
  write(picture, 'Prompt Hub', 'text', { x: right + 10, y: 53, strength: 7 })
  return picture
}

/** Draws a chip. @param base the baseline of its text @returns its end */
function drawChip(picture: Uint8Array, text: string, x: number, base: number): number {
  const width = Math.round(measureText(text, 'text')) + 16
  fill(picture, { x, y: base - 20, width, height: 28 }, EDGE)
  fill(picture, { x: x + 1, y: base - 19, width: width - 2, height: 26 }, AMBER)
  writeLine(text, 'text', { x: x + 8, y: base }, stampWith(picture, INK_ON_AMBER))
  return x + width
}

function write(
  picture: Uint8Array,
  text: string,
  style: LetterStyle,
  { x, y, strength }: { x: number; y: number; strength: number },
): void {
  writeLine(text, style, { x, y }, stampWith(picture, INK[strength]!))
}

/** The colours by coverage, for ink on paper and for ink on a chip. */
const INK = Array.from({ length: 8 }, (_, strength) =>
  Uint8Array.from({ length: 8 }, (_, coverage) => Math.round((coverage * strength) / 7)),
)
const INK_ON_AMBER = Uint8Array.from({ length: 8 }, (_, coverage) => AMBER + Math.round((coverage * 5) / 7))

/** Creates a function that draws letters on an image. A card has about a hundred letters, so the loop writes pixels itself: a call for each pixel would take too long. @param colours by coverage */
function stampWith(picture: Uint8Array, colours: Uint8Array): (ink: Ink, x: number, y: number) => void {
  return ({ pixels, at, columns, rows }, x, y) => {
    const visible = Math.min(columns, WIDTH - x)
    for (let row = 0; row < rows; row++) {
      const line = (y + row) * STRIDE + 1
      const from = at + row * columns
      for (let column = 0; column < visible; column++) {
        const coverage = pixels[from + column]!
        if (coverage === 0) continue
        const place = line + ((x + column) >> 1)
        const before = picture[place]!
        const colour = colours[coverage]!
        picture[place] = (x + column) % 2 === 0 ? (colour << 4) | (before & 15) : (before & 0xf0) | colour
      }
    }
  }
}

function fill(
  picture: Uint8Array,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  colour: number,
): void {
  const end = Math.min(x + width, WIDTH)
  for (let row = y; row < y + height; row++) {
    const line = row * STRIDE + 1
    // Two pixels share a byte, so only the first and the last one may need separate writes.
    if (x % 2 === 1) put(picture, line + (x >> 1), colour, 0xf0)
    picture.fill((colour << 4) | colour, line + ((x + 1) >> 1), line + (end >> 1))
    if (end % 2 === 1) put(picture, line + (end >> 1), colour << 4, 0x0f)
  }
}

/** Writes one of the two pixels of a byte. @param kept the bits of the other one */
function put(picture: Uint8Array, at: number, bits: number, kept: number): void {
  picture[at] = (picture[at]! & kept) | bits
}

/** Encodes a PNG with a palette. https://www.w3.org/TR/png-3/ */
function encode(picture: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  head.set([4, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(PALETTE)),
    // A fast compression level, because cards are drawn on request.
    chunk('IDAT', deflateSync(picture, { level: 3 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}

function ramp(from: readonly number[], to: readonly number[], steps: number): number[] {
  return Array.from({ length: steps }, (_, step) =>
    from.map((value, channel) => Math.round(value + ((to[channel]! - value) * step) / (steps - 1))),
  ).flat()
}
