// Pins what `npm run build` promises on the command line: what it says, what it writes again, what it leaves alone, and how it fails.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'prompt-hub-build-'))
const out = join(root, 'out')
afterAll(() => rmSync(root, { recursive: true }))

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, 'content', path)), { recursive: true })
  writeFileSync(join(root, 'content', path), text)
}
const version = (text: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${text}\n`

function build(...parameters: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.ts', ...parameters], {
    encoding: 'utf8',
    env: {
      ...process.env,
      CONTENT_DIR: join(root, 'content'),
      SITE_URL: 'https://hub.test',
      SOURCE_DATE_EPOCH: '1793491200',
      ASTRO_TELEMETRY_DISABLED: '1',
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
  const first = build('--out', out)
  expect([first.status, first.stdout]).toEqual([
    0,
    expect.stringMatching(/^1 repositories, 1 files read; (\d+) of \1 files written and 0 removed in \d+\.\d s\.\n$/),
  ])
  // Where nobody looks at a terminal, each step is a line.
  expect(first.stderr).toMatch(/Reading the content …\nBundling the pages …\nWriting the site: 1 of \d+\n/)
  expect(readFileSync(join(out, 'dist/data/v1/repos/acme/one/raw.txt'), 'utf8')).toBe('First text\n')
  expect(statSync(join(out, 'build/search.db')).size).toBeGreaterThan(0)

  const before = times()
  expect(build('--out', out).stdout).toMatch(/; 0 of \d+ files written and 0 removed in /)
  expect(times()).toEqual(before)

  put('acme/one/index.md', '---\ntitel: One\n---\n')
  const broken = build('--out', out)
  expect([broken.status, broken.stdout]).toEqual([1, ''])
  expect(broken.stderr).toContain('1 problem in the content:\n  content/acme/one/index.md: titel: ')
  expect(times()).toEqual(before)

  // What stood there stays, even if it would have been made anew.
  writeFileSync(join(out, 'dist/left-by-hand.txt'), 'x')
  const byHand = times()
  expect(build('--out', out).status).toBe(1)
  expect(times()).toEqual(byHand)

  put('acme/one/index.md', '---\ntitle: One\n---\n')
  const whole = build('--out', out)
  expect(whole.stdout).toMatch(/; (\d+) of \1 files written and 0 removed in /)
  expect(readdirSync(join(out, 'dist'))).not.toContain('left-by-hand.txt')
  expect(readdirSync(out)).not.toContain('dist.old')
})

test('words that it does not know end it before anything is read', () => {
  const { status, stdout, stderr } = build('--output', out)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain("Unknown option '--output'")
  expect(stderr).toContain('Usage: npm run build -- [--out DIR]')
})
