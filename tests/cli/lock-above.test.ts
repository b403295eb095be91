// Tests that hubcli uses the lock of a folder above, and what tables and JSON it prints.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type PlainFiles, startPlainFiles } from './plain-files.ts'
import { makeFolder, runHubcli, SHELL } from './shells.ts'

let hub: PlainFiles
let root: string
beforeEach(async () => {
  hub = await startPlainFiles('hub', {
    'acme/x': { versions: { '1.0.0': 'one', '1.1.0': 'two' } },
    'acme/y': { versions: { '1.0.0': 'y' } },
  })
  root = makeFolder()
  mkdirSync(path.join(root, 'a/b'), { recursive: true })
})
afterEach(() => hub.close())

const run = (folder: string, ...args: string[]) =>
  runHubcli(SHELL, args, { cwd: path.join(root, folder), env: { HUB_URL: hub.url } })

test('in a subfolder, the lock above is used and named', async () => {
  expect(await run('', 'add', 'acme/x@1.0.0')).toMatchObject({ code: 0, stderr: '' })
  const using = `hubcli: using ${path.join(root, 'prompts.lock')}\n`
  expect(await run('a/b', 'verify')).toMatchObject({ code: 0, stderr: using })
  expect(await run('a/b', 'cat', 'acme/x', '--locked')).toMatchObject({ code: 0, stdout: 'one', stderr: using })
  expect(await run('a/b', 'cat', 'acme/x')).toMatchObject({
    stdout: 'two',
    stderr: `${using}hubcli: acme/x 1.1.0, the latest; prompts.lock has 1.0.0, which --locked gives\n`,
  })
  // A path is that of the current folder.
  expect(await run('a/b', 'add', 'acme/y', '-o', 'y.md')).toMatchObject({ code: 0, stdout: 'acme/y 1.0.0 a/b/y.md\n' })
  expect(readFileSync(path.join(root, 'a/b/y.md'), 'utf8')).toBe('y')
  expect(await run('a/b', 'pull', 'acme/x', '--locked', '-o', 'x.md')).toMatchObject({ code: 0 })
  expect(readFileSync(path.join(root, 'a/b/x.md'), 'utf8')).toBe('one')
  expect(await run('', 'verify')).toMatchObject({ code: 0, stderr: '' })
})

test('the search for a lock ends at the top of a repository', async () => {
  await run('', 'add', 'acme/x')
  mkdirSync(path.join(root, 'a/.git'))
  expect(await run('a/b', 'verify')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No lock at prompts.lock'),
  })
  expect(await run('a/b', 'add', 'acme/y')).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(path.join(root, 'a/b/prompts.lock'))).toBe(true)
  expect(await run('a/b', 'cat', 'acme/x')).toMatchObject({ code: 0, stdout: 'two', stderr: '' })
})

test('--header prints the header also to a pipe, and --json prints what changed', async () => {
  expect((await run('', 'versions', 'acme/x', '--header')).stdout).toMatch(
    /^VERSION {2}PUBLISHED {3}BY {7}CHANGELOG\n1\.1\.0 /,
  )
  expect(JSON.parse((await run('', 'add', 'acme/x@1.0.0', '--json')).stdout)).toEqual({
    changed: [{ name: 'acme/x', from: null, version: '1.0.0', paths: ['prompts/acme/x.md'] }],
  })
  expect((await run('', 'outdated', '--header')).stdout).toMatch(
    /^NAME {4}LOCKED {2}WANTED {2}LATEST {2}RANGE\nacme\/x {2}1\.0\.0/,
  )
  await run('', 'add', 'acme/x@^1')
  writeFileSync(path.join(root, 'prompts/acme/x.md'), 'two')
  expect(JSON.parse((await run('', 'remove', 'acme/x', '--json')).stdout)).toMatchObject({
    changed: [{ version: '1.1.0' }],
  })
})
