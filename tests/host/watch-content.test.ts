// Checks that no content change goes unnoticed: early changes, new, renamed and replaced folders, files saved by
// different editors, and event queue overflows.
import { appendFileSync, closeSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { watchContent, watchDays } from '../../src/hosts/node/builds/watch-content.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

const WITHIN = 120_000
let root: string
let dir: string
let watching: ReturnType<typeof watchContent> | undefined
/** The reported changes, in order; undefined means that anything may have changed. */
let told: (string[] | undefined)[]
beforeEach(() => {
  // Once a second, it looks whether the folder itself is another.
  const start = setInterval
  vi.spyOn(globalThis, 'setInterval').mockImplementation((run, ms = 0) => start(run, ms / 10))
  root = temporaryFolder('watch-content-')
  dir = join(root, 'content')
  told = []
  put('acme/one/index.md')
  put('acme/one/versions/1.0.0.md')
})
afterEach(() => {
  watching?.close()
  vi.restoreAllMocks()
})

function put(path: string, below = dir): void {
  writeFiles(below, { [path]: 'Text' })
}
const watchIt = () => {
  watching = watchContent(dir, (paths) => told.push(paths?.toSorted()))
}
const paths = () => [...new Set(told.flatMap((some) => some ?? ['everything']))].toSorted()
const expectTold = (...expected: string[]) =>
  expect.poll(paths, { timeout: WITHIN }).toEqual(expect.arrayContaining(expected))
/** Makes a change that is guaranteed to be reported after all earlier changes. */
async function expectOnly(...expected: string[]): Promise<void> {
  put('zzz.md')
  await expectTold('zzz.md')
  expect(paths()).toEqual([...expected, 'zzz.md'].toSorted())
}

test('reports a change right after the start, and later ones', { timeout: 2 * WITHIN }, async () => {
  watchIt()
  appendFileSync(join(dir, 'acme/one/index.md'), 'More')
  await expect.poll(() => told.length, { timeout: WITHIN }).toBe(1)
  appendFileSync(join(dir, 'acme/one/versions/1.0.0.md'), 'More')
  await expect.poll(() => told.length, { timeout: WITHIN }).toBe(2)
  expect(told).toEqual([['acme/one/index.md'], ['acme/one/versions/1.0.0.md']])
})

test('watches thousands of folders while other work goes on, and one that was replaced meanwhile', async () => {
  const owners = Array.from({ length: 60 }, (_, at) => `owner${at}`)
  for (const owner of owners)
    for (let at = 0; at < 100; at++) mkdirSync(join(dir, owner, `prompt${at}`), { recursive: true })
  // The first slice ends after 1,000 folders, however fast the machine is.
  const now = performance.now.bind(performance)
  let calls = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + (calls++ > 1_000 ? 1_000 : 0))
  onTestFinished(() => clock.mockRestore())
  watchIt()
  rmSync(join(dir, 'owner59'), { recursive: true })
  put('owner59/new/index.md')
  // Anything may have changed until everything is watched.
  await expectTold('everything')
  put('owner0/prompt99/index.md')
  put('owner58/prompt99/index.md')
  put('owner59/new/versions/1.0.0.md')
  await expectTold('owner0/prompt99/index.md', 'owner58/prompt99/index.md', 'owner59/new/versions/1.0.0.md')
})

test('reports files in new and moved folders, however quickly they appear', async () => {
  watchIt()
  put('acme/two/versions/1.0.0.md')
  put('new/three/versions/1.0.0.md')
  renameSync(join(dir, 'acme/one'), join(root, 'aside'))
  renameSync(join(root, 'aside'), join(dir, 'new/moved'))
  await expectTold(
    ...['acme/two/versions/1.0.0.md', 'new/three/versions/1.0.0.md', 'acme/one/'],
    ...['new/moved/index.md', 'new/moved/versions/1.0.0.md'],
  )
  told = []
  put('new/moved/versions/1.1.0.md')
  put('acme/two/index.md')
  await expectOnly('acme/two/index.md', 'new/moved/versions/1.1.0.md')
})

test('keeps watching a folder that was removed and recreated', async () => {
  watchIt()
  rmSync(join(dir, 'acme'), { recursive: true })
  put('acme/one/versions/1.0.0.md')
  await expectTold('acme/', 'acme/one/versions/1.0.0.md')
  told = []
  put('acme/one/versions/1.1.0.md')
  await expectOnly('acme/one/versions/1.1.0.md')
})

test('watches both a renamed folder and a new one with the old name', async () => {
  watchIt()
  renameSync(join(dir, 'acme/one'), join(dir, 'acme/two'))
  put('acme/one/versions/2.0.0.md')
  await expectTold('acme/one/', 'acme/one/versions/2.0.0.md', 'acme/two/versions/1.0.0.md')
  told = []
  put('acme/one/versions/2.1.0.md')
  put('acme/two/versions/1.1.0.md')
  await expectOnly('acme/one/versions/2.1.0.md', 'acme/two/versions/1.1.0.md')
})

test('reports a save by rename; ignores temporary files, .git and symlink targets', async () => {
  put('elsewhere/index.md', root)
  watchIt()
  symlinkSync(join(root, 'elsewhere'), join(dir, 'acme/link'))
  await expectTold('acme/link')
  told = []
  put('acme/one/.index.md.swp')
  put('acme/one/index.md~')
  renameSync(join(dir, 'acme/one/index.md~'), join(dir, 'acme/one/index.md'))
  put('.git/objects/aa')
  put('elsewhere/index.md', root)
  await expectOnly('acme/one/index.md')
})

test('reports that anything may have changed when the content folder is replaced or removed', {
  timeout: 3 * WITHIN,
}, async () => {
  put('acme/other/versions/1.0.0.md', join(root, 'next'))
  watchIt()
  renameSync(dir, join(root, 'before'))
  renameSync(join(root, 'next'), dir)
  await expectTold('everything')
  told = []
  put('acme/other/versions/1.1.0.md')
  await expectTold('acme/other/versions/1.1.0.md')
  rmSync(dir, { recursive: true })
  await expectTold('everything')
  told = []
  renameSync(join(root, 'before'), dir)
  await expectTold('everything')
  told = []
  put('acme/one/versions/1.1.0.md')
  await expectTold('acme/one/versions/1.1.0.md')
})

test('reports that anything may have changed when the event queue overflows', { timeout: 2 * WITHIN }, async () => {
  watchIt()
  const files = ['index.md', 'versions/1.0.0.md'].map((path) => openSync(join(dir, 'acme/one', path), 'a'))
  // The changes alternate between files, because the kernel merges identical consecutive events. Its queue holds 16,384
  // events.
  for (let number = 0; number < 9_000; number++) for (const file of files) writeSync(file, 'x')
  for (const file of files) closeSync(file)
  put('last/one/versions/1.0.0.md')
  await expectTold('everything')
  told = []
  put('last/one/versions/1.1.0.md')
  await expectTold('last/one/versions/1.1.0.md')
})

test('reports a change in a folder that was replaced while events were dropped', { timeout: 3 * WITHIN }, async () => {
  watchIt()
  const files = ['index.md', 'versions/1.0.0.md'].map((path) => openSync(join(dir, 'acme/one', path), 'a'))
  for (let number = 0; number < 9_000; number++) for (const file of files) writeSync(file, 'x')
  for (const file of files) closeSync(file)
  rmSync(join(dir, 'acme/one'), { recursive: true })
  put('acme/one/versions/1.0.0.md')
  await expectTold('everything')
  told = []
  put('acme/one/versions/1.1.0.md')
  await expectTold('acme/one/versions/1.1.0.md')
})

test('reports that anything may have changed when the content folder cannot be opened for a while', {
  timeout: 3 * WITHIN,
}, async () => {
  const reasons: string[] = []
  watching = watchContent(
    dir,
    (paths) => told.push(paths?.toSorted()),
    (reason) => reasons.push(reason),
  )
  renameSync(dir, join(root, 'before'))
  // A link to itself fails as the mount of a server that is away does: the folder exists, but nothing opens it.
  symlinkSync(dir, dir)
  await expectTold('everything')
  told = []
  rmSync(dir)
  renameSync(join(root, 'before'), dir)
  await expectTold('everything')
  told = []
  put('acme/one/versions/1.1.0.md')
  await expectTold('acme/one/versions/1.1.0.md')
  expect(reasons).toEqual([])
})

test('notices a new day, however the clock reaches it', () => {
  vi.useFakeTimers({ now: new Date('2026-11-20T10:00:00Z') })
  try {
    const want = vi.fn()
    watchDays(want)
    //  the clock, and how often a new day was noticed: it sleeps over midnight, reaches midnight, and is set back
    for (const [time, times] of [
      ['2026-11-20T12:00:00Z', 0],
      ['2026-11-22T08:00:00Z', 1],
      ['2026-11-22T23:59:55Z', 2],
      ['2026-11-21T08:00:00Z', 3],
    ] as const) {
      vi.setSystemTime(new Date(time))
      vi.advanceTimersByTime(30_000)
      expect(want).toHaveBeenCalledTimes(times)
    }
  } finally {
    vi.useRealTimers()
  }
})
