// `npm run screenshots [-- --all --out DIR [--only NAME]]`: takes the README's pictures and the site's social card from a temporary hub; run it after changing what they show. With --all, it takes screenshots of every kind of page instead.
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { openBrowser } from './look/browser.ts'
import { openScratchHub } from './look/scratch-hub.ts'
import { takeAll } from './look/take-all.ts'

const USAGE = 'Usage: npm run screenshots [-- --all --out DIR [--only NAME]]'
const PICTURES_DIR = 'docs/pictures'
const CARD = 'src/public/card.png'
const PROMPT = '/acme/code-review#?language=Go&intent=Return+0+instead+of+NaN'
/** The default port of `npm start`, which is visible in the pictures. */
const USUAL_PORT = 8888
/** WebP quality at which letters stay sharp and a picture is less than half the size of the same picture as a PNG. */
const QUALITY = 80

const { all, out, only } = readArguments()
const hub = await openScratchHub(all ? undefined : USUAL_PORT)
const browser = await openBrowser()
try {
  if (all) console.log(`Saved ${await takeAll({ browser, hub, dir: out, only })} pictures to ${out}.`)
  else await takeOwn(browser, hub.address)
} finally {
  await browser.close()
  await hub.close()
}

/** Takes the pictures for the README and the social card. */
async function takeOwn(browser: Browser, address: string): Promise<void> {
  mkdirSync(PICTURES_DIR, { recursive: true })
  const names: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width: 1200, height: 750 },
    })
    const page = await context.newPage()
    await page.goto(address + PROMPT)
    await page.locator('.chip.filled').first().waitFor()
    const session = await context.newCDPSession(page)
    // Playwright's screenshot method supports only PNG and JPEG.
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
    const name = `${PICTURES_DIR}/prompt-${colorScheme}.webp`
    writeFileSync(name, data, 'base64')
    names.push(name)
    await context.close()
  }
  const card = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 1200, height: 630 } })
  await card.goto(address)
  await card.screenshot({ path: CARD })
  console.log(`Updated ${names.join(', ')} and ${CARD}.`)
}

function readArguments(): { all: boolean; out: string; only: string | undefined } {
  try {
    const { values } = parseArgs({
      options: { all: { type: 'boolean', default: false }, out: { type: 'string' }, only: { type: 'string' } },
    })
    if (values.all !== (values.out !== undefined)) throw new Error('--all and --out DIR must be used together.')
    return { all: values.all, out: values.out ?? '', only: values.only }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
    process.exit(1)
  }
}
