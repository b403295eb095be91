// Tests changes to an owner: each field, who may change it, conflicts, and hostile input.
// See docs/contract.md section 7.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { shareCopies } from '../../src/state/shared-copies.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { type Answer, type Hub, openHub } from '../hubs/publishing.ts'
import { gitOf, openLocalWorld, type World } from '../hubs/worlds.ts'

const OWNER =
  '---\n# ours\nname: "Acme" # kept\nmembers:\n  - alice # since 2024\n  - 583231\nprotected_labels: [stable]\n---\n\nWe review.\r\n'
const version = '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\nOne\n'
const FILES = {
  'content/acme/index.md': OWNER,
  'content/acme/review/versions/1.0.0.md': version,
}
const ALICE = { kind: 'person', login: 'alice', user_id: '1' } as const
const BOB = { kind: 'person', login: 'bob', user_id: '2' } as const
const BY_ID = { kind: 'person', login: 'somebody', user_id: '583231' } as const
const ALL = ['publish', 'label', 'maintain'] as const
const PUBLISHER = {
  repository: 'octo/prompts',
  repository_id: 12,
  repository_owner_id: 34,
  workflow: 'publish.yml',
}

let world: World
/** A hub for tokens. */
let hub: Hub
/** The same hub for people who are signed in, as the site's own pages call it. */
let pages: Hub

async function openAll(opened: World): Promise<void> {
  world = opened
  const state = memoryState()
  hub = await openHub(world, { state })
  pages = await openHub(world, { state, ...SIGNED_IN })
  await hub.build()
}

/** Stands in for the sessions of people: a request names its sender. */
const SIGNED_IN = {
  findSignedIn: async ({ headers }: Request) => JSON.parse(headers.get('Test-Person') ?? 'null') ?? undefined,
}
const signedIn = (person: Holder) => ({ token: null, headers: { 'Test-Person': JSON.stringify(person) } })

type Holder = typeof ALICE | typeof BOB | typeof BY_ID
/** Sends a change as the site's own pages do for somebody who is signed in. */
async function change(body: unknown, { by = ALICE, owner = 'acme' }: { by?: Holder; owner?: string } = {}) {
  return pages.publish(body, { method: 'PATCH', path: `/api/v1/users/${owner}`, ...signedIn(by) })
}
/** Sends a change with a token. */
async function changeWith(body: unknown, made: Parameters<Hub['makeToken']>[0] = {}, owner = 'acme'): Promise<Answer> {
  const token = await hub.makeToken({ scope: `${owner}/*`, permissions: [...ALL], ...made })
  return hub.publish(body, { method: 'PATCH', path: `/api/v1/users/${owner}`, token })
}
const fileOf = async (owner = 'acme') => readFileSync(join(await world.contentDir(), owner, 'index.md'), 'utf8')
const userOf = async (owner = 'acme') => (await hub.read(`/api/v1/users/${owner}`)).data
async function logOf(owner = 'acme'): Promise<string[]> {
  const format = ['log', '--format=%H|%s|%(trailers:key=Changed-By,valueonly,separator=)', 'main', '--']
  return (await gitOf(world, ...format, `content/${owner}/index.md`)).trim().split('\n')
}
const problem = ({ status, code, message }: Answer) => [status, code, message]

describe('the profile', () => {
  beforeEach(async () => openAll(openLocalWorld(FILES)))

  test('changes the profile with one commit, leaves all other bytes, and shows it at once', async () => {
    await pages.build()
    const done = await change({ name: 'Acme Corp', bio: 'New bio', website: 'https://acme.example' })
    expect([done.status, done.data.unchanged]).toEqual([200, false])
    expect(done.data.commit).toMatchObject({ sha: expect.stringMatching(/^[0-9a-f]{40}$/) })
    const profile = { name: 'Acme Corp', bio: 'New bio', website: 'https://acme.example', avatar_url: null }
    expect(done.data).toMatchObject({ handle: 'acme', ...profile, repos_count: 1 })
    expect(await userOf()).toMatchObject({ ...profile, repos_count: 1 })
    expect(await fileOf()).toBe(
      '---\n# ours\nname: "Acme Corp" # kept\nmembers:\n  - alice # since 2024\n  - 583231\nprotected_labels: [stable]\nwebsite: https://acme.example\n---\n\nNew bio\r\n',
    )
    const [last] = await logOf()
    expect(last).toMatch(/^[0-9a-f]{40}\|acme: change name, website, bio\|alice/)
    const again = await change({ name: 'Acme Corp', bio: 'New bio' })
    expect([again.status, again.data.unchanged, again.data.commit]).toEqual([200, true, null])
    await hub.build()
    expect(await userOf()).toMatchObject({ ...profile, repos_count: 1 })
    const cleared = await change({ name: null, bio: null, website: null })
    expect(cleared.data).toMatchObject({ name: null, bio: null, website: null })
    expect(await userOf()).toMatchObject({ name: null, bio: null, website: null })
  })
})

describe('who may change what', () => {
  // One repository, in which nothing of the owner changes.
  beforeAll(async () => openAll(openLocalWorld(FILES)))
  const RIGHTS = [
    { members: ['mallory'] },
    { members: null },
    { trusted_publishers: [PUBLISHER] },
    { protected_labels: [] },
    { publishing: 'trusted-only' },
    // The value of the file: a token may not even repeat it.
    { protected_labels: ['stable'] },
  ]

  test.each(RIGHTS)('a token with every permission may not send %o', async (body) => {
    const field = Object.keys(body)[0]
    for (const holder of [ALICE, { kind: 'operator' }] as const)
      expect(problem(await changeWith({ ...body, name: 'Taken' }, { holder }))).toEqual([
        403,
        'forbidden',
        `No token may change ${field}: only a member who is signed in may. Leave this field out, or sign in at https://hub.example/acme/settings.`,
      ])
    expect(await fileOf()).toBe(OWNER)
  })

  test('somebody who is signed in but no member may change nothing', async () => {
    for (const body of [{ members: ['bob'] }, { name: 'Mine' }, { dry_run: true }])
      expect(problem(await change(body, { by: BOB }))).toEqual([
        ...[403, 'forbidden', 'bob may not change acme. Its members are listed in content/acme/index.md.'],
      ])
  })

  test('a file that cannot be read denies', async () => {
    await world.commitOutside({ 'content/broken/index.md': '---\nmembers: [alice\n---\n' })
    const answer = await change({ members: ['alice'] }, { owner: 'broken' })
    expect([answer.status, answer.code]).toEqual([502, 'upstream_error'])
  })

  test('a CI job may not change an owner', async () => {
    const job = await openHub(world, {
      verifyJob: async () => ({
        repositoryId: '12',
        jti: 'j',
        endsMs: Date.now() + 60_000,
        actor: undefined,
        provenance: { issuer: 'i', repository: 'octo/prompts', workflow: 'w', ref: 'r', sha: 's', run_id: '1' },
        findRefusal: () => undefined,
        isTrusted: () => true,
      }),
    })
    const answer = await job.publish({ name: 'A' }, { method: 'PATCH', path: '/api/v1/users/acme', token: 'a.b.c' })
    expect(problem(answer)).toEqual([
      ...[403, 'forbidden', 'A CI job may not change acme itself. Use a token for acme/*, or sign in.'],
    ])
  })
})

describe('changes of who may change what', () => {
  beforeEach(async () => openAll(openLocalWorld(FILES)))

  test('expected_commit detects the change of somebody else', async () => {
    const [first = ''] = await logOf()
    const sha = first.slice(0, 40)
    // A publish moves the branch, but does not change the owner.
    expect((await hub.publish({ content: 'Two' }, { to: 'acme/review' })).status).toBe(201)
    const done = await change({ name: 'One', expected_commit: sha })
    expect(done.status).toBe(200)
    const stale = await change({ name: 'Two', expected_commit: sha })
    expect([stale.status, stale.code]).toEqual([409, 'version_conflict'])
    const { sha: now } = done.data.commit as { sha: string }
    expect(stale.message).toContain(now)
    expect((await change({ name: 'Two', expected_commit: null })).code).toBe('version_conflict')
    expect((await change({ name: 'Two', expected_commit: now })).status).toBe(200)
    const first2 = await change({ name: 'Bob', expected_commit: null }, { by: BOB, owner: 'bob' })
    expect(first2.status).toBe(200)
  })

  test('six changes at once through two hubs are six commits, and none is lost', async () => {
    const other = await openHub(world, { state: hub.state, ...SIGNED_IN })
    const names = Array.from({ length: 6 }, (_, number) => `label-${number}`)
    const answers = await Promise.all(
      names.map((label, number) =>
        (number % 2 === 0 ? pages : other).publish(number < 3 ? { name: label } : { protected_labels: [label] }, {
          method: 'PATCH',
          path: '/api/v1/users/acme',
          ...signedIn(ALICE),
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    expect(await logOf()).toHaveLength(7)
    expect(await fileOf()).toMatch(
      /^---\n# ours\nname: "label-[0-2]" # kept\n[\s\S]*protected_labels: \[label-[3-5]\]\n/,
    )
  })

  test('a token with maintain for all of the owner may change the profile, and no other token', async () => {
    expect((await changeWith({ name: 'A' }, { permissions: ['maintain'] })).status).toBe(200)
    expect((await changeWith({ name: 'B' }, { permissions: ['maintain'], holder: ALICE })).status).toBe(200)
    const cases = [
      [{ permissions: ['publish', 'label'] as const }, /lacks the permission maintain/],
      [{ scope: 'acme/review' }, /^This token covers acme\/review, not acme\/\*\./],
      [{ scope: 'other/*' }, /^This token covers other\/\*, not acme\/\*\./],
      [{ holder: BOB }, /^bob may not change acme\./],
    ] as const
    for (const [made, message] of cases) {
      const answer = await changeWith({ name: 'C' }, made as Parameters<Hub['makeToken']>[0])
      expect(problem(answer)).toEqual([403, 'forbidden', expect.stringMatching(message)])
    }
    expect(
      (await hub.publish({ name: 'D' }, { method: 'PATCH', path: '/api/v1/users/acme', token: null })).status,
    ).toBe(401)
    expect(await userOf()).toMatchObject({ name: 'B' })
  })

  test('the last member cannot be removed', async () => {
    for (const members of [[], null])
      expect(problem(await change({ members }))).toEqual([
        ...[422, 'validation_failed'],
        'members: expected at least one member; add somebody before you remove the last one.',
      ])
    expect((await change({ members: ['alice'] })).status).toBe(200)
    expect((await change({ members: ['bob'] })).status).toBe(200)
    expect((await change({ name: 'Mine' })).code).toBe('forbidden')
    // An owner without members belongs to the person of the same name, so there is nobody to remove.
    expect((await change({ members: null, name: 'Bob' }, { by: BOB, owner: 'bob' })).status).toBe(200)
  })

  test('trusted-only keeps tokens and people from publishing, but not from managing', async () => {
    expect((await change({ publishing: 'trusted-only' })).status).toBe(200)
    const refused = [
      403,
      'forbidden',
      'acme accepts versions only from trusted workflows (publishing: trusted-only in content/acme/index.md). Publish from a workflow that it trusts, or ask a member to change this.',
    ]
    for (const sender of [hub, pages])
      for (const holder of [ALICE, { kind: 'operator' }] as const) {
        const token = await sender.makeToken({ permissions: [...ALL], holder })
        for (const body of [{ content: 'Two' }, { content: 'Two', dry_run: true }])
          expect(problem(await sender.publish(body, { to: 'acme/review', token }))).toEqual(refused)
      }
    const token = await hub.makeToken({ permissions: ['label'] })
    const path = '/api/v1/repos/acme/review/labels/next'
    expect((await hub.publish({ version: '1.0.0' }, { method: 'PUT', path, token })).status).toBe(200)
    expect((await change({ publishing: null })).status).toBe(200)
    expect((await hub.publish({ content: 'Two' }, { to: 'acme/review' })).status).toBe(201)
  })

  test('only a member who is signed in takes reviewed away, and the commit says so', async () => {
    expect((await change({ publishing: ['semver', 'reviewed'] })).status).toBe(200)
    expect((await logOf())[0]).toMatch(/\|acme: change publishing\|/)
    expect((await changeWith({ publishing: null })).message).toContain('No token may change publishing')
    expect((await change({ publishing: 'semver', bio: 'New' })).status).toBe(200)
    expect((await logOf())[0]).toMatch(/\|acme: change publishing, bio: no longer reviewed\|alice/)
  })

  test('changes who may do what; a dry run changes nothing', async () => {
    const wanted = {
      members: ['alice', 'bob'],
      protected_labels: ['production'],
      publishing: 'trusted-only',
      trusted_publishers: [{ ...PUBLISHER, permissions: ['publish', 'label'] }],
    }
    const dry = await change({ ...wanted, dry_run: true })
    expect([dry.status, dry.data.unchanged, dry.data.commit]).toEqual([200, false, null])
    expect(await fileOf()).toBe(OWNER)
    expect((await change(wanted, { by: BY_ID })).status).toBe(200)
    expect(await fileOf()).toBe(
      [
        '---\n# ours\nname: "Acme" # kept\nmembers:\n  - alice\n  - bob\nprotected_labels: [production]',
        'trusted_publishers:\n  - repository: octo/prompts\n    repository_id: 12\n    repository_owner_id: 34',
        '    workflow: publish.yml\n    permissions:\n      - publish\n      - label\npublishing: trusted-only',
        '---\n\nWe review.\r\n',
      ].join('\n'),
    )
    // The change counts from the next request on.
    expect((await change({ name: 'Mine' }, { by: BY_ID })).code).toBe('forbidden')
    expect((await change({ trusted_publishers: null, publishing: null }, { by: BOB })).status).toBe(200)
    expect(await fileOf()).not.toMatch(/trusted|publishing/)
  })

  test('the first change creates the owner of the same name as the person who is signed in, and of no other', async () => {
    expect((await hub.read('/api/v1/users/bob')).status).toBe(404)
    const made = await change({ bio: 'I write prompts.' }, { by: BOB, owner: 'bob' })
    expect([made.status, made.data.bio, made.data.repos_count, made.data.repos]).toEqual([
      ...[200, 'I write prompts.', 0, []],
    ])
    expect(await userOf('bob')).toMatchObject({ handle: 'bob', html_url: 'https://hub.example/bob' })
    expect(await fileOf('bob')).toBe('---\n---\nI write prompts.\n')
    expect(problem(await change({ bio: 'Mine' }, { by: BOB, owner: 'new-one' }))).toEqual([
      ...[403, 'forbidden', 'bob may not change new-one. Its members are listed in content/new-one/index.md.'],
    ])
  })
})

describe('hostile and mistaken requests', () => {
  // One repository, which only the last test changes.
  beforeAll(async () => openAll(openLocalWorld(FILES)))

  //  case                    body                                  message
  test.each<[string, unknown, string | RegExp]>([
    ['an unknown key', { nmae: 'A' }, 'nmae: unknown; check the spelling, or leave it out'],
    ['a key of records', { handle: 'other' }, 'handle: unknown; check the spelling, or leave it out'],
    [
      'a rule that does not exist',
      { publishing: 'signed' },
      'publishing: expected trusted-only, signed-only, semver, reviewed, or a list of them, each only once',
    ],
    ['a rule twice', { publishing: ['semver', 'semver'] }, /^publishing: expected trusted-only/],
    ['a script as a website', { website: 'javascript:alert(1)' }, /^website: expected a URL that starts with https/],
    ['an empty name', { name: '' }, 'name: expected some text'],
    ['a name of spaces', { name: '  ' }, 'name: expected some text'],
    [
      'a line break in a name',
      { name: 'A\nmembers: [mallory]' },
      'name: expected no control characters or line breaks',
    ],
    [
      'a login in capitals',
      { members: ['Alice'] },
      /^members\.0: expected a lower-case handle such as octocat, or oidc:/,
    ],
    ['an email address without oidc:', { members: ['ada@acme.example'] }, /^members\.0: expected .* or oidc: with/],
    ['the same member twice', { members: ['bob', 'bob'] }, 'members: expected each member only once'],
    ['a label that is no tag', { protected_labels: ['Prod'] }, /^protected_labels\.0: expected lower-case letters/],
    ['an entry without IDs', { trusted_publishers: [{ repository: 'a/b', workflow: 'p.yml' }] }, /repository_id/],
    [
      'an unknown key of an entry',
      { trusted_publishers: [{ ...PUBLISHER, branch: 'main' }] },
      'trusted_publishers.0.branch: unknown; check the spelling, or leave it out',
    ],
    ['a short commit', { expected_commit: 'abc' }, /^expected_commit: expected a commit in full/],
    ['too many members', { members: Array.from({ length: 1_001 }, (_, id) => id + 1) }, /at most 1000 members/],
    ['a long bio', { bio: 'x'.repeat(262_145) }, 'bio: expected at most 262144 bytes'],
    ['a list', [1], /expected an object|unknown/],
  ])('%s', async (_case, body, message) => {
    const answer = await change(body)
    expect([answer.status, answer.code]).toEqual([422, 'validation_failed'])
    expect(answer.message).toEqual(typeof message === 'string' ? `${message}.` : expect.stringMatching(message))
    expect(await fileOf()).toBe(OWNER)
  })

  test('a body over the limit, a broken body and another media type', async () => {
    expect((await change({ bio: 'x'.repeat(1_100_000) })).status).toBe(413)
    expect((await change('{"name":')).code).toBe('invalid_request')
    const token = await hub.makeToken({ permissions: [...ALL] })
    const path = '/api/v1/users/acme'
    const headers = { 'Content-Type': 'text/plain' }
    expect((await hub.publish('x', { method: 'PATCH', path, token, headers })).status).toBe(415)
  })

  test('a complete secret is rejected', async () => {
    const { token } = hub
    const answer = await change({ bio: `Use ${token}` })
    expect([answer.status, answer.code, answer.message.includes(token)]).toEqual([422, 'validation_failed', false])
  })

  test.each(['settings', 'Acme', '-a', 'con'])('%s cannot be an owner', async (owner) => {
    const answer = await hub.publish({ name: 'A' }, { method: 'PATCH', path: `/api/v1/users/${owner}` })
    expect([answer.status, answer.code]).toEqual([404, 'not_found'])
  })

  test('other methods are refused with the methods that there are', async () => {
    const answer = await hub.publish({ name: 'A' }, { method: 'PUT', path: '/api/v1/users/acme' })
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS, PATCH'])
  })

  test('text that looks like YAML stays text', async () => {
    for (const name of ['# a', '!!js/function', '---', '1e3']) {
      const done = await change({ name, bio: `---\nmembers: [mallory]\n---\n${name}` })
      expect([done.status, done.data.name, done.data.bio]).toEqual([200, name, `---\nmembers: [mallory]\n---\n${name}`])
      expect(
        (await change({ name: 'Mallory' }, { by: { ...BOB, login: 'mallory' } as unknown as Holder })).status,
      ).toBe(403)
    }
    await hub.build()
    expect(await userOf()).toMatchObject({ name: '1e3', bio: '---\nmembers: [mallory]\n---\n1e3' })
  })
})

test('a change is one audit line, with the fields, the person and the commit, and none of the text', async () => {
  await openAll(openLocalWorld(FILES))
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  await change({ bio: 'A secret\n{"level":"audit"}', members: ['alice', 'oidc:ada@acme.example'] })
  const lines = log.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('owner_changed'))
  log.mockRestore()
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: expect.any(String),
      level: 'audit',
      event: 'owner_changed',
      owner: 'acme',
      fields: ['bio', 'members'],
      login: 'alice',
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    },
  ])
})

test('another hub that shares the store shows a change at once', async () => {
  const state = memoryState()
  world = openLocalWorld(FILES)
  const copies = [shareCopies(state), shareCopies(state)] as const
  const [one, two] = await Promise.all(copies.map((mine) => openHub(world, { state, copies: mine, ...SIGNED_IN })))
  await two!.build()
  expect((await two!.read('/api/v1/users/acme')).data.name).toBe('Acme')
  for (const name of ['One', 'Two']) {
    await one!.publish({ name }, { method: 'PATCH', path: '/api/v1/users/acme', ...signedIn(ALICE) })
    expect((await two!.read('/api/v1/users/acme')).data.name).toBe(name)
  }
  for (const mine of copies) mine.close()
})
