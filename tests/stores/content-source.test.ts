// Tests how the content is read from git: what is committed, what somebody changed since, and a folder that is not in git.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, test, vi } from 'vitest'
import { writeData } from '../../src/build/write-data.ts'
import { readConfig } from '../../src/config.ts'
import { readHistory } from '../../src/content/content-history.ts'
import { type ContentListing, listIgnored, listListingProblems } from '../../src/content/content-listing.ts'
import { openObjects } from '../../src/content/content-reader.ts'
import { openContentSource, type SeenContent } from '../../src/content/content-source.ts'
import { openKeeper } from '../../src/hosts/node/builds/seen-content.ts'
import { versionFile } from '../fixtures/prompt-files.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'

let root = ''
beforeEach(() => {
  root = temporaryFolder('prompt-hub-source-')
})

const git = (cwd: string, ...args: string[]) =>
  runSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd, encoding: 'utf8' })
const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const PATH = 'content/acme/a/versions/1.0.0.md'
const TEXT = versionFile('$Id$\nOne')

/** Creates a repository with these files, and commits them. */
function commit(files: Record<string, string>, folder = join(root, 'repository')): string {
  for (const [path, text] of Object.entries(files)) put(join(folder, path), text)
  if (!existsSync(join(folder, '.git'))) git(folder, 'init', '-q', '-b', 'main')
  if (Object.keys(files).length > 0) git(folder, 'add', '-f', '--', ...Object.keys(files))
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'all')
  return folder
}

const open = (folder: string, dir = mkdtempSync(join(root, 'own-')), known?: SeenContent) =>
  openContentSource({ contentDir: join(folder, 'content'), dir, environment: process.env, known })

/** Returns the text of each file of a listing. */
function readAll(source: ReturnType<typeof open>, listing: ContentListing): Record<string, string> {
  const reader = openObjects(source.git, listing)
  const files = [listing.others, ...listing.prompts.values()].flatMap((part) => part.files)
  return Object.fromEntries(files.map(({ path }) => [path, reader.read(path, 1_000_000).value?.toString() ?? '?']))
}

test('of a fresh clone whose checkout changed the bytes, those of git are read, whatever changed them', async () => {
  const names = ['crlf', 'ident', 'encoded', 'filtered', 'of-clone', 'of-setting']
  const pathOf = (name: string) => `content/acme/${name}/versions/1.0.0.md`
  const attributes = [
    'content/acme/crlf/** text eol=crlf',
    'content/acme/ident/** -text ident',
    'content/acme/encoded/** -text working-tree-encoding=UTF-16LE-BOM',
    'content/acme/filtered/** -text filter=up',
  ]
  const texts = Object.fromEntries(names.map((name) => [pathOf(name), TEXT]))
  const from = commit(texts)
  commit({ '.gitattributes': `${attributes.join('\n')}\n` }, from)
  const to = join(root, 'clone')
  git(root, 'clone', '-q', '--no-checkout', from, to)
  git(to, 'config', 'core.autocrlf', 'true')
  for (const way of ['smudge', 'clean']) git(to, 'config', `filter.up.${way}`, 'tr A-Za-z N-ZA-Mn-za-m')
  writeFileSync(join(to, '.git/info/attributes'), 'content/acme/of-clone/** text eol=crlf\n')
  git(to, 'checkout', '-q', 'main')
  for (const name of names) expect(readFileSync(join(to, pathOf(name)), 'utf8'), name).not.toBe(TEXT)
  const source = open(to)
  const look = await source.look()
  expect([...look.edited]).toEqual([])
  expect(Object.values(readAll(source, look.listing))).toEqual(names.map(() => TEXT))
  const siteDir = mkdtempSync(join(root, 'site-'))
  const config = readConfig({ CONTENT_DIR: join(to, 'content'), SITE_URL: 'https://hub.test' })
  await writeData(config, { siteDir, indexPath: join(siteDir, 'search.db') })
  for (const name of names) {
    const record = readFileSync(join(siteDir, `data/v1/repos/acme/${name}/versions/1.0.0.json`), 'utf8')
    expect(JSON.parse(record).data.content, name).toBe('$Id$\nOne\n')
  }
})

test('what is edited, new, deleted and missing, beside what is committed', async () => {
  const folder = commit({
    'content/site.yml': 'name: Hub\n',
    'content/acme/index.md': '---\nname: Acme\n---\n',
    [PATH]: TEXT,
    'content/acme/b/versions/1.0.0.md': 'B',
    'outside.md': 'x',
  })
  const head = git(folder, 'rev-parse', 'HEAD').trim()
  const source = open(folder)
  const first = await source.look()
  expect(first).toMatchObject({ commit: head, changed: 'all', missing: [] })
  expect(Object.keys(readAll(source, first.listing))).toEqual([
    'acme/index.md',
    'site.yml',
    'acme/a/versions/1.0.0.md',
    'acme/b/versions/1.0.0.md',
  ])
  // Git's own index and its objects stay as they are.
  const state = () => git(folder, 'status', '--porcelain=v2') + git(folder, 'count-objects')
  const before = state()
  put(join(folder, PATH), 'edited')
  put(join(folder, 'content/acme/c/index.md'), 'new')
  rmSync(join(folder, 'content/acme/b'), { recursive: true })
  const edited = state()
  const second = await source.look(new Set(['acme/a/versions/1.0.0.md', 'acme/c/', 'acme/b/versions/1.0.0.md']))
  expect(second.edited).toEqual(new Set(['acme/a/versions/1.0.0.md', 'acme/c/index.md']))
  expect(second.missing).toEqual(['acme/b/versions/1.0.0.md'])
  expect(readAll(source, second.listing)).toMatchObject({
    'acme/a/versions/1.0.0.md': 'edited',
    'acme/b/versions/1.0.0.md': 'B',
    'acme/c/index.md': 'new',
  })
  expect(state()).toBe(edited)
  git(folder, 'checkout', '-q', '--', '.')
  rmSync(join(folder, 'content/acme/c'), { recursive: true })
  expect(state()).toBe(before)
  const third = await source.look(new Set(['acme/a/', 'acme/b/', 'acme/c/']))
  expect(third).toMatchObject({ changed: new Set(['acme/a', 'acme/b', 'acme/c']), missing: [], edited: new Set() })
  expect(third.listing).toEqual(first.listing)
  expect((await source.look()).changed).toEqual(new Set())
  git(folder, 'rm', '-qr', 'content/acme/b')
  git(folder, 'commit', '-qm', 'Remove b')
  const last = await source.look(new Set())
  // The folder was not looked at, but the commit says so.
  expect(last.missing).toEqual([])
  expect([...(await source.look()).listing.prompts.keys()]).toEqual(['acme/a'])
})

test('anything but a file is a problem, and files that git ignores are content', async () => {
  const folder = commit({ [PATH]: TEXT, 'content/.gitignore': '*\n', 'content/acme/b/versions/1.0.0.md': 'B' })
  symlinkSync('versions/1.0.0.md', join(folder, 'content/acme/b/index.md'))
  commit({ 'x.md': 'x' }, join(folder, 'content/acme/inner'))
  put(join(folder, 'content/acme/ignored/index.md'), 'new')
  put(join(folder, 'content/acme/a/.index.md.swp'), 'left behind')
  put(join(folder, 'content/acme/a/.gitattributes'), '*.txt ident\n')
  writeFileSync(Buffer.concat([Buffer.from(join(folder, 'content/acme/')), Buffer.from([0xe9])]), 'x')
  const { listing } = await open(folder).look()
  expect(listListingProblems(listing).map(({ file, rule }) => `${file} ${rule}`)).toEqual([
    'content/acme/inner regular-file',
    'content/acme/\ufffd readable',
    'content/acme/a/.gitattributes no-attributes',
    'content/acme/b/index.md regular-file',
  ])
  expect(listIgnored(listing)).toEqual(['content/.gitignore', 'content/acme/a/.index.md.swp'])
  expect([...listing.prompts.keys()]).toEqual(['acme/a', 'acme/b', 'acme/ignored'])
})

test.each([
  ['a folder without git', () => {}],
  ['a folder that git ignores', (folder: string) => void commit({ '.gitignore': 'content\n' }, folder)],
  ['a branch without commits', (folder: string) => void git(folder, 'init', '-q')],
])('%s is read as it is', async (_, prepare) => {
  const folder = join(root, 'plain')
  put(join(folder, PATH), '$Id$\r\n')
  put(join(folder, 'content/acme/b/index.md'), 'B')
  prepare(folder)
  const dir = mkdtempSync(join(root, 'own-'))
  const source = open(folder, dir)
  const first = await source.look()
  expect(readAll(source, first.listing)).toEqual({ 'acme/a/versions/1.0.0.md': '$Id$\r\n', 'acme/b/index.md': 'B' })
  rmSync(join(folder, 'content/acme/b'), { recursive: true })
  const again = await open(folder, dir).look()
  expect([...again.listing.prompts.keys()]).toEqual(['acme/a'])
  expect(again.missing).toEqual([])
  rmSync(join(folder, PATH))
  expect([...(await source.look()).listing.prompts.keys()]).toEqual([])
})

test('a process that was killed, and a damaged index, leave nothing behind that matters', async () => {
  const folder = commit({ [PATH]: TEXT })
  const dir = mkdtempSync(join(root, 'own-'))
  await open(folder, dir).look()
  writeFileSync(join(dir, 'index.lock'), '')
  writeFileSync(join(dir, 'index'), 'damaged')
  const source = open(folder, dir)
  await expect(source.look()).rejects.toThrow('git add ended with 128')
  const { listing } = await source.look()
  expect(readAll(source, listing)).toEqual({ 'acme/a/versions/1.0.0.md': TEXT })
})

test('a folder is read although git cannot write it to packs, and what an incomplete pack took is free again', async () => {
  const folder = commit({ [PATH]: TEXT })
  put(join(folder, 'content/acme/b/index.md'), 'B')
  const [dir, programs] = [mkdtempSync(join(root, 'own-')), mkdtempSync(join(root, 'bin-'))]
  // As git does when a file becomes shorter while it is read.
  const refuse = `case "$*" in *packSizeLimit*) echo >"$GIT_OBJECT_DIRECTORY/pack/tmp_pack_1"; exit 128;; esac`
  const path = `${programs}:${process.env.PATH}`
  writeFileSync(join(programs, 'git'), `#!/bin/sh\n${refuse}\nPATH="\${PATH#*:}" exec git "$@"\n`, { mode: 0o755 })
  const given = { contentDir: join(folder, 'content'), dir, environment: { ...process.env, PATH: path } }
  mkdirSync(join(dir, 'objects/pack'), { recursive: true })
  const source = openContentSource(given)
  const { listing } = await source.look()
  const texts = { 'acme/a/versions/1.0.0.md': TEXT, 'acme/b/index.md': 'B' }
  expect(readAll(source, listing)).toEqual(texts)
  expect(readdirSync(join(dir, 'objects/pack'))).toEqual(['tmp_pack_1'])
  const next = open(folder, dir)
  expect(readAll(next, (await next.look()).listing)).toEqual(texts)
  expect(readdirSync(join(dir, 'objects/pack'))).toEqual([])
})

test('a content folder that is missing, a link or no folder is a problem', async () => {
  const folder = commit({ [PATH]: TEXT })
  symlinkSync('content', join(folder, 'link'))
  put(join(folder, 'file'), '')
  for (const [name, message] of [
    ['gone', 'not found: '],
    ['link', 'expected a folder, got a symbolic link. Set CONTENT_DIR'],
    ['file', 'expected a readable folder'],
  ] as const) {
    const source = openContentSource({
      contentDir: join(folder, name),
      dir: mkdtempSync(join(root, 'own-')),
      environment: process.env,
    })
    const { others, prompts } = (await source.look()).listing
    expect(others.problems).toMatchObject([{ file: 'content', message: expect.stringContaining(message) }])
    expect(prompts.size).toBe(0)
  }
})

test('a look at what changed finds what a look at everything finds', { timeout: 600_000 }, async () => {
  const folder = commit({ [PATH]: TEXT, 'content/acme/b/index.md': 'B', 'content/site.yml': 'name: Hub\n' })
  const content = join(folder, 'content')
  const source = open(folder)
  await source.look()
  const paths = [
    'acme/a/index.md',
    'acme/a/versions/1.0.0.md',
    'acme/b/index.md',
    'acme/c/x/y.md',
    'acme/index.md',
    'acme/a/.DS_Store',
  ]
  const edits = fc.sample(
    fc.record({
      path: fc.constantFrom(...paths),
      kind: fc.constantFrom('write', 'remove', 'link', 'commit', 'reset', 'stage'),
      text: fc.nat(50),
    }),
    { numRuns: 10, seed: Number(process.env.SEED ?? 11) },
  )
  for (const [round, { path, kind, text }] of edits.entries()) {
    const isNamed = kind === 'write' || kind === 'remove' || kind === 'link'
    if (isNamed) rmSync(join(content, path), { force: true })
    if (kind === 'write') put(join(content, path), `Text ${text}`)
    else if (kind === 'link') {
      mkdirSync(dirname(join(content, path)), { recursive: true })
      symlinkSync('nowhere', join(content, path))
    } else if (kind === 'stage') git(folder, 'add', '-A')
    else if (kind === 'reset') git(folder, 'reset', '-q', '--hard')
    else if (kind === 'commit') {
      git(folder, 'add', '-A')
      git(folder, 'commit', '-q', '--allow-empty', '-m', 'x')
    }
    const look = await source.look(isNamed ? new Set([path]) : 'all')
    const other = open(folder)
    const whole = await other.look()
    const named = `round ${round}: ${kind} ${path}`
    const sorted = ({ others, prompts }: ContentListing) => [
      others,
      [...prompts].filter(([, part]) => part.files.length > 0).sort(),
    ]
    expect(sorted(look.listing), named).toEqual(sorted(whole.listing))
    expect([look.edited, look.missing, look.commit], named).toEqual([whole.edited, whole.missing, whole.commit])
    expect(readAll(source, look.listing), named).toEqual(readAll(other, whole.listing))
  }
})

test('a check of the files leaves out what this hub writes meanwhile, and nothing else', async () => {
  const folder = commit({ [PATH]: TEXT })
  const source = open(folder)
  await source.look()
  commit({ 'content/acme/b/index.md': '' }, folder)
  const head = (await source.find()).commit
  const places = new Set([PATH.replace('content/', '')])
  expect(await source.findIfClean(places, new Set(['acme/b']))).toBe(head)
  expect(await source.findIfClean(places, new Set())).toBeUndefined()
  put(join(folder, PATH), TEXT.replace('One', 'Two'))
  expect(await source.findIfClean('all', new Set(['acme/b']))).toBeUndefined()
})

test('the next process starts with what the last one has seen, and looks at the files later', async () => {
  const folder = commit({ [PATH]: TEXT, 'content/acme/b/index.md': '' })
  const dir = mkdtempSync(join(root, 'own-'))
  const first = open(folder, dir)
  await first.look()
  const file = join(root, 'seen')
  const history = await readHistory(join(folder, 'content'), process.env, '2026-11-29T00:00:00Z')
  const keeper = openKeeper(file, 'code')
  keeper.note('all')
  vi.useFakeTimers()
  keeper.keepSoon(() => ({ seen: first.seen!, history }))
  vi.runAllTimers()
  vi.useRealTimers()
  expect(openKeeper(file, 'other code').read()).toBeUndefined()
  const kept = openKeeper(file, 'code').read()!
  expect(kept).toEqual({ seen: first.seen, history: { ...history, touched: new Set() } })

  commit({ 'content/acme/c/index.md': '' }, folder)
  put(join(folder, PATH), TEXT.replace('One', 'Two'))
  const next = open(folder, dir, kept.seen)
  const [byCommit, byFiles] = [await next.look('commit'), await next.look(new Set())]
  expect([...(byCommit.changed as Set<string>)]).toEqual(['acme/c'])
  expect([[...byCommit.listing.prompts.keys()].sort(), byCommit.edited.size]).toEqual([
    ['acme/a', 'acme/b', 'acme/c'],
    0,
  ])
  expect(byFiles.changed).toEqual(new Set())
  // What was not looked at since the start is looked at as a whole, whatever is said to have changed.
  const looked = await next.look(new Set(['acme/c/index.md']))
  expect([...looked.edited]).toEqual(['acme/a/versions/1.0.0.md'])
  expect(readAll(next, looked.listing)['acme/a/versions/1.0.0.md']).toContain('Two')

  // Git may have removed what was seen, and the file may be damaged.
  const gone = open(folder, dir, { ...kept.seen, tree: '1'.repeat(40) })
  expect((await gone.look()).changed).toBe('all')
  const bytes = readFileSync(file)
  bytes[bytes.length - 9]! ^= 1
  writeFileSync(file, bytes)
  expect(openKeeper(file, 'code').read()).toBeUndefined()
})
