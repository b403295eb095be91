// Tests two response optimizations: splitting a URL exactly as the URL class does, and reusing cached headers only if
// they are the same.
import { describe, expect, test } from 'vitest'
import { pathOf, queryOf } from './request.ts'
import { type Answer, respondWith } from './respond.ts'

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
  const first: Answer = { bytes, mediaType: 'application/json', cache: 'changing', subject: { owner: 'a', name: 'b' } }
  const ask = (answer: Answer, headers: Record<string, string> = {}) =>
    respondWith(new Request('http://localhost/', { headers }), answer).headers
  const all = (headers: Headers) => Object.fromEntries(headers)

  //  difference       response                                 header              without it              with it
  test.each<[string, Partial<Answer>, string, string | null, string | null]>([
    ['cache lifetime', { cache: 'immutable' }, 'CDN-Cache-Control', 'public, max-age=60', null],
    ['cache tag', { subject: { owner: 'c', name: 'd' } }, 'Cache-Tag', 'repo_a_b', 'repo_c_d'],
    ['media type', { mediaType: 'text/plain' }, 'Content-Security-Policy', null, "default-src 'none'; sandbox"],
    ['additional headers', { headers: { 'X-Prompt-Version': '1.0.0' } }, 'X-Prompt-Version', null, '1.0.0'],
  ])('sends different headers for a different response: %s', (_, other, name, without, withIt) => {
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
