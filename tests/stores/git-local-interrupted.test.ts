// Tests what happens to an interrupted publish: it is finished, unless someone has changed its files since then. If it
// was never committed, it leaves nothing behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type BadGit, makeBadGit } from '../publish/killing.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { INDEX, type LocalRepository, makeRepository, never, PLACE, publish, VERSIONS } from './local-repository.ts'

let repository: LocalRepository
let badGit: BadGit
let folder: string
let git: LocalRepository['git']
beforeEach(() => {
  repository = makeRepository()
  badGit = makeBadGit()
  ;({ folder, git } = repository)
})

const inFolder = (path: string) => readFileSync(join(folder, path), 'utf8')
const status = () => git('status', '--porcelain', '-uall')

/** What a killed process left behind, by where it was killed: other tests take a copy. */
const leftBehind = new Map<string, string>()

/** Lets a process publish one version to a repository with `a.txt`, and kills the process after a git command. */
async function publishAndDieAfter(command: string, when: 'after' | 'instead' = 'after'): Promise<void> {
  const known = leftBehind.get(`${command} ${when}`)
  if (known === undefined) {
    repository.commit({ 'a.txt': 'a\n' })
    badGit.arm(command, when)
    await publishAndDieIn(badGit.dir)
    const copy = temporaryFolder('hub-killed-')
    cpSync(folder, copy, { recursive: true })
    leftBehind.set(`${command} ${when}`, copy)
  } else {
    rmSync(folder, { recursive: true })
    cpSync(known, folder, { recursive: true })
  }
}

/** Lets a process publish one version, until its git kills it. @param gitDir the folder with its git */
async function publishAndDieIn(gitDir: string): Promise<void> {
  const program = join(import.meta.dirname, 'local-publisher.ts')
  const env = { ...process.env, PATH: `${gitDir}:${process.env.PATH}` }
  const child = spawn(process.execPath, [program, join(folder, 'content')], { env, stdio: 'ignore' })
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
}

/** Kills the process after it has moved the branch. */
async function publishAndDie(): Promise<void> {
  await publishAndDieAfter('update-ref')
  expect(git('ls-tree', '-r', '--name-only', 'HEAD', 'content')).toBe(`${INDEX}\n${VERSIONS}/1.0.0.md\n`)
  expect(existsSync(join(folder, VERSIONS, '1.0.0.md'))).toBe(false)
}

describe('a publish killed after the branch moved', () => {
  test('blocks other commits until the next start writes the version to the work tree', async () => {
    await publishAndDie()
    repository.write({ 'a.txt': 'b\n' })
    expect(() => git('commit', '-q', '-a', '-m', 'Unrelated')).toThrow(/index\.lock/)
    expect(inFolder('.git/index.lock')).toMatch(/^Prompt Hub .* Start the hub again/)
    await repository.openStore().finishPublishes()
    expect(inFolder(`${VERSIONS}/1.0.0.md`)).toBe('killed 1\n')
    expect(status()).toBe(' M a.txt\n')
    git('commit', '-q', '-a', '-m', 'Unrelated')
    expect(git('ls-tree', '-r', '--name-only', 'HEAD', VERSIONS)).toBe(`${VERSIONS}/1.0.0.md\n`)
    expect(readdirSync(join(folder, '.git/prompt-hub'))).toEqual(['turn'])
  })

  test('recovery keeps an edit with the same size and timestamp as the committed file', async () => {
    // This makes the file metadata that git compares identical for the committed file and the edited one, as on a file
    // system with whole-second timestamps.
    git('config', 'core.trustctime', 'false')
    git('config', 'core.checkStat', 'minimal')
    const second = 1_700_000_000
    const touch = (path: string) => utimesSync(join(folder, path), second, second)
    repository.write({ 'a.txt': 'a\n' })
    touch('a.txt')
    git('add', 'a.txt')
    git('commit', '-q', '-m', 'a')
    badGit.arm('update-ref', 'after')
    await publishAndDieIn(badGit.dir)
    repository.write({ 'a.txt': 'b\n' })
    touch('a.txt')
    touch('.git/index')
    await repository.openStore().finishPublishes()
    expect(status()).toBe(' M a.txt\n')
  })

  test('recovers after the user removed index.lock, also when no branch was checked out meanwhile', async () => {
    await publishAndDie()
    rmSync(join(folder, '.git/index.lock'))
    git('switch', '-q', '--detach')
    // The hub finds no branch to publish to.
    await expect(repository.openStore().finishPublishes()).rejects.toThrow('detached')
    git('switch', '-q', 'main')
    await repository.openStore().finishPublishes()
    expect([status(), inFolder(`${VERSIONS}/1.0.0.md`)]).toEqual(['', 'killed 1\n'])
  })

  test('leaves a branch without the version alone; switching back restores the version', async () => {
    await publishAndDie()
    git('branch', 'before', 'HEAD~1')
    rmSync(join(folder, '.git/index.lock'))
    git('switch', '-q', 'before')
    await repository.openStore().finishPublishes()
    expect([status(), existsSync(join(folder, INDEX))]).toEqual(['', false])
    git('switch', '-q', 'main')
    expect([status(), inFolder(`${VERSIONS}/1.0.0.md`), inFolder(INDEX)]).toEqual(['', 'killed 1\n', 'killed 1\n'])
  })

  test('keeps a file that the user changed since, and warns about it', async () => {
    await publishAndDie()
    repository.write({ [INDEX]: 'mine\n' })
    await repository.openStore().finishPublishes()
    expect([inFolder(INDEX), status()]).toEqual(['mine\n', ` M ${INDEX}\n`])
    expect(repository.warnings).toEqual([
      `${INDEX}: published, but your local changes were kept. To restore the published file, run git checkout HEAD -- <path>.`,
    ])
  })

  test('changes nothing if the user has committed other texts of its files since', async () => {
    await publishAndDie()
    rmSync(join(folder, '.git/index.lock'))
    repository.commit({ [INDEX]: 'mine\n', [`${VERSIONS}/1.0.0.md`]: 'mine\n' })
    await repository.openStore().finishPublishes()
    expect([status(), inFolder(INDEX), existsSync(join(folder, '.git/index.lock'))]).toEqual(['', 'mine\n', false])
    expect((await publish(repository.openStore(), { version: { version: '1.0.1', text: 'next' } })).kind).toBe(
      'committed',
    )
  })

  test('waits for a user who staged another text of its file meanwhile', async () => {
    await publishAndDie()
    rmSync(join(folder, '.git/index.lock'))
    repository.write({ [INDEX]: 'mine\n' })
    git('add', INDEX)
    const store = repository.openStore()
    const message = `${INDEX} has uncommitted changes. Commit, move or remove that first. Nothing was published.`
    await expect(store.finishPublishes()).rejects.toMatchObject({ code: 'unavailable', message })
    git('restore', '--staged', INDEX)
    await store.finishPublishes()
    expect([inFolder(INDEX), inFolder(`${VERSIONS}/1.0.0.md`), status()]).toEqual([
      'mine\n',
      'killed 1\n',
      ` M ${INDEX}\n`,
    ])
  })

  test('neither reads nor publishes while another git command holds the index lock', async () => {
    await publishAndDie()
    repository.write({ '.git/index.lock': '' })
    const store = repository.openStore()
    // Each waits for seconds.
    const refused = await Promise.allSettled([
      store.finishPublishes(),
      repository.openStore().readFolder(PLACE, never()),
    ])
    const unavailable = { status: 'rejected', reason: { code: 'unavailable' } }
    expect(refused).toMatchObject([unavailable, unavailable])
    rmSync(join(folder, '.git/index.lock'))
    // The next read finishes it.
    expect([...(await store.readFolder(PLACE, never())).versions.keys()]).toEqual(['1.0.0'])
    expect([status(), inFolder(`${VERSIONS}/1.0.0.md`)]).toEqual(['', 'killed 1\n'])
  })

  test('stops at a damaged record of the publish and says how to continue', async () => {
    await publishAndDie()
    for (const text of ['', '{"branch":"refs/heads/main","commit":"HEAD"}', '{']) {
      repository.write({ '.git/prompt-hub/publishing.json': text })
      await expect(repository.openStore().finishPublishes()).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/publishing\.json cannot be read\. Run git status .* remove the file/),
      })
    }
  })
})

// the last command before the kill
test.each(['fast-import', 'update-index'])('a publish killed after %s leaves nothing behind', async (command) => {
  await publishAndDieAfter(command)
  repository.write({ '.git/fast_import_crash_1': 'a report' })
  await repository.openStore().finishPublishes()
  expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
  expect(readdirSync(join(folder, '.git/prompt-hub'))).toEqual(['turn'])
  expect(readdirSync(join(folder, '.git')).filter((name) => /crash|lock/.test(name))).toEqual([])
  expect([status(), readdirSync(join(folder, 'content'))]).toEqual(['', []])
})

describe('a publish killed before it moved the branch', () => {
  test('is forgotten if another commit came first', async () => {
    await publishAndDieAfter('update-ref', 'instead')
    rmSync(join(folder, '.git/index.lock'))
    const head = repository.commit({ 'b.txt': 'b\n' })
    await repository.openStore().finishPublishes()
    expect([git('rev-parse', 'HEAD').trim(), status()]).toEqual([head, ''])
    expect(readdirSync(join(folder, '.git/prompt-hub'))).toEqual(['turn'])
  })

  test('is completed on its branch when another is checked out', async () => {
    await publishAndDieAfter('update-ref', 'instead')
    rmSync(join(folder, '.git/index.lock'))
    git('switch', '-q', '-c', 'other')
    await repository.openStore().finishPublishes()
    expect([status(), git('ls-tree', '-r', '--name-only', 'HEAD', 'content')]).toEqual(['', ''])
    git('switch', '-q', 'main')
    expect([status(), inFolder(`${VERSIONS}/1.0.0.md`)]).toEqual(['', 'killed 1\n'])
  })

  test('is completed by the next start, after a git process that still locks the branch', async () => {
    await publishAndDieAfter('update-ref', 'instead')
    expect(git('ls-tree', '-r', '--name-only', 'HEAD', 'content')).toBe('')
    // This is the lock file that update-ref holds while it moves the branch.
    repository.write({ '.git/refs/heads/main.lock': '' })
    const finishing = repository.openStore().finishPublishes()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(existsSync(join(folder, VERSIONS, '1.0.0.md'))).toBe(false)
    rmSync(join(folder, '.git/refs/heads/main.lock'))
    await finishing
    expect([status(), inFolder(`${VERSIONS}/1.0.0.md`)]).toEqual(['', 'killed 1\n'])
    expect(readdirSync(join(folder, '.git/prompt-hub'))).toEqual(['turn'])
  })
})

test('a git process that outlives its hub does not touch the index of the next publish', async () => {
  repository.commit({ [INDEX]: 'about\n' })
  const dir = temporaryFolder('hub-git-')
  const real = runSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  // The process that writes the first index waits until the next publish moves the branch.
  const wait = (name: string) => `while [ ! -e '${dir}/${name}' ]; do sleep 0.02; done`
  const script = `#!/bin/sh
case " $* " in
  *' update-index '*)
    if mkdir '${dir}/late' 2> '${dir}/null'; then
      kill -9 $PPID
      ${wait('moving')}
      ${real} "$@" 2> '${dir}/null'
      touch '${dir}/ended'
      exit
    fi ;;
  *' update-ref -m '*)
    touch '${dir}/moving'
    ${wait('ended')} ;;
esac
exec ${real} "$@"
`
  writeFileSync(join(dir, 'git'), script, { mode: 0o755 })
  const environment = { ...process.env, PATH: `${dir}:${process.env.PATH}` }
  await publishAndDieIn(dir)
  const store = repository.openStore({ environment })
  expect((await publish(store, { version: { version: '1.0.1', text: 'next' }, index: 'next\n' })).kind).toBe(
    'committed',
  )
  expect([status(), inFolder(INDEX)]).toEqual(['', 'next\n'])
  expect(git('show', `:${INDEX}`)).toBe('next\n')
})

test('a commit whose files cannot be written is in doubt until the next read writes them', async () => {
  const dir = temporaryFolder('hub-git-')
  const real = runSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  // Somebody removes the folder when the branch has moved.
  const script = `#!/bin/sh
${real} "$@" || exit
case " $* " in *' update-ref '*) rm -r '${join(folder, 'content/acme')}' ;; esac
`
  writeFileSync(join(dir, 'git'), script, { mode: 0o755 })
  const store = repository.openStore({ environment: { ...process.env, PATH: `${dir}:${process.env.PATH}` } })
  expect(await publish(store, { version: { version: '1.0.0', text: 'first' }, index: 'about' })).toEqual({
    kind: 'unknown',
    cause: expect.objectContaining({ code: 'ENOENT' }),
  })
  expect(inFolder('.git/index.lock')).toMatch(/^Prompt Hub /)
  const reader = repository.openStore()
  const { publishes } = await reader.readFolder({ ...PLACE, withPublishes: true }, never())
  expect(publishes.map(({ trailers }) => trailers.get('Operation-Id'))).toEqual(['op-1'])
  expect([status(), inFolder(INDEX), inFolder(`${VERSIONS}/1.0.0.md`)]).toEqual(['', 'about', 'first'])
})

test('a read and a commit start at most six git processes', async () => {
  repository.commit({ [INDEX]: '---\ntitle: Before\n---\n' })
  const environment = { ...process.env, PATH: `${badGit.dir}:${process.env.PATH}` }
  const store = repository.openStore({ environment })
  await store.finishPublishes()
  badGit.arm(1_000, 'before')
  const base = await store.readFolder({ ...PLACE, withPublishes: true }, never())
  const message = { headline: 'Publish acme/code-review 1.0.0', trailers: [] }
  const additions = { ...PLACE, base, message, version: { version: '1.0.0', text: 'x' }, index: 'about' }
  expect((await store.commit(additions, never())).kind).toBe('committed')
  expect(badGit.calls()).toBeGreaterThan(3)
  expect(badGit.calls()).toBeLessThanOrEqual(6)
  expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
})

describe('disk full during the git command', () => {
  // the command that cannot write
  test.each(['fast-import', 'update-index'])('%s', async (command) => {
    const head = repository.commit({ [`${VERSIONS}/1.0.0.md`]: 'first' })
    const environment = { ...process.env, PATH: `${badGit.dir}:${process.env.PATH}` }
    const store = repository.openStore({ environment })
    badGit.arm(command, 'full')
    const other = { ...PLACE, name: 'other' }
    const base = await store.readFolder(other, never())
    const message = { headline: 'Publish acme/other 1.0.0', trailers: [] }
    const additions = { ...other, base, message, version: { version: '1.0.0', text: 'x' }, index: 'about' }
    await expect(store.commit(additions, never())).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 60,
      message:
        "The content's git repository cannot be written: its disk may be full or read-only; see the hub's log. Nothing was published.",
    })
    expect([git('rev-parse', 'HEAD').trim(), status()]).toEqual([head, ''])
    expect(readdirSync(join(folder, 'content/acme'))).toEqual(['code-review'])
    expect(readdirSync(join(folder, '.git/prompt-hub'))).toEqual(['turn'])
    expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
    expect(readdirSync(join(folder, '.git')).filter((name) => /crash/.test(name))).toEqual([])
    badGit.disarm()
    expect((await store.commit(additions, never())).kind).toBe('committed')
    expect(status()).toBe('')
  })
})

test('a folder of the hub that cannot be made is named as a disk that cannot be written, not as missing git', async () => {
  repository.commit({ [`${VERSIONS}/1.0.0.md`]: 'first' })
  // On a read-only file system, Node reports ENOENT for this folder, as it does where a link leads nowhere.
  rmSync(join(folder, '.git/prompt-hub'), { recursive: true, force: true })
  symlinkSync(join(folder, 'nowhere/at/all'), join(folder, '.git/prompt-hub'))
  const store = repository.openStore()
  const other = { ...PLACE, name: 'other' }
  const base = await store.readFolder(other, never())
  const message = { headline: 'Publish acme/other 1.0.0', trailers: [] }
  const version = { version: '1.0.0', text: 'x' }
  await expect(store.commit({ ...other, base, message, version, index: undefined }, never())).rejects.toMatchObject({
    code: 'unavailable',
    message:
      "The content's git repository cannot be written: its disk may be full or read-only; see the hub's log. Nothing was published.",
  })
})
