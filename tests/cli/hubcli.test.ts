// Owns the proof of hubcli: one table of cases under every shell. The cases of "a hub" run against HUB_URL_UNDER_TEST too, where HUB_OWNER_UNDER_TEST and HUB_TOKEN_UNDER_TEST say who may publish what (about 90 publishes: RATE_LIMIT_PER_MINUTE=0).
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  BUSYBOX,
  findProgram,
  HUBCLI,
  makeFolder,
  makeTools,
  PYTHON,
  runHubcli,
  SCRATCH,
  SHELLS,
  type Shell,
  STANDARD_TOOLS,
  writeScript,
} from './shells.ts'
import { type SeenRequest, STAND_IN_TOKEN, type StandIn, startStandIn, type Trouble } from './stand-in.ts'

const HUB_URL_UNDER_TEST = process.env.HUB_URL_UNDER_TEST
const OWNER = process.env.HUB_OWNER_UNDER_TEST ?? 'acme'
const TOKEN = process.env.HUB_TOKEN_UNDER_TEST ?? STAND_IN_TOKEN
const isRoot = process.getuid?.() === 0
const BOM = '\uFEFF'
const withPython = PYTHON === undefined ? undefined : makeTools({ python: PYTHON })

// A run takes some 50 ms, the largest contents under busybox 2 s; five run side by side, on two cores with other suites.
vi.setConfig({ testTimeout: 30_000 })

afterAll(() => rmSync(SCRATCH, { recursive: true, force: true }))

/** The commands that need python3. */
const TABLE_COMMANDS: [name: string, args: string[]][] = [
  ['search', ['search', 'x']],
  ['versions', ['versions', 'acme/x']],
]

/** Every way in which a published text must come back as the same bytes. */
const CORPUS: [name: string, content: string | Buffer][] = [
  ['a plain line', 'Review this code.\n'],
  ['no final newline', 'Review this code.'],
  ['many final newlines', 'a\n\n\n\n'],
  ['one character', 'x'],
  ['quotes and backslashes', '"\\" \\\\" \'\' \\n \\u0041 \\/ "\\'],
  ['tabs', '\ta\t\tb\t\n\t'],
  ['CRLF and lone CR', 'a\r\nb\rc\r\n'],
  ['BOM', `${BOM}a${BOM}\n`],
  ['emoji and every length of UTF-8', 'aé€😀\u{10FFFF}\uFFFF\uD7FF\uE000\u0080\u07FF\u0800 👩‍👩‍👧‍👦\n'],
  [
    'every allowed control character',
    `a${Array.from({ length: 31 }, (_, i) => String.fromCharCode(i + 1)).join('')}\x7F\x80\x9F`,
  ],
  ['replacement patterns and formats', `$& $1 $' $\` %s %d %% %n {{name}} \${x} $(id) \`id\`\n`],
  ['what shells and echo take for options', '-n\n-e \\c \\0101\n--\n'],
  ['front matter', '---\nversion: "9.9.9"\n---\n\n---\n'],
  ['JSON', '{"data":{"version":"7.7.7"},"error":{"message":"no"}}\n'],
  ['a long line', `${'word '.repeat(12_000)}`],
  ['250 KB', '"Ünïcödé" \\ and\tmore 😀\r\n'.repeat(7_000)],
  ['250 KB of backslashes', '\\'.repeat(250_000)],
  ['250 KB of quotes', '"'.repeat(250_000)],
  ['exactly the limit', `${'é'.repeat(131_071)}ab`],
]

/** What is no text: nothing of it may be sent. */
const NOT_TEXT: [name: string, content: Buffer, sentence: RegExp][] = [
  ['NUL', Buffer.from('a\nb\0c'), /holds a NUL in line 2/],
  ['a byte that UTF-8 never has', Buffer.from([97, 10, 10, 255]), /is not UTF-8 in line 3/],
  ['Latin-1', Buffer.from('caf\xE9 au lait', 'latin1'), /is not UTF-8/],
  ['an overlong slash', Buffer.from([0xc0, 0xaf]), /is not UTF-8/],
  ['an overlong of three bytes', Buffer.from([0xe0, 0x9f, 0xbf]), /is not UTF-8/],
  ['an overlong of four bytes', Buffer.from([0xf0, 0x8f, 0xbf, 0xbf]), /is not UTF-8/],
  ['a surrogate', Buffer.from([0xed, 0xa0, 0x80]), /is not UTF-8/],
  ['beyond U+10FFFF', Buffer.from([0xf4, 0x90, 0x80, 0x80]), /is not UTF-8/],
  ['a lone continuation', Buffer.from([97, 0x80]), /is not UTF-8/],
  ['cut within a character', Buffer.from([97, 0xf0, 0x9f, 0x98]), /is not UTF-8/],
  ['UTF-16', Buffer.from(`${BOM}a`, 'utf16le'), /is not UTF-8/],
  ['larger than a request', Buffer.alloc(1_048_577, 97), /is larger than a request may be/],
]

//  what                                       arguments, without the file `f`                        what is said
const LOCAL: [what: string, args: string[], sentence: RegExp][] = [
  ['no command', [], /expected a command/],
  ['an unknown command', ['frobnicate'], /unknown command frobnicate/],
  ['an unknown option before the command', ['--frobnicate'], /unknown command --frobnicate/],
  ['cat without a repository', ['cat'], /usage: hubcli cat/],
  ['cat of two', ['cat', 'acme/a', 'acme/b'], /usage: hubcli cat/],
  ['an empty repository', ['cat', ''], /expected <owner>\/<name>, got nothing/],
  ['no slash', ['cat', 'acme'], /expected <owner>\/<name>/],
  ['two slashes', ['cat', 'acme/a/b'], /expected <owner>\/<name>/],
  ['a substitution', ['cat', 'a/b?x=$(id)'], /got a\/b\?x=\$\(id\)$/m],
  ['a way up', ['cat', '../..'], /expected <owner>\/<name>/],
  ['a way up in the name', ['cat', 'acme/..'], /expected <owner>\/<name>/],
  ['a space', ['cat', 'acme/code review'], /expected <owner>\/<name>/],
  ['a newline at the end', ['cat', 'acme/code-review\n'], /expected <owner>\/<name>/],
  ['a newline and a second line', ['cat', 'acme/code-review\nx: y'], /expected <owner>\/<name>/],
  ['an escape sequence', ['cat', 'acme/\x1B[31mred'], /got acme\/\[31mred$/m],
  ['upper case', ['cat', 'Acme/code-review'], /lower-case/],
  ['an accent', ['cat', 'acmé/code-review'], /lower-case/],
  ['an encoded slash', ['cat', 'acme%2Fcode-review'], /expected <owner>\/<name>/],
  ['a percent sign', ['cat', 'acme/code%2dreview'], /lower-case/],
  ['a double hyphen', ['cat', 'acme/code--review'], /single hyphens/],
  ['a last hyphen', ['cat', 'acme/code-'], /single hyphens/],
  ['a leading hyphen', ['cat', '-acme/code-review'], /unknown option -acme\/code-review/],
  ['a leading hyphen after --', ['cat', '--', '-acme/code-review'], /expected <owner>\/<name>/],
  ['an owner of 40', ['cat', `${'a'.repeat(40)}/b`], /expected <owner>\/<name>/],
  ['a name of 65', ['cat', `a/${'b'.repeat(65)}`], /expected <owner>\/<name>/],
  ['a glob', ['cat', 'acme/*'], /expected <owner>\/<name>/],
  ['an option of curl', ['cat', 'acme/code-review', '--output', 'x'], /unknown option --output/],
  ['an option of another command', ['cat', 'acme/code-review', '-o', 'x'], /unknown option -o/],
  ['push with --version', ['push', 'acme/a', 'f', 'c', 'patch', '--version', '1.0.0'], /unknown option --version/],
  ['--version without a value', ['cat', 'acme/code-review', '--version'], /--version: .*got nothing/],
  ['--version with v', ['cat', 'acme/code-review', '--version', 'v1.0.0'], /--version: expected/],
  ['--version of two numbers', ['cat', 'acme/code-review', '--version', '1.0'], /--version: expected/],
  ['--version of four numbers', ['cat', 'acme/code-review', '--version', '1.0.0.0'], /--version: expected/],
  ['--version with a leading zero', ['cat', 'acme/code-review', '--version', '1.01.0'], /--version: expected/],
  ['--version of seven digits', ['cat', 'acme/code-review', '--version', '1.0.1000000'], /--version: expected/],
  ['--version with a query', ['cat', 'acme/code-review', '--version', '1.0.0&x=y'], /--version: expected/],
  ['--version with a newline', ['cat', 'acme/code-review', '--version', '1.0.0\n'], /--version: expected/],
  ['-o without a value', ['pull', 'acme/code-review', '-o'], /-o: .*got nothing/],
  ['-o with an empty value', ['pull', 'acme/code-review', '-o', ''], /-o: expected a path/],
  ['-o with an option', ['pull', 'acme/code-review', '-o', '--version'], /-o: expected a path/],
  ['-o with a folder', ['pull', 'acme/code-review', '-o', './'], /is a folder/],
  ['-o with a folder and a slash', ['pull', 'acme/code-review', '-o', './'], /is a folder/],
  ['-o in a folder that is not there', ['pull', 'acme/code-review', '-o', 'no such/x'], /there is no folder no such\//],
  ['-o with a device', ['pull', 'acme/code-review', '-o', '/dev/null'], /not a regular file/],
  ['push of three', ['push', 'acme/a', 'f', 'patch'], /usage: hubcli push/],
  ['push of five', ['push', 'acme/a', 'f', 'c', 'patch', 'x'], /usage: hubcli push/],
  ['push to a malformed name', ['push', 'acme', 'f', 'c', 'patch'], /expected <owner>\/<name>/],
  ['push with another bump', ['push', 'acme/a', 'f', 'c', 'huge'], /bump: expected major, minor or patch, got huge/],
  ['push with an empty bump', ['push', 'acme/a', 'f', 'c', ''], /bump: .*got nothing/],
  ['push with a bump that breaks out', ['push', 'acme/a', 'f', 'c', 'patch","x":"'], /bump: expected/],
  ['push of a missing file', ['push', 'acme/a', 'missing', 'c', 'patch'], /there is no file missing/],
  ['push of no file', ['push', 'acme/a', '', 'c', 'patch'], /there is no file without a name/],
  ['push of a folder', ['push', 'acme/a', '.', 'c', 'patch'], /is a folder/],
  ['push of a hyphen', ['push', 'acme/a', '-', 'c', 'patch'], /unknown option - /],
]

//  the token                                                          what is said
const TOKENS: [what: string, env: Record<string, string>, sentence: RegExp][] = [
  ['no token', {}, /no token: set HUB_TOKEN/],
  ['an empty token', { HUB_TOKEN: '' }, /no token: set HUB_TOKEN/],
  ['a token with a newline', { HUB_TOKEN: `${STAND_IN_TOKEN}\n` }, /HUB_TOKEN holds a character/],
  ['a token that breaks out', { HUB_TOKEN: 'x"\nurl = "http://127.0.0.1:1/' }, /HUB_TOKEN holds a character/],
  ['a token with a space', { HUB_TOKEN: 'Bearer x' }, /HUB_TOKEN holds a character/],
]

/** Addresses to which nothing may ever go. */
const ADDRESSES = [
  'http://example.com',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
  'http://localhost@example.com',
  'http://localhost:80@example.com',
  'http://127.0.0.1#@example.com',
  'http://localhost\\@example.com',
  'http://localhost:8x',
  'http://',
  'https://',
  'https://user:secret@example.com',
  'https://example.com/?x=',
  'https://exa mple.com',
  'https://example.com\nx',
  'HTTP://example.com',
  'ftp://localhost',
  'file:///etc/passwd',
  '-o/tmp/x',
  'localhost:8888',
]

//  status  Retry-After  body                                                      exit  what is said                 requests
const ANSWERS: [status: number, retryAfter: string, body: string, code: number, sentence: RegExp, requests: number][] =
  [
    [
      400,
      '',
      fault('invalid_request', 'version: expected x.y.z.'),
      4,
      /^hubcli: version: expected x\.y\.z\. \(400\)\n$/,
      1,
    ],
    [401, '', fault('unauthorized', 'This token has expired.'), 3, /^hubcli: This token has expired\. \(401\)\n$/, 1],
    [403, '', fault('forbidden', 'Not yours.'), 3, /^hubcli: Not yours\. \(403\)\n$/, 1],
    [404, '', fault('not_found', 'No such thing.'), 2, /^hubcli: No such thing\. \(404\)\n$/, 1],
    [405, '', fault('method_not_allowed', 'GET only.'), 4, /^hubcli: GET only\. \(405\)\n$/, 1],
    [409, '', fault('repo_archived', 'It is archived.'), 4, /^hubcli: It is archived\. \(409\)\n$/, 1],
    [413, '', fault('content_too_large', 'Too large.'), 4, /^hubcli: Too large\. \(413\)\n$/, 1],
    [415, '', fault('unsupported_media_type', 'JSON.'), 4, /^hubcli: JSON\. \(415\)\n$/, 1],
    [422, '', fault('validation_failed', 'content: no; bump: no'), 4, /^hubcli: content: no; bump: no \(422\)\n$/, 1],
    [429, '7', fault('rate_limited', 'Slow down.'), 5, /^hubcli: Slow down\. \(429, try again in 7 s\)\n$/, 3],
    [500, '', fault('internal_error', 'Our fault.'), 5, /^hubcli: Our fault\. \(500\)\n$/, 3],
    [502, '', fault('upstream_error', 'Odd.'), 5, /^hubcli: Odd\. \(502\)\n$/, 3],
    [503, '2', fault('unavailable', 'Busy.'), 5, /^hubcli: Busy\. \(503, try again in 2 s\)\n$/, 3],
    [504, '', '<html>Gateway</html>', 5, /^hubcli: http:\S+ answered without a message; .* \(504\)\n$/, 3],
    [501, '', '', 5, /^hubcli: http:\S+ answered without a message; .* \(501\)\n$/, 1],
    [404, '', '<html><h1>"error":{"message":"x"}</h1></html>', 2, /^hubcli: http:\S+ answered without a message/, 1],
    [404, '', '{"error":{"code":"not_found","message":"cut', 2, /^hubcli: cut \(404\)\n$/, 1],
    [404, '', '[{"error":{"message":"no"}}]', 2, /^hubcli: http:\S+ answered without a message/, 1],
    [
      404,
      '',
      '{"a":{"error":{"message":"no"}},"error":{"x":{"message":"no"},"message":"yes"}}',
      2,
      /^hubcli: yes \(404\)\n$/,
      1,
    ],
    [
      404,
      '',
      '{ "error" :\n{ "message" : "say \\"hi\\" \\\\ \\/ now" } }',
      2,
      /^hubcli: say "hi" \\ \/ now \(404\)\n$/,
      1,
    ],
    [204, '', '', 5, /^hubcli: http:\S+ answered without a message/, 1],
    [304, '', '', 5, /^hubcli: http:\S+ answered without a message/, 1],
  ]

/** Text that would move a cursor, change a title or turn a line around. */
const HOSTILE = 'a\x1B[31mb\x1B]0;title\x07c\x9B2Jd\u202Ee\u2066f\x7Fg\bh\ri\u2028j\u061Ck'
const CONTROLS = /[\x00-\x08\x0B-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/

describe.each(SHELLS)('$name', (shell) => {
  describe('a hub', () => {
    let standIn: StandIn
    let hub: string
    beforeAll(async () => {
      standIn = await startStandIn()
      hub = HUB_URL_UNDER_TEST ?? standIn.url
    })
    afterAll(() => standIn.close())

    const freshName = () => `${OWNER}/cli-${randomBytes(8).toString('hex')}`
    const run = (args: string[], options: Parameters<typeof runHubcli>[2] = {}) =>
      runHubcli(shell, args, { ...options, env: { HUB_URL: hub, ...options.env } })
    const push = (name: string, content: string | Buffer, changelog = 'First', bump = 'patch') => {
      const cwd = makeFolder()
      writeFileSync(path.join(cwd, 'a file'), content)
      return run(['push', name, 'a file', changelog, bump], { cwd, env: { HUB_TOKEN: TOKEN } })
    }

    test.concurrent.each(CORPUS)('push, then cat: %s', async (_, content) => {
      const name = freshName()
      expect(await push(name, content)).toMatchObject({ code: 0, stderr: '', left: [] })
      const { bytes, ...outcome } = await run(['cat', name])
      expect(outcome).toMatchObject({ code: 0, stderr: '', left: [] })
      expect(bytes.equals(Buffer.from(content))).toBe(true)
    })

    test.concurrent('push prints the version and its address, and raises by bump', async () => {
      const name = freshName()
      const address = (version: string) => `${version} ${hub}/api/v1/repos/${name}/versions/${version}\n`
      expect(await push(name, 'one', 'First', 'major')).toMatchObject({ code: 0, stdout: address('1.0.0') })
      expect(await push(name, 'two', 'Second', 'patch')).toMatchObject({ code: 0, stdout: address('1.0.1') })
      expect(await push(name, 'three', 'Third', 'minor')).toMatchObject({ code: 0, stdout: address('1.1.0') })
      expect(await push(name, 'four', 'Fourth', 'major')).toMatchObject({ code: 0, stdout: address('2.0.0') })
      expect(await push(name, 'four', 'Again', 'major')).toMatchObject({ code: 0, stdout: address('2.0.0') })
      expect(await run(['cat', name, '--version', '1.0.1'])).toMatchObject({ code: 0, stdout: 'two' })
      expect(await run(['cat', '--version', '1.0.0', name])).toMatchObject({ code: 0, stdout: 'one' })
      const cwd = makeFolder()
      expect(await run(['pull', name], { cwd })).toMatchObject({ code: 0, stdout: '', stderr: '', left: [] })
      expect(await run(['pull', name, '--version', '1.1.0', '-o', 'a b.md'], { cwd })).toMatchObject({ code: 0 })
      expect(await run(['pull', '-o', `${cwd}/$(id)`, '--', name], { cwd })).toMatchObject({ code: 0 })
      expect(readdirSync(cwd).sort()).toEqual(['$(id)', 'PROMPT.md', 'a b.md'])
      expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('four')
      expect(readFileSync(path.join(cwd, 'a b.md'), 'utf8')).toBe('three')
    })

    test.concurrent('a changelog is kept exactly, line ends and hyphens included', async () => {
      const name = freshName()
      const changelog = '- "quoted" \\ $& %s\n- zweite Zeile é😀'
      const cwd = makeFolder()
      writeFileSync(path.join(cwd, 'f'), 'x')
      const args = ['push', name, 'f', '--', changelog, 'patch']
      expect(await run(args, { cwd, env: { HUB_TOKEN: TOKEN } })).toMatchObject({ code: 0, stderr: '' })
      const answer = await fetch(`${hub}/api/v1/repos/${name}/versions/1.0.0`)
      expect(await answer.json()).toMatchObject({ data: { changelog } })
    })

    test.concurrent('push reads a pipe', async () => {
      const name = freshName()
      const cwd = makeFolder()
      const wrapper = path.join(cwd, 'wrapper')
      // The streams of a child of Node are sockets, and those cannot be opened by the name /dev/stdin.
      writeFileSync(wrapper, `cat f | ${commandLine(shell)} push ${name} /dev/stdin First patch\n`)
      writeFileSync(path.join(cwd, 'f'), 'from a pipe\n')
      expect(await run([], { cwd, script: wrapper, env: { HUB_TOKEN: TOKEN } })).toMatchObject({ code: 0, stderr: '' })
      expect(await run(['cat', name])).toMatchObject({ code: 0, stdout: 'from a pipe\n' })
    })

    test.concurrent('what is not there is exit 2', async () => {
      const name = freshName()
      expect(await run(['cat', name])).toMatchObject({ code: 2, stdout: '', left: [] })
      expect(await push(name, 'x')).toMatchObject({ code: 0 })
      const cwd = makeFolder()
      for (const args of [
        ['cat', name, '--version', '9.9.9'],
        ['pull', `${OWNER}/no-such-prompt`],
        ['pull', name, '--version', '9.9.9', '-o', 'x'],
      ]) {
        const outcome = await run(args, { cwd })
        expect(outcome).toMatchObject({ code: 2, stdout: '', left: [] })
        expect(outcome.stderr).toMatch(/^hubcli: .*\(404\)\n$/)
      }
      expect(readdirSync(cwd)).toEqual([])
    })

    test.concurrent('a token that is not known is exit 3, an empty content and a long changelog exit 4', async () => {
      const cwd = makeFolder()
      writeFileSync(path.join(cwd, 'f'), 'x')
      const name = freshName()
      const unknown = { HUB_TOKEN: `hub_${'0'.repeat(38)}` }
      const refused = await run(['push', name, 'f', 'c', 'patch'], { cwd, env: unknown })
      expect(refused).toMatchObject({ code: 3, stdout: '', left: [] })
      expect(refused.stderr).toMatch(/^hubcli: .*\(401\)\n$/)
      expect(await push(name, '')).toMatchObject({ code: 4, stdout: '' })
      expect(await push(name, ' \n')).toMatchObject({ code: 4, stdout: '' })
      expect(await push(name, 'x', 'c'.repeat(501))).toMatchObject({ code: 4, stdout: '' })
      expect(await push(name, 'x'.repeat(262_145))).toMatchObject({ code: 4, stdout: '' })
      expect(await run(['cat', name])).toMatchObject({ code: 2 })
    })

    const tables = test.skipIf(PYTHON === undefined).concurrent
    const python = PYTHON === undefined ? ' (SKIPPED: python3 is missing; apt-get install python3)' : ''

    tables(`versions lists the versions, highest first${python}`, async () => {
      const name = freshName()
      await push(name, 'one', 'First')
      await push(name, 'two', 'Second\nline', 'minor')
      const { stdout, ...outcome } = await run(['versions', name], { tools: withPython })
      expect(outcome).toMatchObject({ code: 0, stderr: '', left: [] })
      expect(stdout.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/^1\.1\.0 {2}\d{4}-\d\d-\d\d {2}\S+ {2}Second line$/),
        expect.stringMatching(/^1\.0\.0 {2}\d{4}-\d\d-\d\d {2}\S+ {2}First$/),
      ])
      expect(await run(['versions', `${OWNER}/no-such-prompt`], { tools: withPython })).toMatchObject({ code: 2 })
    })

    tables(`search finds a prompt by its name, and nothing is no error${python}`, async () => {
      const answer = await fetch(`${hub}/api/v1/repos`)
      const { data } = (await answer.json()) as { data: { full_name: string }[] }
      const fullName = data[0]?.full_name ?? ''
      const found = await run(['search', fullName.split('/')[1] ?? ''], { tools: withPython })
      expect(found).toMatchObject({ code: 0, left: [] })
      expect(found.stdout.split('\n').some((line) => line.startsWith(`${fullName} `))).toBe(true)
      const nothing = await run(['search', 'zzqxjk "*" AND $(id) & é%20#'], { tools: withPython })
      expect(nothing).toMatchObject({ code: 0, stdout: '', stderr: 'hubcli: nothing found\n' })
    })
  })

  describe('before anything is sent', () => {
    test.concurrent.each(LOCAL)('%s', async (_, args, sentence) => {
      await withStandIn(undefined, async ({ url, requests }) => {
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'f'), 'x')
        const outcome = await runHubcli(shell, args, { cwd, env: { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN } })
        expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
        expect(outcome.stderr).toMatch(sentence)
        expect(outcome.stderr).toMatch(/^hubcli: [^\n]*\n$/)
        expect(outcome.stderr).not.toMatch(/[\x00-\x09\x0B-\x1F]/)
        expect(requests).toEqual([])
        expect(readdirSync(cwd)).toEqual(['f'])
      })
    })

    test.concurrent.each(TOKENS)('push with %s', async (_, env, sentence) => {
      await withStandIn(undefined, async ({ url, requests }) => {
        const outcome = await runHubcli(shell, ['push', 'acme/a', HUBCLI, 'c', 'patch'], {
          env: { ...env, HUB_URL: url },
        })
        expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
        expect(outcome.stderr).toMatch(sentence)
        expect(outcome.stderr).not.toContain('Tok3n')
        expect(requests).toEqual([])
      })
    })

    test.concurrent.each(NOT_TEXT)('push of %s', async (_, content, sentence) => {
      await withStandIn(undefined, async ({ url, requests }) => {
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'f'), content)
        const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
        const outcome = await runHubcli(shell, ['push', 'acme/a', 'f', 'c', 'patch'], { cwd, env })
        expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
        expect(outcome.stderr).toMatch(sentence)
        expect(outcome.stderr).toMatch(/^hubcli: f [^\n]*\n$/)
        expect(requests).toEqual([])
      })
    })

    test.concurrent.each(ADDRESSES)('HUB_URL %j', async (url) => {
      const outcome = await runHubcli(shell, ['cat', 'acme/code-review'], {
        env: { HUB_URL: url },
        tools: withoutCurl(),
      })
      expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
      expect(outcome.stderr).toMatch(/^hubcli: HUB_URL: expected [^\n]*\n$/)
    })

    test.concurrent.each([
      ['http://localhost:8888', 'http://localhost:8888/api/v1/repos/a/b/raw'],
      ['http://localhost', 'http://localhost/api/v1/repos/a/b/raw'],
      ['http://[::1]:80/', 'http://[::1]:80/api/v1/repos/a/b/raw'],
      ['https://hub.example.com', 'https://hub.example.com/api/v1/repos/a/b/raw'],
      ['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443/api/v1/repos/a/b/raw'],
      ['https://example.com/hub/', 'https://example.com/hub/api/v1/repos/a/b/raw'],
      ['', 'http://localhost:8888/api/v1/repos/a/b/raw'],
    ])('HUB_URL %j is asked at %s', async (HUB_URL, address) => {
      const { tools, calls } = recordingTools(shell, 'exit 7')
      expect(await runHubcli(shell, ['cat', 'a/b'], { env: { HUB_URL }, tools })).toMatchObject({ code: 5, left: [] })
      const curl = calls().find(([tool]) => tool === 'curl') ?? []
      expect(curl.at(-1)).toBe(address)
      expect(curl[curl.indexOf('--proto') + 1]).toBe(`=${address.split(':')[0]}`)
    })

    test.concurrent.each(TABLE_COMMANDS)('%s without python3', async (_, args) => {
      await withStandIn(undefined, async ({ url, requests }) => {
        const outcome = await runHubcli(shell, args, { env: { HUB_URL: url } })
        expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
        expect(outcome.stderr).toBe('hubcli: python3 is needed for this and was not found in PATH\n')
        expect(requests).toEqual([])
      })
    })

    test.concurrent('without curl', async () => {
      expect(await runHubcli(shell, ['cat', 'acme/code-review'], { tools: withoutCurl() })).toMatchObject({
        code: 1,
        stderr: 'hubcli: curl is needed for this and was not found in PATH\n',
      })
    })

    test.concurrent('without a folder for temporary files', async () => {
      const outcome = await runHubcli(shell, ['cat', 'acme/code-review'], { env: { TMPDIR: '/no such folder' } })
      expect(outcome.code).toBe(1)
      expect(outcome.stderr).toMatch(/^hubcli: cannot make a folder in \/no such folder; .*\n$/)
    })

    // Root may read everything, so for root there is no such file.
    if (!isRoot)
      test.concurrent('push of a file that may not be read', async () => {
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'f'), 'x', { mode: 0 })
        const outcome = await runHubcli(shell, ['push', 'a/b', 'f', 'c', 'patch'], { cwd, env: { HUB_TOKEN: 'x' } })
        expect(outcome).toMatchObject({ code: 1, stderr: 'hubcli: cannot read f\n' })
      })
  })

  describe('answers', () => {
    test.concurrent.each(ANSWERS)('%i%s %s', async (status, retryAfter, body, code, sentence, count) => {
      const headers = {
        'Content-Type': body.startsWith('<') ? 'text/html' : 'application/json',
        ...(retryAfter === '' ? {} : { 'Retry-After': retryAfter }),
      }
      const trouble: Trouble = { kind: 'answer', status, headers, body }
      await withStandIn(
        () => trouble,
        async ({ url, requests }) => {
          const cwd = makeFolder()
          writeFileSync(path.join(cwd, 'PROMPT.md'), 'old')
          const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
          for (const args of [
            ['cat', 'acme/x'],
            ['pull', 'acme/x'],
            ['push', 'acme/x', 'PROMPT.md', 'c', 'patch'],
          ]) {
            const outcome = await runHubcli(shell, args, { cwd, env })
            expect(outcome).toMatchObject({ code, stdout: '', left: [] })
            expect(outcome.stderr).toMatch(sentence)
            expect(outcome.slept).toEqual(count === 1 ? [] : [retryAfter || '1', retryAfter || '2'])
          }
          expect(requests.length).toBe(3 * count)
          expect(new Set(requests.slice(2 * count).map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
          expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('old')
          expect(readdirSync(cwd)).toEqual(['PROMPT.md'])
        },
      )
    })

    test.concurrent.each([
      ['too long to wait for', '61', 1, [], 'try again in 61 s'],
      ['absurd', '99999999999999999999999', 1, [], 'try again in 999999 s'],
      ['just bearable', '60', 3, ['60', '60'], 'try again in 60 s'],
      ['zero', '0', 3, ['0', '0'], 'try again in 0 s'],
      ['with leading zeros', '010', 3, ['10', '10'], 'try again in 10 s'],
      ['a date', 'Wed, 21 Oct 2026 07:28:00 GMT', 3, ['1', '2'], '(503)'],
      ['hostile', '$(id)', 3, ['1', '2'], '(503)'],
      ['negative', '-1', 3, ['1', '2'], '(503)'],
    ])('a Retry-After that is %s', async (_, retryAfter, count, slept, said) => {
      const trouble: Trouble = { kind: 'answer', status: 503, headers: { 'retry-after': retryAfter } }
      await withStandIn(
        () => trouble,
        async ({ url, requests }) => {
          const outcome = await runHubcli(shell, ['cat', 'acme/x'], { env: { HUB_URL: url } })
          expect(outcome).toMatchObject({ code: 5, slept })
          expect(outcome.stderr).toContain(said)
          expect(requests.length).toBe(count)
        },
      )
    })

    test.concurrent('one bad answer is made good by asking again, with the same Idempotency-Key', async () => {
      const once = (_: SeenRequest, number: number): Trouble | undefined =>
        number % 2 === 1 ? { kind: 'answer', status: 503, headers: { 'Retry-After': '3' } } : undefined
      await withStandIn(once, async ({ url, requests }) => {
        const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
        const read = await runHubcli(shell, ['cat', 'acme/code-review', '--version', '1.0.0'], { env })
        expect(read).toMatchObject({ code: 0, stdout: 'Review this.\n', stderr: '', slept: ['3'] })
        for (const name of ['acme/first', 'acme/second'])
          expect(await runHubcli(shell, ['push', name, HUBCLI, 'c', 'patch'], { env })).toMatchObject({
            code: 0,
            slept: ['3'],
          })
        const [first, again, second] = requests.slice(2).map(({ headers }) => headers['idempotency-key'])
        expect(first).toMatch(/^hubcli-[0-9a-f]{32}$/)
        expect(again).toBe(first)
        expect(second).not.toBe(first)
      })
    })

    test.concurrent('an answer lost on the way: push asks again and finds what it wrote', async () => {
      const loseFirst = (_: SeenRequest, number: number): Trouble | undefined =>
        number === 1 ? { kind: 'lose' } : undefined
      await withStandIn(loseFirst, async ({ url, requests }) => {
        const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
        const outcome = await runHubcli(shell, ['push', 'acme/code-review', HUBCLI, 'c', 'patch'], { env })
        expect(outcome).toMatchObject({ code: 0, stderr: '', slept: ['1'] })
        expect(outcome.stdout).toMatch(/^1\.1\.1 /)
        expect(requests[0]?.headers['idempotency-key']).toBe(requests[1]?.headers['idempotency-key'])
        expect(requests[0]?.body.equals(requests[1]?.body ?? Buffer.alloc(0))).toBe(true)
        const list = await fetch(`${url}/api/v1/repos/acme/code-review/versions`)
        expect(await list.json()).toMatchObject({ meta: { total: 3 } })
      })
    })

    test.concurrent('every request says who asks, and no curlrc or proxy meddles', async () => {
      await withStandIn(undefined, async ({ url, requests }) => {
        const HOME = makeFolder()
        writeFileSync(path.join(HOME, '.curlrc'), 'header = "X-Curlrc: yes"\nuser-agent = "x"\nfail\n')
        const proxy = 'http://127.0.0.1:1'
        const env = {
          HUB_URL: `${url}/`,
          HOME,
          CURL_HOME: HOME,
          http_proxy: proxy,
          ALL_PROXY: proxy,
          HUB_TOKEN: STAND_IN_TOKEN,
        }
        expect(await runHubcli(shell, ['cat', 'acme/code-review'], { env })).toMatchObject({ code: 0 })
        expect(await runHubcli(shell, ['push', 'acme/code-review', HUBCLI, 'c', 'patch'], { env })).toMatchObject({
          code: 0,
        })
        for (const { headers } of requests) {
          expect(headers['user-agent']).toBe(`hubcli/1.0.0 (+${url})`)
          expect(headers['x-curlrc']).toBeUndefined()
          expect(headers.expect).toBeUndefined()
        }
        expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, `Bearer ${STAND_IN_TOKEN}`])
      })
    })

    test.concurrent('timeouts are set for every exchange', async () => {
      const { tools, calls } = recordingTools(shell, 'exit 28')
      const outcome = await runHubcli(shell, ['cat', 'a/b'], { tools })
      expect(outcome).toMatchObject({ code: 5, slept: ['1', '2'] })
      const curls = calls().filter(([tool]) => tool === 'curl')
      expect(curls.length).toBe(3)
      for (const words of curls) {
        expect(words[1]).toBe('--disable')
        expect(words[words.indexOf('--connect-timeout') + 1]).toBe('10')
        expect(words[words.indexOf('--max-time') + 1]).toBe('60')
        expect(words.join(' ')).not.toMatch(/ --(location|insecure)| -[kL]/)
      }
    })

    test.concurrent.each([
      [
        'nobody listens',
        'http://127.0.0.1:1',
        /^hubcli: cannot reach http:\/\/127\.0\.0\.1:1: [^\n]*connect[^\n]*\n$/i,
        ['1', '2'],
      ],
      ['https where http is spoken', undefined, /^hubcli: cannot reach https:[^\n]*\n$/, ['1', '2']],
    ])('%s', async (_, address, sentence, slept) => {
      await withStandIn(undefined, async ({ url }) => {
        const env = { HUB_URL: address ?? url.replace('http:', 'https:') }
        const outcome = await runHubcli(shell, ['cat', 'a/b'], { env })
        expect(outcome).toMatchObject({ code: 5, stdout: '', left: [], slept })
        expect(outcome.stderr).toMatch(sentence)
      })
    })

    test.concurrent.each([
      ['cat', ['cat', 'acme/x']],
      ['pull', ['pull', 'acme/x']],
      ['push', ['push', 'acme/x', 'PROMPT.md', 'c', 'patch']],
      ...(withPython === undefined ? [] : TABLE_COMMANDS),
    ])('%s: 200 with a page of HTML is not taken for an answer', async (_, args) => {
      const page: Trouble = {
        kind: 'answer',
        status: 200,
        headers: { 'Content-Type': 'text/html' },
        body: '<h1>Sign in to the Wi-Fi</h1>',
      }
      await withStandIn(
        () => page,
        async ({ url }) => {
          const cwd = makeFolder()
          writeFileSync(path.join(cwd, 'PROMPT.md'), 'old')
          const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
          const outcome = await runHubcli(shell, args, { cwd, env, tools: withPython })
          expect(outcome).toMatchObject({ code: 5, stdout: '', left: [] })
          expect(outcome.stderr).toMatch(/^hubcli: [^\n]* answered with text\/html [^\n]*is it a Prompt Hub\?\n$/)
          expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('old')
        },
      )
    })

    test.concurrent('an accepted push whose answer names no version', async () => {
      for (const body of [
        '{}',
        '{"data":{"version":"1.0.0x"}}',
        '{"data":{"content":"\\"version\\":\\"1.0.0\\""}}',
        '',
      ]) {
        const trouble: Trouble = { kind: 'answer', status: 201, headers: { 'Content-Type': 'application/json' }, body }
        await withStandIn(
          () => trouble,
          async ({ url }) => {
            const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
            const outcome = await runHubcli(shell, ['push', 'acme/x', HUBCLI, 'c', 'patch'], { env })
            expect(outcome).toMatchObject({ code: 5, stdout: '', left: [] })
            expect(outcome.stderr).toMatch(/names no version/)
          },
        )
      }
    })
  })

  describe('redirects', () => {
    const redirect =
      (Location: string, status = 307) =>
      (): Trouble => ({ kind: 'answer', status, headers: { Location } })

    test.concurrent.each([301, 302, 303, 307, 308])('push never follows %i', async (status) => {
      await withStandIn(undefined, async (elsewhere) => {
        await withStandIn(redirect(`${elsewhere.url}/x`, status), async ({ url, requests }) => {
          const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
          const outcome = await runHubcli(shell, ['push', 'acme/x', HUBCLI, 'c', 'patch'], { env })
          expect(outcome).toMatchObject({ code: 5, stdout: '', left: [] })
          expect(outcome.stderr).toMatch(/^hubcli: [^\n]* redirects to [^\n]*, which is not followed; check HUB_URL\n$/)
          expect(requests.length).toBe(1)
          expect(elsewhere.requests).toEqual([])
        })
      })
    })

    test.concurrent('reading follows one, without a token', async () => {
      await withStandIn(undefined, async (elsewhere) => {
        await withStandIn(
          redirect(`${elsewhere.url}/api/v1/repos/acme/code-review/raw?version=1.0.0`, 301),
          async ({ url }) => {
            const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
            expect(await runHubcli(shell, ['cat', 'acme/moved'], { env })).toMatchObject({
              code: 0,
              stdout: 'Review this.\n',
            })
            expect(elsewhere.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
          },
        )
      })
    })

    test.concurrent.each([
      'http://example.com/',
      'http://localhost@example.com/',
      'https://user@example.com/',
      'ftp://localhost/',
      'file:///etc/passwd',
      'gopher://127.0.0.1:11211/_x',
    ])('reading does not follow one to %s', async (location) => {
      await withStandIn(redirect(location), async ({ url, requests }) => {
        const outcome = await runHubcli(shell, ['cat', 'acme/x'], { env: { HUB_URL: url } })
        expect(outcome).toMatchObject({ code: 5, stdout: '', left: [], slept: [] })
        expect(outcome.stderr).toMatch(/^hubcli: [^\n]* redirects to [^\n]*\n$/)
        expect(requests.length).toBe(1)
      })
    })

    test.concurrent('a circle ends', async () => {
      await withStandIn(redirect('/round'), async ({ url, requests }) => {
        expect(await runHubcli(shell, ['cat', 'acme/x'], { env: { HUB_URL: url } })).toMatchObject({
          code: 5,
          slept: [],
        })
        expect(requests.length).toBe(4)
      })
    })
  })

  describe('interrupted', () => {
    const cut = (): Trouble => ({ kind: 'cut', promisedBytes: 1000, body: 'half of' })

    test.concurrent('a transfer that breaks leaves the old file, or none', async () => {
      await withStandIn(cut, async ({ url, requests }) => {
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'PROMPT.md'), 'old')
        const env = { HUB_URL: url }
        for (const args of [
          ['pull', 'acme/x'],
          ['pull', 'acme/x', '-o', 'new'],
          ['cat', 'acme/x'],
        ]) {
          const outcome = await runHubcli(shell, args, { cwd, env })
          expect(outcome).toMatchObject({ code: 5, stdout: '', left: [], slept: ['1', '2'] })
          expect(outcome.stderr).toMatch(/^hubcli: cannot reach [^\n]*\n$/)
        }
        expect(requests.length).toBe(9)
        expect(readdirSync(cwd)).toEqual(['PROMPT.md'])
        expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('old')
      })
    })

    test.concurrent('a transfer that breaks once is whole in the end', async () => {
      await withStandIn(
        (_, number) => (number === 1 ? cut() : undefined),
        async ({ url }) => {
          const outcome = await runHubcli(shell, ['cat', 'acme/code-review', '--version', '1.0.0'], {
            env: { HUB_URL: url },
          })
          expect(outcome).toMatchObject({ code: 0, stdout: 'Review this.\n', stderr: '', slept: ['1'] })
        },
      )
    })

    test.concurrent.each([
      ['SIGTERM', 143],
      ['SIGINT', 130],
      ['SIGHUP', 129],
    ] as const)('%s while waiting leaves nothing behind', async (signal, code) => {
      const arrived = Promise.withResolvers<void>()
      const hang = (): Trouble => {
        arrived.resolve()
        return { kind: 'hang' }
      }
      await withStandIn(hang, async ({ url }) => {
        const cwd = makeFolder()
        const outcome = await runHubcli(shell, ['pull', 'acme/x'], {
          cwd,
          env: { HUB_URL: url },
          onStart: ({ pid = 0 }) => void arrived.promise.then(() => process.kill(-pid, signal)),
        })
        expect(outcome).toMatchObject({ code, left: [] })
        expect(readdirSync(cwd)).toEqual([])
      })
    })

    test.concurrent('a full disk: the old file stays', async () => {
      await withStandIn(undefined, async ({ url }) => {
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'PROMPT.md'), 'old')
        const tools = makeTools()
        rmSync(path.join(tools, 'mv'))
        writeScript(tools, 'mv', 'echo "mv: No space left on device" >&2; exit 1')
        const outcome = await runHubcli(shell, ['pull', 'acme/code-review'], { cwd, tools, env: { HUB_URL: url } })
        expect(outcome).toMatchObject({ code: 1, stderr: 'hubcli: cannot write PROMPT.md\n', left: [] })
        expect(readdirSync(cwd)).toEqual(['PROMPT.md'])
        expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('old')
      })
    })

    test.concurrent('standard output that takes nothing', async () => {
      await withStandIn(undefined, async ({ url }) => {
        const cwd = makeFolder()
        const wrapper = path.join(cwd, 'full')
        writeFileSync(wrapper, `${commandLine(shell)} cat acme/code-review >&-\n`)
        const outcome = await runHubcli(shell, [], { cwd, script: wrapper, env: { HUB_URL: url } })
        expect(outcome).toMatchObject({ code: 1, stderr: 'hubcli: cannot write to standard output\n', left: [] })
      })
    })

    test.concurrent('pull gives the file the usual mode and replaces a link, not what it points to', async () => {
      await withStandIn(undefined, async ({ url }) => {
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'target'), 'old')
        symlinkSync('target', path.join(cwd, 'PROMPT.md'))
        expect(await runHubcli(shell, ['pull', 'acme/code-review'], { cwd, env: { HUB_URL: url } })).toMatchObject({
          code: 0,
        })
        expect(readFileSync(path.join(cwd, 'target'), 'utf8')).toBe('old')
        expect(statSync(path.join(cwd, 'PROMPT.md')).mode & 0o777).toBe(0o666 & ~process.umask())
      })
    })
  })

  describe('hostile text', () => {
    test.concurrent('in an error', async () => {
      const body = `{"error":{"code":"x","message":${JSON.stringify(HOSTILE)}}}`
      // JSON.stringify escapes C0 alone; the same text with raw bytes, and with everything escaped, must be as harmless.
      const raw = `{"error":{"code":"x","message":"${HOSTILE}"}}`
      const escaped = `{"error":{"code":"x","message":"${[...HOSTILE].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}}`
      const latin1 = Buffer.from('{"error":{"code":"x","message":"a\x9B2Jb\xE9"}}', 'latin1')
      for (const answer of [body, raw, escaped, latin1]) {
        const trouble: Trouble = {
          kind: 'answer',
          status: 404,
          headers: { 'Content-Type': 'application/json' },
          body: answer,
        }
        await withStandIn(
          () => trouble,
          async ({ url }) => {
            const outcome = await runHubcli(shell, ['cat', 'acme/x'], { env: { HUB_URL: url } })
            expect(outcome.code).toBe(2)
            expect(outcome.stderr).toMatch(/^hubcli: [^\n]*\(404\)\n$/)
            expect(outcome.stderr).not.toMatch(CONTROLS)
          },
        )
      }
    })

    test.concurrent('in the address of a published version and in a header', async () => {
      const data = { version: '1.0.0', url: `https://x/${HOSTILE}` }
      const answers: Trouble[] = [
        {
          kind: 'answer',
          status: 201,
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ data }),
        },
        { kind: 'answer', status: 200, headers: { 'Content-Type': 'text/\x9B2J' } },
      ]
      for (const answer of answers) {
        await withStandIn(
          () => answer,
          async ({ url }) => {
            const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
            const { stdout, stderr } = await runHubcli(shell, ['push', 'acme/x', HUBCLI, 'c', 'patch'], { env })
            expect(stdout + stderr).toMatch(/^(1\.0\.0 https:\/\/x\/a|hubcli: )[^\n]*\n$/)
            expect(stdout + stderr).not.toMatch(CONTROLS)
          },
        )
      }
    })

    const tables = test.skipIf(PYTHON === undefined).concurrent
    const python = PYTHON === undefined ? ' (SKIPPED: python3 is missing; apt-get install python3)' : ''

    tables(`in tables${python}`, async () => {
      const meta = { page: 1, pages: 3, total: 57 }
      const data = [
        { full_name: HOSTILE, latest_version: null, title: HOSTILE, status: 'archived\x1B[0m' },
        { full_name: 'acme/b', latest_version: '1.0.0', title: '表 \ud800', status: 'active' },
        { full_name: 'acme/c', latest_version: '1.0.0', title: "'; import os; os.system('id') #" },
      ]
      const versions = [
        {
          version: '1.0.1',
          published_at: '2026-11-20T10:00:00Z',
          published_by: HOSTILE,
          changelog: HOSTILE,
          yanked: true,
          yank_reason: HOSTILE,
        },
        {
          version: '1.0.0',
          published_at: '2026-11-20T10:00:00Z',
          published_by: 'octocat',
          changelog: 'First',
          yanked: true,
          yank_reason: null,
        },
      ]
      const answer = ({ url }: SeenRequest): Trouble => ({
        ...{ kind: 'answer', status: 200, headers: { 'Content-Type': 'application/json' } },
        body: JSON.stringify({ data: url.endsWith('/versions') ? versions : data, meta }),
      })
      await withStandIn(answer, async ({ url, requests }) => {
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'json.py'), 'raise SystemExit(99)')
        const options = { cwd, env: { HUB_URL: url, PYTHONPATH: cwd }, tools: withPython }
        const search = await runHubcli(shell, ['search', '--', `-x '"\n$(id)&é`], options)
        expect(search).toMatchObject({ code: 0, stderr: 'hubcli: the best 3 of 57; more words find fewer\n' })
        expect(search.stdout).not.toMatch(CONTROLS)
        expect(search.stdout.split('\n').length).toBe(4)
        expect(search.stdout).toContain('(archived [0m)')
        expect(new URL(requests[0]?.url ?? '', url).searchParams.get('q')).toBe(`-x '"\n$(id)&é`)
        const list = await runHubcli(shell, ['versions', 'acme/x'], options)
        expect(list).toMatchObject({ code: 0, stderr: '' })
        expect(list.stdout).not.toMatch(CONTROLS)
        expect(list.stdout.split('\n')[0]).toMatch(/^1\.0\.1 {2}2026-11-20 {2}.* \[yanked: .*\] /)
        expect(list.stdout.split('\n')[1]).toMatch(/^1\.0\.0 {2}2026-11-20 {2}octocat +\[yanked\] First$/)
      })
    })

    tables(`a list that is none is exit 5${python}`, async () => {
      for (const body of [
        '',
        '{',
        '[]',
        '{"data":null}',
        '{"data":[1],"meta":{"total":1}}',
        '{"data":[{}],"meta":{"total":1}}',
        '{"data":[],"meta":{"total":"x"}}',
        `${'['.repeat(100_000)}`,
      ]) {
        const trouble: Trouble = { kind: 'answer', status: 200, headers: { 'Content-Type': 'application/json' }, body }
        await withStandIn(
          () => trouble,
          async ({ url }) => {
            const outcome = await runHubcli(shell, ['search', 'x'], { env: { HUB_URL: url }, tools: withPython })
            expect(outcome).toMatchObject({ code: 5, stdout: '', left: [] })
            expect(outcome.stderr).toMatch(/^hubcli: [^\n]* did not answer with a list; [^\n]*\n$/)
          },
        )
      }
    })

    tables(`in a content: exact in a pipe, harmless on a terminal${python}`, async () => {
      for (const [content, shown] of [
        [Buffer.from(`${HOSTILE}\tend é😀\r\n`), 'a[31mb]0;titlec2Jdefghijk\tend é😀\r\n'],
        [Buffer.from('caf\xE9 \x9B2J\n', 'latin1'), 'caf 2J\r\n'],
      ] as const) {
        const trouble: Trouble = {
          kind: 'answer',
          status: 200,
          headers: { 'Content-Type': 'text/plain; charset=utf-8' },
          body: content,
        }
        await withStandIn(
          () => trouble,
          async ({ url }) => {
            const env = { HUB_URL: url }
            expect((await runHubcli(shell, ['cat', 'acme/x'], { env })).bytes.equals(content)).toBe(true)
            const terminal = await runHubcli(shell, ['cat', 'acme/x'], { env, inTerminal: true })
            expect(terminal).toMatchObject({ code: 0, stdout: shown })
          },
        )
      }
    })

    tables(`tables have a head for people alone${python}`, async () => {
      await withStandIn(undefined, async ({ url }) => {
        const options = { env: { HUB_URL: url }, tools: withPython, inTerminal: true }
        const { stdout } = await runHubcli(shell, ['search', 'code'], options)
        expect(stdout.split('\r\n')).toEqual([
          'NAME              VERSION  TITLE',
          'acme/code-review  1.1.0    The code-review',
          '',
        ])
      })
    })
  })

  describe('the token', () => {
    test.concurrent('is in no argument and no environment of any program, in no output and no file', async () => {
      const refuse = (_: SeenRequest, number: number): Trouble | undefined =>
        number === 1
          ? { kind: 'answer', status: 503 }
          : number === 3
            ? { kind: 'answer', status: 500, headers: { 'Retry-After': '99' } }
            : undefined
      await withStandIn(refuse, async ({ url, requests }) => {
        const { tools, calls, environments } = recordingTools(shell)
        for (const [options, code] of [
          [[], 0],
          [['-x'], 5],
          [['-v'], 0],
        ] as const) {
          const outcome = await runHubcli(shell, ['push', 'acme/recorded', HUBCLI, 'c', 'patch'], {
            tools,
            env: { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN },
            shellOptions: [...options],
          })
          expect(outcome).toMatchObject({ code, left: [] })
          expect(outcome.stdout + outcome.stderr).not.toContain(STAND_IN_TOKEN.slice(4, 20))
        }
        expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill(`Bearer ${STAND_IN_TOKEN}`))
        // The proof is worth nothing unless the calls were seen.
        expect(calls().filter(([tool]) => tool === 'curl').length).toBe(4)
        expect(new Set(calls().map(([tool]) => tool))).toEqual(
          new Set(['curl', 'sleep', ...STANDARD_TOOLS.filter((tool) => tool !== 'mv')]),
        )
        expect(JSON.stringify(calls())).not.toContain(STAND_IN_TOKEN.slice(4, 20))
        const curls = environments().filter(([tool]) => tool === 'curl')
        expect(curls.length).toBe(4)
        expect(JSON.stringify(curls)).not.toContain(STAND_IN_TOKEN.slice(4, 20))
      })
    })
  })

  describe('to people', () => {
    test.concurrent.each([['help'], ['--help'], ['-h'], ['pull', '--help'], ['push', '-h']])(
      '%s %s',
      async (...args) => {
        const outcome = await runHubcli(shell, args.filter(Boolean), { env: { HUB_URL: 'https://hub.example.com' } })
        expect(outcome).toMatchObject({ code: 0, stderr: '', left: [] })
        for (const word of ['pull', 'cat', 'search', 'versions', 'push', 'HUB_TOKEN', 'https://hub.example.com'])
          expect(outcome.stdout).toContain(word)
        expect(Math.max(...outcome.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
      },
    )

    test.concurrent('--version', async () => {
      expect(await runHubcli(shell, ['--version'])).toMatchObject({ code: 0, stdout: 'hubcli 1.0.0\n', stderr: '' })
    })

    test.concurrent('half a script does nothing', async () => {
      const folder = makeFolder()
      const half = path.join(folder, 'hubcli')
      const script = readFileSync(HUBCLI, 'utf8')
      writeFileSync(half, script.slice(0, script.lastIndexOf('main "$@"')))
      expect(await runHubcli(shell, ['help'], { script: half })).toMatchObject({ code: 0, stdout: '', stderr: '' })
    })
  })
})

describe('other awks give the same bytes', () => {
  const shell = SHELLS[0] as Shell
  // The one in PATH and busybox's have been tried with the shells; original-awk is the one of macOS and the BSDs.
  const awks = ['gawk', 'mawk', 'original-awk'].filter((name) => findProgram(name) !== undefined && !isAwkInPath(name))
  const none = awks.length === 0 ? ' (SKIPPED: there is no other one here; apt-get install mawk gawk original-awk)' : ''
  test.skipIf(awks.length === 0)(`another awk is here${none}`, () => expect(awks).not.toEqual([]))
  test.concurrent.each(awks)('%s', async (name) => {
    const tools = makeTools({ awk: findProgram(name) })
    await withStandIn(undefined, async ({ url }) => {
      for (const [index, [, content]] of CORPUS.entries()) {
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'f'), content)
        const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
        const outcome = await runHubcli(shell, ['push', `acme/p${index}`, 'f', 'c', 'patch'], { cwd, env, tools })
        expect(outcome).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^1\.0\.0 http\S+\n$/) })
        const raw = await fetch(`${url}/api/v1/repos/acme/p${index}/raw`)
        expect(Buffer.from(await raw.arrayBuffer()).equals(Buffer.from(content))).toBe(true)
      }
    })
  })
})

test('completion works in bash', () => {
  const complete = (...words: string[]) =>
    execFileSync(SHELLS[1]?.command[0] ?? 'bash', [
      '-c',
      `eval "$(sh "$0" completion)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hubcli; printf '%s\\n' "\${COMPREPLY[@]}"`,
      HUBCLI,
      ...words,
    ]).toString()
  expect(complete('hubcli', 'p')).toBe('pull\npush\n')
  expect(complete('hubcli', 'push', 'acme/a', 'f', 'c', 'm')).toBe('major\nminor\n')
  expect(complete('hubcli', 'pull', 'acme/a', '-')).toBe('--version\n-o\n')
})

test('hubcli is executable, ASCII, and short enough to read', () => {
  const script = readFileSync(HUBCLI, 'utf8')
  expect(statSync(HUBCLI).mode & 0o111).toBe(0o111)
  expect(script).not.toMatch(/[^\x00-\x7F]/)
  expect(script.split('\n').length).toBeLessThan(660)
})

const shellcheck = findProgram('shellcheck')
test.skipIf(shellcheck === undefined)(
  `shellcheck finds nothing${shellcheck === undefined ? ' (SKIPPED: shellcheck is missing; apt-get install shellcheck)' : ''}`,
  () => {
    expect(execFileSync(shellcheck ?? '', ['--shell=sh', '--severity=style', HUBCLI]).toString()).toBe('')
  },
)

test.skipIf(BUSYBOX === undefined)(
  `busybox ash and its tools are among the shells${BUSYBOX === undefined ? ' (SKIPPED: busybox is missing; apt-get install busybox)' : ''}`,
  () => expect(SHELLS.map(({ name }) => name)).toContain('busybox ash'),
)

function fault(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } })
}

async function withStandIn(
  misbehave: Parameters<typeof startStandIn>[0],
  use: (standIn: StandIn) => Promise<void>,
): Promise<void> {
  const standIn = await startStandIn(misbehave)
  try {
    await use(standIn)
  } finally {
    await standIn.close()
  }
}

/** hubcli under a shell, as words for another shell script. */
function commandLine({ command }: Shell): string {
  return [...command, HUBCLI].map((word) => `'${word}'`).join(' ')
}

function isAwkInPath(name: string): boolean {
  return realpathSync(findProgram(name) ?? '') === realpathSync(findProgram('awk') ?? '')
}

/** A PATH without curl. */
function withoutCurl(): string {
  const tools = makeTools()
  rmSync(path.join(tools, 'curl'))
  return tools
}

/**
 * A PATH in which every program first notes what it was called with.
 *
 * @param instead what curl does in place of being called
 */
function recordingTools(shell: Shell, instead?: string) {
  const [tools, notes] = [makeFolder(), makeFolder()]
  const writeRecorder = (tool: string, then: string) =>
    writeScript(
      tools,
      tool,
      `{ printf '%s\\0' ${tool} "$@"; printf '\\n\\0'; } >>"${notes}/calls"\n{ printf '%s\\0' ${tool} "$(export -p)"; printf '\\n\\0'; } >>"${notes}/environments"\n${then}`,
    )
  for (const tool of readdirSync(shell.tools)) {
    const real = path.join(shell.tools, tool)
    writeRecorder(tool, tool === 'curl' && instead !== undefined ? instead : `exec "${real}" "$@"`)
  }
  const read = (name: string) =>
    readFileSync(path.join(notes, name), 'utf8')
      .split('\n\0')
      .filter(Boolean)
      .map((call) => call.split('\0').slice(0, -1))
  return { tools, calls: () => read('calls'), environments: () => read('environments') }
}
