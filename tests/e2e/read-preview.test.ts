// Reads from `npm run preview`, the Netlify dev server with the built site: records, lists, data files and pages, because
// a request takes half a second. The read test suite runs against `npm start`; tests/netlify/ tests the routes and
// bundles of all functions, and calls them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { data, type List, meta, openReading } from './reading/hub.ts'
import { npmTarget } from './targets.ts'

const hub = openReading(npmTarget('preview'))
const { content, listed, send, found, get, missing } = hub
const RAW = '/api/v1/repos/zz-suite/bytes/raw'

describe('reading from npm run preview', () => {
  beforeAll(() => hub.open())
  afterAll(() => hub.close())

  test('returns a record and the bytes of a version, also for a condition', async () => {
    const repository = content.repositories.find((one) => one.full_name === 'zz-suite/bytes')!
    expect(data(await found('/api/v1/repos/zz-suite/bytes'))).toMatchObject(hub.record(repository))
    const raw = await found(RAW)
    hub.expectBytes(raw, repository.latest!.bytes)
    expect((await get(RAW, { 'If-None-Match': raw.headers.etag ?? '' })).status).toBe(304)
  })

  test('returns a list, with links between pages, and search results', async () => {
    const second = await found('/api/v1/repos?sort=new&page=2')
    expect(meta(second)).toEqual({ page: 2, pages: Math.ceil(listed.length / 20), total: listed.length })
    expect(new URL(hub.links(second).prev!, hub.base).searchParams.get('page')).toBe('1')
    const search = (await found('/api/v1/repos?q=snarfblatt')).json() as List
    expect(search.data.map(({ full_name }) => full_name)).toEqual(['zz-search/every-field'])
  })

  test('redirects upper case, and returns a JSON 404', async () => {
    const moved = await get('/api/v1/repos/ZZ-Suite/bytes?Q=%C3%84&x=A')
    const { pathname, search } = new URL(moved.headers.location ?? '', hub.base)
    expect([moved.status, pathname + search]).toEqual([308, '/api/v1/repos/zz-suite/bytes?Q=%C3%84&x=A'])
    await missing('/data/v1/nothing.json')
  })

  test('serves the data files of repositories in every state', async () => {
    const rare = content.repositories.filter(({ owner }) => owner === 'zz-suite')
    await hub.each(rare, async ({ full_name, latest }) => {
      const file = await send(`/data/v1/repos/${full_name}.json`)
      expect([file.status, file.headers['x-content-type-options']]).toEqual([200, 'nosniff'])
      expect(data(file).content_sha256).toBe(latest?.sha256 ?? null)
    })
  })

  test('serves a rendered page, a page of the build, and a feed', async () => {
    // Its function starts with the first request, which a busy machine may not do within the limit of a page.
    await expect
      .poll(async () => (await send('/zz-suite/retiring/v/1.0.0')).text)
      .toContain('<strong>The model zz-retired retired on 2 Jan 2026.</strong>')
    expect((await send('/docs')).headers['content-type']).toContain('text/html')
    expect((await send('/models.xml')).headers['content-type']).toBe('text/xml; charset=utf-8')
  })
})
