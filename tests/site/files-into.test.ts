// Pins writing many files beside making them: all of them are there at the end, and what goes wrong in the thread is told.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openFileWriter } from '../../src/site/build/files-into.ts'

/** More than are written without a thread, and no whole number of batches. */
const FILES = 3_333

const root = mkdtempSync(join(tmpdir(), 'files-into-'))
afterAll(() => rmSync(root, { recursive: true }))

test('texts and bytes, in folders that are made on the way', { timeout: 60_000 }, async () => {
  const writer = openFileWriter(join(root, 'all'))
  const texts = Array.from({ length: FILES }, (_, number) => `Text ${number} é`)
  for (const [number, text] of texts.entries())
    await writer.put(`/f${number % 50}/${number}.txt`, number % 2 === 0 ? text : new TextEncoder().encode(text))
  await writer.end()
  expect(texts.map((_, number) => readFileSync(join(root, `all/f${number % 50}/${number}.txt`), 'utf8'))).toEqual(texts)
})

test('a file that cannot be written ends it', { timeout: 60_000 }, async () => {
  const dir = join(root, 'blocked')
  mkdirSync(dir)
  writeFileSync(join(dir, 'late'), 'a file where a folder should be')
  const writer = openFileWriter(dir)
  const work = async () => {
    for (let number = 0; number < FILES; number++)
      await writer.put(number > FILES / 1.5 ? `/late/${number}.txt` : `/${number}.txt`, 'text')
    await writer.end()
  }
  await expect(work()).rejects.toThrow(/ENOTDIR|EEXIST/)
  await expect(writer.end()).rejects.toThrow()
})
