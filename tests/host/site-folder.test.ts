// Checks which search indexes are removed from a site's folder: all except the current one, and never the database; and
// what its lock says if it cannot be opened.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeFolder, removeOtherIndexes } from '../../packages/node-server/builds/site-folder.ts'
import { takeLock } from '../../packages/stores/git/process-lock.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const root = temporaryFolder('prompt-hub-folder-')

test.each([
  ['search-2.db', ['search-2.db', 'site.db']],
  [undefined, ['site.db']],
])('current index %s: removes all other search indexes', (search, left) => {
  const dir = join(root, String(search))
  mkdirSync(dir)
  for (const name of ['search-2.db', 'search-3.db', 'search-3.db.next', 'site.db']) writeFileSync(join(dir, name), name)
  removeOtherIndexes(describeFolder(dir), search ? [search] : [])
  expect(readdirSync(dir).sort()).toEqual(left)
})

test('a lock that cannot be opened is named', () => {
  const path = join(root, 'no-such-folder', 'host.lock')
  expect(() => takeLock(path, 0)).toThrow(`${path} cannot be opened or written: unable to open database file`)
})
