// Checks that each function runs with only the files in its bundle, so no file excluded by netlify.toml is ever loaded.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { modern, post } from '../hubs/mcp.ts'

// This folder is outside the project. Inside the project, Node would look in parent folders and find packages that are
// missing from the bundle.
const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-bundles-'))
/** A folder elsewhere in the project that has files with the same paths as bundled ones. */
const stray = resolve('.hub/tests/stray')
beforeAll(() => {
  mkdirSync(join(stray, 'build'), { recursive: true })
  for (const name of ['search.db', 'complete.json']) writeFileSync(join(stray, 'build', name), '')
  bundleFunctions()
})
afterAll(() => {
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

/** Unpacks a function from `bundleFunctions`. @returns its folder, and the path of the module to import */
function unpackFunction(name: string): { folder: string; module: string } {
  const folder = join(dir, name)
  mkdirSync(folder, { recursive: true })
  execFileSync('python3', ['-m', 'zipfile', '-e', join(dir, `${name}.zip`), folder])
  return { folder, module: join(folder, `netlify/functions/${name}.mjs`) }
}

/** Calls a function in its own process. @returns the response's status and text */
async function ask(name: string, request: Request): Promise<{ status: number; text: string }> {
  const script = `
    const { default: answer } = await import(${JSON.stringify(unpackFunction(name).module)})
    const { url, ...init } = JSON.parse(process.argv[1])
    const response = await answer(new Request(url, init), { ip: '192.0.2.1' })
    console.log(JSON.stringify({ status: response.status, text: await response.text() }))`
  const { method, url, headers } = request
  const body = method === 'POST' ? await request.text() : undefined
  const call = JSON.stringify({ url, method, headers: Object.fromEntries(headers), body })
  const settings = {
    PATH: process.env.PATH,
    NETLIFY_BLOBS_CONTEXT: Buffer.from(
      JSON.stringify({ edgeURL: 'http://127.0.0.1:1', siteID: 'x', token: 'x' }),
    ).toString('base64'),
    GITHUB_REPOSITORY: 'octo/prompts',
    GITHUB_TOKEN: 'x',
  }
  const log = execFileSync(process.execPath, ['--input-type=module', '-e', script, call], { cwd: dir, env: settings })
  return JSON.parse(log.toString().trim().split('\n').at(-1)!)
}

const ADDRESS = 'http://localhost/api/v1/repos/acme/bench/versions'
const MCP = 'http://localhost:8888/mcp'

test.each([
  ['read', new Request('http://localhost/api/v1/nothing'), 404, 'not_found'],
  [
    'publish',
    new Request(ADDRESS, {
      method: 'POST',
      headers: { Authorization: 'Bearer x', 'Content-Type': 'application/json' },
      body: '{}',
    }),
    401,
    'unauthorized',
  ],
  ['account', new Request('http://localhost/settings'), 503, 'GITHUB_CLIENT_ID'],
  ['mcp', post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, {}, MCP), 200, 'search_prompts'],
  ['mcp', new Request(MCP, modern('tools/list')), 200, 'search_prompts'],
] as const)('the %s function responds', async (name, request, status, words) => {
  const answer = await ask(name, request)
  expect(answer.status).toBe(status)
  expect(answer.text).toContain(words)
})

test.each(['read', 'publish', 'account', 'mcp', 'pages', 'editor', 'export'])(
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
