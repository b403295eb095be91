// Checks the lock files of both clients: all are identical, and a full disk or a failed rename leaves the old
// files intact.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PlainFiles, sha256, startPlainFiles } from '../cli/plain-files.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { CAN_MOUNT, CLIENTS, environment, runClient, runWith } from './both-clients.ts'

const LARGE = 'x'.repeat(250_000)
const variable = { description: '', type: 'string', required: false, default: null, options: [], example: null }
/** Every kind of value that programming languages serialize differently. */
const VARIABLES = [
  { name: 'diff', ...variable, description: 'A "diff",\n\tas text é😀\u2028\u007f', required: true },
  { name: 'language', ...variable, type: 'enum', default: 'Go', options: ['Go', 'C++'] },
  { name: 'depth', ...variable, type: 'integer', default: 9007199254740991, example: 3 },
  { name: 'share', ...variable, type: 'number', default: 1e-7, example: 1e21 },
  { name: 'strict', ...variable, type: 'boolean', default: false },
]
const PARAMETERS = {
  model: 'm-1',
  temperature: 0.1,
  tiny: 0.000001,
  small: 5e-324,
  large: 1.7976931348623157e308,
  zero: -0,
  tokens: 123456789012345680000,
  sixteen: 1e16,
  twenty: 1.5e20,
  negative: -1.5e-10,
  none: null,
  yes: true,
  stop: ['\n\n', '</a>'],
  empty: {},
  nothing: [],
  deep: { a: [{ b: [[]] }] },
  // JavaScript puts these keys first, in numeric order.
  logit_bias: { x: 1, 50256: -100, 9: 0.5, '01': 2, 4294967295: 3, 10: 1 },
  __proto__x: 'é',
}
let hub: PlainFiles
let scratch: string
beforeAll(async () => {
  scratch = temporaryFolder('prompt-hub-lock-')
  hub = await startPlainFiles('hub', {
    'acme/review': {
      versions: { '1.0.0': 'one\n', '1.1.0': LARGE },
      labels: { production: '1.0.0' },
      split: { version: '1.1.0', percent: 10, salt: 'Zq3vT8pK1mXw0cRb' },
    },
    'acme/summary': { versions: { '0.1.0': 'short', '0.1.1': 'shorter\r\n' } },
    'acme/rich': {
      versions: { '1.0.0': 'Review {{diff}} in {{language}}', '1.0.1': 'wrong' },
      yanked: { '1.0.1': 'It leaks' },
      variables: VARIABLES,
      parameters: PARAMETERS,
    },
  })
})
afterAll(() => hub.close())

const newFolder = () => mkdtempSync(join(scratch, 'project-'))
/** Returns the digest of every file below a folder. */
const snapshot = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => [
      path,
      statSync(join(folder, path)).isFile() ? sha256(readFileSync(join(folder, path))) : 'a folder',
    ])

describe.each(CLIENTS)('lock file written by $name', ({ command }) => {
  test('is byte for byte the same as of every other client, which verifies and installs it', async () => {
    const folder = newFolder()
    const adds = [['acme/summary'], ['acme/review@production', '-o', 'a b/é.md'], ['acme/summary@~0.1.0']]
    for (const args of adds)
      expect(await runClient(command, ['add', ...args], folder, hub.url)).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'prompts.lock'), 'utf8')).toBe(`{
  "lockfile": 1,
  "hub": "${hub.url}",
  "prompts": {
    "acme/review": {
      "range": "production",
      "version": "1.0.0",
      "sha256": "${sha256('one\n')}",
      "places": [
        {
          "path": "a b/é.md"
        }
      ],
      "split": {
        "version": "1.1.0",
        "percent": 10,
        "salt": "Zq3vT8pK1mXw0cRb",
        "sha256": "${sha256(LARGE)}"
      },
      "variables": [],
      "parameters": {}
    },
    "acme/summary": {
      "range": "~0.1.0",
      "version": "0.1.1",
      "sha256": "${sha256('shorter\r\n')}",
      "places": [
        {
          "path": "prompts/acme/summary.md"
        }
      ],
      "variables": [],
      "parameters": {}
    }
  }
}
`)
    expect(readFileSync(join(folder, '.gitattributes'), 'utf8')).toBe(
      `# Keeps git from changing line ends: prompts.lock knows the bytes of these files.
/prompts.lock -text
/prompts/** -text
/a?b/é.md -text
`,
    )
    // The bytes are those that the other clients write, so each client need only read its own.
    const whole = snapshot(folder)
    expect(await runClient(command, ['verify'], folder, 'http://127.0.0.1:9')).toMatchObject({ code: 0 })
    rmSync(join(folder, 'a b'), { recursive: true })
    expect(await runClient(command, ['verify'], folder, hub.url)).toMatchObject({ code: 4 })
    expect(await runClient(command, ['install'], folder, hub.url)).toMatchObject({ code: 0, stderr: '' })
    expect(snapshot(folder)).toEqual(whole)
  })
})

const lockOf = (prompts: object) => `${JSON.stringify({ lockfile: 1, hub: hub.url, prompts }, null, 2)}\n`
const RICH = 'Review {{diff}} in {{language}}'
const rich = () => ({
  'acme/rich': {
    range: '^1.0.0',
    version: '1.0.0',
    sha256: sha256(RICH),
    places: [{ path: 'prompts/acme/rich.md' }],
    variables: VARIABLES,
    parameters: PARAMETERS,
  },
})
const lockIn = (folder: string) => readFileSync(join(folder, 'prompts.lock'), 'utf8')

describe.each(CLIENTS)('$name, lock file', ({ command }) => {
  const run = (folder: string, ...args: string[]) => runClient(command, args, folder, hub.url)

  test('writes the same bytes for variables and parameters', async () => {
    const folder = newFolder()
    expect(await run(folder, 'add', 'acme/rich')).toMatchObject({ code: 0, stderr: '' })
    expect(lockIn(folder)).toBe(lockOf(rich()))
    expect(await run(folder, 'verify')).toMatchObject({ code: 0 })
  })

  test('refuses to add a yanked version and gives the reason', async () => {
    const folder = newFolder()
    const ran = await run(folder, 'add', 'acme/rich@1.0.1')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^(hubcli|prompt-hub): acme\/rich 1\.0\.1 was yanked: It leaks; it has: 1\.0\.0\n$/)
    expect(snapshot(folder)).toEqual([])
  })

  test('prints the lines missing from an existing .gitattributes instead of editing it', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, '.gitattributes'), '*.png binary\r\n')
    const ran = await run(folder, 'add', 'acme/summary')
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stderr).toMatch(
      /^(hubcli|prompt-hub): add to \.gitattributes, so that git does not change line endings: "\/prompts\.lock -text" and "\/prompts\/\*\* -text"\n$/,
    )
    expect(readFileSync(join(folder, '.gitattributes'), 'utf8')).toBe('*.png binary\r\n')
    writeFileSync(join(folder, '.gitattributes'), '*.png binary\r\n/prompts.lock -text\r\n/prompts/** -text')
    expect(await run(folder, 'add', 'acme/summary')).toMatchObject({ code: 0, stderr: '' })
  })

  test('core.autocrlf: .gitattributes keeps the bytes; without it verify explains the cause', async () => {
    const folder = newFolder()
    const git = (cwd: string, ...args: string[]) => runSync('git', ['-c', 'core.autocrlf=true', ...args], { cwd })
    git(folder, 'init', '--quiet')
    expect(await run(folder, 'add', 'acme/review@1.0.0')).toMatchObject({ code: 0 })
    const clone = async (...leftOut: string[]) => {
      for (const path of leftOut) git(folder, 'rm', '--quiet', '--force', path)
      git(folder, 'add', '--all')
      git(folder, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--message=x')
      const copy = join(newFolder(), 'copy')
      git(scratch, 'clone', '--quiet', '--config=core.autocrlf=true', folder, copy)
      return copy
    }
    expect(await run(await clone(), 'verify')).toMatchObject({ code: 0 })
    const changed = await clone('.gitattributes')
    const lock = await run(changed, 'verify')
    expect(lock.code).toBe(4)
    expect(lock.stderr).toMatch(
      /prompts\.lock.* git changed its line endings, as with core\.autocrlf\. Put "\/prompts\.lock -text" into \.gitattributes, delete the file and run: git checkout -- prompts\.lock\n$/,
    )
    writeFileSync(join(changed, 'prompts.lock'), lockIn(folder))
    const content = await run(changed, 'verify')
    expect(content.code).toBe(4)
    expect(content.stderr).toMatch(
      /line endings(?: differ)?: git changed them, as with core\.autocrlf\. Put "\/prompts\/\*\* -text" into \.gitattributes, delete the file and run: git checkout -- prompts\/acme\/review\.md\n$/,
    )
  })
})

test('the TypeScript client has few connections open at once, also for many prompts', async () => {
  const names = Array.from({ length: 45 }, (_, index) => `many/p${index}`)
  const prompts = Object.fromEntries(names.map((name) => [name, { versions: { '1.0.0': name } }]))
  const many = await startPlainFiles('hub', prompts)
  const sockets = new Set<ServerResponse['socket']>()
  let most = 0
  many.meddle = (_, answer) => {
    sockets.add(answer.socket)
    most = Math.max(most, [...sockets].filter((socket) => !socket?.destroyed).length)
    return false
  }
  const folder = newFolder()
  const run = (...args: string[]) => runClient(CLIENTS[1]!.command, args, folder, many.url)
  for (const args of [['add', ...names], ['update'], ['audit']]) expect(await run(...args)).toMatchObject({ code: 0 })
  rmSync(join(folder, 'prompts'), { recursive: true })
  expect(await run('install')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^(many\/p\d+ 1\.0\.0 \S+\n){45}$/),
  })
  expect(most).toBeLessThan(40)
  expect(await run('remove', 'many/p0', 'many/p0')).toMatchObject({ stdout: 'many/p0 1.0.0 prompts/many/p0.md\n' })
  await many.close()
})

describe.each(CLIENTS)('$name', ({ command }) => {
  test.each([['add'], ['remove'], ['nonsense'], ['install', 'acme/review'], ['update', '--min-age', 'x']])(
    'a usage error exits with 1: %j %j %j',
    async (...args) => {
      const ran = await runClient(command, args, newFolder(), hub.url)
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toMatch(/^(hubcli|usage): |^prompt-hub: /)
    },
  )

  test('refuses a path that is not valid on every system, given or in a lock', async () => {
    const folder = newFolder()
    const path = 'a/CON.md'
    const ran = await runClient(command, ['add', 'acme/review@1.0.0', '-o', path], folder, hub.url)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/not valid on every system/)
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(join(folder, 'prompts.lock'), lockOf(rich()).replace('prompts/acme/rich.md', path))
    expect(await runClient(command, ['install'], folder, hub.url)).toMatchObject({ code: 4, stdout: '' })
    expect(readdirSync(folder)).toEqual(['prompts.lock'])
  })
})

test('hubcli writes the bytes of a path as UTF-8, whatever the locale says', async () => {
  const folder = newFolder()
  const path = '日 本/é.md'
  const env = { ...environment(hub.url), LC_ALL: 'C' }
  const run = (...args: string[]) => runWith(['env', ...CLIENTS[0]!.command], args, folder, env)
  expect(await run('add', 'acme/review@1.0.0', '-o', path)).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(join(folder, path), 'utf8')).toBe('one\n')
  expect(await run('verify')).toMatchObject({ code: 0, stderr: '' })
  expect(await run('remove', 'acme/review')).toMatchObject({ code: 0, stderr: expect.stringContaining(': deletes ') })
  expect(readdirSync(folder).sort()).toEqual(['.gitattributes', 'prompts.lock'])
})

describe.each(CLIENTS)('$name', ({ command, failingRename }) => {
  let locked: string
  beforeAll(async () => {
    locked = newFolder()
    expect(await runClient(command, ['add', 'acme/review@1.0.0'], locked, hub.url)).toMatchObject({ code: 0 })
  })
  const lockOne = () => {
    const folder = newFolder()
    cpSync(locked, folder, { recursive: true })
    return folder
  }

  test('restores the old state when the rename of the content file or of the lock file fails', async () => {
    const folder = lockOne()
    const before = snapshot(folder)
    for (const [nth, ...args] of [
      [1, 'acme/review@1.1.0'],
      [2, 'acme/review@1.1.0'],
      [2, 'acme/summary', '-o', 'new/folder/summary.md'],
    ] as [number, ...string[]][]) {
      const ran = await runClient(failingRename(nth), ['add', ...args], folder, hub.url)
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toMatch(/^prompt-hub: [^\n]*busy[^\n]*; nothing was changed\n$/)
      expect(snapshot(folder)).toEqual(before)
    }
    expect(await runClient(command, ['verify'], folder, hub.url)).toMatchObject({ code: 0 })
  })

  const obstacles: [string, string, (place: string) => unknown, string, string[][]][] = [
    [
      'a folder',
      'prompts/acme/review.md',
      (place) => mkdirSync(place),
      'is not a regular file',
      [['verify'], ['install'], ['remove', 'acme/review']],
    ],
    ['a pipe', 'prompts/acme/review.md', (place) => runSync('mkfifo', [place]), 'is not a regular file', [['verify']]],
    ['a link', 'prompts.lock', (place) => symlinkSync('elsewhere', place), 'is a symbolic link', [['install']]],
    ['a folder', 'prompts.lock', (place) => mkdirSync(place), 'is not a regular file', [['remove', 'acme/review']]],
    [
      'a file',
      'prompts',
      (place) => writeFileSync(place, ''),
      'prompts/ is not a folder, or is a symbolic',
      [['install']],
    ],
  ]
  test.each(obstacles)('says that %s is at %s, and changes nothing', async (_, path, make, message, commands) => {
    const folder = lockOne()
    renameSync(join(folder, path), join(folder, 'elsewhere'))
    make(join(folder, path))
    const before = readdirSync(folder, { recursive: true }).sort()
    const lock = join(folder, path === 'prompts.lock' ? 'elsewhere' : 'prompts.lock')
    const text = readFileSync(lock, 'utf8')
    for (const args of commands) {
      const ran = await runClient(command, args, folder, hub.url)
      expect(ran).toMatchObject({ code: 4, stdout: '' })
      expect(ran.stderr).toContain(message)
    }
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before)
    expect(readFileSync(lock, 'utf8')).toBe(text)
  })

  test('leaves no partial files when the file size limit is reached', async () => {
    const folder = lockOne()
    const before = snapshot(folder)
    const limited = ['sh', '-c', 'ulimit -f 300; "$@"', 'sh', ...command]
    const ran = await runClient(limited, ['add', 'acme/review@1.1.0'], folder, hub.url)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^(hubcli|prompt-hub): [^\n]*\n$/)
    expect(snapshot(folder)).toEqual(before)
  })

  test.skipIf(!CAN_MOUNT)('leaves no partial files when the disk is full', async () => {
    const look = 'find . -type f -exec sha256sum {} + | sort; find . -type d | sort'
    const script = `mount -t tmpfs -o size=200k tmpfs "$0" && cd "$0" && "$@" add acme/review@1.0.0 && before=$(${look}) &&
if "$@" add acme/review@1.1.0; then exit 9; else code=$?; fi; [ "$before" = "$(${look})" ] && "$@" verify && echo "refused $code"`
    const ran = await runClient(['unshare', '-rm', 'sh', '-c', script, newFolder()], command, scratch, hub.url)
    expect(ran.stdout).toMatch(/refused 1\n$/)
    expect(ran.stderr).toMatch(/^(hubcli|prompt-hub): [^\n]*[Nn]o space left[^\n]*; nothing was changed\n$/)
  })
})
