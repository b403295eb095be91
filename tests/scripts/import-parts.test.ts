// Tests that `npm run import` composes prompts that insert others, where the others come along, and names the references that stay text.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { parseVersionFile } from '../../src/domain/content/prompt-file.ts'
import { makeImportFolder } from './importing.ts'

const folder = makeImportFolder()
const { dir, give, importAll, read, run } = folder
beforeEach(() => {
  rmSync(join(dir, 'content'), { recursive: true })
  rmSync(join(dir, 'from'), { recursive: true, force: true })
  mkdirSync(join(dir, 'content'))
})
const importFolder = (...more: string[]) => importAll(join(dir, 'from'), ...more)
const version = (name: string, number = '1.0.0') => {
  const { value } = parseVersionFile(read(`content/acme/${name}/versions/${number}.md`))
  return { content: value?.content, includes: value?.includes, variables: value?.variables.map((one) => one.name) }
}
const lf = (name: string, prompt: string, more: object = {}) => ({ name, type: 'text', prompt, version: 1, ...more })

test('Langfuse: the newest version, a version and a label become includes, whatever the order of the prompts', async () => {
  const prompts = [
    lf('review', '@@@langfusePrompt:name=House style|label=production@@@\nReview {{code}}.'),
    lf('pinned', '@@@langfusePrompt:name=House style|version=1@@@\r\nHi'),
    lf('newest', '@@@langfusePrompt:name=House style|label=latest@@@'),
    lf('House style', 'Be kind.\n', { labels: ['production'] }),
    lf('House style', 'Be kind to {{reader}}.\n', { version: 2 }),
  ]
  give('from/all.json', JSON.stringify(prompts))
  const lines = importFolder()
  expect(lines.map(({ name, status, lost }) => [name, status, lost])).toEqual([
    ['review', 'new', []],
    ['pinned', 'new', []],
    ['newest', 'new', []],
    ['house-style', 'new', []],
  ])
  const include = { repository: 'acme/house-style', version: '1.0.0', start: 0, length: 8, variables: [] }
  expect(version('review')).toMatchObject({
    content: 'Be kind.\nReview {{code}}.',
    variables: ['code'],
    includes: [{ ...include, range: 'production' }],
  })
  expect(version('pinned')).toMatchObject({ content: 'Be kind.\r\nHi', includes: [{ ...include, range: '1.0.0' }] })
  expect(version('newest')).toMatchObject({
    content: 'Be kind to {{reader}}.',
    variables: ['reader'],
    includes: [{ ...include, range: '*', version: '1.1.0', length: 22, variables: ['reader'] }],
  })
  expect(await run('check-content')).toMatchObject({ status: 0, stderr: '' })
  expect(importFolder().map(({ status, lost }) => [status, lost])).toEqual([
    ['unchanged', []],
    ['unchanged', []],
    ['unchanged', []],
    ['unchanged', []],
  ])
})

test('a part of a part, and a dry run, which says the same and writes nothing', () => {
  give('from/a.prompt', '{{> b}}\nA {{x}}\n')
  give('from/_b.prompt', '{{>c}}\nB\n')
  give('from/_c.prompt', 'C {{y}}\n')
  const dry = importFolder('--dry-run')
  expect(dry.map(({ name, status }) => [name, status])).toEqual([
    ['b', 'new'],
    ['c', 'new'],
    ['a', 'new'],
  ])
  expect(() => version('a')).toThrow()
  expect(importFolder()).toEqual(dry)
  expect(version('b')).toMatchObject({ content: 'C {{y}}\nB\n', includes: [{ repository: 'acme/c' }] })
  expect(version('a')).toMatchObject({
    content: 'C {{y}}\nB\nA {{x}}\n',
    variables: ['x', 'y'],
    includes: [{ repository: 'acme/b', start: 0, length: 9 }],
  })
})

test('Portkey: a partial by its slug, in a message', () => {
  give(
    'from/p.json',
    JSON.stringify({ slug: 'pp-p', name: 'P', string: '[{"role":"system","content":"{{>pp-t}}\\nHi {{x}}"}]' }),
  )
  give('from/t.json', JSON.stringify({ slug: 'pp-t', name: 'Tone', string: 'Be kind.', version: 3 }))
  expect(importFolder().map(({ name, lost }) => [name, lost])).toEqual([
    ['p', []],
    ['tone', []],
  ])
  expect(version('p')).toMatchObject({
    content: '{{role "system"}}\nBe kind.\nHi {{x}}\n',
    includes: [{ repository: 'acme/tone', range: '*', start: 18, length: 8 }],
  })
})

test('references that stay text are named, with the reason', () => {
  const prompts = [
    lf(
      'a',
      '@@@langfusePrompt:name=gone|version=1@@@\n@@@langfusePrompt:name=b|version=9@@@\n@@@langfusePrompt:name=b|label=x@@@',
    ),
    lf('b', 'see @@@langfusePrompt:name=b2|version=1@@@'),
    lf('b2', 'x'),
    lf('c', '@@@langfusePrompt:name=d|version=1@@@'),
    lf('d', '@@@langfusePrompt:name=c|version=1@@@'),
    lf('self', '@@@langfusePrompt:name=self|version=1@@@'),
    lf('like', '{{include "acme/b2"}}\n@@@langfusePrompt:name=b2|version=1@@@'),
  ]
  give('from/all.json', JSON.stringify(prompts))
  const lines = Object.fromEntries(importFolder().map(({ name, status, lost }) => [name, [status, ...lost]]))
  const stays = (reference: string, why: string) =>
    `reference: @@@langfusePrompt:${reference}@@@ stays text, because ${why}`
  const NONE = 'no other prompt of this import has this name'
  expect(lines).toMatchObject({
    a: [
      'new',
      stays('name=gone|version=1', NONE),
      stays('name=b|version=9', 'version 9 of acme/b is not in this import'),
      stays('name=b|label=x', 'acme/b has no label x'),
    ],
    b: ['new', stays('name=b2|version=1', 'it is not alone on its line')],
    self: ['new', stays('name=self|version=1', NONE)],
    like: ['new', stays('name=b2|version=1', 'the text has a line that looks like an include line')],
  })
  // Of two that include each other, one includes the other's text.
  expect([lines.c?.length, lines.d?.length].toSorted()).toEqual([1, 2])
  const circular = stays('name=d|version=1', 'the other prompt inserts this one, directly or through others')
  expect([...lines.c!, ...lines.d!].map((said) => said.replace('name=c', 'name=d'))).toContain(circular)
  expect(version('b').content).toBe('see @@@langfusePrompt:name=b2|version=1@@@')
})

test('prompt files and partials that include each other: the reason is the circle', () => {
  for (const [own, other] of ['ab', 'bc', 'ca'])
    give(`from/${own}.md`, `---\ncompose: true\n---\n{{include "acme/${other}"}}\n${own}\n`)
  give('from/_x.prompt', '{{>y}}\nX\n')
  give('from/_y.prompt', '{{>x}}\nY\n')
  const said = importFolder().map(({ name, lost, reasons }) => [name, ...lost, ...reasons])
  const CIRCLE = 'the other prompt inserts this one, directly or through others'
  expect(said.filter(([, reason]) => reason?.includes(CIRCLE))).toHaveLength(1)
  expect(
    said.filter(([, reason]) => reason?.includes('includes this prompt, directly or through others')),
  ).toHaveLength(1)
  expect(said.filter(([, reason]) => reason?.includes('no other prompt'))).toEqual([])
})

test('a changed part alone changes no prompt that includes it; a changed source takes the new part', () => {
  give('from/all.json', JSON.stringify([lf('a', '@@@langfusePrompt:name=b|label=latest@@@\n1'), lf('b', 'Old')]))
  importFolder()
  give('from/all.json', JSON.stringify([lf('a', '@@@langfusePrompt:name=b|label=latest@@@\n1'), lf('b', 'New')]))
  expect(importFolder().map(({ name, status, lost }) => [name, status, lost])).toEqual([
    ['a', 'unchanged', []],
    ['b', 'changed', []],
  ])
  give('from/all.json', JSON.stringify([lf('a', '@@@langfusePrompt:name=b|label=latest@@@\n2'), lf('b', 'New')]))
  importFolder()
  expect(version('a', '1.1.0').content).toBe('New\n2')
})
