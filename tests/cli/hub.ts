// Tests hubcli with a hub, byte for byte.
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BASE_URL } from '../hubs/make-hub.ts'
import { CORPUS } from './corpus.ts'
import { commandLine, findProgram, makeFolder, makeTools, runHubcli, SHELL } from './shells.ts'
import { STAND_IN_TOKEN, type StandIn, startStandIn, WARNED, withStandIn } from './stand-in.ts'

describe('hubcli with a hub', () => {
  let standIn: StandIn
  let hub: string
  beforeAll(async () => {
    standIn = await startStandIn()
    hub = standIn.url
  })
  afterAll(() => standIn.close())

  const freshName = () => `acme/cli-${randomBytes(8).toString('hex')}`
  // Without python3: pull, cat and push need only curl.
  const run = (args: string[], options: Parameters<typeof runHubcli>[2] = {}) =>
    runHubcli(SHELL, args, { tools: SHELL.bare, ...options, env: { HUB_URL: hub, ...options.env } })
  const push = (name: string, content: string | Buffer, changelog = 'First', bump = 'patch') => {
    const cwd = makeFolder()
    const hasFront = /^(?:\xef\xbb\xbf)?---/.test(Buffer.from(content).toString('latin1', 0, 6))
    writeFileSync(
      path.join(cwd, 'a file'),
      Buffer.concat([Buffer.from(hasFront ? '---\n---\n' : ''), Buffer.from(content)]),
    )
    return run(['push', name, 'a file', changelog, bump], { cwd, env: { HUB_TOKEN: STAND_IN_TOKEN } })
  }

  test.concurrent.each(CORPUS)('cat returns exactly what was pushed: %s', async (_, content) => {
    const name = freshName()
    expect(await push(name, content)).toMatchObject({ code: 0, stderr: WARNED, left: [] })
    const { bytes, ...outcome } = await run(['cat', name])
    expect(outcome).toMatchObject({ code: 0, stderr: '', left: [] })
    expect(bytes.equals(Buffer.from(content))).toBe(true)
  })

  test.concurrent('push prints the version and its URL, and pull writes files', async () => {
    const name = freshName()
    const address = (version: string) => `${version} ${BASE_URL}/api/v1/repos/${name}/versions/${version}\n`
    expect(await push(name, 'one', 'First', 'major')).toMatchObject({ code: 0, stdout: address('1.0.0') })
    expect(await push(name, 'two', 'Second', 'minor')).toMatchObject({ code: 0, stdout: address('1.1.0') })
    expect(await run(['cat', '--version', '1.0.0', name])).toMatchObject({ code: 0, stdout: 'one' })
    const cwd = makeFolder()
    expect(await run(['pull', name], { cwd })).toMatchObject({ code: 0, stdout: '', stderr: '', left: [] })
    expect(await run(['pull', name, '--version', '1.0.0', '-o', 'a b.md'], { cwd })).toMatchObject({ code: 0 })
    expect(await run(['pull', '-o', `${cwd}/$(id)`, name], { cwd })).toMatchObject({ code: 0 })
    expect(readdirSync(cwd).sort()).toEqual(['$(id)', 'PROMPT.md', 'a b.md'])
    expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('two')
    expect(readFileSync(path.join(cwd, 'a b.md'), 'utf8')).toBe('one')
    const bumps = [
      ['three', 'patch', '1.1.1'],
      ['four', 'auto', '1.1.2'],
      ['four', 'major', '1.1.2 (unchanged)'],
    ] as const
    for (const [content, bump, said] of bumps) {
      const [version = '', more] = said.split(' (')
      const stdout = address(version).replace('\n', more === undefined ? '\n' : ` (${more}\n`)
      expect(await push(name, content, 'Next', bump)).toMatchObject({ code: 0, stdout })
    }
  })

  test.concurrent('push sends the changelog unchanged, including line breaks and hyphens', async () => {
    const name = freshName()
    const changelog = '"quoted" \\ $& %s\n- zweite Zeile é😀'
    const cwd = makeFolder()
    writeFileSync(path.join(cwd, 'f'), 'x')
    const args = ['push', name, 'f', changelog, 'patch']
    expect(await run(args, { cwd, env: { HUB_TOKEN: STAND_IN_TOKEN } })).toMatchObject({ code: 0, stderr: WARNED })
    const answer = await fetch(`${hub}/api/v1/repos/${name}/versions/1.0.0`)
    expect(await answer.json()).toMatchObject({ data: { changelog } })
  })

  test.concurrent('push reads from a pipe', async () => {
    const name = freshName()
    const cwd = makeFolder()
    const wrapper = path.join(cwd, 'wrapper')
    // Node connects child processes through sockets, which cannot be opened as /dev/stdin, so this test uses a real
    // pipe from a shell.
    writeFileSync(wrapper, `cat f | ${commandLine(SHELL)} push ${name} /dev/stdin First patch\n`)
    writeFileSync(path.join(cwd, 'f'), 'from a pipe\n')
    expect(await run([], { cwd, script: wrapper, env: { HUB_TOKEN: STAND_IN_TOKEN } })).toMatchObject({
      code: 0,
      stderr: WARNED,
    })
    expect(await run(['cat', name])).toMatchObject({ code: 0, stdout: 'from a pipe\n' })
  })

  test.concurrent('versions lists the versions, highest first', async () => {
    const name = freshName()
    await push(name, 'one', 'First')
    await push(name, 'two', 'Second\nline', 'minor')
    const { stdout, ...outcome } = await run(['versions', name], { tools: SHELL.tools })
    expect(outcome).toMatchObject({ code: 0, stderr: '', left: [] })
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^1\.1\.0 {2}\d{4}-\d\d-\d\d {2}\S+ {2}Second line$/),
      expect.stringMatching(/^1\.0\.0 {2}\d{4}-\d\d-\d\d {2}\S+ {2}First$/),
    ])
    expect(await run(['versions', `acme/no-such-prompt`], { tools: SHELL.tools })).toMatchObject({ code: 2 })
  })
})
describe('awk implementations', () => {
  // This machine's own awk is already tested. original-awk is the awk on macOS
  // and the BSDs.
  const own = realpathSync(findProgram('awk') ?? '/')
  const awks = ['gawk', 'mawk', 'original-awk']
    .map((program) => ({ program, found: findProgram(program) }))
    .filter(({ found }) => found === undefined || realpathSync(found) !== own)
  describe.each(awks)('$program', ({ found }) => {
    test.skipIf(found === undefined).concurrent('finds the digest of a response', async () => {
      const tools = makeTools({ awk: found ?? '' })
      await withStandIn(undefined, async ({ url }) => {
        const cat = (version: string) =>
          runHubcli(SHELL, ['cat', 'acme/code-review', '--version', version], { env: { HUB_URL: url }, tools })
        expect(await cat('1.0.0')).toMatchObject({ code: 0, stderr: '', stdout: 'Review this.\n' })
        expect(await cat('1.1.0')).toMatchObject({ code: 0, stderr: '', stdout: 'Review this code.\n' })
      })
    })
  })
})
