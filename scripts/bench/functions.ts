// Measures the Netlify functions: the source files that one call loads, and the size of each bundle.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createToken } from '../../src/stores/state/tokens.ts'
import { serveBare } from './bare-server.ts'
import { makeMcpRequest } from './mcp-request.ts'
import type { Measurement } from './measure.ts'
import { runNode } from './processes.ts'
import { type BenchSite, PROJECT_DIR } from './site.ts'

/** A call to a function, as passed to its process. */
export interface Call {
  function: string
  url: string
  init: { method?: string; headers?: Record<string, string>; body?: string }
}

const LOADED_FILES = fileURLToPath(new URL('loaded-files.ts', import.meta.url))
/** Maximum size of each function in kB: its actual size, rounded up by at most five kB, because even a comment counts. */
const FUNCTIONS = { read: 388, publish: 986, mcp: 934, account: 645 } as const
const SITE_ID = 'bench'
const HEAD = '1'.repeat(40)

/** Measures both, with the same stores as on Netlify: the deploy's own files, Netlify Blobs and GitHub. */
export async function measureFunctions(site: BenchSite): Promise<Measurement[]> {
  return [...(await countFiles(site)), ...measureBundles()]
}

async function countFiles(site: BenchSite): Promise<Measurement[]> {
  const state = new Map<string, string>()
  const token = await makeToken(state)
  const [files, stores] = await Promise.all([serveBare(site), serveStores(state)])
  try {
    const address = stores.address()
    const storesUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const settings = {
      NETLIFY_BLOBS_CONTEXT: Buffer.from(
        JSON.stringify({ edgeURL: storesUrl, uncachedEdgeURL: storesUrl, siteID: SITE_ID, token: 'bench' }),
      ).toString('base64'),
      GITHUB_API_URL: storesUrl,
      GITHUB_REPOSITORY: 'octo/prompts',
      GITHUB_TOKEN: 'bench',
      NETLIFY_PURGE_API_TOKEN: 'bench',
      SITE_ID,
    }
    const measurements: Measurement[] = []
    for (const [name, call, most] of await listCalls(site, `http://127.0.0.1:${files.port}`, token)) {
      const surroundings = { cwd: site.dir, settings: { ...settings, BENCH_CALL: JSON.stringify(call) } }
      const { log } = await runNode([LOADED_FILES], surroundings, 30_000)
      if (log.includes('"level":')) throw new Error(`${name} met with trouble, so it loaded more than it needs: ${log}`)
      const loaded: string[] = JSON.parse(log.trim().split('\n').at(-1)!)
      measurements.push({
        name: `files of src loaded by ${name}`,
        unit: 'files',
        measured: loaded.length,
        limit: { of: 'measured', most },
      })
    }
    return measurements
  } finally {
    await files.stop()
    stores.closeAllConnections()
    stores.close()
  }
}

type NamedCall = readonly [name: string, call: Call, mostFiles: number]

async function listCalls({ catalogue }: BenchSite, origin: string, token: string): Promise<NamedCall[]> {
  const { owner, name } = catalogue.listed.top[0]!
  const repository = `${origin}/api/v1/repos/${owner}/${name}`
  const get = (url: string): Call => ({ function: 'read', url, init: {} })
  const publish: Call = {
    function: 'publish',
    url: `${origin}/api/v1/repos/acme/bench/versions`,
    init: {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ content: 'Summarise {{text}}.' }),
    },
  }
  const tool = async (era: '2025' | '2026', toolName: string, given: object): Promise<Call> => {
    const request = makeMcpRequest(era, 'tools/call', { name: toolName, arguments: given })
    const init = { method: 'POST', headers: Object.fromEntries(request.headers), body: await request.text() }
    return { function: 'mcp', url: `${origin}/mcp`, init }
  }
  return [
    ['a read', get(repository), 23],
    ['a read of the content', get(`${repository}/raw`), 25],
    ['a list', get(`${origin}/api/v1/repos`), 29],
    ['a search', get(`${origin}/api/v1/repos?q=review`), 40],
    ['a publish', publish, 66],
    ['a tool call', await tool('2026', 'get_prompt', { owner, name }), 37],
    ['a tool call of an older client', await tool('2025', 'get_prompt', { owner, name }), 37],
  ]
}

async function makeToken(state: Map<string, string>): Promise<string> {
  const store = {
    set: async (key: string, value: string) => {
      state.set(key, value)
    },
  }
  const given = { holder: { kind: 'operator' as const }, name: 'bench', scope: 'acme/*', days: 1 }
  return (await createToken(store, given, new Date())).token
}

/** Serves Netlify Blobs and GitHub at one URL: stored values are in a map, and every folder in git is empty. */
async function serveStores(state: Map<string, string>): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://localhost').pathname)
    const body = await text(request)
    if (path === '/graphql') {
      const commit = { createCommitOnBranch: { commit: { oid: HEAD, url: null } } }
      const folder = { repository: { ref: { target: { oid: HEAD, versions: null, index: null, ownerIndex: null } } } }
      const data = body.includes('createCommitOnBranch') ? commit : folder
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ data }))
      return
    }
    const key = path.replace(`/${SITE_ID}/site:prompt-hub/`, '')
    if (request.method === 'PUT') state.set(key, body)
    const found = request.method === 'PUT' ? '' : state.get(key)
    response.writeHead(found === undefined ? 404 : 200, { ETag: '"1"' }).end(found)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return server
}

/** Measures the compressed size of each function as uploaded, without the search index, which grows with the catalogue. */
function measureBundles(): Measurement[] {
  const dir = join(PROJECT_DIR, '.hub', `bench-bundles-${process.pid}`)
  mkdirSync(dir, { recursive: true })
  try {
    bundleFunctions(dir)
    return Object.entries(FUNCTIONS).map(([name, most]) => ({
      name: `bundle of ${name}, packed`,
      unit: 'kB',
      measured: statSync(join(dir, `${name}.zip`)).size / 1000,
      limit: { of: 'measured', most },
    }))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Bundles the functions like a deploy, using the project's own `netlify.toml`, but without building a site first. `netlify functions:build` would not read that file. @param dir destination of the zip files */
export function bundleFunctions(dir: string): void {
  const settings = readFileSync(join(PROJECT_DIR, 'netlify.toml'), 'utf8')
    .replace('command = "npm run build"', 'command = "true"')
    .replace('publish = "dist"', 'publish = "content"')
    .replaceAll(/"build\/[^"]*"(?:, )?/g, '')
  const config = join(dir, 'netlify.toml')
  writeFileSync(config, settings)
  const parameters = [
    '--offline',
    '--telemetry=false',
    '--cwd',
    PROJECT_DIR,
    '--config',
    config,
    '--functionsDistDir',
    dir,
  ]
  const surroundings = { cwd: PROJECT_DIR, env: { ...process.env, CI: 'true' }, stdio: 'pipe' } as const
  execFileSync(join(PROJECT_DIR, 'node_modules/.bin/netlify-build'), parameters, surroundings)
}

/** Unpacks a function from `bundleFunctions`. @returns its folder with the module to import */
export function unpackFunction(dir: string, name: string): { folder: string; module: string } {
  const folder = join(dir, name)
  mkdirSync(folder, { recursive: true })
  execFileSync('python3', ['-m', 'zipfile', '-e', join(dir, `${name}.zip`), folder])
  return { folder, module: join(folder, `netlify/functions/${name}.mjs`) }
}
