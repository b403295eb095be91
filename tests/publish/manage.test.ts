// Pins changing what is published: each field, permission and state, on git of this machine and on GitHub's stand-in, and many callers at once. docs/contract.md section 7
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type GitHubStandIn, startGitHubStandIn } from '../github/stand-in.ts'
import { type Answer, type Hub, openHub } from '../hubs/publishing.ts'
import { openGitHubWorld, openLocalWorld, type World } from '../hubs/worlds.ts'

const INDEX = '---\n# ours\ntitle: "Code review" # kept\ntags: [a]\nlabels:\n  production: "1.0.0"\n---\n\nNotes\r\n'

const FILES = {
  'content/acme/code-review/index.md': INDEX,
  'content/acme/index.md': '---\nprotected_labels: [stable]\n---\n',
}

let standIn: GitHubStandIn
beforeAll(async () => {
  standIn = await startGitHubStandIn()
})
afterAll(() => standIn.close())

let world: World
let hub: Hub
let token: string

const at = (rest: string) => `/api/v1/repos/acme/code-review${rest}`
const send = (
  method: string,
  rest: string,
  body?: unknown,
  given: { token?: string; hub?: Hub } = {},
): Promise<Answer> => (given.hub ?? hub).publish(body, { method, path: at(rest), token: given.token ?? token })

async function openAll(opened: World): Promise<void> {
  world = opened
  hub = await openHub(world)
  token = await hub.makeToken({ permissions: ['publish', 'label', 'maintain'] })
  for (const content of ['One\n', 'Two\n', 'Three\n'])
    expect((await hub.publish({ content, bump: 'minor' })).status).toBe(201)
}

afterEach(() => world.close())

describe.each([
  ['git of this machine', () => openLocalWorld(FILES)],
  ['GitHub', () => openGitHubWorld(standIn, FILES)],
] as const)('on %s', (_, open) => {
  beforeEach(async () => openAll(await open()))

  test('a label moves by one commit, is read at once, and comes again without one', async () => {
    const moved = await send('PUT', '/labels/production', { version: '1.1.0', expected: '1.0.0' })
    expect([moved.status, moved.data.labels, moved.data.unchanged]).toEqual([200, { production: '1.1.0' }, false])
    expect(moved.data.commit).toMatchObject({ sha: expect.stringMatching(/^[0-9a-f]{40}$/) })
    expect((await hub.readRepository('/raw?label=production')).text).toBe('Two\n')
    const again = await send('PUT', '/labels/production', { version: '1.1.0' })
    expect([again.status, again.data.commit, again.data.unchanged]).toEqual([200, null, true])
    const index = readFileSync(join(await world.contentDir(), 'acme/code-review/index.md'), 'utf8')
    expect(index).toBe(INDEX.replace('production: "1.0.0"', 'production: "1.1.0"'))
  })

  test('every field of a patch, and a dry run of each', async () => {
    const patch = {
      title: 'New',
      description: 'D',
      tags: ['b', 'c'],
      license: 'MIT',
      status: 'deprecated',
      status_message: 'Old.',
      readme: 'New notes',
    }
    const dry = await send('PATCH', '', { ...patch, dry_run: true })
    expect([dry.status, dry.data.commit, dry.data]).toEqual([200, null, expect.objectContaining(patch)])
    expect((await hub.readRepository()).data).toMatchObject({ title: 'Code review' })
    const done = await send('PATCH', '', patch)
    expect([done.status, done.data]).toEqual([200, expect.objectContaining(patch)])
    expect((await hub.readRepository()).data).toMatchObject(patch)
    const cleared = await send('PATCH', '', { license: null, status_message: null })
    expect(cleared.data).toMatchObject({ license: null, status_message: null, title: 'New' })
  })

  test('a yank withdraws the latest version, and undoing it brings it back', async () => {
    const yanked = await send('PUT', '/versions/1.2.0/yank', { reason: 'Wrong' })
    expect([yanked.status, yanked.data.latest_version]).toEqual([200, '1.1.0'])
    expect((await hub.readRepository('/raw')).text).toBe('Two\n')
    const back = await send('DELETE', '/versions/1.2.0/yank')
    expect([back.status, back.data.latest_version]).toEqual([200, '1.2.0'])
    const never = await send('DELETE', '/versions/1.1.0/yank')
    expect([never.status, never.data.commit]).toEqual([200, null])
  })

  test('what happened is listed with who and when, at once and after a build', async () => {
    await send('PUT', '/labels/production', { version: '1.1.0' })
    await send('PUT', '/versions/1.2.0/yank', { reason: 'Wrong' })
    await send('DELETE', '/versions/1.2.0/yank')
    await send('PATCH', '', { status: 'deprecated', status_message: 'Old.', title: 'New' })
    const wanted = [
      { type: 'status', from: 'active', to: 'deprecated', reason: 'Old.' },
      { type: 'changed', fields: ['title'] },
      { type: 'unyanked', version: '1.2.0' },
      { type: 'yanked', version: '1.2.0', reason: 'Wrong' },
      { type: 'labelled', label: 'production', from: '1.0.0', to: '1.1.0', version: '1.1.0' },
      ...['1.2.0', '1.1.0', '1.0.0'].map((version) => ({ type: 'published', version })),
    ]
    const { data, meta } = JSON.parse((await hub.read(at('/activity'))).text)
    expect(data).toMatchObject(wanted)
    expect(new Set(data.map(({ by }: { by: string }) => by))).toEqual(new Set(['acme']))
    expect(meta).toMatchObject({ page: 1, pages: 1, total: 8 })
    await hub.build()
    // The first commit of this history put an index.md there by hand.
    expect(JSON.parse((await hub.read(at('/activity'))).text).data.slice(0, 5)).toMatchObject(wanted.slice(0, 5))
  })

  //  what                                   method    where                   body                                       status  code
  test.each<[string, string, string, unknown, number, string]>([
    ['an unknown version', 'PUT', '/labels/next', { version: '9.0.0' }, 404, 'not_found'],
    ['an unknown version to yank', 'PUT', '/versions/9.0.0/yank', { reason: 'x' }, 404, 'not_found'],
    ['no label’s name', 'PUT', '/labels/Next', { version: '1.0.0' }, 404, 'not_found'],
    [
      'another label than expected',
      'PUT',
      '/labels/production',
      { version: '1.1.0', expected: '1.2.0' },
      409,
      'version_conflict',
    ],
    [
      'a label that is not expected',
      'PUT',
      '/labels/production',
      { version: '1.1.0', expected: null },
      409,
      'version_conflict',
    ],
    ['another one to remove', 'DELETE', '/labels/production', { expected: '1.2.0' }, 409, 'version_conflict'],
    ['a version that a label points at', 'PUT', '/versions/1.0.0/yank', { reason: 'x' }, 422, 'validation_failed'],
    ['no reason', 'PUT', '/versions/1.1.0/yank', {}, 422, 'validation_failed'],
    ['an unknown field', 'PATCH', '', { labels: {} }, 422, 'validation_failed'],
    ['null where there is always something', 'PATCH', '', { title: null }, 422, 'validation_failed'],
    ['a successor that is not there', 'PATCH', '', { replaced_by: 'acme/nowhere' }, 422, 'validation_failed'],
    ['a licence that is none', 'PATCH', '', { license: 'Mine' }, 422, 'validation_failed'],
    ['not JSON', 'PATCH', '', '{', 400, 'invalid_request'],
    ['a method that is not there', 'PATCH', '/labels/production', {}, 405, 'method_not_allowed'],
  ])('%s', async (_, method, rest, body, status, code) => {
    const answer = await send(method, rest, body)
    expect([answer.status, answer.code]).toEqual([status, code])
  })

  test('a label never points at a yanked version; an archived repository takes its status alone', async () => {
    await send('PUT', '/versions/1.2.0/yank', { reason: 'Wrong' })
    expect((await send('PUT', '/labels/next', { version: '1.2.0' })).code).toBe('validation_failed')
    expect((await send('PATCH', '', { status: 'archived' })).status).toBe(200)
    expect((await send('PUT', '/labels/next', { version: '1.1.0' })).code).toBe('repo_archived')
    expect((await send('PATCH', '', { status: 'active', title: 'A' })).code).toBe('repo_archived')
    expect((await send('PATCH', '', { status: 'active' })).data.status).toBe('active')
  })

  //  permissions                 method    where                   body                      status and what is missing
  test.each([
    [['publish'], 'PUT', '/labels/next', { version: '1.1.0' }, [403, 'label']],
    [['publish'], 'PATCH', '', { title: 'A' }, [403, 'maintain']],
    [['label'], 'PUT', '/labels/next', { version: '1.1.0' }, [200, '']],
    [['label'], 'PUT', '/labels/stable', { version: '1.1.0' }, [403, 'maintain']],
    [['label'], 'PUT', '/versions/1.1.0/yank', { reason: 'x' }, [403, 'maintain']],
    [['label'], 'POST', '/versions', { content: 'x' }, [403, 'publish']],
    [['maintain'], 'PUT', '/labels/stable', { version: '1.1.0' }, [200, '']],
    [['maintain'], 'POST', '/versions', { content: 'x' }, [403, 'publish']],
  ] as const)('a token with %s: %s %s', async (permissions, method, rest, body, [status, missing]) => {
    const given = await hub.makeToken({ permissions: [...permissions] })
    const answer = await send(method, rest, body, { token: given })
    expect([answer.status, answer.message.includes(`permission ${missing}`)]).toEqual([status, missing !== ''])
  })

  test('12 callers at once, in two hubs: every answered change holds', async () => {
    const second = await openHub(world, { state: hub.state })
    const of = (index: number) => ({ hub: index % 2 === 0 ? hub : second })
    const answers = await Promise.all([
      ...Array.from({ length: 7 }, (_, index) => send('PUT', `/labels/l${index}`, { version: '1.1.0' }, of(index))),
      send('PUT', '/versions/1.2.0/yank', { reason: 'a' }, of(0)),
      send('PATCH', '', { title: 'New', license: 'MIT' }, of(1)),
      send('DELETE', '/labels/production', undefined, of(0)),
      hub.publish({ content: 'Four\n', bump: 'minor' }, { token }),
      second.publish({ content: 'Five\n', bump: 'minor' }, { token }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 201, 201])
    const labels = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`l${index}`, '1.1.0']))
    for (const one of [hub, second]) {
      const { data } = await one.readRepository()
      expect(data).toMatchObject({ title: 'New', license: 'MIT', labels, latest_version: '1.4.0', versions_count: 5 })
      expect(data.versions).toEqual(['1.4.0', '1.3.0', '1.1.0', '1.0.0'])
    }
    await hub.build()
    expect((await hub.readRepository()).data).toMatchObject({ title: 'New', license: 'MIT', labels, versions_count: 5 })
  })
})

test('the addresses say what they have', async () => {
  await openAll(openLocalWorld())
  for (const [rest, allow] of [
    ['', 'GET, HEAD, OPTIONS, PATCH'],
    ['/labels/production', 'PUT, DELETE, OPTIONS'],
    ['/versions/1.0.0/yank', 'PUT, DELETE, OPTIONS'],
  ] as const)
    expect((await hub.read(at(rest), {}, 'OPTIONS')).headers.get('Allow')).toBe(allow)
  expect((await hub.read(at('/labels/production'))).status).toBe(405)
})
