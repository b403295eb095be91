// Tests what hubcli rejects before it sends a request.
import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProgram, makeFolder, recordingTools, runHubcli, SHELL, TEXT_FILE, withoutCurl } from './shells.ts'
import { STAND_IN_TOKEN, withStandIn } from './stand-in.ts'

/**
 * Command prefix that drops root's permission to read every file. It is empty for other users, and undefined if root
 * cannot drop the permission on this machine.
 */
const AS_OTHERS = process.getuid?.() === 0 ? withoutPrivileges() : []

function withoutPrivileges(): string[] | undefined {
  const setpriv = findProgram('setpriv')
  if (setpriv === undefined) return undefined
  const command = [setpriv, '--bounding-set=-dac_override,-dac_read_search']
  return spawnSync(setpriv, [...command.slice(1), 'true']).status === 0 ? command : undefined
}

/** The commands that require python3. */
const TABLE_COMMANDS: [name: string, args: string[]][] = [
  ['search', ['search', 'x']],
  ['versions', ['versions', 'acme/x']],
]

//  case                                       arguments (`f` is the only file)                           message
const LOCAL: [what: string, args: string[], sentence: RegExp][] = [
  ['no command', [], /expected a command/],
  ['an unknown command', ['frobnicate'], /unknown command frobnicate/],
  ['cat without a repository', ['cat'], /usage: hubcli cat/],
  ['an empty repository', ['cat', ''], /expected <owner>\/<name>, got nothing/],
  ['no slash', ['cat', 'acme'], /expected <owner>\/<name>/],
  ['a substitution', ['cat', 'a/b?x=$(id)'], /got a\/b\?x=\$\(id\)$/m],
  ['a parent path', ['cat', '../..'], /expected <owner>\/<name>/],
  ['a newline and a second line', ['cat', 'acme/code-review\nx: y'], /expected <owner>\/<name>/],
  ['an escape sequence', ['cat', 'acme/\x1B[31mred'], /got acme\/ ?\[31mred$/m],
  ['upper case', ['cat', 'Acme/code-review'], /lower-case/],
  ['a double hyphen', ['cat', 'acme/code--review'], /single hyphens/],
  ['a leading hyphen', ['cat', '-acme/code-review'], /unknown option -acme\/code-review/],
  ['an owner of 40 characters', ['cat', `${'a'.repeat(40)}/b`], /expected <owner>\/<name>/],
  ['a name of 65 characters', ['cat', `a/${'b'.repeat(65)}`], /expected <owner>\/<name>/],
  ['a curl option', ['cat', 'acme/code-review', '--output', 'x'], /unknown option --output/],
  ['an option of another command', ['cat', 'acme/code-review', '-o', 'x'], /unknown option -o/],
  ['--version without a value', ['cat', 'acme/code-review', '--version'], /--version: .*got nothing/],
  ['--version with a query', ['cat', 'acme/code-review', '--version', '1.0.0&x=y'], /--version: expected/],
  ['--version with a newline', ['cat', 'acme/code-review', '--version', '1.0.0\n'], /--version: expected/],
  ['-o without a value', ['pull', 'acme/code-review', '-o'], /-o: .*got nothing/],
  ['-o with a folder', ['pull', 'acme/code-review', '-o', './'], /is a folder/],
  ['-o in a missing folder', ['pull', 'acme/code-review', '-o', 'no such/x'], /there is no folder no such\//],
  ['-o with a device', ['pull', 'acme/code-review', '-o', '/dev/null'], /not a regular file/],
  ['push with five arguments', ['push', 'acme/a', 'f', 'c', 'patch', 'x'], /usage: hubcli push/],
  [
    'push with an unknown bump',
    ['push', 'acme/a', 'f', 'c', 'huge'],
    /bump: expected major, minor, patch or auto, got huge/,
  ],
  ['push of a missing file', ['push', 'acme/a', 'missing', 'c', 'patch'], /there is no file missing/],
  ['push of a folder as text', ['push', 'acme/a', '.', 'c', 'patch', '--raw'], /is a folder: expected no --raw/],
]

//  case                                                               message
const TOKENS: [what: string, env: Record<string, string>, sentence: RegExp][] = [
  ['no token', {}, /no token: create one at http.*\/settings and set HUB_TOKEN/],
  ['an empty token', { HUB_TOKEN: '' }, /no token: create one at http.*\/settings and set HUB_TOKEN/],
  ['a token with a newline', { HUB_TOKEN: `${STAND_IN_TOKEN}\n` }, /HUB_TOKEN contains an invalid character/],
  [
    'a token that escapes the curl configuration',
    { HUB_TOKEN: 'x"\nurl = "http://127.0.0.1:1/' },
    /HUB_TOKEN contains an invalid character/,
  ],
  ['a token with a space', { HUB_TOKEN: 'Bearer x' }, /HUB_TOKEN contains an invalid character/],
]

const NEEDS_PYTHON = 'hubcli: python3 is needed for this and was not found in PATH\n'

/** URLs to which hubcli must never send anything. */
const ADDRESSES = [
  'http://[::1',
  'http://localhost@example.com',
  'http://127.0.0.1#@example.com',
  'https://user:secret@example.com',
  'https://example.com/?x=',
  'https://example.com\nx',
  'ftp://localhost',
  '-o/tmp/x',
  'localhost:8888',
]

describe('checks before any request is sent', () => {
  test.concurrent.each(LOCAL)('%s', async (_, args, sentence) => {
    await withStandIn(undefined, async ({ url, requests }) => {
      const cwd = makeFolder()
      writeFileSync(path.join(cwd, 'f'), 'x')
      const options = { cwd, env: { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN } }
      // What the shell part does not judge itself, it passes on, and the program says what is wrong.
      const inShell = await runHubcli(SHELL, args, { ...options, tools: SHELL.bare })
      expect(inShell).toMatchObject({ code: 1, stdout: '', left: [] })
      const isPassedOn = inShell.stderr === NEEDS_PYTHON
      const outcome = isPassedOn ? await runHubcli(SHELL, args, { ...options, isPassedOn }) : inShell
      expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
      expect(outcome.stderr).toMatch(sentence)
      expect(outcome.stderr).toMatch(/^hubcli: [^\n]*\n$/)
      expect(outcome.stderr).not.toMatch(/[\x00-\x09\x0B-\x1F]/)
      expect(requests).toEqual([])
      expect(readdirSync(cwd)).toEqual(['f'])
    })
  })

  test.concurrent.each(TOKENS)('rejects push with %s', async (_, env, sentence) => {
    await withStandIn(undefined, async ({ url, requests }) => {
      const outcome = await runHubcli(SHELL, ['push', 'acme/a', TEXT_FILE, 'c', 'patch'], {
        env: { ...env, HUB_URL: url },
      })
      expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
      expect(outcome.stderr).toMatch(sentence)
      expect(outcome.stderr).not.toContain('Tok3n')
      expect(requests).toEqual([])
    })
  })

  test.concurrent('rejects a file that is larger than a request may be', async () => {
    await withStandIn(undefined, async ({ url, requests }) => {
      const cwd = makeFolder()
      writeFileSync(path.join(cwd, 'f'), Buffer.alloc(1_048_577, 97))
      const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
      for (const more of [[], ['--raw']])
        expect(await runHubcli(SHELL, ['push', 'acme/a', 'f', 'c', 'patch', ...more], { cwd, env })).toMatchObject({
          code: 1,
          stderr: expect.stringMatching(/^hubcli: f is larger than [^\n]*1048576 bytes\)?\n$/),
        })
      expect(requests).toEqual([])
    })
  })

  const noCurl = withoutCurl()
  test.concurrent.each(ADDRESSES)('rejects HUB_URL %j', async (url) => {
    const outcome = await runHubcli(SHELL, ['cat', 'acme/code-review'], { env: { HUB_URL: url }, tools: noCurl })
    expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
    expect(outcome.stderr).toMatch(/^hubcli: HUB_URL: expected [^\n]*\n$/)
  })

  const addresses = [
    ['http://localhost:8888', 'http://localhost:8888/api/v1/repos/a/b/raw'],
    ['http://hub.lan:8930', 'http://hub.lan:8930/api/v1/repos/a/b/raw'],
    ['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443/api/v1/repos/a/b/raw'],
    ['https://example.com/hub/', 'https://example.com/hub/api/v1/repos/a/b/raw'],
    ['', 'http://localhost:8888/api/v1/repos/a/b/raw'],
  ] as const
  test.concurrent.each(addresses)('HUB_URL %j sends the request to %s', async (HUB_URL, address) => {
    const { tools, calls } = recordingTools(SHELL, 'exit 7')
    expect(await runHubcli(SHELL, ['cat', 'a/b'], { env: { HUB_URL }, tools })).toMatchObject({ code: 5, left: [] })
    const curl = calls().find(([tool]) => tool === 'curl') ?? []
    expect(curl.at(-1)).toBe(address)
    expect(curl[curl.indexOf('--proto') + 1]).toBe(`=${address.split(':')[0]}`)
  })

  test.concurrent.each(TABLE_COMMANDS)('%s fails without python3', async (_, args) => {
    await withStandIn(undefined, async ({ url, requests }) => {
      const outcome = await runHubcli(SHELL, args, { env: { HUB_URL: url }, tools: SHELL.bare })
      expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
      expect(outcome.stderr).toBe(NEEDS_PYTHON)
      expect(requests).toEqual([])
    })
  })

  test.concurrent('fails without curl', async () => {
    expect(await runHubcli(SHELL, ['cat', 'acme/code-review'], { tools: noCurl })).toMatchObject({
      code: 1,
      stderr: 'hubcli: curl is needed for this and was not found in PATH\n',
    })
  })

  test.concurrent('fails without a temporary folder', async () => {
    const outcome = await runHubcli(SHELL, ['cat', 'acme/code-review'], { env: { TMPDIR: '/no such folder' } })
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toMatch(/^hubcli: cannot make a folder in \/no such folder; .*\n$/)
  })

  test.skipIf(AS_OTHERS === undefined).concurrent('rejects push of an unreadable file', async () => {
    const cwd = makeFolder()
    writeFileSync(path.join(cwd, 'f'), 'x', { mode: 0 })
    const [program, ...first] = [...(AS_OTHERS ?? []), ...SHELL.command] as [string, ...string[]]
    const careful = { ...SHELL, command: [program, ...first] as [string, ...string[]] }
    const outcome = await runHubcli(careful, ['push', 'a/b', 'f', 'c', 'patch'], { cwd, env: { HUB_TOKEN: 'x' } })
    expect(outcome).toMatchObject({ code: 1, stderr: 'hubcli: cannot read f\n' })
  })
})
