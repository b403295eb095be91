// Compares the route table with what the hub serves: the table lists every route of the functions, every page and every
// generated file, and each listed route reaches the named function.
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listCliDownloads } from '../packages/build/downloads/hubcli.ts'
import { readCliReleases } from '../packages/build/downloads/releases.ts'
import { listSitemapPaths } from '../packages/build/sitemap.ts'
import { buildCatalogue } from '../packages/catalogue/catalogue.ts'
import { ADDRESSES } from '../packages/catalogue/published/addresses.ts'
import { listDataFiles } from '../packages/catalogue/published/data-files.ts'
import { type HostedFunction, routeFunctions } from '../packages/node-server/run-functions.ts'
import { ROUTES } from '../src/domain/api/routes.ts'
import { digestText } from '../src/ports/measure.ts'
import { ROUTES_LIST } from '../src/site/links.ts'
import { readStarterCatalogue } from './domain/fixtures.ts'
import { words } from './words.ts'

type Function = HostedFunction<object> & { name: string }

const functions: Function[] = await Promise.all(
  readdirSync('netlify/functions').map(async (file) => ({
    ...(await import(pathToFileURL(resolve('netlify/functions', file)).href)),
    name: file.replace('.mts', ''),
  })),
)

const literal = (text: string) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&')
/** Returns a regular expression for the paths that a pattern in the route table matches. */
const regexOf = (path: string) =>
  new RegExp(
    `^${literal(path)
      .replace(/\\\*$/, '.*')
      .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  )
const known = ADDRESSES.filter(({ by, path }) => (by === 'file' || by === 'pages') && path !== '/*').map(
  ({ path }) => ({ regex: regexOf(path) }),
)
/**
 * An owner, name or tag can be almost any word. A path that starts with one of these reserved words must therefore be
 * in the table itself, not just match `/{owner}`.
 */
const FIXED = /^\/(?:404|api|assets|auth|badges|cli|clients|data|docs|mcp|settings|tags)(?:\/|$)/
const isKnown = (path: string) =>
  known.some(({ regex }) => regex.test(path) && (!FIXED.test(path) || !regex.source.startsWith('^\\/[')))

/** Returns a path that matches a pattern, with each placeholder replaced by an example value or by its name. */
const filled = (path: string) =>
  path
    .replace(/\*$/, 'anything')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ version: '1.0.0', sort: 'top', page: '2' })[name] ?? name)

// Scheduled functions have no URL.
const addressedFunctions = functions.filter(({ config }) => !('schedule' in config))

describe('function routes', () => {
  test.each(addressedFunctions.map((one) => [one.name, one] as const))(
    '%s: every configured path is in the route table',
    (name, { config }) => {
      const own = ADDRESSES.filter(({ by }) => by === name).map(({ path }) => filled(path))
      expect(own.length).toBeGreaterThan(0)
      for (const path of [config.path ?? []].flat()) {
        const pattern = new URLPattern({ pathname: path })
        const isBase = own.some((one) => one.startsWith(`${path}/`))
        expect(isBase || own.some((pathname) => pattern.test({ pathname })), path).toBe(true)
      }
    },
  )

  test('each path and method in the table is routed to its function', () => {
    const route = routeFunctions(functions)
    const names = new Set(functions.map(({ name }) => name))
    for (const { path, methods, by } of ADDRESSES) {
      if (!names.has(by)) expect(['file', 'host'], path).toContain(by)
      else
        for (const method of methods) {
          const found = route(method, new URL(filled(path), 'https://hub.test').pathname)
          expect(functions.find((one) => one.default === found?.default)?.name, `${method} ${path}`).toBe(by)
        }
    }
  })
})

/** A path matches with or without a slash at its end, as on both hosts. */
const patternsOf = (paths: string | readonly string[] | undefined) =>
  [paths ?? []].flat().map((path) => new URLPattern({ pathname: path.endsWith('*') ? path : `${path}{/}?` }))
const readers = addressedFunctions
  .filter(({ config }) => [config.method ?? 'GET'].flat().includes('GET'))
  .map(({ name, config }) => ({ name, at: patternsOf(config.path), notAt: patternsOf(config.excludedPath) }))
/** Returns the names of the functions that read a path. */
const namesOf = (pathname: string) =>
  readers
    .filter(({ at, notAt }) => at.some((one) => one.test({ pathname })) && !notAt.some((one) => one.test({ pathname })))
    .map(({ name }) => name)

test('the settings of an owner are matched by one function, and are no guide, tag or account page', () => {
  for (const owner of ['acme', 'Acme', 't', 'ta', 'tag', 'tags-2', 'tagz', 'taxs', 'txgs', 'xags', 'doc', 'docs-2'])
    expect([owner, namesOf(`/${owner}/settings`)]).toEqual([owner, ['editor']])
  expect(namesOf('/tags/settings')).toEqual(['pages'])
  // A file of the build.
  expect(namesOf('/docs/settings')).toEqual([])
  expect(namesOf('/settings/settings')).toEqual(['account'])
  expect(namesOf('/data/settings')).toEqual(['missing-files'])
})

test('every path is read by a function, which says how long a 404 is cached', () => {
  const words = fc.constantFrom(
    ...[...known.flatMap(({ regex }) => regex.source.match(/\w+/g) ?? []), 'acme', 'v', 'SKILL.md', '.well-known'],
    ...['agent-skills', 'new', 'mcp', 'rate-limited', 'api', 'apm', 'auth', 'cli', 'clients', 'edit', 'x%2Fy', ''],
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 6 }), (segments) => {
      const path = `/${segments.join('/')}`
      // A file of the build.
      fc.pre(!/^\/docs\/settings\/?$/.test(path))
      expect([path, namesOf(new URL(`https://hub.test${path}`).pathname)[0]]).toEqual([path, expect.any(String)])
    }),
    { numRuns: 2_000 },
  )
})

test('no function takes a write to a file, so that the host refuses the method', () => {
  const route = routeFunctions(functions)
  for (const path of words`
    /data/v1/tags.json /cli/hubcli /clients/a /assets/a.css /docs/settings /favicon.svg
  `)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect([path, route(method, path)]).toEqual([path, undefined])
})

describe('build output', () => {
  test('every page in src/pages is in the route table', () => {
    const pages = readdirSync('src/pages', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath.replaceAll('\\', '/').slice('src/pages'.length)}/${name}`)
      .map((file) => file.replace(/\.(?:astro|md|ts)$/, '').replace(/\/index$/, '') || '/')
      .map((path) => (path === '/[...path]' ? '/*' : path.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}')))
    expect(pages).toContain('/{owner}/{name}')
    const paths = ADDRESSES.map(({ path }) => path)
    const fixed = (path: string) =>
      paths.includes(path) || paths.includes(path.replace(/^(\/docs)\/[\w-]+$/, '$1/{guide}'))
    expect(pages.filter((path) => !fixed(path) && !path.startsWith('/assets/'))).toEqual([])
  })

  test('every generated file and every file in src/public is in the route table', async () => {
    const { tree } = readStarterCatalogue()
    const catalogue = buildCatalogue(tree, { baseUrl: 'https://hub.test', day: '2026-11-20' })
    const downloads = listCliDownloads(await readCliReleases('.'), 'https://hub.test')
    const written = [...listDataFiles(catalogue, digestText), ...downloads].map(([path]) => path)
    const paths = [...written, ...listSitemapPaths(catalogue)]
    const others = readdirSync('src/public').map((name) => `/${name}`)
    expect(paths.length).toBeGreaterThan(100)
    expect([...paths, ...others].filter((path) => !isKnown(path))).toEqual([])
  })
})

test('fixed paths such as /docs or /cli do not match the {owner} patterns', () => {
  expect(
    ['/docs/mcp/other.json', '/cli/other', '/tags/a/b/c', '/badges/a/b', '/auth/b', '/data/b', '/data/v1/b'].filter(
      isKnown,
    ),
  ).toEqual([])
  expect(['/acme', '/acme/a', '/acme/a/v/1.0.0', '/clients/a/b/c'].filter((path) => !isKnown(path))).toEqual([])
})

test('each path and method is in the table once, with a description', () => {
  const lines = ADDRESSES.flatMap(({ path, methods, by }) => methods.map((method) => `${method} ${path} ${by}`))
  expect(new Set(lines).size).toBe(lines.length)
  for (const { path, methods, about } of ADDRESSES)
    expect([methods.length > 0, about !== ''], path).toEqual([true, true])
})

test('the client scripts use the path of the repository list from the table', () => {
  expect(ROUTES_LIST).toBe(ROUTES.listRepositories.path)
})
