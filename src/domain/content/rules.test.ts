// Tests each rule for the content as a whole, with the file and key that it reports. See docs/contract.md sections 1
// and 2.

import { describe, expect, test } from 'vitest'
import { pointing } from '../../../tests/fixtures/labels.ts'
import { anIndex, aRepository, aTree, aVersion } from '../../../tests/fixtures/records.ts'
import { words } from '../../../tests/words.ts'
import type { ContentTree } from '../../catalogue/content-tree.ts'
import { readContentDir } from '../../content/content-dir.ts'
import type { Variable } from '../api/schema.ts'
import type { RepositoryEntry, VersionEntry } from './content-tree.ts'
import type { RepositoryFile } from './prompt-file.ts'
import { checkRepository, checkVersion, findLicenseProblem, REPOSITORY_RULES } from './rules.ts'

const aVariable = (name: string): Variable => ({
  name,
  description: '',
  type: 'string',
  required: true,
  default: null,
  options: [],
  example: null,
})

/** A variable that is, alone in a list, as long as given as JSON. Its default alone could not be that long. */
const aLongVariable = (bytes: number): Variable => {
  const empty = { ...aVariable('a'), example: '' }
  return { ...empty, example: 'é'.repeat((bytes - JSON.stringify([empty]).length) / 2) }
}

/** A string in the format of a token, with a valid checksum, that no hub has ever issued. */
const TOKEN = `hub_${'Ab3'.repeat(10)}xy1XJz7x`
const NO_TOKEN = 'expected no token for this hub; revoke that token now'

/** Checks every repository of a tree with the others. */
const checkAll = (tree: ContentTree) =>
  [...tree.repositories].flatMap(([fullName, repository]) =>
    checkRepository(repository, tree).map((problem) => ({ file: `content/${fullName}/index.md`, ...problem })),
  )

test('names every repository rule', () => {
  expect(Object.keys(REPOSITORY_RULES)).toEqual(words`
    has-versions versions-are-few yanked-versions-exist removed-versions-are-gone labels-point-at-active-versions
    advisories-have-ranges successor-exists replacement-exists license-is-spdx holds-no-secret
  `)
})

describe('a version', () => {
  test.each<[string, Partial<VersionEntry>]>([
    ['ordinary', {}],
    ['with content exactly at the size limit', { size_bytes: 262_144 }],
    ['with the maximum number of variables', { variables: Array.from({ length: 64 }, (_, at) => aVariable(`v${at}`)) }],
    [
      'that declares no placeholders',
      { content: [...Array(90).keys(), 'x'.repeat(65)].map((at) => `{{v${at}}}`).join('') },
    ],
    ['with variables exactly at the size limit', { variables: [aLongVariable(65_536)] }],
    ['with a placeholder of the maximum length', { content: `{{${'a'.repeat(64)}}}` }],
  ])('satisfies every rule: %s', (_, given) => expect(checkVersion(aVersion('1.0.0', given))).toEqual([]))

  const onlySpace = 'expected some text'
  const named = (name: string) => `expected placeholder names of at most 64 characters, got ${name}`
  const variables = Array.from({ length: 65 }, (_, at) => aVariable(`v${at}`))
  const one = [aVariable('a')]
  test.each<[string, Partial<VersionEntry>, string]>([
    ['content-is-text: empty', { content: '' }, onlySpace],
    ['content-is-text: whitespace', { content: ' \r\n\t' }, onlySpace],
    ['content-is-text: NUL', { content: 'a\0' }, 'expected text without NUL characters'],
    ['content-is-text', { content: 'a\ud800' }, 'expected well-formed Unicode, without lone surrogates'],
    ['content-fits', { size_bytes: 262_145 }, 'expected at most 262144 bytes, got 262145'],
    ['variables-are-few', { variables }, 'expected at most 64 placeholders, got 65'],
    ['placeholders-are-short', { content: `{{${'a'.repeat(65)}}}`, variables: one }, named('a'.repeat(65))],
    [
      'placeholders-are-short: cut',
      { content: `{{${'a'.repeat(9000)}}}`, variables: one },
      named(`${'a'.repeat(80)}…`),
    ],
  ])('%s', (name, given, message) => {
    const rule = name.split(':')[0]
    expect(checkVersion(aVersion('1.0.0', given))).toEqual([{ rule, key: 'content', message }])
  })

  test('variables-fit: refuses one byte more, counted as JSON in UTF-8', () => {
    const variables = [{ ...aLongVariable(65_536), description: 'd' }]
    expect(checkVersion(aVersion('1.0.0', { variables }))).toEqual([
      {
        rule: 'variables-fit',
        key: 'variables',
        message: 'expected at most 65536 bytes as JSON, got 65537; shorten the defaults, examples or options',
      },
    ])
  })

  test.each<[string, Partial<VersionEntry>]>([
    ['content', { content: `Use ${TOKEN}.` }],
    ['changelog', { changelog: TOKEN }],
    ['variables', { variables: [{ ...aVariable('a'), default: `${TOKEN}\n` }] }],
    ['parameters', { parameters: { headers: [{ authorization: `Bearer ${TOKEN}` }] } }],
  ])('holds-no-secret: rejects a token in %s', (key, given) => {
    expect(checkVersion(aVersion('1.0.0', given))).toEqual([{ rule: 'holds-no-secret', key, message: NO_TOKEN }])
  })

  test('holds-no-secret: accepts text that only looks like a token', () => {
    expect(checkVersion(aVersion('1.0.0', { content: `hub_${'x'.repeat(38)} hub_… ${TOKEN}0` }))).toEqual([])
  })

  test('reports every problem at once', () => {
    expect(checkVersion(aVersion('1.0.0', { content: '', size_bytes: 300_000 }))).toHaveLength(2)
  })
})

describe('a repository', () => {
  const check = (given: Partial<RepositoryEntry>) =>
    checkAll(aTree([aRepository('acme/a', given), aRepository('acme/b')]))
  const file = 'content/acme/a/index.md'
  const one = [aVersion('1.0.0')]

  test.each<[string, Partial<RepositoryEntry>]>([
    ['without index.md', {}],
    ['with an empty index.md', { file: anIndex() }],
    [
      'yanked, with a label on another version',
      {
        file: anIndex({ yanked: { '1.0.0': 'x' }, labels: pointing({ stable: '1.1.0' }) }),
        versions: [aVersion('1.0.0'), aVersion('1.1.0')],
      },
    ],
    ['replaced by an existing prompt', { file: anIndex({ replaced_by: 'acme/b' }) }],
    ['taken down, with its numbers', { file: anIndex({ removed: { '1.0.0': 'x' } }), versions: [] }],
    ['with 1,000 versions', { versions: Array.from({ length: 1000 }, (_, at) => aVersion(`1.0.${at}`)) }],
  ])('satisfies every rule: %s', (_, given) => expect(check(given)).toEqual([]))

  const twoVersions = [aVersion('1.0.0'), aVersion('1.1.0')]
  const two = { '1.0.0': 'x', '2.0.0': 'y' }
  const labels = pointing({ missing: '2.0.0', withdrawn: '1.1.0', fine: '1.0.0' })
  const advisories = ['<1.2 ||', 'below 1.2'].map((range) => ({ range, severity: 'low' as const, message: 'm' }))
  const many = Array.from({ length: 1001 }, (_, at) => aVersion(`1.0.${at}`))
  const beside = 'expected at least one version next to it, such as versions/1.0.0.md'
  const gone = 'expected no file for a version that was taken down'
  const isActive = 'expected a version that exists and is not yanked, got'
  const exists = 'expected a repository that exists, got acme/c'
  const other = 'expected a different repository'
  const spdx = 'expected an SPDX license such as MIT or CC-BY-4.0, got "Apache 2"'
  //  rule, index.md, versions, and each problem: key, message
  test.each<[string, Partial<RepositoryFile>, VersionEntry[], ...[string, string][]]>([
    ['has-versions', {}, [], ['', beside]],
    ['versions-are-few', {}, many, ['', 'expected at most 1000 versions, got 1001']],
    ['yanked-versions-exist', { yanked: two }, one, ['yanked.2.0.0', 'expected a version that exists']],
    ['removed-versions-are-gone', { removed: two }, one, ['removed.1.0.0', gone]],
    [
      'labels-point-at-active-versions',
      { labels, yanked: { '1.1.0': 'x' } },
      twoVersions,
      ['labels.missing', `${isActive} 2.0.0`],
      ['labels.withdrawn', `${isActive} 1.1.0`],
    ],
    [
      'advisories-have-ranges',
      { advisories },
      one,
      ['advisories.1.range', 'expected a range of versions such as "<1.2.0", got "below 1.2"'],
    ],
    ['successor-exists', { moved_to: 'acme/c' }, one, ['moved_to', exists]],
    ['successor-exists: moved to itself', { moved_to: 'acme/a' }, one, ['moved_to', other]],
    ['replacement-exists', { replaced_by: 'acme/c' }, one, ['replaced_by', exists]],
    ['replacement-exists: replaced by itself', { replaced_by: 'acme/a' }, one, ['replaced_by', other]],
    ['license-is-spdx', { license: 'Apache 2' }, one, ['license', spdx]],
    [
      'holds-no-secret',
      { readme: `Use ${TOKEN}`, status_message: TOKEN },
      one,
      ['status_message', NO_TOKEN],
      ['readme', NO_TOKEN],
    ],
  ])('%s', (name, index, versions, ...problems) => {
    const rule = name.split(':')[0]
    expect(check({ file: anIndex(index), versions })).toEqual(
      problems.map(([key, message]) => ({ file, rule, key, message })),
    )
  })

  test('reports every problem of every repository at once', () => {
    const file = anIndex({ license: 'none', replaced_by: 'acme/z' })
    const problems = checkAll(aTree([aRepository('acme/a', { file }), aRepository('acme/b', { file, versions: [] })]))
    expect(problems.map((problem) => [problem.file, problem.key])).toEqual([
      ['content/acme/a/index.md', 'replaced_by'],
      ['content/acme/a/index.md', 'license'],
      ['content/acme/b/index.md', ''],
      ['content/acme/b/index.md', 'replaced_by'],
      ['content/acme/b/index.md', 'license'],
    ])
  })
})

test.each([
  null,
  'MIT',
  'Apache-2.0',
  'CC0-1.0',
  'CC-BY-4.0',
  'MIT OR Apache-2.0',
  '(MIT AND CC-BY-4.0) OR 0BSD',
  'GPL-2.0-or-later',
])('accepts %s as a license', (license) => expect(findLicenseProblem(license)).toBeUndefined())

test.each([
  ...words`
    mit Apache MIT/Apache-2.0 UNLICENSED proprietary __proto__ constructor (
  `,
  ...['', 'MIT OR', 'MIT MIT'],
])('rejects the license %j: not an SPDX expression', (license) =>
  expect(findLicenseProblem(license)).toMatch(/^expected an SPDX license such as MIT or CC-BY-4.0, got "/),
)

test('the starter catalogue satisfies every rule', () => {
  const { tree } = readContentDir('content')
  expect(tree.repositories.size).toBeGreaterThan(0)
  expect(checkAll(tree)).toEqual([])
  const versions = [...tree.repositories.values()].flatMap((repository) => repository.versions)
  expect(versions.flatMap(checkVersion)).toEqual([])
})
