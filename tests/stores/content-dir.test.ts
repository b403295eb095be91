// Tests how the content folder is read: what is ignored, what is reported as a problem, and how a later read detects
// changed files.
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { readContentDir } from '../../packages/stores/content/content-dir.ts'
import { areCertain, listContent, listContentAgain, markFiles } from '../../packages/stores/content/content-listing.ts'
import { readConfig } from '../../src/config.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'
import { putContent, versionFile } from './content-folder.ts'

let dir = ''
beforeEach(() => {
  dir = temporaryFolder('prompt-hub-content-')
  put('acme/a/versions/1.0.0.md', versionFile('One'))
  put('acme/b/index.md', '---\ntitle: Before\n---\n')
  put('acme/b/versions/1.0.0.md', versionFile('Two'))
})

const put = (path: string, text: string) => putContent(dir, path, text)
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

test('a folder that became a link after the listing is neither listed nor read', () => {
  const contentDir = join(dir, 'content')
  const before = listContent(contentDir)
  mkdirSync(join(dir, 'secret'))
  renameSync(join(contentDir, 'acme'), join(dir, 'secret/acme'))
  symlinkSync('../secret/acme', join(contentDir, 'acme'))
  const { tree, problems } = readContentDir(contentDir, before)
  expect(tree.repositories.size).toBe(0)
  expect(new Set(problems.map(({ rule }) => rule))).toEqual(new Set(['regular-file']))
  expect(listContentAgain(contentDir, before, ['acme/a', 'acme/b'])).toMatchObject({
    files: [],
    problems: [{ file: 'content/acme/a' }, { file: 'content/acme/b' }],
  })
})

test('a FIFO is reported, and reading does not wait for a writer', () => {
  execFileSync('mkfifo', [join(dir, 'content/equivalents.txt'), join(dir, 'content/acme/a/index.md')])
  const listing = listContent(join(dir, 'content'))
  expect(listing.problems.map(({ file, rule }) => `${file} ${rule}`)).toEqual([
    'content/acme/a/index.md regular-file',
    'content/equivalents.txt regular-file',
  ])
  const files = [...listing.files, { path: 'equivalents.txt', stamp: '', bytes: 0 }]
  const { problems } = readContentDir(join(dir, 'content'), { ...listing, problems: [], files })
  expect(problems.map(({ file, rule }) => `${file} ${rule}`)).toEqual(['content/equivalents.txt regular-file'])
})

test('listing only the changed repositories gives the same result as a full listing', () => {
  const contentDir = join(dir, 'content')
  const before = listContent(contentDir)
  put('acme/b/versions/1.1.0.md', versionFile('Three'))
  put('acme/b/notes.md~', 'left behind')
  put('other/c/versions/1.0.0.md', versionFile('New'))
  rmSync(join(contentDir, 'acme/a'), { recursive: true })
  const sorted = ({ files, ...more }: ReturnType<typeof listContent>) => ({
    ...more,
    files: files.map(({ path }) => path).sort(),
  })
  const again = listContentAgain(contentDir, before, ['acme/a', 'acme/b', 'other/c'])
  expect(sorted(again)).toEqual(sorted(listContent(contentDir)))
})

test('file marks are equal exactly when paths, timestamps and order are, and uncertain without a timestamp', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '/', '1', ':'), minLength: 1, maxLength: 4 })
  const stamp = fc.oneof({ arbitrary: word, weight: 9 }, fc.constant(''))
  const files = fc.array(fc.record({ path: word, stamp }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(files, files, fc.boolean(), (one, other, isCopy) => {
      const [marks, others] = [markFiles(one), markFiles(isCopy ? structuredClone(one) : other)]
      const say = (listed: typeof one) => JSON.stringify(listed.map(({ path, stamp }) => [path, stamp]))
      const isKnown = one.every(({ stamp }) => stamp !== '')
      expect(areCertain(marks)).toBe(isKnown)
      if (isKnown) expect(marks === others).toBe(say(one) === say(isCopy ? one : other))
    }),
    { numRuns: 2_000 },
  )
})
