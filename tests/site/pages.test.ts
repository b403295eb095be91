// Owns the promises of the website, checked in a real browser on a built site whose every field is hostile. docs/contract.md section 10.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HtmlValidate } from 'html-validate'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERRORS } from '../../src/domain/api/errors.ts'
import { ROUTES } from '../../src/domain/api/routes.ts'
import { HEADER_RULES } from '../../src/domain/api/site-headers.ts'
import { drawLines } from '../../src/site/draw-difference.ts'
import { ROUTES_LIST } from '../../src/site/links.ts'
import { PYTHON, runHubcli, SCRATCH, SHELLS, WITH_PYTHON } from '../cli/shells.ts'
import { findViolations } from './axe.ts'
import { type BuiltSite, openBuiltSite, SITE_URL } from './built-site.ts'
import { CONTENT, hostile, MARKER, PLAIN_COUNT, UNSEEN_CONTENT, writeHostileContent } from './hostile-content.ts'
import { testVisitorJobs } from './visitor-jobs.ts'

const REPOSITORY = '/mallory/hostile'
const COMPARE = `${REPOSITORY}/compare/1.0.1...1.1.0`
/** One of each kind; those after the gap are drawn by a function. */
const KINDS = [
  ...[
    '/',
    '/tags',
    '/tags/evil',
    '/tags/many/2',
    '/docs',
    '/docs/api',
    '/docs/reading',
    '/docs/publishing',
    '/docs/cli',
    '/docs/content-rules',
  ],
  ...['/docs/mcp', '/mallory', REPOSITORY, `${REPOSITORY}/v/1.0.1`, `${REPOSITORY}/v/1.0.0`, COMPARE, '/mallory/gone'],
  ...['/mallory/old', '/mallory/unseen', '/trent/long', '/trent/long/v/999999.999999.999999'],

  ...['/search?q=hostile', '/search?tag=many&sort=new', '/search?q=nothingofthatkind', '/?q=hostile', '/nobody/here'],
  ...[`${REPOSITORY}/compare/1.1.0...1.0.0`, '/mallory/unseen/compare/1.0.0...1.0.1', '/settings'],
]
const LISTED = PLAIN_COUNT + 3

// A browser among other work may take its time.
let site: BuiltSite

beforeAll(async () => {
  site = await openBuiltSite(writeHostileContent)
})

afterAll(async () => {
  await site?.close()
  rmSync(SCRATCH, { recursive: true, force: true })
})

describe('one order for everybody', () => {
  //  what is asked        what is said of it
  test.each([
    ['plain', {}, []],
    ['evil plain', {}, []],
    ['hostlie zzqxjk', { hostlie: 'hostile' }, ['zzqxjk']],
  ] as const)('%s: REST, MCP, hubcli and the page', async (q, corrected, ignored) => {
    const query = new URLSearchParams({ q })
    const { data, meta } = await site.getJson(`/api/v1/repos?${query}`)
    const names = data.map((one: { full_name: string }) => one.full_name)
    expect(names.length).toBeGreaterThan(0)
    expect(meta.matched).toMatchObject({ corrected, ignored })

    const page = await (await fetch(`${site.origin}/search?${query}`)).text()
    expect([...page.matchAll(/<h3[^>]*><a href="\/([^"]+)"/g)].map(([, name]) => name)).toEqual(names)
    for (const word of [...Object.values(corrected), ...ignored])
      expect(/id="reading">(.*?)<\/p>/s.exec(page)?.[1]).toContain(word)

    const call = { name: 'search_prompts', arguments: { q, limit: 20 } }
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-11-25',
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
    const called = await (await fetch(`${site.origin}/mcp`, { method: 'POST', headers, body })).json()
    const { structuredContent } = called.result
    expect(structuredContent.data.map((one: Record<string, string>) => `${one.owner}/${one.name}`)).toEqual(names)
    expect(structuredContent.meta.matched).toEqual(meta.matched)

    if (PYTHON === undefined) return
    const options = { env: { HUB_URL: site.origin }, tools: WITH_PYTHON! }
    const { stdout, stderr, code } = await runHubcli(SHELLS[0]!, ['search', q], options)
    expect(code).toBe(0)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(names)
    for (const word of [...Object.entries(corrected).flat(), ...ignored]) expect(stderr).toContain(word)
  })
})

test('the TypeScript library reads from a page of another origin, of a hub and of a mirror that answers nothing but GET', async () => {
  const methods: (string | undefined)[] = []
  const open = async (answer: (path: string, response: ServerResponse) => void) => {
    const server = createServer((request, response) => answer(request.url ?? '', response))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  const library = await open((path, response) => {
    const isPage = path === '/'
    response.setHeader('Content-Type', isPage ? 'text/html' : 'text/javascript')
    response.end(isPage ? '<!doctype html>' : readFileSync(`src/clients/releases/1.0.0/typescript/dist${path}`))
  })
  const mirror = await open((path, response) => {
    methods.push(response.req.method)
    void fetch(site.origin + path).then(async (answer) => {
      const headers = { 'Access-Control-Allow-Origin': '*', ETag: answer.headers.get('ETag') ?? '' }
      response.writeHead(response.req.method === 'GET' ? answer.status : 501, headers).end(await answer.text())
    })
  })
  const context = await site.browser.newContext()
  const page = await context.newPage()
  await page.goto(library.origin)
  for (const url of [site.origin, mirror.origin]) {
    // As text: vitest would rewrite the import.
    const got = await page.evaluate(`import('/prompt-hub.js').then(async ({ PromptHub }) => {
      const events = []
      const onEvent = ({ type }) => events.push(type)
      const hub = new PromptHub({ url: '${url}', retries: 0, freshMs: 0, revalidateMs: 0, onEvent })
      const sources = []
      for (const wish of ['', '', '@999999.999999.999999', '@*']) sources.push((await hub.get('trent/long' + wish)).source)
      return { sources, stale: events.includes('stale') }
    })`)
    expect(got).toEqual({ sources: ['network', 'network', 'network', 'network'], stale: false })
  }
  expect(new Set(methods)).toEqual(new Set(['GET']))
  await context.close()
  library.server.close()
  mirror.server.close()
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
    const listed = (await site.getJson('/data/v1/index.json')).data.map(
      ({ full_name }: { full_name: string }) => `/${full_name}`,
    )
    expect(listed).toHaveLength(LISTED)
    expect(listed.filter((path: string) => !pages.has(path))).toEqual([])
  })

  test.each(['/nobody/here', '/nobody', '/tags/nothing', '/tags/many/9', '/docs/nothing'])(
    '%s is a page that says so, with status 404',
    async (path) => {
      const response = await fetch(site.origin + path)
      expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(await response.text()).toContain('There is nothing here')
    },
  )

  test('the sitemap names what is listed, and nothing else', async () => {
    const sitemap = await (await fetch(`${site.origin}/sitemap.xml`)).text()
    const addresses = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address!.replace(SITE_URL, ''))
    expect(addresses).toEqual(
      expect.arrayContaining([
        '/',
        '/tags',
        '/docs',
        '/docs/api',
        REPOSITORY,
        '/mallory',
        '/tags/evil',
        `${REPOSITORY}/v/1.0.0`,
        COMPARE,
      ]),
    )
    expect(addresses.filter((path) => /gone|old|only-here/.test(path))).toEqual([])
    expect(await (await fetch(`${site.origin}/robots.txt`)).text()).toContain(`Sitemap: ${SITE_URL}/sitemap.xml`)
  })

  test('pages have a language, a title, a description, an own address, and nothing from elsewhere', async () => {
    const html = await (await fetch(site.origin + REPOSITORY)).text()
    expect(html).toMatch(/^<!doctype html><html lang="en">/i)
    expect(html).toContain(`<link rel="canonical" href="${SITE_URL}${REPOSITORY}">`)
    for (const part of ['<title>title', 'name="description" content="description', 'property="og:title"'])
      expect(html).toContain(part)
    expect(html.trimEnd()).toMatch(/<\/html>$/)
  })

  test('the API reference names every address, error and field, and says something of each', async () => {
    const html = await (await fetch(`${site.origin}/docs/api`)).text()
    for (const { path } of Object.values(ROUTES))
      expect(html).toContain(`<span class="method">GET</span> <code>${path}</code>`)
    for (const code of Object.keys(ERRORS)) expect(html).toContain(`<code>${code}</code>`)
    for (const field of ['full_name', 'content_sha256', 'previous_version', 'yank_reason', 'repos_count', 'dry_run'])
      expect(html).toContain(`<code>${field}</code>`)
    expect(html).not.toContain('<td></td>')
    const samples = [...html.matchAll(/<pre tabindex="0"><code id="answer-(\w+)">([^<]*)</g)]
    const keys = samples.map(([, id, text]) => [id, id === 'getRaw' ? text : Object.keys(JSON.parse(decode(text!)))])
    expect(Object.fromEntries(keys)).toEqual({
      listRepositories: ['data', 'meta'],
      getRepository: ['data'],
      listVersions: ['data', 'meta'],
      getVersion: ['data'],
      getRaw: expect.stringMatching(/./),
      listTags: ['data', 'meta'],
      getUser: ['data'],
      publish: ['data'],
    })
  })

  test('the navigation of the docs has every guide', async () => {
    const guides = readdirSync(`${site.dir}/docs`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('/index.html'))
      .map((path) => `/docs/${path.slice(0, -'/index.html'.length)}`)
    const html = await (await fetch(`${site.origin}/docs/filling`)).text()
    const [nav = ''] = /<nav aria-label="Docs">.*?<\/nav>/s.exec(html) ?? []
    const linked = [...nav.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)
    expect(linked.toSorted()).toEqual(guides.toSorted())
  })

  test('what is not listed asks not to be found', async () => {
    for (const path of ['/mallory/gone', '/mallory/old', '/nobody'])
      expect(await (await fetch(site.origin + path)).text()).toContain('<meta name="robots" content="noindex">')
  })
})

describe('in a browser', () => {
  test.each(KINDS)(
    '%s: nothing hostile runs, nothing is inline or from elsewhere, everybody can use it, a small screen holds it',
    async (path) => {
      const { page, problems } = await site.open(path, { reducedMotion: 'reduce' })
      const ran = await page.evaluate((marker) => Reflect.get(window, marker), MARKER)
      const inlineParts = await page
        .locator('style, script:not([src^="/assets/"], [type="application/ld+json"])')
        .count()
      const inlineAttributes = await page.evaluate(() =>
        [...document.querySelectorAll('*')].flatMap(({ attributes }) =>
          [...attributes].map(({ name }) => name).filter((name) => name === 'style' || name.startsWith('on')),
        ),
      )
      const { inLight, inDark } = await findViolations(page)
      await page.setViewportSize({ width: 360, height: 740 })
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      const isTitleShort = (await page.title()).length <= 70
      const wrong = problems.filter((problem) => !(path === '/nobody/here' && problem.includes('404')))
      expect({ ran, inlineParts, inlineAttributes, inLight, inDark, width, wrong, isTitleShort }).toEqual({
        ...{
          ran: undefined,
          inlineParts: 0,
          inlineAttributes: [],
          inLight: [],
          inDark: [],
          width: 360,
          wrong: [],
          isTitleShort: true,
        },
      })
      await page.context().close()
    },
  )

  test('the policy is the strict one, on what a function draws too', async () => {
    const rule = HEADER_RULES[0]?.headers['Content-Security-Policy']
    expect(rule).not.toContain('unsafe')
    for (const path of ['/', '/search?q=x', '/nobody/here'])
      expect((await fetch(site.origin + path)).headers.get('Content-Security-Policy')).toBe(rule)
  })

  //  page                what comes over the wire, compressed, with the font
  test.each([
    ['/', 60_000],
    [REPOSITORY, 50_000],
    [`${REPOSITORY}/v/1.0.0`, 50_000],
    [COMPARE, 50_000],
  ])('%s weighs at most %i bytes', async (path, most) => {
    const page = await (await site.browser.newContext()).newPage()
    const sizes: Promise<number>[] = []
    page.on('requestfinished', (request) =>
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)),
    )
    await page.goto(site.origin + path, { waitUntil: 'networkidle' })
    const weighed = await Promise.all(sizes)
    expect(weighed.length).toBeGreaterThan(4)
    expect(weighed.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(most)
    await page.context().close()
  })

  test.each(KINDS)('%s is valid HTML', async (path) => {
    const validate = new HtmlValidate({
      extends: ['html-validate:recommended'],
      // It counts `&lt;` as four characters; the titles are measured in the browser, above.
      rules: { 'no-inline-style': 'error', 'long-title': 'off' },
    })
    const report = await validate.validateString(await (await fetch(site.origin + path)).text())
    expect(
      report.results.flatMap(({ messages }) =>
        messages.map(({ ruleId, message, line, column }) => `${ruleId} ${message} ${line}:${column}`),
      ),
    ).toEqual([])
  })

  test('without JavaScript, everything can be read and found, and nothing pretends to work', async () => {
    const { page } = await site.open('/', { javaScriptEnabled: false })
    expect(await page.locator('.rows .row').count()).toBe(20)
    await page.locator('#q').fill('hostile')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=hostile')
    expect(await page.locator('.row').count()).toBe(1)
    await page.goto(site.origin + REPOSITORY)
    expect(await page.locator('#content').textContent()).toContain('hostile')
    expect(await page.getByText('variable</script>').isVisible()).toBe(true)
    expect(await page.getByText('One of:').isVisible()).toBe(true)
    for (const control of ['#fill-in textarea', '#fill-in select', 'main button'])
      expect(await page.locator(control).first().isVisible()).toBe(false)
    await page.locator('label', { has: page.getByLabel('hubcli', { exact: true }) }).click()
    expect(await page.getByText('hubcli pull mallory/hostile --version 1.1.0').isVisible()).toBe(true)
    await page.goto(site.origin + COMPARE)
    expect(await page.getByText('came and must be given').isVisible()).toBe(true)
    await page.context().close()
  })
})

testVisitorJobs(() => site)

describe('finding', () => {
  test('suggests as one types, and goes there by keyboard alone', async () => {
    const { page, problems } = await site.open('/docs')
    await page.keyboard.press('/')
    await page.keyboard.type('hostile')
    await page.locator('[role=option]').first().waitFor()
    expect(await page.locator('[role=option] span').first().textContent()).toBe(hostile('title').slice(0, 200))
    await page.keyboard.press('ArrowDown')
    expect(await page.locator('[role=option][aria-selected=true]').count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${REPOSITORY}`)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('keeps the question in the address, and Back brings query, filter and page back', async () => {
    const { page, problems } = await site.open('/')
    await page.locator('#q').fill('plain')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Prompts for “plain”' }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/?q=plain')
    expect(await page.locator('.row h3 mark').first().textContent()).toBe('Plain')
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.getByText('Page 2 of').waitFor()
    const second = await page.locator('.row h3').allTextContents()
    await page.locator('.row h3 a').first().click()
    await page.waitForURL('**/mallory/plain-*')
    await page.goBack()
    await page.getByText('Page 2 of').waitFor()
    expect(await page.locator('.row h3').allTextContents()).toEqual(second)
    await page.goBack()
    await page.getByText('Page 1 of').waitFor()
    await page.goBack()
    await page.locator('.tasks').waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('filters with counts, each of which can be taken off again', async () => {
    const { page } = await site.open('/search?tag=many')
    await page.getByRole('link', { name: /^evil/ }).click()
    await page.getByText('1 prompt', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?tag=many&tag=evil')
    await page.getByRole('link', { name: /^evil.*take off$/ }).click()
    await page.getByText(`${PLAIN_COUNT + 2} prompts`).waitFor()
    await page.context().close()
  })

  test('says what a typo was read as, and offers tags when nothing is found', async () => {
    const { page } = await site.open('/search?q=hostlie')
    expect(await page.locator('#reading').textContent()).toContain('Showing results for hostile instead of “hostlie”')
    await page.goto(`${site.origin}/search?q=nothingofthatkind`)
    expect(await page.locator('.nothing .tags a').allTextContents()).toContain('evil')
    await page.goto(`${site.origin}/search?q=platypus&license=MIT`)
    expect(await page.locator('.nearby a').allTextContents()).toEqual(['plain'])
    await page.locator('.nearby a').click()
    await page.waitForURL('**/search?q=plain&license=MIT')
    await page.context().close()
  })

  test('hostile questions are text', async () => {
    const question = `"><script>window.${MARKER}=1</script>`
    const { page, problems } = await site.open(
      `/search?${new URLSearchParams({ q: question, license: question, tag: question })}`,
    )
    expect(await page.locator('#find-q').inputValue()).toBe(question)
    expect(await page.evaluate((marker) => Reflect.get(window, marker), MARKER)).toBeUndefined()
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('says what went wrong, and tries again', async () => {
    const { page } = await site.open('/')
    await page.route('**/search?*', (route) => route.abort())
    await page.locator('#q').fill('hostile')
    await page.keyboard.press('Enter')
    await page.getByText('The catalogue did not answer.').waitFor()
    await page.unroute('**/search?*')
    await page.getByRole('link', { name: 'Try again' }).click()
    await page.locator('#find .row').first().waitFor()
    expect(await page.getByText('The catalogue did not answer.').count()).toBe(0)
    await page.context().close()
  })
})

describe('the page of a prompt', () => {
  const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] }
  const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
  const copyAs = async (page: Page, words: string) => {
    await page.locator('summary[aria-label="More ways to copy"]').click()
    await page.getByRole('button', { name: words }).click()
    await page.locator('#copy-status', { hasText: 'Copied' }).waitFor({ state: 'attached' })
    return readClipboard(page)
  }

  test('shows and copies the very bytes of the API, filled in by the rule of all clients', async () => {
    const { page, problems } = await site.open(REPOSITORY, clipboard)
    const { data } = await site.getJson(`/api/v1/repos${REPOSITORY}`)
    expect(data.content).toBe(CONTENT)
    expect(await copyAs(page, 'Template, as published')).toBe(CONTENT)
    expect(await page.locator('#progress').textContent()).toBe('0 of 2 required')
    await page.getByLabel('language').fill('$& {{tone}} <b>')
    await page.getByLabel('tone').selectOption(hostile('option'))
    await page.getByLabel('strict').selectOption('true')
    await page.getByLabel('free').fill('two\nlines')
    expect(await page.locator('#progress').textContent()).toBe('2 of 2 required')
    const filled = CONTENT.replaceAll('{{language}}', () => '$& {{tone}} <b>')
      .replace('{{ tone }}', () => hostile('option'))
      .replace('{{count}}', '3')
      .replace('{{strict}}', 'true')
      .replace('{{free}}', 'two\nlines')
    // The value holds a placeholder; it is never filled again.
    expect(await copyAs(page, 'Filled in')).toBe(filled.replaceAll(`$& ${hostile('option')} <b>`, '$& {{tone}} <b>'))
    expect(await page.locator('.chip.filled', { hasText: '$& {{tone}} <b>' }).first().isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Template', exact: true }).click()
    expect(await page.locator('#content .chip').first().textContent()).toBe('{{language}}')
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('values live after the # alone, survive a reload, and travel by link', async () => {
    const { page } = await site.open(REPOSITORY, clipboard)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')))
    await page.getByLabel('free').fill('my secret & value')
    await page.waitForURL(/#\?free=/)
    await page.reload()
    expect(await page.getByLabel('free').inputValue()).toBe('my secret & value')
    const link = await copyAs(page, 'Link with my values')
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.waitForFunction(() => location.hash === '')
    await page.goto(link)
    expect(await page.getByLabel('free').inputValue()).toBe('my secret & value')
    expect(sent.filter((one) => one.split('#')[0]!.includes('secret'))).toEqual([])
    await page.context().close()
  })

  test('a chip leads to its field; examples fill empty fields alone, and can be undone; types are checked', async () => {
    const { page } = await site.open(REPOSITORY)
    await page.locator('#content a.chip').first().click()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('variable-language')
    await page.keyboard.type('typed')
    await page.getByRole('button', { name: 'Fill in examples' }).click()
    expect(await page.getByLabel('language').inputValue()).toBe('typed')
    expect(await page.getByLabel('tone').inputValue()).toBe('calm')
    await page.getByRole('button', { name: 'Undo examples' }).click()
    expect([await page.getByLabel('language').inputValue(), await page.getByLabel('tone').inputValue()]).toEqual([
      'typed',
      '',
    ])
    await page.getByLabel('count').fill('abc')
    expect(await page.locator('#variable-count-wrong').textContent()).toBe(
      'expected a whole number such as 3, got "abc"',
    )
    expect(await page.locator('#progress').textContent()).toBe('1 value does not fit')
    await page.context().close()
  })

  test('copying without permission selects the text instead, and the button keeps its width', async () => {
    const { page } = await site.open(REPOSITORY)
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    const button = page.getByRole('button', { name: 'Copy the curl lines, pinned to 1.1.0' })
    const before = (await button.boundingBox())?.width
    await button.click()
    await page.getByText('Press Ctrl+C').waitFor()
    expect(await page.evaluate(() => String(getSelection()))).toBe(
      `curl -fsS '${SITE_URL}/api/v1/repos${REPOSITORY}/raw?version=1.1.0'`,
    )
    expect((await button.boundingBox())?.width).toBe(before)
    await page.context().close()
  })

  test('says what is deprecated, archived, withdrawn or gone, and what to use instead', async () => {
    const { page } = await site.open(REPOSITORY)
    expect(await page.getByRole('note').first().textContent()).toMatch(
      /^Deprecated: .*status_message<\/script>.*Use mallory\/plain-1 instead\.$/s,
    )
    expect(await page.locator('.version-row.yanked').textContent()).toContain(hostile('yank_reason').slice(0, 40))
    await page.goto(`${site.origin}${REPOSITORY}/v/1.0.1`)
    expect(await page.getByText('1.0.1 was withdrawn.').isVisible()).toBe(true)
    expect(await page.locator('#content').textContent()).toBe('bad')
    await page.goto(`${site.origin}/mallory/old`)
    expect(await page.getByRole('note').textContent()).toMatch(/^Archived: /)
    await page.goto(`${site.origin}/mallory/gone`)
    expect(await page.getByRole('note').textContent()).toContain('no active version')
    expect(await page.locator('#content').count()).toBe(0)
    await page.context().close()
  })

  test('characters that cannot be seen are counted and shown, and the text stays what it was', async () => {
    const { page } = await site.open('/mallory/unseen')
    expect(await page.locator('#content').textContent()).toBe(UNSEEN_CONTENT)
    expect(
      await page
        .locator('#content .unseen')
        .evaluateAll((marks) => marks.map((mark) => (mark as HTMLElement).dataset.code)),
    ).toEqual(['U+200B', 'U+202E', 'U+202C', 'U+E0041'])
    expect(await page.getByText('4 hidden characters').isVisible()).toBe(true)
    await page.context().close()
  })
})

describe('a version that is newer than the site', () => {
  test('is shown as being built, and appears by itself', async () => {
    const name = 'plain-2'
    const { data: repository } = await site.getJson(`/api/v1/repos/mallory/${name}`)
    const { data: record } = await site.getJson(`/api/v1/repos/mallory/${name}/versions/1.0.0`)
    const { data: versions } = await site.getJson(`/api/v1/repos/mallory/${name}/versions`)
    const version = { ...record, version: '1.1.0', content: hostile('fresh'), previous_version: '1.0.0' }
    await site.fresh.keepVersion(version)
    await site.fresh.keep({
      repository: { ...repository, latest_version: '1.1.0', versions_count: 2 },
      versions: [{ ...versions[0], version: '1.1.0' }, versions[0]],
      ...{ based_on: null, kept_at: new Date().toISOString() },
    })
    const { page, problems } = await site.open(`/mallory/${name}/v/1.1.0`)
    expect(await page.getByRole('status').first().textContent()).toMatch(
      /Its page is being built and appears here by itself/,
    )
    expect(await page.locator('#content').textContent()).toBe(hostile('fresh'))
    expect(await page.locator('#content .unseen').first().getAttribute('data-code')).toBe('U+2028')
    expect(await page.evaluate((marker) => Reflect.get(window, marker), MARKER)).toBeUndefined()
    // What the next build does.
    mkdirSync(`${site.dir}/mallory/${name}/v/1.1.0`, { recursive: true })
    writeFileSync(`${site.dir}/mallory/${name}/v/1.1.0/index.html`, '<!doctype html><title>Built</title><h1>Built</h1>')
    await page.getByRole('heading', { name: 'Built' }).waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })
})

describe('addresses that are nearly right', () => {
  //  asked                          status  leads to
  test.each([
    ['/Mallory', 308, '/mallory'],
    ['/MALLORY/Hostile', 308, '/mallory/hostile'],
    ['/mallory/hostile/1.0.0', 308, '/mallory/hostile/v/1.0.0'],
    ['/mallory/hostile/v/1.0.0/', 200, null],
    ['/mallory/hostile/v/9.9.9', 404, null],
    ['/mallory/hostile/compare/1.0.0...9.9.9', 404, null],
    ['/mallory/hostile/compare/1.0.0...1.1.0', 200, null],
    ['/mallory/hostile/compare?from=1.0.0&to=1.1.0', 308, '/mallory/hostile/compare/1.0.0...1.1.0'],
    ['/mallory/hostile/compare?from=1.0.0&to=%2F%2Fx.example', 308, '/mallory/hostile#versions'],
    ['/mallory/hostile/compare', 308, '/mallory/hostile#versions'],
    ['/%6dallory/hostile', 404, null],
    ['/search/', 200, null],
  ])('%s: %i', async (path, status, location) => {
    const response = await fetch(site.origin + path, { redirect: 'manual' })
    expect([response.status, response.headers.get('Location')]).toEqual([status, location])
  })

  test('a misspelt name is answered with close ones', async () => {
    expect(await (await fetch(`${site.origin}/mallory/hostlie`)).text()).toContain(
      '<a href="/mallory/hostile">mallory/hostile</a>',
    )
  })
})

describe('a comparison', () => {
  const wordsOf = (page: Page, kind: string) =>
    page
      .locator(`.line.${kind} .words`)
      .evaluateAll((lines) => lines.map((line) => line.textContent.replace(/^(?:Went|Came): /, '')))

  test.each([
    [COMPARE, 'bad'],
    [`${REPOSITORY}/compare/1.0.0...1.1.0`, 'first'],
  ])('%s, built or drawn in the browser, shows every byte as text', async (path, before) => {
    const { page, problems } = await site.open(path)
    expect(await page.locator('.for-callers .mark').textContent()).toBe('Breaking for callers')
    expect(await page.locator('.for-callers li').allTextContents()).toEqual([
      '+ strict free came and must be given',
      '+ language tone count came and may be left out',
    ])
    expect(await wordsOf(page, 'went')).toEqual([before])
    expect(await wordsOf(page, 'came')).toEqual(CONTENT.split('\n').map((line) => line.replace(/\r$/, '')))
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('side by side, each line stands below the one before it, and lines that changed beside each other', async () => {
    const { page } = await site.open(COMPARE)
    const [before, after] = ['a\nb\nc\nd\ne\nf\n', 'a\nB1\nB2\nc\nd\nE\nf\ng\n']
    const drawn = drawLines(before, after)
    await page.locator('.lines').evaluate((section, html) => {
      section.outerHTML = html
    }, drawn)
    await page.getByText('Side by side').click()
    const places = await page.locator('.line').evaluateAll((lines) =>
      lines.map((line) => {
        const { x, y } = line.getBoundingClientRect()
        const words = line.querySelector('.words')?.textContent.replace(/^\w+: /, '') ?? ''
        return { words, x, y }
      }),
    )
    const leftmost = Math.min(...places.map(({ x }) => x))
    const column = (isRight: boolean) => places.filter(({ x }) => x > leftmost === isRight)
    const words = (rows: typeof places) => rows.toSorted((a, b) => a.y - b.y).map((row) => row.words)
    expect([words(column(false)), words(column(true))]).toEqual([
      ['a', 'b', 'c', 'd', 'e', 'f'],
      ['B1', 'B2', 'E', 'g'],
    ])
    const yOf = (text: string) => places.find((place) => place.words === text)!.y
    expect([yOf('b') === yOf('B1'), yOf('e') === yOf('E'), yOf('c') > yOf('B2')]).toEqual([true, true, true])
    await page.context().close()
  })

  test('shows what cannot be seen', async () => {
    const { page } = await site.open('/mallory/unseen/compare/1.0.0...1.0.1')
    expect(
      await page
        .locator('.line.came .unseen')
        .evaluateAll((marks) => marks.map((mark) => (mark as HTMLElement).dataset.code)),
    ).toEqual(['U+200B', 'U+202E', 'U+202C', 'U+E0041'])
    await page.context().close()
  })
})

describe('what stands beside the pages', () => {
  test('feeds are Atom, hold no markup of strangers, and lead to the difference', async () => {
    for (const path of ['/feed.xml', '/mallory/feed.xml', '/tags/evil/feed.xml', `${REPOSITORY}/feed.xml`]) {
      const { page, problems } = await site.open('/docs')
      const feed = await page.evaluate(async (address) => {
        const text = await (await fetch(address)).text()
        const xml = new DOMParser().parseFromString(text, 'application/xml')
        return {
          isBroken: xml.querySelector('parsererror') !== null,
          self: xml.querySelector('link[rel=self]')?.getAttribute('href'),
          entries: [...xml.querySelectorAll('entry')].map((entry) => entry.querySelector('content')?.textContent ?? ''),
        }
      }, path)
      expect([feed.isBroken, feed.self]).toEqual([false, SITE_URL + path])
      expect(feed.entries.length).toBeGreaterThan(0)
      expect(feed.entries.join('')).not.toContain('<script')
      expect(problems).toEqual([])
      await page.context().close()
    }
    expect(await (await fetch(`${site.origin}${REPOSITORY}/feed.xml`)).text()).toContain(`${SITE_URL}${COMPARE}`)
  })

  test('each prompt has a social card of its own, a picture of 600 by 315', async () => {
    const html = await (await fetch(`${site.origin}${REPOSITORY}/v/1.0.0`)).text()
    expect(html).toContain(`<meta property="og:image" content="${SITE_URL}/badges${REPOSITORY}.png">`)
    const { page } = await site.open('/docs')
    const seen = await page.evaluate(
      async (paths) => {
        const pictures = paths.map(async (path) => {
          const picture = await createImageBitmap(await (await fetch(path)).blob())
          const canvas = new OffscreenCanvas(picture.width, picture.height)
          const context = canvas.getContext('2d')!
          context.drawImage(picture, 0, 0)
          const { data } = context.getImageData(36, 90, 500, 60)
          return {
            size: [picture.width, picture.height],
            dark: data.filter((value, at) => at % 4 === 0 && value < 60).length,
          }
        })
        return Promise.all(pictures)
      },
      ['/badges/trent/long.png', '/badges/mallory/plain-1.png'],
    )
    expect(seen.map(({ size }) => size)).toEqual([
      [600, 315],
      [600, 315],
    ])
    // A whole line of a title is more ink than `Plain 1`.
    expect(seen[1]!.dark).toBeGreaterThan(500)
    expect(seen[0]!.dark).toBeGreaterThan(2 * seen[1]!.dark)
    await page.context().close()
  })

  test('a badge says name and version; llms.txt says where to read', async () => {
    const badge = await fetch(`${site.origin}/badges/mallory/hostile.svg`)
    expect(badge.headers.get('Content-Type')).toBe('image/svg+xml')
    expect(await badge.text()).toContain('aria-label="mallory/hostile: v1.1.0"')
    expect(await (await fetch(`${site.origin}/llms.txt`)).text()).toMatch(/^# Prompt Hub\n\n> /)
  })

  test('the address in the scripts is the one of the table', () =>
    expect(ROUTES_LIST).toBe(ROUTES.listRepositories.path))
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
    const page = await (await site.browser.newContext()).newPage()
    await page.goto(elsewhere)
    const read = ([address, given]: [string, Record<string, string>]) =>
      fetch(address, { headers: given }).then((answer) => answer.status, String)
    const status = await page.evaluate(read, [site.origin + path, headers] as [string, Record<string, string>])
    expect(status).toBe(path === '/api/v1/nothing' ? 404 : 200)
    await page.context().close()
  })
})

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
    const { pathname, search, hash, origin: target } = new URL(next.link, site.origin + (next.from || '/'))
    if (target !== site.origin && target !== SITE_URL) continue
    const path = pathname + search
    let crawled = pages.get(path)
    if (!crawled) {
      const response = await fetch(site.origin + path)
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
