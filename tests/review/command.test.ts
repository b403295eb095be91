// Tests what `npm run check:content` prints and fixes: lines, JSON and annotations, and the misspelled values that
// --fix corrects.

import { chownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMPILED } from '../compiled.ts'
import { runScript } from '../loaded.ts'
import { A, GOOD_INDEX, good, index, NEXT, openReviewed, version } from './reviewed.ts'

const { root, put, review } = openReviewed()

describe('--fix', () => {
  test('corrects unambiguous spellings and leaves the rest of the file unchanged', async () => {
    put(
      A,
      index(
        '# kept\ntitle: Code review\ndescription: Finds real problems in a change and says how bad.\ntags: [Code, code, "Pull Request"]\nlicense: mit\n',
      ),
    )
    put('acme/index.md', '---\nmembers: [OctoCat, octocat, 7]\n---\nBio\n')
    put(NEXT, good('').replace('octocat', 'OctoCat'))
    const { entries, mended } = await review({ base: 'main', fix: true })
    expect(mended).toEqual([A, NEXT, 'acme/index.md'])
    expect(entries).toEqual([])
    expect(readFileSync(join(root(), 'content', A), 'utf8')).toBe(
      index(
        '# kept\ntitle: Code review\ndescription: Finds real problems in a change and says how bad.\ntags: [code, pull-request]\nlicense: MIT\n',
      ),
    )
    expect(readFileSync(join(root(), 'content/acme/index.md'), 'utf8')).toBe('---\nmembers: [octocat, 7]\n---\nBio\n')
    expect(readFileSync(join(root(), 'content', NEXT), 'utf8')).toBe(good(''))
    expect((await review({ base: 'main', fix: true })).mended).toEqual([])
  })

  test('does not change published versions, with or without a base', async () => {
    put('acme/b/versions/1.0.0.md', version('Translate the text below.\n').replace('octocat', 'OctoCat'))
    for (const base of ['main', undefined]) expect((await review({ base, fix: true })).mended).toEqual([])
  })
})

describe('npm run check:content', () => {
  const run = (args: string[], more: Record<string, string> = {}) =>
    runScript('scripts/content/check-content.ts', args, {
      env: { PATH: process.env.PATH, ...COMPILED, CONTENT_DIR: join(root(), 'content'), ...more },
    })

  test('prints one line per problem, fails only on errors and rejects an unknown base', async () => {
    put(A, index(GOOD_INDEX.replace('[code, review]', '[]')))
    const advised = await run(['--base', 'main'])
    expect([advised.code, advised.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^content\/acme\/a\/index\.md:4 {2}weak-metadata \(advice\) {2}tags: add tags.*; add what is missing\n/,
      ),
    ])
    put(A, index(`${GOOD_INDEX}moved_to: acme/nowhere\n`))
    const failed = await run(['--base', 'main'])
    expect([failed.code, failed.stdout]).toEqual([
      1,
      'content/acme/a/index.md:6  successor-exists  moved_to: expected a repository that exists, got acme/nowhere; name an existing repository\n' +
        '7 files in 3 repositories checked: 1 problem, no advice.\n',
    ])
    const lost = await run(['--base', 'nothing'])
    expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining('expected a commit in this repository')])
  })

  test.runIf(process.getuid?.() === 0)(
    'fails with the message of git if git refuses the folder of another user',
    async () => {
      for (const name of ['.git', '.']) chownSync(join(root(), name), 65534, 65534)
      for (const args of [[], ['--base', 'main']]) {
        const { code, stderr } = await run(args)
        expect([code, stderr]).toEqual([2, expect.stringContaining('fatal: detected dubious ownership')])
      }
      for (const name of ['.git', '.']) chownSync(join(root(), name), 0, 0)
    },
  )

  test('--json prints a list of objects with exactly these keys', async () => {
    put(A, index(`${GOOD_INDEX}moved_to: acme/nowhere\n`))
    expect(JSON.parse((await run(['--json', '--base', 'main'], { GITHUB_ACTIONS: 'true' })).stdout)).toEqual([
      {
        file: 'content/acme/a/index.md',
        line: 6,
        rule: 'successor-exists',
        message: 'moved_to: expected a repository that exists, got acme/nowhere; name an existing repository',
        severity: 'error',
      },
    ])
  })

  test('prints annotations in GitHub Actions; a file name cannot inject a workflow command', async () => {
    put('a,b%\n::stop-commands::x.md', 'x')
    put(A, index(GOOD_INDEX.replace('[code, review]', '[]')))
    const lines = (await run(['--base', 'main'], { GITHUB_ACTIONS: 'true' })).stdout.trimEnd().split('\n')
    expect(lines.slice(0, -1)).toEqual([
      expect.stringMatching(
        /^::error file=content\/a%2Cb%25[^\n]*%3A%3Astop-commands%3A%3Ax\.md,line=1,title=path::expected /,
      ),
      expect.stringMatching(/^::warning file=content\/acme\/a\/index\.md,line=4,title=weak-metadata::tags: add tags/),
    ])
  })
})
