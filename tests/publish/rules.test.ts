// Pins every rule of publishing, docs/contract.md section 7: the order of the checks, each field, the numbers, and what is answered and kept.
import { execFileSync } from 'node:child_process'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BASE_URL, type Hub, judgeHistory, openHub, openLocalWorld, REPOSITORY, type World } from './open-hub.ts'

const INDEX = `content/${REPOSITORY}/index.md`
const versionPath = (version: string) => `content/${REPOSITORY}/versions/${version}.md`
const versionFile = (content: string, front = '') =>
  `---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: octocat\n${front}---\n${content}`

let world: World
let hub: Hub
const open = async (files: Record<string, string> = {}) => {
  world = openLocalWorld(files)
  hub = await openHub(world)
}
const git = async (...args: string[]) =>
  execFileSync('git', ['--git-dir', await world.gitFolder(), ...args], { encoding: 'utf8' })
const commits = async () => Number(await git('rev-list', '--count', 'main'))
const show = (path: string) => git('show', `main:${path}`)

describe('the order of the checks', () => {
  beforeAll(() =>
    open({
      [INDEX]: '---\nstatus: archived\n---\n',
      [versionPath('1.0.0')]: versionFile('Old\n'),
    }),
  )
  afterAll(() => world.close())

  const tooLong = `{"content": "${'x'.repeat(1_048_577)}", "nonsense": 1}`
  const longContent = JSON.stringify({ content: 'x'.repeat(262_145), nonsense: 1, expected_version: '9.9.9' })
  const wrong = JSON.stringify({ content: 'x', nonsense: 1, expected_version: '9.9.9' })
  const conflicting = JSON.stringify({ content: 'x', expected_version: '9.9.9' })
  //  one request wrong in all ways from here on, mended one by one
  test.each<[string, string, Parameters<Hub['publish']>[1], number, string]>([
    [
      'an address without POST',
      tooLong,
      { path: '/api/v1/repos', token: null, headers: { 'Content-Type': 'text/plain' } },
      405,
      'method_not_allowed',
    ],
    [
      'size before media type',
      tooLong,
      { to: 'api/A', token: null, headers: { 'Content-Type': 'text/plain' } },
      413,
      'content_too_large',
    ],
    [
      'media type before token',
      longContent,
      { to: 'api/A', token: null, headers: { 'Content-Type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
    [
      'compression before token',
      longContent,
      { to: 'api/A', token: null, headers: { 'Content-Encoding': 'gzip' } },
      415,
      'unsupported_media_type',
    ],
    ['token before path', longContent, { to: 'api/A', token: null, key: 'short' }, 401, 'unauthorized'],
    ['path before key and body', longContent, { to: 'api/A', key: 'short' }, 404, 'not_found'],
    ['key before body', longContent, { to: 'bcme/x', key: 'short' }, 400, 'invalid_request'],
    ['JSON before fields', `${longContent}}`, { to: 'bcme/x' }, 400, 'invalid_request'],
    ['content size before fields', longContent, { to: 'bcme/x' }, 413, 'content_too_large'],
    ['body before scope', wrong, { to: 'bcme/x' }, 422, 'validation_failed'],
    ['scope before state', conflicting, { to: 'bcme/x' }, 403, 'forbidden'],
    ['state before conflict', conflicting, {}, 409, 'repo_archived'],
  ])('%s', async (_, body, sending, status, code) => {
    const answer = await hub.publish(body, sending)
    expect([answer.status, answer.code]).toEqual([status, code])
    expect(answer.message).not.toBe('')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(await commits()).toBe(1)
  })

  test('replay before state: what was published before the repository was archived is answered', async () => {
    const another = openLocalWorld()
    const live = await openHub(another)
    const first = await live.publish({ content: 'x' }, { key: 'key-0001' })
    await another.commitOutside({ [INDEX]: '---\nstatus: archived\n---\n' })
    const again = await live.publish({ content: 'x' }, { key: 'key-0001' })
    expect([first.status, again.status, again.version]).toEqual([201, 200, '1.0.0'])
    expect((await live.publish({ content: 'x' }, { key: 'key-0002' })).code).toBe('repo_archived')
    another.close()
  })
})

describe('methods', () => {
  beforeAll(() => open({ [versionPath('1.0.0')]: versionFile('Old\n') }).then(() => hub.build()))
  afterAll(() => world.close())

  //  method     path                                        allow
  test.each([
    ['POST', '/api/v1/repos', 'GET, HEAD, OPTIONS'],
    ['POST', `/api/v1/repos/${REPOSITORY}`, 'GET, HEAD, OPTIONS'],
    ['POST', `/api/v1/repos/${REPOSITORY}/versions/1.0.0`, 'GET, HEAD, OPTIONS'],
    ['POST', `/api/v1/repos/${REPOSITORY}/raw`, 'GET, HEAD, OPTIONS'],
    ['POST', '/api/v1/tags', 'GET, HEAD, OPTIONS'],
    ['PUT', `/api/v1/repos/${REPOSITORY}/versions`, 'GET, HEAD, OPTIONS, POST'],
    ['PATCH', `/api/v1/repos/${REPOSITORY}/versions`, 'GET, HEAD, OPTIONS, POST'],
    ['DELETE', `/api/v1/repos/${REPOSITORY}/versions`, 'GET, HEAD, OPTIONS, POST'],
  ])('%s %s', async (method, path, allow) => {
    const answer = method === 'POST' ? await hub.publish({ content: 'x' }, { path }) : await hub.read(path, {}, method)
    expect([answer.status, answer.code, answer.headers.get('Allow')]).toEqual([405, 'method_not_allowed', allow])
  })

  test('OPTIONS tells a browser what it may send', async () => {
    const { status, headers, text } = await hub.read(`/api/v1/repos/${REPOSITORY}/versions`, {}, 'OPTIONS')
    expect([status, text]).toEqual([204, ''])
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, OPTIONS, POST')
    expect(headers.get('Access-Control-Allow-Headers')).toBe(
      '*, Authorization, Content-Type, Idempotency-Key, If-None-Match',
    )
    expect(headers.get('Access-Control-Allow-Credentials')).toBe(null)
  })

  test('a POST to nowhere is 404 as JSON', async () => {
    const answer = await hub.publish({ content: 'x' }, { path: '/api/v1/nothing' })
    expect([answer.status, answer.code]).toEqual([404, 'not_found'])
  })
})

describe('the answer', () => {
  beforeEach(() => open())
  afterEach(() => world.close())

  test('a first version: 201, Location, and the single record with what became of the request', async () => {
    const answer = await hub.publish({ content: 'Review {{code}}.\n', changelog: 'First', bump: 'major' })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('Location')).toBe('https://hub.example/api/v1/repos/acme/code-review/versions/1.0.0')
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(answer.headers.get('Idempotency-Replayed')).toBe(null)
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(JSON.parse(answer.text)).toEqual({
      data: {
        owner: 'acme',
        name: 'code-review',
        full_name: 'acme/code-review',
        version: '1.0.0',
        previous_version: null,
        content: 'Review {{code}}.\n',
        content_sha256: '564b8fb5486cbbc49652427f5943be6c7168fca4d3131d170bdffa32f41aed75',
        size_bytes: 17,
        variables: [
          { name: 'code', description: '', type: 'string', required: true, default: null, options: [], example: null },
        ],
        parameters: {},
        changelog: 'First',
        published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        published_by: 'acme',
        provenance: null,
        url: 'https://hub.example/api/v1/repos/acme/code-review/versions/1.0.0',
        raw_url: 'https://hub.example/api/v1/repos/acme/code-review/raw?version=1.0.0',
        html_url: 'https://hub.example/acme/code-review/v/1.0.0',
        unchanged: false,
        commit: { sha: (await git('rev-parse', 'main')).trim(), url: null },
        warnings: ['description: ', 'tags: ', 'license: ', 'variables: say what to give for code'].map((start) => ({
          code: 'weak_metadata',
          message: expect.stringMatching(`^${start}`),
          line: null,
        })),
      },
    })
  })

  test('one commit adds one file and says nothing that a user wrote', async () => {
    await hub.publish({ content: 'x\n', changelog: 'Secret words\nOperation-Id: forged', title: 'A title' })
    await hub.publish({ content: 'y\n', changelog: 'Again' })
    expect(await git('log', '-1', '--format=%an <%ae>%n%s', '--name-status', 'main')).toBe(
      `Prompt Hub <prompt-hub@localhost>\nPublish acme/code-review 1.0.1\n\nA\t${versionPath('1.0.1')}\n`,
    )
    const messages = await git('log', '--format=%B', 'main')
    expect(messages).not.toMatch(/Secret|forged|title|Again/)
    expect(messages.match(/^Operation-Id: [0-9a-f-]{36}$/gm)).toHaveLength(2)
    expect(messages.match(/^Published-By: acme$/gm)).toHaveLength(2)
    expect(await judgeHistory(world)).toEqual([versionPath('1.0.0'), versionPath('1.0.1')])
  })

  test('the file is the one that the contract describes', async () => {
    const variables = [{ name: 'language', description: 'Which one', example: 'Go' }]
    const answer = await hub.publish({
      content: '{{language}}\n',
      changelog: 'A',
      variables,
      parameters: { model: 'm' },
    })
    expect(await show(versionPath('1.0.0'))).toBe(
      `---
published_at: "${answer.data.published_at}"
published_by: acme
changelog: A
parameters:
  model: m
variables:
  - name: language
    description: Which one
    type: string
    required: true
    default: null
    options: []
    example: Go
---
{{language}}
`,
    )
  })

  test('the trailing slash of the address does not matter', async () => {
    const answer = await hub.publish({ content: 'x' }, { path: `/api/v1/repos/${REPOSITORY}/versions/` })
    expect([answer.status, answer.version]).toEqual([201, '1.0.0'])
  })
})

describe('numbers', () => {
  afterEach(() => world.close())

  //  what                                  there already                        yanked              bump                 next      previous
  test.each<[string, readonly string[], readonly string[], string | undefined, string, string | null]>([
    ['the first, major', [], [], 'major', '1.0.0', null],
    ['the first, minor', [], [], 'minor', '1.0.0', null],
    ['the first, patch', [], [], 'patch', '1.0.0', null],
    ['no bump is patch', ['1.0.0'], [], undefined, '1.0.1', '1.0.0'],
    ['minor', ['1.0.0', '1.0.1'], [], 'minor', '1.1.0', '1.0.1'],
    ['major', ['1.4.7'], [], 'major', '2.0.0', '1.4.7'],
    ['numbers, not text', ['1.9.0', '1.10.0'], [], 'minor', '1.11.0', '1.10.0'],
    ['a yanked number is not used again', ['1.0.0', '1.0.1'], ['1.0.1'], 'patch', '1.0.2', '1.0.1'],
    ['a yanked major is passed', ['1.0.0', '2.0.0'], ['2.0.0'], 'patch', '2.0.1', '2.0.0'],
    ['all yanked', ['1.0.0'], ['1.0.0'], 'patch', '1.0.1', '1.0.0'],
    ['gaps stay gaps', ['1.0.0', '1.0.5'], [], 'patch', '1.0.6', '1.0.5'],
  ])('%s', async (_, used, yanked, bump, next, previous) => {
    const files = Object.fromEntries(used.map((version) => [versionPath(version), versionFile(`Old ${version}\n`)]))
    const lines = yanked.map((version) => `  "${version}": Wrong\n`).join('')
    await open({ ...files, ...(yanked.length > 0 && { [INDEX]: `---\nyanked:\n${lines}---\n` }) })
    const answer = await hub.publish({ content: 'New\n', ...(bump && { bump }) })
    expect([answer.status, answer.version, answer.data.previous_version]).toEqual([201, next, previous])
  })

  //  what                                 there already              bump      says
  test.each([
    [
      'the highest patch there can be',
      '1.0.999999',
      'patch',
      'bump: the next version would be 1.0.1000000, beyond six digits a part. Raise another part.',
    ],
    [
      'the highest major there can be',
      '999999.0.0',
      'major',
      'bump: the next version would be 1000000.0.0, beyond six digits a part. Raise another part.',
    ],
  ])('%s', async (_, used, bump, says) => {
    await open({ [versionPath(used)]: versionFile('Old\n') })
    const answer = await hub.publish({ content: 'New\n', bump })
    expect([answer.status, answer.code, answer.message]).toEqual([422, 'validation_failed', says])
  })

  test('a thousand versions are the most', async () => {
    const files = Array.from({ length: 999 }, (_, patch) => [
      versionPath(`1.0.${patch}`),
      versionFile(`Old ${patch}\n`),
    ])
    await open(Object.fromEntries(files))
    expect((await hub.publish({ content: 'The last one\n' })).version).toBe('1.0.999')
    const answer = await hub.publish({ content: 'One more\n' })
    expect([answer.status, answer.code]).toEqual([422, 'validation_failed'])
    expect(answer.message).toContain('has 1000 versions')
    expect((await hub.publish({ content: 'The last one\n' })).status).toBe(200)
  })
})

describe('what carries over', () => {
  const declared = `variables:
  - name: kept
    description: Stays
    type: integer
    default: 3
  - name: dropped
    description: Goes
parameters:
  model: gpt-5
`
  beforeEach(() => open({ [versionPath('1.0.0')]: versionFile('{{kept}} {{dropped}}\n', declared) }))
  afterEach(() => world.close())
  const plain = { description: '', type: 'string', required: true, default: null, options: [], example: null }
  const kept = { ...plain, name: 'kept', description: 'Stays', type: 'integer', default: 3 }

  //  what                                          body                                                                    variables                                     parameters
  test.each<[string, object, object[], object]>([
    [
      'variables no longer used go, new ones come',
      { content: '{{new}} {{kept}}\n' },
      [kept, { ...plain, name: 'new' }],
      { model: 'gpt-5' },
    ],
    ['variables that are given replace', { content: '{{kept}}\n', variables: [] }, [], { model: 'gpt-5' }],
    [
      'given ones are kept though unused',
      { content: 'x\n', variables: [{ name: 'other' }] },
      [{ ...plain, name: 'other' }],
      { model: 'gpt-5' },
    ],
    ['parameters that are given replace', { content: 'x\n', parameters: { temperature: 0 } }, [], { temperature: 0 }],
    ['empty parameters empty them', { content: 'x\n', parameters: {} }, [], {}],
  ])('%s', async (_, body, variables, parameters) => {
    const answer = await hub.publish(body)
    expect(answer.status).toBe(201)
    expect([answer.data.variables, answer.data.parameters]).toEqual([variables, parameters])
    await hub.build()
    const built = await hub.readRepository('/versions/1.0.1')
    expect([built.data.variables, built.data.parameters]).toEqual([variables, parameters])
  })

  test('from the latest version, not from a yanked one above it', async () => {
    await world.commitOutside({
      [versionPath('2.0.0')]: versionFile('x\n', 'parameters:\n  model: wrong\n'),
      [INDEX]: '---\nyanked:\n  "2.0.0": Wrong\n---\n',
    })
    const answer = await hub.publish({ content: 'New {{kept}}\n' })
    expect([answer.version, answer.data.variables, answer.data.parameters]).toEqual([
      '2.0.1',
      [kept],
      { model: 'gpt-5' },
    ])
  })
})

describe('unchanged', () => {
  const index = `---
# how we call it
title: Code review
tags: [ review ]
labels:
  # where they point
  production: "1.0.0" # the stable one
---

The *readme*.
`
  beforeEach(() => open({ [INDEX]: index, [versionPath('1.0.0')]: versionFile('Old {{x}}\n', 'changelog: First\n') }))
  afterEach(() => world.close())

  //  what                                     body
  test.each([
    ['the same content', {}],
    ['another changelog and bump', { changelog: 'Other words', bump: 'major' }],
    ['variables as they are', { variables: [{ name: 'x' }] }],
    ['parameters as they are', { parameters: {} }],
    ['title and tags as they are', { title: 'Code review', tags: ['review'], description: '' }],
    ['the expected version', { expected_version: '1.0.0' }],
    ['a dry run', { dry_run: true }],
  ])('%s: 200, no commit', async (_, more) => {
    const answer = await hub.publish({ content: 'Old {{x}}\n', ...more })
    expect([answer.status, answer.version]).toEqual([200, '1.0.0'])
    expect(answer.data).toMatchObject({ unchanged: true, commit: null, changelog: 'First', published_by: 'octocat' })
    expect(answer.headers.get('Location')).toBe(null)
    expect(await commits()).toBe(1)
  })

  //  what                       body                                                    becomes
  test.each([
    ['a title', { title: 'Reviews' }, index.replace('title: Code review', 'title: Reviews')],
    ['tags', { tags: ['go', 'code'] }, index.replace('tags: [ review ]', 'tags:\n  - go\n  - code')],
    [
      'a description',
      { description: 'Reviews it' },
      index.replace('---\n\nThe', 'description: Reviews it\n---\n\nThe'),
    ],
    ['a licence', { license: 'MIT' }, index.replace('---\n\nThe', 'license: MIT\n---\n\nThe')],
  ])('%s differs: index.md alone is committed, comments and readme stay', async (_, more, becomes) => {
    const answer = await hub.publish({ content: 'Old {{x}}\n', ...more })
    expect([answer.status, answer.version, answer.data.unchanged]).toEqual([200, '1.0.0', true])
    expect(answer.data.commit).toEqual({ sha: (await git('rev-parse', 'main')).trim(), url: null })
    expect(await git('show', '--format=%s', '--name-status', 'main')).toBe(`Update acme/code-review\n\nM\t${INDEX}\n`)
    expect(await show(INDEX)).toBe(becomes)
    expect((await hub.publish({ content: 'Old {{x}}\n', ...more })).data.commit).toBe(null)
  })

  test('a new version that also changes index.md is one commit', async () => {
    const answer = await hub.publish({ content: 'New\n', title: 'Reviews' })
    expect(answer.status).toBe(201)
    expect(await git('show', '--format=%s', '--name-status', 'main')).toBe(
      `Publish acme/code-review 1.0.1\n\nM\t${INDEX}\nA\t${versionPath('1.0.1')}\n`,
    )
    expect(await show(INDEX)).toBe(index.replace('title: Code review', 'title: Reviews'))
  })

  test('the title that the name reads as is no change', async () => {
    await world.commitOutside({ 'content/acme/plain-name/versions/1.0.0.md': versionFile('x\n') })
    const answer = await hub.publish({ content: 'x\n', title: 'Plain name' }, { to: 'acme/plain-name' })
    expect([answer.status, answer.data.commit]).toEqual([200, null])
  })

  test('only the latest version counts: an older content is a new version', async () => {
    expect((await hub.publish({ content: 'New\n' })).version).toBe('1.0.1')
    expect((await hub.publish({ content: 'Old {{x}}\n' })).version).toBe('1.0.2')
  })

  //  what differs        body
  test.each([
    ['a final newline', { content: 'Old {{x}}' }],
    ['a byte order mark', { content: '\uFEFFOld {{x}}\n' }],
    ['a variable', { content: 'Old {{x}}\n', variables: [{ name: 'x', example: 'y' }] }],
    ['a parameter', { content: 'Old {{x}}\n', parameters: { a: null } }],
  ])('%s is a change', async (_, body) => {
    expect((await hub.publish(body)).status).toBe(201)
  })
})

describe('expected_version', () => {
  beforeEach(() =>
    open({
      [versionPath('1.0.0')]: versionFile('Old\n'),
      [versionPath('1.1.0')]: versionFile('Yanked\n'),
      [INDEX]: '---\nyanked:\n  "1.1.0": Wrong\n---\n',
    }),
  )
  afterEach(() => world.close())

  //  what                              to                    expected   status
  test.each([
    ['the latest', 'acme/code-review', '1.0.0', 201],
    ['a yanked one', 'acme/code-review', '1.1.0', 409],
    ['one that never was', 'acme/code-review', '1.0.1', 409],
    ['null though there is one', 'acme/code-review', null, 409],
    ['null for a new repository', 'acme/new-one', null, 201],
    ['a version of a new repository', 'acme/new-one', '1.0.0', 409],
  ])('%s', async (_, to, expected_version, status) => {
    const answer = await hub.publish({ content: 'New\n', expected_version }, { to })
    expect([answer.status, answer.code]).toEqual([status, status === 409 ? 'version_conflict' : undefined])
    expect(await commits()).toBe(status === 409 ? 1 : 2)
    expect(
      (await hub.publish({ content: 'New\n', expected_version, dry_run: true }, { to: 'acme/other' })).status,
    ).toBe(expected_version === null ? 200 : 409)
  })

  test('a conflict is said before "unchanged"', async () => {
    expect((await hub.publish({ content: 'Old\n', expected_version: '0.9.0' })).code).toBe('version_conflict')
  })
})

describe('dry_run', () => {
  beforeEach(() => open({ [versionPath('1.0.0')]: versionFile('Old\n') }))
  afterEach(() => world.close())

  test('answers what would be, and writes nothing anywhere', async () => {
    await hub.build()
    const keysBefore = await hub.blobs.list('fresh/')
    const answer = await hub.publish({ content: 'New\n', bump: 'minor', title: 'Other', dry_run: true })
    expect([answer.status, answer.version]).toEqual([200, '1.1.0'])
    expect(answer.data).toMatchObject({ unchanged: false, commit: null, previous_version: '1.0.0', content: 'New\n' })
    expect(answer.headers.get('Location')).toBe(null)
    expect(await commits()).toBe(1)
    expect(await hub.blobs.list('fresh/')).toEqual(keysBefore)
    expect((await hub.readRepository('/raw')).text).toBe('Old\n')
    expect((await hub.readRepository('/versions/1.1.0')).status).toBe(404)
    expect((await hub.publish({ content: 'New\n', bump: 'minor' })).version).toBe('1.1.0')
  })

  //  what                 body                                            sending                status   code
  test.each([
    ['a wrong field', { content: 'x', bump: 'huge' }, {}, 422, 'validation_failed'],
    ['a conflict', { content: 'x', expected_version: '7.0.0' }, {}, 409, 'version_conflict'],
    ['another owner', { content: 'x' }, { to: 'bcme/x' }, 403, 'forbidden'],
    ['no token', { content: 'x' }, { token: null }, 401, 'unauthorized'],
  ])('refuses as a publish does: %s', async (_, body, sending, status, code) => {
    const answer = await hub.publish({ ...body, dry_run: true }, sending)
    expect([answer.status, answer.code]).toEqual([status, code])
  })

  test('false is an ordinary publish', async () => {
    expect((await hub.publish({ content: 'New\n', dry_run: false })).status).toBe(201)
  })
})

describe('archived and deprecated', () => {
  afterEach(() => world.close())
  //  status         publishing
  test.each([
    ['active', 201],
    ['deprecated', 201],
    ['archived', 409],
  ])('%s', async (status, expected) => {
    await open({ [INDEX]: `---\nstatus: ${status}\n---\n`, [versionPath('1.0.0')]: versionFile('Old\n') })
    for (const dry_run of [true, false]) {
      const answer = await hub.publish({ content: 'New\n', dry_run })
      expect(answer.status).toBe(expected === 201 && dry_run ? 200 : expected)
      expect(answer.code).toBe(expected === 409 ? 'repo_archived' : undefined)
    }
    expect((await hub.publish({ content: 'Old\n', title: 'Other' })).status).toBe(expected === 409 ? 409 : 201)
  })

  test('files on the branch that cannot be read are no fault of the caller', async () => {
    await open({
      [INDEX]: '---\nnonsense: 1\n---\n',
      [versionPath('1.0.0')]: versionFile('Old\n'),
      'content/acme/broken-version/versions/1.0.0.md': 'not front matter\n',
    })
    for (const to of [REPOSITORY, 'acme/broken-version']) {
      const answer = await hub.publish({ content: 'New\n' }, { to })
      expect([answer.status, answer.code]).toEqual([502, 'upstream_error'])
      expect(answer.message).toContain(`content/${to}/`)
    }
    expect(await commits()).toBe(1)
  })
})

describe('Idempotency-Key', () => {
  beforeEach(() => open())
  afterEach(() => world.close())

  test('a repeated request answers the first one’s version, whatever came since', async () => {
    const first = await hub.publish({ content: 'One\n', changelog: 'A' }, { key: 'key-0001' })
    await hub.publish({ content: 'Two\n' })
    const again = await hub.publish({ content: 'One\n', changelog: 'A' }, { key: 'key-0001' })
    expect([again.status, again.headers.get('Idempotency-Replayed'), again.headers.get('Location')]).toEqual([
      200,
      'true',
      null,
    ])
    expect(again.data).toEqual({ ...first.data, unchanged: false })
    expect(await commits()).toBe(3)
  })

  test('a request that changed index.md alone is remembered too, and never becomes a version later', async () => {
    await hub.publish({ content: 'One\n' })
    const update = await hub.publish({ content: 'One\n', title: 'Reviews' }, { key: 'key-0001' })
    await hub.publish({ content: 'Two\n' })
    const again = await hub.publish({ content: 'One\n', title: 'Reviews' }, { key: 'key-0001' })
    expect([again.status, again.version, again.headers.get('Idempotency-Replayed')]).toEqual([200, '1.0.0', 'true'])
    expect(again.data).toEqual(update.data)
    expect(await commits()).toBe(4)
  })

  test('the same fields in another order, or with their defaults, are the same request', async () => {
    await hub.publish('{"content": "x", "changelog": "A", "parameters": {"a": 1, "b": 2}}', { key: 'key-0001' })
    const again = await hub.publish(
      '{"parameters": {"b": 2, "a": 1}, "bump": "patch", "changelog": "A", "content": "\\u0078", "dry_run": false}',
      { key: 'key-0001' },
    )
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, 'true'])
  })

  test('another process, with nothing but git, knows it too', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    const another = await openHub(world, { blobs: hub.blobs, freshBlobs: { ...hub.blobs, get: async () => undefined } })
    const again = await another.publish({ content: 'One\n' }, { key: 'key-0001', token: hub.token })
    expect([again.status, again.version, again.headers.get('Idempotency-Replayed')]).toEqual([200, '1.0.0', 'true'])
  })

  test('another body is refused, also a dry run and a body that would be unchanged', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    for (const body of [
      { content: 'Two\n' },
      { content: 'One\n', dry_run: true },
      { content: 'One\n', title: 'Other' },
    ]) {
      const answer = await hub.publish(body, { key: 'key-0001' })
      expect([answer.status, answer.code]).toEqual([422, 'idempotency_key_reused'])
    }
    expect(await commits()).toBe(2)
  })

  test('another repository or another token may use the same key', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    expect((await hub.publish({ content: 'Two\n' }, { key: 'key-0001', to: 'acme/other' })).status).toBe(201)
    const token = await hub.makeToken()
    expect((await hub.publish({ content: 'Two\n' }, { key: 'key-0001', token })).status).toBe(201)
  })

  test('without a key, and with another one, the same request is an ordinary one', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    await hub.publish({ content: 'Two\n' })
    expect((await hub.publish({ content: 'One\n' })).version).toBe('1.0.2')
    await hub.publish({ content: 'Two\n' })
    expect((await hub.publish({ content: 'One\n' }, { key: 'key-0002' })).version).toBe('1.0.4')
  })

  test('of twelve at once with one key, one publishes and eleven hear of it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => hub.publish({ content: 'One\n' }, { key: 'key-0001' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201])
    expect(new Set(answers.map(({ version }) => version))).toEqual(new Set(['1.0.0']))
    expect(answers.filter(({ headers }) => headers.get('Idempotency-Replayed') === 'true')).toHaveLength(11)
    expect(await commits()).toBe(2)
  })

  test('the last hundred publishes are remembered', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    const files = Array.from({ length: 99 }, (_, patch) => [versionPath(`1.0.${patch + 1}`), versionFile(`${patch}\n`)])
    for (const file of files) await world.commitOutside(Object.fromEntries([file]))
    const again = await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    expect([again.status, again.version]).toEqual([200, '1.0.0'])
    await world.commitOutside({ [versionPath('1.0.100')]: versionFile('y\n') })
    expect((await hub.publish({ content: 'One\n' }, { key: 'key-0001' })).version).toBe('1.0.101')
  })

  //  what                       key                                  status
  test.each([
    ['eight characters', 'a'.repeat(8), 201],
    ['128 characters', '~'.repeat(128), 201],
    ['every kind of visible ASCII', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 201],
    ['seven characters', 'a'.repeat(7), 400],
    ['129 characters', 'a'.repeat(129), 400],
    ['a blank inside', 'abcd efgh', 400],
    ['a tab inside', 'abcd\tefgh', 400],
    ['Latin-1', 'abcdéfgh', 400],
    ['nothing', '', 400],
  ])('%s', async (_, key, status) => {
    const answer = await hub.publish({ content: 'x' }, { key })
    expect([answer.status, answer.code]).toEqual([status, status === 400 ? 'invalid_request' : undefined])
  })

  test('neither key nor token stands in git', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'my-secret-key' })
    const message = await git('log', '-1', '--format=%B', 'main')
    expect(message).toMatch(/^Idempotency-Key: [0-9a-f]{64}\nRequest-Digest: [0-9a-f]{64}$/m)
    expect(message).not.toContain('my-secret-key')
    expect(message).not.toContain('hub_')
  })
})

test('the address of the hub comes from its settings, never from a request', async () => {
  await open()
  const answer = await hub.publish(
    { content: 'x' },
    { headers: { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' } },
  )
  expect(answer.headers.get('Location')).toBe(`${BASE_URL}/api/v1/repos/acme/code-review/versions/1.0.0`)
  expect(answer.text).not.toContain('evil')
  world.close()
})
