// A catalogue in git for the review tests: its content, functions that change it, and the findings of a review.
import { join } from 'node:path'
import { afterEach, beforeAll, expect } from 'vitest'
import { reviewContent } from '../../src/review/review-content.ts'
import type { ReviewEntry } from '../../src/review/rules/review-findings.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

/** The front matter keys that every version needs. */
const HEAD = 'published_at: "2026-11-01T10:00:00Z"\npublished_by: octocat\n'
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

/** The catalogue of an owner. The base lacks the last file, whose number was used. */
const BEFORE = (owner: string): Record<string, string> => ({
  [`${owner}/index.md`]: '---\nname: Acme\n---\n',
  [`${owner}/a/index.md`]: index(GOOD_INDEX),
  [`${owner}/a/versions/1.0.0.md`]: version(`In {{language}}: ${TEXT}`, LANGUAGE),
  [`${owner}/a/versions/1.1.0.md`]: version(`In {{language}}, briefly: ${TEXT}`, LANGUAGE),
  [`${owner}/b/index.md`]: index(GOOD_INDEX.replace('Code review', 'Translation')),
  [`${owner}/b/versions/1.0.0.md`]: version('Translate the text below.\n'),
  [`${owner}/c/versions/1.0.0.md`]: version('Once.\n'),
  [`${owner}/c/versions/1.1.0.md`]: version('Twice.\n'),
})

type Order = Parameters<typeof reviewContent>[0]
type Files = Readonly<Record<string, string | Buffer | null>>
/** Changes that are reviewed together. */
interface Together extends Partial<Order> {
  /** The files that each change finds in the base. */
  before?: readonly Files[]
  /** Whether the changes are in a commit, as those of a pull request. */
  isCommitted?: boolean
}

/** The owner of each change that is reviewed with others; `acme` in its paths stands for it. */
export const ownerOf = (at: number) => `owner-${at}`

/** Creates the catalogue before the tests in a file, and restores it after each test. @param changes how many changes are reviewed together at most */
export function openReviewed(changes = 0) {
  const owners = ['acme', ...Array.from({ length: changes }, (_, at) => ownerOf(at))]
  let root = ''
  let isChanged = false
  const git = (...args: string[]) => {
    isChanged = true
    return runSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd: root,
      encoding: 'utf8',
    })
  }
  function put(path: string, text: string | Buffer | null): void {
    isChanged = true
    writeFiles(join(root, 'content'), { [path]: text })
  }
  beforeAll(() => {
    root = temporaryFolder('prompt-hub-review-')
    git('init', '-q', '-b', 'main')
    for (const owner of owners) for (const [path, text] of Object.entries(BEFORE(owner))) put(path, text)
    git('add', '.')
    git('commit', '-qm', 'before')
    for (const owner of owners) put(`${owner}/c/versions/1.1.0.md`, null)
    git('add', '.')
    git('commit', '-qm', 'base')
  })
  function restore(): void {
    if (!isChanged) return
    git('checkout', '-qf', 'main')
    git('clean', '-qfdx')
    isChanged = false
  }
  afterEach(restore)
  const review = async (given: Partial<Order> = { base: 'main' }) =>
    reviewContent({ contentDir: join(root, 'content'), environment: process.env, ...given })

  /** Reviews changes together, before the tests. @returns what is reported about each change, with `acme` as its owner */
  function reviewTogether(
    changed: readonly Files[],
    { before = [], isCommitted = false, ...order }: Together = {},
  ): () => ReviewEntry[][] {
    let found: ReviewEntry[][] = []
    const write = (all: readonly Files[]) =>
      all.forEach((files, at) => {
        for (const [path, text] of Object.entries(files)) put(path.replace(/^acme\//, `${ownerOf(at)}/`), text)
      })
    beforeAll(async () => {
      expect(changed.length).toBeLessThanOrEqual(changes)
      git('checkout', '-q', '--detach')
      write(before)
      git('add', '-A')
      git('commit', '-q', '--allow-empty', '-m', 'before')
      const base = git('rev-parse', 'HEAD').trim()
      write(changed)
      if (isCommitted) {
        git('add', '-A')
        git('commit', '-qm', 'changes')
      }
      const { entries } = await review({ base, ...order })
      const byOwner = Object.groupBy(entries, ({ file }) => file.split('/')[1]!)
      found = changed.map((_, at) => byOwner[ownerOf(at)] ?? [])
      // Nothing is reported about other files.
      expect(found.flat()).toHaveLength(entries.length)
      restore()
    })
    return () =>
      found.map((entries, at) =>
        entries.map((entry) => ({ ...entry, file: entry.file.replace(`/${ownerOf(at)}/`, '/acme/') })),
      )
  }
  return {
    /** The root of the git repository; it contains `content`. */
    root() {
      // The caller may change files.
      isChanged = true
      return root
    },
    git,
    /** Writes a file below `content`; null removes it. */
    put,
    review,
    reviewTogether,
    /** Returns the findings of a review, one per line: file, line and rule. */
    said: async (given?: { base?: string }) =>
      (await review(given)).entries.map(({ file, line, rule }) => `${file}:${line} ${rule}`),
  }
}
