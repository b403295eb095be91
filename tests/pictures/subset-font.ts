// `npm run font`: builds the site's font file, which contains only the letters, weights and features that the site uses.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import subsetFont from 'subset-font'

/** Western European letters and the other symbols on the pages; other scripts are shown in fonts on the reader's device. */
const LETTERS = [...[range(0x20, 0x7e), range(0xc0, 0xff), '¡£§©«®°±·»½¿'], 'ıŁłŒœŠšŸŽž–—‘’‚“”„•…‹›€™−×←→↑↓↗✓✗'].join(
  '',
)
/** The weights of the type scale in styles/tokens.css. */
const WEIGHTS = { min: 400, max: 700 }

/** Kerning, composed letters, and tabular figures. */
const FEATURES = ['kern', 'ccmp', 'locl', 'tnum']

const FONT = '@fontsource-variable/inter'
const package_ = dirname(createRequire(import.meta.url).resolve(`${FONT}/package.json`))
const whole = readFileSync(join(package_, 'files/inter-latin-wght-normal.woff2'))
// The package's types lag behind its options, so the options are a separate object.
const options = { targetFormat: 'woff2', variationAxes: { wght: WEIGHTS }, keepFeatures: FEATURES } as const
const subset = await subsetFont(whole, LETTERS, { ...options })
writeFileSync('src/site/fonts/inter.woff2', subset)
writeFileSync('src/site/fonts/LICENSE', readFileSync(join(package_, 'LICENSE')))
console.log(`src/site/fonts/inter.woff2: ${subset.length} bytes`)

function range(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)).join('')
}
