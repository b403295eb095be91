// Tests how hubcli and npx prompt-hub keep the publisher of a version in the lock, and compare it when they update and install.
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readArchive } from '../../src/files/read-archive.ts'
import { HUBCLI } from '../cli/assembled.ts'
import { type PlainFiles, type Prompt, startPlainFiles } from '../cli/plain-files.ts'
import { makeFolder, NO_PYTHON, PYTHON } from '../cli/shells.ts'
import { COMPILED } from '../compiled.ts'
import { CLIENTS, NPX, runClient } from './both-clients.ts'

const OURS = { repository: 'octo/prompts', workflow: 'octo/prompts/.github/workflows/publish.yml', attested: true }
const OTHER = { ...OURS, workflow: 'octo/prompts/.github/workflows/other.yml' }
const LOCKED = `      "places": [
        {
          "path": "prompts/acme/x.md"
        }
      ],
      "publisher": {
        "repository": "octo/prompts",
        "workflow": "octo/prompts/.github/workflows/publish.yml",
        "attested": true
      },
      "variables": [],
`

const makePrompts = (): Record<string, Prompt> => ({
  'acme/x': { versions: { '1.0.0': 'one\n' }, publishers: { '1.0.0': OURS } },
  'acme/plain': { versions: { '1.0.0': 'plain\n' } },
})
let hub: PlainFiles
let cwd: string
/** A project with acme/x. */
let added: string
beforeAll(async () => {
  hub = await startPlainFiles('hub', makePrompts())
  added = makeFolder()
  expect(await runClient(NPX.command, ['add', 'acme/x'], added, hub.url)).toMatchObject({ code: 0 })
})
afterAll(() => hub.close())
beforeEach(() => {
  hub.prompts = makePrompts()
  hub.meddle = () => false
  cwd = makeFolder()
})
const startWithX = () => cpSync(added, cwd, { recursive: true })

describe.skipIf(PYTHON === undefined).each(CLIENTS)(`$name${NO_PYTHON}`, ({ command }) => {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runClient(command, args, cwd, hub.url)
    return { code, stdout, stderr: stderr.replaceAll(/^[\w-]+: /gm, '') }
  }
  const lock = () => readFileSync(path.join(cwd, 'prompts.lock'), 'utf8')

  test('the lock has the workflow of a version, and nothing for a token or a person', async () => {
    expect((await run('add', 'acme/x')).code).toBe(0)
    expect(lock()).toContain(LOCKED)
    expect((await run('add', 'acme/plain')).code).toBe(0)
    expect(lock().split('"publisher"').length).toBe(2)
    expect(await run('verify')).toMatchObject({ code: 0, stderr: '' })
  })

  test('update refuses a version of another workflow, of a person, or without an attestation, until it is accepted', async () => {
    startWithX()
    const before = lock()
    const x = hub.prompts['acme/x']!
    x.versions['1.1.0'] = 'two\n'
    const advice = 'If that is right, use --accept-publisher; nothing was changed\n'
    const ours = 'the locked version by octo/prompts/.github/workflows/publish.yml'
    for (const [publisher, by] of [
      [OTHER, 'octo/prompts/.github/workflows/other.yml'],
      [{ ...OURS, repository: 'evil/prompts' }, 'octo/prompts/.github/workflows/publish.yml'],
      [{ ...OURS, attested: false }, 'octo/prompts/.github/workflows/publish.yml, without an attestation'],
      [undefined, 'a token, a person or a pull request'],
    ] as const) {
      x.publishers = { '1.0.0': OURS, ...(publisher && { '1.1.0': publisher }) }
      expect(await run('update')).toEqual({
        code: 4,
        stdout: '',
        stderr: `acme/x 1.1.0 was published by ${by}; ${ours}. ${advice}`,
      })
      expect(lock()).toBe(before)
    }
    x.publishers = { '1.0.0': OURS, '1.1.0': OTHER, '1.2.0': OTHER }
    expect((await run('update', '--accept-publisher')).code).toBe(0)
    expect(lock()).toContain('other.yml')
    // From now on, that one is the publisher.
    x.versions['1.2.0'] = 'three\n'
    expect((await run('update')).stdout).toContain('acme/x 1.1.0 -> 1.2.0 ')
  })

  test('update and add say what is new in a version, and stop at what is denied, by the lock too', async () => {
    const rows = [
      { kind: 'network', severity: 'info', path: 'a.sh', line: 1, text: 'x.example' },
      { kind: 'hides', severity: 'danger', path: 'a.sh', line: 2, text: 'history -c' },
    ]
    const summary = 'now hides something from the user (danger); now contacts x.example'
    hub.meddle = (asked, answer) => {
      const [, version = '', from] = /\/versions\/([^/]+)\/capabilities(\?from=1\.0\.0)?$/.exec(asked) ?? []
      const added = version === '1.1.0' ? rows : []
      if (version !== '')
        answer.end(JSON.stringify({ data: from === undefined ? added : { added, removed: [], summary } }))
      return version !== ''
    }
    startWithX()
    hub.prompts['acme/x']!.versions['1.1.0'] = 'two\n'
    hub.prompts['acme/x']!.publishers = { '1.0.0': OURS, '1.1.0': OURS }
    const before = lock()
    const named = 'network (x.example), hides (history -c). If that is right, use --allow network,hides'
    const both = {
      code: 4,
      stdout: '',
      stderr: `acme/x 1.1.0 can do what 1.0.0 cannot: ${named}; nothing was changed\n`,
    }
    expect(await run('update', '--deny', 'network,danger')).toEqual(both)
    expect((await run('add', 'acme/x@^1', '--deny', 'hides,network')).stderr).toBe(both.stderr)
    expect(lock()).toBe(before)
    const denied = before.replace('  "prompts"', '  "deny": [\n    "shell",\n    "danger"\n  ],\n  "prompts"')
    writeFileSync(path.join(cwd, 'prompts.lock'), denied)
    expect((await run('update')).stderr).toMatch(/^acme\/x 1\.1\.0 can do what 1\.0\.0 cannot: hides \(history -c\)\./)
    expect((await run('update', '--deny', 'netwrok')).code).toBe(1)
    expect(await run('update', '--allow', 'hides')).toMatchObject({
      code: 0,
      stderr: `warning: acme/x 1.1.0 ${summary}\n`,
    })
    expect(lock()).toContain('"deny": [\n    "shell",\n    "danger"\n  ],')
    writeFileSync(path.join(cwd, 'prompts.lock'), denied.replace('shell', 'nothing'))
    expect((await run('verify')).code).toBe(4)
    rmSync(path.join(cwd, 'prompts.lock'))
    rmSync(path.join(cwd, 'prompts'), { recursive: true })
    const first = await run('add', 'acme/x', '--deny', 'danger')
    expect(first.stderr).toContain(
      'acme/x 1.1.0 can do what is denied: hides (history -c). If that is right, use --allow hides',
    )
    hub.meddle = () => false
    const unsaid = await run('add', 'acme/x', '--deny', 'danger')
    expect(unsaid.stderr).toContain('the hub does not say what acme/x 1.1.0 can do, and danger is denied')
  })

  test('the second version of a label is compared like the first, and again when it becomes the first', async () => {
    hub.meddle = (asked, answer) => {
      const isAsked = asked.includes('/versions/1.1.0/capabilities')
      const added = [{ kind: 'hides', severity: 'danger', path: 'a.sh', line: 1, text: 'history -c' }]
      if (isAsked) answer.end(JSON.stringify({ data: { added, removed: [], summary: 'now hides something' } }))
      return isAsked
    }
    const x = hub.prompts['acme/x']!
    x.versions['1.1.0'] = 'two\n'
    x.publishers = { '1.0.0': OURS, '1.1.0': OURS }
    x.labels = { production: '1.0.0' }
    expect((await run('add', 'acme/x@production')).code).toBe(0)
    const before = lock()
    const denied = /^acme\/x 1\.1\.0 can do what 1\.0\.0 cannot: hides \(history -c\)\./
    x.split = { version: '1.1.0', percent: 99, salt: 'Zq3vT8pK1mXw0cRb' }
    for (const command of [['update'], ['add', 'acme/x@production']]) {
      const refused = await run(...command, '--deny', 'danger')
      expect([refused.code, refused.stderr, lock()]).toEqual([4, expect.stringMatching(denied), before])
    }
    expect((await run('update')).stderr).toContain('acme/x 1.1.0 now hides something')
    expect(lock()).toContain('"percent": 99')
    x.labels = { production: '1.1.0' }
    delete x.split
    expect((await run('update', '--deny', 'danger')).stderr).toMatch(denied)
  })

  test('a version of a person may be followed by one of a workflow', async () => {
    expect((await run('add', 'acme/plain')).code).toBe(0)
    hub.prompts['acme/plain']!.versions['1.1.0'] = 'two\n'
    hub.prompts['acme/plain']!.publishers = { '1.1.0': OURS }
    expect((await run('update')).stdout).toContain('acme/plain 1.0.0 -> 1.1.0 ')
  })

  test('install --require-attestation refuses a lock with a version that has none', async () => {
    startWithX()
    expect((await run('install', '--require-attestation')).code).toBe(0)
    expect((await run('add', 'acme/plain')).code).toBe(0)
    rmSync(path.join(cwd, 'prompts/acme/x.md'))
    expect(await run('install', '--require-attestation')).toEqual({
      code: 4,
      stdout: '',
      stderr: 'acme/plain 1.0.0 has no attestation, and --require-attestation is given; nothing was changed\n',
    })
    expect(() => readFileSync(path.join(cwd, 'prompts/acme/x.md'))).toThrow('ENOENT')
    expect((await run('install')).code).toBe(0)
  })

  test('install refuses a hub that names another publisher than the lock', async () => {
    startWithX()
    rmSync(path.join(cwd, 'prompts/acme/x.md'))
    hub.prompts['acme/x']!.publishers = { '1.0.0': OTHER }
    const { code, stderr } = await run('install')
    expect([code, stderr]).toEqual([4, expect.stringContaining('another publisher')])
  })
})

test.skipIf(PYTHON === undefined)(`hubcli push --attestation sends the file with its bundles${NO_PYTHON}`, async () => {
  const received: Buffer[] = []
  const server = createServer((request, answer) => {
    request.on('data', (chunk) => received.push(chunk))
    request.on('end', () => {
      answer.writeHead(201, { 'content-type': 'application/json' })
      answer.end(JSON.stringify({ data: { version: '1.0.0', unchanged: false, url: 'http://x', warnings: [] } }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const text = '---\ntitle: Greeting\n---\nHello {{name}}.\n'
  writeFileSync(path.join(cwd, 'greet.md'), text)
  writeFileSync(path.join(cwd, 'a.json'), '{"a": 1}\n')
  writeFileSync(path.join(cwd, 'b.json'), '{"b": 2}')
  const args = [
    'push',
    'acme/greet',
    'greet.md',
    'A change',
    'minor',
    '--attestation',
    'a.json',
    '--attestation',
    'b.json',
  ]
  const env = { PATH: process.env.PATH, ...COMPILED, HOME: cwd, HUB_URL: url, HUB_TOKEN: 'hub_x' }
  const code = await new Promise((done) => {
    execFile('sh', [HUBCLI, ...args], { cwd, env }, (error) => done(error ? error.code : 0))
  })
  server.close()
  expect(code).toBe(0)
  expect(readArchive(Buffer.concat(received))).toEqual({
    main: { name: 'prompt.md', text },
    files: [],
    attestations: ['{"a":1}', '{"b":2}'],
    leftOut: [],
  })
})
