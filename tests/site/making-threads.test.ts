// Shows that groups of files which a thread makes are, byte for byte, those that the thread of the build makes, and that what goes wrong there ends the build.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Config, readConfig } from '../../src/config.ts'
import type { Catalogue } from '../../src/domain/catalogue/catalogue.ts'
import { openCatalogue } from '../../src/site/build/load-catalogue.ts'
import { setCatalogue } from '../../src/site/build/loaded-catalogue.ts'
import { makeInThreads } from '../../src/site/build/making-threads.ts'
import { openPages, type PageRenderer } from '../../src/site/build/render-pages.ts'
import { groupRepositoryData, groupRepositoryPages } from '../../src/site/build/repository-groups.ts'
import type { NamedGroup, NamedTask } from '../../src/site/build/site-writer.ts'
import { type BuildCache, openBuildCache } from '../../src/stores/build-cache.ts'
import { makeSiteFolder, PAGES, readTree } from '../hubs/build-site.ts'

const root = makeSiteFolder('making-threads')
const cachePath = join(root, 'cache.db')
let config: Config
let cache: BuildCache
let catalogue: Catalogue
let pages: PageRenderer
let tasks: NamedTask[]

beforeAll(async () => {
  config = readConfig({ CONTENT_DIR: 'content', SITE_URL: 'https://hub.test', SOURCE_DATE_EPOCH: '1763683200' })
  cache = openBuildCache(cachePath, { parser: '1', site: '1' })
  catalogue = openCatalogue(config, { cache: cache.content }).load().catalogue
  setCatalogue(catalogue)
  pages = await openPages(PAGES)
  const groups = [...catalogue.entries.values()].flatMap((entry) => [
    groupRepositoryData(entry),
    groupRepositoryPages(catalogue, entry),
  ])
  tasks = groups.flatMap(({ id, task }) => (task ? [{ id, task }] : []))
})
afterAll(() => {
  cache.close()
  rmSync(root, { recursive: true, force: true })
})

const byId = (groups: readonly NamedGroup[]) => [...groups].sort((a, b) => (a.id < b.id ? -1 : 1))

test('what a thread makes alone is what is made without one', { timeout: 120_000 }, async () => {
  const [alone, here] = ['alone', 'here'].map((name) => mkdtempSync(join(root, name)))
  const made: Record<'alone' | 'here', NamedGroup[]> = { alone: [], here: [] }
  const all = Promise.withResolvers<void>()
  const noteAlone = (group: NamedGroup) => {
    if (made.alone.push(group) === tasks.length) all.resolve()
  }
  const making = { catalogue, pages, cachePath }
  await makeInThreads(tasks, { ...making, dir: alone!, threads: 1 }, noteAlone, () => all.promise)
  // The thread read what is kept of each repository; here all of it is at hand.
  const held = openCatalogue(config).load().catalogue
  setCatalogue(held)
  await makeInThreads(
    tasks,
    { ...making, catalogue: held, dir: here!, threads: 0 },
    (group) => made.here.push(group),
    () => {},
  )
  expect(made.here).toHaveLength(tasks.length)
  expect(byId(made.alone)).toEqual(byId(made.here))
  const [ours, theirs] = [readTree(alone!), readTree(here!)]
  expect([...ours.keys()]).toEqual([...theirs.keys()])
  expect([...ours.keys()].some((path) => /^\/[^/]+\/[^/]+\/compare\/[^/]+\/index\.html$/.test(path))).toBe(true)
  for (const [path, text] of theirs) if (ours.get(path) !== text) expect(ours.get(path), path).toBe(text)
})

test('what a thread would have made that cannot be started is made here, once', { timeout: 120_000 }, async () => {
  const dir = mkdtempSync(join(root, 'unstarted'))
  const made: NamedGroup[] = []
  const some = tasks.filter(({ task }) => task.what === 'data')
  await makeInThreads(
    some,
    { catalogue, pages: { ...pages, bundle: join(root, 'nowhere') }, cachePath, dir, threads: 2 },
    (group) => made.push(group),
    () => {},
  )
  expect(made.map(({ id }) => id).sort()).toEqual(some.map(({ id }) => id).sort())
})

test('a file that a thread cannot write ends it', { timeout: 120_000 }, async () => {
  const dir = mkdtempSync(join(root, 'blocked'))
  // Two batches, which the thread takes at once; this one waits until it has made the first.
  const some = tasks.filter(({ task }) => task.what === 'data').slice(0, 40)
  const blocked = `${dir}/data/v1/repos/${some.at(-1)!.task.of}`
  mkdirSync(dirname(blocked), { recursive: true })
  writeFileSync(blocked, 'a file where a folder should be')
  const first = Promise.withResolvers<void>()
  const making = { catalogue, pages, cachePath, dir, threads: 1 }
  const made = makeInThreads(
    some,
    making,
    () => first.resolve(),
    () => first.promise,
  )
  await expect(made).rejects.toThrow(/ENOTDIR|EEXIST/)
})
