// Checks the hubcli releases, and that a site serves them unchanged except for the URL of the hub.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gte } from 'semver'
import { afterAll, expect, test } from 'vitest'
import { listCliDownloads, readCliFiles } from '../../src/site/downloads/hubcli.ts'

/** The checksum of every release in releases/hubcli. Each release adds a line, and existing lines never change. */
const RELEASES: Record<string, string> = {
  '1.0.0': '53a21f9d8f0307653cf3b416db8d543958e760c9b3fb050788b0aaa97caa288c',
  '1.1.0': '23c4be33e33d5e6b06f64907d119dc8a27a1d7103a16c1047b1120ffde32d7dd',
  '1.2.0': 'b48a97197b3dcff5efeb9d653b6617df33f24be160f4b34273dcf3302fa8ca65',
  '1.3.0': 'fd5c7532c74efa36fcfd2cddf2591446a6a9b125a3edc027d70120ba1282ea24',
  '1.3.1': '4834d4793552bd4fe7d9ef6242195c7f26d42d3eeb86a1c7dadee2fa0338ba73',
}

const ROOT = path.join(import.meta.dirname, '..', '..')
const RELEASES_DIR = path.join(ROOT, 'releases/hubcli')
const SCRIPT = path.join(ROOT, 'clients/hubcli/hubcli')
const scratch = mkdtempSync(path.join(tmpdir(), 'hubcli-release-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const frozen = (release: string, file: string) => readFileSync(path.join(RELEASES_DIR, release, file))

test('every release has a pinned checksum and every pinned checksum has a release', () => {
  expect(readdirSync(RELEASES_DIR).sort()).toEqual(Object.keys(RELEASES).sort())
})

test.each(Object.entries(RELEASES))('release %s is unchanged', (release, checksum) => {
  expect(sha256(frozen(release, 'hubcli'))).toBe(checksum)
  expect(frozen(release, 'hubcli.sha256').toString()).toBe(`${checksum}  hubcli\n`)
  expect(frozen(release, 'hubcli').toString()).toContain(`\nHUBCLI_VERSION='${release}'\n`)
  expect(readdirSync(path.join(RELEASES_DIR, release)).sort()).toEqual(['hubcli', 'hubcli.sha256'])
})

test('the script matches its release or has a new HUBCLI_VERSION (scripts/releases/release-cli.ts)', () => {
  const script = readFileSync(SCRIPT, 'utf8')
  const release = script.match(/^HUBCLI_VERSION='(.*)'$/m)?.[1] ?? ''
  if (release in RELEASES) expect(script === frozen(release, 'hubcli').toString()).toBe(true)
  else expect(Object.keys(RELEASES).filter((older) => gte(older, release))).toEqual([])
})

test('downloads contain the site URL and match their checksums', async () => {
  const baseUrl = 'https://hub.example.com'
  const downloads = new Map(listCliDownloads({ ...(await readCliFiles(ROOT)), baseUrl }))
  expect([...downloads.keys()]).toEqual([
    '/cli/hubcli',
    ...Object.keys(RELEASES).flatMap((release) => [
      `/cli/releases/${release}/hubcli`,
      `/cli/releases/${release}/hubcli.sha256`,
    ]),
  ])
  for (const release of Object.keys(RELEASES)) {
    const served = downloads.get(`/cli/releases/${release}/hubcli`) ?? ''
    expect(served).toContain("\nHUB_DEFAULT_URL='https://hub.example.com'\n")
    expect(served.replace(baseUrl, 'http://localhost:8888')).toBe(frozen(release, 'hubcli').toString())
    expect(downloads.get(`/cli/releases/${release}/hubcli.sha256`)).toBe(`${sha256(served)}  hubcli\n`)
  }
  const current = readFileSync(SCRIPT, 'utf8')
  expect(downloads.get('/cli/hubcli')?.replace(baseUrl, 'http://localhost:8888')).toBe(current)
})

test('a downloaded release passes its checksum and runs', async () => {
  const downloads = listCliDownloads({ ...(await readCliFiles(ROOT)), baseUrl: 'https://hub.example.com/' })
  for (const [name, text] of downloads) {
    mkdirSync(path.join(scratch, path.dirname(name)), { recursive: true })
    writeFileSync(path.join(scratch, name), text)
  }
  const cwd = path.join(scratch, 'cli/releases/1.0.0')
  const checksum = ['sha256sum', 'shasum'].find((tool) => spawnSync(tool, ['--version']).status === 0)
  expect(execFileSync(checksum ?? 'sha256sum', ['-c', 'hubcli.sha256'], { cwd }).toString()).toBe('hubcli: OK\n')
  expect(execFileSync('sh', ['hubcli', 'help'], { cwd, env: { PATH: process.env.PATH } }).toString()).toContain(
    'address of the hub (now https://hub.example.com)',
  )
})

// site URL                           value after the shell parses the line
test.each([
  ['http://localhost:8888', 'http://localhost:8888'],
  ['https://example.com/hub/', 'https://example.com/hub'],
  ["https://example.com/it's$&$'$(id)`id`\\", "https://example.com/it's$&$'$(id)`id`\\"],
])('quotes the site URL for the shell: %s', (baseUrl, address) => {
  const script = "A=1\nHUB_DEFAULT_URL='http://localhost:8888'\n"
  const [[, built] = ['', '']] = listCliDownloads({ script, releases: [], baseUrl })
  expect(execFileSync('sh', ['-c', `${built}printf %s "$HUB_DEFAULT_URL"`]).toString()).toBe(address)
  expect(built.split('\n').length).toBe(script.split('\n').length)
})

test.each([
  '',
  'example.com',
  'ftp://example.com',
  'https://',
  'https://user@example.com',
  'https://example.com/?a',
  'https://example.com/#a',
  'https://example.com/ a',
  'https://example.com\nid',
  'https://example.com/\nid',
])('rejects an invalid site URL: %j', (baseUrl) => {
  const script = "HUB_DEFAULT_URL='http://localhost:8888'\n"
  expect(() => listCliDownloads({ script, releases: [], baseUrl })).toThrow('expected an http or https address')
})

test.each([
  ['no', 'A=1\n'],
  ['two', "HUB_DEFAULT_URL='a'\nHUB_DEFAULT_URL='b'\n"],
])('rejects a script with %s URL lines', (_, script) => {
  expect(() => listCliDownloads({ script, releases: [], baseUrl: 'https://example.com' })).toThrow('one line')
})

test('scripts/releases/release-cli.ts freezes a release once and never overwrites it', () => {
  const folder = path.join(scratch, 'freeze')
  mkdirSync(path.join(folder, 'clients/hubcli'), { recursive: true })
  const write = (script: string) => writeFileSync(path.join(folder, 'clients/hubcli/hubcli'), script)
  const release = () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [
      path.join(ROOT, 'scripts/releases/release-cli.ts'),
      folder,
    ])
    return { status, output: `${stdout}${stderr}` }
  }
  write("HUBCLI_VERSION='1.2.0'\none\n")
  expect(release()).toEqual({
    status: 0,
    output: expect.stringMatching(/^Froze hubcli 1\.2\.0, sha256 [0-9a-f]{64}\n/),
  })
  expect(statSync(path.join(folder, 'releases/hubcli/1.2.0/hubcli')).mode & 0o111).toBe(0o111)
  expect(release()).toEqual({ status: 0, output: expect.stringMatching(/^Unchanged: hubcli 1\.2\.0/) })
  write("HUBCLI_VERSION='1.2.0'\ntwo\n")
  expect(release()).toEqual({
    status: 1,
    output: 'Release 1.2.0 is already frozen with different content. Give hubcli a new HUBCLI_VERSION.\n',
  })
  expect(readFileSync(path.join(folder, 'releases/hubcli/1.2.0/hubcli'), 'utf8')).toBe("HUBCLI_VERSION='1.2.0'\none\n")
  write("HUBCLI_VERSION='1.2.1'\ntwo\n")
  expect(release().status).toBe(0)
  expect(readdirSync(path.join(folder, 'releases/hubcli')).sort()).toEqual(['1.2.0', '1.2.1'])
  write('no number\n')
  expect(release()).toEqual({ status: 1, output: "hubcli: expected one line such as HUBCLI_VERSION='1.0.0'\n" })
})
