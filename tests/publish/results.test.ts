// Tests results of test suites, and labels that require them. See docs/contract.md section 7.
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pointing } from '../fixtures/labels.ts'
import { type Answer, type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

const version = (content: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${content}`
const OWNER =
  '---\nprotected_labels:\n  - stable\n  - label: production\n    requires: [quality, safety]\n  - {label: canary, requires: [quality], min_score: 0.9}\n---\n'
const FILES = {
  'content/acme/code-review/versions/1.0.0.md': version('One\n'),
  'content/acme/code-review/versions/1.1.0.md': version('Two\n'),
  'content/acme/index.md': OWNER,
}
const sha256 = (text: string) => hash('sha256', text)

let world: World
let hub: Hub
let token: string

const at = (rest: string) => `/api/v1/repos/acme/code-review${rest}`
const send = (
  method: string,
  rest: string,
  body?: unknown,
  given: { token?: string | null; hub?: Hub } = {},
): Promise<Answer> =>
  (given.hub ?? hub).publish(body, {
    method,
    path: at(rest),
    token: given.token === undefined ? token : given.token,
  })
const report = (suite: string, body: unknown, number = '1.1.0', given: { token?: string | null; hub?: Hub } = {}) =>
  send('PUT', `/versions/${number}/results/${suite}`, body, given)
const listed = async (number = '1.1.0') => {
  const { text } = await hub.read(at(`/versions/${number}/results`))
  return JSON.parse(text).data as Record<string, unknown>[]
}
const resultFiles = async () => {
  const folder = join(await world.contentDir(), 'acme/code-review/results')
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yml'))
    : []
}

async function openAll(opened: World): Promise<void> {
  world = opened
  hub = await openHub(world)
  token = await hub.makeToken({ permissions: ['publish', 'label', 'maintain'] })
  await hub.build()
}

// tests/stores/git-store-contract.ts has what a store does with a result.
describe('whatever the store', () => {
  beforeEach(() => openAll(openLocalWorld(FILES)))

  test('a result is one file, is shown at once and after a build, and changes no record of a version', async () => {
    const record = (await hub.read(at('/versions/1.1.0'))).text
    const sent = { passed: 118, failed: 2, skipped: 1, score: 0.98, model: 'example-model-1' }
    const url = 'https://ci.example.org/runs/1'
    const done = await report('quality', { ...sent, url, at: '2026-11-21T08:00:00Z' })
    const wanted = {
      suite: 'quality',
      version: '1.1.0',
      content_sha256: sha256('Two\n'),
      ...sent,
      url,
      at: '2026-11-21T08:00:00Z',
      reported_by: 'acme',
      provenance: null,
    }
    expect([done.status, done.data]).toEqual([
      200,
      {
        ...wanted,
        unchanged: false,
        commit: {
          sha: expect.stringMatching(/^[0-9a-f]{40}$/),
          url: done.data.commit && (done.data.commit as { url: unknown }).url,
        },
      },
    ])
    const text = readFileSync(join(await world.contentDir(), 'acme/code-review/results/1.1.0/quality.yml'), 'utf8')
    expect(text).toBe(
      `content_sha256: ${sha256('Two\n')}\npassed: 118\nfailed: 2\nskipped: 1\nscore: 0.98\nmodel: example-model-1\nurl: https://ci.example.org/runs/1\nat: "2026-11-21T08:00:00Z"\nreported_by: acme\n`,
    )
    const check = async () => {
      expect(await listed()).toEqual([wanted])
      expect(await listed('1.0.0')).toEqual([])
      expect((await hub.readRepository()).data.results).toEqual([wanted])
      expect((await hub.read(at('/versions/1.1.0'))).text).toBe(record)
      const { data } = JSON.parse((await hub.read(at('/activity'))).text)
      expect(data[0]).toEqual({
        type: 'tested',
        at: '2026-11-21T08:00:00Z',
        by: 'acme',
        version: '1.1.0',
        suite: 'quality',
        reason: '118 passed, 2 failed, 1 skipped, score 0.98',
        commit: null,
        by_token: null,
        by_workflow: null,
        label: null,
        from: null,
        to: null,
        from_split: null,
        to_split: null,
        fields: [],
      })
    }
    await check()
    await hub.build()
    await check()
    const again = await report('quality', { ...sent, url, at: '2026-11-21T08:00:00Z' })
    expect([again.status, again.data.unchanged, again.data.commit]).toEqual([200, true, null])
  })

  test('a result is removed in one commit, at once and after a build; a second time changes nothing', async () => {
    const time = '2026-11-21T08:00:00Z'
    await report('quality', { passed: 1, failed: 0, at: time })
    await report('safety', { passed: 2, failed: 0, at: time })
    await hub.build()
    const done = await send('DELETE', '/versions/1.1.0/results/quality')
    const sha = expect.stringMatching(/^[0-9a-f]{40}$/)
    expect([done.status, done.data]).toEqual([
      200,
      { suite: 'quality', version: '1.1.0', unchanged: false, commit: expect.objectContaining({ sha }) },
    ])
    expect(await resultFiles()).toEqual([join('1.1.0', 'safety.yml')])
    const check = async () => {
      expect((await listed()).map(({ suite }) => suite)).toEqual(['safety'])
      expect((await hub.readRepository()).data.results).toMatchObject([{ suite: 'safety' }])
      const { data } = JSON.parse((await hub.read(at('/activity'))).text)
      expect(data.map(({ suite }: { suite: string | null }) => suite)).not.toContain('quality')
    }
    await check()
    await hub.build()
    await check()
    const again = await send('DELETE', '/versions/1.1.0/results/quality')
    expect([again.status, again.data]).toEqual([
      200,
      { suite: 'quality', version: '1.1.0', unchanged: true, commit: null },
    ])
    expect((await send('DELETE', '/versions/1.1.0/results/safety')).status).toBe(200)
    expect([await listed(), await resultFiles()]).toEqual([[], []])
    await hub.build()
    expect(await listed()).toEqual([])
    expect((await report('quality', { passed: 3, failed: 0, at: time })).status).toBe(200)
  })

  test('two reports at once are both recorded, and of one suite the newer stays', async () => {
    const other = await openHub(world, { state: hub.state })
    const [first, second] = await Promise.all([
      report('quality', { passed: 1, failed: 0, at: '2026-11-21T08:00:00Z' }),
      report('safety', { passed: 2, failed: 0, at: '2026-11-21T08:00:00Z' }, '1.1.0', { hub: other }),
    ])
    expect([first!.status, second!.status]).toEqual([200, 200])
    const times = ['2026-11-22T08:00:00Z', '2026-11-23T08:00:00Z']
    const both = await Promise.all(
      times.map((time, index) =>
        report('quality', { passed: 5, failed: 0, at: time }, '1.1.0', index === 0 ? {} : { hub: other }),
      ),
    )
    expect(both.map(({ status }) => status)).toContain(200)
    await hub.build()
    const all = await listed()
    expect(all.find(({ suite }) => suite === 'quality')).toMatchObject({ at: times[1] })
    expect(all).toHaveLength(2)
  })

  test('a result is removed only with the permission that reports it, of a version that exists', async () => {
    await report('quality', { passed: 1, failed: 0 })
    const remove = (rest: string, given: { token?: string | null } = {}) => send('DELETE', rest, undefined, given)
    const labelOnly = await hub.makeToken({ permissions: ['label', 'maintain'] })
    const answers = await Promise.all([
      remove('/versions/1.1.0/results/quality', { token: null }),
      remove('/versions/1.1.0/results/quality', { token: labelOnly }),
      remove('/versions/9.0.0/results/quality'),
      remove('/versions/1.1.0/results/A'),
      send('DELETE', '/versions/1.1.0/results/quality', { reason: 'x' }),
    ])
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [401, 'unauthorized'],
      [403, 'forbidden'],
      [404, 'not_found'],
      [404, 'not_found'],
      [422, 'validation_failed'],
    ])
    expect(await listed()).toMatchObject([{ suite: 'quality', passed: 1 }])
  })

  test('a newer result replaces the older, and an older one is refused', async () => {
    await report('quality', { passed: 1, failed: 0, at: '2026-11-21T08:00:00Z' })
    await hub.build()
    expect((await report('quality', { passed: 2, failed: 0, at: '2026-11-22T08:00:00Z' })).status).toBe(200)
    const late = await report('quality', { passed: 3, failed: 0, at: '2026-11-21T09:00:00Z' })
    expect([late.status, late.code]).toEqual([409, 'version_conflict'])
    expect(await listed()).toMatchObject([{ passed: 2 }])
    await report('safety', { passed: 4, failed: 0, at: '2026-11-20T08:00:00Z' })
    expect((await listed()).map(({ suite }) => suite)).toEqual(['quality', 'safety'])
    await hub.build()
    expect((await listed()).map(({ suite }) => suite)).toEqual(['quality', 'safety'])
  })

  test('a label with conditions moves only to a version with results that are good enough', async () => {
    const move = (number: string) => send('PUT', '/labels/production', { version: number })
    const none = await move('1.0.0')
    expect([none.status, none.code]).toEqual([422, 'evidence_missing'])
    expect(none.message).toBe(
      'acme requires results before production moves to 1.0.0: quality has no result; safety has no result. Run the tests on 1.0.0, then report their output: hubcli result acme/code-review 1.0.0 quality FILE; hubcli result acme/code-review 1.0.0 safety FILE.',
    )
    const time = '2026-11-21T08:00:00Z'
    await report('quality', { passed: 10, failed: 0, at: time }, '1.0.0')
    expect((await move('1.0.0')).message).toMatch(/: safety has no result\. Run/)
    await report('safety', { passed: 5, failed: 0, at: time }, '1.0.0')
    expect((await move('1.0.0')).status).toBe(200)
    // A worse version cannot take the label.
    await report('quality', { passed: 9, failed: 1, score: 0.99, at: time })
    await report('safety', { passed: 0, failed: 0, at: time })
    const worse = await move('1.1.0')
    expect([worse.status, worse.code]).toEqual([422, 'evidence_missing'])
    expect(worse.message).toMatch(
      /: quality has 1 failed, of 2026-11-21T08:00:00Z, and needs 0; safety has a result of 2026-11-21T08:00:00Z in which nothing passed\. /,
    )
    expect((await hub.readRepository()).data.labels).toEqual(pointing({ production: '1.0.0' }))
    const dry = await send('PUT', '/labels/production', { version: '1.1.0', dry_run: true })
    expect(dry.code).toBe('evidence_missing')
    // Another label of the same owner needs only a score.
    expect((await send('PUT', '/labels/canary', { version: '1.1.0' })).status).toBe(200)
    expect((await send('PUT', '/labels/canary', { version: '1.0.0' })).message).toMatch(
      /quality has a result without a score/,
    )
    expect((await send('PUT', '/labels/stable', { version: '1.1.0' })).status).toBe(200)
    // A label that stays where it is needs nothing, and neither does its removal.
    await report('quality', { passed: 0, failed: 10, at: '2026-11-22T08:00:00Z' }, '1.0.0')
    expect((await move('1.0.0')).data.unchanged).toBe(true)
    expect((await send('DELETE', '/labels/production')).status).toBe(200)
    // What it had before may come back; a second version must have results, like the first.
    const back = await send('PUT', '/labels/production', { version: '1.0.0', split: { version: '1.1.0', percent: 10 } })
    expect(back.message).toMatch(/^acme requires results before production moves to 1\.1\.0: quality has 1 failed/)
    expect((await move('1.0.0')).status).toBe(200)
    const { data } = JSON.parse((await hub.readRepository('/activity')).text)
    expect(data.find((one: { label: string | null }) => one.label === 'production')).toMatchObject({ type: 'restored' })
    const published = await hub.publish({ content: 'New\n', labels: ['stable', 'production'] }, { token })
    expect([published.status, published.code]).toEqual([422, 'evidence_missing'])
    expect(published.message).toContain('Publish without the label production, report the results of quality, safety')
    expect((await hub.readRepository()).data.versions).not.toContain('1.2.0')
    // Rights come first.
    const weak = await hub.makeToken({ permissions: ['label'] })
    expect((await send('PUT', '/labels/production', { version: '1.0.0' }, { token: weak })).code).toBe('forbidden')
  })

  test('a result for other bytes never counts, however it got there', async () => {
    const file = (digest: string) =>
      `content_sha256: ${digest}\npassed: 10\nfailed: 0\nat: "2026-11-21T08:00:00Z"\nreported_by: acme\n`
    await world.commitOutside({
      'content/acme/code-review/results/1.1.0/quality.yml': file(sha256('One\n')),
      'content/acme/code-review/results/1.1.0/safety.yml': file(sha256('Two\n')),
    })
    const refused = await send('PUT', '/labels/production', { version: '1.1.0' })
    expect(refused.message).toMatch(/: quality has no result\. Run/)
    // A report replaces it.
    expect((await report('quality', { passed: 10, failed: 0, at: '2026-11-21T07:00:00Z' })).status).toBe(200)
    expect((await send('PUT', '/labels/production', { version: '1.1.0' })).status).toBe(200)
    expect((await hub.readRepository()).data.results).toMatchObject([{ suite: 'safety' }, { suite: 'quality' }])
  })
})

const good = { passed: 1, failed: 0 }
describe('refusals, with nothing written', () => {
  // One repository, in which nothing changes.
  beforeAll(async () => openAll(openLocalWorld(FILES)))

  //  case, body, message
  const nested = `{"model":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
  test.each<[string, unknown, RegExp]>([
    ['an endless score', '{"passed":1,"failed":0,"score":1e999}', /^score: expected/],
    ['a score above 1', { ...good, score: 1.01 }, /^score: expected 0 to 1/],
    ['a score below 0', { ...good, score: -0.1 }, /^score: expected 0 to 1/],
    ['a huge number', { ...good, passed: 1e15 }, /^passed: expected at most 1000000/],
    ['a part of a test', { ...good, failed: 0.5 }, /^failed: expected/],
    ['a negative number', { ...good, skipped: -1 }, /^skipped: expected 0 or more/],
    ['no counts', {}, /^passed: expected .*failed: expected/],
    ['numbers as text', { passed: '1', failed: '0' }, /^passed: expected/],
    ['an unknown field', { ...good, content_sha256: 'a'.repeat(64) }, /content_sha256: unknown/],
    ['a script as URL', { ...good, url: 'javascript:alert(1)' }, /^url: expected/],
    ['a URL without TLS', { ...good, url: 'http://ci.example.org/' }, /^url: expected/],
    ['a URL with a password', { ...good, url: 'https://a:b@ci.example.org/' }, /^url: expected/],
    ['a model of two lines', { ...good, model: 'a\nb' }, /^model: expected/],
    ['a time to come', { ...good, at: '2999-01-01T00:00:00Z' }, /^at: expected/],
    ['a time that is none', { ...good, at: 'yesterday' }, /^at: expected/],
    ['deep nesting', nested, /^model: expected at most 2 levels/],
    ['a list', [good], /expected/],
  ])('%s', async (_, body, message) => {
    const answer = await report('quality', body)
    expect([answer.status, answer.message]).toEqual([422, expect.stringMatching(message)])
    expect(await resultFiles()).toEqual([])
  })

  //  case, version, suite, body, status, message
  test.each<[string, string, string, unknown, number, RegExp]>([
    ['a score that is no number', '1.1.0', 'quality', '{"passed":1,"failed":0,"score":NaN}', 400, /not valid JSON/],
    ['ten megabytes', '1.1.0', 'quality', { ...good, model: 'a'.repeat(10_000_000) }, 413, /at most/],
    ['a suite with a path', '1.1.0', '..%2fx', good, 404, /No test suite can have this name/],
    ['a suite in upper case', '1.1.0', 'Quality', good, 404, /No test suite can have this name/],
    ['a suite reserved on Windows', '1.1.0', 'nul', good, 404, /No test suite can have this name/],
    ['a version that does not exist', '9.0.0', 'quality', good, 404, /has no version 9\.0\.0/],
    ['a version that is none', 'latest', 'quality', good, 404, /No version can have this number/],
  ])('%s', async (_, number, suite, body, status, message) => {
    const answer = await report(suite, body, number)
    expect([answer.status, answer.message]).toEqual([status, expect.stringMatching(message)])
    expect(await resultFiles()).toEqual([])
  })

  test('needs the permission publish, for this owner', async () => {
    const tokens = [
      null,
      await hub.makeToken({ permissions: ['label', 'maintain'] }),
      await hub.makeToken({ scope: 'mallory/*', holder: { kind: 'person', user_id: '7', login: 'mallory' } }),
      await hub.makeToken({ scope: 'acme/other' }),
    ]
    const answers = []
    for (const each of tokens) answers.push((await report('quality', good, '1.1.0', { token: each })).status)
    expect(answers).toEqual([401, 403, 403, 403])
    expect(await resultFiles()).toEqual([])
  })
})

describe('reports on what somebody else committed', () => {
  beforeEach(async () => openAll(openLocalWorld(FILES)))

  test('an owner who trusts only workflows accepts no result with a token', async () => {
    await world.commitOutside({ 'content/acme/index.md': '---\npublishing: trusted-only\n---\n' })
    const answer = await report('quality', good)
    expect([answer.status, answer.code]).toEqual([403, 'forbidden'])
    expect(await resultFiles()).toEqual([])
  })

  test('an archived prompt accepts none, and a yanked version does', async () => {
    await world.commitOutside({ 'content/acme/code-review/index.md': '---\nyanked: {"1.1.0": Wrong}\n---\n' })
    expect((await report('quality', { ...good, at: '2026-11-21T08:00:00Z' })).status).toBe(200)
    expect(await listed()).toHaveLength(1)
    expect((await hub.readRepository()).data.results).toEqual([])
    await world.commitOutside({ 'content/acme/code-review/index.md': '---\nstatus: archived\n---\n' })
    const answer = await report('safety', good)
    expect([answer.status, answer.code]).toEqual([409, 'repo_archived'])
  })

  test('a hundred results do not make the hub forget where a label pointed', async () => {
    const numbers = ['1.0.0', '1.1.0', ...Array.from({ length: 4 }, (_, minor) => `1.${minor + 2}.0`)]
    const files = numbers.flatMap((number) => {
      const line = `content_sha256: ${sha256(`${number}\n`)}\npassed: 1\nfailed: 0\nat: "2999-01-01T00:00:00Z"\nreported_by: acme\n`
      return [
        [`content/acme/busy/versions/${number}.md`, version(`${number}\n`)],
        ...Array.from({ length: 20 }, (_, index) => [`content/acme/busy/results/${number}/s${index}.yml`, line]),
      ]
    })
    await world.commitOutside(Object.fromEntries(files))
    await hub.build()
    const path = '/api/v1/repos/acme/busy/labels/staging'
    expect((await hub.publish({ version: '1.0.0' }, { method: 'PUT', path, token })).status).toBe(200)
    const now = new Date().toISOString().replace(/\.\d+Z/, 'Z')
    await hub.build()
    const { data } = JSON.parse((await hub.read('/api/v1/repos/acme/busy/activity')).text)
    expect([data.length, new Set(data.map(({ type }: { type: string }) => type))]).toEqual([100, new Set(['tested'])])
    expect((await hub.read(`/api/v1/repos/acme/busy/raw?label=staging&at=${now}`)).text).toBe('1.0.0\n')
  })

  test('a version has results of at most twenty suites', async () => {
    const line = `content_sha256: ${sha256('Two\n')}\npassed: 1\nfailed: 0\nat: "2999-11-21T08:00:00Z"\nreported_by: acme\n`
    const files = Array.from({ length: 20 }, (_, index) => [
      `content/acme/code-review/results/1.1.0/s${index}.yml`,
      line,
    ])
    await world.commitOutside(Object.fromEntries(files))
    await hub.build()
    const one = await report('one-more', good)
    expect([one.status, one.message]).toEqual([422, expect.stringMatching(/^suite: expected at most 20 test suites/)])
    expect(one.message).toMatch(/ s0, s1, s10, .*hubcli result --remove acme\/code-review 1\.1\.0 SUITE/)
    // A time far ahead, which only a commit by hand can have, blocks nobody.
    expect((await report('s7', good)).status).toBe(200)
    await send('DELETE', '/versions/1.1.0/results/s8')
    expect((await report('one-more', good)).status).toBe(200)
  })
})
