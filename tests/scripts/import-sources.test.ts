// Tests who an imported prompt is: a text stays in its own prompt, under its own name and license, whatever is added,
// moved or renamed at its source, and what is not taken over is named.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Line } from '../../packages/prompt-import/source/read-import.ts'
import { type ImportFolder, makeImportFolder } from './importing.ts'

let folder: ImportFolder
let dir: string
beforeEach(() => {
  folder = makeImportFolder()
  dir = folder.dir
})

type Files = Readonly<Record<string, string>>
/** Writes files to a folder, in place of those that it had. */
function give(place: string, files: Files): string {
  rmSync(join(dir, place), { recursive: true, force: true })
  for (const [path, text] of Object.entries(files)) folder.give(`${place}/${path}`, text)
  return join(dir, place)
}

const run = (...args: string[]) => folder.run('import-prompts', ...args, '--owner', 'acme')
const importAll = (...args: string[]) => folder.importAll(...args)
const statuses = (lines: readonly Line[]) =>
  Object.fromEntries(lines.map(({ path, name, status }) => [name ?? path.slice(path.lastIndexOf('/') + 1), status]))

const read = (path: string) => folder.read(`content/acme/${path}`)
const front = (name: string) => parse(read(`${name}/index.md`).split('---\n')[1]!)
/** The text of every prompt's first version, by name; fails if one has a second version. */
function texts(): Files {
  return Object.fromEntries(
    readdirSync(join(dir, 'content/acme')).map((name) => {
      expect(readdirSync(join(dir, 'content/acme', name, 'versions'))).toEqual(['1.0.0.md'])
      return [name, read(`${name}/versions/1.0.0.md`).split('\n---\n')[1]!]
    }),
  )
}

const ALPHA = { 'alpha/system.md': 'You sort letters.\n' }
const BETA = { 'beta/system.md': 'You paint walls.\n' }
const GAMMA = { 'gamma/system.md': 'You count stars for {{who}}.\n' }

describe('a text stays in its own prompt', () => {
  test.each([
    ['the same folder', 'given'],
    ['a copy of the folder', 'copy'],
  ])('when a folder is added upstream, imported from %s', (_what, second) => {
    expect(statuses(importAll(give('given', { ...ALPHA, ...GAMMA })))).toEqual({ alpha: 'new', gamma: 'new' })
    const lines = importAll(give(second, { ...ALPHA, ...BETA, ...GAMMA }))
    expect(statuses(lines)).toEqual({ alpha: 'unchanged', beta: 'new', gamma: 'unchanged' })
    expect(texts()).toEqual({
      alpha: 'You sort letters.\n',
      beta: 'You paint walls.\n',
      gamma: 'You count stars for {{who}}.\n',
    })
  })

  const [A, B] = ['Code review,"Review A {{x}}"', 'Code Review,"Review B {{x}}"']
  test.each([
    ['the rows of a CSV change places', [A, B], [B, A]],
    ['a row with almost the same title is added before it', [A], [B, A]],
    ['two rows have one title and change places', [A, A.replace(' A ', ' C ')], [A.replace(' A ', ' C '), A]],
  ])('when %s', (_what, first, second) => {
    const csv = (rows: readonly string[]) => ({ 'prompts.csv': `act,prompt\n${rows.join('\n')}\n` })
    importAll(give('given', csv(first!)))
    const before = texts()
    expect(Object.keys(before).length).toBe(first.length)
    importAll(give('given', csv(second!)))
    expect(texts()).toMatchObject(before)
  })

  test('when its title has no Latin letters, in its own language', () => {
    const rows = ['"議事録作成","会議の議事録を書いて: {{text}}"', '"翻訳者","次を翻訳して: {{text}}"']
    importAll(give('given', { 'ja-1.csv': `act,prompt\n${rows.join('\n')}\n` }))
    const before = texts()
    expect(Object.keys(before)).toEqual([
      expect.stringMatching(/^prompt-[0-9a-f]{8}$/),
      expect.stringMatching(/^prompt-/),
    ])
    expect(
      Object.keys(before)
        .map((name) => front(name).title)
        .sort(),
    ).toEqual(['翻訳者', '議事録作成'])
    rows.unshift('"要約","次を要約して: {{text}}"')
    importAll(give('given', { 'ja-2.csv': `act,prompt\n${rows.join('\n')}\n` }))
    expect(texts()).toMatchObject(before)
    expect(Object.keys(texts()).length).toBe(3)
  })

  test('when a file that shared its name is removed, and when one with that name is added', () => {
    importAll(give('given', { 'a/fix.md': 'Fix A.\n', 'b/fix.md': 'Fix B.\n' }))
    expect(texts()).toEqual({ 'a-fix': 'Fix A.\n', 'b-fix': 'Fix B.\n' })
    expect(statuses(importAll(give('given', { 'b/fix.md': 'Fix B.\n', 'c/fix.md': 'Fix C.\n' })))).toEqual({
      'b-fix': 'unchanged',
      fix: 'new',
    })
    expect(texts()).toEqual({ 'a-fix': 'Fix A.\n', 'b-fix': 'Fix B.\n', fix: 'Fix C.\n' })
  })

  test('when it is in two places with one name', () => {
    const files = {
      'a/x/fix.md': 'Fix it.\n',
      'b/x/fix.md': 'Fix it.\n',
      'c/x/fix.md': 'Fix all.\n',
      'd/x/fix.md': '---\ntitle: Other\n---\nFix it.\n',
    }
    importAll(give('given', files))
    const before = texts()
    expect(Object.values(before).sort()).toEqual(['Fix all.\n', 'Fix it.\n', 'Fix it.\n'])
    expect(importAll(give('given', files)).map(({ status }) => status)).toEqual(Array(4).fill('unchanged'))
    expect(texts()).toEqual(before)
  })

  test('and two names that become one on the hub are told apart by what they were', () => {
    const one = (name: string, prompt: string) => JSON.stringify({ name, version: 1, type: 'text', prompt, config: {} })
    importAll(give('given', { '1.json': one('a/reply', 'A {{x}}'), '2.json': one('a-reply', 'B {{x}}') }))
    const before = texts()
    expect(Object.keys(before)).toEqual([expect.stringMatching(/^a-reply-/), expect.stringMatching(/^a-reply-/)])
    importAll(give('given', { '1.json': one('a-reply', 'B {{x}}'), '2.json': one('a/reply', 'A {{x}}') }))
    expect(texts()).toEqual(before)
  })
})

test('remembers its source, and refuses a text from another source, with both paths', () => {
  importAll(give('one', { 'review.md': 'Review {{code}}.\n' }), '--license', 'MIT')
  const { path, sha256 } = front('review').imported_from
  expect(path).toMatch(/\/one\/review\.md$/)
  // Computed with sha256sum.
  expect(sha256).toBe('564b8fb5486cbbc49652427f5943be6c7168fca4d3131d170bdffa32f41aed75')
  const [line] = importAll(give('two', { 'review.md': 'Judge {{film}}.\n' }))
  expect(line).toMatchObject({ name: 'review', status: 'refused', version: null })
  expect(line!.reasons).toEqual([
    expect.stringMatching(
      /^imported_from: acme\/review was imported from .*\/one\/review\.md, and .*\/two\/review\.md has/,
    ),
  ])
  expect(line!.reasons[0]).toContain('content/acme/review/index.md')
  expect(texts()).toEqual({ review: 'Review {{code}}.\n' })
  // A change at its own source is its next version.
  expect(importAll(give('one', { 'review.md': 'Review {{code}} now.\n' }))).toMatchObject([
    { name: 'review', status: 'changed', version: '1.1.0' },
  ])
  expect(front('review').imported_from.sha256).not.toBe(sha256)
})

test('never takes a prompt that was published by hand, nor what was published after the import', () => {
  importAll(give('one', { 'review.md': 'Review {{code}}.\n' }))
  const own = read('review/versions/1.0.0.md').replace('Review {{code}}.', 'Review {{code}} kindly.')
  writeFileSync(join(dir, 'content/acme/review/versions/1.0.1.md'), own)
  const [line] = importAll(join(dir, 'one'))
  expect(line).toMatchObject({ status: 'unchanged', version: '1.0.1', reasons: [] })
  expect(line!.lost).toEqual([expect.stringContaining('one/review.md has not changed since the last import')])
  mkdirSync(join(dir, 'content/acme/hand/versions'), { recursive: true })
  writeFileSync(join(dir, 'content/acme/hand/versions/1.0.0.md'), own)
  expect(importAll(give('two', { 'hand.md': 'Other.\n' }))).toMatchObject([
    { status: 'refused', reasons: [expect.stringContaining('acme/hand was not imported from a file')] },
  ])
})

describe('license, title, description and tags', () => {
  const meta = (title: string, tags: string, license: string) =>
    `---\ntitle: ${title}\ndescription: About ${title}\ntags: ${tags}\nlicense: ${license}\n---\nTell a fact about foxes.\n`
  const [before, after] = [meta('Foxes', '[animals]', 'MIT'), meta('Fox facts', 'animals, school', 'Apache-2.0')]

  test('follow their source, without a new version', () => {
    importAll(give('given', { 'fox.md': before }))
    expect(importAll(give('given', { 'fox.md': after }))).toMatchObject([{ status: 'updated', version: '1.0.0' }])
    expect(front('fox')).toMatchObject({
      title: 'Fox facts',
      description: 'About Fox facts',
      tags: ['animals', 'school'],
      license: 'Apache-2.0',
    })
    expect(texts()).toEqual({ fox: 'Tell a fact about foxes.\n' })
    expect(importAll(join(dir, 'given'))).toMatchObject([{ status: 'unchanged', lost: [] }])
  })

  test('are named if another file has the same text and says otherwise', () => {
    importAll(give('one', { 'fox.md': before }))
    const [line] = importAll(give('two', { 'fox.md': after }))
    expect(line).toMatchObject({ status: 'unchanged' })
    for (const said of ['title: "Fox facts"', 'tags: ["animals","school"]', 'license: "Apache-2.0"', 'description: '])
      expect(line!.lost).toContainEqual(expect.stringContaining(`${said}`))
    expect(front('fox')).toMatchObject({ title: 'Foxes', license: 'MIT' })
  })

  const SKILL = (license: string) => `---\nname: own\ndescription: Does a thing.\n${license}---\nDo it.\n`
  test.each([
    ['a skill', 'own/SKILL.md', SKILL('license: Proprietary. LICENSE.txt has complete terms\n')],
    ['a skill, as a list', 'own/SKILL.md', SKILL('license: [Proprietary, "LICENSE.txt has complete terms"]\n')],
    ['a Markdown file', 'own.md', '---\nlicense: Proprietary. LICENSE.txt has complete terms\n---\nDo it.\n'],
    ['a Markdown file, as “licence”', 'own.md', '---\nlicence: Proprietary; see LICENSE.txt\n---\nDo it.\n'],
    ['a dotprompt file', 'own.prompt', '---\nlicense: Proprietary; see LICENSE.txt\n---\nDo it.\n'],
    ['a Prompty file', 'own.prompty', '---\nname: own\nlicense: Proprietary; see LICENSE.txt\n---\nDo it.\n'],
    ['a CSV file', 'own.csv', 'title,prompt,license\nown,Do it.,Proprietary; see LICENSE.txt\n'],
  ])('--license never replaces the license that %s states in its own words', (_what, path, text) => {
    const [line] = importAll(give('given', { [path]: text }), '--license', 'MIT')
    expect(line).toMatchObject({ name: 'own', status: 'new' })
    expect(line!.lost).toContainEqual(
      expect.stringMatching(/license: .*Proprietary.*LICENSE\.txt.*the prompt has none/),
    )
    expect(front('own').license).toBeUndefined()
    expect(read('own/versions/1.0.0.md')).not.toContain('MIT')
  })

  test('--license is for prompts whose source states none', () => {
    importAll(give('given', { 'plain.md': 'Do it.\n', 's/SKILL.md': SKILL('') }), '--license', 'MIT')
    expect(front('plain')).toMatchObject({ license: 'MIT' })
    expect(read('own/versions/1.0.0.md')).toMatch(/license: MIT/)
  })

  test('that are cut or dropped are named', () => {
    const tags = ['日本', ...Array.from({ length: 10 }, (_, index) => `t${index}`), 'eleventh']
    const text = `---\ntitle: ${'t'.repeat(201)}\ndescription: ${'d'.repeat(501)}\ntags: [${tags.join(', ')}]\n---\nHi.\n`
    const [line] = importAll(give('given', { 'long.md': text }))
    expect(line!.lost.map((one) => one.split(':')[0])).toEqual(['tags.日本', 'tags.eleventh', 'title', 'description'])
    expect(line!.lost.join()).toContain('description: cut at 500 characters')
  })
})

describe('nothing is left out without a word', () => {
  test('instructions for one project are refused in a folder, and read if the file is given', () => {
    const folder = give('given', { 'AGENTS.md': 'Build with make.\n', 'a.md': 'Hi.\n' })
    const lines = importAll(folder)
    expect(statuses(lines)).toEqual({ 'AGENTS.md': 'refused', a: 'new' })
    expect(lines[0]!.reasons).toEqual([expect.stringContaining('name the file itself')])
    expect(importAll(join(folder, 'AGENTS.md'))).toMatchObject([{ name: 'given', status: 'new' }])
  })

  test('files that are not prompts are counted and named, with and without --json', async () => {
    const folder = give('given', { 'README.md': 'x', 'a.md': 'Hi.\n', 'b.py': 'x', 'package.json': '{}' })
    expect((await run(folder, '--dry-run')).stdout).toMatch(
      /Skipped {3}3 files without a prompt: .*README\.md, .*b\.py, .*package\.json/,
    )
    const { stderr } = await run(folder, '--json', '--dry-run')
    for (const name of ['README.md', 'b.py', 'package.json'])
      expect(stderr).toMatch(new RegExp(`Skipped: .*/${name}\n`))
  })

  test.each([
    ['dotprompt', ['hello', 'hello-dry', 'style']],
    [undefined, ['hello', 'hello-dry', 'notes', 'style']],
  ])('--from %s reads only the files of that format in a folder', (format, names) => {
    const folder = give('given', {
      'hello.prompt': 'Hello {{who}}.\n',
      'hello.dry.prompt': 'Hi {{who}}.\n',
      '_style.prompt': 'Partial {{x}}\n',
      'README.md': '# Notes\nRead {{me}}\n',
      'notes.md': 'A note.\n',
    })
    importAll(folder, ...(format === undefined ? [] : ['--from', format]))
    expect(Object.keys(texts())).toEqual(names)
  })

  test('a given file is read with --from whatever its name is', () => {
    const folder = give('given', { 'hello.txt': '---\nmodel: m\n---\nHello {{who}}.\n' })
    expect(importAll(join(folder, 'hello.txt'), '--from', 'dotprompt')).toMatchObject([{ status: 'new', lost: [] }])
    expect(read('hello/versions/1.0.0.md')).toContain('model: m')
  })
})

test('--without-variables keeps a text as it is, with any number of placeholders, and refuses a template with the way out', () => {
  const many = Array.from({ length: 90 }, (_, at) => `{{v${at}}}`).join(' ')
  const [text, row] = [`Write {{name}} and $\{input:x} and {{#if a}}. ${many}\n`, `As $\{Role:Dev}, {{x}}`]
  const folder = give('given', {
    'vue.md': text!,
    'ask.prompt.md': text!,
    's/SKILL.md': `---\nname: s\ndescription: x\n---\n${text}`,
    'rows.csv': `act,prompt\nrow,"${row}"\n`,
    'if.prompt': text!,
  })
  const lines = importAll(folder, '--without-variables')
  expect(lines.filter(({ status }) => status === 'refused')).toMatchObject([
    { path: expect.stringMatching(/if\.prompt$/), reasons: [expect.stringContaining('--from markdown')] },
  ])
  importAll(join(folder, 'if.prompt'), '--without-variables', '--from', 'markdown')
  expect(texts()).toEqual({ ask: text, if: text, row, s: text, vue: text })
  for (const name of Object.keys(texts())) expect(read(`${name}/versions/1.0.0.md`)).toContain('\nvariables: []\n')
})

test('imports a text with U+FFFD, and a CSV with semicolons', () => {
  const folder = give('given', {
    'sign.md': 'The sign \ufffd marks an unknown letter.\n',
    'guide.csv': '\ufeffact;prompt\r\n"Museum guide";"Act as a guide for {{city}}; be brief."\r\n',
    'tabs.csv': 'title\tprompt\nTabs\tOne, two; three\n',
    'commas.csv': 'title,prompt\n"Semi; colon","One; two"\n',
  })
  expect(statuses(importAll(folder))).toEqual({ sign: 'new', 'museum-guide': 'new', tabs: 'new', 'semi-colon': 'new' })
  expect(texts()).toEqual({
    sign: 'The sign \ufffd marks an unknown letter.\n',
    'museum-guide': 'Act as a guide for {{city}}; be brief.',
    tabs: 'One, two; three',
    'semi-colon': 'One; two',
  })
})
