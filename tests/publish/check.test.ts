// Tests checking before publishing: the response is what a publish does, without a token, and nothing is written.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GitStore } from '../../src/git/git-store.ts'
import { limitInMemory } from '../../src/state/rate-limiter.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { type Answer, type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

const FILE = `---
title: Commit message
description: Writes a commit message for a diff.
tags: [git, review]
license: CC0-1.0
variables:
  - name: style
    description: How long the message may be.
    default: short
---
Write a {{style}} commit message.
`
/** The SHA-256 of the canonical JSON of what it becomes: content, format, variables, parameters, skill and files. */
const MANIFEST = 'ee64e1fe395e16a00469a53b0feabb442be3f7a5dad2251667f9c0b89e80d964'
const MARKDOWN = { 'Content-Type': 'text/markdown' }

let world: World
let hub: Hub
beforeAll(async () => {
  world = openLocalWorld()
  hub = await openHub(world)
})

const head = async () => readFileSync(join(await world.gitFolder(), 'refs/heads/main'), 'utf8')
const check = (file: string, to: string, query = '') =>
  hub.check(file, { path: `/api/v1/repos/${to}/check${query}`, headers: MARKDOWN })
const publish = (file: string, to: string, query = '') =>
  hub.publish(file, { path: `/api/v1/repos/${to}/versions${query}`, headers: MARKDOWN })

test('checks a prompt whose owner does not exist yet', async () => {
  const answer = await check(FILE, 'newcomer/commit-message', '?bump=minor&expected_version=null')
  expect([
    answer.status,
    answer.headers.get('Cache-Control'),
    answer.headers.get('Access-Control-Allow-Origin'),
  ]).toEqual([200, 'no-store', '*'])
  expect(answer.data).toEqual({
    would_be: '1.0.0',
    unchanged: false,
    breaking: false,
    content_sha256: 'ea55cf2eee199ebdf574a873cd415baf97d48aa140d976fecc7ee5ddd8e40b70',
    bundle_sha256: null,
    manifest_sha256: MANIFEST,
    fields: ['description', 'tags', 'license'],
    changes: null,
    composed: null,
    warnings: [],
  })
})

describe('of a prompt with a version', () => {
  const to = 'acme/commit-message'
  let before: string
  beforeAll(async () => {
    expect((await publish(FILE, to)).status).toBe(201)
    before = await head()
  })
  afterAll(async () => expect(await head()).toBe(before))

  test('the same file is unchanged', async () => {
    expect((await check(FILE, to)).data).toEqual({
      would_be: '1.0.0',
      unchanged: true,
      breaking: false,
      fields: [],
      changes: null,
      composed: null,
      content_sha256: 'ea55cf2eee199ebdf574a873cd415baf97d48aa140d976fecc7ee5ddd8e40b70',
      bundle_sha256: null,
      manifest_sha256: MANIFEST,
      warnings: [],
    })
  })

  test('another title is no new version, and the field is named', async () => {
    const { data } = await check(FILE.replace('title: Commit message', 'title: Commit'), to)
    expect(data).toMatchObject({ would_be: '1.0.0', unchanged: true, fields: ['title'], changes: null })
  })

  test('a change names the next version, and what callers must know', async () => {
    const file = FILE.replace('    default: short\n', '').replace('commit message.', 'message for {{diff}}.')
    const { data } = await check(file, to, '?bump=minor')
    expect(data).toMatchObject({
      would_be: '1.1.0',
      unchanged: false,
      fields: [],
      changes: { from: '1.0.0', to: '1.1.0', breaking: true, variables: { newly_required: ['style'] } },
    })
    expect(data.warnings).toContainEqual({
      code: 'breaking_change',
      message:
        'breaking change since 1.0.0, published as minor: makes variable style required, adds placeholder diff without a declaration. Publish it as 2.0.0 (major)',
      line: null,
    })
    expect((await check(file, to, '?bump=major')).data).toMatchObject({ would_be: '2.0.0' })
  })

  test('JSON is checked like a file', async () => {
    const { status, data } = await hub.check({ content: 'Write a {{style}} message.', bump: 'minor' }, { to })
    expect([status, data.would_be, data.unchanged]).toEqual([200, '1.1.0', false])
  })

  test('the versions that a build has read count like those of a fresh copy', async () => {
    const fresh = await check(`${FILE}More`, to)
    await hub.build()
    expect((await check(`${FILE}More`, to)).data).toEqual(fresh.data)
  })

  test('expected_version is compared with the latest version', async () => {
    const { status, code } = await check(FILE, to, '?expected_version=0.9.0')
    expect([status, code]).toEqual([409, 'version_conflict'])
  })
})

test('a yanked number is not used again, and an archived prompt is refused', async () => {
  const to = 'acme/yanked'
  const maintainer = await hub.makeToken({ permissions: ['maintain'] })
  const change = (path: string, method: string, body: unknown) =>
    hub.publish(body, { path: `/api/v1/repos/${to}${path}`, method, token: maintainer })
  await publish('One', to)
  await publish('Two', to, '?bump=minor')
  expect((await change('/versions/1.1.0/yank', 'PUT', { reason: 'Wrong' })).status).toBe(200)
  for (const isBuilt of [false, true]) {
    if (isBuilt) await hub.build()
    const { data } = await check('Three', to, '?bump=minor')
    expect(data).toMatchObject({ would_be: '1.2.0', changes: { from: '1.0.0' } })
  }
  await change('', 'PATCH', { status: 'archived' })
  expect((await check('Three', to)).code).toBe('repo_archived')
})

/** What both responses say about the same request. */
const said = ({ status, code, message, data }: Answer) =>
  status < 300
    ? { version: data.version ?? data.would_be, unchanged: data.unchanged, warnings: data.warnings }
    : { status, code, message }

//  case                       file                                               query
test.each<[string, string | Uint8Array, string]>([
  ['a first version', FILE, ''],
  ['an unknown key', '---\ntitel: A\n---\nx', ''],
  ['a key of JSON', '---\ncontent: A\n---\nx', ''],
  ['invalid YAML', '---\ntitle: a: b\n---\nx', ''],
  ['no content', '---\ntitle: A\n---\n\n', ''],
  ['a wrong variable', '---\nvariables: [{name: 1a}]\n---\nx', ''],
  ['an unknown parameter', 'x', '?dryrun=true'],
  ['a wrong version', 'x', '?expected_version=1.2.3'],
  ['warnings with lines', '---\ntitle: A title\n---\nOne\n{{ user-name }}\n', ''],
  ['role lines', '{{role "user"}}\nHi', ''],
  ['a chat prompt by parameter', '{{role "user"}}\nHi', '?format=chat'],
  ['a skill by parameter', 'Review it.', '?skill=Reviews%20code.'],
  ['a wrong skill by parameter', 'x', '?skill=%3Cb%3E'],
  ['a token', `Use hub_${'a'.repeat(38)}`, ''],
  ['Latin-1', Buffer.from('caf\xe9', 'latin1'), ''],
])('responds like publishing to %s', async (_, file, query) => {
  const headers = MARKDOWN
  const published = await hub.publish(file, {
    path: `/api/v1/repos/acme/alike/versions${query || '?'}&dry_run=true`,
    headers,
  })
  const checked = await hub.check(file, { path: `/api/v1/repos/acme/alike/check${query}`, headers })
  expect(said(checked)).toEqual(said(published))
})

test('a check says what the publish after it does, in any order of publishes and builds', async () => {
  const file = fc.record({
    text: fc.constantFrom('One {{a}}', 'Two {{a}} {{ b }}', 'Three\r\n{{b}} {{ c-d }}', '{{role "user"}}\nHi {{a}}'),
    front: fc.constantFrom(
      ...['', 'title: A title\n', 'title: Any\ntags: [a, b]\n', 'license: MIT\n', 'parameters: {temperature: 1}\n'],
      ...['variables: [{name: a, default: x}]\n', 'format: chat\n', 'skill: {description: Does it.}\n'],
    ),
    bump: fc.constantFrom('major', 'minor', 'patch'),
    isBuilt: fc.boolean(),
  })
  const FIRST = { text: 'One {{a}}', front: '', bump: 'minor', isBuilt: true } as const
  const seen = new Set<unknown>()
  await fc.assert(
    fc.asyncProperty(file, async ({ text, front, bump, isBuilt }) => {
      if (isBuilt) await hub.build()
      // With a title in every file, because a record does not say whether its title was set.
      const sent = `---\n${front.startsWith('title') ? front : `title: Any\n${front}`}---\n${text}`
      const before = (await hub.read('/api/v1/repos/acme/any')).data
      const checked = await check(sent, 'acme/any', `?bump=${bump}`)
      const published = await publish(sent, 'acme/any', `?bump=${bump}`)
      expect(said(checked)).toEqual(said(published))
      seen.add(checked.status === 200 ? checked.data.unchanged : checked.status)
      if (checked.status !== 200) return
      const { unchanged, fields, changes } = checked.data as { unchanged: boolean; fields: string[]; changes: unknown }
      expect(published.data.commit === null).toBe(unchanged && fields.length === 0)
      const after = (await hub.read('/api/v1/repos/acme/any')).data
      const differs = ['title', 'description', 'tags', 'license'].filter(
        (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
      )
      if (before.latest_version) expect(fields).toEqual(differs)
      expect(changes === null).toBe(unchanged || !before.latest_version)
    }),
    { numRuns: 7, examples: [[FIRST], [FIRST], [{ ...FIRST, front: 'variables: [{name: a, default: 1}]\n' }]] },
  )
  expect(seen).toEqual(new Set([true, false, 422]))
})

test('a warning names its line in the file', async () => {
  const { data } = await check('---\ntitle: A title\n---\nOne\n{{ user-name }}\n', 'acme/lines')
  expect(data.warnings).toContainEqual(expect.objectContaining({ code: 'near_placeholder', line: 5 }))
})

describe('parameters win over front matter', () => {
  test.each<[string, string, string, Record<string, unknown>]>([
    ['a format', '---\nformat: text\n---\n{{role "user"}}\nHi', '?format=chat', { format: 'chat' }],
    [
      'a skill',
      '---\nskill: {description: Old.}\n---\nx',
      '?skill=New.',
      { skill: { description: 'New.', license: null } },
    ],
    ['no skill', '---\nskill: {description: Old.}\n---\nx', '?skill=', { skill: null }],
  ])('%s', async (_, file, query, expected) => {
    expect((await publish(file, 'acme/wins', `${query}&dry_run=true`)).data).toMatchObject(expected)
  })
})

test('a file that begins with front matter of its own is not warned about', async () => {
  const file = '---\n---\n---\ntitle: content\n---\nText'
  expect(JSON.stringify((await check(file, 'acme/own')).data.warnings)).not.toContain('looks_like_front_matter')
  const { data } = await hub.check({ content: file.slice(8) }, { to: 'acme/own' })
  expect(JSON.stringify(data.warnings)).toContain('looks_like_front_matter')
})

describe('refuses', () => {
  test('names that no repository can have, other methods and other bodies', async () => {
    expect((await check('x', 'api/x')).status).toBe(404)
    expect((await check('x', 'acme/con')).message).toMatch(/reserved on Windows/)
    expect((await check('x', 'Acme/x')).status).toBe(404)
    const get = await hub.check(undefined, { to: 'acme/x', method: 'GET' })
    expect([get.status, get.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS'])
    const options = await hub.check(undefined, { to: 'acme/x', method: 'OPTIONS' })
    expect([options.status, options.headers.get('Access-Control-Allow-Methods')]).toEqual([204, 'POST, OPTIONS'])
    for (const type of ['text/plain', 'text/markdown; charset=iso-8859-1', 'application/json; charset=latin1'])
      expect((await hub.check('x', { to: 'acme/x', headers: { 'Content-Type': type } })).status).toBe(415)
    expect((await hub.check('x'.repeat(1_048_577), { to: 'acme/x', headers: MARKDOWN })).status).toBe(413)
    expect((await hub.check('{', { to: 'acme/x' })).status).toBe(400)
  })

  test('what exceeds a quota', async () => {
    const limited = await openHub(world, { quota: { prompts: 0, bytes: 1 } })
    await limited.build()
    expect((await limited.check({ content: 'Two' }, { to: 'acme/x' })).code).toBe('quota_exceeded')
  })

  test('too many checks, with the limit of reads, before the body is read', async () => {
    const limited = await openHub(world, { reads: limitInMemory({ requests: 1, windowMs: 60_000 }, () => 0) })
    expect((await limited.check({ content: 'x' }, { to: 'acme/x' })).status).toBe(200)
    const second = await limited.check(new ReadableStream({ pull: () => expect.unreachable() }), { to: 'acme/x' })
    expect([second.status, second.headers.get('Retry-After')]).toEqual([429, '60'])
  })
})

test('asks the git host nothing', async () => {
  const silent = new Proxy({} as GitStore, { get: (_, call) => () => expect.unreachable(String(call)) })
  const other = await openHub({ ...world, openStore: () => silent }, { state: memoryState() })
  expect((await other.check({ content: 'x' }, { to: 'acme/x' })).data).toMatchObject({ would_be: '1.0.0' })
})
