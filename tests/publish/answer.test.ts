// Tests the response to a publish, and what it writes. See docs/contract.md section 7.
import { beforeEach, describe, expect, test } from 'vitest'
import { BASE_URL } from '../hubs/make-hub.ts'
import { REPOSITORY } from '../hubs/publishing.ts'
import { judgeHistory } from './history.ts'
import { commits, git, hub, open, show, versionFile, versionPath, world } from './open-rules.ts'

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

  test('has the URL of the hub from its settings, never from the request, whose URL may end with a slash', async () => {
    const answer = await hub.publish(
      { content: 'x' },
      {
        path: `/api/v1/repos/${REPOSITORY}/versions/`,
        headers: { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' },
      },
    )
    expect([answer.status, answer.version]).toEqual([201, '1.0.0'])
    expect(answer.headers.get('Location')).toBe(`${BASE_URL}/api/v1/repos/acme/code-review/versions/1.0.0`)
    expect(answer.text).not.toContain('evil')
  })
})

// src/server/publish/publish.test.ts has the states of git in which a publish is refused.
test('a dry run says what a publish would do, and neither it nor a refused publish writes anything', async () => {
  await open({ [versionPath('1.0.0')]: versionFile('Old\n') })
  await hub.build()
  const keysBefore = (await hub.state.list('fresh/')).keys
  const body = { content: 'New\n', bump: 'minor', title: 'Other', expected_version: '1.0.0' }
  const answer = await hub.publish({ ...body, dry_run: true })
  expect([answer.status, answer.version]).toEqual([200, '1.1.0'])
  expect(answer.data).toMatchObject({ unchanged: false, commit: null, previous_version: '1.0.0', content: 'New\n' })
  expect(answer.headers.get('Location')).toBe(null)
  const conflict = await hub.publish({ ...body, expected_version: '0.9.0' })
  expect([conflict.status, conflict.code]).toEqual([409, 'version_conflict'])
  expect((await hub.state.list('fresh/')).keys).toEqual(keysBefore)
  expect((await hub.readRepository('/raw')).text).toBe('Old\n')
  expect((await hub.readRepository('/versions/1.1.0')).status).toBe(404)
  expect((await hub.publish({ ...body, dry_run: false })).version).toBe('1.1.0')
  const broken = 'content/acme/broken/versions/1.0.0.md'
  await world.commitOutside({ [broken]: 'not front matter\n' })
  const refused = await hub.publish({ content: 'New\n' }, { to: 'acme/broken' })
  expect([refused.status, refused.code]).toEqual([502, 'upstream_error'])
  expect(refused.message).toContain(broken)
  expect(await commits()).toBe(3)
})
