// Takes screenshots of every kind of page in light, dark and mobile variants.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { ACCOUNT_KINDS, type PageKind, PUBLIC_KINDS } from './page-kinds.ts'
import type { ScratchHub } from './scratch-hub.ts'

const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 360, height: 740 }
/** The variants of each screenshot, with the suffix of the file name, the colour scheme and the screen size. */
const LOOKS = [
  { look: 'light', colorScheme: 'light', size: WIDE },
  { look: 'dark', colorScheme: 'dark', size: WIDE },
  { look: 'phone', colorScheme: 'light', size: NARROW },
] as const

interface Taking {
  browser: Browser
  hub: ScratchHub
  dir: string
  /** If set, only kinds whose name starts with this text are captured. */
  only?: string | undefined
}

/** Takes all screenshots. @returns the number of screenshots */
export async function takeAll({ browser, hub, dir, only = '' }: Taking): Promise<number> {
  mkdirSync(dir, { recursive: true })
  let count = 0
  const take = async (page: Page, kind: PageKind) => {
    if (kind.path !== undefined) await page.goto(hub.address + kind.path)
    await kind.prepare?.(page, hub)
    if (!kind.name.startsWith(only)) return
    await page.waitForLoadState('networkidle')
    for (const { look, colorScheme, size } of LOOKS) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', media: kind.isPrinted ? 'print' : 'screen' })
      await page.setViewportSize(size)
      await page.evaluate(settle)
      await page.screenshot({ path: join(dir, `${kind.name}-${look}.png`), fullPage: kind.isScreen !== true })
      count++
    }
  }
  for (const kind of PUBLIC_KINDS.filter(({ name }) => name.startsWith(only))) {
    const page = await browser.newPage({ viewport: WIDE, reducedMotion: 'reduce' })
    await take(page, kind)
    await page.close()
  }
  if (ACCOUNT_KINDS.some(({ name }) => name.startsWith(only))) {
    const page = await browser.newPage({ viewport: WIDE, reducedMotion: 'reduce' })
    for (const kind of ACCOUNT_KINDS) await take(page, kind)
    await page.close()
  }
  return count
}

/** Scrolls to the anchor again, because it moves when the width changes or the font loads. */
async function settle(): Promise<void> {
  await document.fonts.ready
  const place = location.hash.startsWith('#?') ? null : document.getElementById(location.hash.slice(1))
  place?.scrollIntoView()
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
}
