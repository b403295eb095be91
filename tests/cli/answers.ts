// Tests how hubcli handles every kind of response, including no response.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder, recordingTools, runHubcli, SHELL, TEXT_FILE } from './shells.ts'
import { type SeenRequest, STAND_IN_TOKEN, type Trouble, WARNED, withStandIn } from './stand-in.ts'

/** The commands that require python3. */
const TABLE_COMMANDS: [name: string, args: string[]][] = [
  ['search', ['search', 'x']],
  ['versions', ['versions', 'acme/x']],
]

type Answered = [status: number, retryAfter: string, body: string, code: number, sentence: RegExp, requests: number]
const said = (message: string) => `${message}\n`
/** What hubcli prints about a body without a message. */
const NOTHING = /^hubcli: http:\S+ answered without a message/
const VERSIONS = 'at /api/v1/repos/acme/x/versions'
const CLOSE = 'Repository not found: a/x. Did you mean a/y?'

//  status, Retry-After, body, exit code, message, requests
const ANSWERS: Answered[] = [
  [400, '', said('version: expected x.y.z.'), 4, /^hubcli: version: expected x\.y\.z\. \(400\)\n$/, 1],
  [401, '', said('This token has expired.'), 3, /^hubcli: This token has expired\. \(401\)\n$/, 1],
  [404, '', said('No such thing.'), 2, /^hubcli: No such thing\. \(404\)\n$/, 1],
  // Paths of the API become commands.
  [
    404,
    '',
    said(`acme/x has no version 9.9.9. Its versions are listed ${VERSIONS}.`),
    2,
    /^hubcli: acme\/x has no version 9\.9\.9\. See: hubcli versions acme\/x \(404\)\n$/,
    1,
  ],
  [
    404,
    '',
    said(`acme/x has no active version. Its versions are ${VERSIONS}; select one with ?version=.`),
    2,
    /^hubcli: acme\/x has no active version\. See: hubcli versions acme\/x \(404\)\n$/,
    1,
  ],
  [
    404,
    '',
    said(`${CLOSE} Search with /api/v1/repos?q=….`),
    2,
    /^hubcli: Repository not found: a\/x\. Did you mean a\/y\? Search with: hubcli search "<text>" \(404\)\n$/,
    1,
  ],
  [422, '', said('content: no; bump: no'), 4, /^hubcli: content: no; bump: no \(422\)\n$/, 1],
  [429, '7', said('Slow down.'), 5, /^hubcli: Slow down\. \(429, try again in 7 s\)\n$/, 3],
  [503, '2', said('Busy.'), 5, /^hubcli: Busy\. \(503, try again in 2 s\)\n$/, 3],
  [504, '', '<html>Gateway</html>', 5, /^hubcli: http:\S+ answered without a message; .* \(504\)\n$/, 3],
  [501, '', '', 5, /^hubcli: http:\S+ answered without a message; .* \(501\)\n$/, 1],
  [404, '', '<html><h1>"error":{"message":"x"}</h1></html>', 2, NOTHING, 1],
  // Only text is a message: JSON comes from another server.
  [404, '', '{"error":{"message":"no"}}', 2, NOTHING, 1],
  [304, '', '', 5, NOTHING, 1],
]

/** One without a right, one that is refused, and one that is sent again. */
const IN_BOTH = [401, 422, 503]

describe('server responses', () => {
  test.concurrent.each(ANSWERS)('%i%s %s', async (status, retryAfter, body, code, sentence, count) => {
    const headers = {
      'Content-Type': { '<': 'text/html', '{': 'application/json' }[body[0] ?? ''] ?? 'text/plain; charset=utf-8',
      ...(retryAfter === '' ? {} : { 'Retry-After': retryAfter }),
    }
    const trouble: Trouble = { kind: 'answer', status, headers, body }
    await withStandIn(
      () => trouble,
      async ({ url, requests }) => {
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'PROMPT.md'), 'old')
        const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
        // `cat` reads as `pull` does. Both commands judge a response in one place, so one row of each kind is sent to both.
        const commands = [
          ['pull', 'acme/x'],
          ...(IN_BOTH.includes(status) ? [['push', 'acme/x', 'PROMPT.md', 'c', 'patch']] : []),
        ]
        for (const args of commands) {
          const outcome = await runHubcli(SHELL, args, { cwd, env, tools: SHELL.bare })
          expect(outcome).toMatchObject({ code, stdout: '', left: [] })
          expect(outcome.stderr).toMatch(sentence)
          expect(outcome.slept).toEqual(count === 1 ? [] : [retryAfter || '1', retryAfter || '2'])
        }
        // After a 401, which a private hub sends, it asks again with the token.
        const looks = status === 401 ? 1 : 0
        expect(requests.length).toBe(commands.length * count + looks)
        expect(new Set(requests.slice(-count).map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
        expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('old')
        expect(readdirSync(cwd)).toEqual(['PROMPT.md'])
      },
    )
  })

  test.concurrent('a change without the response of a hub is no success', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const answer: Trouble = { kind: 'answer', status: 200, headers, body: '{"data":[]}' }
    await withStandIn(
      () => answer,
      async ({ url }) => {
        const options = { env: { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN } }
        expect(await runHubcli(SHELL, ['label', 'acme/x', 'production', '1.0.0'], options)).toMatchObject({
          code: 5,
          stdout: '',
          stderr: expect.stringContaining('accepted the change, but did not respond like a hub'),
        })
      },
    )
  })

  const waits: [string, string, number, string[], string][] = [
    ['too long to wait', '61', 1, [], 'try again in 61 s'],
    ['absurdly long', '99999999999999999999999', 1, [], 'try again in 999999 s'],
    ['the longest accepted wait', '60', 3, ['60', '60'], 'try again in 60 s'],
    ['a date', 'Wed, 21 Oct 2026 07:28:00 GMT', 3, ['1', '2'], '(503)'],
    ['hostile', '$(id)', 3, ['1', '2'], '(503)'],
  ]
  test.concurrent.each(waits)('Retry-After header: %s', async (_, retryAfter, count, slept, said) => {
    const trouble: Trouble = { kind: 'answer', status: 503, headers: { 'retry-after': retryAfter } }
    await withStandIn(
      () => trouble,
      async ({ url, requests }) => {
        const outcome = await runHubcli(SHELL, ['cat', 'acme/x'], { env: { HUB_URL: url } })
        expect(outcome).toMatchObject({ code: 5, slept })
        expect(outcome.stderr).toContain(said)
        expect(requests.length).toBe(count)
      },
    )
  })

  test.concurrent('retries a failed request with the same Idempotency-Key', async () => {
    const once = (_: SeenRequest, number: number): Trouble | undefined =>
      number % 2 === 1 ? { kind: 'answer', status: 503, headers: { 'Retry-After': '3' } } : undefined
    await withStandIn(once, async ({ url, requests }) => {
      const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
      const read = await runHubcli(SHELL, ['cat', 'acme/code-review', '--version', '1.0.0'], { env })
      expect(read).toMatchObject({ code: 0, stdout: 'Review this.\n', stderr: '', slept: ['3'] })
      for (const name of ['acme/first', 'acme/second'])
        expect(await runHubcli(SHELL, ['push', name, TEXT_FILE, 'c', 'patch'], { env })).toMatchObject({
          code: 0,
          slept: ['3'],
        })
      const [first, again, second] = requests.slice(2).map(({ headers }) => headers['idempotency-key'])
      expect(first).toMatch(/^hubcli-[0-9a-f]{32}$/)
      expect(again).toBe(first)
      expect(second).not.toBe(first)
    })
  })

  test.concurrent('push retries after a lost response and returns the version it already wrote', async () => {
    const loseFirst = (_: SeenRequest, number: number): Trouble | undefined =>
      number === 1 ? { kind: 'lose' } : undefined
    await withStandIn(loseFirst, async ({ url, requests }) => {
      const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
      const outcome = await runHubcli(SHELL, ['push', 'acme/lost', TEXT_FILE, 'c', 'patch'], { env })
      expect(outcome).toMatchObject({ code: 0, stderr: WARNED, slept: ['1'] })
      expect(outcome.stdout).toMatch(/^1\.0\.0 /)
      expect(requests[0]?.headers['idempotency-key']).toBe(requests[1]?.headers['idempotency-key'])
      expect(requests[0]?.body.equals(requests[1]?.body ?? Buffer.alloc(0))).toBe(true)
      const list = await fetch(`${url}/api/v1/repos/acme/lost/versions`)
      expect(await list.json()).toMatchObject({ meta: { total: 1 } })
    })
  })

  test.concurrent('every request has a User-Agent, and .curlrc and proxy settings are ignored', async () => {
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
      expect(await runHubcli(SHELL, ['cat', 'acme/code-review'], { env })).toMatchObject({ code: 0 })
      expect(await runHubcli(SHELL, ['push', 'acme/agent', TEXT_FILE, 'c', 'patch'], { env })).toMatchObject({
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

  test.concurrent('sets timeouts on every request', async () => {
    const { tools, calls } = recordingTools(SHELL, 'exit 28')
    const env = { HUB_TOKEN: STAND_IN_TOKEN }
    for (const args of [
      ['cat', 'a/b'],
      ['push', 'acme/x', TEXT_FILE, 'c', 'patch'],
    ])
      expect(await runHubcli(SHELL, args, { tools, env })).toMatchObject({ code: 5 })
    const curls = calls().filter(([tool]) => tool === 'curl')
    expect(curls.length).toBe(6)
    for (const [at, words] of curls.entries()) {
      expect(words[1]).toBe('--disable')
      expect(words[words.indexOf('--connect-timeout') + 1]).toBe('10')
      expect(words[words.lastIndexOf('--max-time') + 1]).toBe(at < 3 ? '20' : '60')
      expect(words.join(' ')).not.toMatch(/ --(location|insecure)| -[kL]/)
    }
  })

  test.concurrent.each([
    [
      'connection refused',
      'http://127.0.0.1:1',
      /^hubcli: cannot reach http:\/\/127\.0\.0\.1:1: [^\n]*connect[^\n]*\n$/i,
      ['1', '2'],
    ],
    ['https on an http port', undefined, /^hubcli: cannot reach https:[^\n]*\n$/, ['1', '2']],
  ])('%s', async (_, address, sentence, slept) => {
    await withStandIn(undefined, async ({ url }) => {
      const env = { HUB_URL: address ?? url.replace('http:', 'https:') }
      const outcome = await runHubcli(SHELL, ['cat', 'a/b'], { env })
      expect(outcome).toMatchObject({ code: 5, stdout: '', left: [], slept })
      expect(outcome.stderr).toMatch(sentence)
    })
  })

  const commands: [string, string[]][] = [
    ['pull', ['pull', 'acme/x']],
    ['push', ['push', 'acme/x', 'PROMPT.md', 'c', 'patch']],
    ...TABLE_COMMANDS,
  ]
  test.concurrent.each(commands)('%s: rejects a 200 response with an HTML page', async (_, args) => {
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
        const outcome = await runHubcli(SHELL, args, { cwd, env })
        expect(outcome).toMatchObject({ code: 5, stdout: '', left: [] })
        expect(outcome.stderr).toMatch(/^hubcli: [^\n]* answered with text\/html [^\n]*is it a Prompt Hub\?\n$/)
        expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('old')
      },
    )
  })

  test.concurrent('push fails when the success response has no version', async () => {
    for (const body of ['1.0.0x https://example.com\n', '']) {
      const trouble: Trouble = { kind: 'answer', status: 201, headers: { 'Content-Type': 'text/plain' }, body }
      await withStandIn(
        () => trouble,
        async ({ url }) => {
          const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
          const outcome = await runHubcli(SHELL, ['push', 'acme/x', TEXT_FILE, 'c', 'patch'], { env })
          expect(outcome).toMatchObject({ code: 5, stdout: '', left: [] })
          expect(outcome.stderr).toMatch(/response has no version/)
        },
      )
    }
  })
})
