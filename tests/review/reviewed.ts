// A catalogue in git for the review tests: its content, functions that change it, and the findings of a review.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll } from 'vitest'
import { reviewContent } from '../../packages/review/review-content.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** The front matter keys that every version needs. */
export const HEAD = 'published_at: "2026-11-01T10:00:00Z"\npublished_by: octocat\n'
/**
 * Returns a version file. Its front matter ends on line 4, so content begins on line 5, plus one line for every line of
 * `more`.
 */
export const version = (content: string, more = '') => `---\n${HEAD}${more}---\n${content}`
export const index = (lines: string) => `---\n${lines}---\nWhen to use it.\n`
export const GOOD_INDEX =
  'title: Code review\ndescription: Finds real problems in a change and says how bad they are.\ntags: [code, review]\nlicense: MIT\n'
export const LANGUAGE = 'variables:\n  - name: language\n    description: The language of the code\n'
export const TEXT =
  'Review this code. Name every real problem with its line, say how bad it is, and leave out whatever is a matter of taste alone.\n'
/** Returns a valid version of acme/a. */
export const good = (more: string) => version(`In {{language}}: ${TEXT}`, LANGUAGE + more)
/** Paths relative to the content folder: an index.md, and the next version. */
export const A = 'acme/a/index.md'
export const NEXT = 'acme/a/versions/1.2.0.md'
/** Advisory rules that may report something in addition to the expected problem; the test cases ignore them. */
export const ADVICE = /(?:near-duplicate|weak-title|weak-metadata|breaking-change)$/

/** Creates the catalogue before the tests in a file, and restores it after each test. */
export function openReviewed() {
  let root = ''
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd: root,
      encoding: 'utf8',
    })
  function put(path: string, text: string | Buffer | null): void {
    const file = join(root, 'content', path)
    if (text === null) rmSync(file, { recursive: true })
    else {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }
  beforeAll(() => {
    root = temporaryFolder('prompt-hub-review-')
    git('init', '-q', '-b', 'main')
    put('acme/index.md', '---\nname: Acme\n---\n')
    put('acme/a/index.md', index(GOOD_INDEX))
    put('acme/a/versions/1.0.0.md', version(`In {{language}}: ${TEXT}`, LANGUAGE))
    put('acme/a/versions/1.1.0.md', version(`In {{language}}, briefly: ${TEXT}`, LANGUAGE))
    put('acme/b/index.md', index(GOOD_INDEX.replace('Code review', 'Translation')))
    put('acme/b/versions/1.0.0.md', version('Translate the text below.\n'))
    put('acme/c/versions/1.0.0.md', version('Once.\n'))
    put('acme/c/versions/1.1.0.md', version('Twice.\n'))
    git('add', '.')
    git('commit', '-qm', 'before')
    put('acme/c/versions/1.1.0.md', null)
    git('add', '.')
    git('commit', '-qm', 'base')
  })
  afterEach(() => {
    git('checkout', '-qf', 'main')
    git('reset', '-q', '--hard', 'main')
    git('clean', '-qfdx')
  })
  const review = async (given: { base?: string | undefined; fix?: boolean } = { base: 'main' }) =>
    reviewContent({ contentDir: join(root, 'content'), environment: process.env, ...given })
  return {
    /** The root of the git repository; it contains `content`. */
    root: () => root,
    git,
    /** Writes a file below `content`; null removes it. */
    put,
    review,
    /** Returns the findings of a review, one per line: file, line and rule. */
    said: async (given?: { base?: string }) =>
      (await review(given)).entries.map(({ file, line, rule }) => `${file}:${line} ${rule}`),
  }
}
