// Tests publishing a skill's folder as an archive: what is read from SKILL.md or a prompt file, and hostile archives.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Answer, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

const world = openLocalWorld()
const hub = await openHub(world)
const folder = temporaryFolder('hub-folder-')

const SKILL = `---
name: forms
description: Fills in forms.
license: see LICENSE.txt
compatibility: Needs Python 3.
metadata:
  author: octocat
  version: 3
---
Run scripts/fill.py.
`
let made = 0

const skillWith = (key: string) => SKILL.replace('license: see LICENSE.txt', key)

/** Writes files, and packs them with the system's own tar. @param arguments_ of tar, after `-c` */
function pack(files: Readonly<Record<string, string | Buffer>>, arguments_: readonly string[] = ['.']): Buffer {
  const dir = join(folder, String(made++))
  writeFiles(dir, files)
  return runSync('tar', ['-cz', ...arguments_], { cwd: dir })
}

const send = (body: Uint8Array, to: string, query = ''): Promise<Answer> =>
  hub.publish(body, { path: `/api/v1/repos/${to}/versions${query}`, headers: { 'Content-Type': 'application/gzip' } })
const pathsOf = ({ data }: Answer) => (data.files as { path: string }[] | undefined)?.map(({ path }) => path)

test.each<[string, readonly string[]]>([
  ['its root', ['.']],
  ['names without ./', ['SKILL.md', 'scripts', 'a'.repeat(60)]],
  ['pax headers', ['--format=pax', '.']],
  ['GNU headers', ['--format=gnu', '.']],
  ['ustar headers', ['--format=ustar', '.']],
])('an archive with SKILL.md: %s', async (name, arguments_) => {
  const long = `${'a'.repeat(60)}/${'b'.repeat(60)}/c.md`
  const archive = pack({ 'SKILL.md': SKILL, 'scripts/fill.py': 'print()\n', [long]: 'x' }, arguments_)
  const to = `acme/folder-${name.replaceAll(/[^a-z]/gi, '').toLowerCase()}`
  const answer = await send(archive, to, '?changelog=First')
  expect([answer.status, answer.message]).toEqual([201, ''])
  expect(pathsOf(answer)).toEqual([long, 'scripts/fill.py'])
  expect(answer.data).toMatchObject({
    content: 'Run scripts/fill.py.\n',
    changelog: 'First',
    skill: {
      description: 'Fills in forms.',
      license: null,
      compatibility: 'Needs Python 3.',
      metadata: { author: 'octocat' },
    },
  })
  expect((await hub.read(`/${to}/v/1.0.0/SKILL.md`)).text).toContain(
    'compatibility: "Needs Python 3."\nmetadata:\n  author: "octocat"\n  version: "1.0.0"\n',
  )
})

test('keeps the tools that a skill asks for and keys of agents, and serves them as metadata or not at all', async () => {
  const keys =
    'allowed-tools: Bash(git add:*), Read,Read\nargument-hint: [file]\nmodel: opus\nhooks: {a: [b]}\nversion: 9'
  const { status, data } = await send(pack({ 'SKILL.md': skillWith(keys) }), 'acme/asks')
  expect([status, data.skill]).toEqual([
    201,
    {
      description: 'Fills in forms.',
      license: null,
      compatibility: 'Needs Python 3.',
      allowed_tools: ['Bash(git add:*)', 'Read'],
      argument_hint: '[file]',
      metadata: { author: 'octocat', model: 'opus', hooks: '{"a":["b"]}' },
    },
  ])
  const { text } = await hub.read('/acme/asks/v/1.0.0/SKILL.md')
  expect(text).not.toContain('Bash')
  expect(text).toContain('\nmetadata:\n  model: "opus"\n')
  expect(text).toContain('\n  argument-hint: "[file]"\n')
  // What the hub serves does not say which tools it asked for, so they stay.
  expect((await send(pack({ 'SKILL.md': text }), 'acme/asks')).data).toMatchObject({ unchanged: true })
  const file = (await hub.read('/api/v1/repos/acme/asks/versions/1.0.0/export/markdown')).bytes
  expect(await hub.publish(file, { to: 'acme/asks', headers: { 'Content-Type': 'text/markdown' } })).toMatchObject({
    status: 200,
    data: { unchanged: true },
  })
})

test('one folder, and the folder of an installed skill is unchanged', async () => {
  const files = { 'forms/SKILL.md': SKILL, 'forms/scripts/fill.py': 'print("{{name}}")\n' }
  expect((await send(pack(files, ['forms']), 'acme/forms')).status).toBe(201)
  const variables = [{ name: 'language', description: 'Which one' }]
  await hub.publish({ content: 'In {{language}}.\n', variables, bump: 'patch' }, { to: 'acme/forms' })
  const archive = await hub.read('/api/v1/repos/acme/forms/versions/1.0.1/archive')
  const again = await send(archive.bytes, 'acme/forms')
  expect([again.message, again.data.unchanged, again.version]).toEqual(['', true, '1.0.1'])
  expect(pathsOf(again)).toEqual(['scripts/fill.py'])
})

test('a prompt file named prompt.md', async () => {
  const prompt =
    '---\ntitle: Forms of a PDF\nskill: {description: Fills in forms., metadata: {"yes": "no"}}\n---\nText.\n'
  const answer = await send(pack({ 'prompt.md': prompt, 'a.txt': 'x' }), 'acme/prompt-file', '?dry_run=true')
  expect([answer.status, answer.message, answer.data.content, pathsOf(answer)]).toEqual([200, '', 'Text.\n', ['a.txt']])
  const wrong = await send(pack({ 'prompt.md': prompt.replace('Text', '@~/.ssh/id') }), 'acme/prompt-file')
  expect(wrong.message).toBe(
    'content: line 5: expected no @~/.ssh/id. in a skill: Claude Code includes a file when it loads the skill.',
  )
  const made = await send(pack({ 'prompt.md': prompt }), 'acme/prompt-file')
  expect((await hub.read('/acme/prompt-file/SKILL.md')).text).toContain('metadata:\n  "yes": "no"\n')
  expect(made.data.bundle_sha256).toBe(null)
})

const some = (count: number, text: string, inFolder = '') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}${inFolder}`, text]))
/** Packs a skill, with one file renamed by tar itself. */
const packAs = (rename: string, files = {}) =>
  pack({ 'SKILL.md': SKILL, ...files }, ['-P', `--transform=s,${rename},`, '.'])

//  case, the files beside SKILL.md or an archive, part of the message
test.each<[string, object | (() => Uint8Array), string]>([
  ['a tool that is too long', { 'SKILL.md': skillWith(`allowed-tools: ${'x'.repeat(201)}`) }, 'skill.allowed_tools.0'],
  [
    '65 tools',
    { 'SKILL.md': skillWith(`allowed-tools: ${Object.keys(some(65, '')).join(' ')}`) },
    'expected at most 64 tools',
  ],
  ['a long value', { 'SKILL.md': skillWith(`hooks: ${'x'.repeat(2_001)}`) }, 'skill.metadata.hooks'],
  ['a command in SKILL.md', { 'SKILL.md': `${SKILL}\n!\`ls\`\n` }, 'SKILL.md: line 12: expected no !`ls`'],
  ['both SKILL.md and prompt.md', { 'prompt.md': 'x' }, 'got both'],
  ['a dot file', { '.env': 'x' }, '.env'],
  ['501 files', some(501, 'x'), 'at most 500 files'],
  ['1,000 folders', some(1_000, '', '/a'), 'at most 1000 entries'],
  ['8,000,005 bytes', some(5, 'x'.repeat(1_600_001)), 'at most 8000000 bytes'],
  ['a file of 2,000,001 bytes', { a: 'x'.repeat(2_000_001) }, 'at most 2000000 bytes'],
  ['nothing of a skill', () => pack({ 'README.md': 'x' }), 'expected SKILL.md or prompt.md'],
  ['two folders', () => pack({ 'a/SKILL.md': SKILL, 'b/SKILL.md': SKILL }), 'expected SKILL.md or prompt.md'],
  ['a folder above', () => packAs('SKILL,../SKILL'), 'SKILL.md'],
  ['a file above', () => packAs('^\\./a$,../../a', { a: 'x' }), '../../a'],
  ['an absolute path', () => packAs('^\\./a$,/tmp/a', { a: 'x' }), '/tmp/a'],
  ['an empty archive', () => gzipSync(Buffer.alloc(1_024)), 'expected SKILL.md or prompt.md'],
])('refuses %s', async (_, given, said) => {
  const archive = given instanceof Function ? given() : pack({ 'SKILL.md': SKILL, ...given })
  const answer = await send(archive, 'acme/refused')
  expect([answer.status, answer.message]).toEqual([422, expect.stringContaining(said)])
})

//  case, archive, status, part of the message
test.each<[string, () => Uint8Array, number, string]>([
  ['a bomb', () => gzipSync(Buffer.alloc(1e8)), 413, 'at most 12582912 bytes when unpacked'],
  ['many members', () => Buffer.concat(Array(40).fill(gzipSync(Buffer.alloc(400_000, 1)))), 413, 'when unpacked'],
  ['12 MiB and a byte', () => new Uint8Array(12_582_913), 413, 'at most 8000000 bytes in all files'],
  ['what is not gzip', () => Buffer.from('PK\u0003\u0004'), 400, 'not compressed with gzip'],
  ['what is not tar', () => gzipSync('hello'.repeat(200)), 400, 'invalid number'],
  ['a cut archive', () => gzipSync(Buffer.alloc(512)).subarray(0, 10), 400, 'not compressed with gzip'],
  ['SKILL.md that is not UTF-8', () => pack({ 'SKILL.md': Buffer.from([0x2d, 0xff]) }), 400, 'SKILL.md is not UTF-8'],
])('refuses %s', async (_, archive, status, said) => {
  const answer = await send(archive(), 'acme/refused')
  expect([answer.status, answer.message]).toEqual([status, expect.stringContaining(said)])
})

test('refuses links of both kinds, and a pipe', async () => {
  const dir = join(folder, 'links')
  mkdirSync(dir)
  writeFileSync(join(dir, 'SKILL.md'), SKILL)
  symlinkSync('/etc/passwd', join(dir, 'a'))
  const symbolic = await send(runSync('tar', ['-cz', '.'], { cwd: dir }), 'acme/links')
  expect([symbolic.status, symbolic.message]).toEqual([
    422,
    'archive: ./a: expected only files and folders, got a link or a device.',
  ])
  rmSync(join(dir, 'a'))
  runSync('ln', ['SKILL.md', 'b'], { cwd: dir })
  expect((await send(runSync('tar', ['-cz', 'SKILL.md', 'b'], { cwd: dir }), 'acme/links')).status).toBe(422)
  rmSync(join(dir, 'b'))
  runSync('mkfifo', ['c'], { cwd: dir })
  expect((await send(runSync('tar', ['-cz', '.'], { cwd: dir }), 'acme/links')).status).toBe(422)
})

test('a wrong query parameter is refused, and other media types too', async () => {
  const archive = pack({ 'SKILL.md': SKILL })
  expect((await send(archive, 'acme/query', '?bump=huge')).status).toBe(422)
  expect((await send(archive, 'acme/query', '?title=x')).message).toBe('title: unknown query parameter.')
  const zip = await hub.publish(archive, { to: 'acme/query', headers: { 'Content-Type': 'application/zip' } })
  expect([zip.status, zip.message]).toEqual([415, expect.stringContaining('application/gzip')])
})

test('a long JSON body needs files', async () => {
  const text = 'x'.repeat(250_000)
  const files = Array.from({ length: 4 }, (_, at) => ({ path: `f${at}`, base64: Buffer.from(text).toString('base64') }))
  const skill = { description: 'Fills in forms.' }
  expect((await hub.publish({ content: text, skill, files }, { to: 'acme/long' })).status).toBe(201)
  const padding = ' '.repeat(1_048_577)
  expect((await hub.publish(`{"content":"x"${padding}}`, { to: 'acme/padded' })).code).toBe('content_too_large')
})

test('warns of a description like that of another skill of the owner', async () => {
  await hub.build()
  const skill = { description: 'Fill in a form.' }
  const { status, data } = await hub.publish({ content: 'Do it.\n', skill }, { to: 'acme/alike' })
  expect([status, JSON.stringify(data.warnings)]).toEqual([
    201,
    expect.stringMatching(
      /skill\.description: agents cannot tell it from that of acme\/[a-z-]+; say when to use which/,
    ),
  ])
})
