// Reads from `npm run preview`, the Netlify dev server with the built site: each kind of response once, because a request
// takes half a second. The read test suite runs against `npm start`; tests/netlify/ tests the routes and bundles of all
// functions.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modern } from '../hubs/mcp.ts'
import { expectError } from './answers.ts'
import { data, type List, meta, openReading } from './reading/hub.ts'
import { npmTarget } from './targets.ts'

const hub = openReading(npmTarget('preview'))
const { content, listed, send, found, get, missing } = hub
const RAW = '/api/v1/repos/zz-suite/bytes/raw'

describe('reading from npm run preview', () => {
  beforeAll(() => hub.open())
  afterAll(() => hub.close())

  test('returns a record, its versions, and the bytes of a version', async () => {
    const repository = content.repositories.find((one) => one.full_name === 'zz-suite/bytes')!
    const [version] = repository.versions
    expect(data(await found('/api/v1/repos/zz-suite/bytes'))).toMatchObject(hub.record(repository))
    expect(meta(await found('/api/v1/repos/zz-suite/bytes/versions')).total).toBe(repository.versions.length)
    const single = data(await found(`/api/v1/repos/zz-suite/bytes/versions/${version!.version}`))
    expect(single).toMatchObject(hub.versionRecord(repository, version!))
    hub.expectBytes(await found(`${RAW}?version=${version!.version}`), version!.bytes)
    hub.expectBytes(await found(RAW), repository.latest!.bytes)
  })

  test('returns lists, tags, users and search results, with links between pages', async () => {
    const second = await found('/api/v1/repos?sort=new&page=2')
    expect(meta(second)).toEqual({ page: 2, pages: Math.ceil(listed.length / 20), total: listed.length })
    expect(new URL(hub.links(second).prev!, hub.base).searchParams.get('page')).toBe('1')
    expect((await send('/data/v1/lists/new/2.json')).json()).toEqual(second.json())
    const [tag] = hub.tags
    expect(meta(await found(`/api/v1/repos?tag=${tag!.name}`)).total).toBe(tag!.count)
    expect((await found('/api/v1/users/zz-suite/labels/production')).json().data).not.toEqual([])
    const search = (await found('/api/v1/repos?q=snarfblatt')).json() as List
    expect(search.data.map(({ full_name }) => full_name)).toEqual(['zz-search/every-field'])
  })

  test('answers HEAD, OPTIONS, a condition, and a method that a path does not have', async () => {
    const { etag = '' } = (await found(RAW)).headers
    expect((await get(RAW, { 'If-None-Match': etag })).status).toBe(304)
    const head = await get(RAW, {}, 'HEAD')
    expect([head.status, head.headers.etag]).toEqual([200, etag])
    const asked = { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'GET' }
    expect((await get(RAW, asked, 'OPTIONS')).status).toBe(204)
    expectError(await get('/api/v1/repos', { 'Content-Length': '0' }, 'POST'), 405)
    const check = { 'Content-Type': 'text/markdown', 'Content-Length': '0' }
    expect((await get('/api/v1/repos/zz-suite/bytes/check', check, 'POST')).status).toBe(422)
  })

  test('redirects upper case, ignores a trailing slash, and returns a JSON 404', async () => {
    const moved = await get('/api/v1/repos/ZZ-Suite/bytes?Q=%C3%84&x=A')
    const { pathname, search } = new URL(moved.headers.location ?? '', hub.base)
    expect([moved.status, pathname + search]).toEqual([308, '/api/v1/repos/zz-suite/bytes?Q=%C3%84&x=A'])
    expect((await found(`${RAW}/`)).headers['x-prompt-version']).toBeDefined()
    // Netlify's local server asks for up to five paths before it returns a 404.
    for (const path of ['/api/v1/repos/zz-suite/none', '/data/v1/nothing.json']) await missing(path)
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

  test('answers an MCP message', async () => {
    const answer = await fetch(`${hub.base}/mcp`, modern('tools/list'))
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('search_prompts')])
  })
})
