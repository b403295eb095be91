// Tests the site without a browser: all links, lists, the API reference, 404 pages and redirects.
import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { ERRORS } from '../../src/domain/api/errors.ts'
import { READS } from '../../src/domain/api/routes.ts'
import { GUIDE_PATHS } from '../../src/site/docs/guides.ts'
import { type BuiltSite, SITE_URL } from './built-site.ts'
import { COMPARE, PLAIN_COUNT, REPOSITORY } from './hostile-content.ts'

const LISTED = PLAIN_COUNT + 3

/** Adds the tests. @param opened returns the site; called once the site is open */
export function testWithoutBrowser(opened: () => BuiltSite): void {
  let site: BuiltSite
  beforeAll(() => {
    site = opened()
  })

  describe('reading without a browser', () => {
    test('every link on the site works, and everything listed is linked', async () => {
      const pages = await crawl(site)
      const missing = [...pages]
        // An export format may reject text that would have a special meaning in it.
        .filter(([path, { status }]) => status !== 200 && !(path.includes('/export/') && status === 422))
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
      '%s is a page with status 404',
      async (path) => {
        const response = await fetch(site.origin + path)
        expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
        expect(await response.text()).toContain('Page not found')
      },
    )

    test('the sitemap contains exactly what is listed', async () => {
      const sitemap = await (await fetch(`${site.origin}/sitemap.xml`)).text()
      const addresses = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) =>
        address!.replace(SITE_URL, ''),
      )
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

    test('pages have a language, a title, a description and a canonical URL', async () => {
      const html = await (await fetch(site.origin + REPOSITORY)).text()
      expect(html).toMatch(/^<!doctype html><html lang="en">/i)
      expect(html).toContain(`<link rel="canonical" href="${SITE_URL}${REPOSITORY}">`)
      for (const part of ['<title>title', 'name="description" content="description', 'property="og:title"'])
        expect(html).toContain(part)
      expect(html.trimEnd()).toMatch(/<\/html>$/)
    })

    test('the API reference documents every route, error and field', async () => {
      // Long addresses may break after a slash.
      const html = (await (await fetch(`${site.origin}/docs/api`)).text()).replaceAll('<wbr>', '')
      for (const { path } of READS) expect(html).toContain(`<span class="method">GET</span> <code>${path}</code>`)
      const { paths } = await (await fetch(`${site.origin}/data/v1/openapi.json`)).json()
      const operations = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
      const documented = [...html.matchAll(/>(GET|POST|PUT|PATCH|DELETE)<\/\w+>(?:<\/td><td>| )<code>([^<]+)</g)]
      expect(documented.map(([, method, path]) => `${method} ${path}`).toSorted()).toEqual(operations.toSorted())
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
        listDependents: ['data', 'meta'],
        listTags: ['data', 'meta'],
        getUser: ['data'],
        listLabelled: ['data', 'meta'],
        publish: ['data'],
      })
    })

    test('the documentation navigation lists every guide', async () => {
      const guides = readdirSync('src/pages/docs')
        .filter((name) => /\.(?:md|astro)$/.test(name) && name !== 'index.astro')
        .map((name) => `/docs/${name.replace(/\.\w+$/, '')}`)
      const html = await (await fetch(`${site.origin}/docs/filling`)).text()
      const [nav = ''] = /<nav aria-label="Documentation"[^>]*>.*?<\/nav>/s.exec(html) ?? []
      const linked = [...nav.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)
      expect(linked.toSorted()).toEqual(guides.toSorted())
    })

    test('every guide is there as Markdown, and its page says so', async () => {
      for (const path of GUIDE_PATHS)
        expect([path, (await fetch(`${site.origin}${path}.md`)).status]).toEqual([path, 200])
      for (const [name, beginning] of [
        ['publishing', /^# Publishing\n\nPublish in [\s\S]*\n```yaml\n/],
        ['api', /^# API reference\n\nReading [\s\S]*\n\| `page` \| integer/],
        ['cli', /^# hubcli\n\n[\s\S]*\n- `hubcli versions <owner>\/<name>`: Lists/],
      ] as const) {
        const response = await fetch(`${site.origin}/docs/${name}.md`)
        expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
        expect(await response.text()).toMatch(beginning)
      }
      const page = await (await fetch(`${site.origin}/docs/publishing`)).text()
      expect(page).toContain('href="/docs/publishing.md"')
      expect(page).toMatch(/On this page<\/p>.*<a href="#check-pull-requests">Check pull requests<\/a>/s)
      expect(page).toMatch(/<a rel="prev" href="\/docs\/mcp">.*<a rel="next" href="\/docs\/managing">/s)
      expect((await fetch(`${site.origin}/docs/nothing.md`)).status).toBe(404)
    })

    test('code in a row is in tabs', async () => {
      const page = await (await fetch(`${site.origin}/docs/production`)).text()
      const [, names] = /<div class="code-tabs"[^>]*>(.*?)<\/div>\s*<\/div>/s.exec(page) ?? []
      expect([...(names ?? '').matchAll(/<input type="radio"[^>]* value="(\w+)"/g)].map(([, name]) => name)).toEqual([
        'TypeScript',
        'Python',
      ])
    })

    test.each([
      ['trusted publishing', '/docs/publishing'],
      ['go many', '/tags/many'],
      ['mallory', '/mallory'],
    ])('a search for “%s” finds %s as well', async (q, address) => {
      const html = await (await fetch(`${site.origin}/search?${new URLSearchParams({ q })}`)).text()
      const [others = ''] = /<ul class="others".*?<\/ul>/s.exec(html) ?? []
      expect(others).toContain(`<a href="${address}">`)
    })

    test.each([
      ['is:skill', 'Agent Skills'],
      ['tag:writing', 'writing'],
      ['owner:mallory', 'by mallory'],
      ['license:MIT', 'MIT'],
    ])('%s in the search field is a filter', async (q, chip) => {
      const html = await (await fetch(`${site.origin}/search?${new URLSearchParams({ q })}`)).text()
      expect(html).toMatch(new RegExp(`aria-label="Active filters"><li><a href="/search">${chip} <span`))
      expect(html).toContain('<input id="find-q" name="q" type="search" value maxlength')
    })

    test('pages that are not listed have noindex', async () => {
      for (const path of ['/mallory/gone', '/mallory/old', '/nobody'])
        expect(await (await fetch(site.origin + path)).text()).toContain('<meta name="robots" content="noindex">')
    })
  })

  describe('almost correct URLs', () => {
    //  path                           status  redirects to
    test.each([
      ['/Mallory', 308, '/mallory'],
      ['/MALLORY/Hostile', 308, '/mallory/hostile'],
      ['/Mallory/feed.xml', 308, '/mallory/feed.xml'],
      ['/badges/Mallory/hostile.svg', 308, '/badges/mallory/hostile.svg'],
      ['/tags/Writing?x=A', 308, '/tags/writing?x=A'],
      ['/mallory//hostile', 404, null],
      ['//mallory', 404, null],
      ['//Mallory', 404, null],
      ['/mallory/hostile/1.0.0', 308, '/mallory/hostile/v/1.0.0'],
      ['/mallory/hostile/v/1.0.0/', 200, null],
      ['/mallory/hostile/v/9.9.9', 404, null],
      ['/mallory/hostile/compare/1.0.0...9.9.9', 404, null],
      ['/mallory/hostile/compare/1.0.0...1.1.0', 200, null],
      ['/mallory/hostile/compare?from=1.0.0&to=1.1.0', 308, '/mallory/hostile/compare/1.0.0...1.1.0'],
      ['/mallory/hostile/compare?from=1.0.0&to=%2F%2Fx.example', 308, '/mallory/hostile#versions'],
      ['/mallory/hostile/compare', 308, '/mallory/hostile#versions'],
      ['/login', 308, '/settings'],
      ['/signin?x=1', 308, '/settings'],
      ['/Sign-in/', 308, '/settings'],
      ['/skills', 308, '/docs/skills'],
      ['/owners', 308, '/tags#owners'],
      ['/skills/login', 404, null],
      ['/%6dallory/hostile', 404, null],
      ['/search/', 200, null],
    ])('%s: %i', async (path, status, location) => {
      const response = await fetch(site.origin + path, { redirect: 'manual' })
      expect([response.status, response.headers.get('Location')]).toEqual([status, location])
    })

    test('a missing version or page of a prompt is named, without suggestions of other prompts', async () => {
      const read = async (path: string) => (await (await fetch(site.origin + path)).text()).replaceAll(/<[^>]+>/g, '')
      expect(await read('/mallory/hostile/v/9.9.9')).toMatch(
        /mallory\/hostile has no version 9\.9\.9\.\s+Open mallory\/hostile or see its versions\./,
      )
      for (const path of [
        '/mallory/hostile/v/9.9.9',
        '/mallory/hostile/compare/1.0.0...9.9.9',
        '/mallory/hostile/nothing',
      ])
        expect(await read(path)).not.toContain('Did you mean')
      expect(await read('/mallory/hostile/nothing')).toContain('mallory/hostile exists, but this page of it does not.')
    })

    test('a misspelled name gets suggestions: on a page and from the API', async () => {
      expect(await (await fetch(`${site.origin}/mallory/hostlie`)).text()).toContain(
        '<p>Did you mean <a href="/mallory/hostile">mallory/hostile</a>?</p>',
      )
      for (const rest of ['', '/versions', '/versions/1.0.0', '/raw', '/raw?version=1.0.0']) {
        const { error } = await site.getJson(`/api/v1/repos/mallory/hostlie${rest}`)
        expect([rest, error.code, error.message]).toEqual([
          rest,
          'not_found',
          'Repository not found: mallory/hostlie. Did you mean mallory/hostile? Search with /api/v1/repos?q=….',
        ])
      }
      expect((await site.getJson('/api/v1/repos/zzqxjk/zzqxjk')).error.message).toBe(
        'Repository not found: zzqxjk/zzqxjk. Search with /api/v1/repos?q=….',
      )
    })
  })
}

interface Crawled {
  status: number
  from: string
  /** The link targets in an HTML page. */
  ids: Set<string> | undefined
  fragments: Set<string>
}

/** Follows every internal link from `/`, as a user without JavaScript could. */
async function crawl(site: BuiltSite): Promise<Map<string, Crawled>> {
  const pages = new Map<string, Crawled>()
  const queue = [{ link: '/', from: '' }]
  for (let next = queue.shift(); next; next = queue.shift()) {
    const {
      pathname,
      search,
      searchParams,
      hash,
      origin: target,
    } = new URL(next.link, site.origin + (next.from || '/'))
    if (target !== site.origin && target !== SITE_URL) continue
    const path = pathname + search
    // The plain prompts differ only in their numbers, the sign-in in where it leads back to, and searches in their filters.
    const isLikeOthers =
      /^\/(?:[\w/.]*\/)?mallory\/plain-(?:[2-9]|\d\d)|^\/settings\?/.test(path) || searchParams.size > 2
    if (!pages.has(path) && isLikeOthers)
      pages.set(path, { status: 200, from: next.from, ids: undefined, fragments: new Set() })
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
  return attribute.replaceAll('&#34;', '"').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}
