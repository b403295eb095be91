// Tests `npm run new` and `npm run bump`: they create valid content, print the next step, and overwrite nothing.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseVersionFile } from '../../src/domain/content/prompt-file.ts'
import { reviewContent } from '../../src/review/review-content.ts'
import { COMPILED } from '../compiled.ts'
import { runScript } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const dir = temporaryFolder('prompt-hub-scaffold-')
const env = { PATH: process.env.PATH, ...COMPILED, CONTENT_DIR: dir }
const run = (...args: string[]) => runScript('scripts/content/scaffold.ts', args, { env })
const read = (path: string) => readFileSync(join(dir, path), 'utf8')

test('a new prompt fails the check until edited; then it and its next version pass without advice', async () => {
  const made = await run(
    'new',
    'acme/code-review',
    '--by',
    'OctoCat',
    '--description',
    'Finds real problems in code.',
    '--tags',
    'code',
  )
  expect([made.code, made.stdout.split('\n').slice(0, 2)]).toEqual([
    0,
    ['content/acme/code-review/index.md', 'content/acme/code-review/versions/1.0.0.md'],
  ])
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: dir })
  git('init', '-q')
  git('commit', '-q', '--allow-empty', '-m', 'before')
  const check = () => runScript('scripts/content/check-content.ts', [], { env })
  const unedited = await check()
  expect([unedited.code, unedited.stdout.match(/^\S+ {2}is-edited {2}[\w.]+/gm)]).toEqual([
    1,
    [
      'content/acme/code-review/index.md:8  is-edited  readme',
      'content/acme/code-review/versions/1.0.0.md:7  is-edited  variables.0.description',
      'content/acme/code-review/versions/1.0.0.md:15  is-edited  content',
    ],
  ])
  const edit = (path: string, from: string, to: string) =>
    writeFileSync(join(dir, 'acme/code-review', path), read(`acme/code-review/${path}`).replace(from, to))
  edit('index.md', 'When to use it, and what to give for each placeholder.', 'For changes in code.')
  edit('versions/1.0.0.md', 'What to give for it', 'The change')
  edit('versions/1.0.0.md', 'Say here what the model should do with', 'Review')
  expect(await check()).toMatchObject({ code: 0, stdout: '2 files in 1 repository checked: no problems, no advice.\n' })
  const next = await run('bump', 'acme/code-review', 'minor', '--changelog', 'Shorter')
  expect([next.code, next.stdout.split('\n')[0]]).toEqual([0, 'content/acme/code-review/versions/1.1.0.md'])
  expect(read('acme/code-review/versions/1.1.0.md')).toMatch(
    /published_by: octocat\nchangelog: Shorter\n[\s\S]*\{\{input\}\}\.\n$/,
  )
  expect((await reviewContent({ contentDir: dir, environment: process.env })).entries).toEqual([])
})

test('a bump keeps the content byte for byte, drops provenance and orders versions numerically', async () => {
  const head = 'published_at: "2026-11-01T10:00:00Z"\npublished_by: octocat\n'
  const provenance = 'provenance: {issuer: a, repository: b, workflow: c, ref: d, sha: e, run_id: "1"}\n'
  mkdirSync(join(dir, 'acme/b/versions'), { recursive: true })
  writeFileSync(join(dir, 'acme/b/versions/1.9.0.md'), `---\n${head}---\nOld`)
  writeFileSync(join(dir, 'acme/b/versions/1.10.0.md'), `---\n${head}${provenance}---\nNew {{a}}\r\n---\n\tend`)
  expect((await run('bump', 'acme/b', '--changelog', 'x')).code).toBe(0)
  const text = read('acme/b/versions/1.10.1.md')
  expect(text.endsWith('\n---\nNew {{a}}\r\n---\n\tend')).toBe(true)
  expect(text).not.toMatch(/provenance|variables/)
})

test('a bump keeps the skill, with the current license, and its files', async () => {
  const place = 'acme/with-files/versions'
  mkdirSync(join(dir, place, '1.0.0/scripts'), { recursive: true })
  const head = 'published_at: "2026-11-01T10:00:00Z"\npublished_by: octocat\n'
  const skill = 'skill: {description: Reviews., license: MIT, metadata: {team: a}}\n'
  writeFileSync(join(dir, place, '1.0.0.md'), `---\n${head}${skill}---\nBe brief.\n`)
  writeFileSync(join(dir, place, '1.0.0/scripts/run.sh'), 'true\n')
  writeFileSync(join(dir, place, '1.0.0/logo.bin'), Buffer.from([0, 255]))
  writeFileSync(join(dir, 'acme/with-files/index.md'), '---\nlicense: CC0-1.0\n---\n')
  const { code, stdout } = await run('bump', 'acme/with-files', 'minor', '--changelog', 'x')
  expect([code, stdout.split('\n').slice(0, 3)]).toEqual([
    0,
    [`${place}/1.1.0.md`, `${place}/1.1.0/logo.bin`, `${place}/1.1.0/scripts/run.sh`].map((path) => `content/${path}`),
  ])
  expect(parseVersionFile(read(`${place}/1.1.0.md`)).value?.skill).toEqual({
    description: 'Reviews.',
    license: 'CC0-1.0',
    metadata: { team: 'a' },
  })
  expect(readFileSync(join(dir, place, '1.1.0/logo.bin'))).toEqual(Buffer.from([0, 255]))
})

test('a full disk leaves nothing half-written, so that the same command works once there is room', () => {
  const write = (path: string, text: string) => {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const index = '---\nlicense: mit\n---\n'
  write('acme/full/index.md', index)
  write('acme/full/versions/1.0.0.md', '---\npublished_at: "2026-11-01T10:00:00Z"\npublished_by: octocat\n---\nHi.\n')
  const before = readdirSync(join(dir, 'acme'), { recursive: true })
  const source = join(dir, 'source.txt')
  writeFileSync(source, '---\n---\nHello.\n')
  const commands = [
    ['scaffold.ts', 'new', 'acme/room', '--by', 'a', '--description', 'd'],
    ['scaffold.ts', 'bump', 'acme/full', 'minor', '--changelog', 'x'],
    ['compose.ts', 'acme/full', '--by', 'a', '--source', source],
    ['check-content.ts', '--fix'],
  ]
  const runLimited = ([script, ...args]: string[], limit: string) =>
    spawnSync(
      'sh',
      ['-c', `ulimit -f ${limit}; exec "$0" "$@"`, process.execPath, `scripts/content/${script}`, ...args],
      {
        encoding: 'utf8',
        input: '',
        env,
      },
    )
  for (const command of commands) {
    const { status, stderr } = runLimited(command, '0')
    expect([command[0], status, stderr]).toEqual([command[0], expect.toBeOneOf([1, 2]), expect.stringMatching(/EFBIG/)])
  }
  expect(readdirSync(join(dir, 'acme'), { recursive: true })).toEqual(before)
  expect(read('acme/full/index.md')).toBe(index)
  expect(runLimited(commands[2]!, 'unlimited').status).toBe(0)
  rmSync(source)
})

test.each([
  ['an existing prompt, before it asks', ['new', 'acme/b'], 'already exists'],
  ['a missing changelog without a terminal', ['bump', 'acme/b'], 'missing: changelog, --changelog'],
  [
    'a license that no publish accepts',
    ['new', 'acme/c', '--by', 'a', '--description', 'd', '--license', 'FOO'],
    'license: expected an SPDX license such as MIT or CC-BY-4.0, got "FOO"',
  ],
] as const)('rejects %s with a message', async (_, args, message) => {
  const { code, stderr } = await run(...args)
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
})
