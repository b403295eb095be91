// Tests the hub as a registry for APM, against the requirements for reading in its Registry HTTP API:
// https://microsoft.github.io/apm/reference/registry-http-api/
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'

const BASE = '/api/apm/v1/packages'
const skill = { description: 'Fills in forms.' }
const FILES = [
  { path: 'scripts/fill.py', text: 'print(1)\r\n' },
  { path: 'assets/form.bin', base64: Buffer.from([0, 255, 10]).toString('base64') },
]

const world = openLocalWorld()
let hub: Hub
let token: string
beforeAll(async () => {
  hub = await openHub(world)
  token = await hub.makeToken({ permissions: ['publish', 'label', 'maintain'] })
})

const publish = async (to: string, body: Record<string, unknown>) => {
  const { status, message } = await hub.publish({ title: 'Forms', content: 'Fill.\n', ...body }, { to, token })
  expect([status, message]).toEqual([201, ''])
}
interface List {
  package: string
  versions: { version: string; digest: string; published_at: string }[]
}
const list = async (name: string): Promise<List> => JSON.parse((await hub.read(`${BASE}/${name}/versions`)).text)
const numbers = async (name: string) => (await list(name)).versions.map(({ version }) => version)
const download = (name: string, version: string) => hub.read(`${BASE}/${name}/versions/${version}/download`)
const digestOf = ({ bytes }: Answer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const listTar = ({ bytes }: Answer) =>
  execFileSync('tar', ['-tzf', '-'], { input: bytes, encoding: 'utf8' }).trim().split('\n')

/** Runs a check with fresh copies, and again after a build. */
async function atOnceAndAfterBuild(check: () => Promise<void>): Promise<void> {
  await check()
  await hub.build()
  await check()
}

describe('versions and archives', () => {
  test('a skill with files: every field of the list, and the bytes that its digest promises', async () => {
    await publish('acme/forms', { skill, files: FILES })
    await atOnceAndAfterBuild(async () => {
      const found = await list('acme/forms')
      expect(found).toEqual({
        package: 'acme/forms',
        versions: [
          {
            version: '1.0.0',
            digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
            published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          },
        ],
      })
      const archive = await download('acme/forms', '1.0.0')
      expect(digestOf(archive)).toBe(found.versions[0]!.digest)
      expect(listTar(archive)).toEqual(['SKILL.md', 'assets/form.bin', 'scripts/fill.py'])
      const same = await hub.read('/api/v1/repos/acme/forms/versions/1.0.0/archive')
      expect(archive.bytes.equals(same.bytes)).toBe(true)
    })
  })

  test('a skill without other files has an archive too, with the same bytes at once and after a build', async () => {
    await publish('acme/alone', { skill })
    const digests: string[] = []
    await atOnceAndAfterBuild(async () => {
      const archive = await download('acme/alone', '1.0.0')
      expect(listTar(archive)).toEqual(['SKILL.md'])
      const [version] = (await list('acme/alone')).versions
      expect(digestOf(archive)).toBe(version!.digest)
      digests.push(version!.digest)
    })
    expect(new Set(digests).size).toBe(1)
  })

  test('the list is newest first, at once after a publish, and without what is no skill or yanked', async () => {
    await publish('acme/many', { skill })
    await publish('acme/many', { skill: null, content: 'No skill.\n', bump: 'patch' })
    await publish('acme/many', { skill, content: 'Again.\n', files: FILES, bump: 'patch' })
    await atOnceAndAfterBuild(async () => expect(await numbers('acme/many')).toEqual(['1.0.2', '1.0.0']))
    await publish('acme/many', { skill, content: 'More.\n', bump: 'patch' })
    await atOnceAndAfterBuild(async () => expect(await numbers('acme/many')).toEqual(['1.0.3', '1.0.2', '1.0.0']))
    const yank = { path: '/api/v1/repos/acme/many/versions/1.0.2/yank', token }
    await hub.publish({ reason: 'Wrong' }, { ...yank, method: 'PUT' })
    await atOnceAndAfterBuild(async () => expect(await numbers('acme/many')).toEqual(['1.0.3', '1.0.0']))
    // A lock file may name the yanked version.
    expect((await download('acme/many', '1.0.2')).status).toBe(200)
    await hub.publish(undefined, { ...yank, method: 'DELETE' })
    await atOnceAndAfterBuild(async () => expect(await numbers('acme/many')).toEqual(['1.0.3', '1.0.2', '1.0.0']))
  })
})

test('what a build has is outside the rate limit, because a manifest may name hundreds of skills', async () => {
  let asked = 0
  const limited = await openHub(world, { reads: { take: async () => ++asked && 60 } })
  await limited.build()
  const statusOf = async (path: string) => (await limited.read(`${BASE}/${path}`)).status
  for (const name of ['acme/forms', 'acme/alone'])
    expect([await statusOf(`${name}/versions`), await statusOf(`${name}/versions/1.0.0/download`)]).toEqual([200, 200])
  expect(asked).toBe(0)
  expect([await statusOf('acme/nothing/versions'), await statusOf('acme/alone/versions/9.0.0/download')]).toEqual([
    429, 429,
  ])
})

describe('the requirements of the Registry HTTP API', () => {
  beforeAll(async () => {
    await publish('acme/one', { skill, files: FILES })
    await publish('acme/prompt', {})
    await hub.build()
  })

  test.each([
    ['3.1: the list is JSON', 'versions', 'application/json; charset=utf-8', /^public, max-age=60/],
    ['3.2: the archive is gzip', 'versions/1.0.0/download', 'application/gzip', /^public, max-age=\d{5,}, immutable$/],
  ])('%s, with Cache-Control, Content-Length and ETag', async (_what, rest, type, caching) => {
    const { status, headers, bytes } = await hub.read(`${BASE}/acme/one/${rest}`)
    expect([status, headers.get('Content-Type')]).toEqual([200, type])
    expect(headers.get('Cache-Control')).toMatch(caching)
    expect(headers.get('Content-Length')).toBe(String(bytes.length))
    expect(headers.get('Repr-Digest')).toBe(`sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`)
    const again = await hub.read(`${BASE}/acme/one/${rest}`, { 'If-None-Match': headers.get('ETag')! })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
    const head = await hub.read(`${BASE}/acme/one/${rest}`, {}, 'HEAD')
    expect([head.status, head.bytes.length, head.headers.get('ETag')]).toEqual([200, 0, headers.get('ETag')])
  })

  test('4: another method is 405 with problem details', async () => {
    const { status, headers, text } = await hub.read(`${BASE}/acme/one/versions`, {}, 'POST')
    expect([status, headers.get('Content-Type'), headers.get('Allow')]).toEqual([
      405,
      'application/problem+json',
      'GET, HEAD, OPTIONS',
    ])
    expect(JSON.parse(text)).toMatchObject({ title: 'method not allowed', status: 405 })
  })

  test.each([
    ['a prompt that does not exist', 'acme/nothing/versions'],
    ['a prompt that is no skill', 'acme/prompt/versions'],
    ['its archive', 'acme/prompt/versions/1.0.0/download'],
    ['a version that does not exist', 'acme/one/versions/9.0.0/download'],
    ['a version that is no number', 'acme/one/versions/latest/download'],
    ['a name in one segment', 'github.com%2Facme%2Fone/versions'],
    ['a path upwards', '..%2f..%2fone/versions'],
    ['a reserved owner', 'docs/one/versions'],
    ['another address', 'acme/one'],
  ])('4: %s is 404 with problem details', async (_what, path) => {
    const { status, headers, text } = await hub.read(`${BASE}/${path}`)
    expect([status, headers.get('Content-Type')]).toEqual([404, 'application/problem+json'])
    expect(JSON.parse(text)).toEqual({
      title: 'not found',
      status: 404,
      detail: expect.stringMatching(/^There is no /),
    })
  })
})
