// Tests the publish action: its script with a real hub and a fake OIDC issuer.
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startServer } from '../../src/host/http/http-server.ts'
import { listenTo } from '../../src/host/run-functions.ts'
import { openJobVerifier } from '../../src/server/publish/oidc.ts'
import { useOnce } from '../../src/stores/state/single-use.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { ISSUER, type Issuer, startIssuer } from './issuer.ts'

const SCRIPT = resolve('.github/actions/publish/publish.sh')
const OWNER = `---
trusted_publishers:
  - {repository: octo/prompts, repository_id: 1001, repository_owner_id: 2002, workflow: publish.yml, permissions: [publish, label]}
---
`
let issuer: Issuer
let world: World
let dir: string
let url: string
let close: () => Promise<void>
beforeAll(async () => {
  issuer = await startIssuer()
  world = openLocalWorld({ 'content/acme/index.md': OWNER })
  const state = memoryState()
  const host = await startServer(
    listenTo(async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/token') {
        if (request.headers.get('Authorization') !== 'Bearer request') return new Response(null, { status: 401 })
        return Response.json({ value: await issuer.sign({ aud: searchParams.get('audience') }) })
      }
      if (request.method === 'GET') {
        const { status, text } = await hub.read(pathname)
        return new Response(text, { status })
      }
      const { status, text } = await hub.publish(await request.text(), {
        method: request.method,
        path: pathname,
        token: null,
        headers: Object.fromEntries(request.headers),
      })
      return new Response(text, { status })
    }),
    0,
  )
  url = `http://localhost:${(host.server.address() as AddressInfo).port}`
  const verifyJob = await openJobVerifier({ issuer: ISSUER, jwksUrl: issuer.jwksUrl, audience: url })
  const hub = await openHub(world, {
    state,
    auth: {
      verifyJob,
      spendJob: ({ jti, request, endsMs }) => useOnce(state, { kind: 'jti', id: jti, use: request, endsMs }),
    },
  })
  close = () => host.stop()
  dir = mkdtempSync(join(tmpdir(), 'prompt-hub-action-'))
  mkdirSync(join(dir, 'prompts'))
  writeFileSync(join(dir, 'prompts/code-review.md'), 'Review {{code}}.\r\nTwice.')
  writeFileSync(join(dir, 'prompts/summary.md'), 'Summarise.')
})
afterAll(async () => {
  await close?.()
  await issuer?.close()
  world?.close()
  rmSync(dir, { recursive: true, force: true })
})

const run = (over: Record<string, string> = {}) =>
  promisify(execFile)(SCRIPT, [], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      ...{ HUB: url, OWNER: 'acme', FILES: 'prompts/*.md', CHANGELOG: 'From CI', BUMP: 'minor' },
      ...{ ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request' },
      ...over,
    },
  }).catch((error: { stdout: string; stderr: string }) => error)

test('publishes each file under its file name, and reports it as unchanged on the second run', async () => {
  chmodSync(SCRIPT, 0o755)
  const first = await run()
  expect(first.stdout.replace(/::add-mask::\S+\n/g, '')).toBe('acme/code-review 1.0.0\nacme/summary 1.0.0\n')
  expect((await run()).stdout).toContain('acme/summary 1.0.0 (unchanged)')
  const file = readFileSync(join(await world.contentDir(), 'acme/code-review/versions/1.0.0.md'), 'utf8')
  expect(file).toContain('repository: octo/prompts')
  expect(file.endsWith('---\nReview {{code}}.\r\nTwice.')).toBe(true)
})

test('points a label at the published version', async () => {
  expect((await run({ LABEL: 'production' })).stdout).toContain('acme/summary: production points at 1.0.0')
  const index = readFileSync(join(await world.contentDir(), 'acme/summary/index.md'), 'utf8')
  expect(index).toContain('production: "1.0.0"')
  expect((await run({ LABEL: 'Production' })).stderr).toContain('label: expected lower-case')
})

//  case                        settings                                   message
test.each([
  ['another owner', { OWNER: 'other' }, 'no workflow is trusted'],
  ['no matching file', { FILES: 'nothing/*.md' }, 'No files match'],
  [
    'a branch that cannot be fetched',
    { GITHUB_REF: 'refs/heads/main', OWNER: 'other' },
    'Cannot fetch refs/heads/main',
  ],
  ['a job without id-token: write', { ACTIONS_ID_TOKEN_REQUEST_URL: '' }, 'id-token: write'],
])('%s: fails with an error that explains the cause', async (_, settings, told) => {
  expect((await run(settings)).stderr).toContain(told)
})

describe('malicious input from a pull request', () => {
  //  case                      setup                                                           files and message
  test.each([
    [
      'a symlink to a file outside',
      () => symlinkSync('../../secret', join(dir, 'bad/leak.md')),
      'bad/leak.md',
      'is a symbolic link',
    ],
    [
      'a symlink to a folder',
      () => symlinkSync('../prompts', join(dir, 'bad/sub')),
      'bad/sub/summary.md',
      'is a symbolic link',
    ],
    [
      'a parent path',
      () => writeFileSync(join(dir, 'up.md'), 'x'),
      'prompts/../up.md',
      'not inside the working directory',
    ],
    [
      'a line break and a workflow command',
      () => writeFileSync(join(dir, 'bad/a\n::set-output name=x::y.md'), 'x'),
      'bad/*.md',
      'control character',
    ],
    [
      'an invalid prompt name',
      () => writeFileSync(join(dir, 'bad/a%0A..md'), 'x'),
      'bad/*.md',
      'expected lower-case letters',
    ],
    ['a leading hyphen', () => writeFileSync(join(dir, '-x.md'), 'x'), '-x.md', 'was not published'],
  ])('%s: is not published and injects no workflow command', async (_, make, FILES, told) => {
    rmSync(join(dir, 'bad'), { recursive: true, force: true })
    mkdirSync(join(dir, 'bad'))
    make()
    const { stdout, stderr } = await run({ FILES })
    expect(stderr).toContain(told)
    expect(stderr).toMatch(/^::error[^\n]*\n$/)
    expect(stdout.replace(/::add-mask::[\w.-]+\n/g, '')).toBe('')
    rmSync(join(dir, 'bad'), { recursive: true, force: true })
  })

  test.each([
    ['in an error', 400, { error: { code: 'x', message: 'no\n::set-env name=PATH::/evil\r\n##[add-path]x' } }],
    [
      'in the error of a read',
      403,
      { error: { code: 'x', message: 'no\n::set-env name=PATH::/evil\r\n##[add-path]x' } },
    ],
    [
      'in a version',
      201,
      {
        data: {
          full_name: 'a\n::add-path::/evil',
          version: '##[x]1',
          unchanged: false,
          warnings: [{ message: 'b\n::stop-commands::x', line: 3 }],
        },
      },
    ],
  ])('%s: escapes workflow commands sent by the hub', async (_, status, answer) => {
    const host = await startServer(
      listenTo(async (request) =>
        request.url.includes('/token')
          ? Response.json({ value: 'token' })
          : Response.json(answer, { status: request.method === 'GET' && status !== 403 ? 404 : status }),
      ),
      0,
    )
    const HUB = `http://localhost:${(host.server.address() as AddressInfo).port}`
    const { stdout, stderr } = await run({
      HUB,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${HUB}/token`,
      FILES: 'prompts/summary.md',
    })
    await host.stop(0)
    const commands = (stdout + stderr).split('\n').filter((line) => /^\s*(::|##\[)/.test(line))
    expect(
      commands.filter(
        (line) =>
          !/^::(add-mask::token|error file=prompts\/summary\.md::acme\/summary was not published: no[^:]*::[^:]*)/.test(
            line,
          ),
      ),
    ).toEqual([])
    expect(stdout + stderr).toMatch(
      status !== 201 ? /was not published: no/ : /warning: b : :stop-commands: :x \(line 3\)/,
    )
  })

  test.each(['http://hub.example.com', 'http://localhost:80@hub.example.com', 'ftp://x'])(
    'sends no token to %s',
    async (HUB) => {
      expect(await run({ HUB })).toMatchObject({
        stdout: '',
        stderr: expect.stringContaining('expected an https URL'),
      })
    },
  )
})

test('passes every input to the script through environment variables only', () => {
  const action = parse(readFileSync('.github/actions/publish/action.yml', 'utf8'))
  expect(Object.keys(action.inputs)).toEqual(['hub', 'owner', 'files', 'changelog', 'bump', 'label'])
  const [step] = action.runs.steps
  expect(step.run).toBe('"$GITHUB_ACTION_PATH/publish.sh"')
  expect(Object.keys(step.env)).toEqual(['HUB', 'OWNER', 'FILES', 'CHANGELOG', 'BUMP', 'LABEL'])
})
