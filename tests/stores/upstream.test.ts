// Tests what a hub reads from an upstream hub, and what it keeps: answers that are wrong, too long, late or redirected,
// and an upstream that is away for a while.
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { buildCatalogue } from '../../packages/catalogue/catalogue.ts'
import { listDataFiles } from '../../packages/catalogue/published/data-files.ts'
import { openTextThreads } from '../../packages/node-server/text-threads.ts'
import { openUpstream } from '../../packages/stores/upstream/upstream.ts'
import { digestText } from '../../src/ports/measure.ts'
import type { TextWork } from '../../src/ports/text-work.ts'
import { findRepository } from '../../src/server/read/records.ts'
import { TEXT_WORK_IN_PLACE } from '../../src/wiring/text-jobs.ts'
import { aRepository, aTree, aVersion } from '../domain/fixtures.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'

const versionOf = (version: string, content: string) =>
  aVersion(version, { content, content_sha256: digestText(content), size_bytes: content.length })
const tree = aTree([
  aRepository('acme/letters', { versions: [versionOf('1.0.0', 'One.\n'), versionOf('1.1.0', 'Two.\n')] }),
  aRepository('acme/other', { versions: [versionOf('1.0.0', 'Another.\n')] }),
])
const files = new Map(
  listDataFiles(buildCatalogue(tree, { baseUrl: 'https://hub.test', day: '2026-11-20' }), digestText),
)

const REPOSITORY = '/data/v1/repos/acme/letters.json'
const VERSION = '/data/v1/repos/acme/letters/versions/1.0.0.json'
const RAW = '/data/v1/repos/acme/letters/raw/1.0.0.txt'
const BLOB = `/data/v1/repos/acme/letters/blobs/${digestText('a file')}.bin`
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let server: Server
let url: string
let answer: RequestListener
let asked: IncomingMessage[]
beforeAll(async () => {
  server = createServer((incoming, outgoing) => {
    asked.push(incoming)
    answer(incoming, outgoing)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const honest: RequestListener = ({ url: path = '' }, outgoing) => {
  const text = path === BLOB ? 'a file' : files.get(path)
  outgoing.writeHead(text === undefined ? 404 : 200).end(text)
}
const says =
  (text: string, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_incoming, outgoing) =>
    outgoing.writeHead(status, headers).end(text)
const isAway = says('', 503)

let dir: string
let time: number
beforeEach(() => {
  dir = temporaryFolder('hub-upstream-')
  time = Date.now()
  asked = []
  answer = honest
})

const open = async (limits?: { files: number; bytes: number }, at = url) => {
  const upstream = await openUpstream({ url: at, dir, now: () => time, ...(limits && { limits }) })
  return { ...upstream, read: (path: string, text: TextWork = TEXT_WORK_IN_PLACE) => upstream.read(path, text) }
}
const textOf = ({ bytes, isStale }: { bytes: Uint8Array | undefined; isStale: boolean }) => [
  bytes && new TextDecoder().decode(bytes),
  isStale,
]
const keptFiles = () => readdirSync(dir).flatMap((folder) => readdirSync(join(dir, folder)))

test('reads records byte for byte, and content only out of its checked record', async () => {
  const upstream = await open()
  for (const path of ['/data/v1/users/acme.json', REPOSITORY, '/data/v1/repos/acme/letters/versions.json', VERSION])
    expect(textOf(await upstream.read(path))).toEqual([files.get(path), false])
  expect(textOf(await upstream.read(RAW))).toEqual(['One.\n', false])
  expect(textOf(await upstream.read('/data/v1/repos/acme/letters/raw.txt'))).toEqual(['Two.\n', false])
  expect(textOf(await upstream.read('/data/v1/repos/acme/letters/skills/1.0.0.md'))).toEqual([undefined, false])
  expect(textOf(await upstream.read(BLOB))).toEqual(['a file', false])
  expect(asked.length).toBe(5)
})

test('sends no credentials, and names itself, so that no other hub passes the request on', async () => {
  await (await open()).read(REPOSITORY)
  const { headers } = asked[0]!
  expect([headers.authorization, headers.cookie, headers['user-agent'], headers['x-prompt-upstream-read']]).toEqual([
    ...[undefined, undefined],
    ...['prompt-hub', '1'],
  ])
})

test.each([
  ...words`
    /data/v1/index.json /data/v1/tags.json /data/v1/repos/acme/letters/changes.json /data/v1/repos/Acme/letters.json
    /data/v1/repos/acme/../x.json /data/v1/repos/docs/letters.json /data/v1/repos/acme/letters/versions/1.0.json
    /data/v1/repos/acme/letters/versions/1.0.0.txt /data/accounts/usage/acme.json
  `,
  ...[`/data/v1/repos/acme/letters/blobs/${'0'.repeat(63)}.bin`, `/data/v1/users/${'a'.repeat(400)}.json`],
])('never asks for %s', async (path) => {
  const upstream = await open()
  expect([upstream.ownerOf(path), textOf(await upstream.read(path)), asked.length]).toEqual([
    undefined,
    [undefined, false],
    0,
  ])
})

const changed = (path: string, from: string, to: string) => files.get(path)!.replaceAll(from, to)

test.each([
  ['a record with other content', REPOSITORY, says(changed(REPOSITORY, '"Two.', '"Too.'))],
  ['a version with other content', VERSION, says(changed(VERSION, '"One.', '"Own.'))],
  ['other content, read as raw', RAW, says(changed(VERSION, '"One.', '"Own.'))],
  ['the record of another prompt', REPOSITORY, says(files.get('/data/v1/repos/acme/other.json')!)],
  ['the record of another owner', '/data/v1/repos/evil/letters.json', says(files.get(REPOSITORY)!)],
  ['another version', '/data/v1/repos/acme/letters/versions/1.1.0.json', says(files.get(VERSION)!)],
  [
    'the versions of another prompt',
    '/data/v1/repos/acme/letters/versions.json',
    says(files.get('/data/v1/repos/acme/other/versions.json')!),
  ],
  ['the profile of another owner', '/data/v1/users/evil.json', says(files.get('/data/v1/users/acme.json')!)],
  ['a record without a field', REPOSITORY, says(changed(REPOSITORY, '"title"', '"titel"'))],
  ['a file with another digest', BLOB, says('another file')],
  ['no JSON', REPOSITORY, says('<!doctype html>')],
  ['nothing', REPOSITORY, says('')],
  ['deeply nested JSON', REPOSITORY, says('['.repeat(2_000_000))],
  ['more than 4 MB', REPOSITORY, says(' '.repeat(4 * 1024 * 1024 + 1))],
  ['a redirect', REPOSITORY, says('', 302, { Location: 'http://127.0.0.1:1/' })],
  ['a sign-in', REPOSITORY, says('', 401)],
])('%s is an upstream_error, and nothing of it is kept', async (_, path, lie) => {
  const upstream = await open()
  answer = lie
  await expect(upstream.read(path)).rejects.toMatchObject({ code: 'upstream_error' })
  expect([asked.length, keptFiles()]).toEqual([1, []])
  answer = says(path)
  await expect(upstream.read(path)).rejects.toMatchObject({ code: 'upstream_error' })
})

test('a text of a record is taken out of it in the thread that checks it, also when it comes from the disk', async () => {
  const threads = openTextThreads()
  const parse = vi.spyOn(JSON, 'parse')
  try {
    for (const state of ['new', 'kept']) {
      const upstream = await open()
      parse.mockClear()
      expect(textOf(await upstream.read(RAW, threads.forClient(''))), state).toEqual(['One.\n', false])
      expect(textOf(await upstream.read(RAW, threads.forClient(''))), state).toEqual(['One.\n', false])
      const { bytes } = await upstream.read(REPOSITORY, threads.forClient(''))
      const sources = {
        siteFiles: { read: async () => bytes },
        fresh: { find: async () => undefined, listNames: async () => [] },
      }
      const found = await findRepository('acme', 'letters', sources)
      expect(found?.facts(), state).toEqual({
        ...{ full_name: 'acme/letters', labels: {}, latest_version: '1.1.0', moved_to: null, status: 'active' },
        ...{ versions: ['1.1.0', '1.0.0'], latestContent: new TextEncoder().encode('Two.\n') },
      })
      expect(
        parse.mock.calls.filter(([text]) => /One\.|Two\./.test(text)),
        state,
      ).toEqual([])
    }
    expect(asked.length).toBe(2)
  } finally {
    parse.mockRestore()
    threads.close()
  }
})

test('the check of a hostile answer ends with its thread, and the upstream does not count as away', async () => {
  const upstream = await open()
  const threads = openTextThreads()
  const text = threads.forClient('')
  try {
    // Each of these entries lacks every field; the list of what is wrong with them would take gigabytes.
    answer = says(`{"data":[${'{},'.repeat(1_300_000)}{}],"meta":{}}`)
    const read = upstream.read('/data/v1/repos/acme/letters/versions.json', text)
    await expect(read).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
    expect(keptFiles()).toEqual([])
    answer = honest
    expect(textOf(await upstream.read(REPOSITORY, text))).toEqual([files.get(REPOSITORY), false])
  } finally {
    threads.close()
  }
})

test('an answer without end is given up, and the hub counts as away', async () => {
  const upstream = await open()
  answer = (_incoming, outgoing) => outgoing.writeHead(200).write('{"data":')
  const away = { code: 'unavailable', retryAfterSeconds: 10 }
  await expect(upstream.read(REPOSITORY)).rejects.toMatchObject(away)
  await expect(upstream.read(VERSION)).rejects.toMatchObject(away)
  expect(asked.length).toBe(1)
})

test('requests for the same file at the same time are one', async () => {
  const upstream = await open()
  await Promise.all([REPOSITORY, REPOSITORY, VERSION, RAW].map((path) => upstream.read(path)))
  expect(asked.map((request) => request.url).sort()).toEqual([REPOSITORY, VERSION])
})

test('asks for at most 16 files at the same time', async () => {
  const upstream = await open()
  const held: (() => void)[] = []
  answer = (incoming, outgoing) => held.push(() => honest(incoming, outgoing))
  const reads = Array.from({ length: 40 }, (_, index) => upstream.read(`/data/v1/repos/nobody/n${index}.json`))
  await expect.poll(() => held.length).toBe(16)
  answer = honest
  for (const release of held) release()
  expect((await Promise.all(reads)).map(({ bytes }) => bytes)).toEqual(Array(40).fill(undefined))
})

test('what changes is asked for again after a minute; a version never', async () => {
  const upstream = await open()
  for (const path of [REPOSITORY, VERSION, '/data/v1/users/nobody.json']) await upstream.read(path)
  for (const path of [REPOSITORY, VERSION, '/data/v1/users/nobody.json']) await upstream.read(path)
  expect(asked.length).toBe(3)
  time += MINUTE
  for (const path of [REPOSITORY, VERSION, '/data/v1/users/nobody.json']) await upstream.read(path)
  expect(asked.slice(3).map((request) => request.url)).toEqual([REPOSITORY, '/data/v1/users/nobody.json'])
})

test('after the clock was set back, everything that changes is asked for again, also after a restart', async () => {
  const CHANGING = [REPOSITORY, '/data/v1/users/nobody.json']
  const first = await open()
  for (const path of CHANGING) await first.read(path)
  time -= 10 * MINUTE
  for (const path of CHANGING) await first.read(path)
  expect(asked.length).toBe(4)
  time -= 10 * MINUTE
  await (await open()).read(REPOSITORY)
  expect(asked.length).toBe(5)
  answer = isAway
  time += MINUTE
  expect(textOf(await first.read(REPOSITORY))).toEqual([files.get(REPOSITORY), true])
  time -= 10 * MINUTE
  answer = honest
  expect(textOf(await first.read(REPOSITORY))).toEqual([files.get(REPOSITORY), false])
})

test('while the upstream is away, what was read is stale for a week, also after a restart', async () => {
  const first = await open()
  for (const path of [REPOSITORY, VERSION]) await first.read(path)
  answer = isAway
  for (const upstream of [first, await open()]) {
    time += MINUTE
    expect(textOf(await upstream.read(REPOSITORY))).toEqual([files.get(REPOSITORY), true])
    expect(textOf(await upstream.read(VERSION))).toEqual([files.get(VERSION), false])
  }
  time += 7 * DAY
  await expect(first.read(REPOSITORY)).rejects.toMatchObject({ code: 'unavailable' })
  expect(textOf(await first.read(VERSION))).toEqual([files.get(VERSION), false])
  answer = honest
  time += MINUTE
  expect(textOf(await first.read(REPOSITORY))).toEqual([files.get(REPOSITORY), false])
})

test('what the upstream no longer has is gone', async () => {
  const upstream = await open()
  await upstream.read(REPOSITORY)
  answer = says('', 404)
  time += MINUTE
  expect(textOf(await upstream.read(REPOSITORY))).toEqual([undefined, false])
  expect(keptFiles()).toEqual([])
})

test('a lie does not replace what was read, and is not hidden behind it', async () => {
  const upstream = await open()
  await upstream.read(REPOSITORY)
  answer = says('{}')
  time += MINUTE
  await expect(upstream.read(REPOSITORY)).rejects.toMatchObject({ code: 'upstream_error' })
  answer = isAway
  expect(textOf(await upstream.read(REPOSITORY))).toEqual([files.get(REPOSITORY), true])
})

test('a damaged file on the disk is read again', async () => {
  await (await open()).read(VERSION)
  const [folder = ''] = readdirSync(dir)
  writeFileSync(join(dir, folder, keptFiles()[0]!), '{"data":')
  expect(textOf(await (await open()).read(VERSION))).toEqual([files.get(VERSION), false])
  expect(asked.length).toBe(2)
})

const USER = '/data/v1/users/acme.json'
const bytesOf = (path: string) => Buffer.byteLength(files.get(path)!)

test.each([
  ['files', { files: 2, bytes: 10_000_000 }],
  ['bytes', { files: 100, bytes: bytesOf(VERSION) + bytesOf(USER) }],
])('the cache keeps a limited number of %s, the last ones that were read', async (_, limits) => {
  const upstream = await open(limits)
  for (const path of [REPOSITORY, VERSION, USER]) await upstream.read(path)
  await expect.poll(() => keptFiles().length).toBe(2)
  answer = isAway
  const restarted = await open()
  await expect(restarted.read(REPOSITORY)).rejects.toMatchObject({ code: 'unavailable' })
  expect(textOf(await restarted.read(VERSION))).toEqual([files.get(VERSION), false])
})

test('the files of one upstream are not served as another’s', async () => {
  await (await open()).read(VERSION)
  const other = await open(undefined, url.replace('127.0.0.1', 'localhost'))
  answer = says('', 404)
  expect(textOf(await other.read(VERSION))).toEqual([undefined, false])
})
