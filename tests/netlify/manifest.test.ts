// Tests how Netlify's own bundler packages the functions: routes, methods, limits, and the files in each bundle.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { linkInstalled } from '../hubs/machines.ts'
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

const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-manifest-'))
let functions: Map<string, z.infer<typeof Manifest>['functions'][number]>

beforeAll(() => {
  for (const name of [
    'astro.config.mjs',
    'clients',
    'content',
    'netlify',
    'netlify.toml',
    'package-lock.json',
    'package.json',
    'packages',
    'scripts',
    'releases',
    'src',
    'tsconfig.json',
  ])
    cpSync(name, join(dir, name), { recursive: true })
  linkInstalled(dir)
  const environment = { ...process.env, CI: 'true', NODE_ENV: '', VITEST: '' }
  execFileSync(resolve('tests/node_modules/.bin/netlify'), ['build', '--offline'], {
    cwd: dir,
    env: environment,
    stdio: 'pipe',
  })
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(dir, '.netlify/functions/manifest.json'), 'utf8')))
  functions = new Map(manifest.functions.map((built) => [built.name, built]))
})

afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('the manifest', () => {
  //  function        paths                        methods                                        files take precedence
  test.each([
    ['account', ['/settings', '/settings/*', '/auth', '/auth/*'], [], undefined],
    ['apm', ['/api/apm/*'], ['GET', 'HEAD', 'OPTIONS'], undefined],
    ['check', ['/api/v1/repos/:owner/:name/check'], [], undefined],
    ['editor', ['/new', '/:owner/settings', '/:owner/:name/edit', '/:owner/:name/manage'], [], undefined],
    ['export', ['/api/v1/repos/:owner/:name/versions/:version/export/:format'], ['GET', 'HEAD', 'OPTIONS'], undefined],
    ['mcp', ['/mcp'], [], undefined],
    [
      'missing-files',
      ['/data', '/data/*', '/assets', '/assets/*', '/cli', '/cli/*', '/clients', '/clients/*'],
      ['GET', 'HEAD', 'OPTIONS'],
      true,
    ],
    ['pages', ['/*'], ['GET', 'HEAD'], true],
    ['publish', ['/api', '/api/*'], ['POST', 'PUT', 'PATCH', 'DELETE'], undefined],
    ['rate-limited', ['/rate-limited'], [], undefined],
    ['read', ['/api', '/api/*'], ['GET', 'HEAD', 'OPTIONS'], undefined],
    [
      'skills',
      [
        '/:a/:b/SKILL.md',
        '/:a/:b/v/:c/:d(.+)',
        '/.well-known/agent-skills/index.json',
        '/:a/.well-known/agent-skills/*',
        '/:a/:b/.well-known/agent-skills/*',
      ],
      ['GET', 'HEAD'],
      undefined,
    ],
  ])('%s has the expected routes', (name, paths, methods, isFileFirst) => {
    const built = functions.get(name)
    expect(built?.routes.map(({ pattern }) => pattern)).toEqual(paths)
    for (const route of built?.routes ?? [])
      expect(route).toMatchObject({ methods, ...(isFileFirst ? { prefer_static: true } : {}) })
    expect(built?.runtimeVersion).toBe('nodejs24.x')
  })

  test.each([
    ['account', 120],
    ['check', 120],
    ['editor', 120],
    ['export', 120],
    ['mcp', 1200],
    ['pages', 120],
    ['publish', 120],
    ['read', 120],
  ])('%s declares its rate limit', (name, requests) => {
    expect(functions.get(name)?.trafficRules).toEqual(limitOf(requests))
  })

  test('skills and apm have no rate limit of the platform, because clients fetch every skill in an index or a manifest', () => {
    expect(functions.get('skills')?.trafficRules).toBeUndefined()
    expect(functions.get('apm')?.trafficRules).toBeUndefined()
  })

  test('contains exactly the expected functions', () => {
    expect([...functions.keys()].sort()).toEqual([
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
    ])
  })
})

describe('function bundles', () => {
  const listFiles = (name: string) => {
    const script = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'
    return execFileSync('python3', ['-c', script, functions.get(name)?.path ?? ''])
      .toString()
      .trim()
      .split('\n')
  }
  const readCode = (name: string) => {
    const script =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print("".join(z.read(n).decode() for n in z.namelist() if n.endswith(sys.argv[2])))'
    return execFileSync('python3', ['-c', script, functions.get(name)?.path ?? '', `${name}.mjs`], {
      maxBuffer: 1e8,
    }).toString()
  }

  test.each([
    ['account', false],
    ['apm', false],
    ['check', false],
    ['editor', false],
    ['export', true],
    ['mcp', true],
    ['missing-files', false],
    ['pages', true],
    ['publish', false],
    ['rate-limited', false],
    ['read', true],
    ['skills', false],
  ])('%s contains the search index: %s', (name, carries) => {
    expect(listFiles(name).includes('build/search.db')).toBe(carries)
  })

  test('the functions that render pages contain the page code, and no other', () => {
    const isRendering = (name: string) => listFiles(name).includes('build/pages/entry.mjs')
    expect([...functions.keys()].filter(isRendering).sort()).toEqual(['account', 'editor', 'pages'])
  })

  test.each([
    ['mcp', ['@octokit/rest', 'yaml', '@netlify/blobs/server', '@modelcontextprotocol/client', 'astro']],
    ['read', ['@octokit/rest', 'yaml', 'zod', '@netlify/blobs/server']],
    ['skills', ['@octokit/rest', 'yaml', 'zod', '@netlify/blobs/server', 'astro']],
    ['apm', ['@octokit/rest', 'yaml', 'zod', '@netlify/blobs/server', 'astro']],
    ['pages', ['@octokit/rest', 'yaml', 'zod', '@netlify/blobs/server', 'astro', 'markdown-it']],
    ['account', ['@octokit/rest', 'yaml', 'semver', 'spdx-expression-parse', '@netlify/blobs/server', 'astro']],
    ['editor', ['@netlify/blobs/server', 'astro']],
    ['export', ['@octokit/rest', '@netlify/blobs/server', 'astro', 'markdown-it']],
    ['rate-limited', ['@octokit/rest', 'yaml', 'zod', '@netlify/blobs']],
    ['missing-files', ['@octokit/rest', 'yaml', 'zod', '@netlify/blobs']],
    ['publish', ['@netlify/blobs/server', 'astro']],
    ['check', ['@octokit/rest', '@netlify/blobs/server', 'astro']],
  ])('%s does not import unneeded packages', (name, strangers) => {
    const code = readCode(name)
    expect(code.length).toBeGreaterThan(500)
    for (const stranger of strangers) expect(code).not.toMatch(new RegExp(`from ?["']${stranger}["']`))
  })

  test('pages renders a prompt with the code in its bundle', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'prompt-hub-pages-'))
    unpackBundle(functions.get('pages')?.path ?? '', folder)
    // Here, node_modules is a symlink to the project's packages, which the bundler does not follow.
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    const deploy = createServer((request, response) => {
      const file = join(dir, 'dist', request.url ?? '')
      response.statusCode = existsSync(file) ? 200 : 404
      response.end(existsSync(file) ? readFileSync(file) : undefined)
    })
    await new Promise<void>((listening) => deploy.listen(0, '127.0.0.1', listening))
    const origin = `http://127.0.0.1:${(deploy.address() as AddressInfo).port}`
    const script = `
      const { default: answer } = await import(${JSON.stringify(join(folder, 'netlify/functions/pages.mjs'))})
      const response = await answer(new Request('${origin}/acme/code-review'), { ip: '192.0.2.1' })
      const tags = response.headers.get('Netlify-Cache-Tag')
      console.log(JSON.stringify({ status: response.status, tags, text: await response.text() }))`
    const answer = await runModule(script, folder, {
      LAMBDA_TASK_ROOT: folder,
      NETLIFY_BLOBS_CONTEXT: Buffer.from(
        JSON.stringify({ edgeURL: 'http://127.0.0.1:1', siteID: 'x', token: 'x' }),
      ).toString('base64'),
    })
    expect([answer.status, answer.tags]).toEqual([200, 'repo_acme_code-review'])
    expect(answer.text).toContain('<h1 dir="auto">Code review</h1>')
    await new Promise((closed) => deploy.close(closed))
    rmSync(folder, { recursive: true })
  })
})
