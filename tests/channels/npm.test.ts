// Tests the hub as a registry for npm: lists, packages that stay the same, and what npm itself installs from them.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatPackument } from '../../src/skills/npm.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { listen } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const skill = { description: 'Fills in forms.' }
const FILES = [
  { path: 'scripts/fill.py', text: '#!/usr/bin/python3\nprint(1)\r\n' },
  // At the root of a package, npm would run it.
  { path: 'binding.gyp', text: '{"targets": []}' },
  { path: 'assets/form.bin', base64: Buffer.from([0, 255, 10]).toString('base64') },
]

let hub: Hub
let token: string
let server: Server
/** The hub's origin as the clients see it; the lists have that of the tests. */
let origin: string
beforeAll(async () => {
  hub = await openHub(openLocalWorld())
  token = await hub.makeToken({ permissions: ['publish', 'label', 'maintain'] })
  await publish('acme/forms', { skill, files: FILES })
  await publish('acme/forms', { skill, content: 'Fill again.\n', bump: 'minor' })
  await publish('acme/greet', { title: 'Greet', content: 'Hello {{name}}\r\n' })
  await change('PUT', 'forms/labels/production', { version: '1.0.0' })
  server = createServer(async (asked, answer) => {
    const { status, headers, bytes } = await hub.read(asked.url!, {}, asked.method)
    answer.writeHead(status, { 'Content-Type': headers.get('Content-Type') ?? '' })
    const isList = headers.get('Content-Type')?.startsWith('application/json')
    answer.end(isList ? bytes.toString().replaceAll(/https?:\/\/[^/"]+(?=\/npm\/)/g, origin) : bytes)
  })
  origin = await listen(server)
})
afterAll(() => server?.close())

const publish = async (to: string, body: Record<string, unknown>) => {
  const { status, message } = await hub.publish({ title: 'Forms', content: 'Fill.\n', ...body }, { to, token })
  expect([status, message]).toEqual([201, ''])
}
const change = async (method: string, path: string, body?: unknown) => {
  const { status, message } = await hub.publish(body, { path: `/api/v1/repos/acme/${path}`, method, token })
  expect([status, message]).toEqual([200, ''])
}
const list = async (name: string) => JSON.parse((await hub.read(`/npm/${name}`)).text)
const packed = (name: string, version: string) => hub.read(`/npm/@acme/${name}/-/${name}-${version}.tgz`)
const integrityOf = (bytes: Uint8Array) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

test('a list has the labels as tags and what npm verifies, and is the same at once and after a build', async () => {
  const atOnce = await list('@acme%2fforms')
  await hub.build()
  const built = await list('@acme%2Fforms')
  expect(built).toEqual(atOnce)
  expect(await list('@acme/forms')).toEqual(built)
  expect(built['dist-tags']).toEqual({ production: '1.0.0', latest: '1.1.0' })
  expect(Object.keys(built.versions)).toEqual(['1.1.0', '1.0.0'])
  expect(built.time['1.0.0']).toMatch(/^\d{4}-.*Z$/)
  for (const version of ['1.0.0', '1.1.0']) {
    const { bytes, headers } = await packed('forms', version)
    const { dist } = built.versions[version]
    expect([dist.integrity, new URL(dist.tarball).pathname]).toEqual([
      integrityOf(bytes),
      `/npm/@acme/forms/-/forms-${version}.tgz`,
    ])
    expect(dist.shasum).toBe(createHash('sha1').update(bytes).digest('hex'))
    expect(headers.get('Cache-Control')).toContain('immutable')
  }
})

test('the bytes of a package never change', async () => {
  // If this fails, the lock files of everybody who uses the hub with npm are broken: change the code back.
  const { bytes } = await packed('greet', '1.0.0')
  expect(integrityOf(bytes)).toBe(
    'sha512-7AasXkYfAHdJAaKHG8Y7ygaJLnFCbW7k1hQq0ZKxams2OWLWyrrS8vbbBsskkAiJAEx1fcgGZpHlWV5UQjAEwQ==',
  )
})

test('yanks and the status of a prompt deprecate versions', async () => {
  const deprecated = async () =>
    Object.values<{ deprecated?: string }>((await list('@acme/forms')).versions).map((one) => one.deprecated)
  expect(await deprecated()).toEqual([undefined, undefined])
  await change('PUT', 'forms/versions/1.1.0/yank', { reason: 'Wrong' })
  expect(await deprecated()).toEqual(['Yanked: Wrong', undefined])
  expect((await list('@acme/forms'))['dist-tags'].latest).toBe('1.0.0')
  expect((await packed('forms', '1.1.0')).status).toBe(200)
  await change('DELETE', 'forms/versions/1.1.0/yank')
  await change('PATCH', 'forms', { status: 'deprecated', status_message: 'Use acme/greet.' })
  expect(await deprecated()).toEqual(Array(2).fill('Deprecated: Use acme/greet.'))
  await change('PATCH', 'forms', { status: 'active', status_message: null, moved_to: 'acme/greet' })
  expect(await deprecated()).toEqual(Array(2).fill('Moved to @acme/greet'))
  await change('PATCH', 'forms', { status: 'archived', moved_to: null })
  expect(await deprecated()).toEqual(Array(2).fill('Archived'))
  await change('PATCH', 'forms', { status: 'active' })
})

test('a thousand versions with an advisory and the longest names are less than a megabyte', () => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => `999999.999999.${100_000 + index}`)
  const text = formatPackument(
    {
      repository: {
        owner: 'o'.repeat(39),
        name: 'n'.repeat(64),
        description: 'd'.repeat(500),
        labels: {},
        latest_version: null,
        status: 'active',
        status_message: null,
        moved_to: null,
        advisories: [{ range: '*', severity: 'high', message: 'm'.repeat(500), versions: numbers }],
      },
      versions: numbers.map((version) => ({
        version,
        available_at: '2026-11-20T10:00:00Z',
        yanked: false,
        yank_reason: null,
      })),
    },
    new Map(numbers.map((one) => [one, { integrity: `sha512-${'A'.repeat(88)}`, shasum: 'a'.repeat(40) }])),
    'https://prompts.example.org',
  )
  expect(text).toContain(`"deprecated":"Advisory (high): ${'m'.repeat(143)}"`)
  expect(text.length).toBeLessThan(1_000_000)
})

test('a skill is a plugin, whose archive is what the marketplaces promise', async () => {
  const at = '/acme/forms/v/1.0.0'
  const archive = await hub.read(`${at}/plugin.zip`)
  expect(archive.headers.get('Content-Type')).toBe('application/zip')
  const marketplace = JSON.parse((await hub.read(`${at}/.claude-plugin/marketplace.json`)).text)
  const { url, ...source } = marketplace.plugins[0].source
  const sha256 = createHash('sha256').update(archive.bytes).digest('hex')
  expect([new URL(url).pathname, source]).toEqual([`${at}/plugin.zip`, { source: 'archive', sha256 }])
  expect(marketplace.name).toBe('acme-forms-1-0-0')
  const dir = temporaryFolder('hub-plugin-')
  writeFileSync(join(dir, 'plugin.zip'), archive.bytes)
  const unzip = 'import zipfile; z = zipfile.ZipFile("plugin.zip"); z.testzip(); z.extractall(); print(*z.namelist())'
  const { stdout } = await promisify(execFile)('python3', ['-c', unzip], { cwd: dir })
  const inside = ['SKILL.md', 'assets/form.bin', 'binding.gyp', 'scripts/fill.py'].map((path) => `skills/forms/${path}`)
  expect(stdout.trim().split(' ')).toEqual(['.claude-plugin/plugin.json', 'plugin.json', ...inside])
  expect(readFileSync(join(dir, 'plugin.json'), 'utf8')).toBe((await hub.read(`${at}/plugin.json`)).text)
  expect(readFileSync(join(dir, inside[3]!), 'utf8')).toBe(FILES[0]!.text)
  const owners = JSON.parse((await hub.read('/acme/.claude-plugin/marketplace.json')).text)
  expect([owners.name, owners.plugins.map((one: { version: string }) => one.version)]).toEqual(['acme', ['1.1.0']])
  expect(JSON.parse((await hub.read('/.claude-plugin/marketplace.json')).text).plugins).toEqual(owners.plugins)
})

test.each([
  '@acme%2fnothing',
  '@acme%2fforms%2f1.0.0',
  'forms',
  '@acme/forms/-/forms-9.0.0.tgz',
  '@acme/forms/-/greet-1.0.0.tgz',
  '@acme/forms/-/forms-1.0.0',
  '@docs%2fforms',
])('%s is 404 with a message that npm shows', async (path) => {
  const { status, text } = await hub.read(`/npm/${path}`)
  expect([status, JSON.parse(text)]).toEqual([404, { error: expect.stringContaining('There is no package at') }])
})

test('npm installs a label, verifies it again with npm ci, and refuses other bytes', async () => {
  const dir = temporaryFolder('hub-npm-')
  writeFileSync(join(dir, 'package.json'), '{"private": true}')
  writeFileSync(join(dir, '.npmrc'), `@acme:registry=${origin}/npm/\nupdate-notifier=false\naudit=false\nfund=false\n`)
  const env = { PATH: process.env.PATH, HOME: dir, npm_config_cache: join(dir, 'cache'), npm_config_fetch_retries: '0' }
  const npm = (...options: string[]) => promisify(execFile)('npm', options, { cwd: dir, env })
  await npm('install', '@acme/forms@production', '@acme/greet')
  const read = (path: string) => readFileSync(join(dir, 'node_modules/@acme', path))
  expect(JSON.parse(read('greet/prompt.json').toString()).content).toBe('Hello {{name}}\r\n')
  expect(read('greet/PROMPT.md').toString()).toBe('Hello {{name}}\r\n')
  expect(read('forms/skills/forms/scripts/fill.py').toString()).toBe(FILES[0]!.text)
  expect(read('forms/skills/forms/SKILL.md').toString()).toBe((await hub.read('/acme/forms/v/1.0.0/SKILL.md')).text)
  expect(JSON.parse(read('forms/plugin.json').toString())).toMatchObject({ name: 'forms', version: '1.0.0' })
  const lock = readFileSync(join(dir, 'package-lock.json'), 'utf8')
  expect(lock).not.toContain('hasInstallScript')
  await npm('ci')
  writeFileSync(join(dir, 'package-lock.json'), lock.replaceAll(/sha512-..../g, 'sha512-AAAA'))
  await expect(npm('ci')).rejects.toThrow('EINTEGRITY')
})
