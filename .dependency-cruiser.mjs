// Which modules may import which, checked by `npm run check:imports`. It does not see the imports of .astro files: .biome.json restricts those.

import { DATA_CODE } from './src/build/code-hash.ts'

/** A path of this repository, and not a package. */
const OURS = '^(?:clients|netlify|packages|scripts|src|tests)/'
const TESTS = '\\.test\\.ts$'
/** Code without Node modules, clock, randomness or environment. */
const PURE = '^(?:src/(?:domain|catalogue|review/rules|editor/form)|packages/prompt-formats/source)/'
/** Modules directly in `src/site` and `src/site/prompt`: texts, links and diffs as plain values. */
const PLAIN_SITE = 'src/site/(?:prompt/)?[^/]+.ts'
const FORMATS = 'packages/prompt-formats/source/'

/** The folders that each folder may import, besides itself. */
const FOLDERS = {
  'src/domain': [],
  'src/catalogue': ['src/domain/'],
  'src/concurrency': ['src/domain/'],
  'src/files': ['src/domain/'],
  'src/git': ['src/domain/', 'src/files/', 'src/state/sqlite-errors.ts'],
  'src/github': ['src/concurrency/', 'src/domain/', 'src/git/', 'src/(?:log|trace-context).ts'],
  'src/content': ['src/catalogue/', 'src/domain/', 'src/files/', 'src/git/', 'src/log.ts'],
  'src/state': ['src/concurrency/', 'src/domain/', 'src/(?:log|trace-context).ts'],
  'src/search': ['src/catalogue/', 'src/domain/'],
  'src/built': ['src/domain/', 'src/files/', 'src/git/', 'src/state/'],
  'src/attestations': ['src/concurrency/', 'src/domain/'],
  // Handlers know interfaces, and not what implements them. The editor renders diffs and READMEs as the pages do.
  'src/server': [
    ...['src/built/site-files.ts', 'src/concurrency/', 'src/domain/', 'src/files/', 'src/git/git-store.ts'],
    ...['src/log.ts', 'src/search/search.ts', 'src/site/markdown.ts', 'src/site/prompt/', 'src/site/rendering.ts'],
    ...['src/state/fresh-copies.ts', 'src/state/proposal-store.ts', 'src/state/rate-limiter.ts', 'src/version.ts'],
  ],
  'src/skills': ['src/built/', 'src/concurrency/', 'src/domain/', 'src/files/', 'src/log.ts', 'src/server/'],
  'src/account': [
    ...['src/built/', 'src/catalogue/', 'src/domain/', 'src/log.ts', 'src/server/', 'src/site/rendering.ts'],
    'src/state/',
  ],
  'src/editor': [
    ...[FORMATS, 'src/account/', 'src/built/', 'src/catalogue/', 'src/concurrency/', 'src/domain/', 'src/files/'],
    ...['src/server/', 'src/site/client/', PLAIN_SITE, 'src/state/'],
  ],
  'src/routes': [
    ...[FORMATS, 'src/account/', 'src/built/', 'src/catalogue/published/addresses.ts', 'src/concurrency/'],
    ...['src/domain/', 'src/editor/', 'src/server/', 'src/skills/'],
  ],
  'src/hub': [
    ...[FORMATS, 'src/account/', 'src/attestations/', 'src/built/', 'src/concurrency/', 'src/config.ts'],
    ...['src/domain/', 'src/editor/', 'src/files/', 'src/git/', 'src/github/', 'src/routes/', 'src/search/'],
    ...['src/server/', 'src/site/rendering.ts', 'src/skills/', 'src/state/'],
  ],
  'src/site': ['src/config.ts', 'src/domain/', 'src/search/search.ts', 'src/server/'],
  'src/pages': [
    ...['src/account/pages/', 'src/build/downloads/', 'src/build/reference/', 'src/domain/'],
    ...['src/editor/(?:browser|pages)/', 'src/review/rules/', 'src/server/', 'src/site/'],
  ],
  'src/review': [
    'src/attestations/',
    'src/catalogue/',
    'src/content/',
    'src/domain/',
    'src/files/',
    'src/git/',
    'src/github/',
  ],
  'src/build': [
    ...['src/built/', 'src/catalogue/', 'src/config.ts', 'src/content/', 'src/domain/', 'src/files/', 'src/search/'],
    ...['src/site/docs/', PLAIN_SITE, 'src/skills/'],
  ],
  'src/doctor': [
    ...['src/(?:config|log|secret-settings|settings).ts', 'src/domain/', 'src/git/', 'src/github/', 'src/hosts/node/'],
    'src/review/',
  ],
  'src/hosts': ['src/(?!doctor|pages|review)'],
  'packages/prompt-formats': ['src/domain/'],
  'packages/prompt-import': [FORMATS, 'src/domain/', 'src/files/'],
  clients: [],
  netlify: ['src/hosts/netlify/', 'src/hub/', 'src/routes/', 'src/server/'],
}

/** The only modules that import a package, whose types and errors stay behind them. */
const IMPORTERS = {
  '@hono/node-server': 'src/hosts/node/http/http-server.ts',
  '@modelcontextprotocol/server': 'src/server/mcp/serve-message.ts',
  '@netlify/blobs': 'src/state/state-netlify.ts',
  '@octokit/rest': 'src/github/github-connection.ts',
  diff: 'src/site/prompt/text-difference.ts',
  'gray-matter': 'packages/prompt-formats/source/source-file.ts',
  jose: 'src/account/providers/job-verifier.ts',
  'markdown-it': 'src/site/markdown.ts',
  'openid-client': 'src/account/providers/code-flow.ts',
  pg: 'src/state/state-postgres.ts',
  semver: 'src/domain/values/versions.ts',
  tinypool: 'src/hosts/node/thread-pool.ts',
  yaml: 'src/domain/text/(?:yaml|yaml-edit).ts',
}

const literal = (path) => path.replaceAll('.ts', '\\.ts')

const config = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(FOLDERS).map(([folder, allowed]) => ({
      name: `${folder}-imports`,
      severity: 'error',
      from: { path: `^${folder}/`, pathNot: TESTS },
      to: { path: OURS, pathNot: `^(?:${[`${folder}/`, ...allowed].map(literal).join('|')})` },
    })),
    {
      name: 'interfaces-and-plain-values',
      comment: 'What the browser runs, and what every part of the site may import, does not import the handlers.',
      severity: 'error',
      from: { path: `^(?:src/site/client/|${literal(PLAIN_SITE)}$)`, pathNot: TESTS },
      to: { path: '^src/(?:config|server)' },
    },
    {
      name: 'pure-imports-pure',
      severity: 'error',
      from: { path: PURE, pathNot: TESTS },
      to: { path: OURS, pathNot: PURE },
    },
    {
      name: 'pure-without-node',
      severity: 'error',
      from: { path: PURE, pathNot: TESTS },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'entry-points',
      comment: 'Commands, functions, pages and tests are imported only by themselves and by tests.',
      severity: 'error',
      from: { path: '^(?!tests/)', pathNot: TESTS },
      to: { path: '^(?:netlify|scripts|src/pages|tests)/|\\.test\\.ts$', pathNot: '^scripts/' },
    },
    {
      name: 'commands-alone',
      severity: 'error',
      from: { path: '^(?!tests/|scripts/)', pathNot: TESTS },
      to: { path: '^scripts/' },
    },
    {
      name: 'data-hash',
      comment: 'The code of the data build is in the folders that affectsData names (src/build/code-hash.ts).',
      severity: 'error',
      from: { path: '^src/build/site-data\\.ts$' },
      to: { path: '^(?:packages|src)/', pathNot: DATA_CODE.source, reachable: true },
    },
    {
      name: 'runtime-packages',
      comment: 'What runs in production imports packages in "dependencies".',
      severity: 'error',
      from: { path: '^(?:netlify|packages|src)/', pathNot: TESTS },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    ...Object.entries(IMPORTERS).map(([name, importer]) => ({
      name: `${name}-in-one-place`,
      severity: 'error',
      from: { path: '^(?:netlify|packages|src)/', pathNot: `${TESTS}|^${literal(importer)}$` },
      to: { path: `^node_modules/${name}/`, dependencyTypesNot: ['type-only'] },
    })),
    {
      name: 'sqlite-behind-interfaces',
      severity: 'error',
      from: {
        path: '^(?:netlify|packages|src)/',
        pathNot: `${TESTS}|^src/(?:built/site-database|git/git-ready|search/|state/state-sqlite)`,
      },
      to: { path: '^(?:node:)?sqlite$' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/|__pycache__' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
export default config
