// Compares the list of addresses with what the hub serves: it lists every page and every generated file, and each listed
// address is answered. On Netlify, every path belongs to one function.

import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listCliDownloads } from '../src/build/downloads/hubcli.ts'
import { readCliReleases } from '../src/build/downloads/releases.ts'
import { listSitemapPaths } from '../src/build/sitemap.ts'
import { buildCatalogue } from '../src/catalogue/catalogue.ts'
import { ADDRESSES } from '../src/catalogue/published/addresses.ts'
import { listDataFiles } from '../src/catalogue/published/data-files.ts'
import { readContentDir } from '../src/content/content-dir.ts'
import { HubError } from '../src/domain/api/errors.ts'
import { digestText } from '../src/files/measure.ts'
import { openApp } from './hubs/app.ts'
import { words } from './words.ts'

/** A function of Netlify, and the paths that it answers. */
interface Function {
  name: string
  config: { path?: string | string[]; excludedPath?: string | string[]; method?: string[]; schedule?: string }
}

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
const FIXED = /^\/(?:404|api|assets|auth|badges|cli|clients|data|docs|mcp|npm|settings|tags)(?:\/|$)/
const isKnown = (path: string) =>
  known.some(({ regex }) => regex.test(path) && (!FIXED.test(path) || !regex.source.startsWith('^\\/[')))

const EXAMPLES: Readonly<Record<string, string>> = {
  version: '1.0.0',
  sort: 'top',
  page: '2',
  attestation: '1.sigstore.json',
  package: '@acme%2fname',
  scope: '@acme',
  file: 'name-1.0.0.tgz',
}
/** Returns a path that matches a pattern, with each placeholder replaced by an example value or by its name. */
const filled = (path: string) =>
  path.replace(/\*$/, 'anything').replaceAll(/\{(\w+)\}/g, (_, name: string) => EXAMPLES[name] ?? name)

/** A path matches with or without a slash at its end, as on both hosts. */
const patternsOf = (paths: string | readonly string[] | undefined) =>
  [paths ?? []].flat().map((path) => new URLPattern({ pathname: path.endsWith('*') ? path : `${path}{/}?` }))
const addressed = functions.map(({ name, config }) => ({
  name,
  methods: config.method,
  at: patternsOf(config.path),
  notAt: patternsOf(config.excludedPath),
}))
/** Returns the names of Netlify's functions that answer a path. */
const namesOf = (pathname: string, method = 'GET') =>
  addressed
    .filter(
      ({ methods, at, notAt }) =>
        (methods?.includes(method) ?? true) &&
        at.some((one) => one.test({ pathname })) &&
        !notAt.some((one) => one.test({ pathname })),
    )
    .map(({ name }) => name)

describe('the functions of Netlify', () => {
  test.each([
    ['GET', '/api/v1/repos/acme/a', 'read'],
    ['OPTIONS', '/api/v1/repos/acme/a/check', 'read'],
    ['GET', '/api', 'read'],
    ['GET', '/api/search', 'read'],
    ['POST', '/api', 'publish'],
    ['POST', '/api/v1/repos/acme/a/check', 'publish'],
    ['DELETE', '/api/v1/repos/acme/a/labels/production', 'publish'],
    ['GET', '/api/v1/repos/acme/a/versions/1.0.0/export/dotprompt', 'export'],
    ['POST', '/mcp', 'mcp'],
    ['GET', '/mcp', 'mcp'],
    ['POST', '/rate-limited', 'rate-limited'],
    ...words`
      /acme/a/SKILL.md /acme/a/v/1.0.0/SKILL.md /acme/a/v/1.0.0/scripts/fill.py /.well-known/agent-skills/index.json
      /acme/.well-known/agent-skills/index.json /.well-known/skills/index.json /acme/.well-known/skills/a/SKILL.md /acme/a/.well-known/agent-skills/a/SKILL.md
      /api/apm/v1/packages/acme/a/versions /data/v1/tags.json /assets/a.css /cli/hubcli /clients/a /data/settings
      /.claude-plugin/marketplace.json /acme/.claude-plugin/marketplace.json
      /acme/a/v/1.0.0/.claude-plugin/marketplace.json /acme/a/v/1.0.0/plugin.zip
      /npm/@acme%2fa /npm/@acme/a /npm/@acme/a/-/a-1.0.0.tgz /npm
    `.map((path) => ['GET', path, 'skills']),
    // The command-line program of Netlify matches paths in lower case.
    ['GET', '/acme/a/skill.md', 'skills'],
    ...words`
      /acme/a/edit /acme/settings /Acme/settings /t/settings /ta/settings /tag/settings /tags-2/settings /tagz/settings
      /taxs/settings /txgs/settings /xags/settings /doc/settings /docs-2/settings /new
      /tags/settings /docs/settings
    `.map((path) => ['GET', path, 'editor']),
    ...words`
      /settings /settings/tokens /settings/settings /auth/sign-in /auth/settings
    `.map((path) => ['GET', path, 'account']),
    ...words`
      / /acme /acme/a /acme/a/v/1.0.0 /docs/publishing /login
    `.map((path) => ['GET', path, 'pages']),
  ])('%s %s is answered by %s', (method, path, name) => expect(namesOf(path, method)).toEqual([name]))

  test('answer every path, and none twice', () => {
    const parts = fc.constantFrom(
      ...[...known.flatMap(({ regex }) => regex.source.match(/\w+/g) ?? []), 'acme', 'v', 'SKILL.md', '.well-known'],
      ...['agent-skills', 'new', 'mcp', 'rate-limited', 'api', 'apm', 'auth', 'cli', 'clients', 'edit', 'x%2Fy', ''],
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), (segments) => {
        const path = `/${segments.join('/')}`
        expect([path, namesOf(new URL(`https://hub.test${path}`).pathname).length]).toEqual([path, 1])
      }),
      { numRuns: 500 },
    )
  })

  test('answer each address of the list that no file or host answers', () => {
    for (const { path, methods, by } of ADDRESSES)
      if (by !== 'file' && by !== 'host')
        for (const method of methods) {
          const { pathname } = new URL(filled(path), 'https://hub.test')
          const name = method === 'OPTIONS' && by === 'publish' ? 'read' : by
          expect([method, path, namesOf(pathname, method)]).toEqual([method, path, [name]])
        }
  })

  test('only those without the clients of a list are limited by the platform', () => {
    const limited = functions.filter(({ config }) => 'rateLimit' in config).map(({ name }) => name)
    expect(limited.sort()).toEqual(['account', 'editor', 'export', 'mcp', 'pages', 'proposals', 'publish', 'read'])
  })
})

/** A hub whose every part says that it was reached. */
const reached = () => {
  throw new HubError('unavailable', 'Reached.')
}
const edited = () => {
  throw new HubError('unavailable', 'The editor.')
}
const ask = openApp(reached, { publishing: reached, checking: reached, account: reached, editor: edited })

describe('the application', () => {
  const own = ADDRESSES.filter(({ by }) => !['file', 'host', 'rate-limited'].includes(by))
  test.each(own.flatMap(({ path, methods }) => methods.map((method) => [method, path] as const)))(
    '%s %s is answered',
    async (method, path) => {
      const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer x' }
      const body = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ? '{}' : null
      const answer = await ask(new Request(`https://hub.example${filled(path)}`, { method, headers, body }))
      const text = await answer.text()
      const isUnknown = /There is (?:nothing|no Agent Skill|no package) at/.test(text)
      expect(answer.status).not.toBe(405)
      if (text !== '') expect(isUnknown).toBe(path.endsWith('*') && path !== '/*')
    },
  )

  test('the settings of an owner are no guide, tag or account page', async () => {
    const isEditor = async (path: string) =>
      (await (await ask(new Request(`https://hub.example${path}`))).text()).includes('The editor.')
    for (const owner of ['acme', 'Acme', 't', 'ta', 'tag', 'tags-2', 'tagz', 'doc', 'docs-2'])
      expect([owner, await isEditor(`/${owner}/settings`)]).toEqual([owner, true])
    expect([await isEditor('/tags/settings'), await isEditor('/docs/settings')]).toEqual([false, false])
  })

  test('refuses a write to a file', async () => {
    for (const path of words`
      /data/v1/tags.json /cli/hubcli /clients/a /assets/a.css /docs/settings /favicon.svg
    `)
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        expect([path, (await ask(new Request(`https://hub.example${path}`, { method }))).status]).toEqual([path, 405])
  })
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
      paths.includes(path) ||
      paths.includes(`/.well-known${path}`) ||
      paths.includes(path.replace(/^(\/docs)\/[\w-]+$/, '$1/{guide}'))
    expect(pages.filter((path) => !fixed(path) && !path.startsWith('/assets/'))).toEqual([])
  })

  test('every generated file and every file in src/public is in the route table', async () => {
    const { tree } = readContentDir('content')
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
