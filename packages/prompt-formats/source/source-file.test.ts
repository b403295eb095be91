// Tests how front matter is read: files of other tools with gray-matter, within limits and without its other engines;
// and files of the hub, which gray-matter must read as the hub does.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import matter from 'gray-matter'
import { describe, expect, test } from 'vitest'
import { editRepositoryFile, formatVersionFile, splitFile } from '../../../src/domain/content/prompt-file.ts'
import { anyJson, anyText } from '../../../tests/fixtures/records.ts'
import { WRITERS } from './formats.ts'
import { ConversionProblems } from './portable.ts'
import { readSourceFile, readYamlSource } from './source-file.ts'

function read(source: string, delimiter?: string) {
  const findings = new ConversionProblems()
  const file = readSourceFile(source, findings, delimiter)
  return { file, refused: findings.all.map(({ line, message }) => `line ${line}: ${message}`) }
}

describe('files of other tools', () => {
  test.each([
    ['argument-hint: [old] [new]', { 'argument-hint': '[old] [new]' }],
    ['argument-hint: [a] <b> # c', { 'argument-hint': '[a] <b> # c' }],
    ['description: Review: a pull request', { description: 'Review: a pull request' }],
    [
      'description: Use when: the user says "tidy"\nname: a',
      { description: 'Use when: the user says "tidy"', name: 'a' },
    ],
    ['description: Use when: one\n  or: two\nname: a', { description: 'Use when: one or: two', name: 'a' }],
    ['description: "Tidy" my notes', { description: '"Tidy" my notes' }],
    ['globs: **/*', { globs: '**/*' }],
    [
      "a:\n  b:\n    args: [\n      'run',\n      '--with'\n    ]\n  c: {\n    d: 1\n  }\n",
      { a: { b: { args: ['run', '--with'] }, c: { d: 1 } } },
    ],
    ['globs: *.tsx, *.jsx\nalwaysApply: false', { globs: '*.tsx, *.jsx', alwaysApply: false }],
    ['by: @acme', { by: '@acme' }],
    ['date: 2026-01-01\nyes: no', { date: '2026-01-01', yes: 'no' }],
    ['a: |\n  x\n   \n  y\n', { a: 'x\n \ny\n' }],
    ['# nothing', {}],
    ['', {}],
  ])('reads %j', (yaml, front) => {
    const { file, refused } = read(`---\n${yaml}\n---\n\n  Text\n---\n`)
    expect([refused, file?.front, file?.body]).toEqual([[], front, '\n  Text\n---\n'])
    expect(readYamlSource(yaml, new ConversionProblems())).toEqual(front)
  })

  test.each([
    ['an alias', 'a: 1\nb: *a', /^line 3: expected YAML without aliases/],
    ['an alias bomb', 'a: &a [x, x]\nb: &b [*a, *a]', /^line 3: expected YAML without aliases/],
    ['a function', 'a: !!js/function "function () {}"', /^line 2: expected valid YAML: Unresolved tag/],
    ['an open bracket', 'a: [b', /^line \d: expected valid YAML/],
    ['a repeated key', 'a: 1\na: 2', /^line 3: expected valid YAML: Map keys must be unique/],
    ['a list', '- a', /^line 1: expected keys and values/],
    ['30,000 brackets', `a: ${'['.repeat(30_000)}`, /^line \d+: expected (?:valid|less deeply nested) YAML/],
    ['80 levels', `a: ${'['.repeat(80)}${']'.repeat(80)}`, /^line 1: expected at most 64 levels/],
    ['2,000 lines', '\n'.repeat(2_000), /^line 1: expected at most 2000 lines of front matter$/],
    // Patterns with `^` also begin a line after these, so gray-matter took 1.5 s.
    ['2,000 carriage returns', '\r'.repeat(2_000), /^line 1: expected at most 2000 lines of front matter$/],
    ['2,000 line separators', '\u2028'.repeat(2_000), /^line 1: expected at most 2000 lines of front matter$/],
    ['2,000 paragraph separators', '\u2029'.repeat(2_000), /^line 1: expected at most 2000 lines of front matter$/],
    ['33,000 blanks', `a: ${' '.repeat(33_000)}b`, /^line 1: expected at most 32768 characters of front matter$/],
  ])('refuses %s', (_what, yaml, reason) => {
    expect(read(`---\n${yaml}\n---\nText\n`)).toEqual({ file: undefined, refused: [expect.stringMatching(reason)] })
  })

  test.each([
    'js',
    'javascript',
    'JavaScript',
    ' js',
    'json',
    'coffee',
    'toString',
    'constructor',
    '__proto__',
    'yaml',
  ])('never runs or reads front matter in the language %j', (language) => {
    const source = `---${language}\n{ "a": (globalThis.wasRun = true) }\n---\nText\n`
    expect(read(source)).toEqual({ file: undefined, refused: [expect.stringContaining('no other language is read')] })
    expect(globalThis).not.toHaveProperty('wasRun')
  })

  test('finds the body behind Windows line endings, a byte order mark, blanks and another delimiter', () => {
    expect(read('\ufeff---\r\na: 1\r\n---\r\n\r\nText').file).toMatchObject({ front: { a: 1 }, body: '\r\nText' })
    expect(read('--- \na: 1\n---\t \n \nText').file).toMatchObject({ front: { a: 1 }, body: ' \nText', bodyLine: 4 })
    expect(read('+++\na: 1\n+++\nText', '+++').file).toMatchObject({ front: { a: 1 }, body: 'Text' })
    expect(read('---\na: 1\n---').file).toMatchObject({ front: { a: 1 }, body: '' })
    expect(read('-----\nText').file).toMatchObject({ hasFront: false, body: '-----\nText' })
    expect(read('---\na: 1\n---b\nText').refused).toEqual([
      'line 3: expected the line after the front matter to be exactly ---',
    ])
  })
})

describe('files of the hub', () => {
  const readBoth = (text: string) => {
    const { data, content } = matter(text, {})
    return [{ front: data, body: content }, splitFile(text).value]
  }

  test('gray-matter reads every file of the starter catalogue as the hub does', () => {
    const files = readdirSync('content', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
    expect(files.length).toBeGreaterThan(200)
    for (const name of files) {
      const [theirs, ours] = readBoth(readFileSync(join('content', name), 'utf8'))
      expect(theirs, name).toEqual(ours)
    }
  })

  test('gray-matter reads every file that the hub writes as the hub does', () => {
    const odd = fc.constantFrom(
      ...[
        '1_000',
        '0b11',
        '010',
        '12:30:45',
        '1.',
        '.5',
        '+1',
        '0x1f',
        '2026-01-01',
        'yes',
        '~',
        '<<',
        '=',
        '---',
        ' \n \n',
        '# a',
        '*a',
        '&a',
        '!a',
      ],
    )
    fc.assert(
      fc.property(
        fc.oneof(anyJson.object, fc.dictionary(odd, odd)),
        fc.oneof(anyText, odd),
        fc.oneof(anyText, fc.constantFrom('', '\n', '\r\n', '---\na: 1\n---\n', '\n---\n', '---js\n1\n---\n')),
        (parameters, changelog, content) => {
          const text = formatVersionFile({
            published_at: '2026-11-20T10:00:00Z',
            published_by: 'octocat',
            changelog,
            parameters,
            content,
          })
          const [theirs, ours] = readBoth(text)
          expect(theirs).toEqual(ours)
          expect(ours).toMatchObject({ front: { changelog, parameters }, body: content })
        },
      ),
      { numRuns: 40 },
    )
  })

  test('gray-matter reads an index that the hub writes and edits as the hub does', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '1_000',
        '12:30:45',
        'yes',
        '~',
        '# a',
        'a: b',
        '--- a',
        '"',
        "it's",
        '\u0085',
        '\u{1f388}',
        ' a ',
      ),
      fc.string({ minLength: 1, maxLength: 20 }),
    )
    fc.assert(
      fc.property(line, line, line, (title, description, reason) => {
        const first = editRepositoryFile(undefined, { title, description, tags: ['a', '1-2'] })
        const labels = { production: '1.10.0', 'a-1': '2.0.0' }
        const second = editRepositoryFile(first, { title: reason, labels, yanked: { '1.10.0': reason } })
        for (const text of [first, second]) {
          const [theirs, ours] = readBoth(text)
          expect(theirs).toEqual(ours)
        }
        expect(readBoth(second)[0]).toMatchObject({ front: { title: reason, description, labels } })
      }),
      { numRuns: 40 },
    )
  })

  test.each(['dotprompt', 'prompty', 'claude-command', 'skill'] as const)(
    'gray-matter reads a %s file that the hub writes as its import does',
    (format) => {
      const text = fc.oneof(anyText, fc.constantFrom('---\nhooks: 1\n---\nHi', '\n\nHi', '\r\nHi', ' \nHi'))
      fc.assert(
        fc.property(text, fc.oneof(anyText, fc.constantFrom('1_000', '--- a', 'a --- b')), (content, description) => {
          const { file } = WRITERS[format]({
            name: 'a',
            full_name: 'acme/a',
            version: '1.0.0',
            content,
            content_sha256: '0'.repeat(64),
            title: '1_000',
            description,
            tags: ['1_0'],
            license: null,
            changelog: '',
            variables: [],
            parameters: { '1_0': '0b1' },
            body: { format: 'text', text: content },
            skill: { description, license: null },
          })
          if (!file) return
          const theirs = matter(file.text, {})
          const { file: ours, refused } = read(file.text)
          expect([refused, ours?.front, ours?.body]).toEqual([[], theirs.data, theirs.content])
          expect(theirs.data).not.toHaveProperty('hooks')
        }),
        { numRuns: 30 },
      )
    },
  )
})
