// Tests `hubcli push` of many files with a real hub in this process.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Hub, openHub, serveHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'
import { findProgram, makeFolder, makeTools, PYTHON, runHubcli, SHELL } from './shells.ts'

let hub: Hub
let url: string
let close: () => Promise<void>
let tools: string
beforeAll(async () => {
  hub = await openHub(openLocalWorld())
  ;({ url, close } = await serveHub(hub))
  tools = makeTools({ python: PYTHON })
  symlinkSync(findProgram('git')!, path.join(tools, 'git'))
})
afterAll(() => close?.())

const FRONT = 'title: A title\ndescription: Does one thing well for a test.\ntags: [test]\nlicense: MIT\n'
let cwd: string
let count = 0
/** Names that no other test has. */
let [one, two, three] = ['', '', '']
beforeEach(() => {
  cwd = makeFolder()
  count++
  ;[one, two, three] = [`one-${count}`, `two-${count}`, `three-${count}`] as [string, string, string]
  mkdirSync(path.join(cwd, 'acme'))
})
const write = (name: string, words: string) =>
  writeFileSync(path.join(cwd, 'acme', name), `---\n${FRONT}---\n${words}\n`)
const run = (args: string[], env: Record<string, string> = { HUB_TOKEN: hub.token }, input?: string) =>
  runHubcli(SHELL, args, { cwd, tools, env: { HUB_URL: url, ...env }, ...(input !== undefined && { input }) })
const address = (name: string, version: string) => `https://hub.example/api/v1/repos/acme/${name}/versions/${version}`
const versionOf = async (name: string, version = '1.0.0') =>
  (await hub.read(`/api/v1/repos/acme/${name}/versions/${version}`)).data

describe('push of many files', () => {
  test('publishes each file and folder with one request, says what is unchanged, and takes the changelog from -m', async () => {
    write(`${one}.md`, 'One.')
    mkdirSync(path.join(cwd, 'acme', two))
    writeFileSync(
      path.join(cwd, 'acme', two, 'SKILL.md'),
      '---\ndescription: Does it. Use it in a test.\n---\nDo it.\n',
    )
    writeFileSync(path.join(cwd, 'acme', two, 'a.sh'), 'echo\n')
    const first = await run(['push', `acme/${one}.md`, `acme/${two}`, '-m', 'Begin'])
    expect(first).toMatchObject({
      code: 0,
      stdout: `acme/${one} 1.0.0 ${address(one, '1.0.0')}\nacme/${two} 1.0.0 ${address(two, '1.0.0')}\n`,
    })
    expect(first.stderr).toMatch(new RegExp(`^(hubcli: warning: acme/${two}: [^\\n]*\\n)+$`))
    expect(await versionOf(one)).toMatchObject({ changelog: 'Begin' })
    expect(await versionOf(two)).toMatchObject({ files: [{ path: 'a.sh' }] })
    write(`${three}.md`, 'Three.')
    expect(await run(['push', `acme/${one}.md`, `acme/${three}.md`, '--owner', 'acme', '--bump=minor'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `acme/${one} 1.0.0 ${address(one, '1.0.0')} (unchanged)\nacme/${three} 1.0.0 ${address(three, '1.0.0')}\n`,
    })
    const json = await run(['push', `acme/${one}.md`, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({
      data: [{ file: `acme/${one}.md`, prompt: `acme/${one}`, version: '1.0.0', unchanged: true }],
    })
  })

  test('the changelog is the subject of the last commit that touched the file', async () => {
    const git = (...args: string[]) =>
      runSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd })
    git('init', '--quiet')
    write(`${one}.md`, 'One.')
    git('add', '.')
    git('commit', '--quiet', '--message', 'Ask for a severity\n\nMore about it.')
    write(`${two}.md`, 'Two.')
    expect(await run(['push', `acme/${one}.md`, `acme/${two}.md`])).toMatchObject({ code: 0, stderr: '' })
    expect(await versionOf(one)).toMatchObject({ changelog: 'Ask for a severity' })
    expect(await versionOf(two)).toMatchObject({ changelog: '' })
    write(`${one}.md`, 'One more.')
    expect(await run(['push', `acme/${one}`, `acme/${one}.md`])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1\.0\.1 /),
    })
    expect(await versionOf(one, '1.0.1')).toMatchObject({ changelog: 'Ask for a severity' })
  })

  test('what the hub rejects does not stop the others; all problems come at the end, with the worst exit code', async () => {
    write(`${one}.md`, 'One.')
    write(`${two}.md`, '   ')
    write(`${three}.md`, 'Three.')
    expect(await run(['push', `acme/${two}.md`, `acme/${one}.md`, `acme/${three}.md`])).toMatchObject({
      code: 4,
      stdout: `acme/${one} 1.0.0 ${address(one, '1.0.0')}\nacme/${three} 1.0.0 ${address(three, '1.0.0')}\n`,
      stderr: expect.stringMatching(new RegExp(`^hubcli: acme/${two}\\.md: content: [^\\n]*\\n$`)),
    })
    const [other, unknown] = [['--owner', 'nina'], { HUB_TOKEN: `hub_${'0'.repeat(38)}` }] as const
    const forbidden = await run(['push', `acme/${two}.md`, `acme/${one}.md`, ...other])
    expect(forbidden).toMatchObject({ code: 4, stdout: '' })
    expect(forbidden.stderr).toMatch(
      /^hubcli: \S+two\S+: content: [^\n]*\nhubcli: \S+one\S+: This token covers acme\/\*[^\n]*\n$/,
    )
    const stranger = await run(['push', `acme/${one}.md`, `acme/${three}.md`], unknown)
    expect(stranger).toMatchObject({ code: 3, stdout: '' })
    expect(stranger.stderr).toMatch(/^hubcli: one more was not sent\nhubcli: \S+one\S+: [^\n]*token[^\n]*\n$/)
  })

  test('nothing is sent if a file cannot be read or has no name, and each such file is named', async () => {
    write(`${one}.md`, 'One.')
    write('Upper.md', 'x')
    expect(await run(['push', `acme/${one}.md`, 'acme/none.md', 'acme/Upper.md'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^hubcli: there is no file acme\/none\.md\nhubcli: acme\/Upper\.md would be the prompt acme\/Upper: expected [^\n]*\n$/,
      ),
    })
    mkdirSync(path.join(cwd, 'acme', two))
    expect(await run(['push', `acme/${one}.md`, `acme/${two}`])).toMatchObject({
      code: 1,
      stderr: `hubcli: acme/${two}: expected SKILL.md or prompt.md in it, got neither\n`,
    })
    expect((await hub.read(`/api/v1/repos/acme/${one}`)).status).toBe(404)
  })

  test('folders that look like names need --owner, so that none is published under the name of another', async () => {
    for (const name of [one, two]) {
      mkdirSync(path.join(cwd, 'acme', name))
      writeFileSync(path.join(cwd, 'acme', name, 'SKILL.md'), '---\ndescription: Does it.\n---\nDo it.\n')
    }
    for (const more of [[], [`acme/${one}`]]) {
      const refused = await run(['push', `acme/${one}`, `acme/${two}`, ...more])
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('pass --owner') })
    }
    expect(await run(['push', `acme/${one}`, `acme/${two}`, '--owner', 'acme'])).toMatchObject({
      code: 0,
      stdout: `acme/${one} 1.0.0 ${address(one, '1.0.0')}\nacme/${two} 1.0.0 ${address(two, '1.0.0')}\n`,
    })
  })

  test('standard input is one prompt, and a dry run of many needs no token and publishes nothing', async () => {
    const input = `---\n${FRONT}---\nFrom a pipe.\n`
    expect(await run(['push', `acme/${one}`, '-'], undefined, input)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `1.0.0 ${address(one, '1.0.0')}\n`,
    })
    expect(await run(['push', '-', '--owner', 'acme'], undefined, input)).toMatchObject({
      code: 1,
      stderr: 'hubcli: standard input has no name; use: hubcli push <owner>/<name> -\n',
    })
    write(`${one}.md`, 'From a pipe.')
    write(`${two}.md`, 'Two.')
    expect(await run(['push', `acme/${one}.md`, `acme/${two}.md`, '--dry-run'], {})).toMatchObject({
      code: 0,
      stdout: `acme/${one} 1.0.0 is unchanged\nacme/${two} 1.0.0 would be published\n`,
    })
    expect((await hub.read(`/api/v1/repos/acme/${two}`)).status).toBe(404)
    expect(await run(['push', `acme/${two}.md`], {})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no token'),
    })
  })
})
