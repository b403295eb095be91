// Read tests for valid and invalid parameter values, which are treated the same on every route.
import { describe, expect, test } from 'vitest'
import { words } from '../../words.ts'
import { SHORT } from '../answers.ts'
import type { Reading } from './hub.ts'

export function queryValues(hub: Reading): void {
  const { get, found, missing, refused, each, expectBytes, first } = hub

  describe('query values', () => {
    const raw = `/api/v1/repos/${first.full_name}/raw`

    //  page
    test.each(words`
      0 %2B1 01 1.5 1e3 %201 1%0A 100001 %D9%A1 __proto__
    `)('rejects page=%s', async (page) => {
      expect(await refused(`/api/v1/repos?page=${page}`)).toMatch(/page/i)
    })

    //  sort
    test.each(['TOP', 'new,top', '__proto__'])('rejects sort=%s', async (sort) => {
      expect(await refused(`/api/v1/repos?sort=${sort}`)).toMatch(/sort/i)
    })

    test.each(['SKILL', '__proto__'])('rejects kind=%s', async (kind) => {
      expect(await refused(`/api/v1/repos?kind=${kind}`)).toMatch(/kind: expected one of text, chat, skill/)
    })

    //  version
    const malformed = words`
      v1.0.0 1 01.2.3 1.0.0-rc.1 1.0.0%0A 1000000.0.0 latest %5E1.0.0
    `
    test.each(malformed)('rejects raw?version=%s', async (version) => {
      expect(await refused(`${raw}?version=${version}`)).toMatch(/version/i)
    })
    test.each(['1', 'v1.0.0', '%5E1.0.0'])('rejects capabilities?from=%s', async (from) => {
      const path = `/api/v1/repos/${first.full_name}/versions/${first.latest.version}/capabilities`
      expect(await refused(`${path}?from=${from}`)).toMatch(/^from: /)
    })
    test('returns 404 for a malformed version in the path and for one that was never published', async () => {
      const never = '999999.999999.999999'
      const paths = [...malformed, never].map((version) => `/api/v1/repos/${first.full_name}/versions/${version}`)
      await each([`${raw}?version=${never}`, ...paths], missing)
    })

    test('a label resolves to the version it points at', async () => {
      const labelled = '/api/v1/repos/zz-suite/highest-yanked/raw'
      for (const [label, version, content] of [
        ['production', '1.0.0', 'First\n'],
        ['next', '1.0.1', 'Third\n'],
      ] as const) {
        const answer = await found(`${labelled}?label=${label}`)
        expect(answer.text).toBe(content)
        expect(answer.headers['x-prompt-version']).toBe(version)
        expect(answer.headers['cache-control'], 'a label may move').toBe(SHORT)
      }
      const message = await missing(`${labelled}?label=staging`)
      expect(message).toMatch(/production[\s\S]*next|next[\s\S]*production/)
      await missing('/api/v1/repos/zz-suite/bytes/raw?label=production')
      expect(await refused(`${labelled}?label=production&version=1.0.0`)).toMatch(/label/)
      expect((await found(`${labelled}?label=&version=1.0.0`)).headers['x-prompt-version']).toBe('1.0.0')
    })

    test('an empty parameter counts as omitted', async () => {
      const bare = await found('/api/v1/repos')
      expect((await found('/api/v1/repos?page=&sort=&q=&tag=')).text).toBe(bare.text)
      expect((await found('/api/v1/repos?page&sort&q&tag')).text).toBe(bare.text)
      const latest = await get(`${raw}?version=`)
      expectBytes(latest, first.latest?.bytes ?? Buffer.alloc(0))
      expect(latest.headers['cache-control']).toBe(SHORT)
    })

    test('the last value of a repeated parameter counts', async () => {
      const list = async (query: string) => (await found(`/api/v1/repos?${query}`)).text
      expect(await list('page=2&page=1')).toBe(await list('page=1'))
      expect(await list('page=nonsense&page=2')).toBe(await list('page=2'))
      expect(await list('sort=top&sort=new')).toBe(await list('sort=new'))
      expect(await list('q=nowhereatall&q=review')).toBe(await list('q=review'))
      await refused('/api/v1/repos?page=1&page=0')
      const version = first.versions.at(-1)
      const last = await found(`${raw}?version=999.0.0&version=${version?.version}`)
      expect(last.headers['x-prompt-version']).toBe(version?.version)
    })

    test('ignores unknown parameters: the same bytes, the same ETag', async () => {
      const pairs = [
        ['/api/v1/repos', '?limit=1&per_page=5&__proto__=x&utm_source=a%FF'],
        ['/api/v1/repos?sort=new&page=2', '&Page=7&SORT=top'],
        ['/api/v1/tags', '?page=0&sort=nonsense'],
        [`/api/v1/repos/${first.full_name}`, '?version=nonsense&q='],
        [`/api/v1/repos/${first.full_name}/versions`, '?per_page=0'],
        [raw, '?x=1'],
      ] as const
      for (const [path, more] of pairs) {
        const [bare, with_] = [await found(path), await found(path + more)]
        expect(with_.text, more).toBe(bare.text)
        expect(with_.headers.etag, more).toBe(bare.headers.etag)
      }
    })
  })
}
