// Checks that the git working tree store loses nothing: it never overwrites uncommitted changes, and it reports files
// that block a commit.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { INDEX, type LocalRepository, makeRepository, never, PLACE, publish, VERSIONS } from './local-repository.ts'

let repository: LocalRepository
let folder: string

let git: LocalRepository['git']
let write: LocalRepository['write']
let openStore: LocalRepository['openStore']
beforeEach(() => {
  repository = makeRepository()
  ;({ folder, git, write, openStore } = repository)
})

test('a git directory that was moved away is not made again, so that it can be put back', async () => {
  repository.commit({ [INDEX]: 'about' })
  const store = openStore()
  await publish(store, { version: { version: '1.0.0', text: 'first' } })
  const [place, aside] = [join(folder, '.git'), join(folder, 'aside')]
  renameSync(place, aside)
  const refusal = { code: 'unavailable', message: expect.stringMatching(/^The content folder is not in a git repo/) }
  await expect(store.finishPublishes()).rejects.toMatchObject(refusal)
  expect(existsSync(place)).toBe(false)
  renameSync(aside, place)
  await publish(store, { version: { version: '1.0.1', text: 'second' } })
  expect(git('show', `HEAD:${VERSIONS}/1.0.1.md`)).toBe('second')
})

describe('uncommitted changes are never overwritten', () => {
  const version = { version: { version: '1.0.1', text: 'ours' } }
  //  case                                       preparation                                       start of the message
  test.each<[string, () => void, string]>([
    [
      'an untracked version file',
      () => write({ [`${VERSIONS}/1.0.1.md`]: 'theirs' }),
      `${VERSIONS}/1.0.1.md has uncommitted changes`,
    ],
    ['a changed index.md', () => write({ [INDEX]: 'edited' }), `${INDEX} has uncommitted changes`],
    ['an index.md whose removal was staged', () => git('rm', '-q', '--', INDEX), `${INDEX} has uncommitted changes`],
    [
      'a staged index.md that was changed back',
      () => {
        write({ [INDEX]: 'edited' })
        git('add', '.')
        write({ [INDEX]: 'about' })
      },
      `${INDEX} has uncommitted changes`,
    ],
    [
      'a symlink instead of the version file',
      () => symlinkSync('../../../../README.md', join(folder, `${VERSIONS}/1.0.1.md`)),
      `${VERSIONS}/1.0.1.md is not a regular file`,
    ],
    [
      'a symlink instead of the owner’s folder',
      () => {
        rmSync(join(folder, 'content/acme'), { recursive: true })
        mkdirSync(join(folder, 'outside'))
        symlinkSync(join(folder, 'outside'), join(folder, 'content/acme'))
      },
      'content/acme is not a folder',
    ],
  ])('%s', async (_, prepare, sentence) => {
    repository.commit({ [`${VERSIONS}/1.0.0.md`]: 'first', [INDEX]: 'about' })
    prepare()
    const head = git('rev-parse', 'HEAD').trim()
    const before = git('status', '--porcelain', '-uall')
    await expect(publish(openStore(), { ...version, index: 'new words' })).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 60,
      message: expect.stringMatching(new RegExp(`^${sentence}.*Nothing was published\\.$`)),
    })
    expect(git('rev-parse', 'HEAD').trim()).toBe(head)
    expect(git('status', '--porcelain', '-uall')).toBe(before)
    expect(existsSync(join(folder, 'outside')) ? readdirSync(join(folder, 'outside')) : []).toEqual([])
  })

  test('a merge conflict without a merge blocks the publishes that would write the file, and no others', async () => {
    repository.commit({ [INDEX]: 'about\n' })
    write({ [INDEX]: 'stashed\n' })
    git('stash', '-q')
    const head = repository.commit({ [INDEX]: 'other\n' })
    expect(() => git('stash', 'pop', '-q')).toThrow()
    await expect(publish(openStore(), { ...version, index: 'new words' })).rejects.toMatchObject({
      code: 'unavailable',
      message: `${INDEX} has a merge conflict. Commit, move or remove that first. Nothing was published.`,
    })
    expect(git('rev-parse', 'HEAD').trim()).toBe(head)
    expect((await publish(openStore(), version)).kind).toBe('committed')
    expect(git('status', '--porcelain')).toBe(`UU ${INDEX}\n`)
    git('checkout', 'HEAD', '--', INDEX)
    const next = { version: { version: '1.0.2', text: 'next' }, index: 'new words' }
    expect((await publish(openStore(), next)).kind).toBe('committed')
  })

  test('publishes next to a draft of another version, and writes an index.md that somebody deleted', async () => {
    repository.commit({ [INDEX]: 'about' })
    write({ [`${VERSIONS}/1.0.2.md`]: 'draft' })
    rmSync(join(folder, INDEX))
    expect((await publish(openStore(), { ...version, index: 'new words' })).kind).toBe('committed')
    expect(readFileSync(join(folder, INDEX), 'utf8')).toBe('new words')
    expect(git('status', '--porcelain')).toBe(`?? ${VERSIONS}/1.0.2.md\n`)
  })

  test('returns moved, not an error, when another publish wrote the files', async () => {
    const store = openStore()
    const base = await store.readFolder(PLACE, never())
    expect((await publish(openStore(), { ...version, index: 'theirs' })).kind).toBe('committed')
    const message = { headline: 'Publish acme/code-review', trailers: [] }
    expect(await store.commit({ ...PLACE, base, message, ...version, index: 'ours' }, never())).toEqual({
      kind: 'moved',
    })
    expect(readFileSync(join(folder, INDEX), 'utf8')).toBe('theirs')
  })

  test('rejects replacing a committed folder at the path of the version file', async () => {
    const head = repository.commit({ [`${VERSIONS}/1.0.1.md/notes.md`]: 'theirs' })
    rmSync(join(folder, VERSIONS), { recursive: true })
    git('rm', '-rq', '--cached', VERSIONS)
    const message = `${VERSIONS}/1.0.1.md is a folder in git, not a file. Remove or move that first. Nothing was published.`
    await expect(publish(openStore(), version)).rejects.toMatchObject({ code: 'unavailable', message })
    expect(git('rev-parse', 'HEAD').trim()).toBe(head)
  })

  test('rejects replacing a committed file at the path of a folder', async () => {
    const head = repository.commit({ 'content/acme': 'a file' })
    rmSync(join(folder, 'content/acme'))
    const message = 'content/acme is a file in git, not a folder. Remove or move that first. Nothing was published.'
    await expect(publish(openStore(), version)).rejects.toMatchObject({ code: 'unavailable', message })
    expect(git('rev-parse', 'HEAD').trim()).toBe(head)
  })
})

describe('git locks and concurrent publishes', () => {
  test('returns busy and writes nothing while the branch is locked', async () => {
    const store = openStore()
    const head = git('rev-parse', 'HEAD')
    write({ '.git/refs/heads/main.lock': '' })
    expect(await publish(store, { index: 'about' })).toEqual({ kind: 'busy', retryAfterSeconds: 1 })
    expect([git('rev-parse', 'HEAD'), readdirSync(join(folder, 'content'))]).toEqual([head, []])
    rmSync(join(folder, '.git/refs/heads/main.lock'))
    expect((await publish(store, { index: 'about' })).kind).toBe('committed')
  })

  test('publishes nothing while another git command keeps the index locked', async () => {
    const head = git('rev-parse', 'HEAD')
    write({ '.git/index.lock': '' })
    await expect(publish(openStore(), { index: 'about' })).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 60,
      message:
        "Another git command holds the index of the content's repository; for example, git commit -a does while its editor is open. Complete or cancel that command, or remove index.lock from the git directory if no git command is running. Nothing was published.",
    })
    expect(git('rev-parse', 'HEAD')).toBe(head)
    rmSync(join(folder, '.git/index.lock'))
    expect(git('status', '--porcelain', '-uall')).toBe('')
  })

  test('waits for an index that is locked briefly', async () => {
    write({ '.git/index.lock': '' })
    const publishing = publish(openStore(), { index: 'about' })
    await sleep(300)
    rmSync(join(folder, '.git/index.lock'))
    expect((await publishing).kind).toBe('committed')
    expect(git('status', '--porcelain')).toBe('')
  })
})
