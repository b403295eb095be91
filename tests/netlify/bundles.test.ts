// Tests how Netlify's own bundler packages the functions: routes, methods, limits, and the files in each bundle. Each
// function runs with only the files in its bundle, so no file excluded by netlify.toml is ever loaded. Then, which builds
// Netlify skips: those of superseded commits, but never for longer than five minutes, and never if in doubt; and the rate
// limit on its dev server.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { getRequestListener } from '@hono/node-server'
import { BlobsServer } from '@netlify/blobs/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { csrfToken } from '../../src/account/session.ts'
import { folderFiles } from '../../src/built/site-files-folder.ts'
import { findFile } from '../../src/server/static-files.ts'
import { openProposals } from '../../src/state/proposals.ts'
import { openPeople } from '../../src/state/sessions.ts'
import { netlifyState } from '../../src/state/state-netlify.ts'
import { makeSiteFolder } from '../hubs/build-site.ts'
import { modern, post } from '../hubs/mcp.ts'
import { listen } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'
import { runModule, unpackBundle } from './run-bundle.ts'

const Manifest = z.object({
  functions: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      runtimeVersion: z.string(),
      // A scheduled function has no route.
      routes: z
        .array(z.object({ pattern: z.string(), methods: z.array(z.string()), prefer_static: z.boolean().optional() }))
        .default([]),
      schedule: z.string().optional(),
      trafficRules: z.unknown().optional(),
    }),
  ),
})

// This folder is outside the project. Inside the project, Node would look in parent folders and find packages that are
// missing from the bundle.
const dir = temporaryFolder('prompt-hub-bundles-')
/** The folder of the site and of the files that a build adds to the functions. A bundle has the same path. */
const built = relative('.', makeSiteFolder('netlify'))
/** A folder elsewhere in the project that has files with the same paths as bundled ones. */
const stray = resolve('.hub/tests/stray')
/** The deploy that the functions belong to: its static files, its blobs, and a signed-in user. */
let deploy: { origin: string; blobs: string; session: string; csrf: string; stop(): Promise<unknown> }
let functions: Map<string, z.infer<typeof Manifest>['functions'][number]>
beforeAll(async () => {
  mkdirSync(join(stray, 'build'), { recursive: true })
  for (const name of ['search.db', 'complete.json']) writeFileSync(join(stray, 'build', name), '')
  deploy = await startDeploy()
  await buildSite()
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')))
  functions = new Map(manifest.functions.map((one) => [one.name, one]))
})
afterAll(async () => {
  await deploy?.stop()
  for (const folder of [dir, built, stray]) rmSync(folder, { recursive: true, force: true })
})

/** Builds the site and bundles the functions as a deploy does, with the project's own `netlify.toml`, but into folders of this test. */
async function buildSite(): Promise<void> {
  const settings = readFileSync('netlify.toml', 'utf8')
    .replace('command = "npm run build"', `command = "npm run build -- --out ${built}"`)
    .replace('publish = "dist"', `publish = "${built}/dist"`)
    .replaceAll('"build/', `"${built}/build/`)
  const config = join(dir, 'netlify.toml')
  writeFileSync(config, settings)
  const options = ['--offline', '--telemetry=false', '--config', config, '--functionsDistDir', dir]
  const env = { ...process.env, CI: 'true', NODE_ENV: '', VITEST: '', SITE_URL: deploy.origin }
  await promisify(execFile)('tests/node_modules/.bin/netlify-build', options, { env, maxBuffer: 1e8 })
}

/** Serves static files and blobs as a deploy does. */
async function startDeploy(): Promise<typeof deploy> {
  const stored = folderFiles(join(built, 'dist'))
  const files = createServer(
    getRequestListener(async (request) => (await findFile(request, stored)) ?? new Response(null, { status: 404 })),
  )
  const origin = await listen(files)
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
  await openProposals(netlifyState()).add(
    {
      owner: 'acme',
      name: 'code-review',
      id: PROPOSAL_ID,
      media_type: 'text/markdown',
      query: '',
      bytes: 22,
      proposed_by: 'alice',
      user_id: null,
      by_token: null,
      by_workflow: null,
      provenance: null,
      changelog: '',
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + 3_600_000).toISOString(),
      claim: null,
    },
    'Review {{diff}} well.\n',
  )
  const csrf = csrfToken((await people.findSession(session, now))!, 'edit')
  return {
    origin,
    blobs,
    session,
    csrf,
    stop: () => Promise.all([server.stop(), new Promise((closed) => files.close(closed))]),
  }
}

const FUNCTIONS = words`
  account editor export mcp pages proposals publish rate-limited read skills sweep
`

const limitOf = (windowLimit: number) => ({
  action: {
    type: 'rewrite',
    config: {
      to: '/rate-limited',
      rateLimitConfig: { windowLimit, windowSize: 60, algorithm: 'sliding_window' },
      aggregate: { keys: [{ type: 'ip' }, { type: 'domain' }] },
    },
  },
})

describe('the manifest', () => {
  //  function        paths                        methods                                        files take precedence
  test.each([
    ['account', ['/settings', '/settings/*', '/auth', '/auth/*'], [], undefined],
    [
      'editor',
      ['/new', '/:owner/settings', '/:owner/:name/edit', '/:owner/:name/manage', '/:owner/:name/proposals/:proposal'],
      [],
      true,
    ],
    ['export', ['/api/v1/repos/:owner/:name/versions/:version/export/:format'], ['GET', 'HEAD', 'OPTIONS'], undefined],
    ['mcp', ['/mcp'], [], undefined],
    ['pages', ['/*'], ['GET', 'HEAD'], true],
    [
      'proposals',
      ['/api/v1/repos/:owner/:name/proposals', '/api/v1/repos/:owner/:name/proposals/*'],
      ['GET', 'HEAD', 'OPTIONS'],
      undefined,
    ],
    ['publish', ['/api', '/api/*'], ['POST', 'PUT', 'PATCH', 'DELETE'], undefined],
    ['rate-limited', ['/rate-limited'], [], undefined],
    ['read', ['/api', '/api/*'], ['GET', 'HEAD', 'OPTIONS'], undefined],
    [
      'skills',
      [
        '/:a/:b/:file(SKILL.md|skill.md)',
        '/:a/:b/v/:c/:d(.+)',
        '/:a?/:b?/:room(.well-known|.claude-plugin)/:file(agent-skills/.+|skills/.+|marketplace.json)',
        '/api/apm/*',
        '/:folder(data|assets|cli|clients|npm){/*}?',
      ],
      [],
      true,
    ],
  ])('%s has the expected routes', (name, paths, methods, isFileFirst) => {
    const described = functions.get(name)
    expect(described?.routes.map(({ pattern }) => pattern)).toEqual(paths)
    for (const route of described?.routes ?? [])
      expect(route).toMatchObject({ methods, ...(isFileFirst ? { prefer_static: true } : {}) })
    expect(described?.runtimeVersion).toBe('nodejs24.x')
  })

  test.each([
    ['account', 120],
    ['editor', 120],
    ['export', 120],
    ['mcp', 1200],
    ['pages', 120],
    ['proposals', 120],
    ['publish', 120],
    ['read', 120],
  ])('%s declares its rate limit', (name, requests) => {
    expect(functions.get(name)?.trafficRules).toEqual(limitOf(requests))
  })

  test('skills have no rate limit of the platform, because clients fetch every skill in an index or a manifest', () => {
    expect(functions.get('skills')?.trafficRules).toBeUndefined()
  })

  test('contains exactly the expected functions', () => {
    expect([...functions.keys()].sort()).toEqual(FUNCTIONS)
  })
})

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
    LAMBDA_TASK_ROOT: join(unpackFunction(name).folder, built),
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
const PROPOSAL_ID = '0123456789abcdef0123456789abcdef'
const PROPOSAL = `/repos/acme/code-review/proposals/${PROPOSAL_ID}`
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
    'publish',
    'a check of a prompt file',
    () =>
      api('/repos/acme/code-review/check', {
        method: 'POST',
        headers: { 'Content-Type': 'text/markdown' },
        body: '---\ntitle: Review\n---\nReview {{diff}}.',
      }),
    200,
    '"fields":["title"]',
  ],
  ['proposals', 'what is proposed', () => api(`${PROPOSAL}/raw`), 200, 'Review {{diff}} well.'],
  ['proposals', 'a proposal', () => api(PROPOSAL), 200, '"status":"open"'],
  ['proposals', 'a list, for strangers', () => api('/repos/acme/code-review/proposals'), 401, 'unauthorized'],
  [
    'editor',
    'the page of a proposal, for strangers',
    () => visit(PROPOSAL.replace('/repos', ''), undefined, ''),
    200,
    'Proposed by alice',
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
  ['editor', 'the tag whose address looks like the settings of an owner', () => visit('/tags/settings'), 404, '<h1'],
  ['editor', 'a stranger at /new', () => visit('/new', undefined, ''), 401, 'Sign in'],
  ['editor', 'the form for a new prompt', () => visit('/new'), 200, 'name="content"'],
  [
    'editor',
    'a pasted prompt',
    () => {
      const { url, headers } = visit('/new')
      return new Request(url, { method: 'POST', headers, body: JSON.stringify({ content: PASTED, format: '' }) })
    },
    200,
    '"format":"GitHub Models"',
  ],
  [
    'editor',
    'a change of a prompt, which only those who may change it can make',
    () => visit('/acme/code-review/manage', { change: 'status', status: 'deprecated', confirmed: 'yes' }),
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
    'skills',
    'a missing skill of APM, with problem details',
    () => visit('/api/apm/v1/packages/acme/nothing/versions'),
    404,
    '"title":"not found"',
  ],
  ['skills', 'a missing package, for npm', () => visit('/npm/@acme%2fnothing'), 404, '"error":"There is no package'],
  ['pages', 'a redirect', () => visit('/Acme/Code-Review'), 308, ''],
  ['pages', 'a prompt', () => visit('/acme/code-review'), 200, '<h1 dir="auto">Code review</h1>'],
  ['skills', 'a missing file', () => visit('/data/v1/nothing.json'), 404, 'not_found'],
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

/** What a build adds to each function. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  account: ['pages'],
  editor: ['complete.json', 'pages'],
  export: ['complete.json', 'search.db'],
  mcp: ['complete.json', 'search.db'],
  pages: ['complete.json', 'pages', 'search.db'],
  proposals: ['complete.json'],
  publish: ['complete.json'],
  'rate-limited': [],
  read: ['complete.json', 'search.db'],
  skills: ['complete.json'],
}

test.each(Object.entries(ADDED))('the bundle of %s contains only its code, its packages, and %j', (name, added) => {
  const { folder } = unpackFunction(name)
  const folders = new Set(['netlify', 'node_modules', ...(added.length > 0 ? ['.hub'] : [])])
  const found = readdirSync(folder).filter((entry) => !/^___netlify|\.mjs$/.test(entry))
  expect(new Set(found).difference(folders)).toEqual(new Set())
  expect(added.length > 0 ? readdirSync(join(folder, built, 'build')).sort() : []).toEqual(added)
  if (added.length > 0) expect(readdirSync(join(folder, '.hub/tests'))).toEqual([basename(built)])
})

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

test.each([
  ['mcp', ['@octokit/rest', 'yaml', '@netlify/blobs/server', '@modelcontextprotocol/client', 'astro']],
  ['read', ['@octokit/rest', 'yaml', 'zod', '@netlify/blobs/server']],
  ['skills', ['@octokit/rest', 'yaml', 'zod', '@netlify/blobs/server', 'astro']],
  ['pages', ['@octokit/rest', 'yaml', 'zod', '@netlify/blobs/server', 'astro', 'markdown-it']],
  ['account', ['@octokit/rest', 'yaml', 'semver', 'spdx-expression-parse', '@netlify/blobs/server', 'astro']],
  ['editor', ['@netlify/blobs/server', 'astro']],
  ['export', ['@octokit/rest', '@netlify/blobs/server', 'astro', 'markdown-it']],
  ['rate-limited', ['@octokit/rest', 'yaml', 'zod', '@netlify/blobs']],
  ['proposals', ['@netlify/blobs/server', 'astro']],
  ['publish', ['@netlify/blobs/server', 'astro']],
])('%s does not import unneeded packages', (name, strangers) => {
  const code = readFileSync(unpackFunction(name).module, 'utf8')
  expect(code.length).toBeGreaterThan(500)
  for (const stranger of strangers) expect(code).not.toMatch(new RegExp(`from ?["']${stranger}["']`))
})

describe('the dev server, which handles each request in a worker of its own', () => {
  const CODE = `
  import { parentPort, workerData } from 'node:worker_threads'
  const { limiterOf } = await import(workerData)
  const limiter = await limiterOf('read', 2, { isNetlifyDev: true })
  parentPort.postMessage(await limiter.take('192.0.2.1'))
`

  test('requests in different workers count together', async () => {
    const waits: number[] = []
    for (let count = 0; count < 3; count++) {
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(CODE)}`), {
        workerData: pathToFileURL('src/hub/open-hub.ts').href,
      })
      waits.push(await new Promise((done, fail) => worker.once('message', done).once('error', fail)))
      await worker.terminate()
    }
    expect(waits.slice(0, 2)).toEqual([0, 0])
    expect(waits[2]).toBeGreaterThan(0)
  })
})

describe('the builds that Netlify skips', () => {
  const root = temporaryFolder('netlify-ignore-')

  const git = (dir: string, args: string[], at = new Date()) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      encoding: 'utf8',
      env: { ...process.env, GIT_COMMITTER_DATE: at.toISOString() },
    }).trim()

  /** Creates a branch whose first commit is the given number of seconds old, and a clone like Netlify's. */
  function makeBranch(name: string, commits: number, firstAgeS: number): { clone: string; ids: string[] } {
    const [hub, clone] = [join(root, name), join(root, `${name}-clone`)]
    execFileSync('git', ['init', '-q', '-b', 'main', hub])
    for (let number = 0; number < commits; number++) {
      const at = new Date(Date.now() - (number === 0 ? firstAgeS * 1000 : 0))
      git(hub, ['commit', '-q', '--allow-empty', '-m', `Publish ${number}`], at)
    }
    execFileSync('git', ['clone', '-q', hub, clone])
    return { clone, ids: git(hub, ['rev-list', '--reverse', 'HEAD']).split('\n') }
  }

  const run = (cwd: string, built: string | undefined, commit: string | undefined) =>
    spawnSync('sh', [join(process.cwd(), 'scripts/netlify-ignore.sh')], {
      cwd,
      env: { PATH: process.env.PATH, BRANCH: 'main', CACHED_COMMIT_REF: built, COMMIT_REF: commit },
    }).status

  let burst: ReturnType<typeof makeBranch>
  // Its age counts, and the tests above may take minutes.
  beforeAll(() => {
    burst = makeBranch('burst', 4, 60)
  })

  test('builds only the newest commit of a burst', () => {
    const { clone, ids } = burst
    expect(ids.slice(1).map((commit) => run(clone, ids[0], commit))).toEqual([0, 0, 1])
  })

  test('builds every commit when the last build is five minutes old', () => {
    const { clone, ids } = makeBranch('old', 3, 301)
    expect(run(clone, ids[0], ids[1])).toBe(1)
  })

  test('always builds when in doubt', () => {
    const { clone, ids } = burst
    const [first, second] = ids
    expect(run(clone, undefined, second)).toBe(1)
    expect(run(clone, second, second)).toBe(1)
    expect(run(clone, '1'.repeat(40), second)).toBe(1)
    git(clone, ['remote', 'set-url', 'origin', join(root, 'nowhere')])
    expect(run(clone, first, second)).toBe(1)
  })

  test('netlify.toml uses the ignore script', () => {
    expect(readFileSync('netlify.toml', 'utf8')).toContain('\nignore = "sh scripts/netlify-ignore.sh"')
  })
})
