// Tests what hubcli does not trust: endless responses, wrong checksums, plain http, and mirrors.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listen, stop } from '../listen.ts'
import { startPlainFiles } from './plain-files.ts'
import { findProgram, makeFolder, makeTools, runHubcli, SHELL, writeScript } from './shells.ts'
import { STAND_IN_TOKEN, type Trouble, withStandIn } from './stand-in.ts'

const json = (body: object): Trouble => ({
  kind: 'answer',
  status: 201,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

describe('hubcli', () => {
  test.concurrent('stops reading an endless response', async () => {
    let sent = 0
    const server = createServer((_, answer) => {
      answer.writeHead(200, { 'Content-Type': 'text/plain' })
      const chunk = Buffer.alloc(65_536, 97)
      const more = () => {
        // Without a limit, the download would continue until the disk is full.
        while (!answer.destroyed && sent < 400_000_000) {
          sent += chunk.length
          if (!answer.write(chunk)) return void answer.once('drain', more)
        }
        answer.end()
      }
      more()
    })
    const HUB_URL = await listen(server)
    const outcome = await runHubcli(SHELL, ['cat', 'acme/x'], { env: { HUB_URL } })
    await stop(server)
    expect(outcome).toMatchObject({ code: 5, stdout: '', left: [], slept: [] })
    expect(outcome.stderr).toMatch(/^hubcli: [^\n]* sent more than 8388608 bytes; is it a Prompt Hub\?\n$/)
    expect(sent).toBeLessThan(50_000_000)
  })

  test.concurrent('rejects content with a wrong checksum and keeps the old file', async () => {
    const hub = await startPlainFiles('hub', { 'acme/x': { versions: { '1.0.0': 'good', '1.1.0': 'better' } } })
    hub.meddle = (asked, answer) => {
      if (!asked.includes('/raw')) return false
      const digest = `sha-256=:${createHash('sha256').update('good').digest('base64')}:`
      answer.writeHead(200, { 'Content-Type': 'text/plain', 'Unencoded-Digest': digest }).end('evil')
      return true
    }
    const cwd = makeFolder()
    writeFileSync(path.join(cwd, 'PROMPT.md'), 'old')
    for (const args of [
      ['pull', 'acme/x'],
      ['cat', 'acme/x', '--version', '1.0.0'],
    ]) {
      const outcome = await runHubcli(SHELL, args, { cwd, env: { HUB_URL: hub.url } })
      expect(outcome).toMatchObject({ code: 4, stdout: '', left: [] })
      expect(outcome.stderr).toMatch(
        /^hubcli: checksum mismatch: acme\/x(?: 1\.0\.0)? from \S+ does not match its digest; nothing was written\n$/,
      )
    }
    expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('old')
    await hub.close()
  })

  const others = ['shasum', 'openssl'].map((instead) => {
    const found = findProgram(instead)
    return { instead, found }
  })
  describe.each(others)('without sha256sum', ({ instead, found }) => {
    test.skipIf(found === undefined).concurrent(`uses ${instead} instead`, async () => {
      const tools = makeTools()
      rmSync(path.join(tools, 'sha256sum'))
      writeScript(tools, instead, `PATH=${process.env.PATH} exec ${found} "$@"`)
      await withStandIn(undefined, async ({ url }) => {
        const outcome = await runHubcli(SHELL, ['cat', 'acme/code-review'], { env: { HUB_URL: url }, tools })
        expect(outcome).toMatchObject({ code: 0, stdout: 'Review this code.\n', stderr: '' })
      })
    })
  })

  test.concurrent('sends the token over plain http only with HUB_ALLOW_HTTP=1; reading works without it', async () => {
    const cwd = makeFolder()
    writeFileSync(path.join(cwd, 'f'), 'x')
    const tools = makeTools()
    rmSync(path.join(tools, 'curl'))
    writeScript(tools, 'curl', 'cat >/dev/null; exit 6')
    const env = { HUB_URL: 'http://hub.lan:8930', HUB_TOKEN: STAND_IN_TOKEN }
    const push = (over: object) =>
      runHubcli(SHELL, ['push', 'acme/x', 'f', 'c', 'patch'], { cwd, tools, env: { ...env, ...over } })
    for (const over of [{}, { HUB_ALLOW_HTTP: '0' }]) {
      const refused = await push(over)
      expect(refused).toMatchObject({ code: 1, left: [], slept: [] })
      expect(refused.stderr).toMatch(
        /^hubcli: http:\/\/hub\.lan:8930 is plain http: anyone on the network could read the token [^\n]*HUB_ALLOW_HTTP=1[^\n]*\n$/,
      )
    }
    expect(await push({ HUB_ALLOW_HTTP: '1' })).toMatchObject({ code: 5, slept: ['1', '2'] })
    expect(await runHubcli(SHELL, ['cat', 'acme/x'], { tools, env })).toMatchObject({ code: 5, slept: ['1', '2'] })
  })

  test.concurrent('a static mirror works with cat, pull, versions and add', async () => {
    const prompts = { 'acme/x': { versions: { '1.0.0': 'one\r\n', '1.1.0': 'two' }, labels: { old: '1.0.0' } } }
    const mirror = await startPlainFiles('mirror', prompts)
    const cwd = makeFolder()
    const run = (...args: string[]) => runHubcli(SHELL, args, { cwd, env: { HUB_URL: mirror.url } })
    expect(await run('cat', 'acme/x')).toMatchObject({ code: 0, stdout: 'two', stderr: '' })
    expect(await run('cat', 'acme/x', '--version', '1.0.0')).toMatchObject({ code: 0, stdout: 'one\r\n' })
    expect(await run('cat', 'acme/x', '--label', 'old')).toMatchObject({ code: 0, stdout: 'one\r\n' })
    expect(await run('pull', 'acme/x')).toMatchObject({ code: 0 })
    expect(readdirSync(cwd)).toEqual(['PROMPT.md'])
    const missing = await run('cat', 'acme/missing')
    expect(missing).toMatchObject({ code: 2, stderr: `hubcli: the mirror ${mirror.url} has no acme/missing\n` })
    expect((await run('versions', 'acme/x')).stdout).toContain('1.0.0  2025-11-20  octocat  Change of 1.0.0')
    const search = await run('search', 'x')
    expect(search).toMatchObject({ code: 2, stdout: '' })
    expect(search.stderr).toMatch(
      /^hubcli: \S+ is a static mirror and has no search; its list is \S+\/data\/v1\/index\.json\n$/,
    )
    expect(await run('add', 'acme/x@^1')).toMatchObject({ code: 0, stdout: 'acme/x 1.1.0 prompts/acme/x.md\n' })
    await mirror.close()
  })

  test.concurrent('push prints warnings from the hub without control characters', async () => {
    const warnings = [
      { message: 'This looks like\na \x1B[31mtoken.', line: 3 },
      { message: 'It has no description.', line: null },
      { message: 'tags: add tags, so that people find the prompt', line: null },
      { message: 'variables: add a description for text', line: null },
    ]
    const data = { version: '1.0.0', url: 'https://x/1', content: '{"warnings":[{"message":"no"}]}', warnings }
    await withStandIn(
      () => json({ data }),
      async ({ url }) => {
        const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'f'), 'x')
        // With an option, Python publishes.
        const outcome = await runHubcli(SHELL, ['push', 'acme/x', 'f', 'c', 'patch', '--allow-breaking'], { cwd, env })
        expect(outcome).toMatchObject({ code: 0, stdout: '1.0.0 https://x/1\n' })
        expect(outcome.stderr).toBe(
          [
            'hubcli: warning: This looks like a  [31mtoken. (line 3)',
            'hubcli: warning: It has no description.',
            'hubcli: warning: tags: add tags, so that people find the prompt',
            'hubcli: warning: variables: add a description for text',
            'hubcli: to set these, add front matter to the file, or: hubcli edit acme/x --title "..." --description "..." --tags a,b --license CC0-1.0',
            `hubcli: to describe the variables, add front matter to the file, or open ${url}/acme/x/edit`,
            '',
          ].join('\n'),
        )
      },
    )
  })
})

test('search reports corrected and ignored words, and that nothing is found', async () => {
  const matched = { exact: 0, corrected: { reveiw: 'review' }, ignored: ['zz\x1B[2J', 'y'] }
  const found = [{ full_name: 'acme/x', latest_version: '1.0.0', title: 'X' }]
  const answer = (meta: { total: number; matched?: object }): Trouble => ({
    ...json({ data: found.slice(0, meta.total), meta }),
    kind: 'answer',
    status: 200,
  })
  for (const [meta, stderr, code] of [
    [{ total: 1, matched }, 'hubcli: searched review for reveiw\nhubcli: ignored words: zz [2J, y\n', 0],
    [{ total: 1, matched: { exact: 1, corrected: {}, ignored: [] } }, '', 0],
    [{ total: 1, matched: [] }, '', 0],
    [{ total: 1 }, '', 0],
    [{ total: 0 }, 'hubcli: nothing found\n', 0],
  ] as const)
    await withStandIn(
      () => answer(meta),
      async ({ url }) => {
        const outcome = await runHubcli(SHELL, ['search', 'reveiw'], { env: { HUB_URL: url } })
        expect(outcome).toMatchObject({ code, stderr, stdout: meta.total === 0 ? '' : 'acme/x  1.0.0  X\n' })
      },
    )
})
