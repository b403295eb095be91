// Tests `npm run import` and `npm run export` with real folders: the imported files are valid content, dangerous input
// is rejected, and a second run changes nothing.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Line } from '../../packages/prompt-import/source/read-import.ts'
import { type ImportFolder, makeImportFolder } from './importing.ts'

let folder: ImportFolder
let dir: string
beforeEach(() => {
  folder = makeImportFolder()
  dir = folder.dir
})

const give = (path: string, text: string) => folder.give(`given/${path}`, text)
const run = (script: string, ...args: string[]) => folder.run(script, ...args)
const importAll = (...args: string[]) => folder.importAll(join(dir, 'given'), ...args)
const written = (path: string) => folder.read(`content/acme/${path}`)

test('imports many prompts from CSV, finds them unchanged on a second run and exports them again', async () => {
  const rows = Array.from(
    { length: 25 },
    (_, index) => `"Act as expert ${index}","Answer as expert ${index}.\nMy question: ""{{question}}"""`,
  )
  give('prompts.csv', `act,prompt\n${rows.join('\n')}\n`)
  const said = await run('import-prompts', join(dir, 'given'), '--license', 'CC0-1.0', '--owner', 'acme', '--json')
  const lines: Line[] = JSON.parse(said.stdout)
  expect(lines.map(({ status }) => status)).toEqual(Array(25).fill('new'))
  expect(Object.keys(lines[0]!)).toEqual([
    ...['path', 'position', 'source_name', 'name', 'status', 'version', 'lost', 'reasons'],
  ])
  expect(written('act-as-expert-7/versions/1.0.0.md')).toMatch(
    /\n---\nAnswer as expert 7\.\nMy question: "\{\{question\}\}"$/,
  )
  expect((await run('check-content')).status).toBe(0)
  expect(importAll().map(({ status }) => status)).toEqual(Array(25).fill('unchanged'))
  expect((await run('export-prompts', '--format', 'github', '--out', join(dir, 'out'))).stdout).toContain(
    'Written 25\nRefused 0\n',
  )
  expect(readdirSync(join(dir, 'out/acme')).length).toBe(25)
})

test('a changed source becomes a minor version, or a major one if it adds a variable', () => {
  give('review.md', 'Review {{code}}.\n')
  expect(importAll()).toMatchObject([{ name: 'review', status: 'new', version: '1.0.0' }])
  give('review.md', 'Review {{code}} briefly.\n')
  expect(importAll()).toMatchObject([{ status: 'changed', version: '1.1.0' }])
  give('review.md', 'Review {{code}} in {{language}}.\n')
  expect(importAll()).toMatchObject([{ status: 'changed', version: '2.0.0' }])
  expect(written('review/versions/1.0.0.md')).toContain('Review {{code}}.\n')
})

test('imports a folder: one prompt for files by role, names after folders, CRLF and a byte order mark kept or dropped', () => {
  execFileSync('git', ['init', '-q', join(dir, 'content')])
  give('triage/system.md', 'You sort tickets.\n')
  give('triage/user.md', 'Ticket: {{ticket}}\n')
  give('a/x.md', 'One.\n')
  give('b/x.md', 'Two.\n')
  give('c.prompt', '\ufeff---\r\nmodel: m\r\n---\r\nHi {{name}}\r\n')
  const found = importAll('--dry-run')
  expect(found.map(({ name, status, lost }) => [name, status, lost])).toEqual(
    ['a-x', 'b-x', 'c', 'triage'].map((name) => [name, 'new', []]),
  )
  expect(readdirSync(join(dir, 'content'))).toEqual(['.git'])
  expect(importAll().map(({ name }) => name)).toEqual(found.map(({ name }) => name))
  expect(written('triage/versions/1.0.0.md')).toMatch(
    /\nformat: chat\n[\s\S]*---\n\{\{role "system"\}\}\nYou sort tickets\.\n\n\{\{role "user"\}\}\nTicket: \{\{ticket\}\}\n$/,
  )
  expect(written('c/versions/1.0.0.md')).toContain('Hi {{name}}\r\n')
  // An import only adds files.
  expect(execFileSync('git', ['-C', join(dir, 'content'), 'status', '--short', '-uall']).toString()).toBe(
    found.map(({ name }) => `?? acme/${name}/index.md\n?? acme/${name}/versions/1.0.0.md\n`).join(''),
  )
})

test('never reads through a link in the imported folder, and never waits for a FIFO', () => {
  writeFileSync(join(dir, 'id_rsa'), 'PRIVATE\n')
  give('chat/system.md', 'Answer briefly.\n')
  symlinkSync(join(dir, 'id_rsa'), join(dir, 'given/chat/user.md'))
  give('pipe/system.md', 'Answer briefly.\n')
  execFileSync('mkfifo', [join(dir, 'given/pipe/user.md'), join(dir, 'given/alone.md')])
  symlinkSync(join(dir, 'id_rsa'), join(dir, 'given/key.md'))
  symlinkSync(dir, join(dir, 'given/folder'))
  const lines = importAll()
  expect(lines.map(({ path, status, reasons }) => [path.split('/').at(-1), status, reasons])).toEqual([
    ['chat', 'refused', ['file: user.md: expected a regular file, got a symbolic link']],
    ['pipe', 'refused', ['file: user.md: expected a regular file, got something else']],
  ])
  expect(existsSync(join(dir, 'content/acme'))).toBe(false)
})

test('follows a link that is given on the command line, and refuses a FIFO', async () => {
  give('prompt.md', 'Hello.\n')
  symlinkSync(join(dir, 'given'), join(dir, 'link'))
  writeFileSync(join(dir, 'other.md'), 'Good day.\n')
  symlinkSync('other.md', join(dir, 'link.md'))
  const given = (...names: string[]) =>
    run('import-prompts', ...names.map((name) => join(dir, name)), '--owner', 'acme', '--dry-run', '--json')
  const lines: Line[] = JSON.parse((await given('link', 'link.md')).stdout)
  expect(lines.map(({ status }) => status)).toEqual(['new', 'new'])
  execFileSync('mkfifo', [join(dir, 'fifo.md')])
  expect(await given('fifo.md')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('expected a file or a folder'),
  })
})

test('never writes through a link in the content folder', async () => {
  give('prompt.md', 'Hello.\n')
  mkdirSync(join(dir, 'elsewhere'))
  symlinkSync('../elsewhere', join(dir, 'content/acme'))
  expect((await run('import-prompts', join(dir, 'given'), '--owner', 'acme')).stderr).toContain(
    'expected no symbolic link',
  )
  expect(readdirSync(join(dir, 'elsewhere'))).toEqual([])
})

const LANGCHAIN = (id: string[], kwargs: object) => JSON.stringify({ lc: 1, type: 'constructor', id, kwargs })
//  case                                file                     text  reason with line
const NOT_UTF8 = 'caf\ufffd'
const REFUSED: readonly (readonly [what: string, path: string, text: string, reason: RegExp])[] = [
  [
    'front matter in JavaScript',
    'a.md',
    '---js\nrequire("fs").writeFileSync("pwned", "x")\n---\nHi\n',
    /^line 1: .*no other language/,
  ],
  ['five megabytes', 'a.md', 'x'.repeat(5_000_000), /at most 1048576 bytes/],
  ['bytes that are not UTF-8', 'a.md', NOT_UTF8, /expected UTF-8/],
  ['Handlebars logic', 'a.prompt', '---\nname: a\n---\nHi\n{{#if x}}y{{/if}}\n', /^line 5: template: \{\{#if x\}\}/],
  [
    'a file reference',
    'a.prompty',
    `---\nname: a\ndescription: "\${file:/etc/passwd}"\n---\nHi\n`,
    /^line 3: reference/,
  ],
  [
    'Jinja logic',
    'a.prompty',
    '---\nname: a\n---\nsystem:\n{% for x in y %}{{x}}{% endfor %}\n',
    /^line 5: template: \{%/,
  ],
  ['a class that is not a prompt', 'a.json', LANGCHAIN(['langchain', 'llms', 'OpenAI'], {}), /OpenAI is not a prompt/],
  [
    'a class of another package',
    'a.json',
    LANGCHAIN(['os', 'system'], { command: 'id' }),
    /os\.system is not a class of LangChain/,
  ],
  ['a secret', 'a.json', '{"lc":1,"type":"secret","id":["OPENAI_API_KEY"]}', /secret is not a constructor/],
  ['a skill without a description', 's/SKILL.md', '---\nname: s\n---\nHi\n', /description/],
  ['no text', 'a.md', '\n\n', /expected some text/],
  ['CSV without a prompt', 'a.csv', 'a,b\n1,2\n', /^line 1: csv: expected a first row/],
  ['an open quote in CSV', 'a.csv', 'title,prompt\nx,"y\n', /csv: /],
  [
    'a private key',
    'a.md',
    `Key:\n-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n-----END PRIVATE KEY-----\n`,
    /private key/,
  ],
]

test('rejects dangerous or unreadable files with a reason, and writes nothing', () => {
  for (const [index, [, path, text]] of REFUSED.entries()) {
    const file = give(join(String(index), path), text)
    if (text === NOT_UTF8) writeFileSync(file, Buffer.from([0x63, 0xff, 0xfe]))
  }
  const lines = importAll()
  for (const [index, [what, path, , reason]] of REFUSED.entries()) {
    const found = lines.filter((line) => line.path.includes(join('given', String(index), path)))
    expect(found, what).toMatchObject([{ status: 'refused', version: null }])
    expect(found[0]?.reasons.join('\n'), what).toMatch(reason)
  }
  expect(lines.length).toBe(REFUSED.length)
  expect(readdirSync(join(dir, 'content'))).toEqual([])
  expect(existsSync('pwned')).toBe(false)
})

test('a refused file makes the exit status 1, after all other files are imported; what is skipped does not', async () => {
  give('a.md', ' ')
  give('b.md', 'Hi.\n')
  give('README.md', 'x')
  const args = [join(dir, 'given'), '--owner', 'acme'] as const
  expect(await run('import-prompts', ...args)).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/Refused +1\n/),
  })
  expect(existsSync(join(dir, 'content/acme/b/versions/1.0.0.md'))).toBe(true)
  give('a.md', 'Hi, {{user.name}}.\n')
  expect(await run('import-prompts', ...args)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/Refused +0\n/),
  })
  const exportAs = (format: string) => run('export-prompts', '--format', format, '--out', join(dir, format))
  expect(await exportAs('langfuse')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('Written 1\nRefused 1\n'),
  })
  expect(await exportAs('skill')).toMatchObject({
    status: 0,
    stdout: '\nWritten 0\nRefused 0\nSkipped 2 that are not skills\n',
  })
})

test('turns path traversal and Windows device names into safe names', () => {
  give(
    'a.json',
    JSON.stringify([
      { name: '../../etc/passwd', prompt: 'x' },
      { name: 'con', prompt: 'y' },
      { name: '日本', prompt: 'z' },
    ]),
  )
  expect(importAll('--from', 'langfuse').map(({ name }) => name)).toEqual([
    'etc-passwd',
    'con-prompt',
    'prompt-cf2abf0c',
  ])
  expect(readdirSync(dir).sort()).toEqual(['content', 'given'])
})

test.each([
  [[], 'Missing files or folders to import'],
  [['given', '--owner', 'acme', '--from', 'word'], '--from: expected one of dotprompt, prompty'],
  [['given', '--owner', 'acme', '--license', 'mine'], '--license: expected an SPDX license'],
  [['nowhere', '--owner', 'acme'], 'nowhere'],
])('import %j reports the problem and prints the usage', async (args, said) => {
  const { status, stderr } = await run(
    'import-prompts',
    ...args.map((arg) => (arg === 'given' ? give('a.md', 'x') : arg)),
  )
  expect(status).toBe(1)
  expect(stderr).toContain(said)
  expect(stderr).toContain('Usage: npm run import -- ')
})

test('export lists its formats when given an unknown one', async () => {
  const { status, stderr } = await run('export-prompts', '--format', 'word', '--out', join(dir, 'out'))
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining(
      '--format markdown|dotprompt|prompty|github|langfuse|langchain|skill|claude-command|copilot-prompt|copilot-instructions|cursor-rule|agents-md --out DIR',
    ),
  })
})
