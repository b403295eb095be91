// Owns `npm run screenshots -- <address of a running hub>`: takes the README's pictures and the site's social card, so that they never show what is no more.
import { mkdirSync } from 'node:fs'
import { chromium } from 'playwright-core'

const PICTURES_DIR = 'docs/pictures'
/** Nothing is caught half-way. */
const STILL = { reducedMotion: 'reduce' } as const
const PROMPT = '/acme/code-review#?language=Go&intent=Return+0+instead+of+NaN'

const [address = 'http://localhost:8888', executablePath = process.env.CHROME_PATH] = process.argv.slice(2)
mkdirSync(PICTURES_DIR, { recursive: true })
// The pages are our own; the sandbox cannot be built in most containers.
const browser = await chromium.launch({ args: ['--no-sandbox'], ...(executablePath ? { executablePath } : {}) })
for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ colorScheme, ...STILL, viewport: { width: 1280, height: 800 } })
  await page.goto(address + PROMPT)
  await page.locator('.chip.filled').first().waitFor()
  await page.screenshot({ path: `${PICTURES_DIR}/prompt-${colorScheme}.png` })
  await page.close()
}
const card = await browser.newPage({ ...STILL, viewport: { width: 1200, height: 630 } })
await card.goto(address)
await card.screenshot({ path: 'src/public/card.png' })
await browser.close()
console.log(`${PICTURES_DIR}/prompt-light.png, prompt-dark.png and src/public/card.png are new.`)
