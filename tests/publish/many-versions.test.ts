// Tests the list of versions of a prompt that has more than one page of them: in the API, in the data files, and right
// after a publish. See docs/contract.md section 4.
import { beforeAll, describe, expect, test } from 'vitest'
import { BASE_URL } from '../hubs/make-hub.ts'
import { MANY_VERSIONS, manyVersions } from '../hubs/many-versions.ts'
import { openMcpHub } from '../hubs/mcp.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'

const PATH = '/api/v1/repos/acme/many/versions'
const FILES = '/data/v1/repos/acme/many/versions'
const link = (page: number, relation: string) => `<${BASE_URL}${PATH}?page=${page}>; rel="${relation}"`

const world = openLocalWorld(manyVersions())
let hub: Hub
let files: ReadonlyMap<string, string>
beforeAll(async () => {
  hub = await openHub(world)
  files = await hub.build()
})

const versionsOf = (text: string): string[] => JSON.parse(text).data.map(({ version }: { version: string }) => version)
const metaOf = (text: string): object => JSON.parse(text).meta

describe('the API', () => {
  test.each([
    //  query      versions                       links
    ['', MANY_VERSIONS.slice(0, 100), link(2, 'next')],
    ['?page=1', MANY_VERSIONS.slice(0, 100), link(2, 'next')],
    ['?page=2', MANY_VERSIONS.slice(100), link(1, 'prev')],
    ['?page=3', [], link(2, 'prev')],
    ['?page=100000', [], link(2, 'prev')],
  ])('lists a page, highest first, with links to its neighbours: %s', async (query, versions, links) => {
    const { status, headers, text } = await hub.read(PATH + query)
    expect([status, headers.get('Link')]).toEqual([200, links])
    expect(versionsOf(text)).toEqual(versions)
    expect(metaOf(text)).toEqual({ page: Number(query.slice('?page='.length) || 1), pages: 2, total: 150 })
  })

  test.each(['?page=0', '?page=-1', '?page=1.5', '?page=x', '?page=100001'])('refuses %s', async (query) => {
    const { status, code } = await hub.read(PATH + query)
    expect([status, code]).toEqual([400, 'invalid_request'])
  })

  test('each page has an ETag of its own, and returns 304 for it', async () => {
    const tags = await Promise.all(
      ['?page=1', '?page=2', '?page=3'].map(async (query) => {
        const { headers } = await hub.read(PATH + query)
        const tag = headers.get('ETag') ?? ''
        const again = await hub.read(PATH + query, { 'If-None-Match': tag })
        expect([again.status, again.text]).toEqual([304, ''])
        return tag
      }),
    )
    expect(new Set(tags).size).toBe(3)
  })

  test('404 for a prompt that does not exist, on each page', async () => {
    expect((await hub.read('/api/v1/repos/acme/none/versions?page=2')).status).toBe(404)
  })
})

describe('the data files', () => {
  test('the pages have the bytes of the API, and there is none past the end', async () => {
    for (const page of [1, 2])
      expect(files.get(`${FILES}/pages/${page}.json`)).toBe((await hub.read(`${PATH}?page=${page}`)).text)
    expect([...files.keys()].filter((path) => path.startsWith(`${FILES}/pages/`))).toHaveLength(2)
  })

  test('one file has all versions in brief', () => {
    const text = files.get(`${FILES}.json`) ?? ''
    expect(versionsOf(text)).toEqual(MANY_VERSIONS)
    expect(metaOf(text)).toEqual({ page: 1, pages: 1, total: 150 })
    const digest = /^[0-9a-f]{64}$/
    expect(JSON.parse(text).data[0]).toEqual({
      version: '2.0.119',
      published_at: '2026-01-01T00:00:00Z',
      available_at: expect.any(String),
      published_by: 'octocat',
      content_sha256: expect.stringMatching(digest),
      yanked: false,
      yank_reason: null,
      model_status: null,
    })
  })
})

test('MCP lists pages of any size from them', async () => {
  const mcp = openMcpHub(await world.contentDir())
  // The 96th to the 114th version are on both pages of the API.
  const { content } = await mcp.tool('list_versions', { owner: 'acme', name: 'many', page: 6, limit: 19 })
  const [{ text }] = content as [{ text: string }]
  expect(versionsOf(text)).toEqual(MANY_VERSIONS.slice(95, 114))
  expect(metaOf(text)).toEqual({ page: 6, pages: 8, total: 150 })
  mcp.close()
})

test('a publish is on the first page at once, without a build, and moves the others on', async () => {
  const answer = await hub.publish(
    { content: 'Text of 2.0.120\n', changelog: 'Change of 2.0.120', bump: 'patch' },
    { to: 'acme/many' },
  )
  expect([answer.status, answer.version]).toEqual([201, '2.0.120'])
  const pages = await Promise.all(['', '?page=2', '?page=3'].map((query) => hub.read(PATH + query)))
  expect(pages.map(({ text }) => versionsOf(text))).toEqual([
    ['2.0.120', ...MANY_VERSIONS.slice(0, 99)],
    MANY_VERSIONS.slice(99),
    [],
  ])
  expect(pages.map(({ text }) => metaOf(text))).toEqual([1, 2, 3].map((page) => ({ page, pages: 2, total: 151 })))
  expect(pages.map(({ headers }) => headers.get('Link'))).toEqual([link(2, 'next'), link(1, 'prev'), link(2, 'prev')])
  expect(JSON.parse(pages[0]!.text).data[0].changelog).toBe('Change of 2.0.120')
  const tag = pages[0]!.headers.get('ETag') ?? ''
  expect((await hub.read(PATH, { 'If-None-Match': tag })).status).toBe(304)
  // A build says what the copy said.
  files = await hub.build()
  for (const page of [1, 2]) expect(files.get(`${FILES}/pages/${page}.json`)).toBe(pages[page - 1]!.text)
})
