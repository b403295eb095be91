// Tests our own host's page bundle: it is built once, reused, and rebuilt if it is incomplete.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPages } from '../../src/host/builds/pages-bundle.ts'

// This folder is outside the project, because the bundle needs no installed packages.
const keptDir = mkdtempSync(join(tmpdir(), 'bundles-'))
const place = { root: process.cwd(), keptDir, key: 'one' }
const TIMEOUT = { timeout: 120_000 }

beforeAll(async () => {
  await openPages(place)
}, 120_000)
afterAll(() => rmSync(keptDir, { recursive: true, force: true }))

const bundles = () => readdirSync(keptDir)
const digest = () => readFileSync(join(keptDir, bundles()[0]!, 'digest'), 'utf8')

test('the bundle has documents, styles and downloads, but no content', async () => {
  const { files } = await openPages(place)
  for (const path of ['/docs/index.html', '/404.html', '/cli/hubcli', '/_headers', '/robots.txt', '/favicon.svg'])
    expect((await files.read(path))?.length, path).toBeGreaterThan(0)
  expect(await files.read('/index.html')).toBeUndefined()
  expect(readdirSync(join(keptDir, bundles()[0]!, 'client'))).not.toContain('data')
})

test('the next start reuses the bundle', async () => {
  const made = digest()
  await openPages(place)
  expect([bundles().length, digest()]).toEqual([1, made])
})

test('rebuilds a modified bundle and leaves no partial one', TIMEOUT, async () => {
  const entry = join(keptDir, bundles()[0]!, 'server/entry.mjs')
  appendFileSync(entry, '\n// changed')
  await openPages(place)
  expect(readFileSync(entry, 'utf8')).not.toContain('// changed')
  expect(bundles().length).toBe(1)
})

test('removes bundles unused for a week and abandoned partial ones, keeps recent partial ones', TIMEOUT, async () => {
  const old = join(keptDir, bundles()[0]!)
  const [busy, left] = [join(keptDir, 'aaaa-1.part'), join(keptDir, 'bbbb-2.part')]
  for (const dir of [busy, left]) mkdirSync(dir)
  const agoOf = (ms: number) => new Date(Date.now() - ms)
  utimesSync(left, agoOf(3_600_000), agoOf(3_600_000))
  utimesSync(old, agoOf(8 * 86_400_000), agoOf(8 * 86_400_000))
  await openPages({ ...place, key: 'two' })
  expect([old, busy, left].map((dir) => existsSync(dir))).toEqual([false, true, false])
})

test('fails when the pages cannot be bundled, and leaves no files behind', TIMEOUT, async () => {
  const broken = mkdtempSync(join(tmpdir(), 'broken-project-'))
  const kept = join(broken, 'kept')
  mkdirSync(join(broken, 'src/pages'), { recursive: true })
  writeFileSync(join(broken, 'src/pages/index.astro'), `---\nimport './nothing.ts'\n---\n<p>Broken</p>\n`)
  await expect(openPages({ root: broken, keptDir: kept, key: 'one' })).rejects.toThrow(
    'The pages could not be bundled: exit code 1.',
  )
  expect(readdirSync(kept)).toEqual([])
  rmSync(broken, { recursive: true })
})
