// Tests changes to what is published: each field, permission and state, and with many concurrent callers. See docs/contract.md section 7.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { chooseVersion } from '../../src/domain/values/label-target.ts'
import { pointing } from '../fixtures/labels.ts'
import { FAULTS } from '../github/faults.ts'
import { type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { type Answer, type Hub, openHub } from '../hubs/publishing.ts'
import { gitOf, openGitHubWorld, openLocalWorld, type World } from '../hubs/worlds.ts'

const INDEX = '---\n# ours\ntitle: "Code review" # kept\ntags: [a]\nlabels:\n  production: "1.0.0"\n---\n\nNotes\r\n'

const version = (content: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${content}`
const FILES = {
  'content/acme/code-review/versions/1.0.0.md': version('One\n'),
  'content/acme/code-review/versions/1.1.0.md': version('Two\n'),
  'content/acme/code-review/versions/1.2.0.md': version('Three\n'),
  'content/acme/code-review/index.md': INDEX,
  'content/acme/index.md': '---\nprotected_labels: [stable]\n---\n',
}

const standIn = await startGitHubStandIn()
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
  await hub.build()
}

// One repository is enough for requests that change nothing, or whose changes do not meet.
describe('requests and permissions, which the decision judges whatever the store', () => {
  beforeAll(() => openAll(openLocalWorld(FILES)))

  const [invalid, conflict] = ['validation_failed', 'version_conflict']
  const v1 = { version: '1.0.0' }
  const expecting = (expected: string | object | null) => ({ version: '1.1.0', expected })
  const splitting = (second: string, percent: number) => ({ ...v1, split: { version: second, percent } })
  const OTHER = { version: '1.0.0', split: { version: '1.1.0', percent: 10 } }
  //  case                                       method    path                   body                     status, code
  test.each<[string, string, string, unknown, number, string]>([
    ['an unknown version', 'PUT', '/labels/next', { version: '9.0.0' }, 404, 'not_found'],
    ['an unknown version to yank', 'PUT', '/versions/9.0.0/yank', { reason: 'x' }, 404, 'not_found'],
    ['an invalid label name', 'PUT', '/labels/Next', v1, 404, 'not_found'],
    ['a label that reads as a range', 'PUT', '/labels/1', v1, 422, invalid],
    ['a label that reads as a wildcard', 'PUT', '/labels/x', v1, 422, invalid],
    ['a label that reads as the latest version', 'PUT', '/labels/latest', v1, 422, invalid],
    ['a label with another version than expected', 'PUT', '/labels/production', expecting('1.2.0'), 409, conflict],
    ['a label when none is expected', 'PUT', '/labels/production', expecting(null), 409, conflict],
    ['a split with an unknown version', 'PUT', '/labels/next', splitting('9.0.0', 10), 404, 'not_found'],
    ['a split with the same version', 'PUT', '/labels/next', splitting('1.0.0', 10), 422, invalid],
    ['a split for everybody', 'PUT', '/labels/next', splitting('1.1.0', 100), 422, invalid],
    ['a split for nobody', 'PUT', '/labels/next', splitting('1.1.0', 0), 422, invalid],
    ['a split with half a percent', 'PUT', '/labels/next', splitting('1.1.0', 1.5), 422, invalid],
    ['a label with another split than expected', 'PUT', '/labels/production', expecting(OTHER), 409, conflict],
    ['a label for an empty reason', 'PUT', '/labels/next', { ...v1, reason: '' }, 422, invalid],
    ['removing another version than expected', 'DELETE', '/labels/production', { expected: '1.2.0' }, 409, conflict],
    ['yanking a version that has a label', 'PUT', '/versions/1.0.0/yank', { reason: 'x' }, 422, invalid],
    ['yanking without a reason', 'PUT', '/versions/1.1.0/yank', {}, 422, invalid],
    ['deleting an old version', 'DELETE', '/versions/1.2.0', undefined, 409, 'too_late'],
    ['deleting a prompt with an old version', 'DELETE', '', undefined, 409, 'too_late'],
    ['deleting an unknown version', 'DELETE', '/versions/9.0.0', undefined, 404, 'not_found'],
    ['an unknown field', 'PATCH', '', { labels: {} }, 422, invalid],
    ['null for a field that requires a value', 'PATCH', '', { title: null }, 422, invalid],
    ['a replacement that does not exist', 'PATCH', '', { replaced_by: 'acme/nowhere' }, 422, invalid],
    ['an unknown license', 'PATCH', '', { license: 'Mine' }, 422, invalid],
    ['not JSON', 'PATCH', '', '{', 400, 'invalid_request'],
    ['an unsupported method', 'PATCH', '/labels/production', {}, 405, 'method_not_allowed'],
  ])('%s', async (_, method, rest, body, status, code) => {
    const answer = await send(method, rest, body)
    expect([answer.status, answer.code]).toEqual([status, code])
  })

  const one = { 'code-review': '1.0.0' }
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, '1.0.0']))
  //  case                                        made                                   label     versions      status, said
  test.each<[string, Parameters<Hub['makeToken']>[0], string, object, number, string]>([
    ['no prompt', {}, 'next', {}, 422, 'expected 1 to 50 prompts'],
    ['too many prompts', {}, 'next', many(51), 422, 'expected 1 to 50 prompts'],
    ['an invalid name', {}, 'next', { A: '1.0.0' }, 422, 'versions'],
    ['a range', {}, 'next', { 'code-review': '^1' }, 422, 'versions.code-review'],
    ['a label that reads as a range', {}, '1', one, 422, 'label'],
    ['an invalid label', {}, 'Next', one, 404, 'No label can have this name'],
    ['the token of one prompt', { scope: 'acme/code-review' }, 'next', { ...one, other: '1.0.0' }, 403, 'acme/other'],
    ['another owner’s token', { scope: 'zoe/*' }, 'next', one, 403, 'zoe/*'],
    ['a protected label', {}, 'stable', one, 403, 'code-review: acme protects the label stable.'],
  ])('moves no label of several prompts: %s', async (_, made, label, versions, status, said) => {
    const given = await hub.makeToken({ permissions: ['label'], ...made })
    const path = `/api/v1/users/acme/labels/${label}`
    const answer = await hub.publish({ versions }, { method: 'PUT', path, token: given })
    expect([answer.status, answer.message]).toEqual([status, expect.stringContaining(said)])
  })

  //  permissions                 method    path                   body                   status and missing permission
  test.each([
    [['publish'], 'PUT', '/labels/next', { version: '1.1.0' }, [403, 'label']],
    [['publish'], 'PATCH', '', { title: 'A' }, [403, 'maintain']],
    [['label'], 'PUT', '/labels/next', { version: '1.1.0' }, [200, '']],
    [['label'], 'PUT', '/labels/stable', { version: '1.1.0' }, [403, 'maintain']],
    [['label'], 'DELETE', '/labels/stable', undefined, [403, 'maintain']],
    [['label'], 'DELETE', '/labels/production', undefined, [200, '']],
    [['label'], 'PATCH', '', { title: 'A' }, [403, 'maintain']],
    [['label'], 'DELETE', '/versions/1.1.0/yank', undefined, [403, 'maintain']],
    [['label'], 'PUT', '/versions/1.1.0/yank', { reason: 'x' }, [403, 'maintain']],
    [['label'], 'POST', '/versions', { content: 'x' }, [403, 'publish']],
    [['maintain'], 'PUT', '/labels/stable', { version: '1.1.0' }, [200, '']],
    [['label'], 'DELETE', '/versions/1.1.0', undefined, [403, 'publish']],
    [['maintain'], 'POST', '/versions', { content: 'x' }, [403, 'publish']],
  ] as const)('a token with %s: %s %s', async (permissions, method, rest, body, [status, missing]) => {
    const given = await hub.makeToken({ permissions: [...permissions] })
    const answer = await send(method, rest, body, { token: given })
    expect([answer.status, answer.message.includes(`permission ${missing}`)]).toEqual([status, missing !== ''])
  })
})

describe.each([
  ['local git', () => openLocalWorld(FILES)],
  ['GitHub', () => openGitHubWorld(standIn, FILES)],
] as const)('on %s', (_, open) => {
  beforeEach(async () => openAll(await open()))

  test('moves a label of several prompts in one commit, or none', async () => {
    await hub.publish({ content: 'Other\n' }, { to: 'acme/other' })
    await hub.publish({ content: 'More\n' }, { to: 'acme/other' })
    await send('PUT', '/labels/production', { version: '1.1.0' })
    const move = (versions: object, given: object = {}) =>
      hub.publish(
        { versions, reason: 'Together.', ...given },
        { method: 'PUT', path: '/api/v1/users/acme/labels/production', token },
      )
    const labelsOf = async (name: string) => (await hub.read(`/api/v1/repos/acme/${name}`)).data.labels
    const refused = await move({ 'code-review': '1.0.0', missing: '1.0.0', other: '9.0.0' })
    expect([refused.status, refused.message]).toEqual([
      404,
      'No label was moved. missing: There is no repository acme/missing. Publish its first version before you change it. other: acme/other has no version 9.0.0. Its versions are listed at /api/v1/repos/acme/other/versions.',
    ])
    const both = { 'code-review': '1.0.0', other: '1.0.1' }
    expect((await move(both, { dry_run: true })).data).toMatchObject({ unchanged: false, commit: null })
    expect([await labelsOf('code-review'), await labelsOf('other')]).toEqual([pointing({ production: '1.1.0' }), {}])
    const moved = await move(both)
    const rows = [
      { name: 'code-review', full_name: 'acme/code-review', from: '1.1.0', version: '1.0.0', unchanged: false },
      { name: 'other', full_name: 'acme/other', from: null, version: '1.0.1', unchanged: false },
    ]
    expect([moved.status, moved.data]).toMatchObject([200, { owner: 'acme', label: 'production', prompts: rows }])
    const again = await move(both)
    expect(again.data).toMatchObject({
      unchanged: true,
      commit: null,
      prompts: rows.map(({ from: _, ...row }) => ({ ...row, from: row.version, unchanged: true })),
    })
    const { sha } = moved.data.commit as { sha: string }
    for (const _ of ['a fresh copy', 'a build']) {
      expect([await labelsOf('code-review'), await labelsOf('other')]).toEqual([
        pointing({ production: '1.0.0' }),
        pointing({ production: '1.0.1' }),
      ])
      for (const [name, type] of [
        ['code-review', 'restored'],
        ['other', 'labelled'],
      ]) {
        const { data } = JSON.parse((await hub.read(`/api/v1/repos/acme/${name}/activity`)).text)
        const [last] = data.filter((one: { label: string | null }) => one.label !== null)
        expect(last).toMatchObject({ type, commit: sha, reason: 'Together.' })
      }
      await hub.build()
    }
  })

  test('deletes a fresh version in one commit with all that belongs to it, once, and never uses its number again', async () => {
    const files = [{ path: 'notes.txt', base64: 'eA==' }]
    const published = await hub.publish({ content: 'Wrong\n', skill: { description: 'Use it.' }, files })
    expect(published.data.version).toBe('1.3.0')
    await send('PUT', '/versions/1.3.0/results/smoke', { passed: 1, failed: 0 })
    await send('PUT', '/labels/next', { version: '1.3.0' })
    expect((await send('DELETE', '/versions/1.3.0')).message).toContain('next at 1.3.0')
    await send('DELETE', '/labels/next')
    expect((await send('DELETE', '/versions/1.3.0', { dry_run: true })).data).toMatchObject({ commit: null })
    const outcome = { full_name: 'acme/code-review', deleted: ['1.3.0'] }
    const gone = await send('DELETE', '/versions/1.3.0', { reason: 'Wrong file' })
    expect(gone.data).toMatchObject({ ...outcome, unchanged: false, commit: { sha: expect.any(String) } })
    expect((await send('DELETE', '/versions/1.3.0')).data).toEqual({ ...outcome, unchanged: true, commit: null })
    const { data } = await hub.readRepository('')
    expect([data.latest_version, data.versions_count]).toEqual(['1.2.0', 3])
    const [activity] = JSON.parse((await hub.readRepository('/activity')).text).data
    expect(activity).toMatchObject({ type: 'removed', version: '1.3.0', reason: 'Wrong file' })
    const folder = join(await world.contentDir(), 'acme/code-review')
    const left = readdirSync(folder, { recursive: true }).map(String)
    expect(left.filter((path) => path.includes('1.3.0'))).toEqual([])
    await hub.build()
    expect((await hub.readRepository('/versions/1.3.0')).status).toBe(404)
    expect((await hub.publish({ content: 'Right\n' })).data.version).toBe('1.3.1')
  })
})

// What a store does with a commit is tested above, and in tests/stores.
describe('states of a prompt, whatever the store', () => {
  beforeEach(async () => openAll(openLocalWorld(FILES)))

  test('moves a label with one commit, shows it at once, and makes no commit when repeated', async () => {
    const moved = await send('PUT', '/labels/production', { version: '1.1.0', expected: '1.0.0' })
    expect([moved.status, moved.data.labels, moved.data.unchanged]).toEqual([
      200,
      pointing({ production: '1.1.0' }),
      false,
    ])
    expect(moved.data.commit).toMatchObject({ sha: expect.stringMatching(/^[0-9a-f]{40}$/) })
    expect((await hub.readRepository('/raw?label=production')).text).toBe('Two\n')
    const again = await send('PUT', '/labels/production', { version: '1.1.0' })
    expect([again.status, again.data.commit, again.data.unchanged]).toEqual([200, null, true])
    const index = readFileSync(join(await world.contentDir(), 'acme/code-review/index.md'), 'utf8')
    expect(index).toBe(INDEX.replace('production: "1.0.0"', 'production: "1.1.0"'))
  })

  test('offers a second version to a share of callers, and goes back', async () => {
    const split = (percent: number) => ({ version: '1.0.0', split: { version: '1.1.0', percent } })
    type Targets = Record<string, { version: string; split: { version: string; percent: number; salt: string } | null }>
    const targetIn = ({ data }: Pick<Answer, 'data'>) => (data.labels as Targets).production!
    const targetOf = async () => targetIn(await hub.readRepository())
    const begun = await send('PUT', '/labels/production', { ...split(10), reason: 'Try it.', expected: '1.0.0' })
    const salt = targetIn(begun).split!.salt
    expect(salt).toMatch(/^[A-Za-z0-9]{16,}$/)
    expect(await targetOf()).toEqual({ version: '1.0.0', split: { version: '1.1.0', percent: 10, salt } })
    expect((await send('PUT', '/versions/1.1.0/yank', { reason: 'x' })).message).toContain('production points at 1.1.0')
    const others = [
      split(11),
      { ...split(10), version: '1.1.0' },
      { version: '1.0.0', split: { version: '1.2.0', percent: 10 } },
    ]
    for (const expected of others) {
      const refused = await send('PUT', '/labels/production', { ...split(60), expected })
      expect([refused.status, refused.code]).toEqual([409, 'version_conflict'])
    }
    await send('PUT', '/labels/production', { ...split(60), expected: split(10) })
    // Nobody leaves the second version while its share grows.
    expect((await targetOf()).split).toEqual({ version: '1.1.0', percent: 60, salt })
    expect((await send('PUT', '/labels/production', split(60))).data.unchanged).toBe(true)
    const read = (key: string) => hub.readRepository(`/raw?label=production${key}`)
    const keys = Array.from({ length: 8 }, (_, index) => `user-${index}`)
    for (const key of ['', ...keys]) {
      const answer = await read(key && `&key=${key}`)
      const chosen = await chooseVersion(await targetOf(), key)
      expect([answer.headers.get('X-Prompt-Version'), answer.text]).toEqual([
        chosen,
        chosen === '1.0.0' ? 'One\n' : 'Two\n',
      ])
      expect(answer.headers.get('Cache-Control')).toMatch(key ? /^private, max-age=60$/ : /^public/)
    }
    await hub.build()
    expect((await targetOf()).split?.salt).toBe(salt)
    await send('PUT', '/labels/production', { version: '1.1.0' })
    await send('PUT', '/labels/production', { version: '1.0.0', reason: 'Worse.' })
    expect(await targetOf()).toEqual({ version: '1.0.0', split: null })
    const other = await send('PUT', '/labels/production', split(10))
    expect(targetIn(other).split?.salt).not.toBe(salt)
    for (const _ of [1, 2]) {
      const { data } = JSON.parse((await hub.readRepository('/activity')).text)
      const moves = data.filter((one: { label: string | null }) => one.label === 'production')
      const [ten, sixty] = [10, 60].map((percent) => ({ version: '1.1.0', percent }))
      expect(moves).toMatchObject([
        { type: 'split', version: '1.1.0', from: '1.0.0', to: '1.0.0', from_split: null, to_split: ten },
        {
          type: 'restored',
          from: '1.1.0',
          to: '1.0.0',
          reason: 'Worse.',
          by_token: expect.any(String),
          by_workflow: null,
        },
        { type: 'labelled', from: '1.0.0', to: '1.1.0', from_split: sixty, to_split: null },
        { type: 'split', from_split: ten, to_split: sixty },
        { type: 'split', from_split: null, to_split: ten, reason: 'Try it.' },
      ])
      await hub.build()
    }
  })

  test('moves the labels of a publish in its commit, or publishes nothing', async () => {
    const weak = await hub.makeToken({ permissions: ['publish'] })
    const some = await hub.makeToken({ permissions: ['publish', 'label'] })
    const labels = ['next', 'production']
    const refused = [
      await hub.publish({ content: 'Four\n', labels }, { token: weak }),
      await hub.publish({ content: 'Four\n', labels: ['next', 'stable'] }, { token: some }),
      await hub.publish({ content: 'Four\n', labels: ['latest'] }, { token }),
      await hub.publish({ content: 'Four\n', labels: ['next', 'next'] }, { token }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 422, 422])
    expect((await hub.readRepository()).data.versions_count).toBe(3)
    const published = await hub.publish({ content: 'Four\n', labels }, { token: some })
    expect([published.status, published.data.version]).toEqual([201, '1.2.1'])
    const pointed = pointing({ production: '1.2.1', next: '1.2.1' })
    expect((await hub.readRepository()).data.labels).toEqual(pointed)
    const { data } = JSON.parse((await hub.readRepository('/activity')).text)
    const moves = data.filter((one: { label: string | null }) => one.label !== null)
    const { sha } = published.data.commit as { sha: string }
    expect(moves.map((one: { commit: string }) => one.commit)).toEqual([sha, sha])
    const again = await hub.publish({ content: 'Four\n', labels: ['beta'] }, { token: some })
    expect([again.status, again.data.unchanged]).toEqual([200, true])
    await hub.build()
    expect((await hub.readRepository()).data.labels).toEqual({ ...pointed, ...pointing({ beta: '1.2.1' }) })
  })

  test('deletes a whole prompt unless another includes it, and only for who may', async () => {
    const parts = '/api/v1/repos/acme/parts'
    const ask = (method: string, path: string, body?: unknown, given = token) =>
      hub.publish(body, { method, path, token: given })
    await ask('POST', `${parts}/versions`, { content: 'Part\n' })
    const including = { content: '{{include "acme/parts@1.0.0"}}\n', compose: true }
    await ask('POST', '/api/v1/repos/acme/whole/versions', including)
    expect((await ask('DELETE', parts)).message).toContain('acme/whole@1.0.0')
    const narrow = await hub.makeToken({ scope: 'acme/whole', permissions: ['publish'] })
    expect((await ask('DELETE', '/api/v1/repos/acme/whole', {}, narrow)).code).toBe('forbidden')
    expect((await ask('DELETE', '/api/v1/repos/acme/whole')).data.deleted).toEqual(['1.0.0'])
    expect((await ask('DELETE', parts)).data.deleted).toEqual(['1.0.0'])
    expect((await hub.read(parts)).status).toBe(404)
    expect((await ask('POST', `${parts}/versions`, { content: 'Part again\n' })).data.version).toBe('1.1.0')
    expect((await hub.read(parts)).data.versions_count).toBe(1)
  })

  test('8 concurrent callers on two hubs: every confirmed change is kept', async () => {
    const second = await openHub(world, { state: hub.state })
    await second.build()
    const of = (index: number) => ({ hub: index % 2 === 0 ? hub : second })
    // On a loaded machine, a response may time out. Callers then retry, as clients do.
    const insist = async (ask: () => Promise<Answer>): Promise<Answer> => {
      const answer = await ask()
      return answer.status === 503 ? insist(ask) : answer
    }
    const answers = await Promise.all([
      ...Array.from({ length: 3 }, (_, index) =>
        insist(() => send('PUT', `/labels/l${index}`, { version: '1.1.0' }, of(index))),
      ),
      insist(() => send('PUT', '/versions/1.2.0/yank', { reason: 'a' }, of(0))),
      insist(() => send('PATCH', '', { title: 'New', license: 'MIT' }, of(1))),
      insist(() => send('DELETE', '/labels/production', undefined, of(0))),
      insist(() => hub.publish({ content: 'Four\n', bump: 'minor' }, { token, key: 'publish-4' })),
      insist(() => second.publish({ content: 'Five\n', bump: 'minor' }, { token, key: 'publish-5' })),
    ])
    expect(answers.map(({ status }) => status)).toEqual([...Array(6).fill(200), 201, 201])
    const labels = pointing(Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`l${index}`, '1.1.0'])))
    for (const one of [hub, second]) {
      const { data } = await one.readRepository()
      expect(data).toMatchObject({ title: 'New', license: 'MIT', labels, latest_version: '1.4.0', versions_count: 5 })
      expect(data.versions).toEqual(['1.4.0', '1.3.0', '1.1.0', '1.0.0'])
    }
    await hub.build()
    expect((await hub.readRepository()).data).toMatchObject({
      title: 'New',
      license: 'MIT',
      labels,
      versions_count: 5,
    })
  })

  test('PATCH changes texts, tags, license and status, and a dry run changes none', async () => {
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

  test('lists all activity with its author, at once and after a build', async () => {
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
    // The first commit in this history adds an index.md by hand.
    expect(JSON.parse((await hub.read(at('/activity'))).text).data.slice(0, 5)).toMatchObject(wanted.slice(0, 5))
  })

  test('allows only valid changes in each state, and shows them in two hubs', async () => {
    const other = await openHub(world, { state: hub.state })
    await other.build()
    const archived = [409, 'repo_archived'] as const
    // method, path, body; status, code, or the fields of the record afterwards
    const rows: [string, string, unknown, number, string | object][] = [
      ['DELETE', '/labels/nowhere', undefined, 200, { commit: null, unchanged: true }],
      ['DELETE', '/labels/nowhere', { expected: null }, 200, { commit: null }],
      ['DELETE', '/labels/nowhere', { expected: '1.0.0' }, 409, 'version_conflict'],
      ['PUT', '/labels/next', { version: '1.1.0', expected: null }, 200, { labels: pointing({ next: '1.1.0' }) }],
      ['PUT', '/labels/next', { version: '1.2.0', expected: '1.1.0', dry_run: true }, 200, { commit: null }],
      ['DELETE', '/labels/next', { dry_run: true }, 422, 'validation_failed'],
      ['DELETE', '/labels/next', { expected: '1.1.0' }, 200, { labels: pointing({ production: '1.0.0' }) }],
      ['PUT', '/versions/1.2.0/yank', { reason: 'A', dry_run: true }, 200, { commit: null, latest_version: '1.1.0' }],
      ['PUT', '/versions/1.2.0/yank', { reason: 'A' }, 200, { latest_version: '1.1.0' }],
      ['PUT', '/versions/1.2.0/yank', { reason: 'A' }, 200, { commit: null, unchanged: true }],
      ['PUT', '/labels/next', { version: '1.2.0' }, 422, 'validation_failed'],
      ['PUT', '/versions/1.2.0/yank', { reason: 'B: "b" # b' }, 200, { unchanged: false }],
      ['PUT', '/versions/1.2.0/yank', { reason: 'x'.repeat(501) }, 422, 'validation_failed'],
      ['PUT', '/versions/1.1.0/yank', { reason: 'C' }, 200, { latest_version: '1.0.0' }],
      ['DELETE', '/labels/production', undefined, 200, { labels: {} }],
      ['PUT', '/versions/1.0.0/yank', { reason: 'D' }, 200, { latest_version: null }],
      ['PUT', '/labels/next', { version: '1.0.0' }, 422, 'validation_failed'],
      ['PATCH', '', { title: 'All yanked' }, 200, { title: 'All yanked' }],
      ['DELETE', '/versions/1.0.0/yank', undefined, 200, { latest_version: '1.0.0' }],
      ['DELETE', '/versions/1.0.0/yank', undefined, 200, { commit: null }],
      ['DELETE', '/versions/9.0.0/yank', undefined, 404, 'not_found'],
      ['PATCH', '', { moved_to: 'acme/code-review' }, 422, 'validation_failed'],
      ['PATCH', '', { moved_to: 'acme/reviews' }, 200, { moved_to: 'acme/reviews' }],
      ['PATCH', '', { description: 'Moved.' }, 200, { description: 'Moved.' }],
      ['PUT', '/labels/next', { version: '1.0.0' }, 200, { labels: pointing({ next: '1.0.0' }) }],
      [
        'PATCH',
        '',
        { moved_to: null, replaced_by: 'acme/reviews' },
        200,
        { moved_to: null, replaced_by: 'acme/reviews' },
      ],
      ['PATCH', '', { status: 'archived' }, 200, { status: 'archived' }],
      ['PATCH', '', { title: 'A' }, ...archived],
      ['PATCH', '', { status: 'active', title: 'A' }, ...archived],
      ['PUT', '/labels/next', { version: '1.0.0' }, ...archived],
      ['DELETE', '/labels/next', undefined, ...archived],
      ['PUT', '/versions/1.0.0/yank', { reason: 'x' }, ...archived],
      ['DELETE', '/versions/1.1.0/yank', undefined, ...archived],
      ['PATCH', '', { status: 'deprecated' }, 200, { status: 'deprecated' }],
      ['DELETE', '/versions/1.1.0/yank', undefined, 200, { latest_version: '1.1.0' }],
    ]
    await hub.publish({ content: 'There\n' }, { to: 'acme/reviews' })
    for (const [index, [method, rest, body, status, wanted]] of rows.entries()) {
      const [asked, read] = index % 2 === 0 ? [hub, other] : [other, hub]
      const answer = await send(method, rest, body, { hub: asked })
      const said = `${method} ${rest} ${JSON.stringify(body)}: ${answer.message}`
      expect([said, answer.status]).toEqual([said, status])
      if (typeof wanted === 'string') {
        expect([said, answer.code]).toEqual([said, wanted])
        continue
      }
      expect({ said, ...answer.data }).toMatchObject({ said, ...wanted })
      if (answer.data.commit === null) continue
      const { commit: _, unchanged: __, ...record } = answer.data
      expect((await read.readRepository()).data).toEqual(record)
    }
    const { data } = await hub.readRepository()
    await hub.build()
    expect((await hub.readRepository()).data).toEqual(data)
  })

  test('while the owner’s file cannot be read, no token may change anything', async () => {
    await world.commitOutside({ 'content/acme/index.md': '---\nprotected_label: [stable]\n---\n' })
    const answers = [
      await send(
        'PUT',
        '/labels/stable',
        { version: '1.1.0' },
        { token: await hub.makeToken({ permissions: ['label'] }) },
      ),
      await send('PUT', '/labels/other', { version: '1.1.0' }),
      await send('PATCH', '', { title: 'A' }),
      await send('PUT', '/versions/1.1.0/yank', { reason: 'x' }),
      await send('POST', '/versions', { content: 'x' }),
    ]
    for (const { status, code, message } of answers) {
      expect([status, code]).toEqual([502, 'upstream_error'])
      expect(message).toMatch(/^content\/acme\/index\.md on the branch cannot be read: .*Fix it in git/)
    }
  })
})

describe('on GitHub, with races and faults', () => {
  let logged: ReturnType<typeof vi.spyOn>[]
  let place: StandInRepository
  beforeEach(async () => {
    const opened = await openGitHubWorld(standIn, FILES)
    place = opened.place
    await openAll(opened)
    logged = (['log', 'warn', 'error'] as const).map((method) => vi.spyOn(console, method).mockImplementation(() => {}))
  })
  afterEach(() => {
    standIn.forget()
    for (const spy of logged) spy.mockRestore()
  })
  const commits = async () =>
    (await gitOf(world, 'log', '--format=%s', 'main'))
      .split('\n')
      .filter((line) => line.startsWith('acme/code-review: '))

  test('a deletion races with a label and with a prompt that includes the version: one of the two is refused', async () => {
    const second = await openHub(world, { state: hub.state })
    await second.build()
    const api = '/api/v1/repos/acme/code-review'
    const races: [string, (version: string) => Promise<Answer>][] = [
      ['label', (version) => second.publish({ version }, { method: 'PUT', path: `${api}/labels/next`, token })],
      [
        'including prompt',
        (version) => {
          const content = `{{include "acme/code-review@${version}"}}\n`
          return second.publish(
            { content, compose: true },
            { to: `acme/includes-${version.replaceAll('.', '-')}`, token },
          )
        },
      ],
    ]
    for (const [what, start] of races) {
      const { version } = (await hub.publish({ content: `Race of a ${what}\n` })).data as { version: string }
      const [deleted, other] = await Promise.all([send('DELETE', `/versions/${version}`), start(version)])
      const isDeleted = deleted.status === 200
      expect([what, version, isDeleted, other.status < 300, other.message]).toEqual([
        what,
        version,
        isDeleted,
        !isDeleted,
        isDeleted ? expect.stringContaining(version) : '',
      ])
      expect((await hub.read(api)).data.versions).toEqual(
        isDeleted ? expect.not.arrayContaining([version]) : expect.arrayContaining([version]),
      )
      const { labels } = (await hub.read(api)).data as { labels: Record<string, { version: string }> }
      expect(labels.next?.version === version).toBe(what === 'label' && !isDeleted)
    }
  })

  // tests/publish/faults-github.test.ts has the other faults, with which a change is written as a version is.
  test('writes that are applied, but whose response is lost: 200, one commit per change', async () => {
    const changes: [string, string, unknown][] = [
      ['PUT', '/labels/next', { version: '1.1.0' }],
      ['PUT', '/versions/1.2.0/yank', { reason: 'Wrong' }],
      ['PATCH', '', { title: 'New' }],
    ]
    for (const [method, rest, body] of changes) {
      standIn.forget()
      standIn.script({ on: 'mutation', fault: FAULTS.cut(true) })
      const { status, data } = await send(method, rest, body)
      expect([status, data.unchanged, data.commit]).toEqual([
        ...[200, false],
        expect.objectContaining({ sha: expect.stringMatching(/^[0-9a-f]{40}$/) }),
      ])
    }
    standIn.forget()
    const wanted = { title: 'New', labels: pointing({ production: '1.0.0', next: '1.1.0' }), latest_version: '1.1.0' }
    expect((await hub.readRepository()).data).toMatchObject(wanted)
    expect(await commits()).toHaveLength(3)
    await hub.build()
    expect((await hub.readRepository()).data).toMatchObject(wanted)
  })

  test('keeps a concurrent edit by someone else, and returns 409 if the expected value differs', async () => {
    const text = INDEX.replace('title: "Code review"', 'title: Theirs').replace('"1.0.0"', '"1.1.0"')
    const done = Promise.withResolvers<void>()
    const when = () => {
      void standIn.commitOutside(place, { 'content/acme/code-review/index.md': text }).then(() => done.resolve())
      return true
    }
    standIn.script({ on: 'mutation', when, fault: FAULTS.hold(done.promise) })
    const conflict = await send('PUT', '/labels/production', { version: '1.2.0', expected: '1.0.0' })
    expect([conflict.status, conflict.code]).toEqual([409, 'version_conflict'])
    expect((await send('PUT', '/labels/next', { version: '1.2.0' })).data).toMatchObject({
      title: 'Theirs',
      labels: pointing({ production: '1.1.0', next: '1.2.0' }),
    })
  })
})
