// Tests how `npm start` handles a restart, a faulty builder or content folder, and an uncaught error. If the builder
// crashes immediately, startup fails with a message; tests/host/builder.test.ts has later crashes. If it receives no
// file change events, it polls for changes. What the content folder has lost is served on.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { type Ask, openClient, poll } from '../e2e/client.ts'
import { freePort, launch, type Run, startProcess } from '../hubs/processes.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const WITHIN = 120_000
/** Seldom, because the hub often waits for seconds. */
const SELDOM = { timeout: WITHIN, interval: 250 }
const root = temporaryFolder('hub-faulty-')
const version = '---\npublished_at: "2026-11-01T00:00:00Z"\npublished_by: acme\n---\nText\n'
/** A unique owner, because the hubs of several tests keep their tokens in one folder. */
const owner = `faulty-${process.pid}`
let run: Run | undefined
let base = ''
afterEach(async () => run?.end())

const SHORT_PAUSES = `--import=${pathToFileURL('tests/hubs/short-pauses.ts')}`

/** Writes a fault as a module that every process of the hub loads first. @returns settings that load the module */
function withFault(name: string, code: string): Record<string, string> {
  const path = join(root, `${name}.mjs`)
  writeFileSync(path, code)
  return {
    NODE_OPTIONS: `${SHORT_PAUSES} --import=${pathToFileURL(path)}`,
    // The URL is unique, because hubs with the same content and URL share the last complete build.
    SITE_URL: `http://${name}.localhost`,
    RATE_LIMIT_PER_MINUTE: '0',
  }
}
const start = async (
  settings: Record<string, string>,
  command: [string, ...string[]] = ['node', 'scripts/start.ts'],
) => {
  const started = await startProcess({ command, settings })
  run = started.run
  base = started.base
  return openClient(base)
}
const isListed = async (ask: Ask, name: string) =>
  (await ask(`/api/v1/users/${owner}`)).text.includes(`"${owner}/${name}"`)
/** Returns the name of the folder with the builds of a hub. */
const placeOf = (contentDir: string, baseUrl: string) =>
  hash('sha256', JSON.stringify({ contentDir, baseUrl })).slice(0, 16)
/** Whether a module is loaded by the builder, a thread of the hub. */
const IS_BUILDER = 'workerData?.contentDir !== undefined'
const THREAD = `import { parentPort, workerData } from 'node:worker_threads'`

test('when the builder crashes at once, the start fails with an error message and no stack trace', {
  timeout: 5 * WITHIN,
}, async () => {
  const repository = makeRepository('ready')
  repository.commit({ [`content/${owner}/one/versions/1.0.0.md`]: version })
  const settings = withFault(
    'dead',
    // This makes loading the functions take longer than the builder takes to crash.
    `import { registerHooks } from 'node:module'
    ${THREAD}
    if (${IS_BUILDER}) process.exit(7)
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context)
        if (!url.endsWith('read.mts')) return loaded
        return { ...loaded, source: 'await new Promise((resolve) => setTimeout(resolve, 2_000));' + loaded.source }
      },
    })`,
  )
  const CONTENT_DIR = join(repository.folder, 'content')
  run = launch('node', ['scripts/start.ts'], { ...settings, CONTENT_DIR, PORT: String(await freePort()) })
  const { code, signal } = await run.closed
  expect([code, signal]).toEqual([1, null])
  expect(run.log()).toContain('The builder ended: exit code 7')
  // The process ends, so nothing is tried again.
  expect(run.log()).not.toMatch(/\n\s+at |Unhandled|triggerUncaughtException|Restarting/)
})

test('a restart builds nothing, and what the checked-out commit has is served, whatever the folder has lost, whether or not events arrive', {
  timeout: 8 * WITHIN,
}, async () => {
  const others = makeRepository('ready')
  const content = join(others.folder, 'content')
  const removed = (...numbers: string[]) =>
    `---\nremoved: {${numbers.map((number) => `"${number}": Wrong`).join(', ')}}\n---\n`
  const away = (folder: string) => renameSync(folder, `${folder}-away`)
  const back = (folder: string) => renameSync(`${folder}-away`, folder)
  others.commit({
    [`content/${owner}/kept/versions/1.0.0.md`]: version,
    [`content/${owner}/kept/versions/1.0.1.md`]: version,
    [`content/${owner}/kept/index.md`]: '---\nyanked: {"1.0.1": "Wrong"}\n---\n',
    'content/second/one/versions/1.0.0.md': version,
    'content/site.yml': 'name: Lost and Found\n',
  })
  const settings = { CONTENT_DIR: content, RATE_LIMIT_PER_MINUTE: '0', NODE_OPTIONS: SHORT_PAUSES }
  let ask = await start({ ...settings, SITE_URL: 'http://emptied.localhost' })
  const health = async () => (await ask('/healthz')).json()
  const commit = () => others.git('rev-parse', 'HEAD').trim()
  const becomes = (expected: object) => expect.poll(health, SELDOM).toMatchObject(expected)
  const counts = { repositories: 2, versions: 3, owners: 2 }
  const wayOut = 'Mount or restore what is missing (git restore), or commit its removal'
  const ofFirst = `content/${owner}: expected the files of the checked-out commit, but 3 are missing, such as content/${owner}/kept/index.md. ${wayOut}`
  const ofSecond = `content/second: expected content/second/one/versions/1.0.0.md, which is in the checked-out commit. ${wayOut}`
  const ofSite = `content/site.yml: expected content/site.yml, which is in the checked-out commit. ${wayOut}`
  const expectServed = async () => {
    expect((await ask('/')).text).toContain('<title>Lost and Found')
    const kept = (await ask(`/api/v1/repos/${owner}/kept`)).json()
    expect(kept.data).toMatchObject({ latest_version: '1.0.0', versions: ['1.0.0'], content: 'Text\n' })
    expect((await ask('/api/v1/repos/second/one/raw')).text).toBe('Text\n')
  }
  await becomes({ status: 'ok', counts })
  // What was listed is kept in a pause.
  const data = resolve('.hub/data', placeOf(content, 'http://emptied.localhost'))
  await expect.poll(() => existsSync(join(data, 'seen')), { timeout: WITHIN }).toBe(true)
  const { built_at } = await health()
  await run!.end()
  ask = await start({ ...settings, SITE_URL: 'http://emptied.localhost' })
  await becomes({ status: 'ok', unbuilt: null })
  // The files are looked at by then.
  await sleep(1_500)
  expect((await health()).built_at).toBe(built_at)
  expect(run!.log()).not.toContain('"build_served"')
  away(content)
  await becomes({ status: 'degraded', counts, failure: expect.stringContaining(`content: not found: ${content}`) })
  await expectServed()
  mkdirSync(content)
  await becomes({ status: 'degraded', counts, failure: null, broken: [ofFirst, ofSecond, ofSite] })
  await expectServed()
  // As after an upgrade, no build can be served until the content has been read.
  await run!.end()
  const flag = join(root, 'silent')
  ask = await start(
    {
      ...settings,
      ...withFault(
        'silenced',
        `import fs from 'node:fs'
        import { syncBuiltinESMExports } from 'node:module'
        const watch = fs.watch
        fs.watch = (...given) => {
          const watcher = watch(...given)
          const emit = watcher.emit.bind(watcher)
          watcher.emit = (name, ...values) =>
            name === 'change' && fs.existsSync(${JSON.stringify(flag)}) ? true : emit(name, ...values)
          return watcher
        }
        syncBuiltinESMExports()
        process.on('SIGUSR2', () => { throw new Error('thrown when told') })`,
      ),
      // A hub in local mode would never wait.
      SITE_URL: 'https://silenced.example',
      DRAIN_SECONDS: '300',
    },
    ['sh', '-c', 'ulimit -n 300 && exec node scripts/start.ts'],
  )
  await becomes({ status: 'degraded', counts, failure: null, broken: [ofFirst, ofSecond, ofSite] })
  await expectServed()
  rmSync(content, { recursive: true })
  back(content)
  await becomes({ status: 'ok', counts, broken: [] })
  // The folder of one owner, and one file, whose absence would make a yanked version the latest one.
  rmSync(join(content, 'second'), { recursive: true })
  rmSync(join(content, owner, 'kept/index.md'))
  const ofIndex = `content/${owner}: expected content/${owner}/kept/index.md, which is in the checked-out commit. ${wayOut}`
  await becomes({ status: 'degraded', counts, failure: null, broken: [ofIndex, ofSecond] })
  await expectServed()
  others.git('restore', `content/${owner}`)
  await becomes({ status: 'degraded', counts, failure: null, broken: [ofSecond] })
  others.write({ 'content/second/one/index.md': removed('1.0.0') })
  others.git('add', '--all', 'content/second')
  others.git('commit', '-qm', 'Remove an owner')
  const fewer = { repositories: 1, versions: 2, owners: 1 }
  await becomes({ status: 'ok', commit: commit(), counts: fewer, broken: [] })
  // A sparse checkout omits files on purpose, and the commit has them.
  others.git('sparse-checkout', 'set', '--no-cone', '/*', '!1.0.0.md')
  others.git('commit', '-q', '--allow-empty', '-m', 'Nothing')
  await becomes({ status: 'ok', commit: commit(), counts: fewer, broken: [] })
  others.git('sparse-checkout', 'disable')
  others.git('rm', '-rq', 'content')
  others.write({
    [`content/${owner}/kept/index.md`]: removed('1.0.0', '1.0.1'),
    'content/second/one/index.md': removed('1.0.0'),
  })
  others.git('add', '--all', 'content')
  others.git('commit', '-qm', 'Remove everything')
  await becomes({ status: 'ok', counts: { repositories: 0, versions: 0, owners: 0 } })
  // From here on no event arrives, there are fewer open files than connections, and an error is thrown.
  writeFileSync(flag, '')
  process.kill(run!.child.pid!, 'SIGUSR2')
  await expect.poll(run!.log).toContain('"cause":"thrown when told"')
  const token = execFileSync(process.execPath, ['scripts/token.ts', owner], { encoding: 'utf8' }).trim()
  const { hostname, port } = new URL(base)
  const idle = Array.from({ length: 400 }, () => connect(Number(port), hostname).on('error', () => {}))
  const settle = (socket: Socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  await Promise.all(idle.map(settle))
  for (const name of ['two', 'four']) {
    // The hub closes idle connections when it has too many. While it still accepts the others, that may be one whose request has not arrived.
    const published = await poll('the connection stays', WITHIN, () =>
      fetch(`${base}/api/v1/repos/${owner}/${name}/versions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' },
        body: JSON.stringify({ content: 'Text\n' }),
      }).catch(() => undefined),
    )
    expect(published.status).toBe(201)
    await expect.poll(() => isListed(ask, name), { timeout: WITHIN }).toBe(true)
  }
  for (const socket of idle) socket.destroy()
  run!.child.kill('SIGINT')
  expect(await run!.closed, 'Ctrl-C ends it without waiting').toEqual({ code: 0, signal: null })
})

test('without git, serves no empty folder where a build had prompts, also after an upgrade, and polls if the system cannot watch files', {
  timeout: 5 * WITHIN,
}, async () => {
  const content = join(root, 'plain')
  const settings = {
    CONTENT_DIR: content,
    SITE_URL: 'http://plain.localhost',
    RATE_LIMIT_PER_MINUTE: '0',
    NODE_OPTIONS: SHORT_PAUSES,
  }
  const path = join(content, owner, 'kept/versions/1.0.0.md')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, version)
  const ask = await start(settings)
  const becomes = (expected: object) =>
    expect.poll(async () => (await ask('/healthz')).json(), SELDOM).toMatchObject(expected)
  const publishing =
    'The content folder is not in a git repository. Run git init, create a first commit, and try again.'
  await becomes({ status: 'ok', counts: { repositories: 1 }, publishing })
  const folder = resolve('.hub/data', placeOf(content, settings.SITE_URL))
  const failure = `content: expected files, got an empty folder: ${content}. Mount or restore it. If every prompt was removed on purpose, stop the hub, remove ${folder}, which has the last build, and start the hub again`
  rmSync(join(content, owner), { recursive: true })
  await becomes({ status: 'degraded', counts: { repositories: 1 }, failure: expect.stringContaining(failure) })
  expect(await isListed(ask, 'kept')).toBe(true)
  await run!.end()
  const database = new DatabaseSync(join(folder, 'site.db'))
  database.exec("UPDATE notes SET value = 'older' WHERE name = 'code'")
  database.close()
  run = launch('node', ['scripts/start.ts'], { ...settings, PORT: String(await freePort()) })
  expect((await run.closed).code).toBe(1)
  expect(run.log()).toContain(failure)
  // The way out of the message. From here on, the system reports no changes.
  rmSync(folder, { recursive: true })
  const emptied = await start({
    ...settings,
    ...withFault(
      'unwatched',
      `import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      fs.watch = () => {
        throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' })
      }
      syncBuiltinESMExports()`,
    ),
    SITE_URL: settings.SITE_URL,
  })
  const health = async () => (await emptied('/healthz')).json()
  expect(await health()).toMatchObject({ status: 'ok', counts: { repositories: 0 } })
  expect(await poll('health says so', WITHIN, async () => (await health()).polling ?? undefined)).toBe(
    `Checking ${content} for changes every 10 s, because the system does not report them: its limit on watched folders has been reached. Raise fs.inotify.max_user_watches with sysctl.`,
  )
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, version)
  await expect.poll(() => isListed(emptied, 'kept'), SELDOM).toBe(true)
  expect(run!.log().match(/for changes every|cannot be followed|ENOSPC/g)).toEqual(['for changes every'])
})
