// Checks which search indexes are removed from a site's folder: all except the current one, and never the database.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeFolder, removeOtherIndexes } from '../../packages/node-server/builds/site-folder.ts'
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
