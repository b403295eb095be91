// Tests the hub's clone of the GitHub repository: it follows the branch, survives kills and damage, never waits without
// a timeout, and keeps the credential out of files and arguments.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { openContentClone } from '../../src/content/content-clone.ts'
import { createTokenSource } from '../../src/github/github-connection.ts'
import { FAULTS } from '../github/faults.ts'
import { type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'

let place: StandInRepository
let top: string
const standIn = await startGitHubStandIn()
afterAll(() => standIn.close())
beforeEach(async () => {
  place = await standIn.createRepository()
  await standIn.commitOutside(place, { 'content/acme/review/versions/1.0.0.md': 'one\n' })
  top = temporaryFolder('hub-clone-')
})
afterEach(() => standIn.forget())

const folder = () => join(top, 'clone')
type ContentClone = Awaited<ReturnType<typeof openContentClone>>
const open = (over: Partial<Parameters<typeof openContentClone>[0]> = {}): Promise<ContentClone> =>
  openContentClone({
    folder: folder(),
    url: `${standIn.url}/${place.repository}.git`,
    branch: place.branch,
    getToken: () => Promise.resolve(place.token),
    environment: process.env,
    ...over,
  })
/** Asks git about the commit that a clone serves. */
const git = (clone: ContentClone, ...args: string[]) =>
  runSync('git', args, { cwd: clone.contentDir, encoding: 'utf8' })
const read = (clone: ContentClone, path: string) => git(clone, 'cat-file', 'blob', `HEAD:./${path}`)

test('a URL that looks like an option starts no program', async () => {
  const started = join(top, 'started')
  const url = `--upload-pack=touch ${started};`
  const token = { getToken: () => Promise.resolve(''), environment: process.env }
  const opened = openContentClone({ folder: folder(), url, branch: 'main', ...token })
  await expect(opened).rejects.toThrow('could not be fetched')
  expect(existsSync(started)).toBe(false)
})

test('follows additions, edits, deletions and a rewritten history on the branch', async () => {
  const clone = await open()
  expect(await clone.fetch()).toBe(false)
  expect(read(clone, 'acme/review/versions/1.0.0.md')).toBe('one\n')
  // Nothing is checked out.
  expect(readdirSync(clone.contentDir)).toEqual([])

  // Its bytes are those of the commit, whatever git would check out.
  await standIn.commitOutside(place, {
    'content/acme/review/versions/1.0.1.md': 'a\nb $Id$\n',
    '.gitattributes': '* text=auto eol=crlf\n*.md filter=evil ident\n',
  })
  expect(await clone.fetch()).toBe(true)
  expect(read(clone, 'acme/review/versions/1.0.1.md')).toBe('a\nb $Id$\n')

  await standIn.rewriteOutside(place, { 'content/acme/review/versions/1.0.1.md': null })
  standIn.forget()
  expect(await clone.fetch(true)).toBe(true)
  // The three requests of one git command: it did not ask first whether the branch has moved.
  expect(standIn.counts().rest).toBe(3)
  expect(await clone.fetch(true)).toBe(false)
  expect(git(clone, 'ls-tree', '-r', '--name-only', 'HEAD')).toBe('acme/review/versions/1.0.0.md\n')
  expect(clone.state()).toMatchObject({ fetchedAt: expect.any(Date), failure: undefined })
})

test('refuses a content folder that is a symbolic link, and follows the branch again afterwards', async () => {
  const version = 'content/acme/review/versions/1.0.0.md'
  const clone = await open()
  await clone.fetch()
  await standIn.commitOutside(place, { [version]: null, 'README.md': 'x' })
  await standIn.commitOutside(place, { content: { target: '/etc' } })
  await expect(clone.fetch()).rejects.toThrow('expected content to be a folder')
  expect(clone.state().failure).toContain('expected content to be a folder')
  expect(read(clone, 'acme/review/versions/1.0.0.md')).toBe('one\n')
  await expect(open({ folder: join(top, 'other') })).rejects.toThrow('expected content to be a folder')
  await standIn.commitOutside(place, { content: null })
  await standIn.commitOutside(place, { [version]: 'two\n' })
  expect(await clone.fetch()).toBe(true)
  expect(read(clone, 'acme/review/versions/1.0.0.md')).toBe('two\n')
})

test('uses an existing clone while GitHub is unreachable, whatever a killed process left behind', async () => {
  await open()
  writeFileSync(join(folder(), '.git/refs/hub/content.lock'), '')
  mkdirSync(`${folder()}.new`)
  standIn.script({ on: 'any', times: Infinity, fault: FAULTS.cut(false) })
  const clone = await open()
  await expect(clone.fetch()).rejects.toThrow(/could not be fetched/)
  expect(clone.state()).toEqual({ fetchedAt: undefined, failure: expect.stringContaining(place.repository) })
  expect(read(clone, 'acme/review/versions/1.0.0.md')).toBe('one\n')
  expect(existsSync(`${folder()}.new`)).toBe(false)
  expect(existsSync(join(folder(), '.git/refs/hub/content.lock'))).toBe(false)
})

test('clones again at startup what is damaged or another clone', async () => {
  await open()
  for (const damage of [
    () => rmSync(join(folder(), '.git/HEAD')),
    () => runSync('git', ['-C', folder(), 'symbolic-ref', 'HEAD', 'refs/heads/main']),
    () => rmSync(join(folder(), '.git/objects'), { recursive: true }),
    () => runSync('git', ['-C', folder(), 'config', 'hub.source', 'another main']),
  ]) {
    damage()
    const clone = await open()
    expect(read(clone, 'acme/review/versions/1.0.0.md')).toBe('one\n')
  }
})

test('replaces a clone that breaks while in use', async () => {
  const clone = await open()
  await clone.fetch()
  rmSync(join(folder(), '.git/objects'), { recursive: true })
  await standIn.commitOutside(place, { 'content/acme/review/versions/1.0.1.md': 'two\n' })
  const isRead = () => Promise.reject(new Error('It is being read.'))
  await expect(clone.fetch(true, isRead)).rejects.toThrow('It is being read.')
  expect(await clone.fetch(true)).toBe(true)
  expect(read(clone, 'acme/review/versions/1.0.1.md')).toBe('two\n')
  expect(await clone.fetch()).toBe(false)
  expect(readdirSync(top)).toEqual(['clone'])
})

test('a timeout, a missing branch and a wrong token fail and leave the clone unchanged', async () => {
  const clone = await open()
  await clone.fetch()
  const held = Promise.withResolvers<void>()
  standIn.script({ on: 'rest', fault: FAULTS.hold(held.promise) })
  // A clone that exists is opened without a call; on a busy machine, a call that is answered takes longer than this.
  const impatient = await open({ lookTimeoutMs: 1_000 })
  await expect(impatient.fetch()).rejects.toThrow('no response within 1 s')
  held.resolve()
  await expect(open({ folder: join(top, 'other'), branch: 'gone' })).rejects.toThrow(/gone/)
  await expect(open({ folder: join(top, 'other'), getToken: async () => 'ghp_wrong' })).rejects.toThrow(/not found/)
  expect(await clone.fetch()).toBe(false)
  expect(read(clone, 'acme/review/versions/1.0.0.md')).toBe('one\n')
})

test('never puts the credential in a file or a git argument', async () => {
  // The wrapper records its arguments and then runs git.
  const bin = join(top, 'bin')
  mkdirSync(bin)
  const git = runSync('which', ['git'], { encoding: 'utf8' }).trim()
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nprintf '%s\\n' "$@" >> ${join(top, 'arguments')}\nexec ${git} "$@"\n`, {
    mode: 0o755,
  })
  const clone = await open({ environment: { ...process.env, PATH: `${bin}:${process.env.PATH}` } })
  await clone.fetch()
  const secrets = [place.token, Buffer.from(`x-access-token:${place.token}`).toString('base64')]
  expect(readFileSync(join(top, 'arguments'), 'utf8')).toContain('ls-remote')
  for (const secret of secrets) {
    expect(readFileSync(join(top, 'arguments'), 'utf8')).not.toContain(secret)
    for (const path of readdirSync(top, { recursive: true, encoding: 'utf8', withFileTypes: true }))
      if (path.isFile()) expect(readFileSync(join(path.parentPath, path.name)).includes(secret), path.name).toBe(false)
  }
})

test('fetches with the installation token of a GitHub App', async () => {
  const { appId, privateKey } = standIn.app
  const getToken = createTokenSource({
    repository: place.repository,
    credential: { kind: 'app', appId, privateKey },
    apiUrl: standIn.url,
  })
  const clone = await open({ getToken })
  expect(read(clone, 'acme/review/versions/1.0.0.md')).toBe('one\n')
})
