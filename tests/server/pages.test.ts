// Tests the function that serves the pages rendered by Astro: caching, tags, redirects, limits, and errors for invalid
// requests.
import { expect, test } from 'vitest'
import { HubError } from '../../src/domain/api/errors.ts'
import { forNetlify } from '../../src/hosts/netlify/serve.ts'
import type { Hub, HubPages } from '../../src/server/hub.ts'
import { openPageCache } from '../../src/server/page-cache.ts'
import { handlePage } from '../../src/server/pages/handle-page.ts'
import type { RenderPage } from '../../src/site/rendering.ts'
import { makeHub } from '../hubs/make-hub.ts'
import { makeProfile } from '../hubs/profile.ts'

let rendered: string[] = []
const render: RenderPage = async (path) => {
  rendered.push(path)
  if (path.includes('nothing') || path === '/404')
    return new Response('There is nothing here', { status: 404, headers: HTML })
  return new Response(`Page ${path}, number ${rendered.length}`, { headers: HTML })
}
const HTML = { 'Content-Type': 'text/html' }
const away = () => Promise.reject(new HubError('unavailable', 'Away.', { retryAfterSeconds: 5 }))

function open(
  given: Partial<HubPages> = {},
  { limiter, siteFiles = { read: async () => undefined } }: Partial<Pick<Hub, 'limiter' | 'siteFiles'>> = {},
) {
  rendered = []
  const pages: HubPages = {
    profile: makeProfile('https://hub.test'),
    brokenOf: () => [],
    render,
    cache: openPageCache(),
    ...given,
  }
  const hub = makeHub({ siteFiles, pages: () => pages, ...(limiter && { limiter }) })
  const ask = (path: string, headers: Record<string, string> = {}) =>
    handlePage(new Request(`https://hub.test${path}`, { headers }), () => hub)
  return { pages, ask }
}

//  path                                    cache tags
test.each([
  ['/acme/review', 'repo_acme_review'],
  ['/acme/review/', 'repo_acme_review'],
  ['/acme/review/v/1.0.0', 'repo_acme_review'],
  ['/acme/review/compare/1.0.0...1.1.0', 'repo_acme_review'],
  ['/acme/review/forks', 'repo_acme_review'],
  ['/acme/review/dependents', 'repo_acme_review'],
  ['/badges/acme/review.svg', 'repo_acme_review'],
  ['/acme', 'owner_acme'],
  ['/acme/feed.xml', 'owner_acme'],
  ['/tags/code/2', 'tag_code'],
  ['/', null],
])(
  '%s is cached by shared caches like a changing record, and by browsers only to be checked, with cache tags %s',
  async (path, tags) => {
    const { headers } = forNetlify(await open().ask(path))
    expect(headers.get('Cache-Control')).toBe('public, max-age=0, s-maxage=60, must-revalidate')
    expect(headers.get('Netlify-CDN-Cache-Control')).toBe('public, durable, s-maxage=31536000')
    expect(headers.get('Netlify-Cache-Tag')).toBe(tags)
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'")
  },
)

test('caches a page until its repository is published to, and returns 304 for a matching ETag', async () => {
  const { ask, pages } = open()
  const first = await ask('/acme/review')
  const again = await ask('/acme/review?any=query')
  expect([await again.text(), rendered]).toEqual([await first.text(), ['/acme/review']])
  const etag = first.headers.get('ETag')!
  expect((await ask('/acme/review', { 'If-None-Match': etag })).status).toBe(304)
  pages.cache!.purge(['repo_acme_other', 'owner_other'])
  await ask('/acme/review')
  expect(rendered).toHaveLength(1)
  pages.cache!.purge(['repo_acme_review'])
  expect((await ask('/acme/review', { 'If-None-Match': etag })).status).toBe(200)
  expect(rendered).toHaveLength(2)
})

test('does not cache a page whose repository was published to during rendering', async () => {
  const cache = openPageCache()
  const { ask } = open({
    cache,
    render: async (path, locals) => {
      cache.purge(['repo_acme_review'])
      return render(path, locals)
    },
  })
  await ask('/acme/review')
  await ask('/acme/review')
  expect(rendered).toHaveLength(2)
})

test('renders a page once for simultaneous requests, and again for a request after a purge', async () => {
  const gate = Promise.withResolvers<void>()
  const { ask, pages } = open({
    render: async (path, locals) => {
      const page = await render(path, locals)
      await gate.promise
      return page
    },
  })
  const answers = [...Array.from({ length: 50 }, () => ask('/')), ask('/search?q=a'), ask('/search?q=a')]
  await expect.poll(() => rendered).toHaveLength(2)
  pages.cache!.purge(['repo_acme_review'])
  answers.push(ask('/'))
  await expect.poll(() => rendered).toHaveLength(3)
  gate.resolve()
  const statuses = await Promise.all(answers.map(async (answer) => (await answer).status))
  expect(statuses).toEqual(Array(53).fill(200))
  expect(rendered).toEqual(['/', '/search?q=a', '/'])
})

//  path                     Accept                                 redirect
test.each([
  ['/acme/review/v/1.0.0', 'text/markdown', '/api/v1/repos/acme/review/versions/1.0.0/export/markdown'],
  [
    '/acme/review/v/1.0.0',
    'text/markdown, text/html;q=0.9',
    '/api/v1/repos/acme/review/versions/1.0.0/export/markdown',
  ],
  ['/acme/review/v/1.0.0', 'text/html, text/markdown', null],
  ['/acme/review/forks', 'text/markdown', null],
  ['/acme', 'text/markdown', null],
])('%s with Accept: %s leads to %s', async (path, accept, target) => {
  const { ask } = open()
  const { status, headers } = await ask(path, { Accept: accept })
  expect([status, headers.get('Location')]).toEqual([target === null ? 200 : 302, target])
  if (path.includes('/v/')) expect((await ask(path)).headers.get('Vary')).toBe('Accept-Encoding, Accept')
})

test('a 404 is kept by shared caches for 30 s, has the repository’s cache tag, and is not kept in the page cache', async () => {
  const { ask } = open()
  for (const path of ['/acme/nothing', '/acme/nothing', '/%61cme/review', '//acme', '/acme//review']) {
    const { status, headers } = await ask(path)
    expect([status, headers.get('Cache-Control')]).toEqual([404, 'public, max-age=0, s-maxage=30, must-revalidate'])
  }
  expect(rendered).toEqual(['/acme/nothing', '/acme/nothing', '/404', '/404', '/404'])
  expect((await ask('/acme/nothing')).headers.get('Cache-Tag')).toBe('repo_acme_nothing')
})

test('returns 503 when data that the page needs is unavailable', async () => {
  const renderOwner: RenderPage = async (path, locals) => {
    await locals.hub?.findOwner('acme').catch(() => {})
    return render(path, locals)
  }
  // This is no page of an owner or a prompt, which may redirect.
  const answer = await open({ render: renderOwner }, { siteFiles: { read: away } }).ask('/tags')
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '5'])
})

test('returns 500 internal_error when rendering a page fails', async () => {
  const { ask } = open({ render: async () => new Response(null, { status: 500 }) })
  const answer = await ask('/acme')
  expect([answer.status, (await answer.json()).error.code]).toEqual([500, 'internal_error'])
})

test('a rendered page counts toward the rate limit, a cached one does not', async () => {
  let left = 1
  const { ask } = open({}, { limiter: { take: () => (left-- > 0 ? 0 : 30) } })
  expect((await ask('/acme/review')).status).toBe(200)
  expect((await ask('/acme/review')).status).toBe(200)
  const refused = await ask('/acme/other')
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '30'])
})

test('a page whose words change at a moment is cached by a CDN only until then', async () => {
  const expires = new Date(Date.now() + 3_600_000).toUTCString()
  const soon: RenderPage = async () => new Response('Page', { headers: { ...HTML, Expires: expires } })
  const { headers } = forNetlify(await open({ render: soon }).ask('/acme/review'))
  const seconds = Number(/s-maxage=(\d+)$/.exec(headers.get('Netlify-CDN-Cache-Control') ?? '')?.[1])
  expect(seconds).toBeGreaterThan(3_500)
  expect(seconds).toBeLessThanOrEqual(3_600)
  expect(headers.get('Cache-Control')).toBe('public, max-age=0, s-maxage=60, must-revalidate')
  expect(headers.get('Expires')).toBe(null)
  const past: RenderPage = async () =>
    new Response('Page', { headers: { ...HTML, Expires: new Date(0).toUTCString() } })
  const over = forNetlify(await open({ render: past }).ask('/acme/review'))
  expect(over.headers.get('Netlify-CDN-Cache-Control')).toBe('public, durable, s-maxage=1')
})
