// Tests the response to a publish: its fields, the version number, and what carries over from the previous version. See
// docs/contract.md section 7.
import { beforeEach, describe, expect, test } from 'vitest'
import { BASE_URL } from '../hubs/handlers.ts'
import { REPOSITORY } from '../hubs/publishing.ts'
import { judgeHistory } from './history.ts'
import { git, hub, INDEX, open, show, versionFile, versionPath, world } from './open-rules.ts'

describe('publish response', () => {
  beforeEach(() => open())

  test('returns 201, Location and the full version record for a first version', async () => {
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
        format: 'text',
        messages: null,
        skill: null,
        files: [],
        bundle_sha256: null,
        includes: [],
        variables: [
          { name: 'code', description: '', type: 'string', required: true, default: null, options: [], example: null },
        ],
        parameters: {},
        changelog: 'First',
        published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        published_by: 'acme',
        provenance: null,
        attestations: [],
        publisher: null,
        url: 'https://hub.example/api/v1/repos/acme/code-review/versions/1.0.0',
        raw_url: 'https://hub.example/api/v1/repos/acme/code-review/raw?version=1.0.0',
        html_url: 'https://hub.example/acme/code-review/v/1.0.0',
        manifest_sha256: '7ba7843ba78a96372439bc74cfb771d029ee6ab1088c5b9a72b4e01618e3a5b6',
        unchanged: false,
        breaking: false,
        commit: { sha: (await git('rev-parse', 'main')).trim(), url: null },
        warnings: ['title: ', 'description: ', 'tags: ', 'license: ', 'variables: add a description for code'].map(
          (start) => ({
            code: 'weak_metadata',
            message: expect.stringMatching(`^${start}`),
            line: null,
          }),
        ),
      },
    })
  })

  test('commits a new version as one file, with no user text in the commit message', async () => {
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

  test('writes the version file in the documented format', async () => {
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

  test('is text for a client that wants that: the version and its URL, and a line for each warning', async () => {
    const send = (content: string, query = '', accept = 'text/plain', token?: string) =>
      hub.publish(content, {
        path: `/api/v1/repos/${REPOSITORY}/versions${query}`,
        headers: { 'Content-Type': 'text/markdown', Accept: accept },
        ...(token !== undefined && { token }),
      })
    const url = (version: string) => `https://hub.example/api/v1/repos/acme/code-review/versions/${version}`
    const file = (title: string, words: string) =>
      `---\ntitle: ${title}\ndescription: Reviews a change in any language.\ntags: [review]\nlicense: MIT\n---\n${words}\n`
    const first = await send(file('Review', 'One.'), '', 'text/plain;q=0.9, */*;q=0.1')
    expect([first.status, first.headers.get('Location')]).toEqual([201, url('1.0.0')])
    expect(first.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
    expect(first.text).toBe(`1.0.0 ${url('1.0.0')}\n`)
    expect((await send(file('Review', 'One.'))).text).toBe(`1.0.0 ${url('1.0.0')} (unchanged)\n`)
    expect((await send(file('Reviews', 'One.'))).text).toBe(
      `1.0.0 ${url('1.0.0')} (unchanged, except for its details)\n`,
    )
    const breaking = await send(file('Reviews', 'One {{more}}.'), '?dry_run=true')
    expect(breaking.text).toBe(`2.0.0 ${url('2.0.0')} (breaking)\nwarning: variables: add a description for more\n`)
    expect((await send('x', '', 'application/json, text/plain, */*;q=0.1')).data).toMatchObject({ version: '1.0.1' })
    const refused = await send('x', '?bump=huge')
    expect([refused.status, refused.text]).toEqual([
      422,
      'bump: expected "major" or "minor" or "patch" or "auto", got "huge".\n',
    ])
    const missing = await hub.read('/api/v1/repos/acme/none/raw', { Accept: 'text/plain' })
    expect([missing.status, missing.headers.get('Content-Type')]).toEqual([404, 'text/plain; charset=utf-8'])
    expect(missing.headers.get('Vary')).toBe('Accept-Encoding, Accept')
    expect(missing.text).toMatch(/^Repository not found: acme\/none\..*\n$/)
    const inJson = await hub.read('/api/v1/repos/acme/none/raw')
    expect([inJson.code, inJson.headers.get('Vary')]).toEqual(['not_found', 'Accept-Encoding, Accept'])
  })

  test('ignores a trailing slash in the URL', async () => {
    const answer = await hub.publish({ content: 'x' }, { path: `/api/v1/repos/${REPOSITORY}/versions/` })
    expect([answer.status, answer.version]).toEqual([201, '1.0.0'])
  })
})

describe('version numbers', () => {
  // src/domain/values/versions.test.ts has more.
  //  case                             existing versions                    yanked              bump  next      previous
  test.each<[string, readonly string[], readonly string[], string | undefined, string, string | null]>([
    ['the first version, minor', [], [], 'minor', '1.0.0', null],
    ['versions are compared as numbers', ['1.9.0', '1.10.0'], [], 'minor', '1.11.0', '1.10.0'],
    ['a yanked number is not reused', ['1.0.0', '1.0.1'], ['1.0.1'], 'patch', '1.0.2', '1.0.1'],
    ['all versions yanked', ['1.0.0'], ['1.0.0'], 'patch', '1.0.1', '1.0.0'],
  ])('%s', async (_, used, yanked, bump, next, previous) => {
    const files = Object.fromEntries(used.map((version) => [versionPath(version), versionFile(`Old ${version}\n`)]))
    const lines = yanked.map((version) => `  "${version}": Wrong\n`).join('')
    await open({ ...files, ...(yanked.length > 0 && { [INDEX]: `---\nyanked:\n${lines}---\n` }) })
    const answer = await hub.publish({ content: 'New\n', ...(bump && { bump }) })
    expect([answer.status, answer.version, answer.data.previous_version]).toEqual([201, next, previous])
  })

  //  case                                 existing versions           bump      message
  test.each([
    [
      'above the highest patch number',
      '1.0.999999',
      'patch',
      'bump: the next version would be 1.0.1000000, but each part can have at most six digits. Increment another part.',
    ],
  ])('%s', async (_, used, bump, says) => {
    await open({ [versionPath(used)]: versionFile('Old\n') })
    const answer = await hub.publish({ content: 'New\n', bump })
    expect([answer.status, answer.code, answer.message]).toEqual([422, 'validation_failed', says])
  })

  test('rejects more than 1000 versions', async () => {
    const files = Array.from({ length: 1_000 }, (_, patch) => [
      versionPath(`1.0.${patch}`),
      versionFile(`Old ${patch}\n`),
    ])
    await open(Object.fromEntries(files))
    const answer = await hub.publish({ content: 'One more\n' })
    expect([answer.status, answer.code]).toEqual([422, 'validation_failed'])
    expect(answer.message).toContain('has 1000 versions')
    expect((await hub.publish({ content: 'Old 999\n' })).status).toBe(200)
  })
})

describe('fields carried over from the previous version', () => {
  const declared = `variables:
  - name: kept
    description: Stays
    type: integer
    default: 3
  - name: dropped
    description: Goes
parameters:
  model: example-model
`
  beforeEach(() => open({ [versionPath('1.0.0')]: versionFile('{{kept}} {{dropped}}\n', declared) }))
  const plain = { description: '', type: 'string', required: true, default: null, options: [], example: null }
  const kept = { ...plain, name: 'kept', description: 'Stays', type: 'integer', default: 3 }

  //  case                                          body  variables                                     parameters
  test.each<[string, object, object[], object]>([
    [
      'unused variables are removed, new ones added',
      { content: '{{new}} {{kept}}\n' },
      [kept, { ...plain, name: 'new' }],
      { model: 'example-model' },
    ],
    [
      'given variables are kept even if unused',
      { content: 'x\n', variables: [{ name: 'other' }] },
      [{ ...plain, name: 'other' }],
      { model: 'example-model' },
    ],
    [
      'given parameters replace the previous ones',
      { content: 'x\n', parameters: { temperature: 0 } },
      [],
      { temperature: 0 },
    ],
  ])('%s', async (_, body, variables, parameters) => {
    const answer = await hub.publish({ bump: 'patch', ...body })
    expect(answer.status).toBe(201)
    expect([answer.data.variables, answer.data.parameters]).toEqual([variables, parameters])
    await hub.build()
    const built = await hub.readRepository('/versions/1.0.1')
    expect([built.data.variables, built.data.parameters]).toEqual([variables, parameters])
  })

  test('uses the latest version, not a higher yanked one', async () => {
    await world.commitOutside({
      [versionPath('2.0.0')]: versionFile('x\n', 'parameters:\n  model: wrong\n'),
      [INDEX]: '---\nyanked:\n  "2.0.0": Wrong\n---\n',
    })
    const answer = await hub.publish({ content: 'New {{kept}}\n', bump: 'patch' })
    expect([answer.version, answer.data.variables, answer.data.parameters]).toEqual([
      '2.0.1',
      [kept],
      { model: 'example-model' },
    ])
  })
})

test('takes the URL of the hub from its settings, never from request headers', async () => {
  await open()
  const answer = await hub.publish(
    { content: 'x' },
    { headers: { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' } },
  )
  expect(answer.headers.get('Location')).toBe(`${BASE_URL}/api/v1/repos/acme/code-review/versions/1.0.0`)
  expect(answer.text).not.toContain('evil')
})
