// Tests reading git's objects, trees and commits without a process for each question: the answers are those of git itself.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isContinued, listCommits, listNextCommits } from '../../src/content/content-commits.ts'
import { createGit } from '../../src/git/git-command.ts'
import { listDifferences, parseRaw } from '../../src/git/git-objects.ts'
import { openObjectReader } from '../../src/git/object-reader.ts'
import { runSync } from '../run-sync.ts'
import { makeRepository } from './local-repository.ts'

const PATHS = [
  'a/p/index.md',
  'a/p/versions/1.0.0.md',
  'a/p/versions/1.0.0/x.txt',
  'a/q/index.md',
  'b/ü/index.md',
  'm.md',
]

/** Compares pairs of trees with git itself, in one shell. */
function diffAll(cwd: string, pairs: readonly (readonly [string, string])[]) {
  const script = 'while [ $# -gt 0 ]; do git diff-tree -r -z --raw --no-abbrev --no-renames $1 $2; echo; shift 2; done'
  const listed = runSync('sh', ['-c', script, 'sh', ...pairs.flat()], { cwd, encoding: 'utf8' })
  return listed
    .trimEnd()
    .split('\n')
    .map((line) => {
      const records = line.split('\0')
      return records.flatMap((record, at) =>
        at % 2 === 0 && record ? [{ path: records[at + 1]!, ...parseRaw(record) }] : [],
      )
    })
}

test('differences and commits are those that git lists', async () => {
  const repository = makeRepository('ready')
  const { folder, git } = repository
  const content = createGit(join(folder, 'content'), process.env)
  const first = repository.commit({ 'content/a/p/index.md': '1', other: '1' })
  const steps: (() => void)[] = [
    ...PATHS.map((path) => () => repository.write({ [`content/${path}`]: `text of ${path}` })),
    () => repository.write({ other: '2' }),
    () => git('mv', 'content/a/p', 'content/c'),
    () => rmSync(join(folder, 'content/m.md')),
    // A folder in the place of a file, a link in the place of another, and a file that can be executed.
    () => repository.write({ 'content/m.md/n.md': '' }),
    () =>
      git(
        'update-index',
        '--add',
        '--cacheinfo',
        `120000,${git('hash-object', '-w', 'other').trim()},content/a/q/index.md`,
      ),
    () => git('update-index', '--chmod=+x', 'content/b/ü/index.md'),
    () => git('rm', '-rq', '--cached', 'content'),
  ]
  for (const [at, step] of steps.entries()) {
    step()
    if (at < 10) git('add', '--all')
    git('commit', '-q', '--allow-empty', '-m', `Step ${at}\n\nChanged-By: someone-${at}`)
  }
  const made = git('log', '--reverse', '--format=%H %T', `${first}~..`).trim().split('\n')
  const [commits, trees] = [0, 1].map((at) => made.map((line) => line.split(' ')[at]!)) as [string[], string[]]
  const last = commits.at(-1)!
  const some = trees.filter((_, at) => at % 2 === 0)
  const pairs = some.flatMap((from) => [trees[3]!, trees[8]!, trees.at(-1)!].map((to) => [from, to] as const))
  const zero = '0'.repeat(40)
  let compared = 0
  for (const [at, records] of diffAll(folder, pairs).entries()) {
    const found = await listDifferences(content, ...pairs[at]!)
    const named = found.map(({ before, after, ...rest }) => ({
      ...rest,
      before: { ...before, id: before.id || zero },
      after: { ...after, id: after.id || zero },
    }))
    expect(named).toEqual(records.sort((a, b) => (a.path < b.path ? -1 : 1)))
    compared += found.length
  }
  expect(compared).toBeGreaterThan(30)

  const known = []
  for await (const commit of listCommits(content, `${first}..${last}`)) known.push(commit)
  const walked = (await listNextCommits(content, first, last))!
  const shape = ({ entries, ...rest }: (typeof walked)[number]) => [
    rest,
    entries.map(({ path, status }) => `${status} ${path}`).sort(),
  ]
  expect(walked.map(shape)).toEqual(known.map(shape))
  expect(walked).toHaveLength(12)
  // Where a branch did not go on from a commit, and where its text is in another encoding, git is asked.
  git('checkout', '-q', '--detach', commits[2]!)
  const side = repository.commit({ 'content/side.md': '' })
  expect(await listNextCommits(content, side, last)).toBeUndefined()
  expect([await isContinued(content, side, last), await isContinued(content, commits[2]!, side)]).toEqual([false, true])
  git('-c', 'i18n.commitEncoding=ISO-8859-1', 'commit', '-q', '--allow-empty', '-m', 'x')
  expect(await listNextCommits(content, side, git('rev-parse', 'HEAD').trim())).toBeUndefined()
})

test('one process of each kind answers in order, and another one follows if it ends', async () => {
  const { folder, git, commit } = makeRepository('ready')
  const long = 'x'.repeat(3_000_000)
  commit({ 'content/long': long, 'content/empty': '', 'content/lines': 'a\n\n0 blob 3\n' })
  const started: ReturnType<typeof spawn>[] = []
  const reader = openObjectReader((args) => {
    const child = spawn('git', args, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] })
    started.push(child)
    return child
  })
  const names = ['long', 'empty', 'none', 'lines'].map((name) => `HEAD:content/${name}`)
  const check = async () => {
    const [read, found] = await Promise.all([reader.read(names), reader.find(names)])
    expect(read.map((one) => one?.bytes.toString())).toEqual([long, '', undefined, 'a\n\n0 blob 3\n'])
    expect(found.map((one) => one && [one.type, one.size, one.bytes.length])).toEqual([
      ['blob', 3_000_000, 0],
      ['blob', 0, 0],
      undefined,
      ['blob', 12, 0],
    ])
  }
  await check()
  await check()
  expect(started).toHaveLength(2)
  const ended = new Promise((resolve) => started[0]!.once('close', resolve))
  started[0]!.kill()
  await ended
  await check()
  expect(started).toHaveLength(3)
  // It sees what was written since.
  git('commit', '-q', '--allow-empty', '-m', 'x')
  expect((await reader.find(['HEAD']))[0]?.id).toBe(git('rev-parse', 'HEAD').trim())
  rmSync(join(folder, '.git'), { recursive: true })
  for (const one of started) one.kill()
  await expect(reader.find(['HEAD'])).rejects.toThrow(/ended with|not a git repository/)
})
