// Tests publishing prompt files: Markdown with front matter as the body, and the export that publishes the same again.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writePromptFile } from '../../packages/prompt-formats/source/write-prompt-file.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

const world: World = openLocalWorld()
const hub: Hub = await openHub(world)

const FILE = `---
title: Commit message
description: Writes a commit message for a diff.
tags: [git, review]
license: CC0-1.0
variables:
  - name: style
    type: enum
    options: [short, long]
    default: short
    description: How long the message may be.
parameters:
  temperature: 0.2
---
Write a {{style}} commit message.
`
const JSON_BODY = {
  title: 'Commit message',
  description: 'Writes a commit message for a diff.',
  tags: ['git', 'review'],
  license: 'CC0-1.0',
  variables: [
    {
      name: 'style',
      type: 'enum',
      options: ['short', 'long'],
      default: 'short',
      description: 'How long the message may be.',
    },
  ],
  parameters: { temperature: 0.2 },
  content: 'Write a {{style}} commit message.\n',
}
const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Write a {{style}} message.' },
]
const versionsOf = (to: string) => `/api/v1/repos/${to}/versions`
const send = (file: string | Uint8Array, to: string, query = '', type = 'text/markdown') =>
  hub.publish(file, { path: `${versionsOf(to)}${query}`, headers: { 'Content-Type': type } })

test('a prompt file and its JSON publish the same version', async () => {
  const file = await send(FILE, 'acme/file', '?changelog=First')
  const json = await hub.publish({ ...JSON_BODY, changelog: 'First' }, { to: 'acme/json' })
  expect([file.status, json.status]).toEqual([201, 201])
  const plain = ({ data }: typeof file) => ({
    ...JSON.parse(JSON.stringify(data).replaceAll('acme/json', 'acme/file').replaceAll('"json"', '"file"')),
    commit: null,
    published_at: null,
  })
  expect(plain(file)).toEqual(plain(json))
})

test('the query has the fields that are not in the file', async () => {
  const to = 'acme/query'
  expect((await send('One', to, '?expected_version=null&dry_run=true')).data).toMatchObject({ version: '1.0.0' })
  expect((await send('One', to, '?expected_version=null')).status).toBe(201)
  const second = await send('Two', to, '?bump=minor&changelog=Two%20lines%0Aof%20it&expected_version=1.0.0')
  expect(second.data).toMatchObject({ version: '1.1.0', changelog: 'Two lines\nof it' })
  expect((await send('Three', to, '?expected_version=1.0.0')).status).toBe(409)
})

test('a file without front matter is content alone, byte for byte', async () => {
  for (const [number, content] of [
    'One\r\n',
    '\ufeffOne',
    '--- \nnot front matter\n---\n',
    ' ---\na: b\n---\n',
  ].entries()) {
    const answer = await send(content, `acme/alone-${number}`)
    expect([answer.status, answer.data.content]).toEqual([201, content])
  }
})

test('empty front matter lets content begin with a --- line', async () => {
  const answer = await send('---\n---\n---\ntitle: content\n---\nText', 'acme/begins')
  expect(answer.data.content).toBe('---\ntitle: content\n---\nText')
})

test.each([
  ['a byte order mark', `\ufeff${FILE}`],
  ['Windows line endings', FILE.replaceAll('\n', '\r\n')],
])('reads front matter after %s', async (what, file) => {
  const answer = await send(file, `acme/${what.split(' ')[1]?.toLowerCase()}-file`)
  expect([answer.status, answer.data.parameters]).toEqual([201, { temperature: 0.2 }])
})

// src/domain/content/prompt-file-hostile.test.ts has more front matter.
describe('refuses', () => {
  const UNKNOWN = 'unknown; check the spelling, or leave it out'
  //  case, front matter, message
  test.each([
    ['an unknown key', 'title: A\ntitel: B', `titel: line 3: ${UNKNOWN}.`],
    ['a wrong value', 'title: A\ntags: [A B]', 'tags.0: line 3: expected '],
    ['a wrong option', 'variables:\n  - name: x\n  - name: b\n    type: enum', 'variables.1.options: line 4: '],
    [
      'a number that JSON does not have, beside another problem',
      'title: 5\nparameters:\n  a: .inf',
      'parameters: line 3: expected numbers that JSON can represent; title: line 2: expected a string, got 5.',
    ],
    [
      'many unknown keys, of which it names ten',
      Array.from({ length: 6_000 }, (_, number) => `k${number}: 1`).join('\n'),
      `${Array.from({ length: 10 }, (_, number) => `k${number}: line ${number + 2}: ${UNKNOWN}`).join('; ')}; and 5990 more.`,
    ],
    ['10,000 of both', `title: ${'[a, {b: '.repeat(5_000)}`, 'line 2: expected less deeply nested YAML.'],
    [
      '140,000 characters',
      `title: ${'a'.repeat(140_000)}`,
      'line 1: expected front matter of at most 65536 characters',
    ],
  ])('front matter with %s', async (_, front, message) => {
    const answer = await send(`---\n${front}\n---\nx`, 'acme/refused')
    expect([answer.status, answer.message.slice(0, message.length)]).toEqual([422, message])
  })

  //  case, file, query, status, message
  test.each([
    [
      'every problem at once, in front matter, query and content',
      '---\ntitel: B\ntags: [A B]\n---\n\n',
      '?dryrun=true',
      422,
      `titel: line 2: ${UNKNOWN}; dryrun: unknown query parameter; tags.0: line 3: expected lower-case letters, digits and single hyphens; content: line 5: expected some text`,
    ],
    ['a wrong parameter', 'x', '?dry_run=yes', 422, 'dry_run: expected "true" or "false", got "yes".'],
    ['a parameter that is not UTF-8', 'x', '?changelog=caf%E9', 400, 'The query is not percent-encoded UTF-8.'],
    ['a changelog that is too long', 'x', `?changelog=${'a'.repeat(10_001)}`, 422, 'changelog: expected at most'],
    ['no content', '---\ntitle: A\n---\n \n', '', 422, 'content: line 4: '],
    [
      'front matter without an end',
      '---\ntitle: a\nx',
      '',
      422,
      'line 1: expected a second line that is exactly --- after the front matter; if the text itself begins with ---, put two such lines before it.',
    ],
  ] as const)('%s', async (_, file, query, status, message) => {
    const answer = await send(file, 'acme/refused', query)
    expect([answer.status, answer.message.slice(0, message.length)]).toEqual([status, message])
  })

  test('bytes that are not UTF-8', async () => {
    const answer = await send(Buffer.from('caf\xe9', 'latin1'), 'acme/refused')
    expect([answer.status, answer.message]).toEqual([
      400,
      'The body is not UTF-8. Save the prompt as UTF-8 and send it again.',
    ])
  })

  test('other media types, and a prompt file where JSON is needed', async () => {
    const other = await send('x', 'acme/refused', '', 'text/plain')
    expect([other.status, other.message]).toEqual([
      415,
      'The body must be JSON, a prompt file or the archive of a skill. Send JSON with "Content-Type: application/json", a prompt file with "Content-Type: text/markdown", or a tar archive with "Content-Type: application/gzip".',
    ])
    const change = await hub.publish('---\n---\n', {
      path: '/api/v1/repos/acme/refused',
      method: 'PATCH',
      headers: { 'Content-Type': 'text/markdown' },
    })
    expect(change.status).toBe(415)
  })
})

test('JSON with query parameters publishes nothing: nobody would read them', async () => {
  const answer = await hub.publish({ content: 'x' }, { path: `${versionsOf('acme/asked')}?dry_run=true&bmp=minor` })
  expect([answer.status, answer.message]).toEqual([
    422,
    'dry_run: expected no query parameters with JSON; put the field in the body; bmp: expected no query parameters with JSON; put the field in the body.',
  ])
  expect((await hub.read('/api/v1/repos/acme/asked')).status).toBe(404)
})

test('a retry with the same key and file returns the same version', async () => {
  const options = {
    path: versionsOf('acme/again'),
    headers: { 'Content-Type': 'text/markdown' },
    key: 'key-of-a-retry',
  }
  const first = await hub.publish(FILE, options)
  const second = await hub.publish(FILE, options)
  expect([first.status, second.status, second.data.version]).toEqual([201, 200, first.data.version])
  expect((await hub.publish('Another text', options)).status).toBe(422)
})

test('JSON content that begins with front matter causes a warning', async () => {
  const { data } = await hub.publish({ content: FILE }, { to: 'acme/json-file' })
  expect(data.warnings).toContainEqual({
    code: 'looks_like_front_matter',
    message:
      'content: begins with front matter, which is part of the content. To use its fields, publish the file with "Content-Type: text/markdown", and with a first line that is exactly ---',
    line: 1,
  })
  const { data: other } = await hub.publish({ content: '---\nlayout: post\n---\nx' }, { to: 'acme/other-file' })
  expect(JSON.stringify(other.warnings)).not.toContain('looks_like_front_matter')
})

test.each([
  ['a blank first line', `\n${FILE}`],
  ['a space after the first line', `--- \n${FILE.slice(4)}`],
  ['two byte order marks', `\ufeff\ufeff${FILE}`],
])('a prompt file with %s is content alone, and the warning says so', async (what, file) => {
  const { status, data } = await send(file, `acme/almost-${what.split(' ')[1]}`)
  expect([status, data.content]).toEqual([201, file])
  expect((data.warnings as { code: string }[]).map(({ code }) => code)).toContain('looks_like_front_matter')
})

test('a near placeholder causes a warning with its line', async () => {
  const { data } = await hub.publish({ content: 'One\n{{ name  }}\n{{größe}}' }, { to: 'acme/near' })
  const warnings = (data.warnings as { code: string }[]).filter(({ code }) => code === 'near_placeholder')
  expect(warnings).toEqual([
    {
      code: 'near_placeholder',
      message: 'content: {{ name  }} is not a placeholder. If it should be one, write {{name}}',
      line: 2,
    },
    {
      code: 'near_placeholder',
      message:
        'content: {{größe}} is not a placeholder. The name of a variable has only the letters A to Z, digits and underscores, as in {{name}}',
      line: 3,
    },
  ])
})

describe('export/markdown', () => {
  test.each<[string, Record<string, unknown>]>([
    ['a chat prompt', { ...JSON_BODY, content: undefined, messages: MESSAGES }],
    ['a skill', { content: 'Review it.\r\n', skill: { description: 'Reviews code.' }, license: 'MIT' }],
    ['content that begins with a --- line', { content: '---\ntitle: x\n---\nText' }],
    ['content alone', { content: 'Only text' }],
    ['a line of one blank in the parameters', { content: 'x', parameters: { stop: 'a\n \nb' } }],
  ])('publishing the file of %s again is unchanged', async (what, body) => {
    const to = `acme/again-${what.split(' ').at(-1)}`
    const { status, data } = await hub.publish(body, { to })
    expect(status).toBe(201)
    const repository = JSON.parse((await hub.read(`/api/v1/repos/${to}`)).text).data
    const again = await send(writePromptFile(repository, repository), to)
    expect([again.status, again.data.unchanged, again.data.version]).toEqual([200, true, data.version])
  })

  test('publishing the file of an older version makes that version again', async () => {
    const to = 'acme/older'
    const fields = ['content', 'format', 'variables', 'parameters', 'skill']
    const bodies = [
      { content: 'Ask {{name}}.', title: 'Older' },
      { content: 'Ask {{name}}.', skill: { description: 'Asks.' }, variables: [{ name: 'name', default: 'Ada' }] },
      { ...JSON_BODY, content: undefined, license: undefined, messages: MESSAGES, skill: null },
    ]
    for (const body of bodies) expect((await hub.publish({ ...body, bump: 'major' }, { to })).status).toBe(201)
    const pick = (record: Record<string, unknown>) => fields.map((field) => record[field])
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) {
      const read = async (rest = '') => (await hub.read(`${versionsOf(to)}/${version}${rest}`)).text
      const again = await send(await read('/export/markdown'), to, '?dry_run=true')
      expect([version, again.status, pick(again.data)]).toEqual([version, 200, pick(JSON.parse(await read()).data)])
      expect(again.data.unchanged).toBe(version === '3.0.0')
    }
  })

  test('publishing the file of a sample prompt again is unchanged, also its title, tags and license', async () => {
    const sampleWorld = openLocalWorld(readSamples())
    const samples = await openHub(sampleWorld)
    await samples.build()
    const { data: list } = JSON.parse((await samples.read('/api/v1/repos')).text) as {
      data: { full_name: string; latest_version: string; owner: string }[]
    }
    expect(list.length).toBeGreaterThan(10)
    for (const { full_name, latest_version, owner } of list.filter((_, at) => at % 12 === 0)) {
      const file = await samples.read(`/api/v1/repos/${full_name}/versions/${latest_version}/export/markdown`)
      const sending = { headers: { 'Content-Type': 'text/markdown' } }
      const { data: checked } = await samples.check(file.bytes, { to: full_name, ...sending })
      expect(checked).toMatchObject({ would_be: latest_version, unchanged: true, fields: [], changes: null })
      const token = await samples.makeToken({ scope: `${owner}/*` })
      const { status, data } = await samples.publish(file.bytes, { to: full_name, token, ...sending })
      expect([full_name, status, data.version, data.unchanged, data.commit]).toEqual([
        ...[full_name, 200, latest_version, true, null],
      ])
    }
  })
})

/** Returns the sample content, by path from the repository's root. */
function readSamples(): Record<string, string> {
  const paths = readdirSync('content', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]))
}
