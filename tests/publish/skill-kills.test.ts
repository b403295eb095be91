// Checks that a hub can be killed at every step of publishing a skill with files: each version has all of its files, or
// does not exist.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readContentDir } from '../../packages/stores/content/content-dir.ts'
import { REPOSITORY } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { makeBadGit, startKillable } from './killing.ts'

const FILES = Array.from({ length: 12 }, (_, at) => `folder-${at % 3}/file-${at}.md`)

test('a hub killed before and after each git call leaves whole versions, and a retry completes the publish', async () => {
  const world = openLocalWorld()
  const contentDir = await world.contentDir()
  const blobsDir = mkdtempSync(join(tmpdir(), 'hub-state-'))
  const badGit = makeBadGit()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dirname(contentDir), encoding: 'utf8' })
  let hub = await startKillable({ contentDir, blobsDir }, badGit.dir)
  const publish = (step: number) =>
    hub.ask({
      method: 'POST',
      path: `/api/v1/repos/${REPOSITORY}/versions`,
      key: `publish-${step}`,
      body: {
        content: `Step ${step}\n`,
        skill: { description: 'Does it.' },
        files: FILES.map((path) => ({ path, text: `${path} ${step}` })),
      },
    })
  /** Checks every version on the branch, and the working tree. */
  const judge = () => {
    expect(git('status', '--porcelain', '-uall')).toBe('')
    const { tree, problems } = readContentDir(contentDir)
    expect(problems).toEqual([])
    const versions = tree.repositories.get(REPOSITORY)?.versions ?? []
    for (const { bundle } of versions) expect(bundle?.files.map(({ path }) => path)).toEqual(FILES.toSorted())
    return versions.length
  }
  try {
    let step = 0
    for (;;) {
      step += 1
      badGit.arm(Math.ceil(step / 2), step % 2 === 1 ? 'before' : 'after')
      const reply = await publish(step)
      badGit.disarm()
      if (reply !== 'died') break
      await hub.ended
      hub = await startKillable({ contentDir, blobsDir }, badGit.dir)
      const again = await publish(step)
      expect(again).toMatchObject({ status: expect.toBeOneOf([200, 201]) })
      expect(judge()).toBe(step)
      const { data } = JSON.parse((again as { text: string }).text)
      for (const { path, url } of data.files) {
        const file = await hub.ask({ method: 'GET', path: new URL(url).pathname })
        expect(file).toEqual({ status: 200, text: `${path} ${step}` })
      }
    }
    expect(step).toBeGreaterThan(12)
    expect(judge()).toBe(step)
  } finally {
    hub.kill()
    await hub.ended
    badGit.remove()
    world.close()
    rmSync(blobsDir, { recursive: true, force: true })
  }
}, 240_000)
