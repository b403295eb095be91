// Tests what the hub learns about repositories from the git history of the content: with unusual commits, merges,
// renames and shallow clones, and in histories of any length.
import { chownSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { readHistory } from '../../src/content/content-history.ts'
import { formatMoment } from '../../src/domain/values/values.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type LocalRepository, makeRepository } from './local-repository.ts'

const NOW = '2026-11-23T00:00:00Z'
const VERSION = '---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: octocat\n---\nHi\n'
const NOTHING_READ = {
  head: undefined,
  since: NOW,
  changes: new Map(),
  added: new Map(),
  past: new Map(),
  touched: 'all',
}
const index = (title: string, more = '') => `---\ntitle: ${title}\n${more}---\n`
const INDEX = 'content/acme/greet/index.md'

let repository: LocalRepository
beforeEach(() => {
  repository = makeRepository('ready')
  repository.commit({ 'content/acme/greet/versions/1.0.0.md': VERSION, [INDEX]: index('A') })
})

const read = (folder = repository.folder, known?: Awaited<ReturnType<typeof readHistory>>) =>
  readHistory(join(folder, 'content'), process.env, NOW, known)
const titles = async (name = 'acme/greet') =>
  ((await read()).changes.get(name) ?? []).map(({ type, by, fields }) => [type, by, fields.join()].join(' '))

test.runIf(process.getuid?.() === 0)('logs the message of git if git refuses the folder of another user', async () => {
  for (const name of ['.git', '.']) chownSync(join(repository.folder, name), 65534, 65534)
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(await read()).toEqual(NOTHING_READ)
  expect(String(logged.mock.calls)).toMatch(/history of the content was not read.*fatal: detected dubious ownership/)
  logged.mockRestore()
})

test('counts a merge as one change, and starts a new history after a rename', async () => {
  repository.git('checkout', '-q', '-b', 'side')
  repository.commit({ [INDEX]: index('B') })
  repository.commit({ [INDEX]: index('C', 'license: MIT\n') })
  repository.git('checkout', '-q', 'main')
  repository.commit({ 'README.md': 'Else\n' })
  repository.git('merge', '-q', '--no-ff', '-m', 'Merge', 'side')
  expect(await titles()).toEqual(['changed Somebody title,license'])
  const known = await read()
  repository.git('mv', 'content/acme/greet', 'content/acme/welcome')
  repository.git('commit', '-q', '-m', 'Move')
  repository.commit({ 'content/acme/welcome/index.md': index('D', 'license: MIT\n') })
  expect(await titles('acme/welcome')).toEqual(['changed Somebody title'])
  // Continuing from an earlier result gives the same result as reading everything at once.
  expect((await read(repository.folder, known)).changes).toEqual((await read()).changes)
  // After a history has been rewritten, it is read again.
  const before = await read()
  repository.git('reset', '-q', '--hard', 'HEAD~1')
  expect((await read(repository.folder, before)).changes.has('acme/welcome')).toBe(false)
})

test('says when versions came to the branch, whatever time their authors and side branches have', async () => {
  const version = (number: string) => ({ [`content/acme/greet/versions/${number}.md`]: VERSION })
  const at = () => formatMoment(new Date(repository.git('show', '-s', '--format=%cI', 'HEAD').trim()))
  const first = at()
  repository.git('checkout', '-q', '-b', 'side')
  vi.stubEnv('GIT_COMMITTER_DATE', '2020-01-01T00:00:00Z')
  repository.commit(version('1.0.1'))
  vi.unstubAllEnvs()
  const ofSide = await read()
  repository.git('checkout', '-q', 'main')
  repository.git('merge', '-q', '--no-ff', '-m', 'Merge', 'side')
  const merged = at()
  const known = await read()
  // The hub may have seen the side branch before, if somebody works in its folder.
  expect(await read(repository.folder, ofSide)).toEqual(known)
  expect(known.added).toEqual(new Map([['acme/greet', `{"1.0.1":"${merged}","1.0.0":"${first}"}`]]))
  repository.commit(version('1.0.2'))
  const times = [['acme/greet', `{"1.0.2":"${at()}","1.0.1":"${merged}","1.0.0":"${first}"}`]]
  expect([...(await read()).added]).toEqual(times)
  expect([...(await read(repository.folder, known)).added]).toEqual(times)
})

test('the versions of a renamed prompt keep their times, and no other', async () => {
  const commitAt = (day: number, files: Record<string, string>) => {
    vi.stubEnv('GIT_COMMITTER_DATE', `2026-11-${day}T10:00:00Z`)
    repository.commit(files)
  }
  const copies = (name: string, ...others: string[]) =>
    Object.fromEntries(
      ['1.0.0', '1.0.1', ...others].map((version) => [`content/labs/${name}/versions/${version}.md`, VERSION]),
    )
  const moved = (name: string, to: string) => ({ [`content/${name}/index.md`]: `---\nmoved_to: ${to}\n---\n` })
  commitAt(21, { 'content/acme/greet/versions/1.0.1.md': VERSION })
  const known = await read()
  commitAt(22, { ...copies('hello'), ...moved('acme/greet', 'labs/hello') })
  // One more version: somebody could let it look as old as the others.
  commitAt(23, { ...copies('last', '1.0.2'), ...moved('labs/hello', 'labs/last') })
  commitAt(24, { ...copies('last', '1.0.3'), ...moved('labs/last', 'labs/last') })
  vi.unstubAllEnvs()
  const { added } = await read()
  const at = (day: number) => `2026-11-${day}T10:00:00Z`
  const timesOf = (fullName: string) => JSON.parse(added.get(fullName)!)
  expect(timesOf('acme/greet')).toEqual({ '1.0.0': expect.any(String), '1.0.1': at(21) })
  expect(timesOf('labs/hello')).toEqual(timesOf('acme/greet'))
  expect(timesOf('labs/last')).toEqual({
    '1.0.0': at(23),
    '1.0.1': at(23),
    '1.0.2': at(23),
    '1.0.3': at(24),
  })
  expect(Object.fromEntries((await read(repository.folder, known)).added)).toEqual(Object.fromEntries(added))
})

test('reports where the history starts for a shallow clone and a folder without git', async () => {
  for (const title of ['B', 'C', 'D']) repository.commit({ [INDEX]: index(title) })
  const clone = (depth: number) => {
    const folder = temporaryFolder('hub-shallow-')
    runSync('git', ['clone', '-q', '--depth', String(depth), `file://${repository.folder}`, folder])
    return folder
  }
  const at = repository.git('show', '-s', '--format=%cI', 'HEAD~1').trim()
  const shallow = await read(clone(2))
  expect(Date.parse(shallow.since!)).toBe(Date.parse(at))
  expect(shallow.added).toEqual(new Map())
  expect(shallow.changes.get('acme/greet')).toMatchObject([{ type: 'changed', fields: ['title'] }])
  const folder = clone(100)
  expect((await read(folder)).since).toBe(null)
  rmSync(join(folder, '.git'), { recursive: true })
  expect(await read(folder)).toEqual(NOTHING_READ)
})

test('malformed commits neither break the history nor forge entries', async () => {
  const commit = (files: Record<string, string>, message: string, env: Record<string, string> = {}) => {
    repository.write(files)
    repository.git('add', '-A')
    runSync('git', ['commit', '-q', '--allow-empty', '--allow-empty-message', '--cleanup=verbatim', '-F', '-'], {
      cwd: repository.folder,
      input: message,
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 'Eve',
        GIT_AUTHOR_EMAIL: 'e@x',
        GIT_COMMITTER_NAME: 'Eve',
        GIT_COMMITTER_EMAIL: 'e@x',
        ...env,
      },
    })
  }
  commit({ [INDEX]: index('B') }, '', { GIT_COMMITTER_DATE: '@999999999999 +0000' })
  commit({ [INDEX]: index('C') }, `x\x01${'a'.repeat(40)}\x02nonsense\x02Root\x02\n\nx\n`, {
    GIT_AUTHOR_NAME: 'E\x02v\x01e\u202e',
  })
  // The first path looks like a commit, the second like git's output for a path.
  commit(
    { [`content/\x01${'b'.repeat(40)}\x02nonsense\x02Root\x02`]: 'x', 'content/:100644 A': 'x', [INDEX]: index('D') },
    'Odd paths',
  )
  // The front matter is missing, invalid or huge. Such commits and the commits that revert them add nothing to the
  // history.
  commit({ [INDEX]: '\0\xff' }, 'Bytes')
  commit({ [INDEX]: '---\n{{{{\n---\n' }, 'Broken')
  commit({ [INDEX]: index('E', `# ${'x'.repeat(5_000_000)}\n`) }, 'Giant')
  commit({ [INDEX]: index('F') }, 'Back')
  // A submodule commit replaces the file, and the message of that commit looks like git's output.
  const head = repository.git('rev-parse', 'HEAD').trim()
  repository.git('commit', '-q', '--allow-empty', '-m', `${head} blob 9999999`)
  const forged = repository.git('rev-parse', 'HEAD').trim()
  repository.git('update-index', '--cacheinfo', `160000,${forged},${INDEX}`)
  repository.git('commit', '-q', '-m', 'Submodule')
  repository.git('rm', '-q', '--cached', INDEX)
  repository.git('commit', '-q', '-m', 'Gone')
  repository.commit({ [INDEX]: index('G', 'labels:\n  constructor: "1.0.0"\n  next: "1.0.0"\n') })
  repository.commit({ [INDEX]: index('H', 'labels:\n  next: "1.0.0"\n') })
  const { changes } = await read()
  expect([...changes.keys()]).toEqual(['acme/greet'])
  const found = changes.get('acme/greet')!
  expect(found.map(({ type, by, fields, label }) => [type, by, label ?? fields.join()])).toEqual([
    ['unlabelled', 'Somebody', 'constructor'],
    ['changed', 'Somebody', 'title'],
    ['labelled', 'Somebody', 'constructor'],
    ['labelled', 'Somebody', 'next'],
    ['changed', 'Somebody', 'title'],
    ['changed', 'Eve', 'title'],
    ['changed', 'E', 'title'],
    ['changed', 'Eve', 'title'],
  ])
  for (const { at, by, commit } of found) {
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(by).not.toMatch(/\p{C}/u)
    expect(commit).toMatch(/^[0-9a-f]{40}$/)
  }
})

test('keeps the last 100 changes of each repository out of 400 commits', async () => {
  const lines: string[] = []
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
  for (let number = 0; number < 400; number++) {
    const when = `Eve <e@x> ${1_700_000_000 + number} +0000`
    lines.push(`commit refs/heads/main\nauthor ${when}\ncommitter ${when}\n${data(`Change ${number}`)}`)
    if (number === 0) lines.push(`from ${repository.git('rev-parse', 'HEAD').trim()}\n`)
    const path = number % 3 === 0 ? 'content/acme/other/index.md' : INDEX
    lines.push(`M 100644 inline ${path}\n${data(index(`T${number}`))}`)
  }
  runSync('git', ['fast-import', '--quiet', '--force'], { cwd: repository.folder, input: lines.join('') })
  const { changes, since } = await read()
  expect(since).toBe(null)
  expect([...changes].map(([name, found]) => [name, found.length])).toEqual([
    ['acme/other', 100],
    ['acme/greet', 100],
  ])
  expect(changes.get('acme/greet')![0]).toMatchObject({ by: 'Eve', at: '2023-11-14T22:19:58Z', fields: ['title'] })
})
