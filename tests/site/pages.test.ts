// Owns the promises of the website, checked in a real browser on a built site whose every field is hostile. docs/contract.md section 10.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { ERRORS } from '../../src/domain/api/errors.ts'
import { ROUTES } from '../../src/domain/api/routes.ts'
import { HEADER_RULES } from '../../src/domain/api/site-headers.ts'
import { fillPlaceholders } from '../../src/domain/content/placeholders.ts'
import type { RunningServer } from '../../src/host/http-server.ts'
import { type LocalStores, type OpenSite, openLocalStores, openSite, serveSites } from '../../src/host/serve-sites.ts'
import { openBrowser } from './browser.ts'
import { CONTENT, hostile, MARKER, PLAIN_COUNT, writeHostileContent } from './hostile-content.ts'

const SITE_URL = 'https://hub.example'
const REPOSITORY = '/mallory/hostile'
/** One of each kind. */
const KINDS = [
  ...[
    '/',
    '/tags',
    '/tags/evil',
    '/tags/many/2',
    '/docs',
    '/docs/mcp',
    '/mallory',
    REPOSITORY,
    '/mallory/gone',
    '/mallory/old',
  ],
  ...['/trent/long', '/nobody/here', '/?q=hostile', '/?tag=many&sort=new', '/?q=nothing+at+all'],
]

let dir: string
let site: OpenSite
let stores: LocalStores
let host: RunningServer
let browser: Browser
let origin: string
const before = { ...process.env }

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'prompt-hub-pages-'))
  writeHostileContent(join(dir, 'content'))
  Object.assign(process.env, { SITE_URL, CONTENT_DIR: join(dir, 'content'), RATE_LIMIT_PER_MINUTE: '0' })
  const opening = openBrowser()
  await build(join(dir, 'dist'))
  site = openSite(join(dir, 'dist'))
  stores = await openLocalStores(readConfig(process.env))
  host = await serveSites(() => site, stores, { port: 0, listenAt: ['127.0.0.1'] })
  origin = `http://localhost:${(host.server.address() as AddressInfo).port}`
  browser = await opening
}, 60_000)

afterAll(async () => {
  await browser?.close()
  await host?.stop()
  await stores?.close()
  site?.close()
  process.env = before
  rmSync(dir, { recursive: true, force: true })
})

describe('a page of another origin', () => {
  let other: Server
  let elsewhere: string
  beforeAll(async () => {
    other = createServer((_incoming, outgoing) =>
      outgoing.setHeader('Content-Type', 'text/html').end('<title>Elsewhere</title>'),
    )
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening))
    elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
  })
  afterAll(() => other.close())

  const TRACED = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'Cache-Control': 'no-cache' }
  test.each([
    ['/api/v1/tags', { ...TRACED, 'If-None-Match': '"x"' }],
    ['/api/v1/nothing', TRACED],
    ['/data/v1/tags.json', TRACED],
    ['/docs/mcp/server.json', TRACED],
    ['/cli/hubcli', TRACED],
  ])('reads %s, whatever headers its tools add', async (path, headers) => {
    const page = await browser.newPage()
    await page.goto(elsewhere)
    const read = ([address, given]: [string, Record<string, string>]) =>
      fetch(address, { headers: given }).then((answer) => answer.status, String)
    const status = await page.evaluate(read, [origin + path, headers] as [string, Record<string, string>])
    expect(status).toBe(path === '/api/v1/nothing' ? 404 : 200)
    await page.close()
  })
})

describe('reading without a browser', () => {
  test('every link of the site leads somewhere, and everything that is listed is linked', async () => {
    const pages = await crawl()
    const missing = [...pages]
      .filter(([, { status }]) => status !== 200)
      .map(([path, { from }]) => `${path} on ${from}`)
    expect(missing).toEqual([])
    const lost = [...pages].flatMap(([path, { fragments, ids }]) =>
      [...fragments].filter((fragment) => ids && !ids.has(fragment)).map((fragment) => `${path}#${fragment}`),
    )
    expect(lost).toEqual([])
    const listed = (await getJson('/data/v1/index.json')).data.map(
      ({ full_name }: { full_name: string }) => `/${full_name}`,
    )
    expect(listed).toHaveLength(PLAIN_COUNT + 2)
    expect(listed.filter((path: string) => !pages.has(path))).toEqual([])
  })

  test.each(['/nobody/here', '/nobody', '/tags/nothing', '/tags/many/9', '/docs/nothing'])(
    '%s is a page that says so, with status 404',
    async (path) => {
      const response = await fetch(origin + path)
      expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(await response.text()).toContain('There is nothing here')
    },
  )

  test('the sitemap names what is listed, and nothing else', async () => {
    const sitemap = await (await fetch(`${origin}/sitemap.xml`)).text()
    const addresses = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address!.replace(SITE_URL, ''))
    expect(addresses).toEqual(expect.arrayContaining(['/', '/tags', '/docs', REPOSITORY, '/mallory', '/tags/evil']))
    expect(addresses.filter((path) => /gone|old|only-here/.test(path))).toEqual([])
    expect(await (await fetch(`${origin}/robots.txt`)).text()).toContain(`Sitemap: ${SITE_URL}/sitemap.xml`)
  })

  test('pages have a language, a title, a description, an own address, and nothing from elsewhere', async () => {
    const html = await (await fetch(origin + REPOSITORY)).text()
    expect(html).toMatch(/^<!doctype html><html lang="en">/i)
    expect(html).toContain(`<link rel="canonical" href="${SITE_URL}${REPOSITORY}">`)
    for (const part of ['<title>title', 'name="description" content="description', 'property="og:title"'])
      expect(html).toContain(part)
    expect(html.trimEnd()).toMatch(/<\/html>$/)
  })

  test('the API reference names every address, error and field, and says something of each', async () => {
    const html = await (await fetch(`${origin}/docs`)).text()
    for (const { path } of Object.values(ROUTES)) expect(html).toContain(`<code>GET ${path}</code>`)
    for (const code of Object.keys(ERRORS)) expect(html).toContain(`<code>${code}</code>`)
    for (const field of ['full_name', 'content_sha256', 'previous_version', 'yank_reason', 'repos_count', 'dry_run'])
      expect(html).toContain(`<code>${field}</code>`)
    expect(html).not.toContain('<td></td>')
  })

  test('what is not listed asks not to be found', async () => {
    for (const path of ['/mallory/gone', '/mallory/old', '/nobody'])
      expect(await (await fetch(origin + path)).text()).toContain('<meta name="robots" content="noindex">')
  })
})

describe('in a browser', () => {
  test.each(KINDS)('%s runs nothing hostile, breaks no policy, loads nothing from elsewhere', async (path) => {
    const { page, problems } = await open(path)
    expect(await page.evaluate((marker) => Reflect.get(window, marker), MARKER)).toBeUndefined()
    expect(await page.locator('style, script:not([src^="/assets/"])').count()).toBe(0)
    const inline = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap(({ attributes }) =>
        [...attributes].map(({ name }) => name).filter((name) => name === 'style' || name.startsWith('on')),
      ),
    )
    expect(inline).toEqual([])
    expect(problems.filter((problem) => !(path === '/nobody/here' && problem.includes('404')))).toEqual([])
    await page.context().close()
  })

  test('the policy is the strict one', async () => {
    const policy = (await fetch(origin)).headers.get('Content-Security-Policy')
    expect(policy).toBe(HEADER_RULES[0]?.headers['Content-Security-Policy'])
    expect(policy).not.toContain('unsafe')
  })

  test.each(KINDS)('%s fits a screen of 360 pixels', async (path) => {
    const { page } = await open(path, { viewport: { width: 360, height: 740 } })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await page.context().close()
  })

  test.each(['light', 'dark'] as const)('%s: every text stands out from its ground', async (colorScheme) => {
    for (const path of ['/', REPOSITORY, '/docs', '/tags']) {
      const { page } = await open(path, { colorScheme })
      const [body, weakest] = await page.evaluate(measureContrast)
      expect(body, path).toBeGreaterThanOrEqual(10)
      expect(weakest, path).toBeGreaterThanOrEqual(4.5)
      await page.context().close()
    }
  })

  test('without JavaScript, everything can be read and nothing pretends to work', async () => {
    const { page } = await open('/', { javaScriptEnabled: false })
    expect(await page.locator('#results .card').count()).toBe(20)
    expect(await page.locator('#search').isVisible()).toBe(false)
    expect(await page.getByText('Searching needs JavaScript').isVisible()).toBe(true)
    await page.goto(origin + REPOSITORY)
    expect(await page.locator('#content').isVisible()).toBe(true)
    expect(await page.getByText('variable</script>').isVisible()).toBe(true)
    expect(await page.getByText('One of:').isVisible()).toBe(true)
    for (const control of ['textarea', '#filled', 'button'])
      expect(await page.locator(control).first().isVisible()).toBe(false)
    await page.context().close()
  })
})

describe('the catalogue page', () => {
  test('searches as one types, in the address too, and shows hostile titles as text', async () => {
    const { page, problems } = await open('/')
    await page.locator('#q').pressSequentially('yanked_hostile', { delay: 5 })
    await page.locator('#q').fill('')
    await page.locator('#q').pressSequentially('hostile', { delay: 5 })
    await page.getByText('1 prompt', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?q=hostile')
    expect(await page.locator('#results .card').count()).toBe(1)
    expect(await page.locator('#results [data-part=title]').textContent()).toBe(hostile('title').slice(0, 200))
    expect(await page.locator('#results [data-part=status]').textContent()).toBe('deprecated')
    await page.locator('#q').fill('nothingofthatkind')
    await page.getByText('Nothing matches “nothingofthatkind”.').waitFor()
    expect(await page.locator('#results .card').count()).toBe(0)
    await page.locator('#q').fill('')
    await page.getByText(`${PLAIN_COUNT + 2} prompts`).waitFor()
    expect(new URL(page.url()).search).toBe('')
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('a card is the same, whether the build or the script made it', async () => {
    const { page } = await open('/')
    const built = await page.locator('#results').innerHTML()
    await page.goto(`${origin}/?sort=top`)
    await page.waitForFunction(
      () => performance.getEntriesByName(`${location.origin}/api/v1/repos?sort=top`).length > 0,
    )
    await page.locator('#results:not([aria-busy])').waitFor()
    const flat = (html: string) => html.replace(/\s+/g, ' ').replace(/ hidden=""/g, ' hidden')
    expect(flat(await page.locator('#results').innerHTML())).toBe(flat(built))
    await page.context().close()
  })

  test('sorts, and keeps the order in the address', async () => {
    const { page } = await open('/')
    await page.locator('#sort').selectOption('new')
    await page.waitForURL('**/?sort=new')
    const { data } = await getJson('/api/v1/repos?sort=new')
    await expectFirst(page, data[0].title)
    await page.goto(`${origin}/?sort=new&q=plain`)
    await page.getByText(`${PLAIN_COUNT} prompts`).waitFor()
    expect(await page.locator('#sort').inputValue()).toBe('new')
    await expectFirst(page, `Plain ${PLAIN_COUNT}`)
    await page.locator('#sort').selectOption('')
    await page.waitForURL('**/?q=plain')
    await page.context().close()
  })

  test('filters by the tags of the address, which can be taken off', async () => {
    const { page } = await open('/?tag=evil&tag=many')
    await page.getByText('1 prompt', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove the tag evil' }).click()
    await page.getByText(`${PLAIN_COUNT + 2} prompts`).waitFor()
    expect(new URL(page.url()).search).toBe('?tag=many')
    await page.context().close()
  })

  test('shows more until there is no more', async () => {
    const { page } = await open('/')
    for (const count of [40, 60, PLAIN_COUNT + 2]) {
      await page.getByRole('button', { name: 'More' }).click()
      await page.waitForFunction((wanted) => document.querySelectorAll('#results .card').length === wanted, count)
      expect(await page.evaluate(() => document.activeElement?.closest('.card') !== null)).toBe(true)
    }
    expect(await page.locator('#more').isVisible()).toBe(false)
    const names = await page
      .locator('#results h3 a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    expect(new Set(names).size).toBe(PLAIN_COUNT + 2)
    await page.context().close()
  })

  test('an older answer never replaces a newer one', async () => {
    const { page } = await open('/')
    await page.route('**/api/v1/repos?q=long', async (route) => {
      await new Promise((done) => setTimeout(done, 600))
      await route.continue().catch(() => undefined)
    })
    await page.locator('#q').fill('long')
    await page.waitForRequest('**/api/v1/repos?q=long')
    await page.locator('#q').fill('hostile')
    await page.getByText('1 prompt', { exact: true }).waitFor()
    await page.waitForTimeout(700)
    expect(await page.locator('#results [data-part=name]').allTextContents()).toEqual(['hostile'])
    await page.context().close()
  })

  test('says what went wrong, and tries again', async () => {
    const { page } = await open('/')
    await page.route('**/api/v1/repos?*', (route) => route.abort())
    await page.locator('#q').fill('hostile')
    await page.getByText('The catalogue did not answer.').waitFor()
    await page.unroute('**/api/v1/repos?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('1 prompt', { exact: true }).waitFor()
    await page.goto(`${origin}/?q=${'a'.repeat(201)}`)
    await page.getByText('q: expected at most 200 characters').waitFor()
    await page.context().close()
  })
})

describe('the page of a repository', () => {
  test('shows, fills in and copies the very bytes of the API', async () => {
    const { page, problems } = await open(REPOSITORY, { permissions: ['clipboard-read', 'clipboard-write'] })
    const { data } = await getJson(`/api/v1/repos${REPOSITORY}`)
    expect(data.content).toBe(CONTENT)
    const readClipboard = () => page.evaluate(() => navigator.clipboard.readText())
    const copy = page.getByRole('button', { name: 'Copy the prompt' })
    await copy.click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await readClipboard()).toBe(data.content)

    const filled = () => page.locator('#filled').evaluate((element) => element.textContent)
    const defaults = new Map([
      ['language', hostile('default')],
      ['count', '3'],
    ])
    expect(await filled()).toBe(fillPlaceholders(data.content, defaults))
    expect(await page.locator('#missing').textContent()).toBe('Still open: tone, strict, free.')

    await page.getByLabel('language').fill('$& {{tone}} <b>')
    await page.getByLabel('tone').selectOption(hostile('option'))
    await page.getByLabel('strict').selectOption('true')
    await page.getByLabel('free').fill('two\nlines')
    const values = new Map([
      ['language', '$& {{tone}} <b>'],
      ['tone', hostile('option')],
      ['count', '3'],
      ['strict', 'true'],
      ['free', 'two\nlines'],
    ])
    expect(await filled()).toBe(fillPlaceholders(data.content, values))
    expect(await page.locator('#missing').textContent()).toBe('Everything is filled in.')
    await page.getByRole('button', { name: 'Copy the filled prompt' }).click()
    expect(await readClipboard()).toBe(fillPlaceholders(data.content, values))

    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('Still open: tone, strict, free.').waitFor()
    await page.getByRole('button', { name: 'Use the examples' }).click()
    expect(await page.getByLabel('tone').inputValue()).toBe('calm')
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('copying without permission selects the text instead', async () => {
    const { page } = await open(REPOSITORY)
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await page.getByRole('button', { name: 'Copy the curl snippet' }).click()
    await page.getByRole('button', { name: 'Press Ctrl+C' }).waitFor()
    expect(await page.evaluate(() => String(getSelection()))).toBe(
      `curl -fsS '${SITE_URL}/api/v1/repos${REPOSITORY}/raw?version=1.1.0'`,
    )
    await page.context().close()
  })

  test('says what is deprecated, archived, yanked or gone, and what to use instead', async () => {
    const { page } = await open(REPOSITORY)
    expect(await page.getByRole('note').textContent()).toMatch(
      /^Deprecated: .*status_message<\/script>.*Use mallory\/plain-1 instead\.$/s,
    )
    expect(await page.getByRole('row', { name: /^1\.0\.1/ }).textContent()).toContain(
      `Yanked: ${hostile('yank_reason').slice(0, 40)}`,
    )
    await page.goto(`${origin}/mallory/old`)
    expect(await page.getByRole('note').textContent()).toMatch(/^Archived: /)
    expect(await page.locator('#content').textContent()).toBe('archived content')
    await page.goto(`${origin}/mallory/gone`)
    expect(await page.getByRole('note').textContent()).toContain('no active version')
    expect(await page.locator('#content').count()).toBe(0)
    expect(
      await (await fetch(origin + (await page.getByRole('link', { name: 'raw' }).getAttribute('href')))).text(),
    ).toBe('all yanked')
    await page.context().close()
  })
})

/** Astro keeps state of its own, so a build is a process of its own. */
function build(outDir: string): Promise<void> {
  const astro = resolve('node_modules/astro/bin/astro.mjs')
  const child = spawn(process.execPath, [astro, 'build', '--outDir', outDir], {
    // Vitest says that it tests, which would make a development build of it.
    env: { ...process.env, NODE_ENV: 'production', VITEST: undefined, ASTRO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text))
  return new Promise((done, fail) =>
    child.once('close', (code) => (code === 0 ? done() : fail(new Error(`The build failed.\n${log}`)))),
  )
}

/** Opens a page and collects everything that is not as it should be. The caller closes its context. */
async function open(path: string, options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const problems: string[] = []
  // A violation of the policy is an error of the console, too.
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(String(error)))
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
  await page.goto(origin + path)
  if (options.javaScriptEnabled !== false) await page.waitForFunction(() => !document.querySelector('[aria-busy]'))
  return { page, problems }
}

async function expectFirst(page: Page, title: string): Promise<void> {
  await page.waitForFunction((wanted) => document.querySelector('#results h3')?.textContent === wanted, title)
}

async function getJson(path: string) {
  return (await fetch(origin + path)).json()
}

interface Crawled {
  status: number
  from: string
  /** Of an HTML page: what can be linked in it. */
  ids: Set<string> | undefined
  fragments: Set<string>
}

/** Follows every link of the site's own from `/`, as a reader without JavaScript would. */
async function crawl(): Promise<Map<string, Crawled>> {
  const pages = new Map<string, Crawled>()
  const queue = [{ link: '/', from: '' }]
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { pathname, search, hash, origin: target } = new URL(next.link, origin + (next.from || '/'))
    if (target !== origin && target !== SITE_URL) continue
    const path = pathname + search
    let crawled = pages.get(path)
    if (!crawled) {
      const response = await fetch(origin + path)
      const isPage = response.headers.get('Content-Type')?.startsWith('text/html') ?? false
      const html = isPage ? await response.text() : ''
      const values = (names: string) =>
        [...html.matchAll(new RegExp(`\\s(?:${names})="([^"]*)"`, 'g'))].map(([, value]) => decode(value!))
      crawled = {
        status: response.status,
        from: next.from,
        ids: isPage ? new Set(values('id')) : undefined,
        fragments: new Set(),
      }
      pages.set(path, crawled)
      for (const link of values('href|src|action')) queue.push({ link, from: path })
    }
    if (hash !== '') crawled.fragments.add(hash.slice(1))
  }
  return pages
}

function decode(attribute: string): string {
  return attribute
    .replaceAll('&#34;', '"')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll('&#38;', '&')
}

/** Runs in the page. @returns the contrast of the body's text, and the weakest of any visible text. https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function measureContrast(): [body: number, weakest: number] {
  const parse = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = parse(color).map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const groundOf = (element: Element): string => {
    const { backgroundColor } = getComputedStyle(element)
    if (parse(backgroundColor)[3] !== 0) return backgroundColor
    return element.parentElement ? groundOf(element.parentElement) : 'rgb(255, 255, 255)'
  }
  const contrastOf = (element: Element) => {
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))]
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
  }
  const hasText = (element: Element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim())
  const texts = [...document.body.querySelectorAll('*')].filter(
    (element) => hasText(element) && element.checkVisibility(),
  )
  return [contrastOf(document.body), Math.min(...texts.map(contrastOf))]
}
