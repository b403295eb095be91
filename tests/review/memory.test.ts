// Checks that a review keeps almost nothing of each file in memory: for a change of thousands of files, it needs hardly more
// memory than the program itself.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { COMPILED } from '../compiled.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** The program alone needs about 20 MB, so this heap has no room for anything that grows by 6 kB per prompt. */
const HEAP_MB = 29

let root = ''
beforeAll(() => {
  root = temporaryFolder('prompt-hub-review-memory-')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: root })
  git('init', '-q', '-b', 'main')
  git('commit', '-q', '--allow-empty', '-m', 'base')
  mkdirSync(join(root, 'content'))
  const out = join(root, 'content')
  const generate = ['scripts/content/generate-content.ts', '--repos', '1250', '--versions', '1', '--out', out]
  execFileSync(process.execPath, generate, { stdio: 'pipe' })
  git('add', '.')
})

test('reviews thousands of new files within a 29 MB heap', () => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      ...[`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=1'],
      ...[resolve('scripts/content/check-content.ts'), '--base', 'main'],
    ],
    { cwd: root, encoding: 'utf8', maxBuffer: 1e8, env: { PATH: process.env.PATH, HOME: root, ...COMPILED } },
  )
  expect(stderr).toBe('')
  expect(stdout).toMatch(/\n2,\d+ files in 1,250 repositories checked: no problems, advice in \d+ places\.\n$/)
  expect(status).toBe(0)
})
