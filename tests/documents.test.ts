// Checks that everything the documents and comments refer to exists: documents, sections, files and packages.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { VARYING_PARAMETERS } from '../src/domain/api/caching.ts'

const SOURCE = /\.(?:ts|mts|mjs|astro|css|yml|md|sh|toml)$/

function listFiles(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return /^(?:\.hub|node_modules)$/.test(entry.name) ? [] : listFiles(path)
    return SOURCE.test(entry.name) || entry.name === 'hubcli' ? [path] : []
  })
}

const files = [
  'README.md',
  'astro.config.mjs',
  'netlify.toml',
  ...['.github', 'docs', 'netlify', 'packages', 'scripts', 'src', 'tests'].flatMap(listFiles),
].map((path) => ({ path, text: readFileSync(path, 'utf8') }))

/** Matches the path of a cited document, optionally followed by a section. */
const CITATION =
  /(?<![\w./-])((?:docs\/)?(?:[a-z-]+\/)*[a-z-]+\.md)(?:,? sections? (\d+(?:\.\d+)?)(?: (?:and|to) (\d+))?)?/g
function sectionsOf(path: string): Set<string> {
  return new Set(
    [...readFileSync(path, 'utf8').matchAll(/^(?:#{2,4} |\*\*)(\d+(?:\.\d+)?)[. ]/gm)].map((match) => match[1]!),
  )
}

/** Every reference to one of our documents in the code, the tests and the scripts. */
const citations = files
  .filter(({ path }) => !path.endsWith('.md') && path !== 'tests/documents.test.ts')
  .flatMap(({ path, text }) =>
    [...text.matchAll(CITATION)]
      .filter(([, cited]) => cited!.startsWith('docs/') || cited === 'README.md')
      .map(([, cited, section, second]) => ({ path, cited: cited!, sections: [section, second] })),
  )

describe('references to documents', () => {
  test('are found more than 40 times', () => expect(citations.length).toBeGreaterThan(40))

  test('point to documents that exist', () => {
    expect(citations.filter(({ cited }) => !existsSync(cited)).map(({ path, cited }) => `${path}: ${cited}`)).toEqual(
      [],
    )
  })

  test('point to sections that exist', () => {
    const wrong = citations.flatMap(({ path, cited, sections }) =>
      sections
        .filter((section) => section !== undefined && existsSync(cited) && !sectionsOf(cited).has(section))
        .map((section) => `${path}: ${cited} section ${section}`),
    )
    expect(wrong).toEqual([])
  })

  test('include the folder of the document', () => {
    const wrong = files
      .filter(({ path }) => !path.endsWith('.md') && path !== 'tests/documents.test.ts')
      .flatMap(({ path, text }) =>
        [...text.matchAll(/(?<![\w./-])(?:contract|architecture|service)\.md/g)].map(([cited]) => `${path}: ${cited}`),
      )
    expect(wrong).toEqual([])
  })
})

test('every link in a document points to an existing file', () => {
  const wrong = files
    .filter(({ path }) => path.endsWith('.md') && !path.startsWith('src/pages/'))
    .flatMap(({ path, text }) =>
      [...text.replace(/```[\s\S]*?```|`[^`\n]*`/g, '').matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)]
        .map(([, target]) => target!)
        .filter((target) => !existsSync(normalize(join(dirname(path), target))))
        .map((target) => `${path}: ${target}`),
    )
  expect(wrong).toEqual([])
})

test('every file path named in a document exists', () => {
  const wrong = files
    .filter(({ path }) => path.endsWith('.md') && !path.startsWith('src/pages/') && !path.startsWith('docs/notes/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:src|tests|scripts|docs|netlify\/functions)\/[\w./-]+)`/g)]
        .map(([, named]) => named!)
        .filter((named) => !existsSync(named))
        .map((named) => `${path}: ${named}`),
    )
  expect(wrong).toEqual([])
})

test('the documented cache keys include every query parameter', () => {
  expect(readFileSync('docs/running.md', 'utf8')).toContain(`(?!(?:${VARYING_PARAMETERS.join('|')})=)`)
  expect(readFileSync('docs/notes/netlify.md', 'utf8')).toContain(`query=${VARYING_PARAMETERS.join('|')}`)
})

test('every test file named in the Vitest configuration exists', () => {
  const config = readFileSync('vitest.config.ts', 'utf8')
  const named = [...config.matchAll(/'(tests\/[^']+)'/g)].flatMap(([, path = '']) => {
    const [, start, choices, end] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? []
    return choices === undefined ? [path] : choices.split(',').map((choice) => `${start}${choice}${end}`)
  })
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => globSync(path).length === 0)).toEqual([])
})

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  scripts: Record<string, string>
}
const { dependencies, devDependencies, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const { devDependencies: testDependencies } = JSON.parse(readFileSync('tests/package.json', 'utf8')) as Manifest

test('packages imported by src and the functions are runtime dependencies', () => {
  const imported = files
    .filter(({ path }) => /^(?:src|packages|netlify)\/.*(?<!\.test)\.(?:ts|mts|astro)$/.test(path))
    .flatMap(({ text }) => [
      ...text.matchAll(/^(?:import [^'"\n]*|} from |import )'((?:@[\w.-]+\/)?[a-z][\w.-]*)[^':]*'$/gm),
    ])
    .map(([, name]) => name!)
    .filter((name) => !['prompt-hub-client', 'astro'].includes(name))
  expect(new Set(imported).size).toBeGreaterThan(15)
  expect(imported.filter((name) => !(name in dependencies))).toEqual([])
})

test('every dependency in a package.json is used', () => {
  const text = [
    ...files.map((file) => file.text),
    ...Object.values(scripts),
    readFileSync('tsconfig.json', 'utf8'),
  ].join('\n')
  /**
   * These packages are used only through their commands or types: the Node version that runs the scripts, the compiler
   * and its types, `run-s`, and the Netlify dev server.
   */
  const unnamed = new Set([
    'node',
    'typescript',
    '@types/node',
    'npm-run-all2',
    'netlify-cli',
    'dependency-cruiser',
    'knip',
  ])
  const unused = Object.keys({ ...dependencies, ...devDependencies, ...testDependencies }).filter((name) => {
    if (unnamed.has(name)) return false
    const bare = name.replace(/^@types\//, '')
    return (
      !text.includes(`'${bare}'`) &&
      !text.includes(`'${bare}/`) &&
      !text.includes(`/${bare}/`) &&
      !text.includes(`${bare}/package.json`)
    )
  })
  expect(unused).toEqual([])
})

test('every export is imported somewhere', () => {
  const sources = files.filter(({ path }) => /\.(?:ts|mts|mjs|astro|md)$/.test(path))
  const unused = sources
    // Other programs use the libraries, and Astro uses the exports of the pages, the middleware and the entry point.
    .filter(
      ({ path }) =>
        /^(?:src|packages)\/.*\.ts$/.test(path) &&
        !/^(?:src\/pages\/|packages\/prompt-formats\/prompt-formats\.ts|src\/hosts\/astro\/(?:dev-middleware|pages-entry)\.ts)/.test(
          path,
        ),
    )
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm)]
        .map(([, name]) => name!)
        .filter((name) => {
          const file = path.slice(path.lastIndexOf('/') + 1)
          const named = new RegExp(`\\b${name}\\b`)
          return !sources.some((other) => other.path !== path && other.text.includes(file) && named.test(other.text))
        })
        .map((name) => `${path}: ${name}`),
    )
  expect(unused).toEqual([])
})
