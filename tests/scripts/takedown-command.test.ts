// Tests `npm run takedown` with real repositories. tests/publish/takedown.test.ts tests that hubs then serve nothing of it.

import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { readContentDir } from '../../src/content/content-dir.ts'
import { plainEnvironment } from '../hubs/processes.ts'
import { runScript } from '../loaded.ts'
import { blocksOf } from '../operate/follow-guide.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const version = (text: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${text}\n`
const INDEX =
  '---\n# ours\ntitle: Review # kept\nlabels:\n  production: "1.1.0"\n  stable: "1.0.0"\nyanked: { "1.1.0": Wrong }\n---\nNotes\n'
const root = temporaryFolder('hub-takedown-')

const owner = 'acme'
let folder: string
let count = 0
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  })

function put(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  git('add', '-A')
  git('commit', '-q', '-m', 'Somebody else')
}

beforeEach(() => {
  folder = join(root, String(++count))
  mkdirSync(folder)
  git('init', '-q', '-b', 'main')
  put({
    [`content/${owner}/review/versions/1.0.0.md`]: version('One'),
    [`content/${owner}/review/versions/1.1.0.md`]: version('Two zanzibar'),
    [`content/${owner}/review/index.md`]: INDEX.replace('yanked: { "1.1.0": Wrong }\n', ''),
    [`content/${owner}/other/versions/1.0.0.md`]: version('Other'),
    [`content/${owner}/other/index.md`]: `---\nreplaced_by: ${owner}/review # see there\nstatus: deprecated\n---\n`,
  })
})

function run(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const env = { ...plainEnvironment(), CONTENT_DIR: join(folder, 'content'), ...settings }
  return runScript('scripts/content/takedown.ts', args, { cwd: folder, env })
}
const contentOf = () => readContentDir(join(folder, 'content'))
const read = (path: string) => readFileSync(join(folder, 'content', owner, path), 'utf8')

test.each([`${owner}/review@1.0.0`, `${owner}/other@1.0.0`, `${owner}/review`])(
  '%s stays as it was if git refuses the commit',
  async (address) => {
    git('rm', '-q', `content/${owner}/other/index.md`)
    git('commit', '-q', '-m', 'A prompt without an index')
    writeFileSync(join(folder, '.git/refs/heads/main.lock'), '')
    const { code, stderr } = await run([address, 'Gone'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('main.lock')])
    expect(git('status', '--porcelain')).toBe('')
  },
)

test('a version: one commit removes it, its label and its yank, and uses up its number', async () => {
  writeFileSync(join(folder, `content/${owner}/review/index.md`), INDEX)
  // A label cannot point at a yanked version, so the file was invalid. A takedown must work all the same.
  git('commit', '-q', '-a', '-m', 'Yank')
  const before = git('rev-parse', 'HEAD').trim()
  const { code, stdout } = await run([`${owner}/review@1.1.0`, 'Leaks a key'])
  expect(code).toBe(0)
  expect(git('rev-parse', 'HEAD~1').trim()).toBe(before)
  expect(git('show', '--format=%s', '--name-status', 'HEAD').trim().split('\n')).toEqual([
    ...[`Take down ${owner}/review@1.1.0`, ''],
    ...[`M\tcontent/${owner}/review/index.md`, `D\tcontent/${owner}/review/versions/1.1.0.md`],
  ])
  expect(git('status', '--porcelain')).toBe('')
  expect(read('review/index.md')).toBe(
    '---\n# ours\ntitle: Review # kept\nlabels:\n  stable: "1.0.0"\nyanked: {}\nremoved:\n  "1.1.0": Leaks a key\n---\nNotes\n',
  )
  expect(contentOf().problems).toEqual([])
  expect(stdout).toContain(`Removed ${owner}/review@1.1.0 in commit ${git('rev-parse', '--short=12', 'HEAD').trim()}`)
  expect(stdout).toContain(', with the label production.\nIts number is never used again.\n')
  expect(stdout).toContain(`git filter-repo --invert-paths --path content/${owner}/review/versions/1.1.0.md\n`)
  for (const word of ['secret', 'clones', 'caches', 'mirrors', 'users', 'backups']) expect(stdout).toContain(word)
})

test('a version of a skill with results and attestations: its files are removed with it', async () => {
  const place = `content/${owner}/review`
  const versions = `${place}/versions`
  const bundle = '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}'
  const workflow = 'octo/prompts/.github/workflows/publish.yml@refs/heads/main'
  const facts = {
    sha256: hash('sha256', bundle),
    size_bytes: bundle.length,
    predicate_type: 'https://slsa.dev/provenance/v1',
    issuer: 'https://token.actions.githubusercontent.com',
    repository: 'octo/prompts',
    workflow,
    identity: `https://github.com/${workflow}`,
    ref: 'refs/heads/main',
    sha: 'a'.repeat(40),
    run_url: 'https://github.com/octo/prompts/actions/runs/1/attempts/1',
  }
  const keys = `skill: {description: Reviews.}\nattestations: [${JSON.stringify(facts)}]\n`
  const digest = hash('sha256', 'Three\n')
  put({
    [`${versions}/1.2.0.md`]: version('Three').replace('---\n', `---\n${keys}`),
    [`${versions}/1.2.0/scripts/run.py`]: 'print("narwhal")\n',
    [`${place}/results/1.2.0/quality.yml`]: `content_sha256: ${digest}\npassed: 1\nfailed: 0\nat: "2026-11-20T10:00:00Z"\nreported_by: acme\n`,
    [`${place}/attestations/1.2.0/1.sigstore.json`]: bundle,
  })
  expect(contentOf().problems).toEqual([])
  const { code, stdout } = await run([`${owner}/review@1.2.0`, 'Leaks a key'])
  expect(code).toBe(0)
  for (const path of ['versions', 'results', 'attestations'])
    expect(existsSync(join(folder, place, path, '1.2.0'))).toBe(false)
  expect(git('show', '--format=', '--name-status', 'HEAD').trim().split('\n')).toEqual([
    `D\t${place}/attestations/1.2.0/1.sigstore.json`,
    `M\t${place}/index.md`,
    `D\t${place}/results/1.2.0/quality.yml`,
    `D\t${versions}/1.2.0.md`,
    `D\t${versions}/1.2.0/scripts/run.py`,
  ])
  expect(contentOf().problems).toEqual([])
  expect(stdout).toContain(`--path ${versions}/1.2.0.md --path ${versions}/1.2.0\n`)
})

test('a part: the versions that include it are named, because they contain its text', async () => {
  const digest = hash('sha256', 'Two zanzibar\n')
  const include = `{repository: ${owner}/review, range: "*", version: 1.1.0, content_sha256: ${digest}, start: 0, length: 12, variables: []}`
  const composed = version('Two zanzibar\nMore').replace('---\n', `---\nincludes: [${include}]\n`)
  put({ [`content/${owner}/composed/versions/1.0.0.md`]: composed })
  expect(contentOf().problems).toEqual([])
  const { stdout } = await run([`${owner}/review@1.1.0`, 'Leaks a key'])
  expect(stdout).toContain(`${owner}/composed@1.0.0 include this text: publish without it`)
  expect(contentOf().problems).toEqual([])
})

test('the commands of the guide take down a version, then the prompt: all but its numbers, and what others say about it', async () => {
  const [commands = ''] = blocksOf('managing', 'sh').filter((text) => text.includes('takedown'))
  const lines = commands.trim().replaceAll('acme/code-review', `${owner}/review`).split('\n')
  const given = lines.map((line) => /^npm run takedown -- (\S+) "([^"]+)"$/.exec(line)?.slice(1) ?? [])
  expect(given.map(([name]) => name)).toEqual([`${owner}/review@1.1.0`, `${owner}/review`])
  const address = `${owner}/review`
  expect((await run(given[0]!)).code).toBe(0)
  const { code, stdout } = await run(given[1]!)
  expect(code).toBe(0)
  expect(git('ls-files', `content/${owner}/review`).trim()).toBe(`content/${owner}/review/index.md`)
  expect(read('review/index.md')).toBe(`---\nremoved:\n  "1.1.0": ${given[0]![1]}\n  "1.0.0": ${given[1]![1]}\n---\n`)
  expect(existsSync(join(folder, `content/${owner}/review/versions`))).toBe(false)
  expect(contentOf().tree.repositories.has(`${owner}/review`)).toBe(false)
  expect(stdout).toContain('Its numbers are never used again.')
  expect(read('other/index.md')).toBe('---\nstatus: deprecated\n---\n')
  expect(contentOf().problems).toEqual([])
  expect(stdout).toContain(`with replaced_by of ${owner}/other`)
  // What is gone is not taken down again.
  const head = git('rev-parse', 'HEAD')
  const again = await run(given[1]!)
  expect([again.code, again.stderr.split('\n')[0]]).toEqual([1, `${address} was taken down before.`])
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([head, ''])
})

test('the only version, and a prompt whose index.md cannot be read', async () => {
  expect((await run([`${owner}/other@1.0.0`, 'Wrong'])).code).toBe(0)
  expect(read('other/index.md')).toContain('removed:\n  "1.0.0": Wrong\n')
  put({ [`content/${owner}/review/index.md`]: '---\ntitle: [\n---\n' })
  expect((await run([`${owner}/review`, 'Illegal'])).code).toBe(0)
  expect(read('review/index.md')).toBe('---\nremoved:\n  "1.0.0": Illegal\n  "1.1.0": Illegal\n---\n')
  expect([contentOf().problems, [...contentOf().tree.repositories.keys()]]).toEqual([[], []])
})

describe('refusals change nothing', () => {
  //  case                       arguments                            what it says
  test.each<[string, string[], RegExp]>([
    ['a reason of two lines', [`${owner}/review@1.1.0`, 'a\nb'], /expected a reason on one line/],
    ['no prompt', ['review', 'x'], /expected a prompt, or a version/],
    ['an unknown version', [`${owner}/review@9.0.0`, 'x'], /There is no version 9\.0\.0 of acme\/review/],
    ['an unknown prompt', [`${owner}/nothing`, 'x'], /There is no prompt/],
  ])('%s', async (_case, args, words) => {
    const head = git('rev-parse', 'HEAD')
    const { code, stderr } = await run(args)
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)])
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([head, ''])
  })

  test('uncommitted changes, no branch, no repository, and a clone that the hub resets', async () => {
    writeFileSync(join(folder, `content/${owner}/review/index.md`), `${INDEX}Mine\n`)
    expect((await run([`${owner}/review@1.1.0`, 'x'])).stderr).toContain('There are uncommitted changes.')
    expect(read('review/index.md')).toContain('Mine')
    git('checkout', '-q', '--', '.')
    git('checkout', '-q', '--detach')
    expect((await run([`${owner}/review`, 'x'])).stderr).toContain('No branch is checked out')
    expect((await run([`${owner}/review`, 'x'], { CONTENT_DIR: root })).stderr).toContain('is not in a git repository')
    const github = { GITHUB_REPOSITORY: 'acme/prompts', GITHUB_TOKEN: 'x', CONTENT_DIR: '' }
    expect((await run([`${owner}/review`, 'x'], github)).stderr).toContain(
      'set CONTENT_DIR to the content folder of that clone',
    )
  })
})
