// Checks `npm run token`: an operator creates, lists and revokes tokens on the hub's own machine, and the owner's
// members can see these tokens.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenStateStore } from '../../src/state/state-entries.ts'
import { openSqliteState } from '../../src/state/state-sqlite.ts'
import { createToken, findToken, recordTokenUse } from '../../src/state/tokens.ts'
import { openAccount } from '../hubs/account.ts'
import { runScript } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'

let dir: string
let store: OpenStateStore
beforeAll(async () => {
  dir = temporaryFolder('hub-token-')
  store = await openSqliteState(join(dir, '.hub/state.db'))
})
afterAll(() => store.close())

const run = (...args: string[]) => runScript('scripts/token.ts', args, { cwd: dir })

test('lists and revokes operator tokens, and leaves personal tokens alone', async () => {
  expect(await run('--list')).toEqual({ code: 0, stdout: 'No tokens.\n', stderr: '' })
  const token = (await run('acme', '--label', 'release job', '--days', '7')).stdout.trim()
  const other = (await run('acme/code-review')).stdout.trim()
  const person = { kind: 'person', user_id: '7', login: 'alice' } as const
  const theirs = await createToken(store, { holder: person, name: 'laptop', scope: 'acme/*', days: 1 }, new Date())
  const record = await findToken(store, token)
  await recordTokenUse(store, record?.id ?? '', new Date('2026-11-20T10:00:00Z'))

  const { stdout } = await run('--list')
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^ID +SCOPE +PERMISSIONS +LAST 4 +CREATED +EXPIRES +LAST USED +NAME$/)
  expect(lines).toHaveLength(3)
  expect(lines.find((line) => line.startsWith(record?.id ?? '?'))).toMatch(
    new RegExp(
      `acme/\\* +publish +${token.slice(-4)} +\\d{4}-\\d\\d-\\d\\d +\\d{4}-\\d\\d-\\d\\d +2026-11-20 +release job$`,
    ),
  )
  expect(stdout).not.toContain(token)
  expect(stdout).not.toContain('laptop')

  expect(await run('--revoke', record?.id ?? '')).toMatchObject({ code: 0, stdout: `Revoked: acme/*, release job.\n` })
  expect(await findToken(store, token)).toBeUndefined()
  expect(await findToken(store, other)).toBeDefined()
  for (const id of [record?.id ?? '', theirs.record.id]) {
    const { code, stderr } = await run('--revoke', id)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`No operator token has the ID "${id}"`)])
  }
  expect(await findToken(store, theirs.token)).toBeDefined()
})

test('an option that npm takes for itself, because -- is missing, changes nothing', async () => {
  const command = `"${process.execPath}" "${resolve('scripts/token.ts')}"`
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ scripts: { token: command } }))
  const before = await store.list('tokens/')
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'token', '--revoke', 'acme'], {
    cwd: dir,
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr.split('\n')[0]).toBe(
    'npm took --revoke for itself, and nothing was done. Write -- first: npm run token -- --revoke',
  )
  expect(await store.list('tokens/')).toEqual(before)
})

test('--help describes every option', async () => {
  const { code, stdout } = await run('--help')
  expect(code).toBe(0)
  for (const part of ['<owner>[/<name>]', '--days', '--label', '--list', '--revoke ID']) expect(stdout).toContain(part)
})

//  arguments
test.each([[[]], [['acme', '--list']], [['acme', '--days', '366']]])('rejects %j with the usage', async (args) => {
  const { code, stdout, stderr } = await run(...args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('Usage: npm run token')
  expect(stderr).not.toMatch(/node_modules|\n\s+at /)
})

test('/settings/tokens shows operator tokens for the user’s handles, without a revoke form', async () => {
  const account = openAccount({ ownersOf: async ({ login }) => [login, 'acme'] })
  const made = (scope: string, name: string) =>
    createToken(account.state, { holder: { kind: 'operator' }, name, scope, days: 1 }, new Date())
  const { token } = await made('acme/*', 'release job')
  await made('beta/*', 'somebody else’s')
  const { text } = await (await account.signIn('alice')).ask('/settings/tokens')
  const section = text.slice(text.indexOf('id="operator-tokens-title"'))
  expect(section).toContain('release job')
  expect(section).toContain(`…${token.slice(-4)}`)
  expect(section.slice(0, section.indexOf('</section>'))).not.toContain('<form')
  expect(text).not.toContain('somebody else')
})

test.each([
  ['an option without its hyphens', ['list'], 'Use --list.'],
  ['a name that is too long', ['acme', '--label', 'a'.repeat(65)], '--label: expected one line'],
] as const)('refuses %s, and makes no token', async (_, args, message) => {
  const { code, stdout, stderr } = await run(...args)
  expect([code, stdout, stderr.split('\n')[0]]).toEqual([1, '', expect.stringContaining(message)])
})
