// Tests the branch that `npm run skills-branch` writes: the layout that `gh skill` reads, the same commit for the same content, and nothing else touched.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type ImportFolder, makeImportFolder } from './importing.ts'

let folder: ImportFolder
let dir: string
const BINARY = Buffer.from([0, 13, 10, 255, 1])

/** Runs git in the repository of the content. */
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: dir, stdio: 'pipe' })
const lines = (...args: string[]) =>
  git(...args)
    .toString()
    .trim()
    .split('\n')
const write = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), content)
}
const version = (skill: string, content: string) =>
  `---\npublished_at: 2026-11-20T10:00:00Z\npublished_by: octocat\n${skill}---\n${content}`
const SKILL = 'skill:\n  description: Fills in PDF forms.\n'
const run = (...args: string[]) => folder.run('skills-branch', ...args)

beforeEach(() => {
  folder = makeImportFolder()
  dir = folder.dir
  git('init', '--quiet', '--initial-branch=main')
  write('.gitattributes', '* text=auto eol=crlf\n*.sh filter=none\n')
  write('content/acme/pdf/versions/1.0.0.md', version(SKILL, 'Old.\n'))
  write('content/acme/pdf/versions/1.1.0.md', version(SKILL, 'Run scripts/fill.sh.\n'))
  write('content/acme/pdf/versions/1.1.0/scripts/fill.sh', 'echo a\r\necho b\n')
  write('content/acme/pdf/versions/1.1.0/assets/form.bin', BINARY)
  write('content/nina/pdf/versions/2.0.0.md', version(SKILL, 'Other.\n'))
  write('content/nina/plain/versions/1.0.0.md', version('', 'No skill.\n'))
  write('content/nina/gone/versions/1.0.0.md', version(SKILL, 'Archived.\n'))
  write('content/nina/gone/index.md', '---\nstatus: archived\n---\n')
  git('add', '--all')
  git('commit', '--quiet', '-m', 'Start')
})

describe('the branch', () => {
  test('has the layout that gh skill reads, with every byte as in the content', async () => {
    expect(await run()).toMatchObject({ status: 0, stdout: expect.stringContaining('git push origin skills') })
    // `gh skill` finds skills/{scope}/{name}/SKILL.md, and takes every file beside it.
    expect(lines('ls-tree', '-r', '--format=%(objectmode) %(path)', 'skills')).toEqual([
      '100644 README.md',
      '100644 skills/acme/pdf/SKILL.md',
      '100644 skills/acme/pdf/assets/form.bin',
      '100644 skills/acme/pdf/scripts/fill.sh',
      '100644 skills/nina/pdf/SKILL.md',
    ])
    const show = (path: string) => git('cat-file', 'blob', `skills:skills/acme/pdf/${path}`)
    expect(show('assets/form.bin')).toEqual(BINARY)
    expect(show('scripts/fill.sh').toString()).toBe('echo a\r\necho b\n')
    expect(show('SKILL.md').toString()).toMatch(
      /^---\nname: "pdf"\ndescription: "Fills in PDF forms\."\n[\s\S]*\n---\nRun /,
    )
  })

  test('is the same commit for the same content, and one more for a change, which loses what is gone', async () => {
    await run()
    const [first] = lines('rev-parse', 'skills')
    expect(lines('log', '--format=%an %at', 'skills')).toEqual([
      `Prompt Hub ${Date.parse('2026-11-20T10:00:00Z') / 1_000}`,
    ])
    expect(await run()).toMatchObject({ status: 0, stdout: expect.stringContaining('Unchanged') })
    expect(lines('rev-parse', 'skills')).toEqual([first])
    git('branch', '--quiet', '-D', 'skills')
    await run()
    expect(lines('rev-parse', 'skills')).toEqual([first])
    write('content/acme/pdf/versions/1.2.0.md', version(SKILL, 'Newest.\n').replace('20T10', '21T10'))
    expect((await run()).status).toBe(0)
    const [second] = lines('rev-parse', 'skills')
    expect(lines('rev-list', '--parents', 'skills')).toEqual([`${second} ${first}`, first])
    expect(lines('ls-tree', '-r', '--name-only', 'skills', 'skills/acme')).toEqual(['skills/acme/pdf/SKILL.md'])
  })

  test('is all that is touched', async () => {
    write('content/acme/pdf/notes.tmp', 'staged')
    git('add', '--force', 'content/acme/pdf/notes.tmp')
    write('content/acme/pdf/index.md', '---\ntitle: Unstaged\n---\n')
    const state = () => [
      lines('status', '--porcelain'),
      lines('for-each-ref', '--format=%(refname) %(objectname)').filter((ref) => !ref.startsWith('refs/heads/skills ')),
      readFileSync(join(dir, '.git/index')).toString('hex'),
      readFileSync(join(dir, '.git/HEAD'), 'utf8'),
    ]
    const before = state()
    await run()
    expect(state()).toEqual(before)
  })
})

describe('is refused with the way out', () => {
  test('a branch that is checked out, here or in another work tree', async () => {
    expect(await run('--branch', 'main')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/main is checked out.*choose/),
    })
    git('worktree', 'add', '--quiet', '-b', 'other', join(dir, 'elsewhere'))
    expect(await run('--branch', 'other')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/other is checked out/),
    })
  })

  test('a branch with commits of somebody', async () => {
    git('branch', 'theirs')
    const before = lines('rev-parse', 'theirs')
    expect(await run('--branch', 'theirs')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/theirs has commits that were not generated\. Choose another name/),
    })
    expect(lines('rev-parse', 'theirs')).toEqual(before)
  })

  test.each(['-x', ''])('the name %j', async (name) => {
    expect(await run(`--branch=${name}`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not a valid name'),
    })
  })

  test('content that is invalid, before anything is written', async () => {
    write('content/acme/pdf/versions/9.0.0/only.txt', 'x')
    expect(await run()).toMatchObject({ status: 1, stderr: expect.stringContaining('9.0.0') })
    expect(lines('branch', '--list', 'skills')).toEqual([''])
  })
})
