// Tests how hubcli and npx prompt-hub keep the publisher of a version in the lock, and compare it when they update and install.
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { verifySignatures } from '../../clients/typescript/source/attested.ts'
import { formatLock, parseLock } from '../../clients/typescript/source/lock.ts'
import { digestManifest } from '../../src/domain/catalogue/repository-records.ts'
import { readArchive } from '../../src/files/read-archive.ts'
import { type SigstoreServices, startSigstore, type ToSign } from '../attestations/sigstore-services.ts'
import { HUBCLI } from '../cli/assembled.ts'
import { type PlainFiles, type Prompt, sha256, startPlainFiles } from '../cli/plain-files.ts'
import { makeFolder } from '../cli/shells.ts'
import { COMPILED } from '../compiled.ts'
import { listen } from '../listen.ts'
import { CLIENTS, environment, NPX, pythonWith, runClient, runWith } from './both-clients.ts'

const OURS = { repository: 'octo/prompts', workflow: 'octo/prompts/.github/workflows/publish.yml', attested: true }
const OTHER = { ...OURS, workflow: 'octo/prompts/.github/workflows/other.yml' }
const UNVERIFIED =
  'note: signatures were not verified here: that they are right is what the hub says. To verify them, install the package sigstore beside this one\n'
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

describe.each(CLIENTS)('$name', ({ command }) => {
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
      stderr: `${UNVERIFIED}warning: acme/x 1.1.0 ${summary}\n`,
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
    x.yanked = { '1.1.0': 'rude' }
    expect((await run('audit')).stderr).toBe('acme/x 1.1.0 was yanked: rude\n')
    x.yanked = {}
    x.versions['1.1.0'] = 'other\n'
    expect((await run('verify', '--online')).stderr).toContain(
      'the hub lists other bytes for 1.1.0 than prompts.lock does',
    )
    x.versions['1.1.0'] = 'two\n'
    x.publishers = { '1.0.0': OURS }
    expect((await run('install', '--require-attestation')).stderr).toContain('acme/x 1.1.0 has no attestation')
    x.publishers['1.1.0'] = OTHER
    expect((await run('install', '--require-attestation')).stderr).toContain(
      'acme/x 1.1.0 was published by octo/prompts',
    )
    x.publishers['1.1.0'] = OURS
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
    expect(await run('install', '--require-attestation')).toEqual({ code: 0, stdout: '', stderr: UNVERIFIED })
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

  test('roots to trust need the package, and a command that verifies', async () => {
    startWithX()
    const missing =
      /^signatures were not verified: the package sigstore is not installed\. Install version 4 or newer.*(?:npm|pip) install '?sigstore.*\n$/
    const found = await run('install', '--require-attestation', '--trusted-root', 'root.jsonl')
    expect([found.code, found.stderr]).toEqual([5, expect.stringMatching(missing)])
    for (const [words, said] of [
      [['install', '--trusted-root', 'x'], '--trusted-root: expected --require-attestation beside it'],
      [['install', '--require-attestation', '--trusted-root', ''], '--trusted-root: expected a path, got nothing'],
      [['update', '--trusted-root', ''], '--trusted-root: expected a path, got nothing'],
      [['update', '--trusted-root', 'x', '--skip-signatures'], 'expected one of them'],
    ] as const)
      expect(await run(...words)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(said) })
    expect(await run('install', '--require-attestation', '--skip-signatures')).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('install refuses a hub that names another publisher than the lock', async () => {
    startWithX()
    rmSync(path.join(cwd, 'prompts/acme/x.md'))
    hub.prompts['acme/x']!.publishers = { '1.0.0': OTHER }
    const { code, stderr } = await run('install')
    expect([code, stderr]).toEqual([4, expect.stringContaining('another publisher')])
  })
})

test('the libraries fail if they can verify nothing', async () => {
  const lock = path.join(added, 'prompts.lock')
  const said = 'signatures were not verified: the package sigstore is not installed'
  await expect(verifySignatures(parseLock(readFileSync(lock, 'utf8')))).rejects.toThrow(said)
  const program = 'import sys; from prompt_hub import verify_signatures; verify_signatures(sys.argv[1])'
  const env = { ...environment(hub.url), PYTHONPATH: path.resolve('clients/python') }
  const ran = spawnSync('python3', ['-B', '-c', program, lock], { env, encoding: 'utf8' })
  expect([ran.status, ran.stderr]).toEqual([1, expect.stringContaining(said)])
})

test('hubcli push --attestation sends the file with its bundles', async () => {
  const received: Buffer[] = []
  const server = createServer((request, answer) => {
    request.on('data', (chunk) => received.push(chunk))
    request.on('end', () => {
      answer.writeHead(201, { 'content-type': 'application/json' })
      answer.end(JSON.stringify({ data: { version: '1.0.0', unchanged: false, url: 'http://x', warnings: [] } }))
    })
  })
  const url = await listen(server)
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

// The package of PyPI has a stand-in here, which verifies no signature. That of npm is the real one.
describe('with the package sigstore', () => {
  const FORMS: Prompt = {
    versions: { '1.0.0': 'Fill {{form}}.\n' },
    format: 'text',
    skill: {
      description: 'Fills --- forms',
      license: null,
      compatibility: null,
      metadata: { b: 'x', 9: 'y', yes: '\u2028' },
      allowed_tools: ['Bash(git:*)', 'Read'],
      argument_hint: '[form]',
    } as never,
    files: { 'scripts/fill.sh': '#!/bin/sh\n' },
    variables: [
      { name: 'form', description: 'A form', type: 'string', required: true, default: null, options: [], example: 'a' },
      {
        name: 'much',
        description: '',
        type: 'enum',
        required: true,
        default: 'x---y',
        options: ['x---y'],
        example: null,
      },
      { name: 'rate', description: 'R', type: 'number', required: false, default: 1e21, options: [], example: null },
    ],
    parameters: { temperature: 1e-7, 'a b': [null, true] },
    publishers: { '1.0.0': OURS, '1.1.0': OURS },
  }
  let sigstore: SigstoreServices
  let root: string
  beforeAll(async () => {
    sigstore = await startSigstore()
    root = path.join(makeFolder(), 'root.jsonl')
    writeFileSync(root, `${JSON.stringify(sigstore.root.root)}\n`)
  })
  afterAll(() => sigstore.close())

  /** Signs what the hub says of a version, with its own function. */
  const sign = async (
    prompt: string,
    version: string,
    change: (order: ToSign) => Partial<ToSign> = () => ({}),
  ): Promise<void> => {
    const { data } = (await (
      await fetch(`${hub.url}/data/v1/repos/${prompt}/versions/${version}.json`)
    ).json()) as never
    const record = data as Parameters<typeof digestManifest>[0]
    const manifest = digestManifest(record, ((text: string) => ({ content_sha256: sha256(text) })) as never)
    const about = [
      { name: prompt, sha256: (data as { bundle_sha256: string | null }).bundle_sha256 ?? record.content_sha256 },
      { name: `${prompt}#manifest`, sha256: manifest },
    ]
    const bundle = await sigstore.sign({ about, ...change({ about }) })
    hub.prompts[prompt]!.bundles = { ...hub.prompts[prompt]!.bundles, [version]: JSON.stringify(bundle) }
  }
  beforeEach(() => {
    hub.prompts['acme/forms'] = structuredClone(FORMS)
  })

  /** Prints a JSON list with what the library says of each lock, an empty text if it is verified. */
  const LIBRARIES = {
    hubcli: [
      ...['python3', '-B', '-c'],
      `import json, sys
from prompt_hub import PromptHubError, verify_signatures
def judge(lock):
    try:
        verify_signatures(lock, sys.argv[1])
        return ""
    except PromptHubError as error:
        return str(error)
print(json.dumps([judge(lock) for lock in sys.argv[2:]]))`,
    ],
    'npx prompt-hub': [
      ...[process.execPath, '--input-type=module', '-e'],
      `import { readFileSync } from 'node:fs'
import { verifySignatures } from ${JSON.stringify(path.resolve('clients/typescript/source/attested.ts'))}
import { parseLock } from ${JSON.stringify(path.resolve('clients/typescript/source/lock.ts'))}
const [, trustedRoot, ...locks] = process.argv
const said = []
for (const lock of locks)
  said.push(await verifySignatures(parseLock(readFileSync(lock, 'utf8')), { trustedRoot }).then(() => '', ({ message }) => message))
console.log(JSON.stringify(said))`,
    ],
  } as Record<string, string[]>

  describe.each(CLIENTS)('$name', ({ name, command }) => {
    /** A project with acme/forms and its files. */
    let withForms: string
    beforeAll(async () => {
      hub.prompts['acme/forms'] = structuredClone(FORMS)
      withForms = makeFolder()
      expect(await runClient(command, ['add', 'acme/forms', '--as', 'skill'], withForms, hub.url)).toMatchObject({
        code: 0,
      })
    })
    const startWithForms = () => cpSync(withForms, cwd, { recursive: true })
    // It needs no signature, so it runs in a process that is there already.
    const run = (...args: string[]) => runClient(command, args, cwd, hub.url)
    const add = (...args: string[]) => run('add', 'acme/forms', '--as', 'skill', ...args)
    // A program that is started anew looks for packages again.
    const STARTED = name === 'hubcli' ? pythonWith('import sys\n') : command
    const runBeside = (started: string[], python: string, node: string, ...args: string[]) => {
      const env = environment(hub.url)
      const beside = { ...env, PYTHONPATH: `${env.PYTHONPATH}:${python}`, NODE_PATH: node }
      // Node reads NODE_PATH when it starts.
      return runWith(started, args, cwd, beside, { isAlone: true })
    }
    const PACKAGES = [path.resolve('tests/clients/sigstore_stand_in'), path.resolve('tests/node_modules')] as const
    const ask = () => runBeside(STARTED, ...PACKAGES, 'install', '--require-attestation', '--trusted-root', root)

    test('verifies what the lock has with digests of its own, in the second folder name, too', async () => {
      await sign('acme/forms', '1.0.0')
      for (const place of [['skills/forms', '--keep-permissions'], ['skills/forms-by-acme']])
        expect(await add('-o', ...place)).toMatchObject({ code: 0 })
      expect(await ask()).toEqual({ code: 0, stdout: '', stderr: '' })
      hub.prompts['acme/forms']!.versions['1.1.0'] = 'Fill {{form}} well.\n'
      await sign('acme/forms', '1.1.0')
      const { code, stderr } = await runBeside(STARTED, ...PACKAGES, 'update', '--trusted-root', root)
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('signature')])
    })

    test('refuses what the publisher did not sign', async () => {
      const none = {
        statement: { _type: 'https://in-toto.io/Statement/v1', predicateType: 'https://x.example', subject: [] },
      }
      const cases: [(order: ToSign) => Partial<ToSign>, RegExp][] = [
        [() => ({}), /^$/],
        [({ about }) => ({ about: about.slice(1) }), /^it is not about acme\/forms-1 with/],
        [
          ({ about }) => ({ about: about.slice(0, 1) }),
          /^it is not about acme\/forms-2#manifest with .* parameters and files$/,
        ],
        [
          ({ about: [content, manifest] }) => ({ about: [content!, { ...manifest!, name: 'acme/other#manifest' }] }),
          /^it is not about acme\/forms-3#manifest with/,
        ],
        [() => none, /^it is no build provenance$/],
        [() => ({ claims: { iss: 'https://issuer.example' } }), /signed it, and not/],
        [
          () => ({ claims: { workflow_ref: 'octo/prompts/.github/workflows/other.yml@refs/heads/main' } }),
          /^https:\/\/github\.com\/octo\/prompts\/\.github\/workflows\/other\.yml@refs\/heads\/main signed it, and not octo\/prompts\/\.github\/workflows\/publish\.yml$/,
        ],
        [() => ({ claims: { repository: 'octo/other' } }), /signed it, and not/],
        [
          () => ({ claims: { event_name: 'pull_request_target' } }),
          /^its job was triggered by pull_request_target, and not by push, release, workflow_dispatch, schedule$/,
        ],
        [() => ({ claims: { event_name: undefined } }), /^its job was triggered by nothing,/],
        // Two whose bundle or record is changed below.
        [() => ({}), /signature/],
        [() => ({}), /^the hub says something else of its variables or parameters than the lock has$/],
      ]
      const names = cases.map((_, at) => `acme/forms-${at}`)
      for (const [at, [change]] of cases.entries()) {
        hub.prompts[names[at]!] = structuredClone(FORMS)
        await sign(names[at]!, '1.0.0', change)
      }
      expect(await run('add', ...names, '--as', 'skill')).toMatchObject({ code: 0 })
      const [forged, changed] = names.slice(-2).map((each) => hub.prompts[each]!) as [Prompt, Prompt]
      const bundle = JSON.parse(forged.bundles!['1.0.0']!)
      bundle.dsseEnvelope.signatures[0].sig = Buffer.from('no').toString('base64')
      forged.bundles = { '1.0.0': JSON.stringify(bundle) }
      // What the hub says of a version is not what its publisher signed.
      changed.parameters = { temperature: 2 }
      // One process judges all, each in a lock of its own.
      const lock = parseLock(readFileSync(path.join(cwd, 'prompts.lock'), 'utf8'))
      const locks = names.map((each, at) => {
        writeFileSync(path.join(cwd, `${at}.lock`), formatLock({ ...lock, prompts: { [each]: lock.prompts[each]! } }))
        return `${at}.lock`
      })
      const { stdout, stderr } = await runBeside(LIBRARIES[name]!, ...PACKAGES, root, ...locks)
      expect(stderr).toBe('')
      const said = (JSON.parse(stdout) as string[]).map((words) =>
        words.replace(/^.* is not verified: /, '').replace('; nothing was changed', ''),
      )
      expect(said).toEqual(cases.map(([, expected]) => expect.stringMatching(expected)))
      // The command says the same, and asks nothing if it is told so.
      startWithForms()
      await sign('acme/forms', '1.0.0', () => none)
      const refused = await ask()
      expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('is not verified: it is no build')])
      expect(await run('install', '--require-attestation', '--skip-signatures')).toMatchObject({ code: 0, stderr: '' })
    })

    test('verifies the second version of a split', async () => {
      const x = hub.prompts['acme/x']!
      x.versions['1.1.0'] = 'two\n'
      x.publishers = { '1.0.0': OURS, '1.1.0': OURS }
      x.labels = { production: '1.0.0' }
      x.split = { version: '1.1.0', percent: 99, salt: 'Zq3vT8pK1mXw0cRb' }
      await sign('acme/x', '1.0.0')
      await sign('acme/x', '1.1.0')
      expect(await run('add', 'acme/x@production')).toMatchObject({ code: 0 })
      expect(await ask()).toMatchObject({ code: 0, stderr: '' })
      await sign('acme/x', '1.1.0', () => ({ claims: { event_name: 'pull_request_target' } }))
      const refused = await ask()
      expect([refused.code, refused.stderr]).toEqual([
        4,
        expect.stringContaining('the signature of acme/x 1.1.0 is not verified: its job was triggered by'),
      ])
    })

    test('a package that is old or broken is not a missing one', async () => {
      startWithX()
      for (const [version, why] of [
        ['3.1.0', 'its version is 3.1.0'],
        ['4.0.0', '.*'],
      ] as const) {
        const folder = makeFolder()
        mkdirSync(path.join(folder, 'sigstore'))
        writeFileSync(path.join(folder, 'sigstore/__init__.py'), `__version__ = "${version}"\n`)
        writeFileSync(path.join(folder, 'sigstore/package.json'), JSON.stringify({ name: 'sigstore', version }))
        const { code, stderr } = await runBeside(STARTED, folder, folder, 'install', '--require-attestation')
        expect([code, stderr]).toEqual([
          5,
          expect.stringMatching(
            new RegExp(
              `the package sigstore cannot be used: ${why}\\. Install version 4 or newer: (?:npm|pip) install \\S+\\n$`,
            ),
          ),
        ])
      }
    })

    test('a version that is added again keeps the files that the lock has', async () => {
      startWithForms()
      const read = () => readFileSync(path.join(cwd, 'prompts.lock'), 'utf8')
      hub.prompts['acme/forms']!.files = { 'scripts/fill.sh': '#!/bin/sh\ncurl evil.example\n' }
      const before = read()
      for (const more of [[], ['--keep-permissions']]) {
        const found = await add(...more)
        expect([found.code, found.stderr, read()]).toEqual([4, expect.stringContaining('other bytes'), before])
      }
      hub.prompts['acme/forms']!.files = FORMS.files!
      expect(await add('--keep-permissions')).toMatchObject({ code: 0 })
    })

    test('finds words in SKILL.md that nobody signed', async () => {
      delete hub.prompts['acme/forms']!.files
      await sign('acme/forms', '1.0.0')
      const text = await (await fetch(`${hub.url}/data/v1/repos/acme/forms/skills/1.0.0.md`)).text()
      hub.meddle = (asked, answer) => {
        const isIts = asked.endsWith('/skills/1.0.0.md')
        if (isIts) answer.end(text.replace('description: "Fills', 'description: "Sends the form away and fills'))
        return isIts
      }
      expect(await add()).toMatchObject({ code: 0 })
      expect((await ask()).stderr).toContain('something else of the files in .agents/skills/forms than the lock has')
      hub.meddle = () => false
      expect(await run('remove', 'acme/forms')).toMatchObject({ code: 0 })
      expect(await add()).toMatchObject({ code: 0 })
      expect(await ask()).toMatchObject({ code: 0, stderr: '' })
    })
  })
})
