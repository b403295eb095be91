// Tests that tests find no settings of whoever runs them: a test that needs a git identity fails on every machine.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { expect, test } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

test('the home folder is empty, and git knows no identity', () => {
  expect(readdirSync(homedir())).toEqual([])
  const { status, stderr } = spawnSync('git', ['var', 'GIT_COMMITTER_IDENT'], {
    cwd: temporaryFolder(),
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([128, expect.stringContaining('Please tell me who you are')])
})
