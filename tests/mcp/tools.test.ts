// Tests the results of the tools: they contain the same data as the read API for every prompt in the catalogue. Also
// tests the error messages.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { HubError } from '../../src/domain/api/errors.ts'
import { TOOLS } from '../../src/server/mcp/tools.ts'
import { limitInMemory } from '../../src/state/rate-limiter.ts'
import { makeContent } from '../e2e/made-content.ts'
import { openMcpHub, post } from '../hubs/mcp.ts'

const contentDir = makeContent()
mkdirSync(join(contentDir, 'zz-mcp/many/versions'), { recursive: true })
writeFileSync(
  join(contentDir, 'zz-mcp/many/versions/1.0.0.md'),
  `---\npublished_at: "2025-01-01T00:00:00Z"\npublished_by: tester\n---\n${'{{a}}'.repeat(50)}\n`,
)
const hub = openMcpHub(contentDir)
// Silences the log, which receives the details that are hidden from clients.
vi.spyOn(console, 'error').mockReturnValue(undefined)
afterAll(() => {
  hub.close()
  rmSync(contentDir, { recursive: true, force: true })
})

type Json = Record<string, unknown>
const ajv = new Ajv2020({ formats: { uri: true, 'date-time': true } })
const fits = new Map(TOOLS.map(({ name, outputSchema }) => [name as string, ajv.compile(outputSchema)]))

/** Returns a tool's result, after the same checks that every client makes. */
async function ask(name: string, given?: Json): Promise<Json> {
  const { content, structuredContent, isError } = await hub.tool(name, given)
  expect(isError, JSON.stringify(content)).toBeUndefined()
  const { data } = structuredContent as { data: { content?: string } }
  const isLong = (data.content ?? '').length > 10_000 && !('next_offset' in data)
  if (!isLong) expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  expect(fits.get(name)!(structuredContent), JSON.stringify(fits.get(name)!.errors)).toBe(true)
  return structuredContent as Json
}

async function fail(name: string, given?: Json): Promise<string> {
  const { content, structuredContent, isError } = await hub.tool(name, given)
  expect([isError, structuredContent]).toEqual([true, undefined])
  return (content as { text: string }[])[0]!.text
}

const pick = (record: Json, keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, record[key]]))
const IN_LISTS = [
  ...['owner', 'name', 'title', 'description', 'tags', 'status'],
  ...['latest_version', 'forked_from', 'updated_at', 'url', 'html_url'],
]
const SUMMARY = [...IN_LISTS, 'format', 'kind']
const VERSION = [
  ...['url', 'version', 'content', 'content_sha256', 'size_bytes', 'format', 'variables'],
  ...['parameters', 'changelog', 'published_at', 'published_by', 'raw_url'],
]

describe('the same data as the read API', () => {
  test('get_prompt and list_versions, for every version of prompts in every state', async () => {
    let compared = 0
    for (const [at, { repository, versions }] of [...hub.catalogue.entries.values()].entries()) {
      const { owner, name } = repository
      // Those of the suite are in the rare states.
      if (!owner.startsWith('zz-') && at % 20 !== 0) continue
      const path = `/api/v1/repos/${owner}/${name}`
      const detail = (await hub.rest(path)).data as Json
      const rows = (await hub.rest(`${path}/versions`)).data as Json[]
      const keys = ['version', 'changelog', 'published_at', 'published_by', 'yanked', 'yank_reason']
      const listed = await ask('list_versions', { owner, name, limit: 100 })
      expect(listed).toEqual({
        data: rows.map((row) => pick(row, keys)),
        meta: { page: 1, pages: 1, total: rows.length },
      })
      for (const {
        summary: { version, yanked },
      } of versions) {
        const record = (await hub.rest(`${path}/versions/${version}`)).data as Json
        const { data } = (await ask('get_prompt', { owner, name, version })) as { data: Json }
        expect(data).toMatchObject({ ...pick(detail, [...IN_LISTS, 'license', 'status_message']), url: record.url })
        expect(data).toMatchObject({ ...pick(record, VERSION), kind: record.skill ? 'skill' : record.format, yanked })
        const found = (await hub.rest(`${path}/versions/${version}/capabilities`)).data as Json[]
        const kinds = Object.keys(data.capabilities as Json)
        expect(new Set(kinds)).toEqual(new Set(found.map(({ kind }) => kind)))
        if (version === detail.latest_version) expect(await ask('get_prompt', { owner, name })).toEqual({ data })
        compared++
      }
    }
    expect(compared).toBeGreaterThan(20)
  })

  //  case                             arguments                                  the same query to the read API
  test.each([
    ['without a filter', {}, ''],
    ['by words', { q: 'review' }, '?q=review'],
    ['by a misspelled word', { q: 'reveiw' }, '?q=reveiw'],
    ['by a tag', { tag: 'writing' }, '?tag=writing'],
    ['by words and a tag', { q: 'code', tag: 'engineering' }, '?q=code&tag=engineering'],
    ['Agent Skills', { kind: 'skill' }, '?kind=skill'],
    ['chat prompts by words', { q: 'a', kind: 'chat' }, '?q=a&kind=chat'],
    ['newest first', { sort: 'new' }, '?sort=new'],
    ['trending', { sort: 'trending' }, '?sort=trending'],
    ['by words, newest first', { q: 'review', sort: 'new' }, '?q=review&sort=new'],
    ['an unknown tag', { tag: 'no-such-tag' }, '?tag=no-such-tag'],
    ['a malformed tag', { tag: '__proto__' }, '?tag=__proto__'],
    ['FTS5 operators', { q: '"a* AND NEAR(' }, '?q=%22a*+AND+NEAR('],
    ['an empty q and tag', { q: '', tag: '' }, '?q=&tag='],
  ])('search_prompts: %s', async (_, given, query) => {
    for (const page of [1, 2, 99]) {
      const { data, meta } = await hub.rest(`/api/v1/repos${query}${query === '' ? '?' : '&'}page=${page}`)
      const expected = { data: (data as Json[]).map((summary) => pick(summary, SUMMARY)), meta }
      expect(await ask('search_prompts', { ...given, page, limit: 20 })).toEqual(expected)
    }
  })

  test('list_tags counts match the totals of search_prompts', async () => {
    const all = (await ask('list_tags', { limit: 200 })) as { data: { name: string; count: number }[] }
    const rest = (await hub.rest('/api/v1/tags')).data as Json[]
    expect(all.data).toEqual(rest.map((tag) => pick(tag, ['name', 'count'])))
    for (const { name, count } of all.data.slice(0, 12))
      expect(await ask('search_prompts', { tag: name })).toMatchObject({ meta: { total: count } })
    const some = (await ask('list_tags', { q: 'WRIT', limit: 1, page: 2 })) as { meta: Json }
    expect(some.meta).toMatchObject({ page: 2, total: rest.filter(({ name }) => String(name).includes('writ')).length })
  })

  test('lists have their default length without arguments', async () => {
    expect((await ask('search_prompts')).data).toHaveLength(10)
    expect((await ask('list_tags')).data).toHaveLength(50)
  })

  test('returns content byte for byte as published', async () => {
    const { data } = (await ask('get_prompt', { owner: 'zz-suite', name: 'bytes', version: '1.1.0' })) as { data: Json }
    expect(data.content).toBe('\uFEFFAfter a byte order mark\n')
    const long = (await ask('get_prompt', { owner: 'zz-suite', name: 'bytes', version: '1.9.0' })) as { data: Json }
    expect(long.data.content).toBe('x'.repeat(262_144))
  })

  test('search omits archived and yanked content, but get_prompt returns it', async () => {
    for (const q of ['mothballedword', 'vanishedword', 'retractedword'])
      expect(await ask('search_prompts', { q })).toMatchObject({ meta: { total: 0 } })
    expect(await ask('get_prompt', { name: 'zz-suite/archived' })).toMatchObject({ data: { status: 'archived' } })
    const yanked = await ask('get_prompt', { name: 'zz-suite/highest-yanked', version: '1.1.0' })
    expect(yanked).toMatchObject({ data: { yanked: true, latest_version: '1.0.1', content: 'Retractedword\n' } })
  })

  test('a new version is readable at once, but not yet in search', async () => {
    const repo = { owner: 'zz-plain', name: 'three-plain-words' }
    const older = { ...repo, version: '1.0.0' }
    expect(await ask('get_prompt', older)).toMatchObject({ data: { latest_version: '1.0.0' } })
    const { repository, versions } = hub.catalogue.entries.get('zz-plain/three-plain-words')!
    const version = { ...versions[0]!.summary, version: '1.0.1', changelog: 'Just now' }
    const record = { ...versions[0]!.record, version: '1.0.1', content: 'Justnowword\n', changelog: 'Just now' }
    const all = { ...repository, latest_version: '1.0.1', versions_count: 2, versions: ['1.0.1', '1.0.0'] }
    const origin = { commit: 'a'.repeat(40), kept_at: new Date().toISOString() }
    await hub.fresh.keep('versions', { ...origin, version: record })
    await hub.fresh.keep('repositories', {
      repository: all,
      versions: [version, ...versions.map(({ summary }) => summary)],
      results: {},
      activity: [],
      ...origin,
    })
    expect(await ask('get_prompt', repo)).toMatchObject({ data: { version: '1.0.1', content: 'Justnowword\n' } })
    // The older version's record is the same, but the repository's has changed.
    expect(await ask('get_prompt', older)).toMatchObject({ data: { version: '1.0.0', latest_version: '1.0.1' } })
    expect(await ask('list_versions', repo)).toMatchObject({ data: [{ version: '1.0.1' }, { version: '1.0.0' }] })
    expect(await ask('search_prompts', { q: 'justnowword' })).toMatchObject({ meta: { total: 0 } })
  })
})

describe('a long text', () => {
  const long = { owner: 'zz-suite', name: 'bytes', version: '1.9.0' }

  test('is in the result only once', async () => {
    const { content, structuredContent } = await hub.tool('get_prompt', long)
    expect((structuredContent as { data: Json }).data.content).toBe('x'.repeat(262_144))
    const [{ text }] = content as [{ text: string }]
    expect(text.length).toBeLessThan(3000)
    expect(JSON.parse(text).data).toMatchObject({ version: '1.9.0', note: expect.stringContaining('"limit": 10000') })
  })

  test('is read in parts', async () => {
    const parts: string[] = []
    let next: unknown = 0
    while (next !== null) {
      const { data } = (await ask('get_prompt', { ...long, offset: next, limit: 100_000 })) as { data: Json }
      expect(data.content_characters).toBe(262_144)
      parts.push(String(data.content))
      next = data.next_offset
    }
    expect(parts.map(({ length }) => length)).toEqual([100_000, 100_000, 62_144])
    expect(parts.join('')).toBe('x'.repeat(262_144))
  })

  test.each([
    ['a part of a short text', { offset: 3, limit: 5 }, ' high', 8],
    ['only an offset', { offset: 49 }, '{{second}} {{first}}\n', null],
    ['an offset past the end', { offset: 1_000 }, '', null],
  ])('%s', async (_, range, content, next_offset) => {
    const { data } = (await ask('get_prompt', { ...long, version: '1.10.0', ...range })) as { data: Json }
    expect(data).toMatchObject({ content, next_offset })
  })
})

describe('filling in variables', () => {
  const first = { owner: 'zz-suite', name: 'bytes', version: '1.10.0' }
  const LEFT = 'The highest number is ten, not nine: '
  //  case                             values                                             filled  missing
  test.each([
    ['no values', undefined, '{{ first }} {{second}} {{first}}', ['first', 'second']],
    ['an empty object', {}, '{{ first }} {{second}} {{first}}', ['first', 'second']],
    ['one of two values', { first: 'A' }, 'A {{second}} A', ['second']],
    ['all values and an unknown one', { first: 'A', second: 'B', third: 'C' }, 'A B A', []],
    ['a number and a boolean', { first: 1, second: false }, '1 false 1', []],
  ])('%s', async (_, variables, filled, missing) => {
    const { data } = (await ask('get_prompt', { ...first, ...(variables && { variables }) })) as { data: Json }
    expect(data).toMatchObject({ content: `${LEFT}${filled}\n`, missing_variables: missing })
    const stored = await ask('get_prompt', first)
    expect(stored).toMatchObject({ data: pick(data, ['content_sha256', 'size_bytes']) })
  })
})

const REPO = { owner: 'acme', name: 'code-review' }

describe('arguments', () => {
  test('accepts a value of a whole diff', async () => {
    const diff = '+ line of a diff\n'.repeat(5_000)
    const { data } = (await ask('get_prompt', { name: 'acme/commit-message', variables: { diff } })) as { data: Json }
    expect(data.content).toContain(diff)
  })

  const full = { name: 'acme/code-review' }
  const diff = { name: 'acme/commit-message', variables: { diff: 'x' } }
  const without = { q: 'review', tag: null, sort: null, page: null, limit: null }
  test.each<[string, unknown, Json]>([
    ['get_prompt', full, REPO],
    ['list_versions', { owner: 'ACME', name: 'Code-Review' }, REPO],
    ['get_prompt', { owner: 'acme', name: 'acme/code-review' }, REPO],
    ['search_prompts', without, { q: 'review' }],
    ['search_prompts', { q: 'review', sort: '' }, { q: 'review' }],
    ['list_versions', { ...REPO, page: null, limit: null }, REPO],
    ['get_prompt', { ...REPO, version: null, label: null, variables: null }, REPO],
    ['get_prompt', { ...REPO, version: '', label: ' ' }, REPO],
    ['get_prompt', { ...full, variables: { language: 'Go', diff: null } }, { ...full, variables: { language: 'Go' } }],
    ['get_prompt', { owner: '', name: 'acme/code-review' }, REPO],
    ['list_versions', { owner: null, name: 'acme/code-review' }, REPO],
    ['list_tags', { q: null, page: null }, {}],
    ['list_tags', null, {}],
    ['search_prompts', { q: 'review', page: '2', limit: '5' }, { q: 'review', page: 2, limit: 5 }],
    ['get_prompt', { ...diff, variables: '{"diff": "x"}' }, diff],
    ['search_prompts', '{"q": "review"}', { q: 'review' }],
  ])('%s takes %j like %j', async (tool, given, meant) => {
    expect(await ask(tool, given as Json)).toEqual(await ask(tool, meant))
  })

  const OWNER = 'owner: expected 1 to 39 of a-z, 0-9 and single hyphens inside, for example "acme"'
  const NAME = 'name: expected 1 to 64 of a-z, 0-9 and single hyphens inside, for example "code-review"'
  const PAGE = 'page: expected a whole number from 1 to 100000, for example 2'
  const LIMIT = 'limit: expected a whole number from 1 to 50, for example 10'
  const SORT = 'sort: expected one of top, trending, new, for example "new"'
  const VERSION = 'version: expected a string of at most 100 characters, for example "1.0.0"'
  const VARIABLES = 'variables: expected an object of strings, for example {"language": "Go"}'
  const LONG = 'q: expected a string of at most 200 characters, for example "code review"'
  test.each<[string, string, Json, string]>([
    ['missing arguments', 'get_prompt', {}, `${OWNER}; ${NAME}`],
    ['another type', 'get_prompt', { owner: 1, name: null }, `${OWNER}; ${NAME}`],
    ['a path', 'get_prompt', { owner: '..', name: 'x/y' }, `${OWNER}; ${NAME}`],
    ['names that are too long', 'list_versions', { owner: 'a'.repeat(40), name: 'a'.repeat(65) }, `${OWNER}; ${NAME}`],
    ['a range that is too long', 'get_prompt', { ...REPO, version: '1'.repeat(101) }, VERSION],
    ['an unknown key', 'search_prompts', { tags: [] }, 'tags: unknown; check the spelling, or leave it out'],
    ['page 0', 'search_prompts', { page: 0 }, PAGE],
    ['a fractional page', 'list_tags', { page: 1.5 }, PAGE],
    ['a page that is too high', 'list_tags', { page: 100_001 }, PAGE],
    ['a limit that is too high', 'search_prompts', { limit: 51 }, LIMIT],
    ['an unknown sort order', 'search_prompts', { sort: 'best' }, SORT],
    ['a query of 201 characters', 'search_prompts', { q: '🦄'.repeat(201) }, LONG],
    ['variables as a list', 'get_prompt', { ...REPO, variables: ['a'] }, VARIABLES],
    ['no string', 'get_prompt', { ...REPO, variables: { a: {} } }, 'variables.a: expected a string, for example "Go"'],
  ])('rejects %s and says what is expected', async (_, tool, given, problems) => {
    expect(await fail(tool, given)).toBe(`invalid_request: ${problems}`)
  })

  test.each([
    ['^1', '1.2.0'],
    ['~1.0', '1.0.0'],
    ['*', '2.1.0'],
    ['v1.0.0', '1.0.0'],
  ])('get_prompt takes %s as a range, and answers its highest version', async (version, highest) => {
    const given = { owner: 'acme', name: 'code-review' }
    const found = await ask('get_prompt', { ...given, version })
    expect(found).toEqual(await ask('get_prompt', { ...given, version: highest }))
    expect(found).toMatchObject({ data: { version: highest } })
    for (const none of ['^9', 'latest'])
      expect(await fail('get_prompt', { ...given, version: none })).toBe(
        `not_found: acme/code-review has no version in ${none}. Use list_versions, or give x.y.z or a range such as ^1.2.`,
      )
  })

  test('counts 200 emoji as 200 characters', async () => {
    expect(await ask('search_prompts', { q: '🦄'.repeat(200) })).toMatchObject({ meta: { total: 0 } })
  })
})

describe('error messages say what to do next', () => {
  test.each([
    [
      'unknown prompt, with similar names',
      'get_prompt',
      { name: 'acme/code-reviews' },
      'not_found: Repository not found: acme/code-reviews. Did you mean acme/code-review? Use search_prompts to find owner and name.',
    ],
    [
      'unknown prompt, without similar names',
      'list_versions',
      { name: 'qqqq/xyzzyx' },
      'not_found: Repository not found: qqqq/xyzzyx. Use search_prompts to find owner and name.',
    ],
    [
      'unknown version',
      'get_prompt',
      { name: 'zz-suite/bytes', version: '9.9.9' },
      'not_found: zz-suite/bytes has no version 9.9.9. Use list_versions to list its versions.',
    ],
    [
      'no active version',
      'get_prompt',
      { name: 'zz-suite/all-yanked' },
      'not_found: zz-suite/all-yanked has no active version. Use list_versions, then pass "version".',
    ],
    [
      'filled text that is too long',
      'get_prompt',
      {
        name: 'zz-mcp/many',
        variables: { a: '€'.repeat(10_000) },
      },
      'content_too_large: variables: the filled text would have 1500001 bytes; expected at most 1048576. Use shorter values.',
    ],
  ])('%s', async (_, tool, given, text) => {
    expect(await fail(tool, given)).toBe(text)
  })

  test.each([
    [
      'an unavailable store',
      new HubError('unavailable', 'Other words.'),
      'unavailable: The catalogue cannot be read right now. Try again in a few seconds.',
    ],
    [
      'any other error',
      new Error('secret of /srv'),
      'internal_error: Something went wrong on the hub. Try again later.',
    ],
  ])('%s', async (_, error, text) => {
    const params = { name: 'get_prompt', arguments: { name: 'acme/code-review' } }
    const call = post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const { result } = await (await hub.answer(call, { siteFiles: { read: () => Promise.reject(error) } })).json()
    expect(result).toEqual({ isError: true, content: [{ type: 'text', text }] })
  })

  test('over the rate limit, tools return an error result and other methods 429', async () => {
    const limiter = limitInMemory({ requests: 2, windowMs: 60_000 }, () => 0)
    const send = (method: string, params = {}) =>
      hub.answer(post({ jsonrpc: '2.0', id: 1, method, params }), { limiter })
    const call = () => send('tools/call', { name: 'list_tags' })
    await send('tools/list')
    const first = await call()
    expect([first.headers.get('Retry-After'), (await first.json()).result.isError]).toEqual([null, undefined])
    const second = await call()
    expect([second.status, second.headers.get('Retry-After')]).toEqual([200, '60'])
    const text = 'rate_limited: Too many tool calls from this IP address. Try again in 60 s.'
    expect((await second.json()).result).toEqual({ content: [{ type: 'text', text }], isError: true })
    for (const method of ['tools/list', 'prompts/get', 'resources/read', 'completion/complete', 'initialize', 'ping']) {
      const refused = await send(method)
      expect([method, refused.status, refused.headers.get('Retry-After')]).toEqual([method, 429, '60'])
      const sentence = 'Too many messages from this IP address. Try again in 60 s.'
      expect(await refused.json()).toEqual({ jsonrpc: '2.0', error: { code: -32000, message: sentence }, id: null })
    }
  })

  test('an unknown tool is a protocol error that lists the four tools', async () => {
    const sentence = 'The tools are search_prompts, get_prompt, list_versions, list_tags.'
    for (const name of ['publish', '__proto__', 'constructor'])
      await expect(hub.tool(name)).rejects.toMatchObject({
        code: -32602,
        message: `There is no tool ${name}. ${sentence}`,
      })
    const long = `\u202E${'x'.repeat(200)}`
    await expect(hub.tool(long)).rejects.toThrow(`There is no tool ?${'x'.repeat(79)}…. ${sentence}`)
    const params = { name: 'list_tags', arguments: [] }
    await expect(hub.call('tools/call', params)).rejects.toMatchObject({ code: -32602 })
  })
})
