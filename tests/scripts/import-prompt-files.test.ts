// Tests that `npm run import` takes a prompt file whole: every field and every byte, as a publish reads it.

import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { importPrompt } from '../../packages/prompt-formats/source/content-files.ts'
import { READERS, toExported, WRITERS } from '../../packages/prompt-formats/source/formats.ts'
import { writePromptFile } from '../../packages/prompt-formats/source/write-prompt-file.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import { findVariableNames } from '../../src/domain/content/placeholders.ts'
import { parseRepositoryFile, parseVersionFile, undeclaredVariable } from '../../src/domain/content/prompt-file.ts'
import { PROMPT_FILE_KEYS } from '../../src/domain/content/prompt-file-keys.ts'
import { anyJson, anyText } from '../fixtures/records.ts'
import { makeImportFolder } from './importing.ts'

const folder = makeImportFolder()
const { dir, give, importAll, read } = folder
beforeEach(() => {
  for (const name of ['content', 'from']) rmSync(join(dir, name), { recursive: true, force: true })
  mkdirSync(join(dir, 'content'))
})
const importFolder = (...more: string[]) => importAll(join(dir, 'from'), ...more)
const versionText = (name: string, number = '1.0.0') => read(`content/acme/${name}/versions/${number}.md`)
const version = (name: string, number = '1.0.0') => parseVersionFile(versionText(name, number)).value!
const index = (name: string) => parseRepositoryFile(read(`content/acme/${name}/index.md`)).value!

test('an example of each owner, exported as a prompt file, is the same version in an empty content folder', () => {
  const { tree } = readContentDir('content')
  const firsts = new Map([...tree.repositories.values()].map((repository) => [repository.owner, repository]))
  const examples = [...firsts.values()].flatMap(({ owner, name, file, versions }) =>
    versions.slice(0, 1).map((entry) => {
      const own = `${owner}-${name}-${entry.version.replaceAll('.', '-')}`
      const { title = name, description, tags, license } = file!
      const exported = toExported({ owner, name, title, description, tags, license, labels: {} }, entry)
      give(`from/${own}.md`, WRITERS.markdown(exported).file!.text)
      return { own, entry, file: { title, description, tags, license } }
    }),
  )
  expect(examples.length).toBeGreaterThan(10)
  const lines = importFolder()
  expect(lines.map(({ status, lost, reasons }) => [status, lost, reasons])).toEqual(examples.map(() => ['new', [], []]))
  for (const { own, entry, file } of examples) {
    const { content, format, variables, parameters, skill } = entry
    const license = skill && { ...skill, license: file.license }
    expect(version(own), own).toMatchObject({ content, format, variables, parameters })
    expect(version(own).skill, own).toEqual(license)
    expect(index(own), own).toMatchObject(file)
  }
  expect(new Set(importFolder().map(({ status }) => status))).toEqual(new Set(['unchanged']))
})

test('these are the keys of a prompt file; a new one needs a place in the import, and in the next test', () => {
  const keys = ['title', 'description', 'tags', 'license', 'format', 'variables', 'parameters', 'skill', 'compose']
  expect([...PROMPT_FILE_KEYS]).toEqual(keys)
})

const words = fc.oneof(anyText, fc.constantFrom('A', ' two words ', 'ends with a blank '))
const anyVersion = fc.record({
  title: words,
  description: words,
  tags: fc.uniqueArray(fc.constantFrom('code', 'review', 'a-b', '2')),
  license: fc.constantFrom(null, 'MIT', 'Apache-2.0 OR MIT'),
  format: fc.constantFrom('text' as const, 'text' as const, 'chat' as const),
  text: fc.tuple(fc.constantFrom('', '\n', '\r\n\r\n', '---\n', ' '), anyText).map((parts) => parts.join('')),
  declared: fc.option(fc.tuple(words, fc.boolean()), { nil: undefined }),
  parameters: anyJson.object,
  skill: fc.option(fc.record({ description: words, metadata: fc.constantFrom({}, { author: 'x', toString: 'y' }) }), {
    nil: null,
  }),
})

test('whatever a publish accepts is imported with the same fields and the same bytes', () => {
  let count = 0
  fc.assert(
    fc.property(anyVersion, ({ title, description, tags, license, format, text, declared, parameters, skill }) => {
      const content = format === 'chat' ? `{{role "user"}}\n${text}x {{y}}\n\n\n` : `${text}x {{y}}`
      const plain = findVariableNames({ content, format }).map(undeclaredVariable)
      const variables = declared
        ? [{ ...undeclaredVariable('y'), description: declared[0], required: declared[1] }]
        : plain
      const details = { title, description, tags, license }
      const given = { content, format, variables, parameters, skill: skill && { ...skill, license } }
      const file = writePromptFile(details, given)
      const { prompts, findings } = READERS.markdown(file, 'a')
      // What a publish refuses is refused too, or read as Markdown from elsewhere.
      if (!prompts[0]?.file) return
      count++
      expect(findings).toEqual([])
      const order = { owner: 'acme', by: 'acme', license: null, publishedAt: '2026-11-26T10:00:00Z' }
      const made = importPrompt(prompts[0], { path: 'a.md', sha256: 'a'.repeat(64) }, 'a', undefined, order)
      if (made.status === 'refused') throw new Error(JSON.stringify(made.problems))
      expect(made.lost).toEqual([])
      const [written, indexFile] = made.files.map((one) => one.text)
      const { skill: made1, ...back } = parseVersionFile(written!).value!
      expect(back).toMatchObject({ content, format, variables, parameters })
      expect(made1?.description).toBe(skill?.description)
      expect(made1?.metadata ?? {}).toEqual(skill?.metadata ?? {})
      const { value } = parseRepositoryFile(indexFile!)
      expect(value).toMatchObject({ description, tags, license })
      if (title !== '') expect(value?.title).toBe(title)
    }),
    { numRuns: 150 },
  )
  expect(count).toBeGreaterThan(30)
})

const FILE = `---
title: Triage
variables:
  - name: ticket
    type: enum
    options: [a, b]
parameters: { temperature: 0.2 }
skill:
  description: Sorts a ticket. Use it for support.
  metadata: { author: octocat }
---

Sort {{ticket}}.
`

test.each([
  [
    'with Windows line ends and a byte order mark',
    `\ufeff${FILE.replaceAll('\n', '\r\n')}`,
    '\r\nSort {{ticket}}.\r\n',
  ],
  ['with the name of a prompt of Copilot', FILE, '\nSort {{ticket}}.\n'],
])('a prompt file %s', (what, file, content) => {
  give(what.includes('Copilot') ? 'from/triage.prompt.md' : 'from/triage.md', file)
  expect(importFolder()).toMatchObject([{ name: 'triage', status: 'new', lost: [], reasons: [] }])
  expect(version('triage')).toMatchObject({
    content,
    parameters: { temperature: 0.2 },
    variables: [{ name: 'ticket', type: 'enum', options: ['a', 'b'] }],
    skill: { description: 'Sorts a ticket. Use it for support.', metadata: { author: 'octocat' } },
  })
  expect(importFolder()).toMatchObject([{ status: 'unchanged', lost: [] }])
})

test('a changed field is a new version, and a changed or emptied detail is in index.md', () => {
  give('from/triage.md', FILE.replace('title: Triage', 'title: Triage\ntags: [a]'))
  importFolder()
  give('from/triage.md', FILE.replace('0.2', '0.4').replace('title: Triage', 'title: Sort\ntags: []'))
  expect(importFolder()).toMatchObject([{ status: 'changed', version: '1.1.0' }])
  expect(version('triage', '1.1.0').parameters).toEqual({ temperature: 0.4 })
  expect(index('triage')).toMatchObject({ title: 'Sort', tags: [] })
})

//  what it has wrong                  the file                                                     what is said
const REFUSED: readonly (readonly [what: string, file: string, reasons: (string | RegExp)[]])[] = [
  [
    'a wrong type, and a wrong parameter',
    FILE.replace('enum', 'list').replace('{ temperature: 0.2 }', 'hot'),
    [/^line 5: variables\.0\.type: expected "string" or /, 'line 7: parameters: expected an object'],
  ],
  ['broken YAML', FILE.replace('{ temperature: 0.2 }', '{ a: [ }'), [/^line 7: file: expected valid YAML/]],
  [
    'an alias',
    FILE.replace('[a, b]', '&a [a, b]').replace('0.2', '*a'),
    [/^line 7: file: expected YAML without aliases/],
  ],
  [
    'a repeated key',
    FILE.replace('skill:', 'title: Other\nskill:'),
    [/^line 8: file: expected valid YAML: Map keys must be unique/],
  ],
  [
    'a blank after the first line',
    FILE.replace('---\n', '--- \n'),
    ['line 1: file: expected a first line that is exactly ---'],
  ],
  [
    'a wrong field in front matter that is longer than that of other tools',
    FILE.replace('enum', 'list').replace('title: Triage', `description: "${'x'.repeat(40_000)}"`),
    [/^line 5: variables\.0\.type: /, 'line 2: description: expected at most 500 characters'],
  ],
  [
    'a placeholder in a skill description',
    FILE.replace('Sorts a', 'Sorts <a>'),
    ['line 9: skill.description: expected no <'],
  ],
  ['only a wrong format', '---\nformat: markdown\n---\nHi\n', [/^line 2: format: expected "text" or "chat"/]],
  ['too much content', `${FILE}${'x'.repeat(262_144)}`, [/^file: content: expected at most 262144 bytes/]],
  [
    'a key with the name of a prototype',
    FILE.replace('author', '__proto__'),
    ['line 8: skill: expected no key named __proto__'],
  ],
]

test('a wrong field is refused with its line, in the words of a publish, and nothing is written', () => {
  for (const [at, [, file]] of REFUSED.entries()) give(`from/${at}.md`, file)
  const lines = importFolder()
  for (const [at, [what, , reasons]] of REFUSED.entries()) {
    const expected = reasons.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one)))
    expect(lines[at], what).toMatchObject({ status: 'refused', lost: [], reasons: expected })
  }
  expect(readdirSync(join(dir, 'content'))).toEqual([])
})

test('front matter of up to 65,536 characters is read, as a publish reads it', () => {
  const variables = Array.from({ length: 64 }, (_, at) => `  - name: v${at}\n    description: ${'x'.repeat(480)}\n`)
  give('from/long.md', `---\nvariables:\n${variables.join('')}---\nHi {{v0}}\n`)
  expect(importFolder()).toMatchObject([{ status: 'new', lost: [] }])
  expect(version('long').variables.length).toBe(64)
})

test('Markdown with keys of another tool stays Markdown, and each key that is not read says why', () => {
  give('from/note.md', '---\ntitle: A note\nvariables: [{name: x}]\nglobs: a\n---\n\n{{x}}\n')
  give('from/tags.md', '---\ntags: Code, Code Review\nlicense: mine\n---\n\nHi\n')
  expect(importFolder()).toMatchObject([
    {
      status: 'new',
      lost: [
        'line 4: globs: Prompt Hub does not support it',
        'line 3: variables: only a prompt file may have it, and a prompt file has no other keys. Remove those to import it',
      ],
    },
    { status: 'new', lost: [expect.stringContaining('license: “mine” is not an SPDX license')] },
  ])
  expect(version('note').content).toBe('{{x}}\n')
  expect(index('tags').tags).toEqual(['code', 'code-review'])
})

test('a version file of another hub is refused with the two ways to take it over', () => {
  give(
    'from/acme/a/versions/1.0.0.md',
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: octo\nformat: text\n---\nHi\n',
  )
  expect(importFolder()).toMatchObject([
    {
      status: 'refused',
      lost: [],
      reasons: [
        'file: a version file of a hub. Copy its folder into content/, or run npm run export -- --format markdown there and import the result',
      ],
    },
  ])
})

test('--without-variables refuses a prompt file that declares variables or is composed', () => {
  give('from/declares.md', FILE)
  give('from/composes.md', '---\ncompose: true\n---\nHi\n')
  give('from/plain.md', '---\nparameters: {a: 1}\n---\nHi {{x}}\n')
  const lines = importFolder('--without-variables')
  expect(lines).toMatchObject([
    {
      status: 'refused',
      reasons: ['compose: --without-variables would lose it. Import this file without that option'],
    },
    {
      status: 'refused',
      reasons: ['variables: --without-variables would lose it. Import this file without that option'],
    },
    { status: 'new' },
  ])
  expect(version('plain')).toMatchObject({ variables: [], parameters: { a: 1 } })
})

test('a source is composed with the prompts of the content folder and of the import, whatever their order', async () => {
  give(
    'content/octo/tone/versions/1.2.0.md',
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: octo\n---\nBe kind.\n',
  )
  give(
    'from/a.md',
    '---\ncompose: true\nvariables: [{name: x, type: integer}]\n---\n{{include "acme/b"}}\n{{include "octo/tone@^1.0.0"}}\nA {{x}}\n',
  )
  give('from/b.md', '---\ncompose: true\n---\n{{include "acme/c@^1.0.0"}}\nB\n')
  give('from/c.md', '---\nparameters: {a: 1}\n---\nC {{y}}\n')
  const dry = importFolder('--dry-run')
  expect(dry.map(({ name, status, reasons }) => [name, status, reasons])).toEqual([
    ['a', 'new', []],
    ['b', 'new', []],
    ['c', 'new', []],
  ])
  expect(importFolder()).toEqual(dry)
  expect(version('a')).toMatchObject({
    content: 'C {{y}}\nB\nBe kind.\nA {{x}}\n',
    variables: [{ name: 'x', type: 'integer' }, { name: 'y' }],
    includes: [
      { repository: 'acme/b', range: '*', version: '1.0.0' },
      { repository: 'octo/tone', range: '^1.0.0', version: '1.2.0' },
    ],
  })
  expect(await folder.run('check-content')).toMatchObject({ status: 0 })
  expect(importFolder().map(({ status }) => status)).toEqual(['unchanged', 'unchanged', 'unchanged'])
  give('from/a.md', read('from/a.md').replace('integer', 'number'))
  expect(importFolder()[0]).toMatchObject({ status: 'changed' })
  expect(version('a', '1.1.0')).toMatchObject({ variables: [{ name: 'x', type: 'number' }, { name: 'y' }] })
})

test('a skill with files is not included, and a dry run says so too', () => {
  give('from/a.md', '---\ncompose: true\n---\n{{include "acme/s"}}\n')
  give('from/s/SKILL.md', '---\nname: s\ndescription: Does it.\n---\nRead a.txt.\n')
  give('from/s/a.txt', 'x')
  const dry = importFolder('--dry-run')
  expect(dry.map(({ status, reasons }) => [status, reasons])).toEqual([
    ['refused', [expect.stringContaining('line 1: acme/s@1.0.0 is a skill with files')]],
    ['new', []],
  ])
  expect(importFolder()).toEqual(dry)
})

test('a source without include lines is a version without includes', () => {
  give('from/a.md', '---\ncompose: true\n---\nHi\n')
  expect(importFolder()).toMatchObject([{ status: 'new' }])
  expect(versionText('a')).not.toContain('includes')
})

test('a source is refused while a part is missing, as a publish refuses it', () => {
  give('from/a.md', '---\ncompose: true\n---\nA\n{{include "acme/gone"}}\n')
  give('from/b.md', '---\ncompose: true\n---\n{{include "acme/b"}}\n')
  const lines = importFolder()
  expect(lines).toMatchObject([
    {
      status: 'refused',
      reasons: ['content: line 2: acme/gone is not a prompt on this hub. Check the spelling, or publish it first'],
    },
    { status: 'refused', reasons: [expect.stringContaining('line 1: a prompt cannot include itself')] },
  ])
  expect(readdirSync(join(dir, 'content'))).toEqual([])
})
