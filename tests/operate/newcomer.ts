// Tests the first minutes with a fresh clone: a token and a sign-in link from `npm run token`, and where a publish goes.
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isServingFiles, plainEnvironment, type Run, startProcess } from '../hubs/processes.ts'
import { runSync } from '../run-sync.ts'

const environment = plainEnvironment()
/** The hub of a checkout that `npm start` serves, and the commit of the checkout before it started. */
interface Started {
  checkout: string
  commit: string
  base: string
  hub: Run
}

/** Adds the tests, which end the hub. @param of called when they run */
export function testNewcomer(of: () => Started): void {
  let token: string
  const inFolder = (cwd: string) => ({ cwd, encoding: 'utf8', env: environment }) as const
  /** Runs git in the repository to which the hub publishes. */
  const git = (...args: string[]) => runSync('git', args, inFolder(join(of().checkout, '.hub/catalogue')))
  const inCheckout = (...args: string[]) => runSync('git', args, inFolder(of().checkout))

  test('one command creates a token and prints nothing else besides npm output', () => {
    const printed = execFileSync('npm', ['run', 'token', '--', 'acme'], inFolder(of().checkout))
    const [last = '', ...others] = printed.trimEnd().split('\n').reverse()
    expect(last).toMatch(/^hub_[0-9A-Za-z]{38}$/)
    expect(others.filter((line) => line !== '' && !line.startsWith('> '))).toEqual([])
    token = last
  })

  test('one command prints a sign-in link, long after the start', async () => {
    const { checkout, base, hub } = of()
    const ask = (settings: object) =>
      spawnSync(process.execPath, ['scripts/token.ts', '--sign-in'], {
        ...inFolder(checkout),
        env: { ...environment, ...settings },
      })
    const printed = ask({ PORT: new URL(base).port }).stdout
    expect(printed).toMatch(/^http:\/\/localhost:\d+\/auth\/local\?key=[\w-]{43}\n$/)
    expect(printed).not.toContain(/One-time sign-in link: (\S+)/.exec(hub.log())?.[1])
    const page = await fetch(printed.trim())
    expect([page.status, (await page.text()).includes('name="handle"')]).toEqual([200, true])
    expect(ask({ SITE_URL: 'https://prompts.example.org' })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('sign in at https://prompts.example.org/settings'),
    })
  })

  test('a publish is one commit to the catalogue, with the URL of the hub', async () => {
    const { base } = of()
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
    expect(of().hub.log()).not.toContain(secret)
    expect(git('log', '-p', '--format=%B', '--author=prompt-hub@localhost')).not.toContain(secret)
    const folder = join(of().checkout, '.hub')
    const files = readdirSync(folder).filter((name) => name.startsWith('state.db'))
    expect(files.length).toBeGreaterThan(0)
    for (const name of files) expect(readFileSync(join(folder, name), 'utf8') + name).not.toContain(secret)
  })

  test('nothing is committed to the checkout of the code, whose content the catalogue began with', () => {
    expect(inCheckout('rev-parse', 'HEAD').trim()).toBe(of().commit)
    expect(inCheckout('status', '--porcelain', '--ignored')).not.toMatch(/content\//)
    const [first] = git('rev-list', '--max-parents=0', 'HEAD').split('\n')
    expect(git('rev-parse', `${first}:content`)).toBe(inCheckout('rev-parse', 'HEAD:content'))
    expect(git('log', '--format=%an <%ae>').split('\n')).toContain('Prompt Hub <prompt-hub@localhost>')
    expect(of().hub.log()).toContain('Copied content/ to .hub/catalogue/content/, where this hub publishes.')
  })

  test('SIGTERM to npm also stops the host', async () => {
    const { base, hub } = of()
    hub.child.kill('SIGTERM')
    await expect.poll(() => isServingFiles(base).catch(() => false)).toBe(false)
  })

  test('a second start keeps what was published, and says that content/ has changed since', async () => {
    const { checkout, hub } = of()
    const before = git('rev-parse', 'HEAD')
    expect(hub.log()).not.toContain('has changed')
    writeFileSync(join(checkout, 'content/acme/index.md'), '---\nname: Changed\n---\n')
    const again = await startProcess({ command: ['npm', 'start'], cwd: checkout })
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
}
