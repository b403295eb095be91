// Pins that a publish may be repeated: unchanged content and the same Idempotency-Key add nothing. docs/contract.md section 7.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openHub } from '../hubs/publishing.ts'
import { commits, git, hub, INDEX, open, show, versionFile, versionPath, world } from './open-rules.ts'

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
    ['tags', { tags: ['go', 'code'] }, index.replace('tags: [ review ]', 'tags: [go, code]')],
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
    const another = await openHub(world, { state: hub.state, freshState: { ...hub.state, get: async () => undefined } })
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
