// Tests the import from the state folder that earlier versions used: it happens once, when the file that replaces the
// folder is created, and leaves the folder unchanged.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listKeys } from '../../../src/ports/state-store.ts'
import { readBlobsFolder } from '../../../src/stores/state/blobs-folder.ts'
import { openPeople } from '../../../src/stores/state/sessions.ts'
import { useOnce } from '../../../src/stores/state/single-use.ts'
import { openSqliteState } from '../../../src/stores/state/state-sqlite.ts'
import { findToken, listAllOperatorTokens, openTokens, recordTokenUse } from '../../../src/stores/state/tokens.ts'

const FIXTURE = JSON.parse(readFileSync('tests/fixtures/state-folder.json', 'utf8')) as {
  operator: string
  person: string
  session: string
  files: Record<string, string>
}
const NOW = Date.parse('2026-11-20T10:01:00Z')
const DAY_MS = 86_400_000

const root = mkdtempSync(join(tmpdir(), 'hub-blobs-'))
const dir = join(root, 'blobs')
for (const [path, text] of Object.entries(FIXTURE.files)) {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
}
afterAll(() => rmSync(root, { recursive: true }))

const open = (now: () => number, name = 'state.db') =>
  openSqliteState(join(root, name), now, () => readBlobsFolder(dir, now()))
const filesNow = () =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(dir.length + 1), readFileSync(path, 'utf8')]),
  )

test('imports old tokens, sessions and logins, and leaves the folder unchanged', async () => {
  const state = await open(() => NOW)
  expect(await findToken(state, FIXTURE.operator)).toMatchObject({ name: 'release job', scope: 'acme/*' })
  expect(await findToken(state, FIXTURE.person)).toMatchObject({ name: 'laptop', scope: 'alice/*' })
  expect((await listAllOperatorTokens(state)).map(({ last_used_at }) => last_used_at)).toEqual([
    '2026-11-20T10:00:00.000Z',
  ])
  expect(await openTokens(state).listTokens('7', new Date(NOW))).toHaveLength(1)
  const people = openPeople(state)
  expect((await people.findSession(FIXTURE.session, new Date(NOW)))?.person.login).toBe('alice')
  expect(await people.bindLogin({ user_id: '8', login: 'alice' })).toBe(false)
  expect(await people.bindLogin({ user_id: '7', login: 'alice' })).toBe(true)
  const endsMs = Date.parse('2026-11-20T10:05:00Z')
  const spend = (use: string) => useOnce(state, { kind: 'jti', id: 'jti-1', use, endsMs })
  expect([await spend('request-1'), await spend('other')]).toEqual([true, false])
  expect(filesNow()).toEqual(FIXTURE.files)
  await state.close()
})

test('imports only once: a token revoked afterwards stays revoked', async () => {
  const state = await open(() => NOW)
  expect(await openTokens(state).listTokens('7', new Date(NOW))).toHaveLength(1)
  const [{ id } = { id: '' }] = await openTokens(state).listTokens('7', new Date(NOW))
  expect(await openTokens(state).revokeToken('7', id)).toBe(true)
  await state.close()
  const again = await open(() => NOW)
  expect(await findToken(again, FIXTURE.person)).toBeUndefined()
  expect(await findToken(again, FIXTURE.operator)).toBeDefined()
  await again.close()
})

test('after 400 days only logins and counts of global sign-outs remain', async () => {
  let time = NOW
  const state = await open(() => time, 'later.db')
  const kinds = async () => [...new Set((await Array.fromAsync(listKeys(state, ''))).map((key) => key.split('/')[0]))]
  expect(await kinds()).toEqual([
    'fresh',
    'generations',
    'jti',
    'logins',
    'operators',
    'sessions',
    'sign-ins',
    'token-uses',
    'tokens',
    'users',
  ])
  await recordTokenUse(state, 'id', new Date(time))
  //  after             removed
  for (const [ms, gone] of [
    [10 * 60_000, ['jti', 'sign-ins']],
    [DAY_MS, ['fresh']],
    [7 * DAY_MS, ['sessions']],
    [400 * DAY_MS, ['operators', 'token-uses', 'tokens', 'users']],
  ] as const) {
    time = NOW + ms
    const before = await kinds()
    await state.removeExpired()
    const after = await kinds()
    expect(before.filter((kind) => !after.includes(kind))).toEqual([...gone])
  }
  expect(await kinds()).toEqual(['generations', 'logins'])
  await state.close()
})

test('a missing folder gives an empty store', async () => {
  expect([...readBlobsFolder(join(root, 'none'), NOW)]).toEqual([])
})
