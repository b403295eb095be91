// Tests that the hub keeps a repository small and its history fast after many publishes.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createGit } from '../../src/git/git-command.ts'
import { maintain } from '../../src/git/git-store-local.ts'
import { type LocalRepository, makeRepository, publish } from './local-repository.ts'

let repository: LocalRepository
beforeEach(() => {
  repository = makeRepository('ready')
  const paths = Array.from({ length: 150 }, (_, index) => `content/acme/prompt-${index}/versions/1.0.0.md`)
  repository.commit(Object.fromEntries(paths.map((path) => [path, `Say ${path}.\n`])))
})

const countLoose = () => Number(/^count: (\d+)$/m.exec(repository.git('count-objects', '-v'))?.[1])
const listGraphs = () =>
  readdirSync(join(repository.folder, '.git/objects/info'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.graph'),
  )

test('packs loose objects and indexes the paths of each commit, after every 64th publish', async () => {
  expect(countLoose()).toBeGreaterThan(300)
  const store = repository.openStore()
  for (let commits = 0; commits < 64; commits += 1) await publish(store, { index: `About ${commits}` })
  await expect.poll(listGraphs).toHaveLength(1)
  // The first run packs the objects, and the next one removes what is packed.
  await maintain(createGit(repository.folder, process.env))
  expect([countLoose(), repository.warnings]).toEqual([0, []])
  expect(repository.git('fsck', '--full', '--strict')).toBe('')
})

test('does nothing if the user has disabled maintenance', async () => {
  repository.git('config', 'maintenance.auto', 'false')
  await maintain(createGit(repository.folder, process.env))
  expect(countLoose()).toBeGreaterThan(300)
})
