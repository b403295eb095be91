// Checks that each function runs with only the files in its bundle, so no file excluded by netlify.toml is ever loaded.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { BlobsServer } from '@netlify/blobs/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { csrfToken } from '../../packages/account/session.ts'
import { writeData } from '../../packages/build/write-data.ts'
import { bundlePlaceOf, ensureBundle } from '../../packages/node-server/builds/pages-bundle.ts'
import { serveFile } from '../../packages/node-server/http/static-files.ts'
import { folderFiles } from '../../packages/stores/site/site-files-folder.ts'
import { openPeople } from '../../packages/stores/state/sessions.ts'
import { netlifyState } from '../../packages/stores/state/state-netlify.ts'
import { LOOK_FILE } from '../../src/ports/pages.ts'
import { modern, post } from '../hubs/mcp.ts'
import { makeProfile } from '../hubs/profile.ts'
import { runModule, unpackBundle } from './run-bundle.ts'

// This folder is outside the project. Inside the project, Node would look in parent folders and find packages that are
// missing from the bundle.
const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-bundles-'))
/** A folder elsewhere in the project that has files with the same paths as bundled ones. */
const stray = resolve('.hub/tests/stray')
/** The folder of the files that a build adds to the functions. */
const deployed = join(dir, 'deployed')
/** The deploy that the functions belong to: its static files, its blobs, and a signed-in user. */
let deploy: { origin: string; blobs: string; session: string; csrf: string; stop(): Promise<unknown> }
beforeAll(async () => {
  mkdirSync(join(stray, 'build'), { recursive: true })
  for (const name of ['search.db', 'complete.json']) writeFileSync(join(stray, 'build', name), '')
  bundleFunctions()
  deploy = await startDeploy(join(dir, 'site'))
})
afterAll(async () => {
  await deploy.stop()
  for (const folder of [dir, stray]) rmSync(folder, { recursive: true, force: true })
})

/**
 * Bundles the functions as a deploy does, using the project's own `netlify.toml`, but without building a site first.
 * `netlify functions:build` would not read that file.
 */
function bundleFunctions(): void {
  const settings = readFileSync('netlify.toml', 'utf8')
    .replace('command = "npm run build"', 'command = "true"')
    .replace('publish = "dist"', 'publish = "content"')
    .replaceAll(/"build\/[^"]*"(?:, )?/g, '')
  const config = join(dir, 'netlify.toml')
  writeFileSync(config, settings)
  const options = ['--offline', '--telemetry=false', '--config', config, '--functionsDistDir', dir]
  execFileSync('tests/node_modules/.bin/netlify-build', options, { env: { ...process.env, CI: 'true' }, stdio: 'pipe' })
}

/** Serves static files and blobs as a deploy does, and puts the page code where a deploy has it. */
async function startDeploy(siteDir: string): Promise<typeof deploy> {
  await writeData(
    { contentDir: 'content', baseUrl: 'https://prompts.example.org', buildDay: '2026-11-25' },
    { siteDir, indexPath: join(dir, 'search.db') },
  )
  const pagesDir = join(deployed, 'build/pages')
  cpSync((await ensureBundle(bundlePlaceOf(process.cwd()))).server, pagesDir, { recursive: true })
  writeFileSync(join(pagesDir, LOOK_FILE), JSON.stringify(makeProfile('').look))
  const stored = folderFiles(siteDir)
  const files = createServer(
    getRequestListener(async (request) => (await serveFile(request, stored)) ?? new Response(null, { status: 404 })),
  )
  await new Promise<void>((listening) => files.listen(0, '127.0.0.1', listening))
  const token = 'of-this-test'
  const server = new BlobsServer({ directory: join(dir, 'blobs'), token, logger: () => {} })
  const edgeURL = `http://localhost:${(await server.start()).port}`
  const blobs = Buffer.from(JSON.stringify({ edgeURL, uncachedEdgeURL: edgeURL, siteID: 'local', token })).toString(
    'base64',
  )
  process.env.NETLIFY_BLOBS_CONTEXT = blobs
  const people = openPeople(netlifyState())
  const now = new Date()
  const session = await people.openSession({ user_id: '583231', login: 'octocat' }, now)
  const csrf = csrfToken((await people.findSession(session, now))!, 'edit')
  return {
    origin: `http://127.0.0.1:${(files.address() as AddressInfo).port}`,
    blobs,
    session,
    csrf,
    stop: () => Promise.all([server.stop(), new Promise((closed) => files.close(closed))]),
  }
}

/** The folder of each function, and the path of the module to import. */
const unpacked = new Map<string, { folder: string; module: string }>()

/** Unpacks a function from `bundleFunctions`, once. */
function unpackFunction(name: string): { folder: string; module: string } {
  const known = unpacked.get(name)
  if (known) return known
  const folder = join(dir, name)
  mkdirSync(folder, { recursive: true })
  unpackBundle(join(dir, `${name}.zip`), folder)
  // Netlify's bundler puts a function without packages at the top.
  const modules = [`netlify/functions/${name}.mjs`, `${name}.mjs`].map((path) => join(folder, path))
  const made = { folder, module: modules.find((path) => existsSync(path)) ?? '' }
  unpacked.set(name, made)
  return made
}

/** Calls a function with several requests, in a process of its own. @returns each response's status and text */
async function ask(name: string, requests: readonly Request[]): Promise<{ status: number; text: string }[]> {
  const script = `
    const { default: answer } = await import(${JSON.stringify(unpackFunction(name).module)})
    const answers = []
    for (const { url, ...init } of JSON.parse(process.argv[1])) {
      const response = await answer(new Request(url, init), { ip: '192.0.2.1' })
      answers.push({ status: response.status, text: await response.text() })
    }
    console.log(JSON.stringify(answers))`
  const calls = await Promise.all(
    requests.map(async (request) => {
      const { method, url, headers } = request
      const body = method === 'POST' ? await request.text() : undefined
      return { url, method, headers: Object.fromEntries(headers), body }
    }),
  )
  const settings = {
    LAMBDA_TASK_ROOT: deployed,
    NETLIFY_BLOBS_CONTEXT: deploy.blobs,
    SITE_URL: deploy.origin,
    GITHUB_REPOSITORY: 'octo/prompts',
    GITHUB_TOKEN: 'x',
    GITHUB_CLIENT_ID: 'x',
    GITHUB_CLIENT_SECRET: 'x',
    SESSION_SECRET: 'x'.repeat(32),
  }
  return runModule(script, dir, settings, JSON.stringify(calls))
}

/** Creates a request to the deploy, from a signed-in user unless it is a stranger's. @param form its fields, sent as a POST from a page of the hub */
function visit(path: string, form?: Readonly<Record<string, string>>, cookie = `session=${deploy.session}`): Request {
  const headers = { Cookie: cookie, Origin: deploy.origin, Accept: 'text/html' }
  return new Request(
    deploy.origin + path,
    form ? { method: 'POST', headers, body: new URLSearchParams({ ...form, csrf: deploy.csrf }) } : { headers },
  )
}

const api = (path: string, init?: RequestInit) => new Request(`${deploy.origin}/api/v1${path}`, init)
const MCP = 'http://localhost:8888/mcp'
const PASTED = `messages:\n  - role: user\n    content: Hello {{name}}\n`

const CALLS: readonly [name: string, about: string, request: () => Request, status: number, words: string][] = [
  ['read', 'a missing route', () => api('/nothing'), 404, 'not_found'],
  ['read', 'a record', () => api('/repos/acme/code-review'), 200, '"full_name":"acme/code-review"'],
  [
    'publish',
    'an unknown token',
    () =>
      api('/repos/acme/bench/versions', {
        method: 'POST',
        headers: { Authorization: 'Bearer x', 'Content-Type': 'application/json' },
        body: '{}',
      }),
    401,
    'unauthorized',
  ],
  [
    'check',
    'a prompt file',
    () =>
      api('/repos/acme/code-review/check', {
        method: 'POST',
        headers: { 'Content-Type': 'text/markdown' },
        body: '---\ntitle: Review\n---\nReview {{diff}}.',
      }),
    200,
    '"fields":["title"]',
  ],
  ['account', 'the settings', () => visit('/settings'), 200, 'octocat'],
  [
    'mcp',
    'a message',
    () => post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, {}, MCP),
    200,
    'search_prompts',
  ],
  ['mcp', 'a message of the newest protocol', () => new Request(MCP, modern('tools/list')), 200, 'search_prompts'],
  ['editor', 'a stranger at /new', () => visit('/new', undefined, ''), 401, 'Sign in'],
  ['editor', 'the form for a new prompt', () => visit('/new'), 200, 'name="content"'],
  [
    'editor',
    'a pasted prompt',
    () => visit('/new', { step: 'recognise', content: PASTED }),
    200,
    'Recognised as: GitHub Models',
  ],
  [
    'editor',
    'a preview, which is rendered only for those who may change the prompt',
    () =>
      visit('/acme/code-review/manage', { change: 'readme', preview: 'yes', readme: 'Some *Markdown* [here](/docs)' }),
    403,
    'belongs to another user of this hub',
  ],
  [
    'editor',
    'somebody else at the settings of an owner',
    () => visit('/acme/settings'),
    403,
    'who is not a member of acme',
  ],
  ['export', 'an export', () => api('/repos/acme/code-review/versions/1.0.0/export/dotprompt'), 200, '---'],
  ['skills', 'a missing skill', () => visit('/acme/nothing/SKILL.md'), 404, 'not_found'],
  [
    'apm',
    'a missing skill, with problem details',
    () => visit('/api/apm/v1/packages/acme/nothing/versions'),
    404,
    '"title":"not found"',
  ],
  ['pages', 'a redirect', () => visit('/Acme/Code-Review'), 308, ''],
  ['missing-files', 'a missing file', () => visit('/data/v1/nothing.json'), 404, 'not_found'],
  ['rate-limited', 'a request over the limit', () => visit('/rate-limited'), 429, 'rate_limited'],
  ['sweep', 'the hourly cleanup', () => visit('/'), 200, 'Removed: '],
]

/** The answers of each function: it starts once for all of its requests. */
const answers = new Map<string, ReturnType<typeof ask>>()

test.each(CALLS)('the %s function answers %s', async (name, about, _, status, words) => {
  const own = CALLS.filter(([other]) => other === name)
  const given =
    answers.get(name) ??
    ask(
      name,
      own.map(([, , request]) => request()),
    )
  answers.set(name, given)
  const answer = (await given)[own.findIndex(([, other]) => other === about)]!
  expect(answer.text).toContain(words)
  expect(answer.status).toBe(status)
})

const FUNCTIONS = [
  'account',
  'apm',
  'check',
  'editor',
  'export',
  'mcp',
  'missing-files',
  'pages',
  'publish',
  'rate-limited',
  'read',
  'skills',
  'sweep',
]

test('no file in a bundle requires an ES module', async () => {
  const files = FUNCTIONS.flatMap((name) => {
    const { folder, module } = unpackFunction(name)
    const found = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[cm]?js$/.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name))
    expect(found).toContain(module)
    return found.map((path) => ({ file: relative(folder, path), path }))
  })
  // Most files are the same in several bundles.
  const once = [
    ...new Map(files.map(({ file, path }) => [`${file} ${hash('sha256', readFileSync(path))}`, path])).values(),
  ]
  const script = `
    const refused = []
    for (const file of JSON.parse(process.argv[1]))
      await import(file).catch(({ code, message }) => code === 'ERR_REQUIRE_ESM' && refused.push(file, message))
    console.log(JSON.stringify(refused))
    process.exit()`
  expect(await runModule(script, dir, {}, JSON.stringify(once))).toEqual([])
})

test.each(['read', 'publish', 'check', 'account', 'mcp', 'pages', 'editor', 'export', 'skills', 'apm'])(
  'the bundle of %s contains only its code and packages',
  (name) => {
    const folders = readdirSync(unpackFunction(name).folder).filter((entry) => !entry.startsWith('___netlify'))
    expect(folders.sort()).toEqual(['netlify', 'node_modules'])
  },
)

test.each([
  ['zod', /\.cjs$/],
  ['@modelcontextprotocol/server', /\.cjs$/],
  ['@netlify/blobs', /\.cjs$/],
])('bundles %s into mcp without a duplicate CommonJS copy', (name, other) => {
  const files = readdirSync(join(unpackFunction('mcp').folder, 'node_modules', name), {
    recursive: true,
    encoding: 'utf8',
  })
  expect(files.filter((file) => /\.m?js$/.test(file)).length).toBeGreaterThan(0)
  expect(files.filter((file) => other.test(file))).toEqual([])
})
