// Pins what every hostile input to publishing is answered, and that none of it writes outside its folder, runs, or breaks a later build.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Hub, judgeHistory, openHub, openLocalWorld, REPOSITORY, type Sending, type World } from './open-hub.ts'

let world: World
let hub: Hub
let canary: string
let logged: string[]
const fetched: string[] = []

beforeAll(async () => {
  canary = join(mkdtempSync(join(tmpdir(), 'hub-canary-')), 'executed')
  world = openLocalWorld({
    'content/acme/code-review/versions/1.0.0.md':
      '---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: acme\n---\nOld\n',
  })
  hub = await openHub(world)
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    fetched.push(String(input))
    throw new Error('nothing is ever fetched')
  })
})
afterAll(async () => {
  vi.restoreAllMocks()
  world.close()
  rmSync(join(canary, '..'), { recursive: true, force: true })
})
beforeEach(() => {
  logged = []
  for (const method of ['log', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => void logged.push(parts.join(' ')))
})
afterEach(() => {
  // A refusal is the caller's fault: nothing for the operator, and above all no stack.
  expect(logged).toEqual([])
})

const git = async (...args: string[]) =>
  execFileSync('git', ['--git-dir', await world.gitFolder(), ...args], { encoding: 'utf8' })
const head = () => git('rev-parse', 'main')

/** A refusal has its status and code, says something that may be printed, and writes nothing. */
async function expectRefusal(
  body: unknown,
  sending: Sending,
  [status, code, says]: readonly [number, string, (string | RegExp)?],
): Promise<void> {
  const before = await head()
  const answer = await hub.publish(body, sending)
  expect([answer.status, answer.code]).toEqual([status, code])
  expect(answer.message.length).toBeGreaterThan(10)
  expect(answer.message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(answer.message).not.toMatch(/node_modules|\/src\/|at \w+ \(|Error:/)
  if (typeof says === 'string') expect(answer.message).toContain(says)
  if (says instanceof RegExp) expect(answer.message).toMatch(says)
  expect(answer.headers.get('Cache-Control')).toBe('no-store')
  expect(await head()).toBe(before)
}

/** Deep JSON as text: JSON.stringify cannot write it. */
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))
const stream = (chunks: number, bytes: number) =>
  new ReadableStream({
    start(controller) {
      for (let chunk = 0; chunk < chunks; chunk++) controller.enqueue(new Uint8Array(bytes).fill(0x20))
      controller.close()
    },
  })

describe('a body that is not worth reading', () => {
  /** Counts what is taken of a body without end. */
  const endless = () => {
    const taken = { bytes: 0 }
    const body = new ReadableStream({
      pull(controller) {
        taken.bytes += 8_192
        controller.enqueue(new Uint8Array(8_192).fill(0x20))
      },
    })
    return { body, taken }
  }

  test('without a good token, nothing of an announced length is read', async () => {
    const { body, taken } = endless()
    const answer = await hub.publish(body, { token: null, headers: { 'Content-Length': '1048576' } })
    // A stream fills its own buffer once, before anybody reads.
    expect([answer.status, taken.bytes]).toEqual([401, 8_192])
  })

  test('without a good token, at most 64 KiB of an unknown length', async () => {
    const { body, taken } = endless()
    expect((await hub.publish(body, { token: null })).status).toBe(401)
    expect(taken.bytes).toBeLessThanOrEqual(65_536 + 8_192)
  })

  test('cut off on its way: 400, and nothing of it in the log', async () => {
    const { promise, reject } = Promise.withResolvers<never>()
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('{"content"')),
      pull: () => promise,
    })
    const answering = hub.publish(body, { headers: { 'Content-Length': '100' } })
    reject(new Error('aborted'))
    const answer = await answering
    expect([answer.status, answer.code, answer.message]).toEqual([
      400,
      'invalid_request',
      'The body ended before it was complete. Send it again.',
    ])
    expect(logged).toEqual([])
  })
})

describe('names and paths', () => {
  const path = (owner: string, name = 'x') => `/api/v1/repos/${owner}/${name}/versions`
  //  what                             path
  test.each([
    ['.. as the owner', path('..')],
    ['.. as the name', path('acme', '..')],
    ['%2e%2e', path('%2e%2e', '%2E%2e')],
    ['a backslash', path('acme', 'x\\y')],
    ['backslashes to climb', path('acme', '..\\..\\x')],
    ['%2f in a segment', path('acme', 'a%2fb')],
    ['%2f to climb', path('acme', '..%2f..%2fother')],
    ['%00', path('acme', 'a%00')],
    ['half an escape', path('acme', '%E0%A4%A')],
    ['an escape of a plain letter', path('acme', '%61')],
    ['an upper-case owner', path('Acme')],
    ['an upper-case name', path('acme', 'X')],
    ['a homoglyph', path('аcme')],
    ['NFD', path('acme', 'e\u0301')],
    ['a trailing dot', path('acme', 'x.')],
    ['a trailing blank', path('acme', 'x%20')],
    ['a leading hyphen', path('-acme')],
    ['a double hyphen', path('ac--me')],
    ['an owner of 40 characters', path('a'.repeat(40))],
    ['a name of 65 characters', path('acme', 'a'.repeat(65))],
    ['.git', path('acme', '.git')],
    ['x.lock', path('acme', 'x.lock')],
    ['@', path('acme', '@')],
    ['HEAD', path('acme', 'HEAD')],
    ['__proto__', path('__proto__')],
    ['an underscore', path('acme', 'a_b')],
    ['an extra segment', '/api/v1/repos/acme/x/y/versions'],
    ['an empty owner', '/api/v1/repos//x/versions'],
    ['a semicolon', path('acme', 'x;y')],
    ...[
      'con',
      'prn',
      'aux',
      'nul',
      'com1',
      'lpt9',
      'api',
      'auth',
      'cli',
      'data',
      'docs',
      'mcp',
      'settings',
      'tags',
    ].map((owner): [string, string] => [`reserved: ${owner}`, path(owner)]),
    ...['admin', 'me', 'new', 'null', 'undefined'].map((owner): [string, string] => [
      `reserved: ${owner}`,
      path(owner),
    ]),
  ] as const)('%s: 404', (_, address) => expectRefusal({ content: 'x' }, { path: address }, [404, 'not_found']))

  test('climbing out of versions leads where the address then says', async () => {
    await expectRefusal({ content: 'x' }, { path: '/api/v1/repos/acme/x/versions/../../../../etc' }, [404, 'not_found'])
  })

  //  ordinary text where the pattern allows it
  test.each([
    ['constructor', 'constructor'],
    ['to-string', 'hasownproperty'],
    ['con', 'con'],
    ['git', 'git'],
    ['a digit', '1'],
    ['64 characters', 'a'.repeat(64)],
  ])('%s is a name like any other', async (_, name) => {
    const answer = await hub.publish({ content: `{{constructor}} {{__proto__}}\n` }, { to: `acme/${name}` })
    expect([answer.status, answer.version]).toEqual([201, '1.0.0'])
    expect(answer.data.variables).toMatchObject([{ name: 'constructor' }, { name: '__proto__' }])
  })

  test('an owner named constructor has no rights by inheritance', () =>
    expectRefusal({ content: 'x' }, { to: 'constructor/x' }, [403, 'forbidden']))
})

describe('the body as bytes', () => {
  const mib = 1_048_576
  //  what                                      body                                              sending                                           answer
  test.each<[string, () => unknown, Sending, readonly [number, string, (string | RegExp)?]]>([
    ['one byte over 1 MiB', () => new Uint8Array(mib + 1), {}, [413, 'content_too_large']],
    ['over 1 MiB without a length', () => stream(17, 65_536), {}, [413, 'content_too_large']],
    [
      'over 1 MiB with a wrong length',
      () => stream(17, 65_536),
      { headers: { 'Content-Length': '10' } },
      [413, 'content_too_large'],
    ],
    [
      'a length that lies upwards',
      () => '{"content":"x"}',
      { headers: { 'Content-Length': '9999999' } },
      [413, 'content_too_large'],
    ],
    ['1 MiB of blanks is no JSON', () => stream(16, 65_536), {}, [400, 'invalid_request']],
    ['content of 262,145 bytes', () => ({ content: 'x'.repeat(262_145) }), {}, [413, 'content_too_large', '262144']],
    ['262,146 bytes in 131,073 characters', () => ({ content: 'é'.repeat(131_073) }), {}, [413, 'content_too_large']],
    [
      'gzip',
      () => gzipSync('{"content":"x"}'),
      { headers: { 'Content-Encoding': 'gzip' } },
      [415, 'unsupported_media_type', 'compressed'],
    ],
    ['br', () => '{"content":"x"}', { headers: { 'Content-Encoding': 'br' } }, [415, 'unsupported_media_type']],
    [
      'two encodings',
      () => '{"content":"x"}',
      { headers: { 'Content-Encoding': 'identity, gzip' } },
      [415, 'unsupported_media_type'],
    ],
    [
      'a form',
      () => 'content=x',
      { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      [415, 'unsupported_media_type'],
    ],
    [
      'text/plain',
      () => '{"content":"x"}',
      { headers: { 'Content-Type': 'text/plain' } },
      [415, 'unsupported_media_type'],
    ],
    [
      'a type that only begins like JSON',
      () => '{"content":"x"}',
      { headers: { 'Content-Type': 'application/json5' } },
      [415, 'unsupported_media_type'],
    ],
    [
      'no type',
      () => new TextEncoder().encode('{"content":"x"}'),
      { headers: { 'Content-Type': null } },
      [415, 'unsupported_media_type'],
    ],
    ['nothing', () => '', {}, [400, 'invalid_request', 'not JSON']],
    ['not JSON', () => 'content: x', {}, [400, 'invalid_request', 'not JSON']],
    ['half a JSON', () => '{"content": "x"', {}, [400, 'invalid_request']],
    ['two JSONs', () => '{"content":"x"}{"content":"y"}', {}, [400, 'invalid_request']],
    ['NaN', () => '{"content":"x","parameters":{"a":NaN}}', {}, [400, 'invalid_request']],
    ['a raw control character in a string', () => '{"content":"a\u0001"}', {}, [400, 'invalid_request']],
    ['a byte order mark before it', () => '\uFEFF{"content":"x"}', {}, [400, 'invalid_request']],
    ['invalid UTF-8', () => Buffer.from('{"content":"\xe9"}', 'latin1'), {}, [400, 'invalid_request', 'UTF-8']],
    ['overlong UTF-8', () => Buffer.from('{"content":"\xc0\xaf"}', 'latin1'), {}, [400, 'invalid_request', 'UTF-8']],
    [
      'a surrogate in UTF-8',
      () => Buffer.from('{"content":"\xed\xa0\x80"}', 'latin1'),
      {},
      [400, 'invalid_request', 'UTF-8'],
    ],
    ['UTF-16', () => Buffer.from('{"content":"x"}', 'utf16le'), {}, [400, 'invalid_request']],
  ])('%s', (_, body, sending, answer) => expectRefusal(body(), sending, answer))

  //  what                               body                                    headers
  test.each<[string, unknown, Record<string, string>]>([
    ['a parameter of the media type', { content: 'a1' }, { 'Content-Type': 'Application/JSON ; charset=utf-8' }],
    ['an encoding that is none', { content: 'a2' }, { 'Content-Encoding': 'identity' }],
    ['of a repeated key the last counts', '{"content": 1, "bump": "x", "content": "a3", "bump": "major"}', {}],
    ['exactly 1 MiB', `{"content": "a4"${' '.repeat(mib - 17)}}`, {}],
  ])('%s is fine', async (_, body, headers) => {
    expect((await hub.publish(body, { headers })).status).toBe(201)
  })
})

describe('the body as fields', () => {
  const content = 'x'
  const names = (count: number, prefix = 'v') => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  const token = 'hub_00000000000000000000000000000000'
  //  what                                        body                                                                          says
  test.each<[string, unknown, string | RegExp]>([
    ['a list', [], 'expected an object'],
    ['null', 'null', 'expected an object'],
    ['a text', '"content"', 'expected an object'],
    ['a number', '1', 'expected an object'],
    ['nothing given', {}, 'content: expected a string, got nothing'],
    ['content null', { content: null }, 'content: expected a string, got null'],
    ['content a number', { content: 1 }, 'content: expected a string, got 1'],
    ['content a list', { content: ['x'] }, 'content: expected a string, got a list'],
    ['content empty', { content: '' }, 'content: expected some text'],
    ['content only white space', { content: ' \t\r\n\u00a0\u2003\ufeff' }, 'content: expected some text'],
    ['content with NUL', { content: 'a\0b' }, 'content: expected text without NUL'],
    ['content with a lone high surrogate', '{"content":"a\\ud800b"}', 'content: expected well-formed'],
    ['content with a lone low surrogate', '{"content":"\\udc00"}', 'content: expected well-formed'],
    ['an unknown field', { content, contents: 'y' }, 'contents: unknown'],
    ['an unknown field with an escape sequence', { content, '\u001b[31m': 'y' }, 'unknown'],
    ['__proto__ as a field', '{"content":"x","__proto__":{"bump":"major"}}', '__proto__: unknown'],
    ['constructor as a field', { content, constructor: 1 }, 'constructor: unknown'],
    ['version as a field', { content, version: '1.0.0' }, 'version: unknown'],
    ['yanked as a field', { content, yanked: {} }, 'yanked: unknown'],
    ['status as a field', { content, status: 'active' }, 'status: unknown'],
    ['provenance as a field', { content, provenance: {} }, 'provenance: unknown'],
    ...['changelog', 'bump', 'variables', 'parameters', 'title', 'description', 'tags', 'license', 'dry_run'].map(
      (field): [string, unknown, string] => [`${field} null`, { content, [field]: null }, `${field}: `],
    ),
    ...[
      'changelog',
      'bump',
      'variables',
      'parameters',
      'title',
      'description',
      'tags',
      'license',
      'dry_run',
      'expected_version',
    ].map((field): [string, unknown, string] => [`${field} a number`, { content, [field]: 7 }, `${field}: `]),
    ['a changelog of 501 characters', { content, changelog: '🦄'.repeat(501) }, 'changelog: expected at most 500'],
    [
      'a changelog with a carriage return',
      { content, changelog: 'a\r\nb' },
      'changelog: expected no control characters',
    ],
    ['a changelog with an escape', { content, changelog: '\u001b[31m' }, 'changelog: expected no control'],
    ['a changelog with a lone surrogate', '{"content":"x","changelog":"\\udfff"}', 'changelog: expected well-formed'],
    ['a bump in upper case', { content, bump: 'Major' }, 'bump: expected "major" or "minor" or "patch", got "Major"'],
    ['a pre-release', { content, bump: 'prerelease' }, 'bump: '],
    ['a title of 201 characters', { content, title: 'é'.repeat(201) }, 'title: expected at most 200'],
    ['a title with a line end', { content, title: 'a\nb' }, 'title: expected no control'],
    ['a title with C1 controls', { content, title: 'a\u009bb' }, 'title: expected no control'],
    ['an empty title', { content, title: '' }, 'title: expected some text'],
    ['a blank title', { content, title: ' \u2003' }, 'title: expected some text'],
    ['a title with a lone surrogate', '{"content":"x","title":"\\ud800"}', 'title: expected well-formed'],
    ['a description of 501 characters', { content, description: 'd'.repeat(501) }, 'description: expected at most 500'],
    ['a description with a tab', { content, description: 'a\tb' }, 'description: expected no control'],
    ['11 tags', { content, tags: names(11) }, 'tags: expected at most 10'],
    ['a tag of 37 characters', { content, tags: ['t'.repeat(37)] }, 'tags.0: expected at most 36'],
    ['an upper-case tag', { content, tags: ['Go'] }, 'tags.0: expected lower-case'],
    ['a tag with an underscore', { content, tags: ['__proto__'] }, 'tags.0: expected lower-case'],
    ['an empty tag', { content, tags: [''] }, 'tags.0: '],
    ['a tag twice', { content, tags: ['go', 'go'] }, 'tags: expected each tag once'],
    ['a licence that is none', { content, license: 'Mine' }, 'license: expected an SPDX licence'],
    ['an empty licence', { content, license: '' }, 'license: '],
    [
      'a licence of 101 characters',
      { content, license: `MIT${' OR MIT'.repeat(15)}` },
      'license: expected at most 100',
    ],
    ['expected_version with v', { content, expected_version: 'v1.0.0' }, 'expected_version: expected a version'],
    ['expected_version with a leading zero', { content, expected_version: '01.0.0' }, 'expected_version: '],
    ['expected_version rc', { content, expected_version: '1.0.0-rc.1' }, 'expected_version: '],
    ['expected_version with a line end', { content, expected_version: '1.0.0\n' }, 'expected_version: '],
    ['expected_version beyond a number', { content, expected_version: '9007199254740993.0.0' }, 'expected_version: '],
    ['expected_version empty', { content, expected_version: '' }, 'expected_version: '],
    ['dry_run as text', { content, dry_run: 'true' }, 'dry_run: expected a boolean'],
    ['65 variables', { content, variables: names(65).map((name) => ({ name })) }, 'variables: expected at most 64'],
    ['a variable that is none', { content, variables: ['x'] }, 'variables.0: expected an object'],
    ['a variable without a name', { content, variables: [{}] }, 'variables.0.name: '],
    ['a variable with a hyphen', { content, variables: [{ name: 'a-b' }] }, 'variables.0.name: '],
    ['a variable of 65 characters', { content, variables: [{ name: 'v'.repeat(65) }] }, 'variables.0.name: '],
    [
      'a variable twice',
      { content, variables: [{ name: 'a' }, { name: 'a' }] },
      'variables.1.name: expected each name once',
    ],
    ['an unknown key in a variable', { content, variables: [{ name: 'a', label: 'b' }] }, 'variables.0.label: unknown'],
    [
      '__proto__ in a variable',
      '{"content":"x","variables":[{"name":"a","__proto__":{"required":false}}]}',
      '__proto__',
    ],
    ['an unknown type', { content, variables: [{ name: 'a', type: 'date' }] }, 'variables.0.type: '],
    [
      'a default of another type',
      { content, variables: [{ name: 'a', type: 'integer', default: 1.5 }] },
      'variables.0.default: expected a whole number',
    ],
    ['a default that is a list', { content, variables: [{ name: 'a', default: [] }] }, 'variables.0.default: '],
    ['a default with NUL', { content, variables: [{ name: 'a', default: '\0' }] }, 'variables.0.default: '],
    ['an enum without options', { content, variables: [{ name: 'a', type: 'enum' }] }, 'variables.0.options: '],
    [
      'an option with a control character',
      { content, variables: [{ name: 'a', type: 'enum', options: ['\u0007'] }] },
      'variables.0.options.0: ',
    ],
    [
      'a description with a lone surrogate',
      '{"content":"x","variables":[{"name":"a","description":"\\ud83d"}]}',
      'variables.0.description: ',
    ],
    [
      '65 placeholders',
      {
        content: names(65)
          .map((name) => `{{${name}}}`)
          .join(''),
      },
      'content: expected at most 64 placeholders, got 65',
    ],
    [
      'a placeholder of 65 characters',
      { content: `{{${'p'.repeat(65)}}}` },
      'content: expected placeholder names of at most 64',
    ],
    ['parameters a list', { content, parameters: [] }, 'parameters: expected an object'],
    [
      'parameters of 33 levels',
      `{"content":"x","parameters":${'{"a":'.repeat(32)}{}${'}'.repeat(33)}`,
      /parameters: expected at most 32 levels/,
    ],
    [
      'parameters nested 2,000 deep',
      `{"content":"x","parameters":{"a":${nested(2_000)}}}`,
      'parameters: expected at most 32 levels',
    ],
    [
      'parameters nested 200,000 deep',
      `{"content":"x","parameters":{"a":${nested(200_000)}}}`,
      'parameters: expected at most 32 levels',
    ],
    ['content nested 200,000 deep', `{"content":${nested(200_000)}}`, 'content: expected at most 32 levels'],
    ['tags nested 200,000 deep', `{"content":"x","tags":${nested(200_000)}}`, 'tags: expected at most 32 levels'],
    [
      'a default nested 200,000 deep',
      `{"content":"x","variables":[{"name":"a","default":${nested(200_000)}}]}`,
      'variables: expected at most 32 levels',
    ],
    ['an unknown field nested 200,000 deep', `{"content":"x","y":${nested(200_000)}}`, 'y: unknown'],
    [
      'parameters of 60,000 keys',
      { content, parameters: many(60_000, 1) },
      'parameters: expected at most 1000 keys in all.',
    ],
    [
      'parameters of more than 64 KiB',
      { content, parameters: { a: 'x'.repeat(65_529) } },
      'parameters: expected at most 65536 bytes as JSON, got 65537.',
    ],
    [
      'a list of 40,000 values',
      { content, variables: Array(40_000).fill(1) },
      'variables: expected at most 32768 values in all.',
    ],
    [
      '90 unknown fields of 1,000 keys each',
      { content, ...many(90, many(1_000, 1)) },
      /^k0: unknown; [^;]*; k1: unknown/,
    ],
    [
      '60,000 unknown fields',
      { content, ...many(60_000, 1) },
      /^(k\d: unknown; check the spelling, or leave it out; ){10}and 59990 more\.$/,
    ],
    [
      '__proto__ in parameters',
      '{"content":"x","parameters":{"__proto__":{"a":1}}}',
      'parameters: expected no key named __proto__',
    ],
    [
      '__proto__ deep in parameters',
      '{"content":"x","parameters":{"a":[{"__proto__":1}]}}',
      'parameters: expected no key named __proto__',
    ],
    [
      'a number beyond numbers',
      '{"content":"x","parameters":{"a":1e999}}',
      'parameters: expected numbers that JSON can write',
    ],
    [
      'a lone surrogate in parameters',
      '{"content":"x","parameters":{"a":["\\ud800"]}}',
      'parameters: expected well-formed',
    ],
    [
      'a lone surrogate in a key of parameters',
      '{"content":"x","parameters":{"\\ud800":1}}',
      'parameters: expected well-formed',
    ],
    ['a forged token is no token', { content: `${token}000000 `, title: '' }, 'title: expected some text'],
  ])('%s', (_, body, says) => expectRefusal(body, {}, [422, 'validation_failed', says]))

  test('every problem is in one message, each with its field', async () => {
    const { message } = await hub.publish({
      content: ' ',
      bump: 'huge',
      title: '',
      tags: ['A'],
      variables: [{ name: '1' }],
      parameters: 1,
      expected_version: 'v1',
      dry_run: 0,
      licence: 'MIT',
    })
    for (const field of [
      'content',
      'bump',
      'title',
      'tags.0',
      'variables.0.name',
      'parameters',
      'expected_version',
      'dry_run',
      'licence',
    ])
      expect(message).toMatch(new RegExp(`(?:^|; )${field}: `))
  })

  test('a hundred thousand unknown fields are refused, not choked on', async () => {
    const fields = Array.from({ length: 90_000 }, (_, index) => `"f${index}":1`).join(',')
    await expectRefusal(`{"content":"x",${fields}}`, {}, [422, 'validation_failed', 'f0: unknown'])
  })
})

describe('tokens of this hub never become public', () => {
  //  where                    body
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
    // Its checksum says nothing, so 32 characters after hub_ are all of the secret.
    expect(answer.text).not.toContain(hub.token.slice(4, 24))
    expect(await head()).toBe(before)
  })
})

describe('what looks dangerous and is kept as it is', () => {
  const script = (path: string) => `require('node:fs').writeFileSync(${JSON.stringify(path)}, 'x')`
  //  what                                      body
  test.each<[string, (path: string) => { content: string } & Record<string, unknown>]>([
    ['---js', (path) => ({ content: `---js\n${script(path)}\n---\nBody\n` })],
    ['---javascript', (path) => ({ content: `---javascript\n{ title: ${script(path)} }\n---\n` })],
    ['---JavaScript', (path) => ({ content: `---JavaScript\n${script(path)}\n---\n` })],
    ['---toString', () => ({ content: '---toString\nx\n---\n' })],
    ['---constructor', () => ({ content: '---constructor\nx\n---\n' })],
    ['---json', () => ({ content: '---json\n{"title": "x"}\n---\n' })],
    ['only front matter', () => ({ content: '---\ntitle: x\nstatus: archived\n---\n' })],
    ['an alias bomb', () => ({ content: '---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\n' })],
    ['a tag of YAML', () => ({ content: `---\na: !!js/function 'function(){${script('x')}}'\n---\n` })],
    ['---js in an index.md that is begun', (path) => ({ content: 'q1', title: `---js ${script(path)} ---` })],
    [
      'a changelog with a --- line and a forged trailer',
      () => ({ content: 'q2', changelog: 'a\n---\nstatus: archived\n\nOperation-Id: x' }),
    ],
    [
      'YAML in every text',
      () => ({ content: 'q3', title: '*alias', description: '&a {x: [1]} # no comment', changelog: '!!binary aGk=' }),
    ],
    [
      'quotes and braces in texts',
      () => ({ content: 'q4', title: '"}\'{{x}}: - ', description: 'x: y # z', changelog: '- a: |\n  b' }),
    ],
    [
      'values that YAML would take for others',
      () => ({
        content: 'q5',
        title: 'null',
        description: '2026-01-01',
        changelog: '1.10',
        parameters: { a: 'yes', b: '0x10', c: '~', d: '<<', '1': '1e3', e: '' },
      }),
    ],
    [
      'script in every text',
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
    ['a git attribute and a filter', () => ({ content: '$Id$ <<<<<<< HEAD\n' })],
    ['32 levels', () => ({ content: 'q8', parameters: JSON.parse(`${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`) })],
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
    const files = await hub.build()
    expect(files.get(`/data/v1/repos/acme/hostile/raw/${answer.version}.txt`) === body.content).toBe(true)
    const { data: version } = await hub.read(`/api/v1/repos/acme/hostile/versions/${answer.version}`)
    const { data: repository } = await hub.read('/api/v1/repos/acme/hostile')
    expect([version.changelog, version.parameters]).toEqual([
      body.changelog ?? '',
      body.parameters ?? answer.data.parameters,
    ])
    if (body.title) expect(repository.title).toBe(body.title)
    if (body.description) expect(repository.description).toBe(body.description)
    expect(repository.status).toBe('active')
    expect(existsSync(canary)).toBe(false)
    expect(Object.keys({})).toEqual([])
    expect(Reflect.get({}, 'polluted')).toBe(undefined)
  })

  //  what                                      headers
  test.each([
    ['a line end in User-Agent is none', { 'User-Agent': 'a%0d%0aX: y' }],
    [
      'a forwarded address',
      { 'X-Forwarded-For': '1.2.3.4', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil' },
    ],
    ['a cookie', { Cookie: 'session=1' }],
  ])('%s', async (what, headers) => {
    const answer = await hub.publish({ content: what }, { headers })
    expect(answer.status).toBe(201)
    expect(JSON.stringify([...answer.headers]) + answer.text).not.toContain('evil')
  })

  test('every header of an answer holds checked values alone', async () => {
    const answer = await hub.publish({ content: 'h', title: 'ünïcode 🦄', changelog: 'a\nb' }, { to: 'acme/headers' })
    expect([...answer.headers.values()].join('\n')).not.toMatch(/[^\x20-\x7e\n]|ünï/)
  })
})

describe('a publish never breaks the next build', () => {
  //  what                                       parameters as JSON
  test.each([
    ['short values nested deep', `{"a":${nested(29).replace('[]', `[${'1,'.repeat(32_000)}1]`)}}`],
    ['many lines of a text nested deep', `{"a":${nested(29).replace('[]', `["${'x\\n'.repeat(20_000)}"]`)}}`],
  ])('%s: refused when its file would be too long', async (_, parameters) => {
    await expectRefusal(`{"content":"x","parameters":${parameters}}`, { to: 'acme/long' }, [
      422,
      'validation_failed',
      'parameters',
    ])
  })

  test('the longest content beside long parameters is published and built', async () => {
    const body = { content: 'x'.repeat(262_144), parameters: { a: 'y'.repeat(65_000) } }
    expect((await hub.publish(body, { to: 'acme/long' })).status).toBe(201)
    await hub.build()
    expect((await hub.read('/api/v1/repos/acme/long/raw')).text.length).toBe(262_144)
  })
})

test('after all of it: one file a commit, nothing outside content/acme, nothing fetched, nothing run', async () => {
  const added = await judgeHistory(world)
  expect(added.length).toBeGreaterThan(30)
  const paths = (await git('ls-tree', '-r', '--name-only', 'main')).trim().split('\n')
  for (const path of paths)
    expect(path).toMatch(/^(?:README\.md|content\/acme\/[a-z0-9-]+\/(?:index\.md|versions\/\d+\.\d+\.\d+\.md))$/)
  const contentDir = await world.contentDir()
  expect(readdirSync(join(contentDir, '..')).sort()).toEqual(['.git', 'README.md', 'content'])
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: contentDir, encoding: 'utf8' })).toBe('')
  expect(fetched).toEqual([])
  expect(existsSync(canary)).toBe(false)
  expect(readFileSync(join(contentDir, REPOSITORY, 'versions/1.0.0.md'), 'utf8')).toContain('Old\n')
})
