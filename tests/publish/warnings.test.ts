// Tests the warnings for a publish, the secrets that it rejects, and data that exists only in index.md: labels,
// advisories, and the new location of a moved repository.
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checksumOf } from '../../src/domain/access/token.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

const world: World = openLocalWorld()
const hub: Hub = await openHub(world)

/** Metadata that causes no warnings, so that each test sees only its own warnings. */
const GOOD = {
  title: 'Change review',
  description: 'Reviews a change and says what is wrong.',
  tags: ['review'],
  license: 'MIT',
}
const publish = async (body: Record<string, unknown>, to = 'acme/warned') => hub.publish({ ...GOOD, ...body }, { to })
const SECRET = 'A'.repeat(30)
const KEY = `-----BEGIN RSA PRIVATE KEY-----\n${`${'MIIEow'.repeat(10)}\n`.repeat(10)}-----END RSA PRIVATE KEY-----\n`

describe('warnings', () => {
  const WEAK = 'weak_metadata'
  const AWS = 'AKIAIOSFODNN7EXAMPLE'
  const hidden = (line: number): [string, number, string] => ['hidden_characters', line, 'U+200B']
  const what = { name: 'b', description: 'What to give.' }
  // tests/review/one-judge.test.ts has more.
  //  case, published, and each warning: code, line, part of the message
  test.each<[string, Record<string, unknown>, ...[string, number | null, string][]]>([
    ['no warning', { content: 'Plain\n' }],
    ['a hidden character', { content: 'a\nb\u200bc\n' }, hidden(2)],
    ['an AWS key', { content: `one\ntwo\n${AWS}` }, ['secret', 3, 'looks like a secret (aws-access-token)']],
    [
      'more warnings of a kind than are reported',
      { content: '\u200ba'.repeat(100), parameters: {} },
      ...Array.from({ length: 5 }, () => hidden(1)),
      ['hidden_characters', null, 'and 95 more'],
    ],
    [
      'missing metadata',
      { content: 'x3 {{a}}', description: '', tags: [] },
      [WEAK, null, 'description: '],
      [WEAK, null, 'tags: '],
      [WEAK, null, 'variables: add a description for a'],
    ],
    [
      'unused variables and undeclared placeholders',
      { content: 'hi\n{{a}}', variables: [what] },
      [WEAK, null, 'variables.0: expected {{b}} in the content'],
      [WEAK, 2, 'content: expected a declaration of the placeholder {{a}}'],
    ],
  ])('%s', async (_, body, ...expected) => {
    const { status, data } = await publish({ bump: 'major', dry_run: true, ...body })
    expect(status).toBe(200)
    const warnings = data.warnings as { code: string; line: number | null; message: string }[]
    expect(warnings.map(({ code, line }) => [code, line])).toEqual(expected.map(([code, line]) => [code, line]))
    for (const [index, [, , part]] of expected.entries()) expect(warnings[index]!.message).toContain(part)
    expect(JSON.stringify(warnings)).not.toContain('AKIAIOSFODNN7EXAMPLE')
  })

  test('the repository record includes the warnings, before and after a build', async () => {
    await publish({ content: 'one\u200btwo' }, 'acme/shown')
    const expected = [{ code: 'hidden_characters', message: expect.stringContaining('U+200B'), line: 1 }]
    expect((await hub.read('/api/v1/repos/acme/shown')).data.warnings).toEqual(expected)
    await hub.build()
    expect((await hub.read('/api/v1/repos/acme/shown')).data.warnings).toEqual(expected)
  })
})

describe('rejecting secrets', () => {
  const inHeaders = KEY.replace('KEY-----\n', 'KEY-----\nProc-Type: 4,ENCRYPTED\n\n')
  const pgp = KEY.replaceAll(/(BEGIN|END) (?:[A-Z]+ )?PRIVATE KEY/g, '$1 PGP PRIVATE KEY BLOCK')
  const [github, npm] = ['ghp', 'npm'].map((kind) => `${kind}_${SECRET}${checksumOf(SECRET)}`)
  const noKey = (field: string) => `${field}: expected no private key`
  const noToken = (field: string) => `${field}: expected no token with a valid checksum`
  test.each<[string, Record<string, unknown>, string]>([
    ['a complete private key', { content: `Use this:\n${KEY}` }, noKey('content')],
    ['a private key with headers', { content: inHeaders }, noKey('content')],
    ['a PGP private key', { content: pgp }, noKey('content')],
    ['a GitHub token', { content: github }, noToken('content')],
    ['a token in a variable', { content: '{{a}}', variables: [{ name: 'a', default: npm }] }, noToken('variables')],
  ])('%s', async (_, body, sentence) => {
    const answer = await publish(body)
    expect([answer.status, answer.code]).toEqual([422, 'validation_failed'])
    expect(answer.message).toContain(sentence)
    expect(answer.text).not.toContain(SECRET)
  })

  test.each([
    ['a private key with a placeholder', '-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----'],
    ['a shortened example', '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----'],
  ])('accepts %s', async (_, content) => expect((await publish({ content })).status).toBe(201))
})

describe('index.md fields', () => {
  /** The files of a prompt. @param all contents by version */
  const versions = (name: string, all: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(all).map(([number, content]) => [
        `content/acme/${name}/versions/${number}.md`,
        `---\npublished_at: "2026-11-01T00:00:00Z"\npublished_by: acme\n---\n${content}`,
      ]),
    )

  test('a label resolves to the version it points at', async () => {
    const index = (more: string) => ({ 'content/acme/labelled/index.md': `---\ntitle: L\n${more}---\n` })
    await world.commitOutside({
      ...versions('labelled', { '1.0.0': 'one', '1.0.1': 'two', '1.0.2': 'three' }),
      ...index('labels: {production: "1.0.1", old: "1.0.0"}\n'),
    })
    await hub.build()
    const raw = (query: string) => hub.read(`/api/v1/repos/acme/labelled/raw${query}`)
    const labelled = await raw('?label=production')
    expect([labelled.status, labelled.text, labelled.headers.get('X-Prompt-Version')]).toEqual([200, 'two', '1.0.1'])
    expect(labelled.headers.get('Cache-Control')).toBe('public, max-age=60, stale-while-revalidate=600')
    expect((await raw('?label=')).text).toBe('three')
    const unknown = await raw('?label=staging')
    expect([unknown.status, unknown.code]).toEqual([404, 'not_found'])
    expect(unknown.message).toBe('acme/labelled has no label staging. Its labels: production, old.')
    for (const query of ['?label=production&version=1.0.0', '?version=1.0.0&label=staging'])
      expect([(await raw(query)).status, (await raw(query)).code]).toEqual([400, 'invalid_request'])
    for (const label of ['constructor', '__proto__', '%00', 'x'.repeat(5_000)])
      expect((await raw(`?label=${label}`)).status).toBe(404)
    await world.commitOutside(index(''))
    await hub.build()
    expect((await raw('?label=production')).message).toBe(
      'acme/labelled has no label production. It has no labels; give a version.',
    )
  })

  test('raw sends its SHA-256, and marks a version as yanked only while it is yanked', async () => {
    for (const content of ['one', 'two\r\n']) await publish({ content }, 'acme/pulled')
    const digest = (content: string) => `sha-256=:${createHash('sha256').update(content).digest('base64')}:`
    const raw = async (query: string) => {
      const { text, headers } = await hub.read(`/api/v1/repos/acme/pulled/raw${query}`)
      const names = ['Repr-Digest', 'X-Prompt-Yanked', 'Cache-Control']
      return [text, ...names.map((name) => headers.get(name))]
    }
    const forGood = 'public, max-age=31536000, immutable'
    const forNow = 'public, max-age=60, stale-while-revalidate=600'
    expect(await raw('')).toEqual(['two\r\n', digest('two\r\n'), null, forNow])
    expect(await raw('?version=1.0.0')).toEqual(['one', digest('one'), null, forGood])
    const index = (more: string) => ({ 'content/acme/pulled/index.md': `---\ntitle: P\n${more}---\n` })
    await world.commitOutside(index('yanked: {"1.0.0": "Wrong"}\n'))
    await hub.build()
    expect(await raw('?version=1.0.0')).toEqual(['one', digest('one'), 'true', forNow])
    expect(await raw('?version=1.0.1')).toEqual(['two\r\n', digest('two\r\n'), null, forGood])
    await world.commitOutside(index(''))
    await hub.build()
    expect(await raw('?version=1.0.0')).toEqual(['one', digest('one'), null, forGood])
  })

  test('raw says that the repository is deprecated, unless a version is given', async () => {
    await publish({ content: 'one' }, 'acme/aged')
    const raw = async (query: string) =>
      (await hub.read(`/api/v1/repos/acme/aged/raw${query}`)).headers.get('X-Prompt-Deprecated')
    expect(await raw('')).toBeNull()
    const front = '---\ntitle: A\nstatus: deprecated\nlabels: {live: "1.0.0"}\n---\n'
    await world.commitOutside({ 'content/acme/aged/index.md': front })
    await hub.build()
    expect([await raw(''), await raw('?label=live'), await raw('?version=1.0.0')]).toEqual(['true', 'true', null])
  })

  test('an advisory lists its affected versions in the repository record', async () => {
    const advisory = 'advisories:\n  - {range: "<1.2.0", severity: high, message: Follows instructions in the input.}\n'
    await world.commitOutside({
      ...versions('advised', { '1.0.0': 'one', '1.1.0': 'two', '1.2.0': 'three' }),
      'content/acme/advised/index.md': `---\ntitle: A\n${advisory}---\n`,
    })
    await hub.build()
    expect((await hub.read('/api/v1/repos/acme/advised')).data.advisories).toEqual([
      {
        range: '<1.2.0',
        severity: 'high',
        message: 'Follows instructions in the input.',
        versions: ['1.1.0', '1.0.0'],
      },
    ])
  })

  test('a moved repository stays readable, links its successor, is unlisted and rejects publishes', async () => {
    await world.commitOutside({
      ...versions('before', { '1.0.0': 'old' }),
      ...versions('after', { '1.0.0': 'new' }),
      'content/acme/before/index.md': '---\ntitle: B\nmoved_to: acme/after\n---\n',
    })
    const files = await hub.build()
    for (const rest of ['', '/versions', '/raw']) {
      const answer = await hub.read(`/api/v1/repos/acme/before${rest}`)
      expect([answer.status, answer.headers.get('Link')]).toEqual([
        200,
        `<https://hub.example/api/v1/repos/acme/after${rest}>; rel="successor-version"`,
      ])
      expect((await hub.read(`/api/v1/repos/acme/after${rest}`)).headers.get('Link')).toBeNull()
    }
    expect((await hub.read('/api/v1/repos/acme/before/raw')).text).toBe('old')
    expect((await hub.read('/api/v1/repos/acme/before')).data.moved_to).toBe('acme/after')
    expect(files.get('/data/v1/index.json')).not.toContain('acme/before')
    const refused = await publish({ content: 'newer' }, 'acme/before')
    expect([refused.status, refused.code]).toEqual([409, 'repo_archived'])
    expect(refused.message).toBe('acme/before has moved to acme/after. Publish there.')
  })

  test('a prompt that moved stays valid when its successor moves on, and no change names a prompt that has moved', async () => {
    const token = await hub.makeToken({ permissions: ['publish', 'maintain'] })
    const patch = (from: string, fields: object) =>
      hub.publish(fields, { method: 'PATCH', path: `/api/v1/repos/${from}`, token })
    const move = (from: string, to: string) => patch(from, { moved_to: to })
    const names = ['first', 'second', 'third']
    await world.commitOutside(Object.assign({}, ...names.map((name) => versions(name, { '1.0.0': name }))))
    await hub.build()
    expect((await move('acme/first', 'acme/second')).status).toBe(200)
    expect((await move('acme/second', 'acme/third')).status).toBe(200)
    await hub.build()
    expect((await hub.read('/api/v1/repos/acme/first/raw')).text).toBe('first')
    for (const [from, to] of [
      ['first', 'second'],
      ['second', 'third'],
    ])
      expect((await hub.read(`/api/v1/repos/acme/${from}`)).data.moved_to).toBe(`acme/${to}`)
    for (const key of ['moved_to', 'replaced_by']) {
      const { status, message } = await patch('acme/third', { [key]: 'acme/first' })
      expect([status, message]).toEqual([
        422,
        `${key}: expected its current name: acme/first has itself moved to acme/second.`,
      ])
    }
    expect((await move('acme/first', 'acme/third')).data.moved_to).toBe('acme/third')
  })

  test('a prompt that contains "moved_to" as text gets no successor link', async () => {
    await publish({ content: '"moved_to":"acme/after"', parameters: { moved_to: 'acme/after' } }, 'acme/tricky')
    await hub.build()
    expect((await hub.read('/api/v1/repos/acme/tricky')).headers.get('Link')).toBeNull()
  })
})
