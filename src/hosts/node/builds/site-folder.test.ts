// Checks which search indexes are removed from a site's folder: all except the current one, and never the database; and
// what its lock says if it cannot be opened.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.ts'
import { takeLock } from '../../../git/git-ready.ts'
import { describeFolder, nameNewIndex, removeOtherIndexes } from './site-folder.ts'

const root = temporaryFolder('prompt-hub-folder-')

test('removes all search indexes but the current one', () => {
  const dir = join(root, 'indexes')
  mkdirSync(dir)
  const names = ['search-1.db', 'search-10.db', 'search-2.db.next', 'search-2.db-wal', 'search-1.db-wal', 'site.db']
  for (const name of names) writeFileSync(join(dir, name), name)
  // A new one takes the place of no other, because readers keep what they have open.
  expect(nameNewIndex(describeFolder(dir), 10)).toBe('search-11.db')
  removeOtherIndexes(describeFolder(dir), 'search-1.db')
  expect(readdirSync(dir).sort()).toEqual(['search-1.db', 'search-1.db-wal', 'site.db'])
})

test('a lock that cannot be opened is named', () => {
  const path = join(root, 'no-such-folder', 'host.lock')
  expect(() => takeLock(path, 0)).toThrow(`${path} cannot be opened or written: unable to open database file`)
})
