// Draws a prompt's social card as a PNG with 16 colours. This takes two milliseconds, so cards can be drawn on request.
import { crc32, deflateSync } from 'node:zlib'
import type { RepositorySummary } from '../../src/domain/api/schema.ts'
import { countOf } from '../../src/domain/text/count-of.ts'
import { breakLines, type LetterStyle, measureText, toWritable, writeLine } from './letters.ts'

/** The size of a card in pixels; programs that show link previews expect about this aspect ratio. https://ogp.me */
const WIDTH = 600
const HEIGHT = 315
const MARGIN = 36

/** Palette indexes. The palette uses the light colours in styles/tokens.css: paper, seven steps to ink, amber, five steps to chip ink, and the chip border. */
const AMBER = 8
const EDGE = 14
const PALETTE = [
  ...ramp([0xf7, 0xf7, 0xf4], [0x1b, 0x1e, 0x23], 8),
  ...ramp([0xfd, 0xf0, 0xd3], [0x72, 0x45, 0x00], 6),
  ...[0xeb, 0xcf, 0x94],
]

/** Inks: the palette index of the background, and the number of steps from there to the full ink. */
const BLACK = { base: 0, steps: 7 }
const GREY = { base: 0, steps: 5 }
const ON_AMBER = { base: AMBER, steps: 5 }

export function drawSocialCard({
  full_name,
  name,
  title,
  description,
  latest_version,
  variables_count,
  license,
}: RepositorySummary): Uint8Array<ArrayBuffer> {
  const picture = new Uint8Array(WIDTH * HEIGHT)
  fill(picture, { x: 0, y: 0, width: WIDTH, height: 5 }, AMBER + 1)
  const right = drawChip(picture, '{{ }}', MARGIN, 53)
  write(picture, 'Prompt Hub', 'text', { x: right + 10, y: 53, ink: BLACK })
  const width = WIDTH - 2 * MARGIN
  // If too many letters of the title are unavailable, the card shows the name instead, which contains only Latin letters.
  const heading = breakLines(toWritable(title, 'title') ?? name, 'title', { width, most: 2 })
  let y = 125
  for (const line of heading) {
    write(picture, line, 'title', { x: MARGIN - 2, y, ink: BLACK })
    y += 42
  }
  y += 2
  drawChip(picture, full_name.length > 52 ? `${full_name.slice(0, 51)}…` : full_name, MARGIN, y - 6)
  y += 36
  const about = toWritable(description, 'text')
  if (about !== undefined)
    for (const line of breakLines(about, 'text', { width, most: heading.length > 1 ? 1 : 2 })) {
      write(picture, line, 'text', { x: MARGIN, y, ink: GREY })
      y += 23
    }
  const facts = [
    latest_version === null ? 'yanked' : `v${latest_version}`,
    ...(variables_count > 0 ? [countOf(variables_count, 'variable')] : []),
    ...(license === null ? [] : [toWritable(license, 'text') ?? []].flat()),
  ]
  const [line = ''] = breakLines(facts.join('  ·  '), 'text', { width, most: 1 })
  write(picture, line, 'text', { x: MARGIN, y: HEIGHT - 30, ink: GREY })
  return encode(picture)
}

/** Draws a chip. @param base the baseline of its text @returns the x position of its right edge */
function drawChip(picture: Uint8Array, text: string, x: number, base: number): number {
  const width = Math.round(measureText(text, 'text')) + 16
  fill(picture, { x, y: base - 20, width, height: 28 }, EDGE)
  fill(picture, { x: x + 1, y: base - 19, width: width - 2, height: 26 }, AMBER)
  write(picture, text, 'text', { x: x + 8, y: base, ink: ON_AMBER })
  return x + width
}

function write(
  picture: Uint8Array,
  text: string,
  style: LetterStyle,
  { x, y, ink: { base, steps } }: { x: number; y: number; ink: { base: number; steps: number } },
): void {
  writeLine(text, style, { x, y }, (x, y, coverage) => {
    if (x < WIDTH) picture[y * WIDTH + x] = base + Math.round((coverage * steps) / 7)
  })
}

function fill(
  picture: Uint8Array,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  colour: number,
): void {
  for (let row = y; row < y + height; row++) {
    const line = row * WIDTH
    picture.fill(colour, line + x, line + Math.min(x + width, WIDTH))
  }
}

/** Encodes a PNG with a palette and two pixels per byte, which compresses twice as fast as one pixel per byte. https://www.w3.org/TR/png-3/ */
function encode(picture: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  head.set([4, 3, 0, 0, 0], 8)
  // The first byte of each row is its filter type.
  const stride = 1 + WIDTH / 2
  const rows = new Uint8Array(HEIGHT * stride)
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x += 2)
      rows[y * stride + 1 + x / 2] = (picture[y * WIDTH + x]! << 4) | picture[y * WIDTH + x + 1]!
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(PALETTE)),
    // The compression level is low for speed, because cards are drawn on request.
    chunk('IDAT', deflateSync(rows, { level: 3 })),
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
