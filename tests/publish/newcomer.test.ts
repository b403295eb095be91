// Tests the first minutes with a fresh clone: `npm start`, a token and a sign-in link from `npm run token`, and where a
// publish goes. tests/operate/examples.test.ts runs the commands of the README.
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkInstalled } from '../hubs/machines.ts'
import { isServingFiles, plainEnvironment, type Run, startProcess } from '../hubs/processes.ts'
import { makeSource } from '../operate/follow-guide.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const environment = plainEnvironment()

let folder: string
let clone: string
let base: string
let host: Run
let token: string

/** Runs git in the repository to which the hub publishes. */
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: join(clone, '.hub/catalogue'), encoding: 'utf8', env: environment })
const inCheckout = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8', env: environment })
/** The commit of the code before the hub started. */
let codeCommit: string

beforeAll(async () => {
  folder = temporaryFolder('hub-newcomer-')
  clone = join(folder, 'clone')
  execFileSync('git', ['clone', '-q', makeSource(join(folder, 'source')), clone], { env: environment })
  // What `npm ci` makes is linked, because installing requires the network and tests npm rather than the hub.
  linkInstalled(clone)
  codeCommit = inCheckout('rev-parse', 'HEAD')
  ;({ base, run: host } = await startProcess({ command: ['npm', 'start'], cwd: clone }))
})
afterAll(() => host?.end())

test('one command creates a token and prints nothing else besides npm output', () => {
  const printed = execFileSync('npm', ['run', 'token', '--', 'acme'], {
    cwd: clone,
    encoding: 'utf8',
    env: environment,
  })
  const [last = '', ...others] = printed.trimEnd().split('\n').reverse()
  expect(last).toMatch(/^hub_[0-9A-Za-z]{38}$/)
  expect(others.filter((line) => line !== '' && !line.startsWith('> '))).toEqual([])
  token = last
})

test('one command prints a sign-in link, long after the start', async () => {
  const printed = execFileSync('npm', ['run', '--silent', 'token', '--', '--sign-in'], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...environment, PORT: new URL(base).port },
  })
  expect(printed).toMatch(/^http:\/\/localhost:\d+\/auth\/local\?key=[\w-]{43}\n$/)
  expect(printed).not.toContain(/One-time sign-in link: (\S+)/.exec(host.log())?.[1])
  const page = await fetch(printed.trim())
  expect([page.status, (await page.text()).includes('name="handle"')]).toEqual([200, true])
  const hosted = spawnSync(process.execPath, ['scripts/token.ts', '--sign-in'], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...environment, SITE_URL: 'https://prompts.example.org' },
  })
  expect([hosted.status, hosted.stderr]).toEqual([
    1,
    expect.stringContaining('sign in at https://prompts.example.org/settings'),
  ])
})

test('a publish is one commit to the catalogue, with the URL of the hub', async () => {
  const answer = await fetch(`${base}/api/v1/repos/acme/first-prompt/versions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ content: 'Review {{code}}\n', changelog: 'First' }),
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([
    201,
    `${base}/api/v1/repos/acme/first-prompt/versions/1.0.0`,
  ])
  expect(git('log', '-1', '--format=%s', '--name-status')).toBe(
    'Publish acme/first-prompt 1.0.0\n\nA\tcontent/acme/first-prompt/versions/1.0.0.md\n',
  )
  expect(git('status', '--porcelain', '--', 'content')).toBe('')
})

test('the token appears in no log, host file or commit', () => {
  const secret = token.slice(4, 24)
  expect(host.log()).not.toContain(secret)
  expect(git('log', '-p', '--format=%B', '--author=prompt-hub@localhost')).not.toContain(secret)
  const files = readdirSync(join(clone, '.hub'), { withFileTypes: true }).filter(({ name }) =>
    name.startsWith('state.db'),
  )
  expect(files.length).toBeGreaterThan(0)
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name), 'utf8') + name).not.toContain(secret)
})

test('nothing is committed to the checkout of the code, whose content the catalogue began with', () => {
  expect(inCheckout('rev-parse', 'HEAD')).toBe(codeCommit)
  expect(inCheckout('status', '--porcelain', '--ignored')).not.toMatch(/content\//)
  const [first] = git('rev-list', '--max-parents=0', 'HEAD').split('\n')
  expect(git('rev-parse', `${first}:content`)).toBe(inCheckout('rev-parse', 'HEAD:content'))
  expect(git('log', '--format=%an <%ae>').split('\n')).toContain('Prompt Hub <prompt-hub@localhost>')
  expect(host.log()).toContain('Copied content/ to .hub/catalogue/content/, where this hub publishes.')
})

test('SIGTERM to npm also stops the host', async () => {
  host.child.kill('SIGTERM')
  await expect.poll(() => isServingFiles(base).catch(() => false)).toBe(false)
})

test('a second start keeps what was published, and says that content/ has changed since', async () => {
  const before = git('rev-parse', 'HEAD')
  expect(host.log()).not.toContain('has changed')
  writeFileSync(join(clone, 'content/acme/index.md'), '---\nname: Changed\n---\n')
  const again = await startProcess({ command: ['npm', 'start'], cwd: clone })
  try {
    expect(await (await fetch(`${again.base}/api/v1/repos/acme/first-prompt/raw`)).text()).toBe('Review {{code}}\n')
    expect(again.run.log()).not.toContain('Copied')
    expect(again.run.log()).toContain('content/ has changed since it was copied to .hub/catalogue/content/')
    expect(again.run.log()).toContain('run CONTENT_DIR=content npm start')
    expect(git('rev-parse', 'HEAD')).toBe(before)
  } finally {
    await again.run.end()
  }
})
