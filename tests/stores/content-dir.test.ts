// Pins reading the content folder: what is passed by, what is read again, and that a broken file keeps out itself and nothing else.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { groupProblems } from '../../src/domain/content/last-good.ts'
import { openBuildCache } from '../../src/stores/build-cache.ts'
import { openContentDir } from '../../src/stores/content-dir.ts'
import { putContent, versionFile } from './content-folder.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'prompt-hub-content-'))
  put('acme/a/versions/1.0.0.md', versionFile('One'))
  put('acme/b/index.md', '---\ntitle: Before\n---\n')
  put('acme/b/versions/1.0.0.md', versionFile('Two'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const put = (path: string, text: string, when?: string) => putContent(dir, path, text, when)
const open = () => openContentDir(join(dir, 'content'))
const codes = { parser: 'p', site: 's' }
const openCache = (given = codes) => openBuildCache(join(dir, 'cache.db'), given)
const titleOf = (tree: ReturnType<ReturnType<typeof open>>['tree'], name: string) =>
  tree.repositories.get(name)?.file?.title
const versionsOf = (tree: ReturnType<ReturnType<typeof open>>['tree'], name: string) =>
  tree.repositories
    .get(name)
    ?.versions.map((one) => one.version)
    .toSorted()

test.each([
  '.DS_Store',
  '.index.md.swp',
  'index.md~',
  '#index.md#',
  'x.tmp',
  'X.TMP',
  '1.0.0.md.swp',
  '.git/HEAD',
  '.idea/a.xml',
])('%s is passed by wherever it lies, and named', (name) => {
  for (const folder of ['', 'acme/', 'acme/a/', 'acme/a/versions/']) put(folder + name, 'anything')
  const { problems, ignored, tree } = open()()
  expect(problems).toEqual([])
  expect(ignored).toHaveLength(4)
  expect(ignored).toContain(`content/acme/${name.split('/')[0]}`)
  expect([...tree.repositories.keys()]).toEqual(['acme/a', 'acme/b'])
})

test.each(['notes.txt', 'acme/a/versions/1.0.0.md.bak', 'acme/a/readme.md'])('%s is still a mistake', (name) => {
  put(name, 'anything')
  expect(open()().problems.map(({ file }) => file)).toEqual([`content/${name}`])
})

test('a broken file keeps out itself: everything else is as it is, and it is as it was', () => {
  const read = open()
  expect(read().servable().repositories.size).toBe(2)
  put('acme/b/index.md', '---\ntitel: Wrong\n---\n', '2020-01-02T00:00:00Z')
  put('acme/b/versions/1.1.0.md', versionFile('Three'))
  put('acme/b/versions/1.2.0.md', 'no front matter')
  put('acme/c/versions/1.0.0.md', versionFile('\0'))
  put('acme/a/versions/1.1.0.md', versionFile('Four'))
  const { problems, servable } = read()
  const tree = servable()
  expect(titleOf(tree, 'acme/b')).toBe('Before')
  expect(versionsOf(tree, 'acme/b')).toEqual(['1.0.0', '1.1.0'])
  expect(versionsOf(tree, 'acme/a')).toEqual(['1.0.0', '1.1.0'])
  expect(tree.repositories.has('acme/c')).toBe(false)
  const groups = groupProblems(problems)
  expect([...groups.keys()].toSorted()).toEqual(['acme/b', 'acme/c'])
  expect(groups.get('acme/b')?.join('\n')).toMatch(/titel[\s\S]*1\.2\.0\.md/)
})

test('files that do not go together leave a repository as it was, with the versions that came since', () => {
  const read = open()
  read().servable()
  put('acme/b/index.md', '---\ntitle: After\nlabels: {production: 9.9.9}\n---\n', '2020-01-02T00:00:00Z')
  put('acme/b/versions/1.1.0.md', versionFile('Three'))
  const tree = read().servable()
  expect(titleOf(tree, 'acme/b')).toBe('Before')
  expect(versionsOf(tree, 'acme/b')).toEqual(['1.0.0', '1.1.0'])
  put('acme/b/versions/9.9.9.md', versionFile('Nine'))
  expect(titleOf(read().servable(), 'acme/b')).toBe('After')
})

test('a folder that cannot be read is a problem, and what was in it is no content', () => {
  const read = open()
  read()
  renameSync(join(dir, 'content'), join(dir, 'gone'))
  expect(read().problems).toEqual([
    { file: 'content', rule: 'content-folder', key: '', message: `not found: ${join(dir, 'content')}` },
  ])
})

test('what did not change is the same object, and only what changed is read', () => {
  // As if long ago: a file that changed within the last moments is read again, for it may change within a tick of the clock.
  const read = open()
  const before = read()
  put('acme/a/versions/1.1.0.md', versionFile('Four'))
  const after = read()
  expect(after.tree.repositories.get('acme/b')).toBe(before.tree.repositories.get('acme/b'))
  expect(after.tree.repositories.get('acme/a')).not.toBe(before.tree.repositories.get('acme/a'))
  expect(after.tree.repositories.get('acme/a')?.digest).not.toBe(before.tree.repositories.get('acme/a')?.digest)
})

test('the cache changes nothing: the same tree with it, without it, after the parser changed, and after it was lost or damaged', () => {
  const plain = open()().tree
  const through = (given = codes) => {
    const cache = openCache(given)
    const { tree } = openContentDir(join(dir, 'content'), { cache: cache.content })()
    // Files of a repository are read from the cache when they are asked for.
    const whole = structuredClone(tree)
    cache.close()
    return whole
  }
  expect(through()).toEqual(plain)
  expect(through()).toEqual(plain)
  expect(through({ ...codes, parser: 'another' })).toEqual(plain)
  writeFileSync(join(dir, 'cache.db'), 'no database, but long enough to look at '.repeat(100))
  for (const suffix of ['-wal', '-shm']) rmSync(join(dir, `cache.db${suffix}`), { force: true })
  expect(through()).toEqual(plain)
})

test('the last good state outlives the process', () => {
  const cache = openCache()
  openContentDir(join(dir, 'content'), { cache: cache.content })()
  cache.close()
  put('acme/b/index.md', 'broken', '2020-01-02T00:00:00Z')
  const again = openCache()
  const tree = openContentDir(join(dir, 'content'), { cache: again.content })().servable()
  again.close()
  expect(titleOf(tree, 'acme/b')).toBe('Before')
})
