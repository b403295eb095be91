// Checks the architecture: which modules may import which, one importer per package, how files begin, how long the
// Netlify functions are, and which constructs are banned.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { affectsData } from '../src/build/code-hash.ts'
import { words } from './words.ts'

const SOURCE = /\.(?:ts|mts|mjs|astro)$/

interface SourceFile {
  path: string
  text: string
  /** The file's imports: packages by name, our own files by their path from the root. */
  imports: string[]
}

const files = ['src', 'packages', 'clients', 'netlify', 'scripts', 'tests']
  .flatMap((dir) => listSources(dir))
  .filter(({ path }) => path.startsWith('tests/') || !path.endsWith('.test.ts'))
  .filter(({ path }) => !path.includes('/dist/'))

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
    ...['src/domain', 'src/server', 'src/site', 'src/hub', 'src/state', 'packages', 'netlify', 'scripts', 'tests'],
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
/** Code without Node modules, clock, randomness or environment. */
const PURE = files.filter(({ path }) =>
  /^(?:src\/(?:domain|catalogue|review\/rules|editor\/form)|packages\/prompt-formats\/source)\//.test(path),
)
const SETTINGS = ['src/config.ts', 'src/settings.ts', 'src/secret-settings.ts']
const OURS = /^(?:src|packages|netlify|scripts|tests)\//

describe('allowed imports', () => {
  //  folder, and its allowed imports from this repository
  test.each([
    ['src/domain', ['src/domain/']],
    ['src/catalogue', ['src/catalogue/', 'src/domain/']],
    ['src/concurrency', ['src/concurrency/', 'src/domain/']],
    ['src/files', ['src/domain/', 'src/files/']],
    ['src/git', ['src/domain/', 'src/files/', 'src/git/', 'src/state/sqlite-errors.ts']],
    ['src/github', ['src/concurrency/', 'src/domain/', 'src/git/', 'src/github/', 'src/log.ts']],
    ['src/content', ['src/catalogue/', 'src/content/', 'src/domain/', 'src/files/', 'src/git/', 'src/log.ts']],
    ['src/state', ['src/concurrency/', 'src/domain/', 'src/log.ts', 'src/state/']],
    ['src/search', ['src/catalogue/', 'src/domain/', 'src/search/']],
    ['src/built', ['src/built/', 'src/domain/', 'src/files/', 'src/git/', 'src/state/']],
    ['src/attestations', ['src/attestations/', 'src/concurrency/', 'src/domain/']],
    // The handlers know interfaces, never what stands behind them. The editor renders diffs and READMEs as the pages do.
    [
      'src/server',
      [
        ...['src/built/site-files.ts', 'src/concurrency/', 'src/domain/', 'src/files/', 'src/git/git-store.ts'],
        ...['src/log.ts', 'src/search/search.ts', 'src/server/', 'src/site/markdown.ts', 'src/site/prompt/'],
        ...['src/site/rendering.ts', 'src/state/fresh-copies.ts', 'src/state/rate-limiter.ts', 'src/version.ts'],
      ],
    ],
    ['src/skills', ['src/built/', 'src/concurrency/', 'src/domain/', 'src/files/', 'src/server/', 'src/skills/']],
    [
      'src/account',
      [
        ...['src/account/', 'src/built/', 'src/catalogue/', 'src/domain/', 'src/log.ts', 'src/server/'],
        ...['src/site/components/', 'src/site/rendering.ts', 'src/state/'],
      ],
    ],
    [
      'src/editor',
      [
        ...['packages/prompt-formats/source/', 'src/account/', 'src/built/', 'src/catalogue/', 'src/concurrency/'],
        ...['src/domain/', 'src/editor/', 'src/files/', 'src/server/', 'src/site/client/', 'src/site/components/'],
        ...['src/state/', ...PLAIN_SITE],
      ],
    ],
    [
      'src/routes',
      [
        ...['packages/prompt-formats/source/', 'src/account/', 'src/built/', 'src/catalogue/published/addresses.ts'],
        ...['src/concurrency/', 'src/domain/', 'src/editor/', 'src/routes/', 'src/server/', 'src/skills/'],
      ],
    ],
    [
      'src/hub',
      [
        ...['packages/prompt-formats/source/', 'src/account/', 'src/attestations/', 'src/built/', 'src/concurrency/'],
        ...['src/config.ts', 'src/domain/', 'src/editor/', 'src/files/', 'src/git/', 'src/github/', 'src/hub/'],
        ...['src/routes/', 'src/search/', 'src/server/', 'src/site/rendering.ts', 'src/state/'],
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
    ['src/site/docs', ['src/config.ts', 'src/domain/', 'src/server/', 'src/site/docs/', ...PLAIN_SITE]],
    [
      'src/pages',
      [
        ...['src/account/pages/', 'src/build/downloads/', 'src/build/reference/', 'src/domain/'],
        ...['src/editor/browser/', 'src/editor/pages/', 'src/review/rules/', 'src/server/', 'src/site/'],
      ],
    ],
    [
      'src/review',
      [
        ...['src/attestations/', 'src/catalogue/', 'src/content/', 'src/domain/', 'src/files/', 'src/git/'],
        ...['src/github/', 'src/review/'],
      ],
    ],
    [
      'src/build',
      [
        ...['src/build/', 'src/built/', 'src/catalogue/', 'src/config.ts', 'src/content/', 'src/domain/'],
        ...['src/files/', 'src/search/', 'src/site/docs/', 'src/skills/', ...PLAIN_SITE],
      ],
    ],
    [
      'src/doctor',
      [
        ...[...SETTINGS, 'src/doctor/', 'src/domain/', 'src/git/', 'src/github/', 'src/hosts/node/', 'src/log.ts'],
        'src/review/',
      ],
    ],
    ['clients', ['clients/']],
    ['packages/prompt-formats', ['packages/prompt-formats/', 'src/domain/']],
    ['netlify', ['src/hub/', 'src/routes/', 'src/server/']],
  ] as const)('%s', (room, allowed) => {
    const wrong = inRoom(room).flatMap(({ path, imports }) =>
      imports
        .filter((name) => OURS.test(name) && !allowed.some((prefix) => name.startsWith(prefix)))
        .map((name) => `${path} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test('pure code imports only pure code', () => {
    const isPure = (name: string) => PURE.some(({ path }) => path === name)
    expect(PURE.length).toBeGreaterThan(150)
    const wrong = PURE.flatMap(({ path, imports }) =>
      imports.filter((name) => OURS.test(name) && !isPure(name)).map((name) => `${path} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test('shared files of src/site import only domain, guides, fonts and the interface of search', () => {
    const wrong = files
      .filter(({ path }) => PLAIN_SITE.includes(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter((name) => OURS.test(name))
          .filter(
            (name) =>
              !['src/domain/', 'src/search/search.ts', 'src/site/docs/', 'src/site/fonts/', ...PLAIN_SITE].some(
                (prefix) => name.startsWith(prefix),
              ),
          )
          .map((name) => `${path} imports ${name}`),
      )
    expect(wrong).toEqual([])
  })

  test('docs/architecture.md lists every folder in src and packages, and no missing folder', () => {
    const map = readFileSync('docs/architecture.md', 'utf8')
      .split(/^## /m)
      .find((part) => part.startsWith('2. '))!
    const mapped = [...map.matchAll(/`((?:src|packages|netlify|scripts|tests)\/[^`]*)`/g)]
      .filter(([, path]) => !path!.includes('.'))
      .flatMap(([, path]) => expandBraces(path!))
    expect(mapped.length).toBeGreaterThan(10)
    expect(mapped.filter((path) => !existsSync(path))).toEqual([])
    const aside = [...SETTINGS, 'src/env.d.ts', 'src/log.ts', 'src/version.ts']
    const unmapped = files
      .map(({ path }) => path)
      .filter((path) => /^(?:src|packages)\//.test(path) && !aside.includes(path) && !PLAIN_SITE.includes(path))
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

  test('a change of any code that the data build loads makes the data again', () => {
    const imports = new Map(files.map(({ path, imports }) => [path, imports]))
    const loaded = new Set(['src/build/site-data.ts'])
    for (const path of loaded) for (const name of imports.get(path) ?? []) if (imports.has(name)) loaded.add(name)
    expect(loaded.size).toBeGreaterThan(100)
    expect([...loaded].filter((path) => !affectsData(path))).toEqual([])
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
    // Astro's types of a page's locals name views.
    for (const { path, imports } of files)
      for (const name of imports)
        if (files.some((file) => file.path === name) && roomOf(path) !== roomOf(name) && path !== 'src/env.d.ts')
          streets.set(`${roomOf(path)} imports ${roomOf(name)}`, `${path} imports ${name}`)
    const bothWays = [...streets].filter(([street]) =>
      streets.has(street.split(' imports ').reverse().join(' imports ')),
    )
    expect(bothWays.map(([, example]) => example)).toEqual([])
  })

  test('pure code uses no Node modules, clock, randomness, fetch or environment', () => {
    const wrong = PURE.filter(
      ({ text, imports }) =>
        imports.some((name) => name.startsWith('node:')) ||
        /\bDate\.now\(|new Date\(\)|Math\.random\(|\bprocess\.|\bfetch\(/.test(text),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test.each([
    ['yaml', ['src/domain/text/yaml.ts', 'src/domain/text/yaml-edit.ts']],
    ['gray-matter', ['packages/prompt-formats/source/source-file.ts']],
    ['spdx-expression-parse', ['src/domain/content/rules.ts']],
    ['spdx-license-ids/index.json', ['src/editor/form/suggestions.ts']],
    ['@codemirror/view', ['src/editor/browser/code-field.ts']],
    ['semver', ['src/domain/values/versions.ts']],
    [
      'node:sqlite',
      [
        'src/built/site-database.ts',
        'src/git/process-lock.ts',
        'src/state/state-sqlite.ts',
        ...['find', 'open-index', 'vocabulary', 'write-index'].map((part) => `src/search/${part}.ts`),
      ],
    ],
    ['@netlify/blobs', ['src/state/state-netlify.ts']],
    ['@netlify/blobs/server', []],
    ['pg', ['src/state/state-postgres.ts']],
    ['@hono/node-server', ['src/hosts/node/http/listener.ts']],
    ['@octokit/rest', ['src/github/github-connection.ts']],
    ['@modelcontextprotocol/server', ['src/server/mcp/serve-message.ts']],
    ['@orama/stemmers/english', ['src/domain/search/tokens.ts']],
    ['tinypool', ['src/hosts/node/thread-pool.ts']],
    ['diff', ['src/site/prompt/text-difference.ts']],
    ['markdown-it', ['src/site/markdown.ts']],
    ['jose', ['src/account/providers/job-verifier.ts']],
    ['openid-client', ['src/account/providers/code-flow.ts']],
  ] as const)('%s is imported only by its allowed files', (name, importers) => {
    const found = [...inRoom('src'), ...inRoom('packages')]
      .filter(({ imports }) => imports.includes(name))
      .map(({ path }) => path)
    expect(found.filter((path) => !importers.some((importer) => importer === path))).toEqual([])
  })

  test('only plain-files.ts opens files of content, imports and built sites', () => {
    const openers =
      /\b(?:readFile|readFileSync|createReadStream|open|openSync|openAsBlob|opendir|opendirSync|readSync|readv|readvSync|readlink|readlinkSync|copyFile|copyFileSync|cp|cpSync)\b/
    const rooms = ['src/content', 'src/built', 'scripts/content/import', 'src/review'].flatMap(inRoom)
    const host = files.filter(({ path }) => path === 'src/server/static-files.ts')
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
    expect(found.map(({ path }) => path)).toEqual(['src/review/file-reader.ts'])
  })

  test('only config.ts and a fixed list of files read process.env', () => {
    const readers = files
      .filter(
        ({ path, text }) =>
          /^(?:src|packages)\//.test(path) &&
          path !== 'src/config.ts' &&
          /process\.env\b/.test(text.replace(/^\s*\*.*$|\/\*\*.*?\*\//gm, '')),
      )
      .map(({ path }) => path)
    expect(readers.sort()).toEqual(words`
      src/build/write-data.ts src/hosts/astro/dev-middleware.ts src/hosts/astro/dev-server.ts
      src/hosts/node/builds/builder-thread.ts src/hosts/node/builds/pages-bundle.ts src/hosts/node/builds/serve-sites.ts
      src/hosts/node/local-stores.ts src/hub/open-hub.ts
    `)
  })
})

describe('source file conventions', () => {
  test('the only tracked files that are not text are these pictures and the font', () => {
    const tracked = execFileSync('git', ['ls-files', '--eol'], { encoding: 'utf8' }).trim().split('\n')
    const paths = tracked.filter((line) => line.startsWith('i/-text')).map((line) => line.split('\t')[1])
    expect(paths).toEqual([
      ...['docs/pictures/prompt-dark.webp', 'docs/pictures/prompt-light.webp'],
      ...['src/public/card.png', 'src/public/favicon.ico', 'src/site/fonts/inter.woff2'],
    ])
  })

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

  test('every file in netlify has at most 30 lines, no branch and no JSON', () => {
    const shims = inRoom('netlify')
    expect(shims.length).toBeGreaterThan(0)
    for (const { path, text } of shims) {
      expect(text.trimEnd().split('\n').length, path).toBeLessThanOrEqual(30)
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
        .filter((name) => OURS.test(name) && !existsSync(name.replace(/\?(?:url|inline)$/, '')))
        .map((name) => `${path} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })
})
