// Tests skills with files on two hubs with one database: what is published on one is read at once on the other.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shareCopies } from '../../src/state/shared-copies.ts'
import { openPostgresState } from '../../src/state/state-postgres.ts'
import { type PostgresServer, startPostgres } from '../hubs/postgres.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

let postgres: PostgresServer
let world: World
let hubs: Hub[]
const closing: (() => unknown)[] = []
beforeAll(async () => {
  postgres = await startPostgres()
  world = openLocalWorld()
  const url = await postgres.createDatabase()
  const openOne = async () => {
    const state = await openPostgresState(url)
    const copies = shareCopies(state)
    closing.push(copies.close, state.close)
    return openHub(world, { state, copies })
  }
  hubs = [await openOne(), await openOne()]
})
afterAll(async () => {
  for (const close of closing) await close()
  await postgres?.close()
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('files and archive are the same on both hubs, and so is the next version', async () => {
  const [one, other] = hubs as [Hub, Hub]
  const api = '/api/v1/repos/acme/forms'
  const skill = { description: 'Fills in forms.' }
  // As much as a version may have, of bytes that no compression makes shorter in the database.
  const files = Array.from({ length: 4 }, (_, at) => ({
    path: `data/${at}.bin`,
    base64: Buffer.from(Array.from({ length: 249_000 }, (_, place) => (place * (at + 7) * 31) % 251)).toString(
      'base64',
    ),
  }))
  expect((await other.read(api)).status).toBe(404)
  const made = await one.publish({ content: 'x', skill, files }, { to: 'acme/forms' })
  expect([made.status, made.message]).toEqual([201, ''])
  for (const file of files) {
    const { status, bytes } = await other.read(`${api}/versions/1.0.0/files/${file.path}`)
    expect([status, bytes.toString('base64') === file.base64]).toEqual([200, true])
  }
  const archive = await other.read(`${api}/versions/1.0.0/archive`)
  expect(sha256(archive.bytes)).toBe(made.data.bundle_sha256)
  const next = await other.publish({ content: 'y' }, { to: 'acme/forms' })
  expect([next.status, next.message, next.version, next.data.files]).toEqual([
    201,
    '',
    '1.0.1',
    (made.data.files as { url: string }[]).map((file) => ({ ...file, url: file.url.replace('1.0.0', '1.0.1') })),
  ])
  const replaced = [{ path: 'a.txt', text: 'a' }]
  const changed = await one.publish({ content: 'y', files: replaced, bump: 'patch' }, { to: 'acme/forms' })
  expect(changed.version).toBe('1.0.2')
  expect((await other.read(`${api}/versions/1.0.2/files/a.txt`)).text).toBe('a')
  expect((await other.read(`${api}/versions/1.0.2/files/data/0.bin`)).status).toBe(404)
  expect((await other.read(`${api}/versions/1.0.1/files/data/0.bin`)).status).toBe(200)
})
