// Checks that a publish can safely be repeated: unchanged content or the same Idempotency-Key publishes nothing new.
// See docs/contract.md section 7.
import { dirname } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { openHub } from '../hubs/publishing.ts'
import { runSync } from '../run-sync.ts'
import { commits, git, hub, INDEX, open, show, versionFile, versionPath, world } from './open-rules.ts'

// src/server/publish/publish.test.ts has what counts as unchanged.
test('unchanged content with another title commits only index.md, and keeps its comments and readme; then nothing', async () => {
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
  await open({ [INDEX]: index, [versionPath('1.0.0')]: versionFile('Old {{x}}\n', 'changelog: First\n') })
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
  const again = await hub.publish({ content: 'Old {{x}}\n', ...more, changelog: 'Other words', bump: 'major' })
  expect([again.status, again.version, again.headers.get('Location')]).toEqual([200, '1.0.0', null])
  expect(again.data).toMatchObject({ unchanged: true, commit: null, changelog: 'First', published_by: 'octocat' })
  expect(await commits()).toBe(2)
})

/** Commits each file as another user, in a commit of its own. */
async function commitEach(files: readonly (readonly [path: string, text: string])[]): Promise<void> {
  const commits = files.map(
    ([path, text], at) =>
      `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + at} +0000\ndata 0\n${at === 0 ? 'from refs/heads/main^0\n' : ''}M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  )
  const cwd = dirname(await world.contentDir())
  runSync('git', ['fast-import', '--quiet'], { cwd, input: commits.join('') })
  runSync('git', ['reset', '-q', '--hard'], { cwd })
}

describe('Idempotency-Key', () => {
  beforeEach(() => open())

  test('a repeated request returns the version of the first one, after newer versions and on another hub', async () => {
    const body = { content: 'One\n', changelog: 'A', parameters: { a: 1, b: 2 } }
    const first = await hub.publish(body, { key: 'key-0001' })
    const message = await git('log', '-1', '--format=%B', 'main')
    expect(message).toMatch(/^Idempotency-Key: [0-9a-f]{64}\nRequest-Digest: [0-9a-f]{64}$/m)
    expect(message).not.toMatch(/key-0001|hub_/)
    await hub.publish({ content: 'Two\n' })
    // It knows the key from git alone.
    const freshState = { ...hub.state, get: async () => undefined }
    const another = await openHub(world, { state: hub.state, freshState })
    const reordered =
      '{"parameters": {"b": 2, "a": 1}, "bump": "auto", "changelog": "A", "content": "\\u004fne\\n", "dry_run": false}'
    for (const [at, sent] of [
      [hub, body],
      [hub, reordered],
      [another, body],
    ] as const) {
      const again = await at.publish(sent, { key: 'key-0001', token: hub.token })
      expect([again.status, again.headers.get('Idempotency-Replayed'), again.headers.get('Location')]).toEqual([
        ...[200, 'true', null],
      ])
      expect(again.data).toEqual({ ...first.data, unchanged: false })
    }
    for (const other of [{ content: 'Two\n' }, { ...body, dry_run: true }, { ...body, title: 'Other' }]) {
      const answer = await hub.publish(other, { key: 'key-0001' })
      expect([answer.status, answer.code]).toEqual([422, 'idempotency_key_reused'])
    }
    expect(await commits()).toBe(3)
    // Another prompt, another token, no key and another key are other requests.
    const token = await hub.makeToken()
    const others = [{ key: 'key-0001', to: 'acme/other' }, { key: 'key-0001', token }, {}, { key: 'key-0002' }]
    for (const [at, sending] of others.entries()) {
      const { status, headers } = await hub.publish({ content: `Other ${at}\n` }, sending)
      expect([status, headers.get('Idempotency-Replayed')]).toEqual([201, null])
    }
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
})

test('an Idempotency-Key has 8 to 128 visible ASCII characters', async () => {
  await open()
  for (const [key, status] of [
    ['a'.repeat(8), 200],
    ['~'.repeat(128), 200],
    ['!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 200],
    ['a'.repeat(7), 400],
    ['a'.repeat(129), 400],
    ['abcd efgh', 400],
    ['abcd\tefgh', 400],
    ['abcdéfgh', 400],
    ['', 400],
  ] as const) {
    const answer = await hub.publish({ content: 'x', dry_run: true }, { key })
    expect([key, answer.status, answer.code]).toEqual([key, status, status === 400 ? 'invalid_request' : undefined])
  }
})
