// Tests `npm run build` on the command line: what it prints, what it replaces, and how it fails.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { poll } from '../e2e/client.ts'
import { launch } from '../hubs/processes.ts'
import { runScript } from '../loaded.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const SETTINGS = { SITE_URL: 'https://hub.test', SOURCE_DATE_EPOCH: '1793491200', ASTRO_TELEMETRY_DISABLED: '1' }
const root = temporaryFolder('prompt-hub-build-')
const out = join(root, 'out')

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, 'content', path)), { recursive: true })
  writeFileSync(join(root, 'content', path), text)
}
const version = (text: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${text}\n`

/** Runs a build in a process that has loaded its modules. */
async function build(settings: Record<string, string> = {}, parameters = ['--out', out]) {
  const env = { ...process.env, CONTENT_DIR: join(root, 'content'), ...SETTINGS, ...settings }
  const { code, ...printed } = await runScript('scripts/build.ts', parameters, { env })
  return { status: code, ...printed }
}
const times = () =>
  readdirSync(join(out, 'dist'), { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => `${path} ${statSync(join(out, 'dist', path)).mtimeMs}`)

test('a build replaces the one before, which stays as it is if content is invalid or the build is killed', {
  timeout: 300_000,
}, async () => {
  put('acme/one/versions/1.0.0.md', version('First text'))
  const first = await build()
  expect([first.status, first.stdout]).toEqual([
    0,
    expect.stringMatching(/^1 prompt, [\d,]+ data files written in \d+\.\d s\.\n$/),
  ])
  // Without a terminal, each step is printed as a line.
  expect(first.stderr).toMatch(/Writing the data: 0 of 1\n[\s\S]*Writing the search index …\n/)
  expect(readFileSync(join(out, 'dist/data/v1/repos/acme/one/raw.txt'), 'utf8')).toBe('First text\n')
  expect(statSync(join(out, 'build/search.db')).size).toBeGreaterThan(0)
  expect(readdirSync(join(out, 'build')).sort()).toEqual(['complete.json', 'pages', 'search.db'])

  // Existing files are kept, even those that would have been rebuilt.
  writeFileSync(join(out, 'dist/left-by-hand.txt'), 'x')
  const before = times()
  put('acme/one/index.md', '---\ntitel: One\n---\n')
  const broken = await build()
  expect([broken.status, broken.stdout]).toEqual([1, ''])
  expect(broken.stderr).toContain('1 problem in the content:\n  content/acme/one/index.md: titel: ')
  expect(times()).toEqual(before)

  put('acme/one/index.md', '---\ntitle: One\n---\n')
  const settings = { CONTENT_DIR: join(root, 'content'), ...SETTINGS }
  const killed = launch(process.execPath, ['scripts/build.ts', '--out', out], settings)
  const next = join(out, 'dist.next')
  await poll('it writes', 60_000, async () => (existsSync(next) && readdirSync(next).length > 0 ? true : undefined))
  killed.child.kill('SIGKILL')
  await killed.closed
  await killed.end()
  expect(times()).toEqual(before)

  expect((await build()).stdout).toMatch(/^1 prompt, [\d,]+ data files written in \d+\.\d s\.\n$/)
  expect(readFileSync(join(out, 'dist/data/v1/repos/acme/one.json'), 'utf8')).toContain('"title":"One"')
  expect(readdirSync(join(out, 'dist'))).not.toContain('left-by-hand.txt')
  expect(readdirSync(out).sort()).toEqual(['build', 'dist'])
})

test('the search index of a build omits the sources that only edits need', () => {
  const database = new DatabaseSync(join(out, 'build/search.db'), { readOnly: true })
  const row = database.prepare('SELECT count(*) AS count, sum(length(source)) AS sources FROM prompts').get()
  database.close()
  expect(row).toEqual({ count: 1, sources: 0 })
})

test('rejects an unknown option with the usage', async () => {
  const { status, stdout, stderr } = await build({}, ['--output', out])
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain("Unknown option '--output'")
  expect(stderr).toContain('Usage: npm run build -- [--out DIR]')
})

test('a hub that only readers may read is not built for Netlify', async () => {
  const there = join(root, 'private')
  const { status, stderr } = await build({ READ_ACCESS: 'members' }, ['--out', there])
  expect([status, existsSync(there)]).toEqual([1, false])
  expect(stderr).toContain('Netlify cannot keep static files private')
})

test('a folder that is a file fails with a message, not a stack trace', async () => {
  const { status, stderr } = await build({}, ['--out', 'README.md'])
  expect([status, stderr]).toEqual([1, expect.stringContaining('ENOTDIR')])
  expect(stderr).not.toContain('    at ')
})

test.each(['build.ts', 'token.ts acme'])('%s says in one line which setting is invalid', async (command) => {
  const [script = '', ...parameters] = command.split(' ')
  expect(await runScript(`scripts/${script}`, parameters, { env: { ...process.env, PORT: 'abc' } })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The hub is not set up: PORT: expected a port number. Correct the settings and start again.\n',
  })
})

test('refuses a working tree that has lost files of its commit, such as an empty mount', async () => {
  const repository = makeRepository('ready')
  repository.commit({ 'content/acme/one/versions/1.0.0.md': version('Text'), 'content/acme/index.md': 'Bio\n' })
  rmSync(join(repository.folder, 'content/acme'), { recursive: true })
  const settings = { CONTENT_DIR: join(repository.folder, 'content') }
  const { status, stderr } = await build(settings, ['--out', join(root, 'lost')])
  expect([status, existsSync(join(root, 'lost/dist'))]).toEqual([1, false])
  expect(stderr).toContain(
    'content/acme: expected the files of the checked-out commit, but 2 are missing, such as content/acme/index.md. Mount or restore what is missing (git restore), or commit its removal\n',
  )
})
