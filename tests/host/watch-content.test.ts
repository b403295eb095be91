// Shows that no change of the content goes unnoticed, however early it comes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type ContentWatch, watchContent } from '../../src/host/builds/watch-content.ts'

const WITHIN = 30_000
const dir = mkdtempSync(join(tmpdir(), 'watch-content-'))
let watching: ContentWatch | undefined
afterEach(async () => {
  await watching?.close()
  rmSync(dir, { recursive: true, force: true })
})

test('a change before watching has begun, and one after it', { timeout: 2 * WITHIN }, async () => {
  const file = join(dir, 'acme/one/index.md')
  mkdirSync(join(dir, 'acme/one'), { recursive: true })
  writeFileSync(file, 'First')
  let wanted = 0
  watching = watchContent(dir, () => wanted++)
  // Nothing was looked at yet: the watcher finds the file as it is now.
  writeFileSync(file, 'Second')
  await expect.poll(() => wanted, { timeout: WITHIN }).toBe(1)
  writeFileSync(file, 'Third')
  await expect.poll(() => wanted, { timeout: WITHIN }).toBe(2)
})
