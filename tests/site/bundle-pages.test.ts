// Shows that the bundle of the pages is made once for each state of the code, and again when any of it is damaged or lost.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundlePages } from '../../src/site/build/bundle-pages.ts'
import { PAGES } from '../hubs/build-site.ts'

// Packages are found although the folder is not below the project's.
const keptDir = mkdtempSync(join(tmpdir(), 'bundles-'))
const place = { ...PAGES, keptDir, code: 'c0de'.repeat(16) }
let first: string

beforeAll(async () => {
  first = await bundlePages(place)
})
afterAll(() => rmSync(keptDir, { recursive: true, force: true }))

const entryOf = (dir: string) =>
  join(dir, 'server', readdirSync(join(dir, 'server')).find((name) => name.startsWith('prerender-entry.'))!)

test('it holds what is published beside the pages, and code that finds its packages', async () => {
  expect(readdirSync(join(first, 'beside')).sort()).toEqual(['assets', 'card.png', 'favicon.ico', 'favicon.svg'])
  const { app } = await import(entryOf(first))
  expect(app.manifest.routes.map(({ routeData }: { routeData: { route: string } }) => routeData.route)).toContain(
    '/[owner]/[name]',
  )
})

test('the next build finds it', async () => {
  expect(await bundlePages(place)).toBe(first)
})

test('one of which a byte is not as it was made is made again, and nothing half-made stays', {
  timeout: 60_000,
}, async () => {
  appendFileSync(entryOf(first), '\n')
  const second = await bundlePages(place)
  expect(second).not.toBe(first)
  expect(readdirSync(keptDir)).toEqual([second.slice(keptDir.length + 1)])
  first = second
})

test('that of other code is removed, one that is being made stays, and one that was left half-made does not', {
  timeout: 60_000,
}, async () => {
  const [busy, left] = [join(keptDir, 'aaaa-1.part'), join(keptDir, 'bbbb-2.part')]
  for (const dir of [busy, left]) mkdirSync(dir)
  const hourAgo = Date.now() / 1000 - 3600
  utimesSync(left, hourAgo, hourAgo)
  const other = await bundlePages({ ...place, code: 'beef'.repeat(16) })
  expect(existsSync(first)).toBe(false)
  expect(readdirSync(keptDir).sort()).toEqual([busy, other].map((dir) => dir.slice(keptDir.length + 1)).sort())
})

test('pages that cannot be bundled are an error, and leave nothing', { timeout: 60_000 }, async () => {
  const broken = mkdtempSync(join(tmpdir(), 'broken-project-'))
  const kept = join(broken, 'kept')
  mkdirSync(join(broken, 'src/pages'), { recursive: true })
  writeFileSync(join(broken, 'src/pages/index.astro'), `---\nimport './nothing.ts'\n---\n<p>Broken</p>\n`)
  await expect(bundlePages({ root: broken, keptDir: kept, code: place.code })).rejects.toThrow(
    'The pages could not be bundled: exit code 1.',
  )
  expect(readdirSync(kept)).toEqual([])
  rmSync(broken, { recursive: true })
})
