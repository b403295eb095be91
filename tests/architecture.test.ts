// Checks the architecture: which modules may import which, one importer per package, how files begin, how long the
// Netlify functions are, and which constructs are banned.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

const SOURCE = /\.(?:ts|mts|mjs|astro)$/

interface SourceFile {
  path: string
  text: string
  /** The file's imports: packages by name, our own files by their path from the root. */
  imports: string[]
}

const files = ['src', 'clients', 'netlify', 'scripts', 'tests'].flatMap((dir) => listSources(dir))

function listSources(dir: string): SourceFile[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return /^(?:\..*|node_modules)$/.test(entry.name) ? [] : listSources(path)
    return SOURCE.test(entry.name) ? [readSource(path)] : []
  })
}

function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const named = [
    ...text.matchAll(/^\s*(?:import|export)\b[^'"\n=]*?from\s+['"]([^'"\n]+)['"]/gm),
    ...text.matchAll(/^\s*import\s+['"]([^'"\n]+)['"]/gm),
    ...text.matchAll(/^\} from ['"]([^'"]+)['"]/gm),
    ...text.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g),
  ]
  const imports = named
    .map((match) => match[1]!)
    .map((name) => (name.startsWith('.') ? normalize(join(dirname(path), name)) : name))
  return { path, text, imports }
}

/** Expands `a/{b,c}/` to `a/b/` and `a/c/`. */
function expandBraces(path: string): string[] {
  const [, before, choices, after] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? []
  return choices === undefined ? [path] : choices.split(',').map((choice) => `${before}${choice}${after}`)
}

const inRoom = (room: string) => files.filter(({ path }) => path.startsWith(`${room}/`))

test('the import reader finds imports in every folder', () => {
  for (const room of [
    'src/domain',
    'src/ports',
    'src/stores',
    'src/server',
    'src/host',
    'src/wiring',
    'src/site',
    'netlify',
    'scripts',
    'tests',
  ]) {
    expect(inRoom(room).flatMap(({ imports }) => imports).length, room).toBeGreaterThan(0)
  }
})

/**
 * Modules directly in `src/site`, `src/site/card` and `src/site/prompt`, which every part of the site may import:
 * texts, links and diffs as plain values.
 */
const PLAIN_SITE = files.map(({ path }) => path).filter((path) => /^src\/site\/(?:(?:card|prompt)\/)?[^/]+$/.test(path))
const ASIDE = ['src/site/docs/', 'src/site/fonts/', 'src/site/styles.css', 'src/site/styles/']

describe('allowed imports', () => {
  //  folder         its allowed imports from this repository
  test.each([
    ['src/domain', ['src/domain/']],
    ['src/ports', ['src/domain/', 'src/ports/']],
    ['src/stores', ['src/domain/', 'src/ports/', 'src/stores/']],
    // The editor renders diffs and READMEs exactly as the pages do.
    ['src/server', ['src/domain/', 'src/ports/', 'src/server/', 'src/site/prompt/', 'src/site/markdown.ts']],
    ['clients', ['clients/']],
    ['src/site/downloads', ['src/site/downloads/']],
    ['src/wiring', ['src/config.ts', 'src/domain/', 'src/ports/', 'src/server/', 'src/stores/', 'src/wiring/']],
    [
      'src/host',
      [
        ...['src/config.ts', 'src/domain/', 'src/host/', 'src/ports/', 'src/server/', 'src/site/build/', 'src/stores/'],
        ...['src/settings.ts', 'src/wiring/'],
      ],
    ],
    [
      'src/doctor',
      [...['src/config.ts', 'src/doctor/', 'src/domain/', 'src/host/', 'src/ports/', 'src/settings.ts', 'src/stores/']],
    ],
    [
      'src/site/astro',
      [
        ...['src/site/downloads/', 'src/config.ts', 'src/domain/', 'src/host/', 'src/ports/', 'src/server/'],
        ...['src/site/astro/', 'src/site/build/', 'src/stores/', 'src/wiring/', ...PLAIN_SITE],
      ],
    ],
    ['src/site/client', ['src/domain/', 'src/site/client/', ...PLAIN_SITE]],
    [
      'src/site/components',
      [
        ...['src/config.ts', 'src/domain/', 'src/server/', 'src/site/client/', 'src/site/components/'],
        ...[...ASIDE, ...PLAIN_SITE],
      ],
    ],
    ['src/site/docs', ['src/config.ts', 'src/domain/', 'src/ports/', 'src/server/', 'src/site/docs/', ...PLAIN_SITE]],
    [
      'src/site/build',
      [
        ...['src/site/downloads/', 'src/config.ts', 'src/domain/', 'src/host/', 'src/ports/', 'src/server/'],
        ...['src/site/build/', 'src/site/docs/', 'src/stores/', 'src/wiring/', ...PLAIN_SITE],
      ],
    ],
    ['netlify', ['src/wiring/', 'src/server/']],
    ['src/pages', ['src/domain/', 'src/server/', 'src/site/']],
  ] as const)('%s', (room, allowed) => {
    const wrong = inRoom(room).flatMap(({ path, imports }) =>
      imports
        .filter(
          (name) => /^(?:src|netlify|scripts|tests)\//.test(name) && !allowed.some((prefix) => name.startsWith(prefix)),
        )
        .map((name) => `${path} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test('shared files of src/site import only domain, ports, guides and fonts', () => {
    const wrong = files
      .filter(({ path }) => PLAIN_SITE.includes(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter((name) => /^(?:src|netlify|scripts|tests)\//.test(name))
          .filter(
            (name) =>
              !['src/domain/', 'src/ports/', 'src/site/docs/', 'src/site/fonts/', ...PLAIN_SITE].some((prefix) =>
                name.startsWith(prefix),
              ),
          )
          .map((name) => `${path} imports ${name}`),
      )
    expect(wrong).toEqual([])
  })

  test('docs/architecture.md lists every folder in src and no missing folder', () => {
    const map = readFileSync('docs/architecture.md', 'utf8')
      .split(/^## /m)
      .find((part) => part.startsWith('2. '))!
    const mapped = [...map.matchAll(/`((?:src|netlify|scripts|tests)\/[^`]*)`/g)]
      .filter(([, path]) => !path!.includes('.'))
      .flatMap(([, path]) => expandBraces(path!))
    expect(mapped.length).toBeGreaterThan(10)
    expect(mapped.filter((path) => !existsSync(path))).toEqual([])
    const aside = [
      'src/config.ts',
      'src/domain/limits.ts',
      'src/domain/server-limits.ts',
      'src/secret-settings.ts',
      'src/settings.ts',
      'src/env.d.ts',
    ]
    const unmapped = files
      .map(({ path }) => path)
      .filter((path) => path.startsWith('src/') && !aside.includes(path) && !PLAIN_SITE.includes(path))
      .filter((path) => !mapped.some((room) => path.startsWith(room)))
      .filter((path) => !/^src\/server\/[^/]+$/.test(path))
    expect(unmapped).toEqual([])
  })

  test('netlify, scripts, src/pages and tests are imported only by themselves and by tests', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((name) => /^(?:netlify|scripts|src\/pages|tests)\//.test(name))
        .filter(
          (name) =>
            !path.startsWith('tests/') &&
            !path.startsWith(
              `${name
                .split('/')
                .slice(0, name.startsWith('src') ? 2 : 1)
                .join('/')}/`,
            ),
        )
        .map((name) => `${path} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test('a test in tests/domain or tests/ports is at the place of its source, with its name', () => {
    const paths = files.map(({ path }) => path)
    const sources = paths.flatMap((path) => /^src\/((?:domain|ports)\/.*)\.ts$/.exec(path)?.[1] ?? [])
    const tests = paths.flatMap((path) => /^tests\/((?:domain|ports)\/.*)\.test\.ts$/.exec(path)?.[1] ?? [])
    const isAbout = (test: string) => (source: string) => test === source || test.startsWith(`${source}-`)
    expect(tests.length).toBeGreaterThan(40)
    expect(tests.filter((test) => !sources.some(isAbout(test)))).toEqual([])
  })

  test('there are no import cycles, including type imports', () => {
    const imports = new Map(files.map(({ path, imports }) => [path, imports]))
    const done = new Set<string>()
    const findCycle = (path: string, above: readonly string[]): string[] | undefined => {
      if (above.includes(path)) return [...above.slice(above.indexOf(path)), path]
      if (done.has(path)) return undefined
      for (const name of imports.get(path) ?? []) {
        const cycle = findCycle(name, [...above, path])
        if (cycle) return cycle
      }
      done.add(path)
      return undefined
    }
    expect(files.map(({ path }) => findCycle(path, [])?.join(' → ')).filter(Boolean)).toEqual([])
  })

  test('no two folders import each other', () => {
    // All tests are one folder here.
    const roomOf = (path: string) => (path.startsWith('tests/') ? 'tests' : path.slice(0, path.lastIndexOf('/')))
    const streets = new Map<string, string>()
    for (const { path, imports } of files)
      for (const name of imports)
        if (files.some((file) => file.path === name) && roomOf(path) !== roomOf(name))
          streets.set(`${roomOf(path)} imports ${roomOf(name)}`, `${path} imports ${name}`)
    const bothWays = [...streets].filter(([street]) =>
      streets.has(street.split(' imports ').reverse().join(' imports ')),
    )
    expect(bothWays.map(([, example]) => example)).toEqual([])
  })

  test('src/domain uses no Node modules, clock, randomness, fetch or environment', () => {
    const wrong = inRoom('src/domain').filter(
      ({ text, imports }) =>
        imports.some((name) => name.startsWith('node:')) ||
        /\bDate\.now\(|new Date\(\)|Math\.random\(|\bprocess\.|\bfetch\(/.test(text),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test.each([
    ['yaml', ['src/domain/text/yaml.ts', 'src/domain/text/yaml-edit.ts']],
    ['js-yaml', ['src/domain/text/yaml.ts', 'src/domain/formats/foreign-yaml.ts']],
    ['gray-matter', ['src/domain/formats/source-file.ts']],
    ['spdx-expression-parse', ['src/domain/content/rules.ts']],
    ['spdx-license-ids/index.json', ['src/domain/editor/suggestions.ts']],
    ['@codemirror/view', ['src/site/client/editor/code-field.ts']],
    ['semver', ['src/domain/values/versions.ts']],
    [
      'node:sqlite',
      [
        'src/stores/site/site-database.ts',
        'src/stores/git/process-lock.ts',
        'src/stores/state/state-sqlite.ts',
        ...['find', 'open-index', 'vocabulary', 'write-index'].map((part) => `src/stores/search/${part}.ts`),
      ],
    ],
    ['@netlify/blobs', ['src/stores/state/state-netlify.ts']],
    ['@netlify/blobs/server', []],
    ['pg', ['src/stores/state/state-postgres.ts']],
    ['@hono/node-server', ['src/host/run-functions.ts']],
    ['@octokit/rest', ['src/stores/github/github-connection.ts']],
    ['@modelcontextprotocol/server', ['src/server/mcp/serve-message.ts']],
    ['@orama/stemmers/english', ['src/domain/search/tokens.ts']],
    ['tinypool', ['src/host/thread-pool.ts']],
    ['diff', ['src/site/prompt/text-difference.ts']],
    ['markdown-it', ['src/site/markdown.ts']],
    ['jose', ['src/server/publish/oidc.ts']],
    ['openid-client', ['src/stores/sign-in/code-flow.ts']],
  ] as const)('%s is imported only by its allowed files in src', (name, importers) => {
    const found = inRoom('src')
      .filter(({ imports }) => imports.includes(name))
      .map(({ path }) => path)
    expect(found.filter((path) => !importers.some((importer) => importer === path))).toEqual([])
  })

  test('only plain-files.ts opens files of content, imports and built sites', () => {
    const openers =
      /\b(?:readFile|readFileSync|createReadStream|open|openSync|openAsBlob|opendir|opendirSync|readSync|readv|readvSync|readlink|readlinkSync|copyFile|copyFileSync|cp|cpSync)\b/
    const rooms = ['content', 'import', 'review', 'site'].flatMap((room) => inRoom(`src/stores/${room}`))
    const host = files.filter(({ path }) => path === 'src/host/http/static-files.ts')
    const scripts = files.filter(({ path }) => /^scripts\/content\/(?:import|export)-prompts\.ts$/.test(path))
    const checked = [...rooms, ...host, ...scripts]
    expect(checked.length).toBeGreaterThan(20)
    const found = checked.filter(({ text }) =>
      [
        ...text.matchAll(
          /^import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'node:fs(?:\/promises)?'|^import (\* as \w+|\w+) from 'node:fs/gm,
        ),
      ].some(([, names = '', whole]) => whole !== undefined || openers.test(names)),
    )
    // This reader receives the descriptor of a file that plain-files.ts has opened.
    expect(found.map(({ path }) => path)).toEqual(['src/stores/content/file-reader.ts'])
  })

  test('only config.ts and a fixed list of files read process.env', () => {
    const readers = files
      .filter(
        ({ path, text }) =>
          path.startsWith('src/') &&
          path !== 'src/config.ts' &&
          /process\.env\b/.test(text.replace(/^\s*\*.*$|\/\*\*.*?\*\//gm, '')),
      )
      .map(({ path }) => path)
    expect(readers.sort()).toEqual([
      'src/host/builds/builder-process.ts',
      'src/host/builds/keep-building.ts',
      'src/host/builds/pages-bundle.ts',
      'src/host/builds/serve-sites.ts',
      'src/host/local-stores.ts',
      'src/site/astro/dev-middleware.ts',
      'src/site/astro/dev-server.ts',
      'src/site/build/write-data.ts',
      'src/wiring/platform.ts',
    ])
  })
})

describe('source file conventions', () => {
  test('every file starts with a comment sentence', () => {
    const wrong = files.filter(({ path, text }) => {
      const head = path.endsWith('.astro') ? text.replace(/^---\r?\n/, '') : text.replace(/^#!.*\n/, '')
      return !/^(?:\/\/|\/\*\*?) ?[A-Z`].*[.:!]/.test(head)
    })
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('only documented Astro modules are imported', () => {
    // See https://docs.astro.build/en/reference/modules/ and https://docs.astro.build/en/reference/adapter-reference/.
    const documented = new Set(['astro', 'astro/config', 'astro/app/entrypoint', 'astro/client'])
    const wrong = files.flatMap(({ path, text }) =>
      [...text.matchAll(/['"](astro(?:[/:][^'"]*)?)['"]/g)]
        .map(([, name]) => name!)
        .filter((name) => /^astro[/:]/.test(name) && !/^astro:(?:build|config|routes?|server):/.test(name))
        .filter((name) => !documented.has(name) && path !== 'tests/architecture.test.ts')
        .map((name) => `${path} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test('every file in netlify has at most 25 lines, no branch and no JSON', () => {
    const shims = inRoom('netlify')
    expect(shims.length).toBeGreaterThan(0)
    for (const { path, text } of shims) {
      expect(text.trimEnd().split('\n').length, path).toBeLessThanOrEqual(25)
      expect(text, path).not.toMatch(/\bif\s*\(|\btry\b|JSON\./)
    }
  })

  test('no type suppressions, no any, and no skipped or focused tests', () => {
    const refused =
      /@ts-(?:ignore|expect-error|nocheck)|\bas any\b|: any\s*[;,)=\]>|&]|<any>|\b(?:test|it|describe)\.(?:skip|only|todo)\(/
    expect(
      files
        .filter(({ path, text }) => path !== 'tests/architecture.test.ts' && refused.test(text))
        .map(({ path }) => path),
    ).toEqual([])
  })

  test('no utils or index files, no export *, no default exports outside netlify and .astro files', () => {
    expect(
      files
        .filter(
          ({ path }) => /\/(?:utils?|helpers?|common|misc|index)\.[a-z]+$/.test(path) && !path.startsWith('src/pages/'),
        )
        .map(({ path }) => path),
    ).toEqual([])
    expect(files.filter(({ text }) => /^export \*/m.test(text)).map(({ path }) => path)).toEqual([])
    expect(
      files
        .filter(
          ({ path, text }) => !path.startsWith('netlify/') && !path.endsWith('.astro') && /^export default/m.test(text),
        )
        .map(({ path }) => path),
    ).toEqual([])
  })

  test('every internal import resolves to a file', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter(
          (name) => /^(?:src|netlify|scripts|tests)\//.test(name) && !existsSync(name.replace(/\?(?:url|inline)$/, '')),
        )
        .map((name) => `${path} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })
})
