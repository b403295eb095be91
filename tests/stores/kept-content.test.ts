// Pins what is kept of the content: nobody asks it for more than changed, it says what it said for as long as anybody holds it, and what was staged of a state that failed is forgotten.
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { listSharedFiles } from '../../src/domain/catalogue/data-files.ts'
import { digestText } from '../../src/ports/measure.ts'
import { listFeeds } from '../../src/site/build/feeds.ts'
import { openCatalogue } from '../../src/site/build/load-catalogue.ts'
import { formatSitemap } from '../../src/site/build/sitemap.ts'
import { openBuildCache } from '../../src/stores/build-cache.ts'
import { openContentDir } from '../../src/stores/content-dir.ts'
import { areMarksOf, formatMarks, parseMarks } from '../../src/stores/content-listing.ts'
import { putContent, versionFile } from './content-folder.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'prompt-hub-kept-'))
  for (const name of ['a', 'b', 'c']) {
    put(`acme/${name}/index.md`, `---\ntitle: Title of ${name}\ntags: [one]\n---\nReadme.\n`)
    put(`acme/${name}/versions/1.0.0.md`, versionFile(`Content of ${name}`))
  }
  put('acme/index.md', '---\nname: Acme\n---\n')
})
afterEach(() => rmSync(dir, { recursive: true }))

const put = (path: string, text: string, when?: string) => putContent(dir, path, text, when)

/** Loads a catalogue as a new process does, and everything that stands in lists. @returns it with the units whose files were asked for */
function load(site = 'https://hub.test') {
  const config = readConfig({ CONTENT_DIR: join(dir, 'content'), SITE_URL: site })
  const cache = openBuildCache(join(dir, 'cache.db'), { parser: '1', site: '1' })
  const asked: string[] = []
  const content = {
    ...cache.content,
    read(name: string) {
      asked.push(name)
      return cache.content.read(name)
    },
  }
  const { catalogue } = openCatalogue(config, { cache: content }).load()
  const lists = {
    shared: [...listSharedFiles(catalogue, digestText)].map(({ path, key, text }) => [path, key, text()]),
    feeds: [...listFeeds(catalogue)].map(({ path, key, text }) => [path, key, text()]),
    sitemap: formatSitemap(catalogue),
  }
  const before = [...asked]
  // While the cache is open, for that is where they come from.
  const records = structuredClone(
    [...catalogue.entries.values()].map(({ repository, versions }) => [repository, versions]),
  )
  cache.close()
  return { lists, records, asked: before }
}

test('lists, feeds and the sitemap ask for the files of what changed alone', () => {
  load()
  // Files that belong to no repository are few, and always at hand.
  expect(load().asked).toEqual(['acme/index.md'])
  put('acme/b/versions/1.1.0.md', versionFile('Newer content'))
  expect(load().asked).toEqual(['acme/index.md', 'acme/b/'])
  const kept = load()
  expect(kept.asked).toEqual(['acme/index.md'])
  rmSync(join(dir, 'cache.db'))
  const { lists, records } = load()
  expect(kept.lists).toEqual(lists)
  expect(kept.records).toEqual(records)
})

test.each([
  ['the address of the hub', () => 'https://other.test'],
  [
    'counts of downloads',
    () => {
      put('usage.json', '{"acme/a": {"downloads_7d": 3, "downloads_90d": 40}}')
      return 'https://hub.test'
    },
  ],
])('%s changes what is kept of every list', (_, change) => {
  const before = load()
  const site = change()
  const after = load(site)
  rmSync(join(dir, 'cache.db'))
  expect(after.lists).toEqual(load(site).lists)
  expect(after.lists).not.toEqual(before.lists)
})

test('a repository says what it said when it was read, although its files are others by now', () => {
  const cache = openBuildCache(join(dir, 'cache.db'), { parser: '1', site: '1' })
  const read = openContentDir(join(dir, 'content'), { cache: cache.content })
  const before = read().tree.repositories.get('acme/b')
  put('acme/b/index.md', '---\ntitle: After\n---\n', '2020-01-02T00:00:00Z')
  put('acme/b/versions/1.1.0.md', versionFile('Three'))
  rmSync(join(dir, 'content/acme/c'), { recursive: true })
  const gone = read().tree.repositories
  expect(before?.file?.title).toBe('Title of b')
  expect(before?.versions.map(({ version }) => version)).toEqual(['1.0.0'])
  expect(gone.get('acme/b')?.file?.title).toBe('After')
  expect(gone.has('acme/c')).toBe(false)
  cache.close()
})

test('a file with another time and the same bytes is the same repository; one that only names another is seen beside it each time', () => {
  const cache = openBuildCache(join(dir, 'cache.db'), { parser: '1', site: '1' })
  const read = openContentDir(join(dir, 'content'), { cache: cache.content })
  put('acme/a/index.md', '---\nstatus: deprecated\nreplaced_by: acme/c\n---\n')
  const before = read()
  expect(before.problems).toEqual([])
  put('acme/b/index.md', '---\ntitle: Title of b\ntags: [one]\n---\nReadme.\n', '2021-01-01T00:00:00Z')
  const after = read()
  expect(after.filesRead).toBeGreaterThan(0)
  for (const name of ['acme/a', 'acme/b', 'acme/c'])
    expect(after.tree.repositories.get(name)).toBe(before.tree.repositories.get(name))
  rmSync(join(dir, 'content/acme/c'), { recursive: true })
  expect(read().problems.map(({ file, key }) => [file, key])).toEqual([['content/acme/a/index.md', 'replaced_by']])
  cache.close()
})

test('a repository is kept whole however long it is, and when it is shorter again', () => {
  const long = Array.from({ length: 40 }, (_, index) => `1.0.${index + 1}`)
  // Half a megabyte of JSON each, for a quote takes two characters; 16 million are the most of a part.
  for (const number of long) put(`acme/a/versions/${number}.md`, versionFile('"'.repeat(260_000) + number))
  const texts = () => {
    const { records } = load()
    const [[, versions] = []] = records as [unknown, { record: { version: string; content: string } }[]][]
    return versions?.map(({ record }) => `${record.version} ${record.content.length}`)
  }
  const first = texts()
  expect(first).toHaveLength(41)
  expect(texts()).toEqual(first)
  for (const number of long.slice(1)) rmSync(join(dir, `content/acme/a/versions/${number}.md`))
  expect(texts()).toEqual(first?.slice(-2))
  expect(texts()).toEqual(first?.slice(-2))
})

test('marks are those of files exactly when path, stamp and order are the same, and no stamp is missing', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '/', '1', ':'), minLength: 1, maxLength: 4 })
  const file = fc.record({
    path: word,
    stamp: fc.oneof({ arbitrary: word, weight: 9 }, fc.constant('')),
    size: fc.nat(),
  })
  const files = fc.uniqueArray(file, { minLength: 1, maxLength: 4, selector: ({ path }) => path })
  const say = (listed: readonly { path: string; stamp: string }[]) => listed.map(({ path, stamp }) => [path, stamp])
  const change = fc.constantFrom('none', 'no first', 'no last', 'more', 'stamp', 'path', 'order')
  fc.assert(
    fc.property(files, change, file, (marked, kind, other) => {
      const lines = formatMarks(marked.map(({ path, stamp }) => [path, { stamp, sha256: 'f'.repeat(64) }]))
      const listed = {
        none: marked,
        'no first': marked.slice(1),
        'no last': marked.slice(0, -1),
        more: [...marked, other],
        stamp: marked.map((one, index) => (index === 0 ? { ...one, stamp: other.stamp } : one)),
        path: marked.map((one, index) => (index === 0 ? { ...one, path: other.path } : one)),
        order: marked.toReversed(),
      }[kind]
      fc.pre(listed.length > 0)
      const isSame = JSON.stringify(say(listed)) === JSON.stringify(say(marked))
      expect(areMarksOf(lines, listed)).toBe(isSame && listed.every(({ stamp }) => stamp !== ''))
      expect([...parseMarks(lines)].map(([path, { stamp }]) => [path, stamp])).toEqual(say(marked))
    }),
    { numRuns: 2_000 },
  )
})

test('what could not be kept is read again, and nobody is told of it before', () => {
  const cache = openBuildCache(join(dir, 'cache.db'), { parser: '1', site: '1' })
  let isFull = false
  const content = {
    ...cache.content,
    change: (work: Parameters<typeof cache.content.change>[0]) =>
      cache.content.change((changes) => {
        work(changes)
        if (isFull) throw new Error('the disk is full')
      }),
  }
  const read = openContentDir(join(dir, 'content'), { cache: content })
  const before = read().tree.repositories.get('acme/b')
  put('acme/b/index.md', '---\ntitle: After\n---\n', '2020-01-02T00:00:00Z')
  isFull = true
  expect(read).toThrow('the disk is full')
  expect(before?.file?.title).toBe('Title of b')
  isFull = false
  expect(read().tree.repositories.get('acme/b')?.file?.title).toBe('After')
  expect(before?.file?.title).toBe('Title of b')
  cache.close()
})

test('while the folder is gone, nothing of it is forgotten', () => {
  const cache = openBuildCache(join(dir, 'cache.db'), { parser: '1', site: '1' })
  const read = openContentDir(join(dir, 'content'), { cache: cache.content })
  const before = read().tree
  renameSync(join(dir, 'content'), join(dir, 'away'))
  expect(read().problems).toHaveLength(1)
  renameSync(join(dir, 'away'), join(dir, 'content'))
  expect(read().tree.repositories.get('acme/b')).toBe(before.repositories.get('acme/b'))
  cache.close()
})

test('what was staged counts when its state is recorded, and not when it was given up', () => {
  const cache = openBuildCache(join(dir, 'cache.db'), { parser: '1', site: '1' })
  cache.stage('list', { key: 'old', count: 1 }, ['/list.json'])
  cache.save([], 'first')
  cache.stage('list', { key: 'new', count: 1 }, ['/other.json'])
  cache.stage('page', { key: 'new', count: 1, facts: { 'user acme': 'null' } }, ['/page.html'])
  cache.unstage()
  cache.save([], 'second')
  expect([...cache.loadGroups()]).toEqual([['list', { key: 'old', count: 1 }]])
  expect(cache.readPaths('list')).toEqual(['/list.json'])
  cache.stage('page', { key: 'new', count: 1, facts: { 'user acme': 'null' } }, ['/page.html'])
  // A process that ends now leaves the state before.
  cache.close()
  const again = openBuildCache(join(dir, 'cache.db'), { parser: '1', site: '1' })
  expect([again.loadState(), [...again.loadGroups().keys()]]).toEqual(['second', ['list']])
  again.close()
})
