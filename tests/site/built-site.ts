// The built site for the page tests: it is built once per file, served by our own host, and opened in a real browser.
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { FreshCopies } from '../../src/state/fresh-copies.ts'
import { serveSite } from '../hubs/serve-site.ts'
import { openBrowser } from '../pictures/look/browser.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/**
 * The URL that the site is built for. The site is served at another URL, so that the tests notice every absolute link
 * to the site itself.
 */
export const SITE_URL = 'https://hub.example'

/** Enables the links to the git host; nothing is published here. */
const ON_GITHUB = { GITHUB_REPOSITORY: 'octo/hub', GITHUB_TOKEN: 'not a token' }

/** A page, and every problem that it had. */
export interface OpenPage {
  page: Page
  problems: string[]
  /** Opens another page of the site in the same tab, and forgets the problems of the last one. */
  goTo(path: string): Promise<void>
}

/** A running site, and a browser in which to open it. */
export interface BuiltSite {
  origin: string
  browser: Browser
  /** The host's fresh copies, to which a test can add versions as a publish does. */
  fresh: FreshCopies
  /** Opens a page and collects every problem. Tests without options share a tab; the caller closes another's context. */
  open(path: string, options?: BrowserContextOptions): Promise<OpenPage>
  getJson(path: string): Promise<ReturnType<typeof JSON.parse>>
  close(): Promise<void>
}

/** Builds and serves a content folder. @param write fills the given folder */
export async function openBuiltSite(write: (contentDir: string) => void): Promise<BuiltSite> {
  // The content folder is outside the project, like a clone of the repository on the git host.
  const contentDir = join(temporaryFolder('hub-pages-'), 'content')
  write(contentDir)
  const opening: Promise<Browser> = openBrowser()
  const served = await serveSite({
    settings: { SITE_URL, CONTENT_DIR: contentDir, RATE_LIMIT_PER_MINUTE: '0', ...ON_GITHUB },
    serving: { port: 0, listenAt: ['127.0.0.1'] },
  })
  const origin = `http://localhost:${(served.server.address() as AddressInfo).port}`
  const browser = await opening

  const openTab = async (options: BrowserContextOptions): Promise<OpenPage> => {
    // Animations take processor time while a test waits, and keys that are pressed between two pages are lost.
    const page = await (await browser.newContext({ reducedMotion: 'reduce', ...options })).newPage()
    page.setDefaultTimeout(120_000)
    const problems: string[] = []
    // A violation of the Content-Security-Policy is also a console error.
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    // Chromium reports this about its own view transition, sometimes before a script on the page can listen for it.
    // The page still loads.
    const isOfBrowser = (message: string) =>
      message.endsWith('Transition was aborted because of invalid state. Page already revealed')
    page.on('pageerror', (error) => isOfBrowser(String(error)) || problems.push(String(error)))
    page.on('dialog', (dialog) => {
      problems.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(origin)) problems.push(`request to ${request.url()}`)
    })
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) =>
        console.error(`policy ${event.violatedDirective} ${event.sample}`),
      )
    })
    const goTo = async (path: string) => {
      // The same address but for its values would not be loaded again.
      if (page.url().split('#')[0] === origin + path) await page.goto('about:blank')
      problems.length = 0
      await page.goto(origin + path)
      if (options.javaScriptEnabled !== false)
        await page.waitForFunction(() => !document.querySelector('[aria-busy], [data-compare] > [role=status]'))
    }
    return { page, problems, goTo }
  }
  let shared: Promise<OpenPage> | undefined

  return {
    origin,
    browser,
    fresh: served.stores.copies,
    async open(path, options) {
      // A test without options gets the tab of the others: a tab of its own is a new process of the browser.
      if (options === undefined && (await shared)?.page.isClosed() !== false)
        shared = openTab({ permissions: ['clipboard-read', 'clipboard-write'] })
      const opened = await (options ? openTab(options) : shared!)
      if (!options) {
        await opened.page.unrouteAll()
        await opened.page.emulateMedia({ media: null, colorScheme: null })
        await opened.page.setViewportSize({ width: 1280, height: 720 })
      }
      await opened.goTo(path)
      return opened
    },
    async getJson(path) {
      for (;;) {
        const answer = await fetch(origin + path)
        // A search on a busy machine may take too long for the hub, which says when to try again.
        if (answer.status !== 503) return answer.json()
        await answer.body?.cancel()
        await sleep(1_000 * Number(answer.headers.get('retry-after') ?? 1))
      }
    },
    async close() {
      await browser.close()
      await served.stop()
    },
  }
}
