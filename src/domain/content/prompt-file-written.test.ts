// Checks that written files are read back unchanged, byte for byte. See docs/contract.md section 2.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { problemsOf } from '../../../tests/fixtures/prompt-files.ts'
import { anyJson, anyText } from '../../../tests/fixtures/records.ts'
import { readContentDir } from '../../content/content-dir.ts'
import { VersionFrontMatter } from './front-matter.ts'
import {
  formatDraft,
  formatPublished,
  formatVersionFile,
  isSameVersion,
  parseVersionFile,
  type VersionFile,
} from './prompt-file.ts'

describe('writing and reading a version file', () => {
  const refusedInLines = /[^\P{Cc}\n]/u
  const changelog = anyText.filter((text) => !refusedInLines.test(text) && [...text].length <= 500)
  const line = changelog.filter((text) => !text.includes('\n'))
  const scalar = fc.oneof(
    anyText.filter((text) => !text.includes('\0')),
    fc.constant(null),
  )
  const variable = fc.record(
    {
      name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,10}$/),
      description: line,
      type: fc.constant('string' as const),
      required: fc.boolean(),
      default: scalar,
      example: scalar,
    },
    { requiredKeys: ['name'] },
  )
  const front = fc.record(
    {
      published_at: fc.constantFrom('2026-11-20T10:00:00Z', '2024-02-29T23:59:59.999Z'),
      published_by: fc.constantFrom('octocat', 'null', 'true', '1', '0x1', '1e3', 'yes', '007', 'no'),
      changelog,
      variables: fc.uniqueArray(variable, { selector: ({ name }) => name, maxLength: 4 }),
      parameters: anyJson.object,
    },
    { requiredKeys: ['published_at', 'published_by'] },
  )

  test('keeps any content byte for byte', () => {
    fc.assert(
      fc.property(anyText, (content) => {
        const text = formatVersionFile({ published_at: '2026-11-20T10:00:00Z', published_by: 'octocat', content })
        expect(text.endsWith(`---\n${content}`)).toBe(true)
        expect(parseVersionFile(text).value?.content).toBe(content)
      }),
      { numRuns: 60 },
    )
  })

  test('keeps any front matter unchanged', () => {
    fc.assert(
      fc.property(front, anyText, (given, content) => {
        const { value, problems } = parseVersionFile(formatVersionFile({ ...given, content }))
        expect(problems).toBeUndefined()
        const { variables, ...rest } = value!
        expect(rest).toEqual({ changelog: '', format: 'text', parameters: {}, ...given, variables: undefined, content })
        if (given.variables)
          expect(variables).toEqual(
            given.variables.map((one) => ({
              description: '',
              type: 'string',
              required: true,
              default: null,
              options: [],
              example: null,
              ...one,
            })),
          )
      }),
      { numRuns: 60 },
    )
  })

  test('writes a parsed file, defaults included, so that it parses to the same value', () => {
    fc.assert(
      fc.property(front, anyText, (given, content) => {
        const text = formatVersionFile({ ...given, variables: [], content })
        expect(parseVersionFile(formatVersionFile(parseVersionFile(text).value!))).toEqual(parseVersionFile(text))
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    ['a version that looks like a number', '1.0'],
    ['a word that YAML 1.1 reads as a boolean', 'yes'],
    ['null', 'null'],
    ['a tilde', '~'],
    ['a date', '2026-01-01'],
    ['a timestamp', '2026-01-01T00:00:00Z'],
    ['a sexagesimal number', '12:30:45'],
    ['next line', 'a\u0085b'],
    ['line separator', 'a\u2028b'],
    ['leading spaces', '   a'],
    ['trailing spaces', 'a   '],
    ['a trailing line break', 'a\n'],
    ['leading line breaks', '\n\na'],
    ['a comment', 'a #b'],
    ['a single hash', '#'],
    ['a colon', 'a: b: c'],
    ['a line of hyphens', 'a\n---\nb'],
    ['a leading line of hyphens', '---\nb'],
    ['a line of dots', 'a\n...\nb'],
    ['a forged trailer', 'a\n\nSigned-off-by: x'],
    ['indented lines', '  a\n b\nc'],
    ['a long line', 'word '.repeat(200)],
    ['many lines', 'line\n'.repeat(60)],
    ['long lines separated by hyphens', `${'word '.repeat(30)}\n---\n${'word '.repeat(30)}\n---`],
    ['a carriage return', 'a\rb\r\n'],
    ['NUL', 'a\0b'],
    ['a BOM', '\ufeffa'],
  ])('keeps a parameter key and value: %s', (_, text) => {
    const parameters = { [text]: text, list: [text, { [text]: [text] }], [`${text}${'k'.repeat(1200)}`]: 1 }
    const file = formatVersionFile({
      published_at: '2026-11-20T10:00:00Z',
      published_by: 'octocat',
      parameters,
      content: 'x',
    })
    expect(parseVersionFile(file).value).toMatchObject({ parameters, content: 'x' })
  })

  test('keeps parameters 32 levels deep and rejects deeper ones', () => {
    let parameters: Record<string, unknown> = {}
    for (let level = 1; level < 32; level++) parameters = { a: parameters }
    const write = (deep: Record<string, unknown>) =>
      formatVersionFile({
        published_at: '2026-11-20T10:00:00Z',
        published_by: 'octocat',
        parameters: deep as Record<string, never>,
        content: 'x',
      })
    expect(parseVersionFile(write(parameters)).value?.parameters).toEqual(parameters)
    expect(problemsOf(parseVersionFile(write({ a: parameters })))).toEqual(['parameters: expected at most 32 levels'])
  })
})

/** A version with every field, none of which has its default. */
const EVERY: Required<VersionFile> = {
  published_at: '2026-11-20T10:00:00Z',
  published_by: 'octocat',
  changelog: 'Shorter',
  format: 'chat',
  variables: [
    { name: 'code', description: 'A', type: 'string', required: false, default: 'b', options: [], example: 'c' },
  ],
  parameters: { temperature: 0.2 },
  skill: { description: 'Reviews.', license: 'MIT', compatibility: 'Needs git.', metadata: { team: 'a' } },
  includes: [
    {
      repository: 'acme/tone',
      range: '^1',
      version: '1.0.0',
      content_sha256: 'a'.repeat(64),
      start: 0,
      length: 5,
      variables: [],
      through: ['acme/base'],
    },
  ],
  provenance: { issuer: 'a', repository: 'acme/a', workflow: 'b.yml', ref: 'c', sha: 'd', run_id: '1' },
  attestations: [
    {
      sha256: 'b'.repeat(64),
      size_bytes: 9,
      predicate_type: 'a',
      issuer: 'b',
      repository: 'acme/a',
      workflow: 'c@d',
      identity: 'e',
      ref: 'f',
      sha: 'g',
      run_url: 'h',
    },
  ],
  content: 'user:\n{{code}}\n',
}

describe('every field of a version', () => {
  test('is in the example here', () => {
    expect(Object.keys(EVERY).sort()).toEqual([...Object.keys(VersionFrontMatter.shape), 'content'].sort())
  })

  test('is in the file of a published version', () => {
    expect(parseVersionFile(formatPublished(EVERY)).value).toEqual(EVERY)
  })

  test('is in a draft of the next version, except what an edit makes untrue and what only the hub can state', () => {
    const signed = { published_at: '2026-11-21T10:00:00Z', published_by: 'hubot', changelog: 'Longer' }
    const { includes: _i, provenance: _p, attestations: _a, ...kept } = EVERY
    expect(parseVersionFile(formatDraft(EVERY, signed)).value).toEqual({ ...kept, ...signed })
  })

  test('makes another version if it differs, except what says who published it, when and why', () => {
    const { published_at: _t, published_by: _b, changelog: _c, provenance: _p, attestations: _a, ...compared } = EVERY
    const others: { [Key in keyof typeof compared]: VersionFile[Key] } = {
      format: 'text',
      variables: [],
      parameters: {},
      skill: undefined,
      includes: undefined,
      content: 'x',
    }
    for (const key of Object.keys(compared) as (keyof typeof compared)[])
      expect([key, isSameVersion(EVERY, { ...EVERY, [key]: others[key] })]).toEqual([key, false])
    expect(isSameVersion(EVERY, { ...compared })).toBe(true)
  })
})

test('reads every file of the starter catalogue', () => {
  expect(readContentDir('content').problems).toEqual([])
})
