// Reads and manages prompts with the command of the npm package, against a real hub in this process.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFolder } from '../cli/shells.ts'
import { pointing } from '../fixtures/labels.ts'
import { type Hub, openHub, serveHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { environment, NPX, runWith } from './both-clients.ts'

const { command } = NPX
let hub: Hub
let url: string
let token: string
let cwd: string
let close: () => Promise<void>
beforeAll(async () => {
  hub = await openHub(openLocalWorld())
  token = await hub.makeToken({ permissions: ['publish', 'maintain'] })
  ;({ url, close } = await serveHub(hub))
  cwd = makeFolder()
  const send = async (content: string, more: object = {}, to = 'acme/greet') =>
    expect((await hub.publish({ content, ...more }, { to })).status).toBe(201)
  await send('Hello {{name}}, {{count}}\r\n', {
    variables: [{ name: 'name' }, { name: 'count', type: 'integer', default: 1 }],
  })
  await send('Hi {{name}}, {{count}}\n', { changelog: 'Shorter', bump: 'minor' })
  await send('{{role "system"}}\nBe {{mood}}.\n{{history}}\n{{role "user"}}\nGo.\n', { format: 'chat' }, 'acme/talk')
})
afterAll(() => close?.())

const run = (...args: string[]) => runIn(cwd, ...args)
const runIn = (folder: string, ...args: string[]) =>
  runWith(command, args, folder, { ...environment(url), HUB_TOKEN: token })

test('cat, pull and render read the version that is asked for', async () => {
  expect(await run('cat', 'acme/greet@1.0.0')).toEqual({ code: 0, stdout: 'Hello {{name}}, {{count}}\r\n', stderr: '' })
  expect(await run('cat', 'acme/greet', '--version', '1.1.0')).toMatchObject({ stdout: 'Hi {{name}}, {{count}}\n' })
  expect(await run('cat', 'acme/greet@~1.0')).toMatchObject({ stdout: 'Hello {{name}}, {{count}}\r\n' })
  expect(await run('pull', 'acme/greet', '-o', 'out.md')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(readFileSync(join(cwd, 'out.md'), 'utf8')).toBe('Hi {{name}}, {{count}}\n')
  writeFileSync(join(cwd, 'who.txt'), 'Ada')
  expect(await run('render', 'acme/greet', '--var-file', 'name=who.txt', '--var', 'count=3')).toMatchObject({
    code: 0,
    stdout: 'Hi Ada, 3\n',
  })
  expect(await run('render', 'acme/greet', '--var', 'count=x')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/count: expected a whole number such as 3.*|name: missing/),
  })
  writeFileSync(join(cwd, 'history.json'), '[{"role":"user","content":"Before."}]')
  const chat = await run('render', 'acme/talk', '--var', 'mood=kind', '--history', 'history.json')
  expect(JSON.parse(chat.stdout).map((message: { content: string }) => message.content)).toEqual([
    'Be kind.',
    'Before.',
    'Go.',
  ])
  for (const [args, code, message] of [
    [['cat', 'acme/none'], 2, /^prompt-hub: [^\n]*\n$/],
    [['cat', 'acme/greet@9'], 2, /acme\/greet has no version that 9 allows/],
    [['cat', 'Acme/greet'], 1, /expected owner\/name/],
    [
      ['cat'],
      1,
      /^prompt-hub: usage: prompt-hub cat <owner>\/<name>\[@<range or label>\]; see: prompt-hub help cat\n$/,
    ],
    [['pull', 'acme/greet', '-o', 'no/where.md'], 1, /there is no folder no/],
    [['pull', 'acme/greet', '-o', '.'], 1, /is a folder; name a file in it/],
    [['cat', 'acme/greet', '--at', '2026-11-20T10:00:00Z'], 1, /--at: expected a label beside it/],
    [['cat', 'acme/greet@1.0.0', '--locked'], 1, /--locked: expected no version or label/],
  ] as const)
    expect(await run(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) })
})

test('a folder inside a project uses the lock above, and names it', async () => {
  expect(await run('add', 'acme/greet@~1.0')).toMatchObject({ code: 0 })
  const inside = join(cwd, 'packages/app')
  mkdirSync(inside, { recursive: true })
  const using = 'prompt-hub: using ../../prompts.lock\n'
  expect(await runIn(inside, 'verify')).toEqual({ code: 0, stdout: '', stderr: using })
  expect(await runIn(inside, 'cat', 'acme/greet', '--locked')).toEqual({
    code: 0,
    stdout: 'Hello {{name}}, {{count}}\r\n',
    stderr: using,
  })
  expect(await runIn(inside, 'add', 'acme/talk', '-o', 'talk.md')).toMatchObject({ code: 0 })
  expect(readFileSync(join(inside, 'talk.md'), 'utf8')).toContain('Be {{mood}}.')
  const { stdout, stderr } = await run('cat', 'acme/greet')
  expect([stdout, stderr]).toEqual([
    'Hi {{name}}, {{count}}\n',
    'prompt-hub: acme/greet 1.1.0, the latest; prompts.lock has 1.0.0, which --locked gives\n',
  ])
  const outdated = await run('outdated', '--json')
  expect(outdated.code).toBe(1)
  expect(JSON.parse(outdated.stdout)).toMatchObject({
    outdated: [{ name: 'acme/greet', version: '1.0.0', wanted: '1.0.0', latest: '1.1.0', changes: [] }],
    problems: [],
  })
  expect(await run('outdated', '--header')).toMatchObject({ stdout: expect.stringMatching(/^NAME +LOCKED +WANTED/) })
  writeFileSync(join(inside, 'talk.md'), 'x')
  const verified = await run('verify', '--json')
  expect(verified.code).toBe(4)
  expect(JSON.parse(verified.stdout)).toMatchObject({
    ok: false,
    prompts: 2,
    problems: [{ name: 'acme/talk', problem: 'changed' }],
  })
})

test('search and versions print tables and JSON, and export writes other formats', async () => {
  expect(await run('versions', 'acme/greet')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1\.1\.0 {2}\d{4}-\d\d-\d\d {2}\S+ +Shorter\n1\.0\.0 {2}/),
  })
  expect(await run('versions', 'acme/greet', '--header')).toMatchObject({
    stdout: expect.stringMatching(/^VERSION +PUBLISHED +BY/),
  })
  expect(JSON.parse((await run('versions', 'acme/greet', '--json')).stdout).data).toHaveLength(2)
  expect((await run('search', 'greet', '--kind', 'odd')).stderr).toContain('kind: expected one of text, chat, skill')
  expect(await run('export', 'acme/greet', '--to', 'dotprompt', '-o', 'x.prompt')).toMatchObject({
    code: 0,
    stdout: '',
  })
  expect(readFileSync(join(cwd, 'x.prompt'), 'utf8')).toMatch(/^---\n[\s\S]*Hi \{\{name\}\}/)
  expect((await run('export', 'acme', '--to', 'dotprompt')).stderr).toContain('-o: expected a folder')
  expect(await run('export', 'acme/greet')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--to: expected a format such as dotprompt'),
  })
})

test('label, yank, deprecate, edit, readme and their opposites change the prompt', async () => {
  const record = async () => (await hub.read('/api/v1/repos/acme/greet')).data
  writeFileSync(join(cwd, 'readme.md'), '# Read me\n')
  const steps: [args: string[], stdout: string, expected: object][] = [
    [
      ['label', 'acme/greet', 'production', '1.0.0'],
      'acme/greet production 1.0.0\n',
      { labels: pointing({ production: '1.0.0' }) },
    ],
    [['label', 'acme/greet', 'production', '--remove'], 'acme/greet production removed\n', { labels: {} }],
    [['yank', 'acme/greet', '1.1.0', 'Wrong'], 'acme/greet 1.1.0 yanked\n', { latest_version: '1.0.0' }],
    [['unyank', 'acme/greet', '1.1.0'], 'acme/greet 1.1.0 restored\n', { latest_version: '1.1.0' }],
    [
      ['deprecate', 'acme/greet', 'Old', '--replaced-by', 'acme/talk'],
      'acme/greet deprecated\n',
      { status: 'deprecated', status_message: 'Old', replaced_by: 'acme/talk' },
    ],
    [['deprecate', 'acme/greet', '--undo'], 'acme/greet active\n', { status: 'active', status_message: null }],
    [
      ['edit', 'acme/greet', '--title', 'Greeting', '--tags', 'a,b'],
      'acme/greet changed\n',
      { title: 'Greeting', tags: ['a', 'b'] },
    ],
    [['readme', 'acme/greet', 'readme.md'], 'acme/greet readme changed\n', { readme: '# Read me' }],
  ]
  for (const [args, stdout, expected] of steps) {
    expect(await run(...args)).toEqual({ code: 0, stdout, stderr: '' })
    expect(await record()).toMatchObject(expected)
  }
  const warned = await run('yank', 'acme/greet', '1.0.0', 'Bad', '--json')
  expect(JSON.parse(warned.stdout)).toMatchObject({ data: { unchanged: false } })
  expect(await run('cat', 'acme/greet@1.0.0')).toMatchObject({
    code: 0,
    stderr: 'prompt-hub: warning: acme/greet 1.0.0 was yanked: Bad\n',
  })
  expect(await run('label', 'acme/greet', 'production')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/usage: prompt-hub label/),
  })
  expect(await run('label', 'acme/greet', 'production', '7.7.7')).toMatchObject({ code: 2 })
})

test('result reports the output of a test runner', async () => {
  writeFileSync(
    join(cwd, 'junit.xml'),
    '<testsuites><testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite></testsuites>',
  )
  expect(await run('result', 'acme/talk', '1.0.0', 'quality', 'junit.xml', '--model', 'example-1')).toMatchObject({
    code: 0,
    stdout: 'acme/talk 1.0.0 quality: 1 passed, 0 failed, 1 skipped\n',
  })
  const results = JSON.parse((await hub.read('/api/v1/repos/acme/talk/versions/1.0.0/results')).text).data
  expect(results).toMatchObject([{ suite: 'quality', passed: 1, failed: 0, skipped: 1, score: 1, model: 'example-1' }])
  expect(await run('result', 'acme/talk', '1.0.0', 'quality', '--remove')).toMatchObject({
    code: 0,
    stdout: 'acme/talk 1.0.0 quality removed\n',
  })
})

test('recompose publishes a prompt again if a part has another version', async () => {
  const include = '{{include "acme/talk@^1"}}\n'
  const part = 'Part.\n'
  await hub.publish({ content: part }, { to: 'acme/part' })
  await hub.publish({ content: include.replace('talk', 'part'), compose: true }, { to: 'acme/whole' })
  expect(await run('recompose', 'acme/whole')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1\.0\.0 http\S+ \(unchanged\)\n$/),
  })
  await hub.publish({ content: 'Other part.\n' }, { to: 'acme/part' })
  expect(await run('recompose', 'acme/whole', '--dry-run')).toMatchObject({
    code: 0,
    stdout: '1.0.1 would be published\n',
  })
  expect(await run('recompose', 'acme/whole', 'New part')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1\.0\.1 http/),
  })
  const { data } = await hub.read('/api/v1/repos/acme/whole/versions/1.0.1')
  expect(data).toMatchObject({
    content: 'Other part.\n',
    changelog: 'New part',
    content_sha256: createHash('sha256').update('Other part.\n').digest('hex'),
  })
})
