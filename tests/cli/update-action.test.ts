// Tests the update action: runs its script in a real clone, with a hub that serves static files and a fake pull request
// API.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { listen } from '../listen.ts'
import { runScript } from '../loaded.ts'
import { runSync } from '../run-sync.ts'
import { type PlainFiles, type Prompt, startPlainFiles } from './plain-files.ts'
import { makeFolder, runHubcli, SHELL } from './shells.ts'

const SCRIPT = path.resolve('.github/actions/update/update.ts')
interface Asked {
  method: string
  url: string
  token: string | undefined
  body: { title?: string; body?: string; head?: string; base?: string }
}
let hub: PlainFiles
let github: Server
let githubUrl: string
let asked: Asked[]
let open: { number: number; html_url: string }[]
let origin: string
let clone: string

const makePrompts = (): Record<string, Prompt> => ({ 'acme/review': { versions: { '1.0.0': 'one\n' } } })
const git = (...args: string[]) =>
  runSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: clone, encoding: 'utf8' })

/** A project with a space in its name, and the version 1.0.0 locked. */
let project: string
beforeAll(async () => {
  hub = await startPlainFiles('hub', makePrompts())
  github = createServer(async (request, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}
    asked.push({ method: request.method ?? '', url: request.url ?? '', token: request.headers.authorization, body })
    if (request.method === 'POST') open.push({ number: 7, html_url: 'https://github.example/pull/7' })
    answer.writeHead(200, { 'Content-Type': 'application/json' })
    answer.end(JSON.stringify(request.method === 'GET' ? open : open[0]))
  })
  githubUrl = await listen(github)
  project = path.join(makeFolder(), 'a b')
  mkdirSync(project)
  const options = { cwd: project, env: { HUB_URL: hub.url } }
  expect(await runHubcli(SHELL, ['add', 'acme/review@^1'], options)).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await hub.close()
  github.close()
})
beforeEach(() => {
  hub.prompts = makePrompts()
  ;[asked, open] = [[], []]
  ;[origin, clone] = [makeFolder(), makeFolder()]
  runSync('git', ['init', '-q', '--bare', '-b', 'main', origin])
  runSync('git', ['clone', '-q', origin, clone])
  git('checkout', '-q', '-b', 'main')
  cpSync(project, path.join(clone, 'a b'), { recursive: true })
  git('add', '-A')
  git('commit', '-qm', 'First')
  git('push', '-q', 'origin', 'main')
})
const run = (over: Record<string, string> = {}) =>
  runScript(SCRIPT, [], {
    cwd: clone,
    env: {
      PATH: process.env.PATH,
      HOME: clone,
      INPUT_DIRECTORY: 'a b',
      INPUT_HUB: '',
      INPUT_BRANCH: 'prompt-hub/update',
      INPUT_TOKEN: 'secret',
      'INPUT_MIN-AGE': '0d',
      GITHUB_API_URL: githubUrl,
      GITHUB_REPOSITORY: 'octo/app',
      GITHUB_REF_NAME: 'main',
      ...over,
    },
  })
const restart = () => git('checkout', '-q', '-f', 'main')
const branch = () => runSync('git', ['rev-parse', 'prompt-hub/update'], { cwd: origin, encoding: 'utf8' })

describe('update action', () => {
  test('waits until a version has been out for the given time, which is a day by default', async () => {
    const action = parse(readFileSync('.github/actions/update/action.yml', 'utf8'))
    expect(action.inputs['min-age'].default).toBe('1d')
    const hours = (ago: number) => `${new Date(Date.now() - ago * 3_600_000).toISOString().slice(0, 19)}Z`
    const review = hub.prompts['acme/review']!
    review.versions = { ...review.versions, '1.1.0': 'two\n', '1.2.0': 'three\n' }
    review.available = { '1.1.0': hours(25), '1.2.0': hours(23) }
    const done = await run({ 'INPUT_MIN-AGE': '1d' })
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('acme/review 1.0.0 -> 1.1.0 ') })
    expect(asked[1]!.body.body).toContain('### `acme/review` 1.0.0 to 1.1.0\n')
    restart()
    asked = []
    // It opens no pull request when every prompt is up to date.
    review.available = { '1.1.0': hours(23), '1.2.0': hours(1) }
    expect(await run({ 'INPUT_MIN-AGE': '1d' })).toMatchObject({
      code: 0,
      stdout: 'Every prompt is at the newest version in its range that has been out for 1d.\n',
    })
    expect(asked).toEqual([])
  })

  test('opens one pull request, and updates it', async () => {
    hub.prompts['acme/review']!.versions['1.1.0'] = 'one\ntwo ``` @octocat\n'
    const first = await run()
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain(
      'acme/review 1.0.0 -> 1.1.0 prompts/acme/review.md\nProposed in https://github.example/pull/7',
    )
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /repos/octo/app/pulls?state=open&head=octo%3Aprompt-hub%2Fupdate&base=main',
      'POST /repos/octo/app/pulls',
    ])
    expect(asked.map(({ token }) => token)).toEqual(['Bearer secret', 'Bearer secret'])
    const { title, head, base, body = '' } = asked[1]!.body
    expect({ title, head, base }).toEqual({ title: 'Update prompts', head: 'prompt-hub/update', base: 'main' })
    expect(body).toContain('### `acme/review` 1.0.0 to 1.1.0\n\n``````\n1.1.0: Change of 1.1.0\n``````\n')
    expect(body).toContain('``````diff\n')
    expect(body).toContain('\n+two ``` @octocat\n')
    expect(body).toContain('\n+      "version": "1.1.0",\n')
    const files = runSync('git', ['diff', '--name-only', 'main', 'prompt-hub/update'], {
      cwd: origin,
      encoding: 'utf8',
    })
    expect(files).toBe('a b/prompts.lock\na b/prompts/acme/review.md\n')

    restart()
    const before = branch()
    expect(await run()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The branch already contains this update.'),
    })
    expect(branch()).toBe(before)
    expect(asked.slice(2).map(({ method, url }) => `${method} ${url}`.split('?')[0])).toEqual([
      'GET /repos/octo/app/pulls',
      'PATCH /repos/octo/app/pulls/7',
    ])

    restart()
    hub.prompts['acme/review']!.versions['1.2.0'] = 'three\n'
    expect(await run()).toMatchObject({ code: 0 })
    expect(branch()).not.toBe(before)
    expect(asked.at(-1)).toMatchObject({ method: 'PATCH', body: { body: expect.stringContaining('1.0.0 to 1.2.0') } })
  })

  test('text from hubs and changelogs cannot run workflow commands or close a code fence', async () => {
    hub.prompts['acme/review']!.versions['1.1.0'] = '`'.repeat(30)
    hub.prompts['acme/review']!.yanked = { '1.0.0': 'x\n::set-output name=a::b `@octocat`' }
    const { stdout, stderr } = await run()
    expect((stdout + stderr).split('\n').filter((line) => /^\s*(::|##\[)/.test(line))).toEqual([])
    const { body = '' } = asked.at(-1)!.body
    expect(body).toContain(`\n${'`'.repeat(33)}diff\n`)
    expect(body).toContain("Note: `acme/review 1.0.0 was yanked: x ::set-output name=a::b '@octocat'`")
  })

  test('proposes the others if one prompt must stay, and says why', async () => {
    hub.prompts['acme/other'] = { versions: { '1.0.0': 'other\n' } }
    const options = { cwd: path.join(clone, 'a b'), env: { HUB_URL: hub.url } }
    expect(await runHubcli(SHELL, ['add', 'acme/other'], options)).toMatchObject({ code: 0 })
    writeFileSync(path.join(clone, 'a b/prompts/acme/other.md'), 'mine')
    git('add', '-A')
    git('commit', '-qm', 'Second')
    for (const { versions } of Object.values(hub.prompts)) versions['1.1.0'] = 'two\n'
    const { code, stdout, stderr } = await run()
    expect(code).toBe(1)
    expect(stdout).toContain('acme/review 1.0.0 -> 1.1.0')
    const stays =
      'prompts/acme/other.md was changed by hand, or is another file; acme/other stays at 1.0.0. Move it away'
    expect(stderr).toContain(`::error::${stays}`)
    const { body = '' } = asked.at(-1)!.body
    expect(body).toContain(`Note: \`${stays}`)
    expect(body).toContain('### `acme/review` 1.0.0 to 1.1.0')
  })

  test.each([
    [
      'a file edited by hand',
      () => writeFileSync(path.join(clone, 'a b/prompts/acme/review.md'), 'mine'),
      {},
      'was changed by hand',
    ],
    ['no lock file', () => rmSync(path.join(clone, 'a b/prompts.lock')), {}, 'No lock at prompts.lock'],
    ['the branch to merge into', () => {}, { INPUT_BRANCH: 'main' }, 'choose another'],
    ['a branch name that looks like an option', () => {}, { INPUT_BRANCH: '--mirror' }, 'expected a valid branch name'],
    ['unreachable GitHub', () => {}, { GITHUB_API_URL: 'http://127.0.0.1:1' }, 'pull-requests: write'],
  ])('%s: reports an error and opens no pull request', async (_, make, over, told) => {
    hub.prompts['acme/review']!.versions['1.1.0'] = 'two\n'
    make()
    const outcome = await run(over)
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toMatch(/^::error::[^\n]*\n$/)
    expect(outcome.stderr).toContain(told)
    expect(asked).toEqual([])
  })
})

test('the action is JavaScript, which the runner gives each input as a variable of the environment', () => {
  const action = parse(readFileSync('.github/actions/update/action.yml', 'utf8'))
  expect(Object.keys(action.inputs)).toEqual([
    ...['owner', 'mode', 'by'],
    ...['directory', 'hub', 'min-age', 'branch', 'token'],
  ])
  expect(action.runs).toEqual({ using: 'node24', main: 'update.ts' })
})
