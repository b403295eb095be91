// Checks that everything the documents and comments refer to exists: documents, sections, files and packages.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, normalize } from 'node:path'
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
  expect(named.filter((glob) => !files.some(({ path }) => matchesGlob(path, glob)))).toEqual([])
})

// Programs in strings, and paths below tests/node_modules, use most of these packages, which no tool sees.
test('every dependency in tests/package.json is used', () => {
  const { devDependencies } = JSON.parse(readFileSync('tests/package.json', 'utf8')) as Record<string, object>
  const text = [...files.map((file) => file.text), readFileSync('package.json', 'utf8')].join('\n')
  // `npm run preview` names its program.
  const unused = Object.keys(devDependencies ?? {}).filter((name) => {
    if (name === 'netlify-cli') return false
    const bare = name.replace(/^@types\//, '')
    return ![`'${bare}'`, `'${bare}/`, `/${bare}/`, `${bare}/package.json`].some((use) => text.includes(use))
  })
  expect(unused).toEqual([])
})
