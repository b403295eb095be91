// Tests reads by label with hubcli and both libraries and a real hub: all of an owner's prompts at a label, a label at a
// time, and the digest that survives compression.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLock } from '../../clients/typescript/source/files.ts'
import { PromptHub } from '../../clients/typescript/source/prompt-hub.ts'
import { chooseVersion } from '../../src/domain/values/label-target.ts'
import { type PlainFiles, startPlainFiles } from '../cli/plain-files.ts'
import { makeFolder, PYTHON, runHubcli, SHELL } from '../cli/shells.ts'
import { COMPILED } from '../compiled.ts'
import { type Hub, openHub, serveHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { environment, NPX, runWith } from './both-clients.ts'

const version = (content: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${content}`
const FILES = {
  'content/octocat/forms/versions/1.0.0.md': version('Fill in.\n').replace(
    '---\nFill',
    'skill:\n  description: Fills in forms.\n---\nFill',
  ),
  'content/octocat/forms/index.md': '---\nlabels:\n  production: "1.0.0"\n---\n',
  'content/acme/a/versions/1.0.0.md': version('One {{x}}\n'),
  'content/acme/a/versions/1.1.0.md': version('Two\n'),
  'content/acme/a/index.md': '---\nlabels:\n  production: "1.0.0"\n---\n',
  'content/acme/b/versions/1.0.0.md': version('Other\n'),
  'content/acme/b/index.md': '---\nlabels:\n  production: "1.0.0"\n---\n',
  'content/acme/c/versions/1.0.0.md': version('Without a label\n'),
  'content/nina/old/versions/1.0.0.md': version('Old\n'),
  'content/nina/old/index.md': '---\nlabels:\n  production: "1.0.0"\nmoved_to: mona/old\n---\n',
  'content/mona/old/versions/1.0.0.md': version('Old\n'),
  'content/mona/old/versions/1.1.0.md': version('New\n'),
  'content/mona/old/index.md': '---\nlabels:\n  production: "1.1.0"\n---\n',
}

let world: World
let hub: Hub
let url: string
let files: ReadonlyMap<string, string>
let stop: () => Promise<void>
/** A time before the label of a moved. */
let before: string
beforeAll(async () => {
  world = openLocalWorld(FILES)
  hub = await openHub(world)
  files = await hub.build()
  ;({ url, close: stop } = await serveHub(hub))
  before = `${new Date().toISOString().slice(0, 19)}Z`
  // The activity counts in seconds.
  await wait(1_100)
  const token = await hub.makeToken({ permissions: ['label'] })
  const place = { method: 'PUT', path: '/api/v1/repos/acme/a/labels/production', token }
  expect((await hub.publish({ version: '1.1.0' }, place)).status).toBe(200)
})
afterAll(() => stop())

const hubcli = async (args: string[], { cwd = makeFolder(), hubUrl = url } = {}) => {
  const { code, stdout, stderr } = await runHubcli(SHELL, args, { cwd, env: { HUB_URL: hubUrl } })
  return { code, stdout, stderr, cwd }
}

describe('hubcli', () => {
  test("adds all of an owner's prompts at a label, which the lock remembers", async () => {
    const { code, stdout, stderr, cwd } = await hubcli(['add', 'acme/*@production'])
    expect([code, stdout, stderr]).toEqual([0, 'acme/a 1.1.0 prompts/acme/a.md\nacme/b 1.0.0 prompts/acme/b.md\n', ''])
    expect(readFileSync(path.join(cwd, 'prompts/acme/a.md'), 'utf8')).toBe('Two\n')
    const { prompts } = JSON.parse(readFileSync(path.join(cwd, 'prompts.lock'), 'utf8'))
    expect(Object.entries<{ range: string }>(prompts).map(([name, { range }]) => `${name}@${range}`)).toEqual([
      ...['acme/a@production', 'acme/b@production'],
    ])
    expect((await hubcli(['verify'], { cwd })).code).toBe(0)
    // Again, in the same folder, with the URL from the lock.
    expect((await hubcli(['add', 'acme/*@production'], { cwd, hubUrl: '' })).code).toBe(0)
  })

  test('a locked skill stays a skill in its folder, and a prompt where it is', async () => {
    const { cwd } = await hubcli(['add', 'octocat/forms', '--agent', 'codex'])
    const skill = readFileSync(path.join(cwd, '.agents/skills/forms/SKILL.md'), 'utf8')
    expect(await hubcli(['add', 'octocat/*@production'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'octocat/forms 1.0.0 .agents/skills/forms\n',
      stderr: '',
    })
    expect(readFileSync(path.join(cwd, '.agents/skills/forms/SKILL.md'), 'utf8')).toBe(skill)
    expect((await hubcli(['add', 'acme/b', '-o', 'b.md'], { cwd })).code).toBe(0)
    expect((await hubcli(['add', 'acme/*@production'], { cwd })).stdout).toMatch(/^acme\/b 1\.0\.0 b\.md$/m)
  })

  test.each([
    [['add', 'acme/*@nobody-has-it'], 2, 'acme has no prompt with the label nobody-has-it'],
    [['add', 'nobody/*@production'], 2, 'User not found: nobody'],
    [['add', 'acme/*'], 1, "expected '<owner>/*@<label>', such as 'acme/*@production', got acme/*"],
    [['add', 'acme/*@^1'], 1, "expected '<owner>/*@<label>'"],
    [['add', '*/*@production'], 1, "expected '<owner>/*@<label>'"],
    [['add', 'acme/*@production', '-o', 'x.md'], 1, 'expected no -o or --as beside it'],
  ])('%j exits with %i and changes nothing', async (args, code, message) => {
    const done = await hubcli(args)
    expect([done.code, done.stdout]).toEqual([code, ''])
    expect(done.stderr).toContain(message)
    expect(() => readFileSync(path.join(done.cwd, 'prompts.lock'))).toThrow('ENOENT')
  })
})

describe('hubcli --at', () => {
  test('reads where a label pointed then', async () => {
    expect((await hubcli(['cat', 'acme/a@production', '--at', before])).stdout).toBe('One {{x}}\n')
    expect((await hubcli(['cat', 'acme/a', '--label', 'production'])).stdout).toBe('Two\n')
    const { code, cwd } = await hubcli(['pull', 'acme/a@production', '--at', before.replace('Z', '+00:00')])
    expect([code, readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')]).toEqual([0, 'One {{x}}\n'])
    const rendered = await hubcli(['render', 'acme/a@production', '--at', before, '--var', 'x=1'])
    expect([rendered.code, rendered.stdout]).toEqual([0, 'One 1\n'])
  })

  test.each([
    [['cat', 'acme/a', '--at', '2026-11-20T10:00:00Z'], 1, '--at: expected a label beside it'],
    [['cat', 'acme/a@1.0.0', '--at', '2026-11-20T10:00:00Z'], 1, '--at: expected a label beside it'],
    [['cat', 'acme/a@production', '--at', 'yesterday'], 1, '--at: expected a time such as 2026-11-20T10:00:00Z'],
    [['cat', 'acme/a@production', '--at', '2026-11-20'], 4, 'at: expected a time such as 2026-11-20T10:00:00Z'],
    [
      ['cat', 'acme/a@production', '--at', '2001-01-01T00:00:00Z'],
      2,
      'Its changes are known since 2026-11-20T10:00:00Z',
    ],
  ])('%j exits with %i', async (args, code, message) => {
    const done = await hubcli(args)
    expect([done.code, done.stdout]).toEqual([code, ''])
    expect(done.stderr).toContain(message)
  })
})

describe('a renamed prompt is read under its new name, with a message', () => {
  /** A hub with the files of its build, which the libraries read first. */
  let built: Awaited<ReturnType<typeof serveHub>>
  beforeAll(async () => {
    built = await serveHub(hub, () => files)
  })
  afterAll(() => built.close())
  const MOVED = 'warning: nina/old has moved to mona/old\n'
  test.each(['nina/old@production', 'nina/old'])('by both command lines: %s', async (name) => {
    expect(await hubcli(['render', name], { hubUrl: built.url })).toMatchObject({
      stdout: 'New\n',
      stderr: `hubcli: ${MOVED}`,
    })
    expect(await runWith(NPX.command, ['render', name], makeFolder(), environment(built.url))).toMatchObject({
      stdout: 'New\n',
      stderr: `prompt-hub: ${MOVED}`,
    })
  })

  test.each([true, false])('by TypeScript, also all of an owner: a hub with files is %s', async (hasFiles) => {
    const events: unknown[] = []
    const onEvent = (event: unknown) => events.push(event)
    const client = new PromptHub({ url: hasFiles ? built.url : url, retries: 0, onEvent })
    for (const given of ['nina/old@production', 'nina/old', 'nina/old@production']) {
      const { name, version, content } = await client.get(given)
      expect([name, version, content]).toEqual(['mona/old', '1.1.0', 'New\n'])
    }
    if (hasFiles) expect((await client.get('nina/old@1.0.0')).content).toBe('Old\n')
    expect(events).toEqual([{ type: 'deprecated', name: 'nina/old', message: 'moved to mona/old' }])
    expect((await client.all('nina', 'production')).map(({ name }) => name)).toEqual(['mona/old'])
  })

  test('by Python, also all of an owner', async () => {
    const program = `
import json, sys
from prompt_hub import PromptHub
events = []
hub = PromptHub(sys.argv[1], retries=0, on_event=events.append)
found = [hub.get(given) for given in ("nina/old@production", "nina/old", "nina/old@production")]
found += hub.all("nina", "production")
print(json.dumps([[[each.name, each.version] for each in found], [str(each) for each in events]]))
`
    const env = { PATH: process.env.PATH, ...COMPILED, PYTHONPATH: path.resolve('clients/python') }
    const said = await new Promise<string>((done, fail) => {
      execFile('python3', ['-c', program, built.url], { env }, (error, stdout) => (error ? fail(error) : done(stdout)))
    })
    const [found, events] = JSON.parse(said)
    expect(found).toEqual(Array(4).fill(['mona/old', '1.1.0']))
    expect(events).toEqual([expect.stringContaining('moved to mona/old')])
  })
})

describe('the digest of a response', () => {
  let files: PlainFiles
  beforeAll(async () => {
    files = await startPlainFiles('hub', { 'acme/x': { versions: { '1.0.0': 'one\n' } } })
  })
  afterAll(() => files.close())
  const WRONG = `sha-256=:${'A'.repeat(43)}=:`

  test('hubcli prefers Unencoded-Digest, which compression on the way does not change', async () => {
    files.reprDigest = WRONG
    files.asked.length = 0
    expect((await hubcli(['cat', 'acme/x'], { hubUrl: files.url })).stdout).toBe('one\n')
    expect(files.asked).toEqual(['/api/v1/repos/acme/x/raw'])
    delete files.reprDigest
    files.unencodedDigest = WRONG
    const refused = await hubcli(['cat', 'acme/x'], { hubUrl: files.url })
    expect([refused.code, refused.stdout]).toEqual([4, ''])
    expect(refused.stderr).toContain('checksum mismatch')
  })
})

describe('the libraries', () => {
  const SHOWN = [
    ['acme/a', '1.1.0', 'Two\n'],
    ['acme/b', '1.0.0', 'Other\n'],
  ]

  test('TypeScript: hub.all and prompt.attributes', async () => {
    const client = new PromptHub({ url, retries: 0 })
    const prompts = await client.all('acme', 'production')
    expect(prompts.map(({ name, version, content }) => [name, version, content])).toEqual(SHOWN)
    expect(prompts[0]!.attributes()).toEqual({
      'gen_ai.prompt.name': 'acme/a',
      'gen_ai.prompt.version': '1.1.0',
      'prompt.sha256': prompts[0]!.sha256,
      'prompt.label': 'production',
    })
    expect(prompts[0]!.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(await client.all('acme', 'nobody-has-it')).toEqual([])
    await expect(client.all('nobody', 'production')).rejects.toMatchObject({ code: 'not_found' })
    await expect(client.all('acme', '^1')).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(client.all('acme/a', 'production')).rejects.toMatchObject({ code: 'invalid_request' })
    const fallback = await new PromptHub({ url: 'http://127.0.0.1:9', retries: 0 }).get('acme/a', { fallback: 'Hi' })
    expect(fallback.attributes()).toEqual({ 'gen_ai.prompt.name': 'acme/a' })
  })

  test('Python: hub.all and prompt.attributes', async () => {
    const program = `
import asyncio, json, sys
from prompt_hub import AsyncPromptHub, PromptHub, PromptHubError
hub = PromptHub(sys.argv[1], retries=0)
prompts = hub.all("acme", "production")
codes = []
for owner, label in (("nobody", "production"), ("acme", "^1"), ("acme/a", "production")):
    try:
        hub.all(owner, label)
    except PromptHubError as error:
        codes.append(error.code)
print(json.dumps({
    "shown": [[each.name, each.version, each.content] for each in prompts],
    "attributes": prompts[0].attributes(),
    "digest": prompts[0].sha256,
    "empty": hub.all("acme", "nobody-has-it"),
    "codes": codes,
    "later": len(asyncio.run(AsyncPromptHub(sys.argv[1]).all("acme", "production"))),
    "fallback": PromptHub("http://127.0.0.1:9", retries=0).get("acme/a", fallback="Hi").attributes(),
}))
`
    const env = { PATH: process.env.PATH, ...COMPILED, PYTHONPATH: path.resolve('clients/python') }
    const said = await new Promise<string>((done, fail) => {
      execFile('python3', ['-c', program, url], { env }, (error, stdout) => (error ? fail(error) : done(stdout)))
    })
    const { digest, ...shown } = JSON.parse(said)
    expect(shown).toEqual({
      shown: SHOWN,
      attributes: {
        'gen_ai.prompt.name': 'acme/a',
        'gen_ai.prompt.version': '1.1.0',
        'prompt.sha256': digest,
        'prompt.label': 'production',
      },
      empty: [],
      codes: ['not_found', 'invalid_request', 'invalid_request'],
      later: 2,
      fallback: { 'gen_ai.prompt.name': 'acme/a' },
    })
  })
})

describe('a label with a second version', () => {
  const SALT = 'Zq3vT8pK1mXw0cRb'
  const KEYS = ['', 'a', 'b', 'c', 'd', 'e', 'f']
  const split = { version: '1.1.0', percent: 50, salt: SALT }
  const expected = async (key: string) => chooseVersion({ version: '1.0.0', split }, key)
  let folder: string
  let base: string
  beforeAll(async () => {
    const prompt = { versions: { '1.0.0': 'one', '1.1.0': 'two' }, labels: { production: '1.0.0' }, split }
    const plain = await startPlainFiles('hub', { 'acme/split': prompt })
    base = plain.url
    folder = makeFolder()
    expect((await hubcli(['add', 'acme/split@production'], { cwd: folder, hubUrl: base })).code).toBe(0)
    return () => plain.close()
  })

  test('is chosen by the TypeScript library, also under a lock', async () => {
    const lock = await openLock(path.join(folder, 'prompts.lock'))
    for (const hub of [new PromptHub({ url: base }), new PromptHub({ url: base, lock })])
      for (const key of KEYS) {
        const prompt = await hub.get('acme/split@production', { key })
        const version = await expected(key)
        expect([prompt.version, prompt.label, prompt.content]).toEqual([
          version,
          'production',
          version === '1.0.0' ? 'one' : 'two',
        ])
        expect(prompt.attributes()).toMatchObject({ 'gen_ai.prompt.version': version, 'prompt.label': 'production' })
      }
    const get = new PromptHub({ url: base }).get('acme/split@production', { key: '\ud800' })
    await expect(get).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('is chosen by the Python library, also under a lock', async () => {
    const program = `
import json, sys
from prompt_hub import PromptHub
keys = json.loads(sys.argv[3])
for hub in (PromptHub(sys.argv[1]), PromptHub(sys.argv[1], lock=sys.argv[2])):
    found = [hub.get("acme/split@production", key=key) for key in keys]
    print(json.dumps([[each.version, each.content, each.attributes()["prompt.label"]] for each in found]))
`
    const words = ['-c', program, base, path.join(folder, 'prompts.lock'), JSON.stringify(KEYS)]
    const { stdout } = await promisify(execFile)(PYTHON, words, { env: environment(base) })
    const versions = await Promise.all(KEYS.map(expected))
    const all = JSON.stringify(versions.map((one) => [one, one === '1.0.0' ? 'one' : 'two', 'production']))
    expect(stdout.replaceAll(', ', ',')).toBe(`${all}\n${all}\n`)
  })
})
