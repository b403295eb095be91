// While the first build is being made, prompts are served that somebody asks for, before those that come first in the content.
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { openSiteData } from '../../src/build/site-data.ts'
import { openObjects } from '../../src/content/content-reader.ts'
import { openContentSource } from '../../src/content/content-source.ts'
import type { BuilderMessage, HostMessage } from '../../src/hosts/node/builds/builder-messages.ts'
import { openEarlyReads } from '../../src/hosts/node/builds/early-reads.ts'
import { versionFile } from '../doctor/setups.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const WITHIN = 120_000
/** More than the builder makes before it hears the server. */
const PROMPTS = 250

test('a prompt is read before the build is complete, with the bytes that the build has', async () => {
  const names = Array.from({ length: PROMPTS }, (_, at) => `prompt-${String(at).padStart(3, '0')}`)
  const repository = makeRepository()
  repository.commit({
    ...Object.fromEntries(
      names.map((name) => [`content/acme/${name}/versions/1.0.0.md`, versionFile(`I am ${name}.`)]),
    ),
    'content/acme/links/versions/1.0.0.md': versionFile('I have moved.'),
    'content/acme/links/index.md': '---\nmoved_to: acme/prompt-000\n---\n',
  })
  const builder = new Worker(new URL('../../src/hosts/node/builds/builder-thread.ts', import.meta.url), {
    workerData: { dir: temporaryFolder('early-'), contentDir: join(repository.folder, 'content') },
  })
  const send = (message: HostMessage) => builder.postMessage(message)
  const early = openEarlyReads(
    (asked) => send({ kind: 'ask', ...asked }),
    () => new Error('not built'),
    WITHIN,
  )
  const order: string[] = []
  const begun = Promise.withResolvers<void>()
  const complete = Promise.withResolvers<void>()
  builder.on('error', complete.reject)
  builder.on('message', (message: BuilderMessage) => {
    if (message.kind === 'begin') send({ kind: 'ready', isWhole: true, orderMs: Date.now(), changed: [] })
    if (message.kind === 'progress') begun.resolve()
    if (message.kind === 'early') early.settle(message.id, message.bytes)
    if (message.kind === 'failed') complete.reject(new Error(message.message))
    if (message.kind === 'state') {
      order.push('complete')
      early.end()
      complete.resolve()
    }
  })
  const textOf = async (path: string) => {
    const bytes = await early.files.read(path)
    order.push(path)
    return bytes && new TextDecoder().decode(bytes)
  }
  await begun.promise
  // The last in the content, a version of another, what does not exist, and what is known only when all others are.
  const [last, record, nothing, noVersion, linked, list] = await Promise.allSettled([
    textOf(`/data/v1/repos/acme/${names.at(-1)}/raw.txt`),
    textOf(`/data/v1/repos/acme/${names.at(-2)}/versions/1.0.0.json`),
    textOf('/data/v1/repos/acme/nothing.json'),
    textOf(`/data/v1/repos/acme/${names.at(-1)}/versions/2.0.0.json`),
    textOf('/data/v1/repos/acme/links.json'),
    textOf('/data/v1/index.json'),
  ])
  await complete.promise
  await builder.terminate()
  expect(last).toEqual({ status: 'fulfilled', value: `I am ${names.at(-1)}.\n` })
  expect(record).toMatchObject({ status: 'fulfilled', value: expect.stringContaining(`I am ${names.at(-2)}.`) })
  expect([nothing, noVersion]).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'fulfilled', value: undefined },
  ])
  expect(linked).toMatchObject({ status: 'fulfilled', value: expect.stringContaining('"moved_to":"acme/prompt-000"') })
  expect(list).toMatchObject({ status: 'rejected', reason: new Error('not built') })
  expect(order.at(-1)).toBe('complete')
})

test('what is asked for is made first, from a reader of its own', async () => {
  const repository = makeRepository()
  const names = ['one', 'two', 'three']
  repository.commit(
    Object.fromEntries(names.map((name) => [`content/acme/${name}/versions/1.0.0.md`, versionFile(`I am ${name}.`)])),
  )
  const contentDir = join(repository.folder, 'content')
  const source = openContentSource({ contentDir, dir: undefined, environment: process.env })
  const { listing } = await source.look()
  const files = new Map<string, string | Uint8Array>()
  const makeState = openSiteData({
    baseUrl: 'https://hub.test',
    sink: {
      read: (path) => files.get(path)?.toString(),
      write: (path, content) => files.set(path, content),
      remove: (path) => files.delete(path),
      listPathsOutside: () => [],
      storePart() {},
      listParts: () => [],
    },
    findAsked: (left) => (left.has('acme/two') ? 'acme/two' : undefined),
  })
  const history = { since: null, changes: new Map(), added: new Map() }
  const { changed, problems } = makeState(listing, () => openObjects(source.git, listing), {
    day: '2026-01-01',
    history,
  })
  expect({ changed, problems }).toEqual({ changed: ['acme/two', 'acme/one', 'acme/three'], problems: [] })
  expect(names.map((name) => files.get(`/data/v1/repos/acme/${name}/raw.txt`))).toEqual(
    names.map((name) => `I am ${name}.\n`),
  )
})
