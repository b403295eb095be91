// Tests what is cached to make responses cheap: a URL is split like the URL class does, and cached headers are only used if they are the same.
import { describe, expect, test } from 'vitest'
import { pathOf, queryOf } from '../../src/server/address.ts'
import { type Answer, respondWith } from '../../src/server/respond.ts'

test.each(['/', '/api/v1/repos?q=a/b?c#d', '/api?', '?q=//x', '#?a', '/a/../%2e%2e/b/ü?ü=ü', '//other.example/x'])(
  '%s: pathOf and queryOf match the URL class',
  (address) => {
    for (const origin of ['http://localhost', 'https://[::1]:8443', 'http://a.example:1']) {
      const { url } = new Request(origin + address)
      const { pathname, search } = new URL(url)
      expect([pathOf(url), queryOf(url)]).toEqual([pathname, search])
    }
  },
)

describe('headers of responses with the same bytes', () => {
  const bytes = new TextEncoder().encode('{"data":1}')
  const first: Answer = { bytes, mediaType: 'application/json', cache: 'changing', cacheTag: 'repo_a_b' }
  const ask = (answer: Answer, headers: Record<string, string> = {}) =>
    respondWith(new Request('http://localhost/', { headers }), answer).headers
  const all = (headers: Headers) => Object.fromEntries(headers)

  //  what differs     asked as                                 header              without it              with it
  test.each<[string, Partial<Answer>, string, string | null, string | null]>([
    ['how long', { cache: 'immutable' }, 'Netlify-Cache-ID', null, 'version_repo_a_b'],
    ['the tag', { cacheTag: 'repo_c_d' }, 'Netlify-Cache-Tag', 'repo_a_b', 'repo_c_d'],
    ['the type', { mediaType: 'text/plain' }, 'Content-Security-Policy', null, "default-src 'none'; sandbox"],
    ['more headers', { headers: { 'X-Prompt-Version': '1.0.0' } }, 'X-Prompt-Version', null, '1.0.0'],
  ])('sends different headers for a different answer: %s', (_, other, name, without, withIt) => {
    const plain = all(ask(first))
    expect(ask(first).get(name)).toBe(without)
    expect(ask({ ...first, ...other }).get(name)).toBe(withIt)
    expect(all(ask(first))).toEqual(plain)
  })

  test('changing the headers of one response does not affect the next', () => {
    const plain = all(ask(first))
    ask(first).set('Vary', 'Cookie')
    const etag = plain.etag ?? ''
    expect(all(ask(first, { 'If-None-Match': etag }))).not.toHaveProperty('content-length')
    expect(all(ask(first))).toEqual(plain)
  })
})
