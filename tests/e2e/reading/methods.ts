// Read tests for HTTP rules: methods, conditional requests, caching, cross-origin requests.
import { describe, expect, test } from 'vitest'
import { words } from '../../words.ts'
import { EXPOSED, expectError, FOREVER, SHORT } from '../answers.ts'
import type { Reading } from './hub.ts'

export function methods(hub: Reading): void {
  const { send, get, found, first } = hub

  describe('methods and headers', () => {
    const { full_name, owner } = first
    const version = first.latest.version
    const paths = words`
      /api/v1/repos?sort=new&page=2 /api/v1/repos?q=review /api/v1/repos/${full_name} /api/v1/repos/${full_name}/versions
      /api/v1/repos/${full_name}/versions/${version} /api/v1/repos/${full_name}/raw
      /api/v1/repos/${full_name}/raw?version=${version} /api/v1/tags /api/v1/users/${owner} /api/v1/openapi.json
    `

    test.each(paths)('HEAD %s: same headers as GET, without a body', async (path) => {
      const [body, head] = [await found(path), await get(path, {}, 'HEAD')]
      expect(head.status).toBe(200)
      for (const header of ['content-type', 'cache-control', 'etag', 'link', 'x-prompt-version']) {
        expect(head.headers[header], header).toBe(body.headers[header])
      }
    })

    //  path                            status
    const wrong = [
      ['/api/v1/repos?page=0', 400],
      ['/api/v1/repos/no-such/thing', 404],
    ] as const
    test.each(wrong)('HEAD %s: %i, as for GET', async (path, status) => {
      expect((await get(path, {}, 'HEAD')).status).toBe(status)
    })

    test.each(paths)('OPTIONS %s: 204 with the allowed methods', async (path) => {
      const answer = await get(
        path,
        { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'GET' },
        'OPTIONS',
      )
      expect(answer.status).toBe(204)
      const allowed = (answer.headers['access-control-allow-methods'] ?? '').split(/, ?/)
      expect(allowed).toEqual(expect.arrayContaining(['GET', 'HEAD']))
      expect(answer.headers['access-control-expose-headers']).toBe(EXPOSED)
    })

    //  method     path
    test.each([
      ['POST', '/api/v1/repos'],
      ['PUT', '/api/v1/repos'],
      ['PUT', `/api/v1/repos/${full_name}`],
      ['PUT', `/api/v1/repos/${full_name}/versions`],
      ['DELETE', `/api/v1/repos/${full_name}/versions`],
      ['POST', `/api/v1/repos/${full_name}/versions/${first.latest.version}`],
      ['POST', `/api/v1/repos/${full_name}/raw`],
      ['POST', '/api/v1/tags'],
      ['DELETE', `/api/v1/users/${owner}`],
      ['DELETE', '/api/v1/openapi.json'],
    ])('%s %s: 405 with the allowed methods', async (method, path) => {
      const answer = await get(path, { 'Content-Length': '0' }, method)
      expectError(answer, 405)
      const allowed = (answer.headers.allow ?? '').split(/, ?/)
      expect(allowed).toEqual(expect.arrayContaining(['GET', 'HEAD', 'OPTIONS']))
      expect(allowed).not.toContain(method)
    })

    test('POST …/check: what a publish would do, for anyone', async () => {
      const path = `/api/v1/repos/${full_name}/check`
      const sent = { 'Content-Type': 'text/markdown', 'Content-Length': '0' }
      const answer = await get(path, sent, 'POST')
      expect([answer.status, answer.json()]).toEqual([
        422,
        { error: { code: 'validation_failed', message: 'content: line 1: expected some text.' } },
      ])
      for (const method of ['GET', 'PUT']) {
        const refused = await get(path, { 'Content-Length': '0' }, method)
        expectError(refused, 405)
        expect(refused.headers.allow).toBe('POST, OPTIONS')
      }
    })

    test.each(paths)('%s: If-None-Match returns 304', async (path) => {
      const { etag = '' } = (await found(path)).headers
      const strong = etag.replace(/^W\//, '')
      const matching = [etag, `W/${strong}`, `"other", ${etag}`, `"a,b" , W/"c",${etag}, "d"`, '*']
      for (const condition of matching) {
        const answer = await get(path, { 'If-None-Match': condition })
        expect(answer.status, `If-None-Match: ${condition}`).toBe(304)
        expect(answer.headers.etag).toBe(etag)
      }
      for (const condition of ['"other"', strong.slice(1, -1), `"x${strong.slice(1)}`, '']) {
        expect((await get(path, { 'If-None-Match': condition })).status, `If-None-Match: ${condition}`).toBe(200)
      }
      expect((await get(path, { 'If-None-Match': etag }, 'HEAD')).status).toBe(304)
    })

    test.each(wrong)('%s: If-None-Match does not change an error', async (path, status) => {
      expect((await get(path, { 'If-None-Match': '*' })).status).toBe(status)
    })

    test('different bytes have different ETags, and the same bytes the same ETag', async () => {
      const asked = paths
      const etags = await Promise.all(asked.map(async (path) => (await found(path)).headers.etag))
      const again = await Promise.all(asked.map(async (path) => (await found(path)).headers.etag))
      expect(again).toEqual(etags)
      // A version and the latest content of its repository have the same bytes here.
      const distinct = etags.filter((_, i) => !asked[i]?.includes('/raw'))
      expect(new Set(distinct).size).toBe(distinct.length)
    })

    test('caches a version for a year, everything else for a minute', async () => {
      const caching = async (path: string) => (await found(path)).headers['cache-control']
      expect(await caching(`/api/v1/repos/${full_name}/versions/${first.latest?.version}`)).toBe(FOREVER)
      expect(await caching(`/api/v1/repos/${full_name}/raw?version=${first.latest?.version}`)).toBe(FOREVER)
      expect(await caching(`/api/v1/repos/${full_name}/raw`)).toBe(SHORT)
      expect(await caching(`/api/v1/repos/${full_name}`)).toBe(SHORT)
    })

    test('ignores the Origin of a program on this machine, credentials and proxy headers', async () => {
      const bare = await found('/api/v1/repos')
      const dressed = await get('/api/v1/repos', {
        Origin: 'http://localhost:3000',
        Cookie: 'session=x',
        Authorization: 'Bearer nonsense',
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Proto': 'ftp',
        Forwarded: 'host=evil.example',
      })
      expect(dressed.text).toBe(bare.text)
      expect(dressed.headers['access-control-allow-credentials']).toBeUndefined()
    })

    test('a foreign Host header changes no URL', async () => {
      const answer = await send('/api/v1/repos', { headers: { Host: 'evil.example' } })
      expect(answer.text).not.toContain('//evil.example')
      expect(answer.headers.link ?? '').not.toContain('evil.example')
    })
  })
}
