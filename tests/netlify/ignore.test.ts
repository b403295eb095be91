// Tests which builds Netlify skips: those of superseded commits, but never for longer than five minutes, and never if
// in doubt.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

const root = temporaryFolder('netlify-ignore-')

const git = (dir: string, args: string[], at = new Date()) =>
  execFileSync('git', ['-C', dir, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    encoding: 'utf8',
    env: { ...process.env, GIT_COMMITTER_DATE: at.toISOString() },
  }).trim()

/** Creates a branch whose first commit is the given number of seconds old, and a clone like Netlify's. */
function makeBranch(name: string, commits: number, firstAgeS: number): { clone: string; ids: string[] } {
  const [hub, clone] = [join(root, name), join(root, `${name}-clone`)]
  execFileSync('git', ['init', '-q', '-b', 'main', hub])
  for (let number = 0; number < commits; number++) {
    const at = new Date(Date.now() - (number === 0 ? firstAgeS * 1000 : 0))
    git(hub, ['commit', '-q', '--allow-empty', '-m', `Publish ${number}`], at)
  }
  execFileSync('git', ['clone', '-q', hub, clone])
  return { clone, ids: git(hub, ['rev-list', '--reverse', 'HEAD']).split('\n') }
}

const run = (cwd: string, built: string | undefined, commit: string | undefined) =>
  spawnSync('sh', [join(process.cwd(), 'scripts/netlify-ignore.sh')], {
    cwd,
    env: { PATH: process.env.PATH, BRANCH: 'main', CACHED_COMMIT_REF: built, COMMIT_REF: commit },
  }).status

const burst = makeBranch('burst', 4, 60)

test('builds only the newest commit of a burst', () => {
  const { clone, ids } = burst
  expect(ids.slice(1).map((commit) => run(clone, ids[0], commit))).toEqual([0, 0, 1])
})

test('builds every commit when the last build is five minutes old', () => {
  const { clone, ids } = makeBranch('old', 3, 301)
  expect(run(clone, ids[0], ids[1])).toBe(1)
})

test('always builds when in doubt', () => {
  const { clone, ids } = burst
  const [first, second] = ids
  expect(run(clone, undefined, second)).toBe(1)
  expect(run(clone, second, second)).toBe(1)
  expect(run(clone, '1'.repeat(40), second)).toBe(1)
  git(clone, ['remote', 'set-url', 'origin', join(root, 'nowhere')])
  expect(run(clone, first, second)).toBe(1)
})

test('netlify.toml uses the ignore script', () => {
  expect(readFileSync('netlify.toml', 'utf8')).toContain('\nignore = "sh scripts/netlify-ignore.sh"')
})
