// Checks that a host's cache of site files stays within its limit without evicting frequently requested files.
import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { folderFiles } from '../../src/built/site-files-folder.ts'
import { filesInto } from '../../src/content/write-files.ts'
import { createHandler } from '../../src/hosts/node/http/answer.ts'
import { FILES_APP } from '../hubs/app.ts'
import { temporaryFolder } from '../temporary-folder.ts'

test('evicts the least recently used files when the cache is full', async () => {
  const dir = temporaryFolder('prompt-hub-files-')
  const names = Array.from({ length: 70 }, (_, index) => `/${index}.json`)
  const large = new Uint8Array(1024 * 1024)
  for (const [path, content] of [['/popular.json', '{}'], ...names.map((name) => [name, large] as const)])
    filesInto(dir)(path, content)
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
})

test('all readers of a large file share its bytes', async () => {
  const dir = temporaryFolder('prompt-hub-files-')
  const text = Array.from({ length: 300_000 }, (_, number) => `line ${number}`).join('\n')
  for (const [path, content] of [
    ['/data/v1/index.json', text],
    ['/data/v1/tags.json', '{}'],
  ] as const)
    filesInto(dir)(path, content)
  // Larger than the whole cache, as the index of 40,000 prompts is.
  for (const name of ['1', '2', '3']) filesInto(dir)(`/data/v1/large-${name}.json`, new Uint8Array(33 * 1024 * 1024))
  const files = folderFiles(dir)
  // A failed `toBe` would print the files.
  const isSame = async (name: string, bytes: unknown) => (await files.read(`/data/v1/${name}.json`)) === bytes
  const [index, ...large] = await Promise.all(
    ['index', 'large-1', 'large-2'].map((name) => files.read(`/data/v1/${name}.json`)),
  )
  expect(await isSame('index', index)).toBe(true)
  expect([await isSame('large-1', large[0]), await isSame('large-2', large[1])]).toEqual([true, true])
  await files.read('/data/v1/large-3.json')
  expect([await isSame('large-2', large[1]), await isSame('large-1', large[0])]).toEqual([true, false])
  expect(await files.read('/data/v1/nothing.json')).toBeUndefined()
  expect(await files.read('/../index.json')).toBeUndefined()
  const answer = createHandler(FILES_APP, () => ({ files }))
  const ask = (headers: Record<string, string> = {}, method = 'GET') =>
    answer(new Request('http://localhost/data/v1/index.json', { method, headers }), { network: '192.0.2.1' })
  const plain = await ask()
  expect(await plain.text()).toBe(text)
  const etag = plain.headers.get('ETag')!
  const headers = { 'content-length': String(text.length), 'content-type': 'application/json; charset=utf-8' }
  expect(Object.fromEntries(plain.headers)).toMatchObject(headers)
  const head = await ask({}, 'HEAD')
  expect([head.status, head.headers.get('ETag'), await head.text()]).toEqual([200, etag, ''])
  expect(Object.fromEntries(head.headers)).toMatchObject(headers)
  expect((await ask({ 'If-None-Match': etag })).status).toBe(304)
  const packed = await ask({ 'Accept-Encoding': 'br' })
  expect(packed.headers.get('Content-Encoding')).toBe('br')
  expect(brotliDecompressSync(await packed.arrayBuffer()).toString()).toBe(text)
  expect((await ask({ 'If-None-Match': packed.headers.get('ETag')! })).status).toBe(304)
  const packedHead = await ask({ 'Accept-Encoding': 'br' }, 'HEAD')
  expect(packedHead.headers.get('Content-Length')).toBe(packed.headers.get('Content-Length'))
})
