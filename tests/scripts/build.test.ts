// Pins what `npm run build` promises on the command line: what it says, what it writes again, what it leaves alone, and how it fails.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'prompt-hub-build-'))
const out = join(root, 'out')
afterAll(() => rmSync(root, { recursive: true }))

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, 'content', path)), { recursive: true })
  writeFileSync(join(root, 'content', path), text)
}
const version = (text: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${text}\n`

function build({ cwd = '.', settings = {} }, ...parameters: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.ts', ...parameters], {
    cwd,
    encoding: 'utf8',
    env: {
      ...process.env,
      CONTENT_DIR: join(root, 'content'),
      SITE_URL: 'https://hub.test',
      SOURCE_DATE_EPOCH: '1793491200',
      ASTRO_TELEMETRY_DISABLED: '1',
      ...settings,
    },
  })
  return { status, stdout, stderr }
}
const times = () =>
  readdirSync(join(out, 'dist'), { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => `${path} ${statSync(join(out, 'dist', path)).mtimeMs}`)

test('one build after the other, in the same folder', { timeout: 300_000 }, () => {
  put('acme/one/versions/1.0.0.md', version('First text'))
  const first = build({}, '--out', out)
  expect([first.status, first.stdout]).toEqual([
    0,
    expect.stringMatching(/^1 repositories, 1 files read; (\d+) of \1 files written and 0 removed in \d+\.\d s\.\n$/),
  ])
  // Where nobody looks at a terminal, each step is a line.
  expect(first.stderr).toMatch(/Reading the content …\nOpening the pages …\nWriting the site: 1 of \d+\n/)
  expect(readFileSync(join(out, 'dist/data/v1/repos/acme/one/raw.txt'), 'utf8')).toBe('First text\n')
  expect(statSync(join(out, 'build/search.db')).size).toBeGreaterThan(0)

  const before = times()
  expect(build({}, '--out', out).stdout).toMatch(/; 0 of \d+ files written and 0 removed in /)
  expect(times()).toEqual(before)

  put('acme/one/index.md', '---\ntitel: One\n---\n')
  const broken = build({}, '--out', out)
  expect([broken.status, broken.stdout]).toEqual([1, ''])
  expect(broken.stderr).toContain('1 problem in the content:\n  content/acme/one/index.md: titel: ')
  expect(times()).toEqual(before)

  // What stood there stays, even if it would have been made anew.
  writeFileSync(join(out, 'dist/left-by-hand.txt'), 'x')
  const byHand = times()
  expect(build({}, '--out', out).status).toBe(1)
  expect(times()).toEqual(byHand)

  put('acme/one/index.md', '---\ntitle: One\n---\n')
  const whole = build({}, '--out', out)
  expect(whole.stdout).toMatch(/; (\d+) of \1 files written and 0 removed in /)
  expect(readdirSync(join(out, 'dist'))).not.toContain('left-by-hand.txt')
  expect(readdirSync(out).sort()).toEqual(['build', 'dist', 'kept'])
})

test('a page that is heavier than promised ends it, with what it weighs', { timeout: 300_000 }, () => {
  const project = join(root, 'project')
  for (const part of [
    'src',
    'scripts',
    'netlify',
    'package.json',
    'package-lock.json',
    'astro.config.mjs',
    'tsconfig.json',
  ])
    cpSync(part, join(project, part), { recursive: true })
  symlinkSync(resolve('node_modules'), join(project, 'node_modules'))
  // No compression makes chance smaller.
  appendFileSync(join(project, 'src/site/fonts/inter.woff2'), randomBytes(30_000))
  const built = join(root, 'heavy')
  const { status, stdout, stderr } = build({ cwd: project }, '--out', built)
  expect([status, stdout]).toEqual([1, ''])
  const said = stderr.split('\n').filter((line) => line.includes('over the wire'))
  expect(said).toEqual(
    [
      ['The front page', '60,000', '/'],
      ['A prompt’s page', '50,000', '/acme/one'],
      ['A version’s page', '50,000', '/acme/one/v/1.0.0'],
    ].map(([what, most, path]) =>
      expect.stringMatching(
        new RegExp(
          `^${what} weighs \\d\\d,\\d{3} bytes over the wire with an ordinary text, and may weigh ${most}: ${path} \\d,\\d{3}, /assets/inter\\.\\S+\\.woff2 56,044, `,
        ),
      ),
    ),
  )
  // They stay beside, to be looked at; another build is not content with them.
  expect(stderr).toContain(`They are in ${join(built, 'dist.next')}`)
  expect([existsSync(join(built, 'dist.next/index.html')), existsSync(join(built, 'dist'))]).toEqual([true, false])
  expect(build({ cwd: project }, '--out', built).status).toBe(1)
})

test('a long text is not the weight of the site', { timeout: 300_000 }, () => {
  put('acme/one/versions/1.0.0.md', version(randomBytes(100_000).toString('base64')))
  expect(build({}, '--out', join(root, 'long'))).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^1 repositories/),
  })
})

test('what is changed by hand in the folder is made anew', { timeout: 300_000 }, () => {
  const whole = /; (\d+) of \1 files written and 0 removed in /
  const raw = join(out, 'dist/data/v1/repos/acme/one/raw.txt')
  const changes = [
    () => writeFileSync(raw, 'Changed by hand\n'),
    () => rmSync(raw),
    () => mkdirSync(join(out, 'dist/data/by-hand')),
    () => renameSync(raw, `${raw}.moved`),
  ]
  put('acme/one/versions/1.0.0.md', version('First text'))
  expect(build({}, '--out', out).status).toBe(0)
  for (const change of changes) {
    change()
    expect(build({}, '--out', out).stdout).toMatch(whole)
    expect(readFileSync(raw, 'utf8')).toBe('First text\n')
    expect(build({}, '--out', out).stdout).toMatch(/; 0 of \d+ files written and 0 removed in /)
  }
})

test('another git host or limit is shown at once, and another day', { timeout: 300_000 }, () => {
  const page = () => readFileSync(join(out, 'dist/acme/one/index.html'), 'utf8')
  expect(page()).not.toContain('github.com/acme/catalogue')
  const github = { GITHUB_REPOSITORY: 'acme/catalogue', GITHUB_TOKEN: 'a-token' }
  expect(build({ settings: github }, '--out', out).status).toBe(0)
  expect(page()).toContain('https://github.com/acme/catalogue/blob/main/content/acme/one/versions/1.0.0.md')
  expect(build({ settings: { ...github, GITHUB_BRANCH: 'prompts' } }, '--out', out).status).toBe(0)
  expect(page()).toContain('https://github.com/acme/catalogue/blob/prompts/')
  expect(build({}, '--out', out).status).toBe(0)
  expect(page()).not.toContain('github.com/acme/catalogue')
  const guide = () => readFileSync(join(out, 'dist/docs/api/index.html'), 'utf8')
  expect(guide()).not.toContain('1,234')
  expect(build({ settings: { RATE_LIMIT_PER_MINUTE: '1234' } }, '--out', out).status).toBe(0)
  expect(guide()).toContain('1,234')
})

test('words that it does not know end it before anything is read', () => {
  const { status, stdout, stderr } = build({}, '--output', out)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain("Unknown option '--output'")
  expect(stderr).toContain('Usage: npm run build -- [--out DIR]')
})
