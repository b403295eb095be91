// Checks that a site serves hubcli unchanged except for the URL of the hub.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { listCliDownloads, readCliRelease } from '../../src/build/downloads/hubcli.ts'
import { readCliReleases } from '../../src/build/downloads/releases.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'
import { HUBCLI } from './assembled.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')
const scratch = temporaryFolder('hubcli-release-')

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const releaseOf = (script: string) => [{ number: '1.0.0', files: new Map([['hubcli', script]]) }]

test('downloads contain the site URL and match their checksums', async () => {
  const downloads = new Map(listCliDownloads(await readCliReleases(ROOT), 'https://hub.example.com'))
  expect([...downloads.keys()]).toEqual([
    '/cli/hubcli',
    '/cli/releases/1.0.0/hubcli',
    '/cli/releases/1.0.0/hubcli.sha256',
  ])
  const served = downloads.get('/cli/releases/1.0.0/hubcli') ?? ''
  expect(served).toContain("\nHUB_DEFAULT_URL='https://hub.example.com'\n")
  expect(served.replace('https://hub.example.com', 'http://localhost:8888')).toBe(readFileSync(HUBCLI, 'utf8'))
  expect(downloads.get('/cli/releases/1.0.0/hubcli.sha256')).toBe(`${sha256(served)}  hubcli\n`)
  expect(downloads.get('/cli/hubcli')).toBe(served)
})

test('a release contains its Python modules, which are also those of the library', async () => {
  const [release] = (await readCliReleases(ROOT)).slice(-1)
  const script = release?.files.get('hubcli') ?? ''
  const own = readdirSync('clients/hubcli/program').filter((name) => name.endsWith('.py'))
  const shared = ['ranges', 'lock', 'filling', 'chat', 'vendored', 'git_attributes', 'review', 'records', 'variable']
  expect(own.length).toBeGreaterThan(5)
  for (const file of [
    ...own.map((name) => `clients/hubcli/program/${name}`),
    ...shared.map((name) => `clients/python/prompt_hub/${name}.py`),
  ])
    expect(script.split(readFileSync(file, 'utf8')).length, file).toBe(2)
  expect(script).not.toContain('$(dirname')
})

test.each([
  ['a line END', 'x = 1\nEND\n'],
  ['other characters than ASCII', 'x = "é"\n'],
  ['no line end', 'x = 1'],
])('a module with %s is not built in', async (_, text) => {
  const root = mkdtempSync(path.join(scratch, 'root-'))
  cpSync(path.join(ROOT, 'clients'), path.join(root, 'clients'), { recursive: true })
  writeFileSync(path.join(root, 'clients/python/prompt_hub/ranges.py'), text)
  await expect(readCliRelease(root)).rejects.toThrow('ranges.py: expected ASCII')
})

test('a downloaded release passes its checksum and runs', async () => {
  for (const [name, text] of listCliDownloads(await readCliReleases(ROOT), 'https://hub.example.com/')) {
    mkdirSync(path.join(scratch, path.dirname(name)), { recursive: true })
    writeFileSync(path.join(scratch, name), text)
  }
  const cwd = path.join(scratch, 'cli/releases/1.0.0')
  const checksum = ['sha256sum', 'shasum'].find((tool) => spawnSync(tool, ['--version']).status === 0)
  expect(execFileSync(checksum ?? 'sha256sum', ['-c', 'hubcli.sha256'], { cwd }).toString()).toBe('hubcli: OK\n')
  expect(execFileSync('sh', ['hubcli', 'help'], { cwd, env: { PATH: process.env.PATH } }).toString()).toContain(
    'URL of the hub (now https://hub.example.com)',
  )
})

// site URL                           value after the shell parses the line
test.each([
  ['http://localhost:8888', 'http://localhost:8888'],
  ['https://example.com/hub/', 'https://example.com/hub'],
  ["https://example.com/it's$&$'$(id)`id`\\", "https://example.com/it's$&$'$(id)`id`\\"],
])('quotes the site URL for the shell: %s', (baseUrl, address) => {
  const script = "A=1\nHUB_DEFAULT_URL='http://localhost:8888'\n"
  const [[, built] = ['', '']] = listCliDownloads(releaseOf(script), baseUrl)
  expect(execFileSync('sh', ['-c', `${built}printf %s "$HUB_DEFAULT_URL"`]).toString()).toBe(address)
  expect(built.split('\n').length).toBe(script.split('\n').length)
})

test.each([
  ...words`
    example.com ftp://example.com https:// https://user@example.com https://example.com/?a https://example.com/#a
  `,
  ...['', 'https://example.com/ a', 'https://example.com\nid', 'https://example.com/\nid'],
])('rejects an invalid site URL: %j', (baseUrl) => {
  const script = "HUB_DEFAULT_URL='http://localhost:8888'\n"
  expect(() => listCliDownloads(releaseOf(script), baseUrl)).toThrow('expected an http or https address')
})

test.each([
  ['no', 'A=1\n'],
  ['two', "HUB_DEFAULT_URL='a'\nHUB_DEFAULT_URL='b'\n"],
])('rejects a script with %s URL lines', (_, script) => {
  expect(() => listCliDownloads(releaseOf(script), 'https://example.com')).toThrow('one line')
})
