// Tests `hubcli check` and `hubcli push` of prompt files with a real hub in this process.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Hub, openHub, serveHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { makeFolder, runHubcli, SHELL } from './shells.ts'
import { withStandIn } from './stand-in.ts'

const FILE = `---
title: Commit messages
description: Writes a commit message for a diff.
tags: [git]
license: CC0-1.0
variables: [{name: style, description: How long it may be., default: short}]
---
Write a {{style}} commit message.
`

let world: World
let hub: Hub
let url: string
let cwd: string
let close: () => Promise<void>
beforeAll(async () => {
  world = openLocalWorld()
  hub = await openHub(world)
  ;({ url, close } = await serveHub(hub))
  cwd = makeFolder()
  for (const folder of ['acme', 'nina', 'Upper']) mkdirSync(path.join(cwd, 'prompts', folder), { recursive: true })
  const files = {
    'acme/commit-message.md': FILE,
    'acme/broken.md': '---\ntitle: A\ntags: [A B]\n---\nx',
    'nina/a.b.prompt': 'Review {{ user-name }}.\n',
    'nina/new.prompt': 'Line\nReview {{ user-name }}.\n',
    'Upper/x.md': 'x',
    '../bytes.md': Buffer.from('caf\xe9', 'latin1'),
    '../nul.md': 'a\0b',
    '../long.md': 'x'.repeat(262_145),
    '../huge.md': 'x'.repeat(3_000_000),
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(cwd, 'prompts', file), text)
})
afterAll(() => close?.())

const REFUSED = [
  ['no file', [], /^hubcli: usage: hubcli check <file or folder>\.\.\.\n$/],
  ['a folder that cannot be an owner', ['prompts/Upper/x.md'], /would be the prompt Upper\/x: expected lower-case/],
  ['a file name with two dots', ['prompts/nina/a.b.prompt'], /would be the prompt nina\/a\.b: expected lower-case/],
  ['a missing file', ['prompts/acme/none.md'], /^hubcli: there is no file prompts\/acme\/none\.md\n$/],
  ['an unknown bump', ['--bump', 'huge', 'x'], /^hubcli: bump: expected major, minor, patch or auto, got huge\n$/],
  ['a name with a line break', ['a\nb'], /contains a control character/],
] as const

describe('hubcli', () => {
  const run = (...args: string[]) => runHubcli(SHELL, args, { cwd, env: { HUB_URL: url, HUB_TOKEN: hub.token } })
  const check = (...args: string[]) => runHubcli(SHELL, ['check', ...args], { cwd, env: { HUB_URL: url } })
  const prompt = 'acme/own'
  const file = `prompts/${prompt}.md`

  test('push publishes the fields of a prompt file, after a dry run of it', async () => {
    writeFileSync(path.join(cwd, file), FILE)
    const push = ['push', prompt, file, 'First', 'minor']
    expect(await run(...push, '--dry-run')).toMatchObject({ code: 0, stdout: '1.0.0 would be published\n', stderr: '' })
    expect((await hub.read(`/api/v1/repos/${prompt}`)).status).toBe(404)
    expect(await run(...push)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1\.0\.0 http/), stderr: '' })
    expect(await run(...push, '--dry-run')).toMatchObject({ code: 0, stdout: '1.0.0 is unchanged\n', stderr: '' })
    // Equal content is said to be unchanged, with and without a bump.
    for (const args of [push, push.slice(0, 4)])
      expect(await run(...args)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^1\.0\.0 http\S+ \(unchanged\)\n$/),
        stderr: '',
      })
    const { data } = await hub.read(`/api/v1/repos/${prompt}`)
    expect(data).toMatchObject({
      title: 'Commit messages',
      tags: ['git'],
      content: 'Write a {{style}} commit message.\n',
      variables: [{ name: 'style', default: 'short' }],
    })
  })

  test('check says what each file would be, with no token', async () => {
    expect(await check(file)).toMatchObject({ code: 0, stdout: `${prompt} 1.0.0 (unchanged)\n`, stderr: '' })
    writeFileSync(path.join(cwd, file), FILE.replace(', default: short', ''))
    const reasons = 'makes variable style required'
    expect(await check(file)).toMatchObject({ code: 0, stdout: `${prompt} 2.0.0 (breaking: ${reasons})\n` })
    expect(await check(file, '--bump', 'minor')).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining(
        `1.1.0 is too small for a breaking change since 1.0.0: ${reasons}. Publish it as 2.0.0`,
      ),
    })
    expect(await check(file, 'prompts/nina/new.prompt', '--bump', 'minor', '--allow-breaking')).toMatchObject({
      code: 0,
      stdout: `${prompt} 1.1.0 (breaking: ${reasons})\nnina/new 1.0.0\n`,
      stderr: expect.stringMatching(
        /^hubcli: warning: \S+\.md: breaking change since 1\.0\.0, published as minor: makes variable style required\. Publish it as 2\.0\.0 \(major\)\nhubcli: warning: prompts\/nina\/new\.prompt: content: .* \(line 2\)\n/,
      ),
    })
    expect(await check(file, '--owner', 'nobody')).toMatchObject({
      stdout: `nobody/${prompt.slice(5)} 1.0.0\n`,
    })
  })

  test('check exits with 4 if a file would be rejected, after checking the others', async () => {
    expect(await check('prompts/acme/broken.md', file)).toMatchObject({
      code: 4,
      stdout: expect.stringContaining(`${prompt} `),
      stderr: expect.stringMatching(/^hubcli: prompts\/acme\/broken\.md: tags\.0: line 3: expected /),
    })
  })

  test('check sends nothing if a file is larger than a request may be', async () => {
    expect(await check('huge.md', 'prompts/nina/new.prompt', '--owner', 'nina')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'hubcli: huge.md is larger than 1048576 bytes\n',
    })
  })

  test('check exits with 4, after all files, if a file is not text or too large', async () => {
    const outcome = await check('bytes.md', 'nul.md', 'long.md', 'prompts/nina/new.prompt', '--owner', 'nina')
    expect(outcome).toMatchObject({ code: 4, stdout: 'nina/new 1.0.0\n' })
    expect(outcome.stderr.split('\n').filter((line) => !line.includes('warning'))).toEqual([
      'hubcli: bytes.md: The body is not UTF-8. Save the prompt as UTF-8 and send it again.',
      'hubcli: nul.md: content: line 1: expected text without NUL characters.',
      expect.stringMatching(/^hubcli: long\.md: content: expected at most 262144 bytes/),
      '',
    ])
  })

  test('check sends nothing if a later file has a wrong name or is missing', async () => {
    const good = 'prompts/nina/new.prompt'
    await withStandIn(
      () => ({ kind: 'answer', status: 500, headers: {}, body: 'x' }),
      async ({ url: HUB_URL, requests }) => {
        for (const wrong of ['prompts/Upper/x.md', 'prompts/nina/none.md', 'prompts/nina'])
          expect(await runHubcli(SHELL, ['check', good, wrong], { cwd, env: { HUB_URL } })).toMatchObject({ code: 1 })
        expect(requests).toEqual([])
      },
    )
  })

  test('a dry run names the fields that change without a new version', async () => {
    writeFileSync(path.join(cwd, 'titled.md'), FILE.replace('Commit messages', 'Messages').replace('git', 'vcs'))
    writeFileSync(path.join(cwd, 'plain.md'), FILE)
    const to = 'acme/titled'
    await run('push', to, 'plain.md', '', 'minor')
    expect(await run('push', to, 'titled.md', '', 'minor', '--dry-run')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: '1.0.0 is unchanged, except for title, tags\n',
    })
  })

  test.each(REFUSED)('check refuses %s', async (_, args, stderr) => {
    expect(await check(...args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(stderr), left: [] })
  })

  test('check exits with 5 if the hub does not answer like one, and follows no redirect', async () => {
    const trouble = (status: number, headers = {}) => ({ kind: 'answer', status, headers, body: 'x' }) as const
    const answers = [
      [404, {}, /answered without a message; is it a Prompt Hub\?/],
      [200, { 'Content-Type': 'text/html' }, /where application\/json was expected/],
      [200, { 'Content-Type': 'application/json' }, /did not return a list or a record/],
      [308, { Location: '/elsewhere' }, /redirects to \S+, which is not followed/],
    ] as const
    for (const [status, headers, stderr] of answers)
      await withStandIn(
        () => trouble(status, headers),
        async ({ url: HUB_URL, requests }) => {
          const outcome = await runHubcli(SHELL, ['check', 'prompts/nina/new.prompt'], { cwd, env: { HUB_URL } })
          expect(outcome).toMatchObject({ stdout: '', stderr: expect.stringMatching(stderr) })
          expect(outcome.code).toBe(status === 404 ? 2 : 5)
          expect(requests).toHaveLength(1)
        },
      )
  })
})
