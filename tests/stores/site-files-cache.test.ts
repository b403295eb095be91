// Pins that a host's memory of a site's files stays bounded without forgetting what is asked for all the time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderFiles } from '../../src/stores/site-files-folder.ts'
import { writeFiles } from '../../src/stores/write-files.ts'

test('files beyond the bound push out those asked for longest ago, and no others', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-files-'))
  const names = Array.from({ length: 20 }, (_, index) => `/${index}.json`)
  const large = new Uint8Array(5 * 1024 * 1024)
  writeFiles(dir, [['/popular.json', '{}'], ...names.map((name) => [name, large] as const)])
  const files = folderFiles(dir)
  const popular = await files.read('/popular.json')
  const first = await files.read(names[0]!)
  for (const name of names.slice(1)) {
    await files.read(name)
    expect(await files.read('/popular.json')).toBe(popular)
  }
  const again = await files.read(names[0]!)
  expect(again).not.toBe(first)
  expect(again).toEqual(first)
  rmSync(dir, { recursive: true })
})
