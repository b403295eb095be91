// Tests a review with unusual git changes: renamed, deleted, restored, symlinked or converted files, rewritten bases,
// and shallow clones.
import { chmodSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { reviewContent } from '../../src/review/review-content.ts'
import { runSync } from '../run-sync.ts'
import { ADVICE, good, LANGUAGE, NEXT, openReviewed, version } from './reviewed.ts'

const { root, git, put, review, said } = openReviewed()

describe('content review against git', () => {
  const versionA = 'content/acme/a/versions/1.0.0.md'

  test('reports a rename as a changed version and an invalid version step', async () => {
    git('mv', versionA, 'content/acme/a/versions/1.9.0.md')
    expect((await said()).filter((one) => !ADVICE.test(one))).toEqual([
      `${versionA}:1 version-unchanged`,
      'content/acme/a/versions/1.9.0.md:1 version-step',
    ])
  })

  test('reports a rename that differs only in case', async () => {
    git('mv', 'content/acme/b', 'content/acme/B')
    expect(await said()).toEqual([
      'content/acme/B/index.md:1 path',
      'content/acme/B/versions/1.0.0.md:1 path',
      'content/acme/b/versions/1.0.0.md:1 version-unchanged',
    ])
  })

  test('reports a version deleted in one commit and restored with other content in the next', async () => {
    git('checkout', '-q', '-b', 'change')
    git('rm', '-q', versionA)
    git('commit', '-qm', 'away')
    put('acme/a/versions/1.0.0.md', version('Other', LANGUAGE))
    git('add', '.')
    git('commit', '-qm', 'back')
    expect((await said()).filter((one) => one.endsWith('version-unchanged'))).toEqual([
      `${versionA}:1 version-unchanged`,
    ])
  })

  test('reports a changed, an added and a removed file of a published skill, and accepts those of a new one', async () => {
    const skill = 'skill: {description: Reviews code.}\n'
    const folder = 'acme/a/versions/1.2.0'
    git('checkout', '-q', '-b', 'with-files')
    put(NEXT, good(skill))
    put(`${folder}/a.md`, 'one')
    put(`${folder}/scripts/b.bin`, Buffer.from([0, 255]))
    git('add', '.')
    expect((await said()).filter((one) => !ADVICE.test(one))).toEqual([])
    git('commit', '-qm', 'published')
    git('branch', '-f', 'published')
    expect(await said({ base: 'published' })).toEqual([])
    put(`${folder}/a.md`, 'two')
    put(`${folder}/c.md`, 'three')
    put(`${folder}/scripts/b.bin`, null)
    git('add', '-A')
    git('commit', '-qm', 'changed')
    expect(await said({ base: 'published' })).toEqual([
      `content/${folder}/a.md:1 version-unchanged`,
      `content/${folder}/c.md:1 version-unchanged`,
      `content/${folder}/scripts/b.bin:1 version-unchanged`,
    ])
  })

  test('rejects links and submodules wherever they are, and reports a changed file mode', async () => {
    put(NEXT, good('skill: {description: Reviews code.}\n'))
    put('acme/a/versions/1.2.0/a.md', 'x')
    symlinkSync('/etc/passwd', join(root(), 'content/acme/a/versions/1.2.0/b.md'))
    symlinkSync('/etc', join(root(), 'content/acme/a/versions/1.2.0/c'))
    put('acme/a/versions/1.0.0.md', null)
    symlinkSync('1.1.0.md', join(root(), versionA))
    symlinkSync('1.0.0.md', join(root(), 'content/acme/b/versions/1.1.0.md'))
    chmodSync(join(root(), 'content/acme/b/versions/1.0.0.md'), 0o755)
    git('add', '.')
    git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD').trim()},content/acme/sub`)
    expect((await said()).filter((one) => !ADVICE.test(one)).toSorted()).toEqual([
      `${versionA}:1 regular-file`,
      `${versionA}:1 version-unchanged`,
      'content/acme/a/versions/1.2.0/b.md:1 regular-file',
      'content/acme/a/versions/1.2.0/c:1 regular-file',
      'content/acme/b/versions/1.0.0.md:1 version-unchanged',
      'content/acme/b/versions/1.1.0.md:1 regular-file',
      'content/acme/sub:1 regular-file',
    ])
  })

  test('later commits on the base are not deletions, and their version numbers are taken', async () => {
    const before = git('rev-parse', 'main').trim()
    put(NEXT, good(''))
    git('add', '.')
    git('commit', '-qm', 'theirs')
    git('branch', '-f', 'theirs')
    git('reset', '-q', '--hard', before)
    expect(await said({ base: 'theirs' })).toEqual([])
    put(NEXT, good('').replace('Review', 'Read'))
    expect(await said({ base: 'theirs' })).toEqual([`content/${NEXT}:1 version-unchanged`])
    put(NEXT, null)
    put('acme/a/versions/1.3.0.md', good(''))
    expect(await said({ base: 'theirs' })).toEqual([])
  })

  test('finds a changed version across a merge commit and a rewritten base', async () => {
    const before = git('rev-parse', 'main').trim()
    git('checkout', '-q', '-b', 'side')
    put('acme/b/versions/1.0.0.md', version('Changed in a side branch.\n'))
    git('commit', '-qam', 'side')
    git('checkout', '-q', 'main')
    put(NEXT, good(''))
    git('add', '.')
    git('commit', '-qm', 'main goes on')
    git('merge', '-q', '--no-ff', '-m', 'merge', 'side')
    expect(await said({ base: before })).toEqual(['content/acme/b/versions/1.0.0.md:1 version-unchanged'])
    const orphan = git('commit-tree', '-m', 'rewritten', `${before}^{tree}`).trim()
    expect(await said({ base: orphan })).toEqual(['content/acme/b/versions/1.0.0.md:1 version-unchanged'])
    git('reset', '-q', '--hard', before)
  })

  test('reports a merge that drops one of the two sides merged into the base', async () => {
    const before = git('rev-parse', 'main').trim()
    git('checkout', '-q', '-b', 'one')
    put(NEXT, good(''))
    git('add', '.')
    git('commit', '-qm', 'one')
    git('checkout', '-q', '-b', 'other', 'main')
    put('acme/b/versions/1.1.0.md', version('Translate the text above.\n'))
    git('add', '.')
    git('commit', '-qm', 'other')
    git('checkout', '-q', 'main')
    git('merge', '-q', '--ff-only', 'one')
    git('merge', '-q', '--no-edit', 'other')
    const crossed: string[][] = []
    for (const kept of ['one', 'other']) {
      const commit = git('commit-tree', '-p', 'one', '-p', 'other', '-m', 'x', `${kept}^{tree}`).trim()
      git('checkout', '-q', '--detach', commit)
      crossed.push((await said()).filter((one) => !ADVICE.test(one)))
    }
    git('checkout', '-q', 'main')
    git('reset', '-q', '--hard', before)
    git('branch', '-D', 'one', 'other')
    expect(crossed).toEqual([
      ['content/acme/b/versions/1.1.0.md:1 version-unchanged'],
      [`content/${NEXT}:1 version-unchanged`],
    ])
  })

  test('notes the limits of a shallow clone, and rejects a base that was not fetched', async () => {
    const clone = join(root(), '.git', 'shallow')
    git('clone', '-q', '--depth', '1', `file://${root()}`, clone)
    const order = { contentDir: join(clone, 'content'), environment: process.env }
    const { entries, notes } = await reviewContent({ ...order, base: 'HEAD' })
    expect([entries, notes]).toEqual([[], [expect.stringContaining('shallow')]])
    await expect(reviewContent({ ...order, base: 'HEAD~1' })).rejects.toThrow('git fetch origin HEAD~1')
    await expect(reviewContent({ ...order, base: 'origin/next' })).rejects.toThrow(/git fetch origin next$/)
    await expect(reviewContent({ ...order, base: 'feature/x' })).rejects.toThrow(/git fetch origin feature\/x$/)
    await expect(review({ base: '--output=x' })).rejects.toThrow('expected a commit')
  })
})

describe('git attributes and line-ending settings', () => {
  const text = (ends: string) => version('Translate the text below.\n').replaceAll('\n', ends)
  const path = 'acme/b/versions/1.0.0.md'
  const blob = (content: string) =>
    runSync('git', ['hash-object', '-w', '--no-filters', '--stdin'], { cwd: root(), input: content }).toString().trim()
  const commit = (more: Record<string, string> = {}) => {
    for (const [file, content] of Object.entries(more))
      git('update-index', '--add', '--cacheinfo', `100644,${blob(content)},${file}`)
    git('commit', '-qm', 'change')
    git('checkout', '-qf', '.')
  }
  beforeEach(() => git('checkout', '-q', '-b', 'attributes'))
  afterEach(() => {
    git('checkout', '-qf', 'main')
    git('branch', '-qD', 'attributes')
  })

  test('a filter cannot hide changed bytes of a published version', async () => {
    git('config', 'filter.ends.smudge', "tr -d '\\r'")
    git('config', 'filter.ends.clean', "sed 's/$/\\r/'")
    put('../.gitattributes', '*.md filter=ends\n')
    git('add', '.gitattributes')
    commit({ [`content/${path}`]: text('\r\n') })
    const written = readFileSync(join(root(), 'content', path), 'utf8')
    const remarks = await said()
    git('config', '--remove-section', 'filter.ends')
    expect(written).toBe(text('\n'))
    expect(remarks).toEqual([`content/${path}:1 bytes-as-in-git`, `content/${path}:1 version-unchanged`])
  })

  test('an attribute cannot hide uncommitted changes to a published version', async () => {
    put('../.gitattributes', '*.md text\n')
    git('add', '.gitattributes')
    commit()
    put(path, text('\r\n'))
    expect(await said()).toEqual([`content/${path}:1 bytes-as-in-git`])
  })

  test('reports a new prompt checked out with another encoding or other line endings than in git', async () => {
    const ends = 'acme/b/versions/1.1.0.md'
    put('../.gitattributes', `content/${ends} text eol=crlf\ncontent/${NEXT} working-tree-encoding=UTF-16LE\n`)
    git('add', '.gitattributes')
    commit({ [`content/${ends}`]: text('\n').replace('below', 'above'), [`content/${NEXT}`]: good('') })
    expect((await said()).filter((one) => !ADVICE.test(one))).toEqual([
      `content/${NEXT}:1 front-matter`,
      `content/${NEXT}:1 bytes-as-in-git`,
      `content/${ends}:1 bytes-as-in-git`,
    ])
  })

  test('reports a version whose line endings core.autocrlf converted', async () => {
    git('config', 'core.autocrlf', 'true')
    put(path, null)
    git('checkout', '-q', '.')
    const remarks = await said()
    git('config', '--unset', 'core.autocrlf')
    expect(remarks).toEqual([`content/${path}:1 bytes-as-in-git`])
  })

  test('reports nothing when the catalogue’s own attributes disable conversion', async () => {
    git('config', 'core.autocrlf', 'true')
    put('../.gitattributes', '* text eol=crlf\ncontent/** -text\n')
    git('add', '.gitattributes')
    put(path, null)
    commit({ 'content/acme/b/versions/1.1.0.md': text('\n').replace('below', 'above') })
    const remarks = await said()
    git('config', '--unset', 'core.autocrlf')
    expect(remarks).toEqual([])
  })
})
