// Checks which version cat, pull and render return and how many requests they send, with and without a prompts.lock in
// the folder.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type PlainFiles, sha256, startPlainFiles } from './plain-files.ts'
import { makeFolder, runHubcli, SHELL } from './shells.ts'
import { STAND_IN_TOKEN, withStandIn } from './stand-in.ts'

const variable = {
  name: 'who',
  description: '',
  type: 'string',
  required: true,
  default: 'all',
  options: [],
  example: null,
}
/** A URL at which no server listens. */
const NOWHERE = 'http://127.0.0.1:9'
let hub: PlainFiles
let cwd: string
beforeEach(async () => {
  hub = await startPlainFiles('hub', {
    'acme/x': {
      versions: { '1.0.0': 'one {{who}}', '1.2.0': 'one two {{who}}\r\n', '2.0.0': 'two {{who}}', '2.1.0': 'leak' },
      labels: { production: '1.0.0' },
      yanked: { '2.1.0': 'It leaks' },
      variables: [variable],
    },
  })
  cwd = makeFolder()
})
afterEach(() => hub.close())

describe('hubcli', () => {
  const run = (args: string[], env: Record<string, string> = {}, tools = SHELL.tools) =>
    runHubcli(SHELL, args, { cwd, env: { HUB_URL: hub.url, ...env }, tools })
  const RAW = '/api/v1/repos/acme/x/raw'

  describe('version selection and requests', () => {
    test.each<[string, string[], string, string[]]>([
      ['the latest version', ['acme/x'], 'two {{who}}', [RAW]],
      ['a label', ['acme/x@production'], 'one {{who}}', [`${RAW}?label=production`]],
      ['a version', ['acme/x@1.2.0'], 'one two {{who}}\r\n', [`${RAW}?version=1.2.0`]],
      ['a version given by the option', ['acme/x', '--version', '1.0.0'], 'one {{who}}', [`${RAW}?version=1.0.0`]],
    ])('%s', async (_, args, stdout, asked) => {
      expect(await run(['cat', ...args], {}, SHELL.bare)).toMatchObject({ code: 0, stdout, stderr: '', left: [] })
      expect(hub.asked).toEqual(asked)
    })

    test.each([
      ['of the API', '/api/v1/repos/acme/x/versions/1.0.0/capabilities'],
      ['of a mirror', '/data/v1/repos/acme/x/capabilities/1.0.0.json'],
    ])('info shows what a version can do, from the files %s, the most unusual first', async (_, place) => {
      const info = ['info', 'acme/x@production']
      expect(await run(info)).toMatchObject({
        code: 0,
        stdout: `acme/x 1.0.0\nvariables: who\nsha256: ${sha256('one {{who}}')}\ncan do: the hub does not say\n`,
      })
      const data = [
        { kind: 'network', severity: 'info', path: 'SKILL.md', line: 1, text: 'x.example\u001b[2J' },
        { kind: 'hides', severity: 'danger', path: 'a.sh', line: null, text: 'history -c' },
      ]
      let found: unknown = data
      hub.meddle = (asked, answer) => {
        if (!asked.includes('/capabilities')) return false
        if (asked === place) answer.end(JSON.stringify({ data: found }))
        else answer.writeHead(404).end('<h1>Not found</h1>')
        return true
      }
      const { stdout } = await run(info)
      expect(stdout.split('can do:\n')[1]).toBe(
        'danger  hides    history -c     a.sh\ninfo    network  x.example [2J  SKILL.md:1\n',
      )
      expect(JSON.parse((await run([...info, '--json'])).stdout)).toMatchObject({
        version: { version: '1.0.0' },
        capabilities: [data[1], data[0]],
      })
      found = []
      expect((await run(info)).stdout).toContain("can do: nothing that the hub's rules find\n")
      found = ['x']
      expect((await run(info)).stdout).toContain('can do: the hub does not say\n')
    })

    test('reads the record if the response has no checksum', async () => {
      hub.isPlain = true
      expect(await run(['cat', 'acme/x'])).toMatchObject({ code: 0, stdout: 'two {{who}}', stderr: '' })
      expect(hub.asked).toEqual([RAW, '/api/v1/repos/acme/x'])
      expect(await run(['cat', 'acme/x@2.1.0'])).toMatchObject({
        code: 0,
        stdout: 'leak',
        stderr: 'hubcli: warning: acme/x 2.1.0 was yanked: It leaks\n',
      })
    })

    test('cat works when the version list is unavailable', async () => {
      hub.meddle = (asked, answer) => {
        if (!asked.endsWith('versions.json')) return false
        answer.writeHead(503).end()
        return true
      }
      expect(await run(['cat', 'acme/x@2.1.0'])).toMatchObject({
        code: 0,
        stderr: 'hubcli: warning: acme/x 2.1.0 was yanked\n',
      })
    })

    test('rejects content that does not match its digest', async () => {
      hub.meddle = (asked, answer) => {
        if (!asked.startsWith(RAW)) return false
        const digest = Buffer.from(sha256('two'), 'hex').toString('base64')
        answer.writeHead(200, { 'Content-Type': 'text/plain', 'Repr-Digest': `sha-512=:AA==:, sha-256=:${digest}:` })
        answer.end('evil')
        return true
      }
      expect(await run(['cat', 'acme/x'])).toMatchObject({ code: 4, stdout: '' })
    })
  })

  describe('ranges and the lock file', () => {
    // The shell part passes all of these on, as those show that run the whole script.
    const program = (args: string[], env: Record<string, string> = {}) =>
      runHubcli(SHELL, args, { cwd, env: { HUB_URL: hub.url, ...env }, isPassedOn: true })

    test('cat, pull and render accept name@range', async () => {
      expect(await run(['cat', 'acme/x@^1'])).toMatchObject({ code: 0, stdout: 'one two {{who}}\r\n', stderr: '' })
      expect(await program(['pull', 'acme/x@~1.0', '-o', 'p'])).toMatchObject({ code: 0 })
      expect(readFileSync(path.join(cwd, 'p'), 'utf8')).toBe('one {{who}}')
      expect(await program(['render', 'acme/x@^1'])).toMatchObject({ code: 0, stdout: 'one two all\r\n' })
      expect(await program(['render', 'acme/x@production'])).toMatchObject({ code: 0, stdout: 'one all' })
      expect(await program(['cat', 'acme/x@^3'])).toMatchObject({
        code: 2,
        stderr: 'hubcli: acme/x has no version that ^3 allows; it has: 2.0.0, 1.2.0, 1.0.0\n',
      })
      expect(await program(['cat', 'acme/x@~2.1'])).toMatchObject({
        code: 2,
        stderr: 'hubcli: acme/x 2.1.0 was yanked: It leaks; it has: 2.0.0, 1.2.0, 1.0.0\n',
      })
      expect(await program(['render', 'acme/x@staging'])).toMatchObject({
        code: 2,
        stderr: 'hubcli: acme/x has no label staging; it has: production\n',
      })
    })

    test('a key gets the second version of a label, also one since the last build, but none that was yanked', async () => {
      const prompt = hub.prompts['acme/x']!
      const cat = () => program(['cat', 'acme/x@production', '--key', 'user-1'])
      for (const unbuilt of [[], ['2.0.0']]) {
        Object.assign(prompt, { split: { version: '2.0.0', percent: 99, salt: 'a'.repeat(16) }, unbuilt })
        expect(await cat()).toMatchObject({ code: 0, stdout: 'two {{who}}', stderr: '' })
      }
      Object.assign(prompt, { split: { ...prompt.split, version: '2.1.0' }, unbuilt: [] })
      expect(await cat()).toMatchObject({ code: 2, stdout: '' })
    })

    test.each<[string, string[], RegExp]>([
      ['an invalid range', ['acme/x@>=1'], /expected a range such as \^1\.2 or a label's name after @, got >=1/],
      ['nothing after @', ['acme/x@'], /expected a range or a label after @/],
      [
        'a range and a version',
        ['acme/x@^1', '--version', '1.0.0'],
        /@\^1: expected no --version, --label or --locked/,
      ],
      ['--locked and a label', ['acme/x', '--locked', '--label', 'a'], /--locked: expected no --version or --label/],
      ['a missing lock file', ['acme/x', '--locked'], /No lock at prompts\.lock/],
    ])('rejected before any request: %s', async (_, args, sentence) => {
      for (const command of ['cat', 'render']) {
        const outcome = await program([command, ...args])
        expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
        expect(outcome.stderr).toMatch(sentence)
      }
      expect(hub.asked).toEqual([])
    })

    test('returns the latest version and says so; --locked returns the locked one without the network', async () => {
      await program(['add', 'acme/x@^1'])
      const said = 'hubcli: acme/x 2.0.0, the latest; prompts.lock has 1.2.0, which --locked gives\n'
      expect(await run(['cat', 'acme/x'])).toMatchObject({ code: 0, stdout: 'two {{who}}', stderr: said })
      expect(await program(['render', 'acme/x'])).toMatchObject({ code: 0, stdout: 'two all', stderr: said })
      expect(await program(['cat', 'acme/x@2.0.0'])).toMatchObject({ code: 0, stderr: '' })
      const away = { HUB_URL: NOWHERE }
      expect(await program(['cat', 'acme/x', '--locked'], away)).toMatchObject({
        code: 0,
        stdout: 'one two {{who}}\r\n',
        stderr: '',
        left: [],
      })
      expect(await program(['pull', 'acme/x', '--locked', '-o', 'p'], away)).toMatchObject({ code: 0, stderr: '' })
      expect(readFileSync(path.join(cwd, 'p'), 'utf8')).toBe('one two {{who}}\r\n')
      // The lock file contains the default value, so no request is needed.
      const filled = await program(['render', 'acme/x', '--locked', '--var', 'who=you'], away)
      expect(filled).toMatchObject({ code: 0, stdout: 'one two you\r\n', stderr: '' })
      expect(await program(['cat', 'acme/y', '--locked'])).toMatchObject({
        code: 1,
        stderr: 'hubcli: acme/y is not in prompts.lock; hubcli add acme/y locks it\n',
      })
      await program(['add', 'acme/x@^2'])
      expect(await program(['cat', 'acme/x'])).toMatchObject({
        code: 0,
        stderr: 'hubcli: acme/x 2.0.0, the latest and the one in prompts.lock\n',
      })
    })

    test('--locked fetches and checks a missing file, and rejects a changed one', async () => {
      await program(['add', 'acme/x@^1', '-o', 'x.md'])
      writeFileSync(path.join(cwd, 'x.md'), 'mine')
      for (const command of ['cat', 'render'])
        expect(await program([command, 'acme/x', '--locked'])).toMatchObject({
          code: 4,
          stdout: '',
          stderr: 'hubcli: x.md is not what prompts.lock says; hubcli install --force restores it\n',
        })
      rmSync(path.join(cwd, 'x.md'))
      expect(await program(['cat', 'acme/x', '--locked'])).toMatchObject({ code: 0, stdout: 'one two {{who}}\r\n' })
      expect(await program(['render', 'acme/x', '--locked'])).toMatchObject({ code: 0, stdout: 'one two all\r\n' })
      hub.prompts['acme/x']!.versions['1.2.0'] = 'republished'
      for (const command of ['cat', 'render']) {
        const outcome = await program([command, 'acme/x', '--locked'])
        expect(outcome).toMatchObject({ code: 4, stdout: '' })
        expect(outcome.stderr).toMatch(/has other bytes for acme\/x 1\.2\.0 than prompts\.lock; nothing was written\n$/)
      }
    })
  })

  describe('push and front matter', () => {
    const push = async (content: string, ...options: string[]) => {
      writeFileSync(path.join(cwd, 'f.prompt'), content)
      let outcome: object = {}
      await withStandIn(undefined, async ({ url, requests }) => {
        const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
        const ran = await run(['push', 'acme/new', 'f.prompt', 'c', 'patch', ...options], env)
        outcome = { ...ran, sent: requests[0]?.body.toString(), type: requests[0]?.headers['content-type'] }
      })
      return outcome
    }

    test.each([
      ['front matter with CRLF after a BOM', '\uFEFF---\r\ntitle: x\r\n---\r\nHi'],
      ['a horizontal rule', '---\nHi'],
    ])('the file is sent unchanged, and with --raw after empty front matter: %s', async (_, content) => {
      // The hub refuses front matter without an end.
      expect(await push(content)).toMatchObject({ sent: content, type: 'text/markdown' })
      expect(await push(content, '--raw')).toMatchObject({ code: 0, sent: `---\n---\n${content}` })
    })

    test('a file that begins with something else is sent unchanged with --raw', async () => {
      const content = ' ---\na: b\n---\n'
      expect(await push(content, '--raw')).toMatchObject({ code: 0, sent: content })
    })
  })
})
