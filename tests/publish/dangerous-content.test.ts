// Checks dangerous-looking content: it is stored byte for byte and never executed, tokens never become public, and no
// publish breaks a later build.
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../hubs/publishing.ts'
import { canary, expectRefusal, head, hub, judgeAfterwards, nested, openForInputs } from './hostile-inputs.ts'

openForInputs()

describe('rejects hub tokens in every field', () => {
  //  field                    body
  test.each<[string, (token: string) => object]>([
    ['content', (token) => ({ content: `My key is ${token}.` })],
    ['changelog', (token) => ({ content: 'x', changelog: token })],
    ['title', (token) => ({ content: 'x', title: token })],
    ['description', (token) => ({ content: 'x', description: `"${token}"` })],
    ['variables', (token) => ({ content: 'x', variables: [{ name: 'a', default: token }] })],
    ['parameters', (token) => ({ content: 'x', parameters: { a: [{ [token]: 1 }] } })],
    ['bump', (token) => ({ content: 'x', bump: token })],
    ['dry_run', (token) => ({ content: 'x', dry_run: token })],
    ['expected_version', (token) => ({ content: 'x', expected_version: token })],
    ['license', (token) => ({ content: 'x', license: token })],
    ['tags.0', (token) => ({ content: 'x', tags: [token] })],
    ['content', (token) => ({ content: `{{${token}_${'a'.repeat(40)}}}` })],
    ['unknown', (token) => ({ content: 'x', [token]: 1 })],
    ['unknown', (token) => ({ content: 'x', ['f'.repeat(42) + token]: 1 })],
  ])('%s', async (field, body) => {
    const before = await head()
    const answer = await hub.publish(body(hub.token))
    expect([answer.status, answer.code]).toEqual([422, 'validation_failed'])
    expect(answer.message).toContain(field === 'unknown' ? ': unknown; ' : `${field}: `)
    // The checksum is not secret; the 32 characters after hub_ are the whole secret.
    expect(answer.text).not.toContain(hub.token.slice(4, 24))
    expect(await head()).toBe(before)
  })
})

describe('dangerous-looking content is stored unchanged', () => {
  const published: { version: string; body: { content: string } & Record<string, unknown>; answer: Answer }[] = []
  const script = (path: string) => `require('node:fs').writeFileSync(${JSON.stringify(path)}, 'x')`
  //  case                                      body
  test.each<[string, (path: string) => { content: string } & Record<string, unknown>]>([
    ['---js', (path) => ({ content: `---js\n${script(path)}\n---\nBody\n` })],
    ['---constructor', () => ({ content: '---constructor\nx\n---\n' })],
    ['only front matter', () => ({ content: '---\ntitle: x\nstatus: archived\n---\n' })],
    ['an alias bomb', () => ({ content: '---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\n' })],
    ['a YAML tag', () => ({ content: `---\na: !!js/function 'function(){${script('x')}}'\n---\n` })],
    ['---js in the title, for a new index.md', (path) => ({ content: 'q1', title: `---js ${script(path)} ---` })],
    [
      'a changelog with a --- line and a forged trailer',
      () => ({ content: 'q2', changelog: 'a\n---\nstatus: archived\n\nOperation-Id: x' }),
    ],
    [
      'YAML in every string',
      () => ({ content: 'q3', title: '*alias', description: '&a {x: [1]} # no comment', changelog: '!!binary aGk=' }),
    ],
    [
      'quotes and braces in strings',
      () => ({ content: 'q4', title: '"}\'{{x}}: - ', description: 'x: y # z', changelog: '- a: |\n  b' }),
    ],
    [
      'values that YAML would read as other types',
      () => ({
        content: 'q5',
        title: 'null',
        description: '2026-01-01',
        changelog: '1.10',
        parameters: { a: 'yes', b: '0x10', c: '~', d: '<<', '1': '1e3', e: '' },
      }),
    ],
    [
      'a script in every string',
      () => ({
        content: '<script>alert(1)</script>',
        title: '"><svg onload=alert(1)>',
        description: '</script>\u2028\u2029',
      }),
    ],
    [
      'addresses',
      () => ({ content: 'https://127.0.0.1:1/ ![](http://169.254.169.254/latest)', description: 'file:///etc/passwd' }),
    ],
    ['a git keyword and a conflict marker', () => ({ content: '$Id$ <<<<<<< HEAD\n' })],
    [
      '32 levels of nesting',
      () => ({ content: 'q8', parameters: JSON.parse(`${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`) }),
    ],
    ['constructor as a key', () => ({ content: 'q6', parameters: { constructor: { prototype: { polluted: true } } } })],
    [
      'constructor as a variable',
      () => ({ content: 'q7', variables: [{ name: 'constructor' }, { name: '__proto__' }] }),
    ],
    [
      'bidi and tag characters',
      () => ({ content: '\u202eabc\u{e0041}\u200b', title: '\u202ex', changelog: '\u2066y' }),
    ],
  ])('%s', async (_, make) => {
    const body = make(canary)
    const answer = await hub.publish(body, { to: 'acme/hostile' })
    expect(answer.status).toBe(201)
    expect(answer.data.content === body.content).toBe(true)
    published.push({ version: answer.version, body, answer })
    const { data: repository } = await hub.read('/api/v1/repos/acme/hostile')
    if (body.title) expect(repository.title).toBe(body.title)
    if (body.description) expect(repository.description).toBe(body.description)
    expect(repository.status).toBe('active')
  })

  test('each is the same after a build, which runs none of it', async () => {
    const files = await hub.build()
    for (const { version: number, body, answer } of published) {
      expect(files.get(`/data/v1/repos/acme/hostile/raw/${number}.txt`) === body.content).toBe(true)
      const { data: version } = await hub.read(`/api/v1/repos/acme/hostile/versions/${number}`)
      expect([version.changelog, version.parameters]).toEqual([
        body.changelog ?? '',
        body.parameters ?? answer.data.parameters,
      ])
    }
    expect((await hub.read('/api/v1/repos/acme/hostile')).data.status).toBe('active')
    expect(existsSync(canary)).toBe(false)
    expect(Object.keys({})).toEqual([])
    expect(Reflect.get({}, 'polluted')).toBe(undefined)
  })

  //  case                                      headers
  test.each([
    ['a percent-encoded line break in User-Agent', { 'User-Agent': 'a%0d%0aX: y' }],
    [
      'forwarding headers',
      { 'X-Forwarded-For': '1.2.3.4', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil' },
    ],
    ['a cookie', { Cookie: 'session=1' }],
  ])('%s', async (what, headers) => {
    const answer = await hub.publish({ content: what }, { headers })
    expect(answer.status).toBe(201)
    expect(JSON.stringify([...answer.headers]) + answer.text).not.toContain('evil')
  })

  test('response headers contain only ASCII and no user text', async () => {
    const answer = await hub.publish({ content: 'h', title: 'ünïcode 🦄', changelog: 'a\nb' }, { to: 'acme/headers' })
    expect([...answer.headers.values()].join('\n')).not.toMatch(/[^\x20-\x7e\n]|ünï/)
  })
})

describe('a publish never breaks the next build', () => {
  //  case                                       parameters as JSON
  test.each([
    ['deeply nested short values', `{"a":${nested(29).replace('[]', `[${'1,'.repeat(32_000)}1]`)}}`],
    ['a deeply nested string of many lines', `{"a":${nested(29).replace('[]', `["${'x\\n'.repeat(20_000)}"]`)}}`],
  ])('%s: rejected when the file would be too large', async (_, parameters) => {
    await expectRefusal(`{"content":"x","parameters":${parameters}}`, { to: 'acme/long' }, [
      422,
      'validation_failed',
      'parameters',
    ])
  })

  test('publishes and builds the largest content with large parameters', async () => {
    const body = { content: 'x'.repeat(262_144), parameters: { a: 'y'.repeat(65_000) } }
    expect((await hub.publish(body, { to: 'acme/long' })).status).toBe(201)
    await hub.build()
    expect((await hub.read('/api/v1/repos/acme/long/raw')).text.length).toBe(262_144)
  })
})

judgeAfterwards(16)
