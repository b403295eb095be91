// What lies in the folder of a site beside its state is removed at the right time, and never the state itself.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { describeFolder, removeLeftovers, removeOldBase, type SiteState } from '../../src/host/site-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'prompt-hub-folder-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const state: SiteState = {
  ...{
    layers: [{ name: '2', gone: [] }],
    search: 'search-2.db',
    number: 2,
    commit: null,
    source: { read_until: null, commits: [], broken: [] },
  },
  ...{ began: '2026-11-01T00:00:00Z', built_at: '2026-11-01T00:00:01Z' },
  counts: { repositories: 1, versions: 1, owners: 1 },
}
const FILES = ['base/a.json', 'base.old/b/c.json', 'layers/2/d', 'layers/3/e', 'search-2.db', 'search-3.db', 'cache.db']

function makeFolder(name: string, files = FILES) {
  const dir = join(root, name)
  for (const file of files) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    writeFileSync(join(dir, file), file)
  }
  return describeFolder(dir)
}
const list = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort()

test('beside a complete state, what is no part of it is removed; the old base is left to be removed slowly', () => {
  const folder = makeFolder('complete')
  removeLeftovers(folder, state)
  expect(list(folder.dir)).toEqual(['base.old/b/c.json', 'base/a.json', 'cache.db', 'layers/2/d', 'search-2.db'])
})

test('without a state, the base is put aside, in the place of one that was put aside before', () => {
  const folder = makeFolder('unfinished')
  removeLeftovers(folder, undefined)
  expect(list(folder.dir)).toEqual(['base.old/a.json', 'cache.db'])
})

test('the old base is removed with all that is in it, however many files that are', async () => {
  const many = Array.from({ length: 130 }, (_, index) => `base.old/${index % 7}/deep/${index}.json`)
  const folder = makeFolder('many', ['base/a.json', ...many])
  mkdirSync(join(folder.oldBase, 'empty/folder'), { recursive: true })
  await removeOldBase(folder)
  expect(existsSync(folder.oldBase)).toBe(false)
  await removeOldBase(folder)
  expect(list(folder.dir)).toEqual(['base/a.json'])
})
