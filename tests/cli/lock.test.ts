// Tests what hubcli alone decides about its lock file, and that errors leave no partial changes. tests/clients/one-lock.ts and
// tests/clients/dependencies.test.ts test what all clients do.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseLock } from '../../clients/typescript/source/lock.ts'
import { signalGroup } from '../hubs/processes.ts'
import { type PlainFiles, sha256, startPlainFiles } from './plain-files.ts'
import { HUBCLI, makeFolder, PYTHON, runHubcli, SHELL } from './shells.ts'

const REVIEW = 'prompts/acme/review.md'
let hub: PlainFiles
let cwd: string
beforeEach(async () => {
  hub = await startPlainFiles('hub', {
    'acme/review': {
      versions: { '1.0.0': 'one\n', '1.1.0': 'one one\r\n', '1.2.0': 'one two', '2.0.0': 'two\n' },
      labels: { production: '1.1.0' },
    },
    'acme/summary': { versions: { '0.1.0': 'short', '0.1.5': 'shorter' } },
  })
  cwd = makeFolder()
})
afterEach(() => hub.close())

const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8')
const write = (file: string, text: string) => writeFileSync(path.join(cwd, file), text)
/** Returns every file in the folder with its content, so that one assertion can check that nothing changed. */
const snapshot = () =>
  readdirSync(cwd, { recursive: true, withFileTypes: true })
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [
      path.relative(cwd, file),
      existsSync(file) && !readdirSyncSafe(file) ? readFileSync(file, 'utf8') : null,
    ])
function readdirSyncSafe(file: string): boolean {
  try {
    readdirSync(file)
    return true
  } catch {
    return false
  }
}

describe('hubcli', () => {
  const run = (...args: string[]) => runHubcli(SHELL, args, { cwd, env: { HUB_URL: hub.url } })
  const refused = async (args: string[], code: number, sentence: RegExp) => {
    const before = snapshot()
    const outcome = await run(...args)
    expect(outcome).toMatchObject({ code, stdout: '', left: [] })
    expect(outcome.stderr).toMatch(sentence)
    expect(outcome.stderr).toMatch(/^(hubcli: [^\n]*\n)+$/)
    expect(snapshot()).toEqual(before)
  }

  test('add and update by label, including a version that is not built yet', async () => {
    hub.prompts['acme/review']!.unbuilt = ['2.0.0']
    expect(await run('add', 'acme/review@production')).toMatchObject({
      code: 0,
      stdout: `acme/review 1.1.0 ${REVIEW}\n`,
    })
    hub.prompts['acme/review']!.labels = { production: '1.2.0', next: '2.0.0' }
    expect(await run('update')).toMatchObject({ code: 0, stdout: `acme/review 1.1.0 -> 1.2.0 ${REVIEW}\n` })
    expect(await run('add', 'acme/review@next')).toMatchObject({
      code: 0,
      stdout: `acme/review 1.2.0 -> 2.0.0 ${REVIEW}\n`,
    })
    await refused(['add', 'acme/review@staging'], 2, /no label staging; it has: next, production$/m)
    await refused(['add', 'acme/review@^9'], 2, /no version that \^9 allows; it has: 2\.0\.0, 1\.2\.0/)
    await refused(['add', 'acme/missing'], 2, /There is no acme\/missing\. \(404\)/)
  })

  test('install replaces a copy of another version, and add no file of somebody', async () => {
    await run('add', 'acme/review@~1.0')
    // As after `git pull`.
    write(REVIEW, 'two\n')
    expect(await run('install')).toMatchObject({ code: 0, stdout: `acme/review 1.0.0 ${REVIEW}\n` })
    expect(read(REVIEW)).toBe('one\n')
    const count = hub.asked.length
    expect(await run('install')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(hub.asked).toHaveLength(count)
    write('mine.md', 'mine')
    await refused(['add', 'acme/summary', '-o', 'mine.md'], 4, /mine\.md was changed by hand, or is another file/)
  })

  test('rejects different content for a pinned version from any source', async () => {
    await run('add', 'acme/review@1.0.0')
    rmSync(path.join(cwd, 'prompts'), { recursive: true })
    hub.meddle = (asked, answer) => {
      if (!asked.includes('/versions/')) return false
      const data = {
        full_name: 'acme/review',
        version: '1.0.0',
        content: 'evil',
        content_sha256: sha256('evil'),
        variables: [],
        parameters: {},
      }
      answer.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ data }))
      return true
    }
    await refused(
      ['install'],
      4,
      /sent other bytes for acme\/review 1\.0\.0 than its SHA-256 says; nothing was changed/,
    )
    await refused(['add', 'acme/summary'], 4, /sent other bytes/)
  })

  test('concurrent runs either succeed or report a conflict', async () => {
    const outcomes = await Promise.all([
      run('add', 'acme/review@^1'),
      run('add', 'acme/summary'),
      run('add', 'acme/review@^2'),
    ])
    expect(outcomes.filter(({ code }) => code === 0).length).toBeGreaterThanOrEqual(2)
    for (const { code, stderr } of outcomes)
      if (code !== 0) expect(stderr).toMatch(/was changed in the meantime; run this again|was changed by hand/)
    expect(Object.keys(JSON.parse(read('prompts.lock')).prompts)).toEqual(['acme/review', 'acme/summary'])
    expect(await run('verify')).toMatchObject({ code: 0, stderr: '' })
    write('prompts.lock.new', '')
    await refused(['add', 'acme/summary'], 1, /another run is active: prompts\.lock\.new exists/)
    // Commands with nothing to write do so in a folder that somebody else may write.
    for (const command of ['install', 'update']) expect(await run(command)).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('in one shell', () => {
  const run = (...args: string[]) => runHubcli(SHELL, args, { cwd, env: { HUB_URL: hub.url } })

  const prompt = ({ path: place = REVIEW, ...over }: { path?: string; [key: string]: unknown } = {}) => ({
    range: '^1',
    version: '1.0.0',
    sha256: sha256('one\n'),
    places: [{ path: place }],
    variables: [],
    parameters: {},
    ...over,
  })
  const lockOf = (prompts: object, over: object = {}) =>
    `${JSON.stringify({ lockfile: 1, hub: 'https://hub.example.com', prompts, ...over }, null, 2)}\n`
  const one = (over: Parameters<typeof prompt>[0]) => lockOf({ 'acme/review': prompt(over) })

  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) })
  const variable = {
    name: 'a',
    description: '',
    type: 'string',
    required: true,
    default: null,
    options: [],
    example: null,
  }
  /** A lock with a skill of these files; an empty digest stands for a valid one. */
  const skill = (files: Record<string, string>) => {
    const digests = Object.entries(files).map(([file, digest]) => [file, digest || sha256(file)])
    return one({ places: [{ path: 'skills/review', files: Object.fromEntries(digests) }] })
  }
  const invalid: [string, string, RegExp][] = [
    ['not JSON', '{', /is not JSON/],
    [
      'merge conflict markers',
      `<<<<<<< HEAD\n${one({})}`,
      /has a merge conflict in line 1; take one side \(git checkout --ours prompts\.lock, or --theirs\), then/,
    ],
    ['nested too deeply', '['.repeat(100_000), /is not JSON/],
    ['an array', '[]\n', /expected an object/],
    ['a newer format', lockOf({}, { lockfile: 2 }), /made by a newer client \(lockfile 2\); this one knows 1/],
    ['true instead of 1', lockOf({}, { lockfile: true }), /expected lockfile/],
    ['an unknown key', lockOf({}, { extra: 1 }), /from line 4 on: it was edited by hand/],
    ['an unknown key of a prompt', one({ url: 'x' }), /from line 15 on: it was edited by hand/],
    ['no variables', one({ variables: undefined }), /acme\/review: invalid variables or parameters/],
    [
      'a duplicate key',
      one({}).replace('"range": "^1"', '"range": "^1",\n      "range": "^1"'),
      /from line 7 on: it was edited by hand/,
    ],
    [
      'keys in another order',
      JSON.stringify({ prompts: {}, lockfile: 1, hub: 'https://x.y' }, null, 2),
      /from line 2 on: it was edited by hand/,
    ],
    ['no final newline', one({}).trimEnd(), /edited by hand/],
    ['CRLF', one({}).replaceAll('\n', '\r\n'), /from line 1 on.*git changed its line endings/],
    ['different indentation', one({}).replace('  "hub"', '   "hub"'), /from line 3 on/],
    ['an invalid hub URL', lockOf({}, { hub: 'file:///etc' }), /hub: expected an http or https address/],
    ['a hub URL with a user', lockOf({}, { hub: 'https://a:b@c' }), /hub: expected/],
    ['an invalid prompt name', lockOf({ 'acme/../x': prompt() }), /expected <owner>\/<name>/],
    ['a version outside its range', one({ version: '2.0.0' }), /\^1 does not allow 2\.0\.0/],
    ['an invalid checksum', one({ sha256: 'x' }), /sha256: expected 64 digits/],
    ['an upper-case checksum', one({ sha256: sha256('one\n').toUpperCase() }), /sha256: expected/],
    ['an invalid range', one({ range: '>=1' }), /range: expected/],
    ['a path outside the folder', one({ path: '../x' }), /leaves the folder/],
    ['a path that leaves the folder further in', one({ path: 'a/../../x' }), /leaves the folder/],
    ['an absolute path', one({ path: '/etc/passwd' }), /is absolute/],
    ['git', one({ path: 'a/.GIT/hooks/pre-commit' }), /part that is \. or \.git/],
    ['a backslash', one({ path: 'a\\..\\x' }), /backslash/],
    ['a drive letter', one({ path: 'C:/x' }), /colon/],
    ['a line break', one({ path: 'a\nb' }), /control character/],
    ['a path segment that is too long', one({ path: 'x'.repeat(256) }), /overlong/],
    ['a lone surrogate', one({}).replace('prompts/acme', '\\ud800'), /is not text/],
    ['the lock file itself', one({ path: 'Prompts.lock' }), /lock file's own/],
    [
      'a duplicate path',
      lockOf({ 'acme/a': prompt({ path: 'X.md' }), 'acme/b': prompt({ path: 'x.md' }) }),
      /two places have the path x\.md/,
    ],
    [
      'a path inside another',
      lockOf({ 'acme/a': prompt({ path: 'x' }), 'acme/b': prompt({ path: 'x/y' }) }),
      /is inside the other/,
    ],
    ['too large', one({}) + ' '.repeat(16_777_217), /larger than/],
    ['a number in another notation', one({ parameters: { a: 0.5 } }).replace('0.5', '0.50'), /edited by hand/],
    ['numbers as keys, in another order', one({}).replace('{}', '{"10": 1, "9": 1}'), /edited by hand/],
    ['a number that is too large', one({}).replace('{}', '{"a": 1e999}'), /invalid variables or parameters/],
    ['parameters nested too deeply', one({ parameters: deep(40) }), /invalid variables or parameters/],
    ['a lone surrogate in a parameter', one({ parameters: { a: '\ud800' } }), /invalid variables or parameters/],
    ['a variable of an unknown type', one({ variables: [{ ...variable, type: 'date' }] }), /invalid variables/],
    ['a skill without SKILL.md', skill({ 'a.md': '' }), /expected SKILL\.md/],
    ['a file of a skill outside', skill({ '../a.md': '', 'SKILL.md': '' }), /not valid on every system/],
    ['a dot file', skill({ '.a.md': '', 'SKILL.md': '' }), /not valid on every system/],
    ['files that differ in case', skill({ 'A.md': '', 'SKILL.md': '', 'a.md': '' }), /two files at a\.md/],
    ['a file inside a file', skill({ 'SKILL.md': '', a: '', 'a/x': '' }), /two files at a\/x/],
    ['another SKILL.md', skill({ 'SKILL.md': '', 'x/skill.md': '' }), /not valid on every system/],
    ['a file without a digest', skill({ 'SKILL.md': '', 'a.md': 'x' }), /a\.md: expected 64 digits/],
    ['files in another order', skill({ 'a.md': '', 'SKILL.md': '' }), /edited by hand/],
    ['an unknown key of a variable', one({ variables: [{ ...variable, x: 1 }] }), /edited by hand/],
  ]
  // Each in one process; the Python module is a part of hubcli.
  test('both clients reject every invalid lock file', () => {
    const parse = `
import json, sys
sys.path.append("clients/python")
from prompt_hub.lock import parse_lock
from prompt_hub.trouble import PromptHubError
said = []
for text in json.load(sys.stdin):
    try:
        said.append(str(parse_lock(text)))
    except PromptHubError as error:
        said.append(f"{error.code}: {error}")
print(json.dumps(said))
`
    const input = JSON.stringify(invalid.map(([, text]) => text))
    const said: string[] = JSON.parse(execFileSync(PYTHON, ['-IS', '-c', parse], { input, encoding: 'utf8' }))
    expect(said.map((text, at) => [invalid[at]![0], text])).toEqual(
      invalid.map(([name, , sentence]) => [
        name,
        expect.stringMatching(RegExp(`^integrity: .*${sentence.source}`, 's')),
      ]),
    )
    for (const [name, text] of invalid)
      expect(() => parseLock(text), name).toThrow(
        expect.objectContaining({ code: 'integrity', message: expect.stringMatching(/^prompts\.lock/) }),
      )
  })

  test('every command rejects an invalid lock file', async () => {
    const commands = [['verify'], ['install'], ['update'], ['remove', 'acme/review'], ['add', 'acme/summary']]
    write('prompts.lock', '[]\n')
    for (const args of commands) {
      const outcome = await run(...args)
      expect(outcome).toMatchObject({ code: 4, stdout: '', left: [] })
      expect(outcome.stderr).toMatch(/^hubcli: [^\n]*expected an object[^\n]*\n$/)
    }
    expect(snapshot()).toEqual([['prompts.lock', '[]\n']])
    expect(hub.asked).toEqual([])
  })

  test('never follows a symlink in any part of the path', async () => {
    const outside = makeFolder()
    symlinkSync(outside, path.join(cwd, 'prompts'))
    const folder = await run('add', 'acme/review')
    expect(folder).toMatchObject({ code: 4, stderr: expect.stringContaining('or is a symbolic link') })
    symlinkSync(path.join(outside, 'x'), path.join(cwd, 'x.md'))
    expect(await run('add', 'acme/review', '-o', 'x.md')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('x.md is a symbolic link'),
    })
    mkdirSync(path.join(cwd, 'd'))
    expect(await run('add', 'acme/review', '-o', 'd')).toMatchObject({
      code: 4,
      stderr: 'hubcli: d is not a regular file\n',
    })
    expect(readdirSync(outside)).toEqual([])
    expect(existsSync(path.join(cwd, 'prompts.lock'))).toBe(false)
  })

  test.each([
    ['nothing before @', ['add', '@^1'], /expected <owner>\/<name>/],
    ['a range with a space', ['add', 'acme/review@>= 1'], /expected a range such as \^1\.2/],
    ['an absolute path', ['add', 'acme/review', '-o', '/x'], /is absolute/],
    ['install with an argument', ['install', 'acme/review'], /usage: hubcli install/],
    ['no lock file', ['install'], /No lock at prompts\.lock\. Create one: hubcli add/],
    ['nothing to remove', ['remove', 'acme/review'], /No lock at prompts\.lock/],
  ])('rejected before any request: %s', async (_, args, sentence) => {
    const outcome = await run(...args)
    expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
    expect(outcome.stderr).toMatch(sentence)
    expect([hub.asked, snapshot()]).toEqual([[], []])
  })

  test('after a kill at any moment, the lock file is valid and install restores all files', async () => {
    await run('add', 'acme/review@^1')
    await run('add', 'acme/summary')
    const env = { HUB_URL: hub.url, PATH: SHELL.tools, TMPDIR: makeFolder(), HOME: cwd }
    for (const kill of [1, 2, 3, 8]) {
      hub.prompts['acme/review']!.versions[`1.3.${kill}`] = `r${kill}`
      hub.prompts['acme/summary']!.versions[`0.1.${6 + kill}`] = `s${kill}`
      const child = spawn(SHELL.command[0], [...SHELL.command.slice(1), HUBCLI, 'update'], { cwd, env, detached: true })
      const ended = new Promise((resolve) => child.on('close', resolve))
      const asked = hub.asked.length
      // Waits for a given number of requests before each kill, so that the kills are spread over the whole run, however
      // fast the machine is.
      hub.meddle = () => {
        if (hub.asked.length - asked >= kill)
          setTimeout(() => signalGroup(child, 'SIGKILL'), kill >= 6 ? kill * 4 : 0).unref()
        return false
      }
      await ended
      hub.meddle = () => false
      rmSync(path.join(cwd, 'prompts.lock.new'), { force: true })
      expect(await run('install')).toMatchObject({ code: 0 })
      const locked: { sha256: string; places: { path: string }[] }[] = Object.values(
        JSON.parse(read('prompts.lock')).prompts,
      )
      for (const { sha256: digest, places } of locked) expect(sha256(read(places[0]!.path))).toBe(digest)
    }
    expect(await run('verify')).toMatchObject({ code: 0, stderr: '' })
  })
})
