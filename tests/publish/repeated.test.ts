// Checks that a publish can safely be repeated: unchanged content or the same Idempotency-Key publishes nothing new.
// See docs/contract.md section 7.
import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openHub } from '../hubs/publishing.ts'
import { commits, git, hub, INDEX, open, show, versionFile, versionPath, world } from './open-rules.ts'

describe('publishing unchanged content', () => {
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
  const files = { [INDEX]: index, [versionPath('1.0.0')]: versionFile('Old {{x}}\n', 'changelog: First\n') }

  describe('and nothing else', () => {
    beforeAll(() => open(files))

    //  case                                     body
    test.each([
      ['the same content', {}],
      ['another changelog and bump', { changelog: 'Other words', bump: 'major' }],
      ['the current variables', { variables: [{ name: 'x' }] }],
      ['the current parameters', { parameters: {} }],
      ['the current title and tags', { title: 'Code review', tags: ['review'], description: '' }],
      ['the expected version', { expected_version: '1.0.0' }],
      ['a dry run', { dry_run: true }],
    ])('%s: 200, no commit', async (_, more) => {
      const answer = await hub.publish({ content: 'Old {{x}}\n', ...more })
      expect([answer.status, answer.version]).toEqual([200, '1.0.0'])
      expect(answer.data).toMatchObject({ unchanged: true, commit: null, changelog: 'First', published_by: 'octocat' })
      expect(answer.headers.get('Location')).toBe(null)
      expect(await commits()).toBe(1)
    })
  })

  describe('or something else', () => {
    beforeEach(() => open(files))

    test('commits only index.md, and keeps its comments and readme', async () => {
      const more = { title: 'Reviews', tags: ['go', 'code'], description: 'Reviews it', license: 'MIT' }
      const answer = await hub.publish({ content: 'Old {{x}}\n', ...more })
      expect([answer.status, answer.version, answer.data.unchanged]).toEqual([200, '1.0.0', true])
      expect(answer.data.commit).toEqual({ sha: (await git('rev-parse', 'main')).trim(), url: null })
      expect(await git('show', '--format=%s', '--name-status', 'main')).toBe(`Update acme/code-review\n\nM\t${INDEX}\n`)
      expect(await show(INDEX)).toBe(
        index
          .replace('title: Code review', 'title: Reviews')
          .replace('tags: [ review ]', 'tags: [go, code]')
          .replace('---\n\nThe', 'description: Reviews it\nlicense: MIT\n---\n\nThe'),
      )
      expect((await hub.publish({ content: 'Old {{x}}\n', ...more })).data.commit).toBe(null)
    })

    test('commits a new version and an index.md change together', async () => {
      const answer = await hub.publish({ content: 'New\n', title: 'Reviews', bump: 'patch' })
      expect(answer.status).toBe(201)
      expect(await git('show', '--format=%s', '--name-status', 'main')).toBe(
        `Publish acme/code-review 1.0.1\n\nM\t${INDEX}\nA\t${versionPath('1.0.1')}\n`,
      )
      expect(await show(INDEX)).toBe(index.replace('title: Code review', 'title: Reviews'))
    })

    test('treats a title equal to the default title as unchanged', async () => {
      await world.commitOutside({ 'content/acme/plain-name/versions/1.0.0.md': versionFile('x\n') })
      const answer = await hub.publish({ content: 'x\n', title: 'Plain name' }, { to: 'acme/plain-name' })
      expect([answer.status, answer.data.commit]).toEqual([200, null])
    })

    test('compares with the latest version only, in each byte and field', async () => {
      for (const body of [
        { content: 'Old {{x}}' },
        { content: 'Old {{x}}\n' },
        { content: '\uFEFFOld {{x}}\n' },
        { content: 'Old {{x}}\n', variables: [{ name: 'x', example: 'y' }] },
        { content: 'Old {{x}}\n', parameters: { a: null } },
      ])
        expect((await hub.publish(body)).status).toBe(201)
    })
  })
})

/** Commits each file as another user, in a commit of its own. */
async function commitEach(files: readonly (readonly [path: string, text: string])[]): Promise<void> {
  const commits = files.map(
    ([path, text], at) =>
      `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + at} +0000\ndata 0\n${at === 0 ? 'from refs/heads/main^0\n' : ''}M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  )
  const cwd = dirname(await world.contentDir())
  execFileSync('git', ['fast-import', '--quiet'], { cwd, input: commits.join('') })
  execFileSync('git', ['reset', '-q', '--hard'], { cwd })
}

describe('Idempotency-Key', () => {
  beforeEach(() => open())

  test('a repeated request returns the version of the first one, even after newer versions', async () => {
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

  test('replays a request that changed only index.md, and never turns it into a new version', async () => {
    await hub.publish({ content: 'One\n' })
    const update = await hub.publish({ content: 'One\n', title: 'Reviews' }, { key: 'key-0001' })
    await hub.publish({ content: 'Two\n' })
    const again = await hub.publish({ content: 'One\n', title: 'Reviews' }, { key: 'key-0001' })
    expect([again.status, again.version, again.headers.get('Idempotency-Replayed')]).toEqual([200, '1.0.0', 'true'])
    expect(again.data).toEqual(update.data)
    expect(await commits()).toBe(4)
  })

  test('treats reordered fields and explicit defaults as the same request', async () => {
    await hub.publish('{"content": "x", "changelog": "A", "parameters": {"a": 1, "b": 2}}', { key: 'key-0001' })
    const again = await hub.publish(
      '{"parameters": {"b": 2, "a": 1}, "bump": "auto", "changelog": "A", "content": "\\u0078", "dry_run": false}',
      { key: 'key-0001' },
    )
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, 'true'])
  })

  test('another process recognises the key from git alone', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    const another = await openHub(world, { state: hub.state, freshState: { ...hub.state, get: async () => undefined } })
    const again = await another.publish({ content: 'One\n' }, { key: 'key-0001', token: hub.token })
    expect([again.status, again.version, again.headers.get('Idempotency-Replayed')]).toEqual([200, '1.0.0', 'true'])
  })

  test('rejects the key with another body, including a dry run or unchanged content', async () => {
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

  test('allows the same key for another repository or another token', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    expect((await hub.publish({ content: 'Two\n' }, { key: 'key-0001', to: 'acme/other' })).status).toBe(201)
    const token = await hub.makeToken()
    expect((await hub.publish({ content: 'Two\n' }, { key: 'key-0001', token })).status).toBe(201)
  })

  test('treats the same request without a key or with another key as a new request', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    await hub.publish({ content: 'Two\n' })
    expect((await hub.publish({ content: 'One\n' })).version).toBe('1.0.2')
    await hub.publish({ content: 'Two\n' })
    expect((await hub.publish({ content: 'One\n' }, { key: 'key-0002' })).version).toBe('1.0.4')
  })

  test('of 6 concurrent requests with one key, one publishes and five are replayed', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => hub.publish({ content: 'One\n' }, { key: 'key-0001' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), 201])
    expect(new Set(answers.map(({ version }) => version))).toEqual(new Set(['1.0.0']))
    expect(answers.filter(({ headers }) => headers.get('Idempotency-Replayed') === 'true')).toHaveLength(5)
    expect(await commits()).toBe(2)
  })

  test('remembers keys for the last hundred changes', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    await commitEach(Array.from({ length: 99 }, (_, number) => [INDEX, `---\ntitle: Title ${number}\n---\n`]))
    const again = await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, 'true'])
    await world.commitOutside({ [INDEX]: '---\ntitle: Last\n---\n' })
    const late = await hub.publish({ content: 'One\n' }, { key: 'key-0001' })
    expect([late.status, late.headers.get('Idempotency-Replayed')]).toEqual([200, null])
  })

  test('stores neither the key nor the token in plain text in git', async () => {
    await hub.publish({ content: 'One\n' }, { key: 'my-secret-key' })
    const message = await git('log', '-1', '--format=%B', 'main')
    expect(message).toMatch(/^Idempotency-Key: [0-9a-f]{64}\nRequest-Digest: [0-9a-f]{64}$/m)
    expect(message).not.toContain('my-secret-key')
    expect(message).not.toContain('hub_')
  })
})

describe('an Idempotency-Key of', () => {
  beforeAll(() => open())

  //  case                       key                                  status
  test.each([
    ['eight characters', 'a'.repeat(8), 201],
    ['128 characters', '~'.repeat(128), 201],
    ['every visible ASCII character', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 201],
    ['seven characters', 'a'.repeat(7), 400],
    ['129 characters', 'a'.repeat(129), 400],
    ['a space inside', 'abcd efgh', 400],
    ['a tab inside', 'abcd\tefgh', 400],
    ['Latin-1', 'abcdéfgh', 400],
    ['an empty key', '', 400],
  ])('%s', async (name, key, status) => {
    const answer = await hub.publish({ content: name }, { key })
    expect([answer.status, answer.code]).toEqual([status, status === 400 ? 'invalid_request' : undefined])
  })
})
