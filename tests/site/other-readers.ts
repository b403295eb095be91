// Tests the site for other clients: search results in the same order everywhere, the TypeScript library, feeds, the
// preview image, badges and cross-origin pages.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileLibrary } from '../../src/build/downloads/compile-library.ts'
import { listen } from '../listen.ts'
import { type BuiltSite, SITE_URL } from './built-site.ts'
import { COMPARE, REPOSITORY } from './hostile-content.ts'

/** Adds the tests. @param opened returns the site; called once the site is open */
export function testOtherReaders(opened: () => BuiltSite): void {
  let site: BuiltSite
  beforeAll(() => {
    site = opened()
  })

  describe('same search order for every client', () => {
    //  query                corrected, ignored
    test.each([
      ['evil plain', {}, []],
      ['hostlie zzqxjk', { hostlie: 'hostile' }, ['zzqxjk']],
    ] as const)('%s: REST, MCP and the page', async (q, corrected, ignored) => {
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
    })
  })

  test('the TypeScript library works on a page of another origin, with a hub and with a mirror that supports only GET', async () => {
    const methods: (string | undefined)[] = []
    const open = async (answer: (path: string, response: ServerResponse) => void) => {
      const server = createServer((request, response) => answer(request.url ?? '', response))
      return { server, origin: await listen(server) }
    }
    const compiled = await compileLibrary('.')
    const library = await open((path, response) => {
      const isPage = path === '/'
      response.setHeader('Content-Type', isPage ? 'text/html' : 'text/javascript')
      response.end(isPage ? '<!doctype html>' : compiled.get(path.slice(1)))
    })
    const mirror = await open((path, response) => {
      methods.push(response.req.method)
      const send = async (answer: Response) => {
        const headers = { 'Access-Control-Allow-Origin': '*', ETag: answer.headers.get('ETag') ?? '' }
        response.writeHead(response.req.method === 'GET' ? answer.status : 501, headers).end(await answer.text())
      }
      fetch(site.origin + path)
        .then(send)
        .catch(() => response.destroy())
    })
    const context = await site.browser.newContext()
    const page = await context.newPage()
    await page.goto(library.origin)
    for (const url of [site.origin, mirror.origin]) {
      // This code is a string, because Vitest would rewrite the import.
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

  describe('files other than pages', () => {
    test('feeds are valid Atom, contain no unescaped markup, and link to the comparison', async () => {
      const { page, problems } = await site.open('/docs')
      for (const path of ['/feed.xml', '/mallory/feed.xml', '/tags/evil/feed.xml', `${REPOSITORY}/feed.xml`]) {
        const feed = await page.evaluate(async (address) => {
          const text = await (await fetch(address)).text()
          const xml = new DOMParser().parseFromString(text, 'application/xml')
          return {
            isBroken: xml.querySelector('parsererror') !== null,
            self: xml.querySelector('link[rel=self]')?.getAttribute('href'),
            entries: [...xml.querySelectorAll('entry')].map(
              (entry) => entry.querySelector('content')?.textContent ?? '',
            ),
          }
        }, path)
        expect([feed.isBroken, feed.self]).toEqual([false, SITE_URL + path])
        expect(feed.entries.length).toBeGreaterThan(0)
        expect(feed.entries.join('')).not.toContain('<script')
      }
      expect(problems).toEqual([])
      expect(await (await fetch(`${site.origin}${REPOSITORY}/feed.xml`)).text()).toContain(`${SITE_URL}${COMPARE}`)
    })

    test('the preview image of a link is a picture of 1200 by 630 pixels', async () => {
      const own = `/badges${REPOSITORY}.png`
      for (const [path, card] of [
        ['/', '/card.png'],
        [REPOSITORY, own],
        [COMPARE, '/card.png'],
      ]) {
        const html = await (await fetch(site.origin + path)).text()
        expect(html).toContain(`<meta property="og:image" content="${SITE_URL}${card}">`)
      }
      const answer = await fetch(site.origin + own)
      const drawn = new DataView(await answer.arrayBuffer())
      expect([answer.status, answer.headers.get('Content-Type'), drawn.getUint32(16), drawn.getUint32(20)]).toEqual([
        ...[200, 'image/png', 1_200, 630],
      ])
      expect((await fetch(`${site.origin}/badges/nobody/here.png`)).status).toBe(404)
      const { page } = await site.open('/docs')
      const size = await page.evaluate(async () => {
        const { width, height } = await createImageBitmap(await (await fetch('/card.png')).blob())
        return [width, height]
      })
      expect(size).toEqual([1200, 630])
    })

    test('a badge shows name and version, and llms.txt describes the hub', async () => {
      const badge = await fetch(`${site.origin}/badges/mallory/hostile.svg`)
      expect(badge.headers.get('Content-Type')).toBe('image/svg+xml')
      expect(await badge.text()).toContain('aria-label="mallory/hostile: v1.1.0"')
      const page = await fetch(`${site.origin}/mallory/hostile`)
      expect(page.headers.get('Link')).toBe('</llms.txt>; rel="describedby"; type="text/plain"')
      const text = await (await fetch(`${site.origin}/llms.txt`)).text()
      expect(text).toMatch(/^# Prompt Hub\n\n> /)
      const own = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, url]) => new URL(url!).pathname)
      expect(own).toContain('/data/v1/models.json')
      expect(own).toContain('/.well-known/agent-skills/index.json')
    })
  })

  describe('a page of another origin', () => {
    let other: Server
    let page: Page
    beforeAll(async () => {
      other = createServer((_incoming, outgoing) =>
        outgoing.setHeader('Content-Type', 'text/html').end('<title>Elsewhere</title>'),
      )
      page = await (await site.browser.newContext()).newPage()
      await page.goto(await listen(other))
    })
    afterAll(async () => {
      await page?.context().close()
      other.close()
    })

    const TRACED = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'Cache-Control': 'no-cache',
    }
    test.each([
      ['/api/v1/tags', { ...TRACED, 'If-None-Match': '"x"' }],
      ['/api/v1/nothing', TRACED],
      ['/data/v1/tags.json', TRACED],
      ['/docs/mcp/server.json', TRACED],
      ['/docs/renovate.json', TRACED],
      ['/cli/hubcli', TRACED],
    ])('can read %s, whatever headers its tools add', async (path, headers) => {
      const read = ([address, given]: [string, Record<string, string>]) =>
        fetch(address, { headers: given }).then((answer) => answer.status, String)
      const status = await page.evaluate(read, [site.origin + path, headers] as [string, Record<string, string>])
      expect(status).toBe(path === '/api/v1/nothing' ? 404 : 200)
    })
  })
}
