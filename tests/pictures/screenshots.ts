// `npm run screenshots`: takes the README's pictures and the preview image of links from a temporary hub; run it after changing what they show.
import { mkdirSync, writeFileSync } from 'node:fs'
import { openBrowser } from './look/browser.ts'
import { openScratchHub } from './look/scratch-hub.ts'

const PICTURES_DIR = 'docs/pictures'
const CARD = 'src/public/card.png'
const PROMPT = '/acme/code-review#?language=Go&intent=Return+0+instead+of+NaN'
/** WebP quality at which letters stay sharp and a picture is less than half the size of a PNG. */
const QUALITY = 80

const hub = await openScratchHub()
const browser = await openBrowser()
try {
  mkdirSync(PICTURES_DIR, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width: 1200, height: 750 },
    })
    const page = await context.newPage()
    await page.goto(hub.address + PROMPT)
    await page.locator('.chip.filled').first().waitFor()
    const session = await context.newCDPSession(page)
    // Playwright's screenshot method supports only PNG and JPEG.
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
    writeFileSync(`${PICTURES_DIR}/prompt-${colorScheme}.webp`, data, 'base64')
    await context.close()
  }
  const card = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 1200, height: 630 } })
  await card.goto(hub.address)
  // The card is the hero alone: every hub shares it, so it has no list, no sign-in and no address.
  await card.evaluate(() => {
    for (const part of document.querySelectorAll('#find, main > section, .site-footer, .site-header nav, .one-command'))
      part.remove()
    document.documentElement.style.fontSize = '19px'
    Object.assign(document.querySelector('main')!.style, { display: 'grid', alignContent: 'center' })
  })
  await card.screenshot({ path: CARD })
  console.log(`Updated ${PICTURES_DIR}/ and ${CARD}.`)
} finally {
  await browser.close()
  await hub.close()
}
