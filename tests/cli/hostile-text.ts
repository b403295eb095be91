// Tests that hubcli prints neither the token nor control characters from a hub.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder, recordingTools, runHubcli, SHELL, STANDARD_TOOLS, TEXT_FILE } from './shells.ts'
import { type SeenRequest, STAND_IN_TOKEN, type Trouble, withStandIn } from './stand-in.ts'

/** A string that would move the cursor, change the terminal title or reverse the text of a line. */
const HOSTILE = 'a\x1B[31mb\x1B]0;title\x07c\x9B2Jd\u202Ee\u2066f\x7Fg\bh\ri\u2028j\u061Ck'
const CONTROLS = /[\x00-\x08\x0B-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/

describe('hubcli', () => {
  describe('control characters and escape sequences', () => {
    test.concurrent('are removed from error messages', async () => {
      const latin1 = Buffer.from('a\x9B2Jb\xE9\x9B\xE9\x80\x9B2J', 'latin1')
      for (const answer of [HOSTILE, latin1]) {
        const trouble: Trouble = {
          kind: 'answer',
          status: 404,
          headers: { 'Content-Type': 'text/plain' },
          body: answer,
        }
        await withStandIn(
          () => trouble,
          async ({ url }) => {
            const outcome = await runHubcli(SHELL, ['cat', 'acme/x'], { env: { HUB_URL: url } })
            expect(outcome.code).toBe(2)
            expect(outcome.stderr).toMatch(/^hubcli: [^\n]*\(404\)\n$/)
            expect(outcome.stderr).not.toMatch(CONTROLS)
          },
        )
      }
    })

    test.concurrent('are removed from the published URL and from a response header', async () => {
      const answers: Trouble[] = [
        {
          kind: 'answer',
          status: 201,
          headers: { 'Content-Type': 'text/plain' },
          body: `1.0.0 https://x/${HOSTILE}`,
        },
        { kind: 'answer', status: 200, headers: { 'Content-Type': 'text/\x9B2J' } },
      ]
      for (const answer of answers) {
        await withStandIn(
          () => answer,
          async ({ url }) => {
            const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
            const { stdout, stderr } = await runHubcli(SHELL, ['push', 'acme/x', TEXT_FILE, 'c', 'patch'], { env })
            expect(stdout + stderr).toMatch(/^(1\.0\.0 https:\/\/x\/a|hubcli: )[^\n]*\n$/)
            expect(stdout + stderr).not.toMatch(CONTROLS)
          },
        )
      }
    })

    test.concurrent('are removed from tables', async () => {
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
        kind: 'answer',
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(
          url.endsWith('/versions') ? { data: versions, meta: { ...meta, pages: 1 } } : { data, meta },
        ),
      })
      await withStandIn(answer, async ({ url, requests }) => {
        const cwd = makeFolder()
        for (const module of ['json', 'typing', 'program', 'prompt_hub'])
          writeFileSync(path.join(cwd, `${module}.py`), 'raise SystemExit(99)')
        const options = { cwd, env: { HUB_URL: url, PYTHONPATH: cwd }, isWhole: true }
        const search = await runHubcli(SHELL, ['search', '--', `-x '"\n$(id)&é`], options)
        expect(search).toMatchObject({
          code: 0,
          stderr: 'hubcli: showing the best 3 of 57; add words to narrow the search\n',
        })
        expect(search.stdout).not.toMatch(CONTROLS)
        expect(search.stdout.split('\n').length).toBe(4)
        expect(search.stdout).toContain('(archived [0m)')
        expect(new URL(requests[0]?.url ?? '', url).searchParams.get('q')).toBe(`-x '"\n$(id)&é`)
        const list = await runHubcli(SHELL, ['versions', 'acme/x'], options)
        expect(list).toMatchObject({ code: 0, stderr: '' })
        expect(list.stdout).not.toMatch(CONTROLS)
        expect(list.stdout.split('\n')[0]).toMatch(/^1\.0\.1 {2}2026-11-20 {2}.* \[yanked: .*\] /)
        expect(list.stdout.split('\n')[1]).toMatch(/^1\.0\.0 {2}2026-11-20 {2}octocat +\[yanked\] First$/)
      })
    })

    test.concurrent('exits with 5 for an invalid list', async () => {
      const bodies = [
        '{',
        '',
        '[]',
        '{"data":null}',
        '{"data":[1],"meta":{"total":1}}',
        '{"data":[{}],"meta":{"total":1}}',
        '{"data":[],"meta":{"total":"x"}}',
        `${'['.repeat(100_000)}`,
      ]
      for (const body of bodies) {
        const trouble: Trouble = { kind: 'answer', status: 200, headers: { 'Content-Type': 'application/json' }, body }
        await withStandIn(
          () => trouble,
          async ({ url }) => {
            const outcome = await runHubcli(SHELL, ['search', 'x'], { env: { HUB_URL: url } })
            expect(outcome).toMatchObject({ code: 5, stdout: '', left: [] })
            expect(outcome.stderr).toMatch(/^hubcli: [^\n]* did not return a list[^\n]*\n$/)
          },
        )
      }
    })

    test.concurrent('are kept in content sent to a pipe and removed on a terminal', async () => {
      for (const [content, shown] of [
        [Buffer.from(`${HOSTILE}\tend é😀\r\n`), 'a[31mb]0;titlec2Jdefghijk\tend é😀\r\n'],
        [Buffer.from('caf\xE9 \x9B2J\n', 'latin1'), 'caf\uFFFD 2J\r\n'],
      ] as const) {
        const digest = `sha-256=:${createHash('sha256').update(content).digest('base64')}:`
        const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Unencoded-Digest': digest }
        const answer: Trouble = { kind: 'answer', status: 200, headers, body: content }
        await withStandIn(
          () => answer,
          async ({ url }) => {
            const env = { HUB_URL: url }
            expect((await runHubcli(SHELL, ['cat', 'acme/x'], { env })).bytes.equals(content)).toBe(true)
            const terminal = await runHubcli(SHELL, ['cat', 'acme/x'], { env, inTerminal: true })
            expect(terminal).toMatchObject({ code: 0, stdout: shown })
          },
        )
      }
    })

    test.concurrent('tables have a header only on a terminal', async () => {
      const data = [{ full_name: 'acme/code-review', latest_version: '1.1.0', title: 'Code review' }]
      const answer: Trouble = {
        kind: 'answer',
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ data, meta: { total: 1 } }),
      }
      await withStandIn(
        () => answer,
        async ({ url }) => {
          const options = { env: { HUB_URL: url }, inTerminal: true }
          const { stdout } = await runHubcli(SHELL, ['search', 'code'], options)
          expect(stdout.split('\r\n')).toEqual([
            'NAME              VERSION  TITLE',
            'acme/code-review  1.1.0    Code review',
            '',
          ])
        },
      )
    })
  })

  describe('the token', () => {
    test.concurrent('never appears in program arguments, the environment of curl, or the output', async () => {
      const refuse = (_: SeenRequest, number: number): Trouble | undefined =>
        number === 1
          ? { kind: 'answer', status: 503 }
          : number === 3
            ? { kind: 'answer', status: 500, headers: { 'Retry-After': '99' } }
            : undefined
      await withStandIn(refuse, async ({ url, requests }) => {
        const { tools, calls, environments } = recordingTools(SHELL)
        for (const [options, code] of [
          [[], 0],
          [['-x'], 5],
          [['-v'], 0],
        ] as const) {
          const outcome = await runHubcli(SHELL, ['push', 'acme/recorded', TEXT_FILE, 'c', 'patch'], {
            tools,
            env: { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN },
            shellOptions: [...options],
          })
          expect(outcome).toMatchObject({ code, left: [] })
          expect(outcome.stdout + outcome.stderr).not.toContain(STAND_IN_TOKEN.slice(4, 20))
        }
        expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill(`Bearer ${STAND_IN_TOKEN}`))
        // Without recorded calls, the next checks would prove nothing.
        expect(calls().filter(([tool]) => tool === 'curl').length).toBe(4)
        expect(new Set(calls().map(([tool]) => tool))).toEqual(
          new Set(['curl', 'sleep', ...STANDARD_TOOLS.filter((tool) => !['awk', 'mv', 'sha256sum'].includes(tool))]),
        )
        expect(JSON.stringify(calls())).not.toContain(STAND_IN_TOKEN.slice(4, 20))
        const curls = environments().filter(([tool]) => tool === 'curl')
        expect(curls.length).toBe(4)
        expect(JSON.stringify(curls)).not.toContain(STAND_IN_TOKEN.slice(4, 20))
      })
    })
  })
})
