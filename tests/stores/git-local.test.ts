// Pins what is special to git as a work tree: the user's files, index, hooks and settings stay theirs, and nothing uncommitted is lost.
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Additions } from '../../src/domain/git-store.ts'
import { openLocalGit } from '../../src/stores/git-local.ts'
import { gitStoreContract, shaOf } from './git-store-contract.ts'

const PLACE = { owner: 'acme', name: 'code-review' }
const MESSAGE = { headline: 'Publish acme/code-review', trailers: [['Operation-Id', 'op-1']] } as const
const never = () => ({ signal: new AbortController().signal })
const VERSIONS = 'content/acme/code-review/versions'
const INDEX = 'content/acme/code-review/index.md'

let folder: string
let warnings: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hub-local-'))
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (dir: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: dir, encoding: 'utf8' })
const git = (...args: string[]) => run(folder, ...args)

function write(files: Readonly<Record<string, string | Uint8Array>>, dir = folder): void {
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), bytes)
  }
}

function commitAll(files: Readonly<Record<string, string | Uint8Array>>, dir = folder): string {
  write(files, dir)
  run(dir, '-c', 'core.autocrlf=false', 'add', '--', ...Object.keys(files))
  run(dir, 'commit', '-q', '-m', 'Somebody else', '--only', '--', ...Object.keys(files))
  return run(dir, 'rev-parse', 'HEAD').trim()
}

function initRepository(dir = folder, isEmpty = false): void {
  mkdirSync(join(dir, 'content'), { recursive: true })
  run(dir, 'init', '-q', '-b', 'main')
  if (!isEmpty) commitAll({ 'README.md': '# Hub\n' }, dir)
}

const openStore = (options: Partial<Parameters<typeof openLocalGit>[0]> = {}) =>
  openLocalGit({
    contentDir: join(folder, 'content'),
    environment: process.env,
    warn: (message) => warnings.push(message),
    ...options,
  })

async function publish(
  store: ReturnType<typeof openStore>,
  what: Partial<Pick<Additions, 'version' | 'index'>>,
  place = PLACE,
) {
  const base = await store.readFolder(place, never())
  return await store.commit(
    { ...place, base, message: MESSAGE, version: undefined, index: undefined, ...what },
    never(),
  )
}

gitStoreContract('local', async ({ isEmpty }) => {
  const dir = mkdtempSync(join(tmpdir(), 'hub-contract-'))
  initRepository(dir, isEmpty)
  const open = () => openLocalGit({ contentDir: join(dir, 'content'), environment: process.env })
  return {
    store: open(),
    openAnother: open,
    commitOutside: async (files) => commitAll(files, dir),
    exportGit: async () => join(dir, '.git'),
    close: async () => rmSync(dir, { recursive: true, force: true }),
  }
})

describe('where it works', () => {
  //  what                                       content folder             path in the tree
  test.each([
    ['the content folder of the top', 'content', 'content/'],
    ['another name', 'prompts', 'prompts/'],
    ['a folder further down, with a blank', 'site data/hub/content', 'site data/hub/content/'],
    ['the top of the work tree itself', '.', ''],
    ['characters that git would quote', 'inhält "x"', 'inhält "x"/'],
    ['characters that git would take for a pattern', 'a[b]*', 'a[b]*/'],
  ])('%s', async (_, contentDir, prefix) => {
    initRepository()
    mkdirSync(join(folder, contentDir), { recursive: true })
    const store = openStore({ contentDir: join(folder, contentDir) })
    await publish(store, { version: { version: '1.0.0', text: 'first' }, index: 'about' })
    expect(
      git('-c', 'core.quotePath=false', 'ls-tree', '-rz', '--name-only', 'HEAD').split('\0').filter(Boolean).sort(),
    ).toEqual(['README.md', `${prefix}acme/code-review/index.md`, `${prefix}acme/code-review/versions/1.0.0.md`].sort())
    expect(git('status', '--porcelain')).toBe('')
    expect([...(await store.readFolder(PLACE, never())).versions.keys()]).toEqual(['1.0.0'])
  })

  test('a content folder reached by a link, and a linked work tree with a branch of its own', async () => {
    initRepository()
    git('worktree', 'add', '-q', '-b', 'side', join(folder, 'side'))
    mkdirSync(join(folder, 'side', 'content'))
    symlinkSync(join(folder, 'side', 'content'), join(folder, 'elsewhere'))
    const outcome = await publish(openStore({ contentDir: join(folder, 'elsewhere') }), { index: 'about' })
    expect(git('rev-parse', 'side').trim()).toBe(shaOf(outcome))
    expect(run(join(folder, 'side'), 'status', '--porcelain')).toBe('')
    expect(git('ls-tree', '-r', '--name-only', 'main')).toBe('README.md\n')
  })

  test('a detached HEAD moves on by itself, and a person is told', async () => {
    initRepository()
    git('checkout', '-q', '--detach')
    const sha = shaOf(await publish(openStore(), { version: { version: '1.0.0', text: 'x' } }))
    expect(git('rev-parse', 'HEAD').trim()).toBe(sha)
    expect(git('rev-parse', 'main').trim()).not.toBe(sha)
    expect(warnings).toEqual([
      `HEAD is detached, so the commit ${sha} is on no branch. git switch -c <branch> keeps it.`,
    ])
  })

  test('no repository, no content folder, no git: it says what to do, without a path of this machine', async () => {
    const alone = { ...process.env, GIT_CEILING_DIRECTORIES: '' }
    mkdirSync(join(folder, 'content'))
    const ask = (options: Partial<Parameters<typeof openLocalGit>[0]>) => openStore(options).readFolder(PLACE, never())
    const refusal = (sentence: string) => ({ code: 'unavailable', retryAfterSeconds: 60, message: sentence })
    await expect(ask({ environment: alone })).rejects.toMatchObject(
      refusal(
        'The content folder lies in no git repository that can be used. Run git init, make a first commit, and try again.',
      ),
    )
    await expect(ask({ contentDir: join(folder, 'missing') })).rejects.toMatchObject(
      refusal('The content folder does not exist. Create it inside a git repository, and try again.'),
    )
    await expect(ask({ environment: { PATH: folder } })).rejects.toMatchObject(
      refusal('git was not found, or the content folder vanished. Install git, and try again.'),
    )
    initRepository(folder, true)
    await expect(ask({})).rejects.toMatchObject(
      refusal('The git repository of the content has no commit yet. Make a first commit, and try again.'),
    )
  })

  test('a repository that appears later is found', async () => {
    mkdirSync(join(folder, 'content'))
    const store = openStore()
    await expect(store.readFolder(PLACE, never())).rejects.toMatchObject({ code: 'unavailable' })
    initRepository()
    expect((await publish(store, { index: 'about' })).kind).toBe('committed')
  })
})

describe('what the user has set', () => {
  test('hooks, signing, line ends, filters, encodings, split index and missing identity change nothing', async () => {
    initRepository()
    const home = join(folder, 'home')
    mkdirSync(home)
    for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction', 'post-index-change']) {
      write({ [`.git/hooks/${hook}`]: '#!/bin/sh\nexit 1\n', [`hooks/${hook}`]: '#!/bin/sh\nexit 1\n' })
      for (const where of ['.git/hooks', 'hooks']) chmodSync(join(folder, where, hook), 0o755)
    }
    write({
      'home/.gitconfig': [
        '[core]\nautocrlf = true\nhooksPath = ../hooks\nsplitIndex = true\nsafecrlf = true\nquotePath = true',
        '[commit]\ngpgsign = true\n[gpg]\nprogram = /bin/false\n[i18n]\ncommitEncoding = ISO-8859-1',
        '[log]\nshowSignature = true\nfollow = true\nshowRoot = false\n[user]\nuseConfigOnly = true\n[color]\nui = always',
        '[filter "rot"]\nclean = tr a-z n-za-m\nsmudge = tr a-z n-za-m\n',
      ].join('\n'),
      '.git/info/attributes': 'content/** filter=rot ident text\n',
    })
    const environment = { PATH: process.env.PATH, HOME: home }
    const text = '$Id$ é line\r\nnext\nlast'
    const store = openStore({ environment })
    const outcome = await publish(store, { version: { version: '1.0.0', text }, index: text })
    expect(warnings).toEqual([])
    const stored = execFileSync('git', ['cat-file', 'blob', `HEAD:${VERSIONS}/1.0.0.md`], { cwd: folder })
    expect(stored.toString()).toBe('$Id$ é line\r\nnext\nlast')
    expect(readFileSync(join(folder, VERSIONS, '1.0.0.md'), 'utf8')).toBe('$Id$ é line\r\nnext\nlast')
    const { publishes, index } = await store.readFolder({ ...PLACE, publishes: {} }, never())
    expect(index).toBe('$Id$ é line\r\nnext\nlast')
    expect(publishes.map(({ sha, trailers }) => [sha, ...trailers])).toEqual([
      [shaOf(outcome), ['Operation-Id', 'op-1']],
    ])
    expect(git('log', '-1', '--format=%an <%ae>, %cn <%ce>')).toBe(
      'Prompt Hub <prompt-hub@localhost>, Prompt Hub <prompt-hub@localhost>\n',
    )
  })

  test('GIT_* variables that lead elsewhere are not followed', async () => {
    initRepository()
    const elsewhere = join(folder, 'elsewhere')
    initRepository(elsewhere)
    const before = run(elsewhere, 'rev-parse', 'HEAD')
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
    expect(run(elsewhere, 'rev-parse', 'HEAD')).toBe(before)
  })

  test('staged and unstaged changes of other files stay as they are', async () => {
    initRepository()
    commitAll({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
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

  test('nothing is left behind', async () => {
    initRepository()
    const before = readdirSync(join(folder, '.git'))
      .filter((name) => name !== 'COMMIT_EDITMSG')
      .sort()
    await publish(openStore(), { version: { version: '1.0.0', text: 'x' } })
    expect(
      readdirSync(join(folder, '.git'))
        .filter((name) => name !== 'COMMIT_EDITMSG')
        .sort(),
    ).toEqual(before)
    expect(readdirSync(join(folder, VERSIONS))).toEqual(['1.0.0.md'])
  })
})

describe('what is not committed is never overwritten', () => {
  const version = { version: { version: '1.0.1', text: 'ours' } }
  //  what lies there                              how it came                                        the sentence's beginning
  test.each<[string, () => void, string]>([
    [
      'a version file of the user',
      () => write({ [`${VERSIONS}/1.0.1.md`]: 'theirs' }),
      `${VERSIONS}/1.0.1.md holds changes`,
    ],
    [
      'a staged version file without a file',
      () => {
        write({ [`${VERSIONS}/1.0.1.md`]: 'theirs' })
        git('add', '.')
        rmSync(join(folder, `${VERSIONS}/1.0.1.md`))
      },
      `${VERSIONS}/1.0.1.md holds changes`,
    ],
    ['a changed index.md', () => write({ [INDEX]: 'edited' }), `${INDEX} holds changes`],
    [
      'a staged index.md that was put back',
      () => {
        write({ [INDEX]: 'edited' })
        git('add', '.')
        write({ [INDEX]: 'about' })
      },
      `${INDEX} holds changes`,
    ],
    [
      'a link in place of the version',
      () => symlinkSync('../../../../README.md', join(folder, `${VERSIONS}/1.0.1.md`)),
      `${VERSIONS}/1.0.1.md is not a regular file`,
    ],
    [
      'a link in place of the folder',
      () => {
        rmSync(join(folder, VERSIONS), { recursive: true })
        mkdirSync(join(folder, 'outside'))
        symlinkSync(join(folder, 'outside'), join(folder, VERSIONS))
      },
      `${VERSIONS} is not a folder`,
    ],
    [
      'a link in place of the owner',
      () => {
        rmSync(join(folder, 'content/acme'), { recursive: true })
        mkdirSync(join(folder, 'outside'))
        symlinkSync(join(folder, 'outside'), join(folder, 'content/acme'))
      },
      'content/acme is not a folder',
    ],
  ])('%s', async (_, prepare, sentence) => {
    initRepository()
    const head = commitAll({ [`${VERSIONS}/1.0.0.md`]: 'first', [INDEX]: 'about' })
    prepare()
    const before = git('status', '--porcelain', '-uall')
    await expect(publish(openStore(), { ...version, index: 'new words' })).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 60,
      message: expect.stringMatching(new RegExp(`^${sentence}.*nothing was published\\.$`)),
    })
    expect(git('rev-parse', 'HEAD').trim()).toBe(head)
    expect(git('status', '--porcelain', '-uall')).toBe(before)
    if (existsSync(join(folder, 'outside'))) expect(readdirSync(join(folder, 'outside'))).toEqual([])
  })

  test('a draft with another number, and bytes that git has already, are no obstacle', async () => {
    initRepository()
    commitAll({ [INDEX]: 'old words' })
    commitAll({ [INDEX]: 'about' })
    write({ [INDEX]: 'old words', [`${VERSIONS}/1.0.2.md`]: 'draft' })
    expect((await publish(openStore(), { ...version, index: 'new words' })).kind).toBe('committed')
    expect(readFileSync(join(folder, INDEX), 'utf8')).toBe('new words')
    expect(git('status', '--porcelain')).toBe(`?? ${VERSIONS}/1.0.2.md\n`)
  })

  test('a file in git where a folder must be is not replaced', async () => {
    initRepository()
    const head = commitAll({ 'content/acme': 'a file' })
    rmSync(join(folder, 'content/acme'))
    await expect(publish(openStore(), version)).rejects.toMatchObject({ code: 'upstream_error' })
    expect(git('rev-parse', 'HEAD').trim()).toBe(head)
  })
})

describe('trouble beside the commit', () => {
  test('a locked branch is busy, and nothing is written', async () => {
    initRepository()
    const store = openStore()
    const head = git('rev-parse', 'HEAD')
    write({ '.git/refs/heads/main.lock': '' })
    expect(await publish(store, { index: 'about' })).toEqual({ kind: 'busy', retryAfterSeconds: 1 })
    expect(git('rev-parse', 'HEAD')).toBe(head)
    rmSync(join(folder, '.git/refs/heads/main.lock'))
    expect((await publish(store, { index: 'about' })).kind).toBe('committed')
  })

  test('an index that stays locked: the commit stands, and a person is told', { timeout: 30_000 }, async () => {
    initRepository()
    write({ '.git/index.lock': '' })
    const outcome = await publish(openStore(), { index: 'about' })
    expect(git('show', `${shaOf(outcome)}:${INDEX}`)).toBe('about')
    expect(warnings).toEqual([
      `${INDEX} was committed, but could not be brought into the work tree. git checkout HEAD -- <path> does it.`,
    ])
  })

  test('four processes at once: consecutive numbers, and a clean work tree at the end', {
    timeout: 120_000,
  }, async () => {
    initRepository()
    const program = join(import.meta.dirname, 'local-publisher.ts')
    const children = ['a', 'b', 'c', 'd'].map(
      (name) =>
        new Promise<string>((resolve, reject) => {
          const child = spawn(process.execPath, [program, join(folder, 'content'), name, '5'], {
            stdio: ['ignore', 'pipe', 'inherit'],
          })
          let out = ''
          child.stdout.on('data', (chunk) => {
            out += chunk
          })
          child.on('close', (code) =>
            code === 0 ? resolve(out) : reject(new Error(`publisher ${name} ended with ${code}`)),
          )
        }),
    )
    const numbers = (await Promise.all(children)).flatMap((out) => out.trim().split('\n'))
    expect(new Set(numbers).size).toBe(20)
    expect(readdirSync(join(folder, VERSIONS))).toHaveLength(20)
    expect(git('rev-list', '--count', 'HEAD')).toBe('21\n')
    expect(git('status', '--porcelain')).toBe('')
    expect(readFileSync(join(folder, INDEX), 'utf8')).toBe(git('show', `HEAD:${INDEX}`))
    expect(git('fsck', '--full', '--strict', '--no-dangling')).toBe('')
  })
})
