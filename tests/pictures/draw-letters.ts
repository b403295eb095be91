// `npm run letters`: draws the letters for the social cards in a browser, so that a build only has to place them.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { LetterStyle, Letters } from '../../packages/card/letters.ts'
import { openBrowser } from './look/browser.ts'

const PACKAGE = dirname(createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json'))
const FONTS = ['latin', 'latin-ext', 'greek', 'cyrillic'].map((script) =>
  readFileSync(join(PACKAGE, `files/inter-${script}-wght-normal.woff2`)).toString('base64'),
)
const SHEET = 'packages/card/letters.bin'
/** The text styles of a card; sizes in pixels. */
const STYLES: readonly { name: LetterStyle; size: number; weight: number }[] = [
  { name: 'title', size: 36, weight: 700 },
  { name: 'text', size: 17, weight: 450 },
]
/** The letters of the languages of Europe, and the marks that titles use. */
const LETTERS = [
  ...[...range(0x20, 0x7e), ...range(0xa1, 0x17f), ...'ȘșȚțẞ–—‘’‚“”„…→·•'],
  ...[...range(0x386, 0x3ce), ...range(0x400, 0x45f), ...'Ґґ'].filter((letter) => /\p{L}/u.test(letter)),
]

const browser = await openBrowser()
const page = await browser.newPage()
const drawn = await page.evaluate(
  async ({ fonts, letters, styles }) => {
    const families = fonts.map((_, index) => `card${index}`)
    for (const [index, font] of fonts.entries()) {
      const face = new FontFace(families[index]!, `url(data:font/woff2;base64,${font})`, { weight: '400 700' })
      document.fonts.add(await face.load())
    }
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 160
    const context = canvas.getContext('2d', { willReadFrequently: true })!
    return styles.flatMap(({ name, size, weight }) =>
      letters.map((letter) => {
        context.font = `${weight} ${size}px ${families.join(', ')}`
        const { width } = context.measureText(letter)
        context.clearRect(0, 0, 160, 160)
        context.fillText(letter, 20, 110)
        const { data } = context.getImageData(0, 0, 160, 160)
        const coverage = Array.from({ length: 160 * 160 }, (_, at) => data[at * 4 + 3]!)
        const columns = coverage.flatMap((value, at) => (value > 0 ? [at % 160] : []))
        const rows = coverage.flatMap((value, at) => (value > 0 ? [Math.floor(at / 160)] : []))
        if (rows.length === 0)
          return { name, letter, width, left: 0, top: 0, columns: 0, rows: 0, coverage: [] as number[] }
        const [left, right] = [Math.min(...columns), Math.max(...columns)]
        const [top, bottom] = [Math.min(...rows), Math.max(...rows)]
        return {
          name,
          letter,
          width,
          left: left - 20,
          top: top - 110,
          columns: right - left + 1,
          rows: bottom - top + 1,
          coverage: coverage.filter(
            (_, at) =>
              at % 160 >= left && at % 160 <= right && Math.floor(at / 160) >= top && Math.floor(at / 160) <= bottom,
          ),
        }
      }),
    )
  },
  { fonts: FONTS, letters: [...new Set(LETTERS)], styles: STYLES },
)
await browser.close()

const pixels: number[] = []
const letters: Letters = { title: {}, text: {} }
for (const { name, letter, coverage, ...place } of drawn) {
  letters[name][letter] = { ...place, at: pixels.length }
  // The card has seven steps from paper to ink.
  pixels.push(...coverage.map((value) => Math.round((value / 255) * 7)))
}
const head = Buffer.from(`${JSON.stringify(letters)}\n`)
writeFileSync(SHEET, deflateSync(Buffer.concat([head, Buffer.from(pixels)]), { level: 9 }))
console.log(`${SHEET}: ${drawn.length} letters`)

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index))
}
