// Tests the specifics of the git working tree store: the content folder can be any folder in the repository, and the
// user's settings, hooks and other changes are left alone.
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { Additions, FolderState, GitStore } from '../../src/git/git-store.ts'
import type { LocalGitOptions } from '../../src/git/git-store-local.ts'
import { describeError, toHubError } from '../../src/log.ts'
import { runSync } from '../run-sync.ts'
import { gitStoreContract, shaOf } from './git-store-contract.ts'
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

gitStoreContract('local', async ({ isEmpty }) => {
  const { folder, commit, openStore } = makeRepository(isEmpty ? 'empty' : 'ready')
  return { openStore, commitOutside: async (files) => commit(files), gitFolder: async () => join(folder, '.git') }
})

describe('content folder and repository state', () => {
  //  case                                       content folder             path in the tree
  test.each([
    ['the top of the work tree', '.', ''],
    ['characters that git quotes or treats as a pattern', 'site data/inhält "x"/a[b]*', 'site data/inhält "x"/a[b]*/'],
  ])('%s', async (_, contentDir, prefix) => {
    mkdirSync(join(folder, contentDir), { recursive: true })
    const store = openStore({ contentDir: join(folder, contentDir) })
    await publish(store, { version: { version: '1.0.0', text: 'first' }, index: 'about' })
    expect(
      git('-c', 'core.quotePath=false', 'ls-tree', '-rz', '--name-only', 'HEAD').split('\0').filter(Boolean).sort(),
    ).toEqual(['README.md', `${prefix}acme/code-review/index.md`, `${prefix}acme/code-review/versions/1.0.0.md`].sort())
    expect(git('status', '--porcelain')).toBe('')
    expect([...(await store.readFolder(PLACE, never())).versions.keys()]).toEqual(['1.0.0'])
  })

  test('publishes through a link that CONTENT_DIR names, to the branch of a linked worktree', async () => {
    git('worktree', 'add', '-q', '-b', 'side', join(folder, 'side'))
    mkdirSync(join(folder, 'side', 'content'))
    symlinkSync(join(folder, 'side', 'content'), join(folder, 'elsewhere'))
    const link = join(folder, 'elsewhere')
    await expect(publish(openStore({ contentDir: link }), { index: 'about' })).rejects.toThrow('is a symbolic link')
    const { contentDir } = readConfig({ CONTENT_DIR: link })
    const outcome = await publish(openStore({ contentDir }), { index: 'about' })
    expect(git('rev-parse', 'side').trim()).toBe(shaOf(outcome))
    expect(git('-C', 'side', 'status', '--porcelain')).toBe('')
    expect(git('ls-tree', '-r', '--name-only', 'main')).toBe('README.md\n')
  })

  const detached = "The content's git repository has no branch checked out (its HEAD is detached)"
  const expectRefusal = async (store: GitStore, base: FolderState, sentence: string) => {
    const [head, status] = [git('rev-parse', 'HEAD', 'main'), git('status', '--porcelain')]
    const refusal = { code: 'unavailable', retryAfterSeconds: 60, message: `${sentence}. Nothing was published.` }
    await expect(store.readFolder(PLACE, never())).rejects.toMatchObject(refusal)
    const message = { headline: 'Publish acme/code-review 1.0.0', trailers: [] }
    const version = { version: '1.0.0', text: 'x' }
    await expect(store.commit({ ...PLACE, base, message, version, index: undefined }, never())).rejects.toMatchObject(
      refusal,
    )
    expect([git('rev-parse', 'HEAD', 'main'), git('status', '--porcelain')]).toEqual([head, status])
  }

  test('while another branch or none is checked out, reading and publishing fail and the error says how to fix it', async () => {
    const store = openStore()
    const base = await store.readFolder(PLACE, never())
    git('checkout', '-q', '--detach')
    await expectRefusal(store, base, `${detached}: run git switch main to check it out`)
    git('checkout', '-q', '-b', 'side')
    await expectRefusal(
      store,
      base,
      'The hub publishes to the branch main, but side is checked out: run git switch main to switch back, or start the hub again to publish to side',
    )
  })

  test('while an operation of git is in progress, reading and publishing fail and the error says how to complete it', async () => {
    repository.commit({ 'a.txt': 'first\n' })
    git('checkout', '-q', '-b', 'side')
    repository.commit({ 'a.txt': 'other\n' })
    git('checkout', '-q', 'main')
    repository.commit({ 'a.txt': 'second\n' })
    const store = openStore()
    const base = await store.readFolder(PLACE, never())
    for (const [what, begin, way] of [
      ['merge', ['side'], 'git commit'],
      ['rebase', ['side'], 'git rebase --continue'],
      ['cherry-pick', ['side'], 'git cherry-pick --continue'],
      ['revert', ['--no-edit', 'HEAD~1'], 'git revert --continue'],
    ] as const) {
      expect(() => git(what, ...begin)).toThrow()
      const ways = `${way} completes it, git ${what} --abort cancels it`
      await expectRefusal(store, base, `A ${what} is in progress in the content's git repository: ${ways}`)
      git(what, '--abort')
    }
    git('bisect', 'start')
    const bisect = "A bisect is in progress in the content's git repository: git bisect reset ends it"
    await expectRefusal(store, base, bisect)
  })

  test('says how to fix a missing repository, content folder, commit or git, without local paths', async () => {
    repository = makeRepository('bare')
    ;({ folder, git, openStore } = repository)
    const ask = (options: Partial<LocalGitOptions>) => openStore(options).readFolder(PLACE, never())
    const refusal = (sentence: string) => ({ code: 'unavailable', retryAfterSeconds: 60, message: sentence })
    await expect(ask({})).rejects.toMatchObject(
      refusal('The content folder is not in a git repository. Run git init, create a first commit, and try again.'),
    )
    await expect(ask({ contentDir: join(folder, 'missing') })).rejects.toMatchObject(
      refusal('The content folder does not exist. Create it inside a git repository, and try again.'),
    )
    await expect(ask({ environment: { PATH: folder } })).rejects.toMatchObject(
      refusal('Git was not found. Install git, and try again.'),
    )
    git('init', '-q')
    await expect(ask({})).rejects.toMatchObject(
      refusal('The git repository of the content has no commits yet. Create a first commit, and try again.'),
    )
    const store = repository.openStore()
    makeRepository('ready', { folder })
    await store.readFolder(PLACE, never())
    rmSync(folder, { recursive: true })
    await expect(store.readFolder(PLACE, never())).rejects.toMatchObject(
      refusal('The content folder was removed. Restore it, and try again.'),
    )
  })

  test("keeps git's own message for the operator where git fails, and does not guess", async () => {
    rmSync(join(folder, '.git/objects'), { recursive: true })
    mkdirSync(join(folder, '.git/objects'))
    const error = await openStore()
      .readFolder(PLACE, never())
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^Git cannot read the content's repository; see the hub's log/),
      cause: expect.objectContaining({ message: expect.stringMatching(/^fatal: |^error: /) }),
    })
    expect(describeError(error)).toMatch(/Repair the repository, and try again\. \((?:fatal|error): /)
  })

  test.runIf(process.getuid?.() === 0)(
    'explains safe.directory when git refuses the folder of another user',
    async () => {
      for (const name of ['.git', '.']) chownSync(join(folder, name), 65534, 65534)
      const error = await openStore()
        .readFolder(PLACE, never())
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'unavailable',
        message:
          "Git refuses to open the content's repository, because the folder belongs to another user. Run this as the user who owns the folder, or add the folder to git's setting safe.directory, and try again.",
      })
      expect(describeError(error)).toMatch(
        /\(fatal: detected dubious ownership in repository at '[^']+'.* safe\.directory /,
      )
      const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
      expect(toHubError(error).message).not.toContain(folder)
      expect(String(logged.mock.calls)).toContain('dubious ownership')
      logged.mockRestore()
    },
  )

  test('finds a repository that is created later', async () => {
    const late = makeRepository('bare')
    const store = late.openStore()
    await expect(store.readFolder(PLACE, never())).rejects.toMatchObject({ code: 'unavailable' })
    makeRepository('ready', { folder: late.folder })
    expect((await publish(store, { index: 'about' })).kind).toBe('committed')
  })
})

describe('user settings and other files', () => {
  test('ignores hooks, signing, line endings, filters, encodings, split index, missing identity', async () => {
    const home = join(folder, 'home')
    mkdirSync(home)
    for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction', 'post-index-change']) {
      write({ [`.git/hooks/${hook}`]: '#!/bin/sh\nexit 1\n', [`hooks/${hook}`]: '#!/bin/sh\nexit 1\n' })
      for (const where of ['.git/hooks', 'hooks']) chmodSync(join(folder, where, hook), 0o755)
    }
    write({ 'hooks/verifier': '#!/bin/sh\necho "a signature by nobody" >&2\nexit 1\n' })
    chmodSync(join(folder, 'hooks/verifier'), 0o755)
    const sign = (sha: string) => {
      const raw = git('cat-file', 'commit', sha).replace(
        '\n\n',
        '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n',
      )
      const signed = runSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], { cwd: folder, input: raw })
      runSync('git', ['-c', 'core.hooksPath=/dev/null', 'update-ref', 'HEAD', signed.toString().trim()], {
        cwd: folder,
      })
    }
    write({
      'home/.gitconfig': [
        '[core]\nautocrlf = true\nhooksPath = hooks\nsplitIndex = true\nsafecrlf = true\nquotePath = true',
        '[commit]\ngpgsign = true\n[gpg]\nprogram = hooks/verifier\n[i18n]\ncommitEncoding = ISO-8859-1\nlogOutputEncoding = ISO-8859-1',
        '[log]\nshowSignature = true\nfollow = true\nshowRoot = false\n[user]\nuseConfigOnly = true\n[color]\nui = always',
        '[filter "rot"]\nclean = tr a-z n-za-m\nsmudge = tr a-z n-za-m\n',
      ].join('\n'),
      '.git/info/attributes': 'content/** filter=rot ident text\n',
    })
    const environment = { PATH: process.env.PATH, HOME: home }
    const text = '$Id$ é line\r\nnext\nlast'
    const store = openStore({ environment })
    const outcome = await publish(store, { version: { version: '1.0.0', text }, index: text })
    expect(repository.warnings).toEqual([])
    const stored = runSync('git', ['cat-file', 'blob', `HEAD:${VERSIONS}/1.0.0.md`], { cwd: folder })
    expect(stored.toString()).toBe('$Id$ é line\r\nnext\nlast')
    expect(readFileSync(join(folder, VERSIONS, '1.0.0.md'), 'utf8')).toBe('$Id$ é line\r\nnext\nlast')
    const state = await store.readFolder(PLACE, never())
    expect(state.index).toBe('$Id$ é line\r\nnext\nlast')
    const message = { headline: 'Publish é', trailers: [] }
    const additions = { ...PLACE, base: state, message, version: { version: '1.0.1', text: 'x' }, index: undefined }
    const second = await store.commit(additions, never())
    sign(shaOf(second))
    const { publishes } = await store.readFolder({ ...PLACE, withPublishes: true }, never())
    expect(publishes.map(({ headline, trailers }) => [headline, ...trailers])).toEqual([
      ['Publish é'],
      ['Publish acme/code-review', ['Operation-Id', 'op-1']],
    ])
    expect(publishes[1]?.sha).toBe(shaOf(outcome))
    expect(git('log', '-1', '--format=%an <%ae>, %cn <%ce>')).toBe(
      'Prompt Hub <prompt-hub@localhost>, Prompt Hub <prompt-hub@localhost>\n',
    )
  })

  test('ignores GIT_* variables that point elsewhere', async () => {
    const elsewhere = join(folder, 'elsewhere')
    const other = makeRepository('ready', { folder: elsewhere })
    const before = other.git('rev-parse', 'HEAD')
    const environment = {
      ...process.env,
      GIT_DIR: join(elsewhere, '.git'),
      GIT_WORK_TREE: elsewhere,
      GIT_INDEX_FILE: join(elsewhere, 'index'),
      GIT_OBJECT_DIRECTORY: join(elsewhere, '.git', 'objects'),
      GIT_AUTHOR_DATE: 'never',
      GIT_CONFIG_PARAMETERS: 'nonsense',
    }
    await publish(openStore({ environment }), { index: 'about' })
    expect(git('show', `HEAD:${INDEX}`)).toBe('about')
    expect(other.git('rev-parse', 'HEAD')).toBe(before)
  })

  test('keeps staged and unstaged changes of other files', async () => {
    repository.commit({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
    write({ 'a.txt': 'staged\n', 'b.txt': 'changed\n', 'content/acme/other/versions/1.0.0.md': 'draft' })
    git('add', 'a.txt')
    rmSync(join(folder, 'c.txt'))
    const before = git('status', '--porcelain', '-uall')
    expect((await publish(openStore(), { version: { version: '1.0.0', text: 'x' }, index: 'about' })).kind).toBe(
      'committed',
    )
    expect(git('status', '--porcelain', '-uall')).toBe(before)
    expect(git('show', '--format=', '--name-only', 'HEAD')).toBe(`${INDEX}\n${VERSIONS}/1.0.0.md\n`)
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('staged\n')
  })

  test('keeps other entries unchanged: modes, symlinks, submodules, names that are not UTF-8', async () => {
    const id = git('hash-object', '-w', 'README.md').trim()
    const lines = [
      `100755 blob ${id}\trun.sh`,
      `120000 blob ${id}\tlink`,
      `160000 commit 0123456789012345678901234567890123456789\tsub`,
      `100644 blob ${id}\tcaf\xe9`,
    ]
    const input = Buffer.from(`${lines.join('\0')}\0`, 'latin1')
    const tree = runSync('git', ['mktree', '-z', '--missing'], { cwd: folder, input }).toString().trim()
    git('update-ref', 'HEAD', git('commit-tree', tree, '-m', 'x').trim())
    await publish(openStore(), { index: 'about' })
    const after = runSync('git', ['ls-tree', '-z', 'HEAD'], { cwd: folder }).toString('latin1')
    expect(after.split('\0').filter((line) => line !== '' && !line.endsWith('\tcontent'))).toEqual(lines.sort(byName))
  })

  test('leaves no temporary files behind', async () => {
    const before = readdirSync(join(folder, '.git'))
      .filter((name) => name !== 'COMMIT_EDITMSG')
      .sort()
    await publish(openStore(), { version: { version: '1.0.0', text: 'x' } })
    expect(
      readdirSync(join(folder, '.git'))
        .filter((name) => name !== 'COMMIT_EDITMSG')
        .sort(),
    ).toEqual([...before, 'prompt-hub'].sort())
    // The only file left is the one that the kernel lock needs.
    expect(readdirSync(join(folder, '.git/prompt-hub'))).toEqual(['turn'])
    expect(readdirSync(join(folder, VERSIONS))).toEqual(['1.0.0.md'])
  })
})

test('a repository whose objects have SHA-256 names gets a version and a result, and loses the result', async () => {
  const other = makeRepository('bare')
  other.git('init', '-q', '-b', 'main', '--object-format=sha256')
  other.commit({ [INDEX]: 'about\n' })
  const store = other.openStore()
  const commit = async (what: Pick<Additions, 'version'> | Pick<Additions, 'result'>) => {
    const base = await store.readFolder(PLACE, never())
    const message = { headline: 'Change acme/code-review', trailers: [] }
    return await store.commit({ ...PLACE, base, message, version: undefined, index: undefined, ...what }, never())
  }
  const result = { version: '1.0.0', suite: 'quality', text: 'passed: 1\n' }
  expect((await commit({ version: { version: '1.0.0', text: 'x' } })).kind).toBe('committed')
  expect((await commit({ result })).kind).toBe('committed')
  expect((await commit({ result: { ...result, text: undefined } })).kind).toBe('committed')
  expect(other.git('ls-files')).toBe(`${INDEX}\n${VERSIONS}/1.0.0.md\n`)
  expect(other.git('status', '--porcelain')).toBe('')
})

function byName(a: string, b: string): number {
  return a.slice(a.indexOf('\t')) < b.slice(b.indexOf('\t')) ? -1 : 1
}
