// Tests how the content folder is read: what is ignored, and what is reported as a problem.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import { openFolder } from '../../src/files/plain-files.ts'
import { versionFile } from '../fixtures/prompt-files.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'
import { writeFiles } from '../write-files.ts'

let dir = ''
beforeEach(() => {
  dir = temporaryFolder('prompt-hub-content-')
  put('acme/a/versions/1.0.0.md', versionFile('One'))
  put('acme/b/index.md', '---\ntitle: Before\n---\n')
  put('acme/b/versions/1.0.0.md', versionFile('Two'))
})

const put = (path: string, text: string) => writeFiles(dir, { [`content/${path}`]: text })
const read = () => readContentDir(join(dir, 'content'))

test.each(words`
  .DS_Store .index.md.swp index.md~ #index.md# x.tmp X.TMP 1.0.0.md.swp .git/HEAD .idea/a.xml
`)('%s is ignored in any folder and listed as ignored', (name) => {
  for (const folder of ['', 'acme/', 'acme/a/', 'acme/a/versions/']) put(folder + name, 'anything')
  const { problems, ignored, tree } = read()
  expect(problems).toEqual([])
  expect(ignored).toHaveLength(4)
  expect(ignored).toContain(`content/acme/${name.split('/')[0]}`)
  expect([...tree.repositories.keys()]).toEqual(['acme/a', 'acme/b'])
})

test.each(['notes.txt', 'acme/a/versions/1.0.0.md.bak', 'acme/a/readme.md'])('%s is reported as a problem', (name) => {
  put(name, 'anything')
  expect(read().problems.map(({ file }) => file)).toEqual([`content/${name}`])
})

test('reports files and folders whose names are not UTF-8', () => {
  const named = (name: string) => Buffer.concat([Buffer.from(join(dir, 'content/acme/')), Buffer.from(name, 'latin1')])
  mkdirSync(named('caf\xe9'))
  writeFileSync(named('\xe9.md'), 'anything')
  const [rule, key, message] = ['readable', '', 'expected a name in UTF-8']
  expect(read().problems).toEqual([
    { file: 'content/acme/caf\ufffd', rule, key, message },
    { file: 'content/acme/\ufffd.md', rule, key, message },
  ])
})

test('reports a missing content folder', () => {
  expect(readContentDir(join(dir, 'gone')).problems).toEqual([
    { file: 'content', rule: 'content-folder', key: '', message: `not found: ${join(dir, 'gone')}` },
  ])
})

test('reports a content folder that is a link; the folder that an operator sets may be one', () => {
  symlinkSync(join(dir, 'content'), join(dir, 'link'))
  expect(readContentDir(join(dir, 'link'))).toMatchObject({
    problems: [{ file: 'content', rule: 'content-folder', message: expect.stringContaining('Set CONTENT_DIR') }],
    filesRead: 0,
  })
  const { contentDir } = readConfig({ CONTENT_DIR: join(dir, 'link') })
  expect(readContentDir(contentDir)).toMatchObject({ problems: [], filesRead: 3 })
})

test('a FIFO is reported, and reading does not wait for a writer', () => {
  runSync('mkfifo', [join(dir, 'content/equivalents.txt'), join(dir, 'content/acme/a/index.md')])
  expect(read().problems.map(({ file, rule }) => `${file} ${rule}`)).toEqual([
    'content/acme/a/index.md regular-file',
    'content/equivalents.txt regular-file',
  ])
  expect(openFolder(join(dir, 'content')).read('equivalents.txt', 100)).toEqual({ refusal: 'irregular' })
})
