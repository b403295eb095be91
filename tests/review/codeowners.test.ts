// Tests the CODEOWNERS file, which is generated from the members of the owners, and the command that writes it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { COMPILED } from '../compiled.ts'
import { temporaryFolder } from '../temporary-folder.ts'

let root: string
beforeAll(() => {
  root = temporaryFolder('prompt-hub-codeowners-')
  for (const [owner, members] of Object.entries({ globex: '[zoe, 12, adam]', acme: '[octocat]', initech: '[7]' })) {
    mkdirSync(join(root, 'content', owner), { recursive: true })
    writeFileSync(join(root, 'content', owner, 'index.md'), `---\nmembers: ${members}\n---\n`)
  }
})

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve('scripts/content/codeowners.ts'), ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...COMPILED },
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}
const HEAD =
  '# Written by `npm run codeowners` from the members of content/{owner}/index.md; run it again after they change.\n'
const OWNERS = '/content/acme/ @octocat\n/content/globex/ @adam @zoe\n'

test('writes CODEOWNERS, keeps its maintainers, checks it and rejects invalid logins', () => {
  const text = () => readFileSync(join(root, '.github/CODEOWNERS'), 'utf8')
  // Asking what a command does changes nothing.
  expect(run('--help')).toEqual({
    status: 0,
    said: 'Usage: npm run codeowners -- [--maintainers login,org/team] [--check]\n',
  })
  expect(run('--check')).toMatchObject({ status: 1, said: expect.stringContaining('npm run codeowners') })
  expect(run()).toMatchObject({ status: 0 })
  expect(text()).toBe(HEAD + OWNERS)
  expect(run('--maintainers', 'ada,hub/maintainers')).toMatchObject({ status: 0 })
  expect(text()).toBe(`${HEAD}* @ada @hub/maintainers\n${OWNERS}`)
  expect(run()).toMatchObject({ status: 0 })
  expect(text()).toBe(`${HEAD}* @ada @hub/maintainers\n${OWNERS}`)
  expect(run('--check')).toEqual({ status: 0, said: '.github/CODEOWNERS is up to date.\n' })
  expect(run('--maintainers', 'ada @evil')).toMatchObject({
    status: 1,
    said: expect.stringContaining('expected logins'),
  })
})

test('the CODEOWNERS file of this repository is up to date', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/content/codeowners.ts', '--check'], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
