// Tests the first minutes with a fresh clone: `npm start`, a token from `npm run token`, a publish with curl, and an
// immediate read of the published prompt.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFolder, runHubcli, SHELLS, WITH_PYTHON } from '../cli/shells.ts'
import { CLIENTS, runClient } from '../clients/three-clients.ts'
import { poll } from '../e2e/client.ts'
import { linkInstalled } from '../hubs/machines.ts'
import { isServingFiles, plainEnvironment, type Run, startProcess } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

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
  cloneWorkingTree()
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
  const hosted = spawnSync('npm', ['run', '--silent', 'token', '--', '--sign-in'], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...environment, SITE_URL: 'https://prompts.example.org' },
  })
  expect([hosted.status, hosted.stderr]).toEqual([
    1,
    expect.stringContaining('sign in at https://prompts.example.org/settings'),
  ])
})

test('curl publishes, and the same bytes can be read at once', async () => {
  const content = '---\ntitle: not front matter\r\n---\n\uFEFFReview {{code}} — "now" \\ \u0001 🦄\r\nno final newline'
  const published = await publish('acme/first-prompt', { content, changelog: 'First', tags: ['review'] })
  expect(published.status).toBe(201)
  expect(published.headers).toMatch(
    new RegExp(`^location: ${base}/api/v1/repos/acme/first-prompt/versions/1\\.0\\.0\r$`, 'im'),
  )
  expect(published.data).toMatchObject({ version: '1.0.0', published_by: 'acme', unchanged: false, content })

  const { stdout } = await run('curl', ['-sSf', `${base}/api/v1/repos/acme/first-prompt/raw`], { encoding: 'buffer' })
  expect(stdout.equals(Buffer.from(content))).toBe(true)
  for (const rest of ['', '/versions', '/versions/1.0.0', '/raw?version=1.0.0'])
    expect((await fetch(`${base}/api/v1/repos/acme/first-prompt${rest}`)).headers.get('ETag')).toMatch(/^"/)

  expect(git('log', '-1', '--format=%s', '--name-status')).toBe(
    'Publish acme/first-prompt 1.0.0\n\nA\tcontent/acme/first-prompt/index.md\nA\tcontent/acme/first-prompt/versions/1.0.0.md\n',
  )
  expect(git('status', '--porcelain', '--', 'content')).toBe('')
})

test('the next version is one commit that adds one file', async () => {
  const before = git('rev-parse', 'HEAD').trim()
  const published = await publish('acme/first-prompt', { content: 'Shorter {{code}}\n', bump: 'minor' })
  expect([published.status, published.data.version]).toEqual([201, '1.1.0'])
  expect(git('log', '--format=%P %s', '--name-status', `${before}..HEAD`)).toBe(
    `${before} Publish acme/first-prompt 1.1.0\n\nA\tcontent/acme/first-prompt/versions/1.1.0.md\n`,
  )
  expect((await publish('acme/first-prompt', { content: 'Shorter {{code}}\n' })).data).toMatchObject({
    version: '1.1.0',
    unchanged: true,
    commit: null,
  })
})

test('the next build does not run content that looks like JavaScript, and includes every prompt', async () => {
  const canary = join(folder, 'executed')
  const content = `---js\nrequire('node:fs').writeFileSync(${JSON.stringify(canary)}, 'x')\n---\nBody\n`
  expect((await publish('acme/looks-like-code', { content, title: content.slice(0, 5) })).status).toBe(201)
  await poll(`the build has it\n${host.log()}`, 90_000, async () => {
    const built = await fetch(`${base}/data/v1/repos/acme/looks-like-code/raw.txt`)
    return (built.status === 200 && (await built.text()) === content) || undefined
  })
  expect(existsSync(canary)).toBe(false)
  expect((await fetch(`${base}/acme/looks-like-code`)).status).toBe(200)
  const list = await (await fetch(`${base}/data/v1/index.json`)).text()
  expect(list).toContain('acme/first-prompt')
  expect(await (await fetch(`${base}/api/v1/repos/acme/first-prompt/raw`)).text()).toBe('Shorter {{code}}\n')
})

test('hubcli adds, installs, verifies and updates a prompt, and libraries read the lock file', async () => {
  const [cwd, name] = [makeFolder(), 'acme/for-hubcli']
  const hubcli = (...args: string[]) =>
    runHubcli(SHELLS[0]!, args, { cwd, tools: WITH_PYTHON, env: { HUB_URL: base, HUB_TOKEN: token } })
  const file = join(cwd, `prompts/${name}.md`)
  const publishNext = async (content: string, version: string) => {
    writeFileSync(join(cwd, 'next'), content)
    const pushed = await hubcli('push', name, 'next', `Change to ${version}`, 'minor')
    expect(pushed).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`^${version} `)) })
  }
  await publishNext('one {{x}}\n', '1.0.0')
  expect(await hubcli('add', `${name}@^1`)).toMatchObject({ code: 0, stdout: `${name} 1.0.0 prompts/${name}.md\n` })
  rmSync(file)
  expect(await hubcli('install')).toMatchObject({ code: 0, stderr: '' })
  expect(await hubcli('verify')).toMatchObject({ code: 0, stderr: '' })
  await publishNext('two {{x}}\r\n', '1.1.0')
  // After the next build, the static files that clients read first include the new version.
  await poll('the build has it', 90_000, async () => {
    const listed = await fetch(`${base}/data/v1/repos/${name}/versions.json`)
    return (await listed.text()).includes('"1.1.0"') || undefined
  })
  expect(readFileSync(file, 'utf8')).toBe('one {{x}}\n')
  expect((await hubcli('outdated')).stdout).toBe(`${name}  1.0.0  1.1.0  1.1.0  ^1\n`)
  expect(await hubcli('update')).toMatchObject({ code: 0, stdout: `${name} 1.0.0 -> 1.1.0 prompts/${name}.md\n` })
  expect(readFileSync(file, 'utf8')).toBe('two {{x}}\r\n')
  expect(await hubcli('verify', '--online')).toMatchObject({ code: 0, stderr: '' })
  const lock = readFileSync(join(cwd, 'prompts.lock'), 'utf8')
  for (const { command } of CLIENTS) {
    expect(await runClient(command, ['verify'], cwd, base)).toMatchObject({ code: 0, stderr: '' })
    expect(await runClient(command, ['add', `${name}@^1`], cwd, base)).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(cwd, 'prompts.lock'), 'utf8')).toBe(lock)
  }
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
    expect(await (await fetch(`${again.base}/api/v1/repos/acme/first-prompt/raw`)).text()).toBe('Shorter {{code}}\n')
    expect(again.run.log()).not.toContain('Copied')
    expect(again.run.log()).toContain('content/ has changed since it was copied to .hub/catalogue/content/')
    expect(again.run.log()).toContain('run CONTENT_DIR=content npm start')
    expect(git('rev-parse', 'HEAD')).toBe(before)
  } finally {
    await again.run.end()
  }
})

/** Commits the working tree to a separate repository, so that this one's index and objects stay unchanged. */
function cloneWorkingTree(): void {
  const seed = join(folder, 'seed.git')
  mkdirSync(seed)
  const inSeed = (...args: string[]) =>
    execFileSync(
      'git',
      ['--git-dir', seed, '--work-tree', ROOT, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args],
      {
        cwd: ROOT,
        env: environment,
      },
    )
  inSeed('init', '-q', '-b', 'main')
  inSeed('add', '-A')
  inSeed('commit', '-q', '-m', 'The working tree')
  execFileSync('git', ['clone', '-q', seed, clone], { env: environment })
}

async function publish(
  to: string,
  body: object,
): Promise<{ status: number; headers: string; data: Record<string, unknown> }> {
  const file = join(folder, `${Math.random()}.json`)
  writeFileSync(file, JSON.stringify(body))
  const { stdout } = await run('curl', [
    ...['-sS', '-i', '-X', 'POST', '-H', `Authorization: Bearer ${token}`, '-H', 'Content-Type: application/json'],
    ...['--data-binary', `@${file}`, `${base}/api/v1/repos/${to}/versions`],
  ])
  const end = stdout.indexOf('\r\n\r\n')
  const { data = {} }: { data?: Record<string, unknown> } = JSON.parse(stdout.slice(end + 4))
  return { status: Number(stdout.split(' ')[1]), headers: stdout.slice(0, end + 2), data }
}
