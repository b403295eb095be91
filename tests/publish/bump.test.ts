// Tests which number a version gets: the smallest that fits what changed for callers, unless the request names another.
// See docs/contract.md section 7.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'

const CODE = { name: 'code', description: 'The code.' }
const FIRST = { content: 'Review {{code}}.', variables: [CODE] }
const LANG = {
  content: 'Review {{code}} in {{lang}}.',
  variables: [CODE, { name: 'lang', description: 'The language.' }],
}
const REASON = 'adds required variable lang'
const MARKDOWN = { 'Content-Type': 'text/markdown' }
const FILE = '---\nvariables: [{name: code, description: The code.}, {name: lang, description: The language.}]\n---\n'

let hub: Hub
beforeAll(async () => {
  hub = await openHub(
    openLocalWorld({
      'content/semver/index.md': '---\npublishing: semver\n---\n',
      'content/both/index.md': '---\npublishing: [semver]\n---\n',
    }),
  )
})

let count = 0
/** Publishes a first version of a new prompt. */
async function openPrompt(owner = 'acme', body: object = FIRST) {
  const to = `${owner}/prompt-${count++}`
  const token = await hub.makeToken({ scope: `${owner}/*`, permissions: ['publish'] })
  expect((await hub.publish(body, { to, token })).version).toBe('1.0.0')
  return {
    publish: (next: object, key?: string) => hub.publish(next, { to, token, ...(key !== undefined && { key }) }),
    publishFile: (file: string, query: string) =>
      hub.publish(file, { path: `/api/v1/repos/${to}/versions${query}`, token, headers: MARKDOWN }),
    check: (next: object) => hub.check(next, { path: `/api/v1/repos/${to}/check` }),
    to,
  }
}

// src/domain/catalogue/difference.test.ts has what changes for callers.
//  case, body of the second publish, its number, the number of the first text again
test.each<[string, object, string, string]>([
  ['other words', { content: 'Review {{code}} well.' }, '1.0.1', '1.0.2'],
  ['an optional variable', { ...LANG, variables: [CODE, { name: 'lang', required: false }] }, '1.1.0', '2.0.0'],
  ['a required variable', LANG, '2.0.0', '3.0.0'],
])('without a bump, or with auto: %s', async (_, body, expected, again) => {
  const { publish, check } = await openPrompt()
  const breaking = expected === '2.0.0'
  for (const bump of [{}, { bump: 'auto' }]) {
    const { data } = await check({ ...body, ...bump })
    expect([data.would_be, data.breaking, (data.changes as { breaking: boolean }).breaking]).toEqual([
      ...[expected, breaking, breaking],
    ])
    expect((data.warnings as { code: string }[]).map(({ code }) => code)).not.toContain('breaking_change')
    const dry = await publish({ ...body, ...bump, dry_run: true })
    expect([dry.version, dry.data.breaking]).toEqual([expected, breaking])
  }
  const { version, data } = await publish(body)
  expect([version, data.breaking]).toEqual([expected, breaking])
  const back = await publish({ ...FIRST, skill: null, format: 'text', parameters: {} })
  expect([back.version, back.data.breaking]).toEqual([again, again.endsWith('.0.0')])
})

test('equal content stays unchanged, whatever the bump', async () => {
  const { publish } = await openPrompt('semver')
  for (const bump of ['auto', 'patch', 'major'])
    expect((await publish({ ...FIRST, bump, allow_breaking: false })).data).toMatchObject({
      version: '1.0.0',
      unchanged: true,
      breaking: false,
    })
})

test('a named bump is taken as it is, with a warning', async () => {
  const { publish, check } = await openPrompt()
  const warning = {
    code: 'breaking_change',
    line: null,
    message: `breaking change since 1.0.0, published as patch: ${REASON}. Publish it as 2.0.0 (major)`,
  }
  const checked = (await check({ ...LANG, bump: 'patch' })).data
  expect(checked).toMatchObject({ would_be: '1.0.1', breaking: true, changes: { reasons: [REASON] } })
  expect(checked.warnings).toContainEqual(warning)
  const { status, data } = await publish({ ...LANG, bump: 'patch' }, 'key-of-a-bump')
  expect([status, data.version, data.breaking]).toEqual([201, '1.0.1', true])
  expect(data.warnings).toContainEqual(warning)
  // A retry gets the same response.
  const again = await publish({ ...LANG, bump: 'patch' }, 'key-of-a-bump')
  expect(again.headers.get('Idempotency-Replayed')).toBe('true')
  expect(again.data).toEqual(data)
})

test('changes.json names the reasons', async () => {
  const { publish, to } = await openPrompt()
  await publish({ ...LANG, bump: 'minor' })
  const files = await hub.build()
  expect(JSON.parse(files.get(`/data/v1/repos/${to}/changes.json`)!).data).toMatchObject([
    { from: '1.0.0', to: '1.1.0', breaking: true, reasons: [REASON] },
  ])
})

describe('a breaking change with too small a bump is refused', () => {
  const refusal = (to: string, number: string, wayOut: string) =>
    `${to}: ${number} is too small for a breaking change since 1.0.0: ${REASON}. Publish it as 2.0.0: leave out bump, or use major. ${wayOut}.`

  test('if the request says so, as JSON and as a prompt file', async () => {
    const { publish, publishFile, check, to } = await openPrompt()
    const wayOut = (number: string) =>
      `To publish it as ${number} all the same, use --allow-breaking; in a request, allow_breaking=true`
    const body = { ...LANG, bump: 'patch', allow_breaking: false }
    for (const answer of [
      await publish(body),
      await publish({ ...body, dry_run: true }),
      await check(body),
      await publishFile(FILE + LANG.content, '?bump=patch&allow_breaking=false'),
    ])
      expect([answer.status, answer.code, answer.message]).toEqual([
        ...[422, 'bump_too_small', refusal(to, '1.0.1', wayOut('1.0.1'))],
      ])
    expect((await hub.read(`/api/v1/repos/${to}`)).data.latest_version).toBe('1.0.0')
    expect((await publish({ ...body, bump: 'major' })).version).toBe('2.0.0')
  })

  test('if the owner says so', async () => {
    const { publish, publishFile, to } = await openPrompt('both')
    const wayOut = 'both accepts it only so (publishing: semver in content/both/index.md)'
    for (const [number, answer] of [
      ['1.1.0', await publish({ ...LANG, bump: 'minor', allow_breaking: true })],
      ['1.1.0', await publish({ ...LANG, bump: 'minor', dry_run: true })],
      ['1.0.1', await publishFile(FILE + LANG.content, '?bump=patch')],
    ] as const)
      expect([answer.status, answer.code, answer.message]).toEqual([
        ...[422, 'bump_too_small', refusal(to, number, wayOut)],
      ])
    // What breaks nothing may have any bump.
    expect((await publish({ content: 'Review {{code}} well.', bump: 'patch' })).version).toBe('1.0.1')
    expect((await publish(LANG)).version).toBe('2.0.0')
  })
})

test('a number that callers of the latest version do not get needs no warning', async () => {
  const { publish, to } = await openPrompt()
  const maintainer = await hub.makeToken({ permissions: ['maintain'] })
  await publish({ ...LANG, bump: 'major' })
  const path = `/api/v1/repos/${to}/versions/2.0.0/yank`
  expect((await hub.publish({ reason: 'Wrong' }, { path, method: 'PUT', token: maintainer })).status).toBe(200)
  const content = 'Review {{code}} in {{lang}}, please.'
  const { version, data } = await publish({ ...LANG, content, bump: 'patch', allow_breaking: false })
  expect([version, data.breaking, data.warnings]).toEqual([
    '2.0.1',
    true,
    expect.not.arrayContaining([expect.objectContaining({ code: 'breaking_change' })]),
  ])
})
