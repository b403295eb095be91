// Pins the files below content/: paths and texts are inverse to what they mean, byte for byte, and hostile ones are reported, never run. docs/contract.md section 2.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  editRepositoryFile,
  formatPath,
  formatVersionFile,
  type Place,
  parseOwnerFile,
  parsePath,
  parseRepositoryFile,
  parseVersionFile,
  undeclaredVariable,
} from '../../src/domain/content/prompt-file.ts'
import { cpuMsSince } from '../cpu-time.ts'
import { anyJson, anyText, readStarterCatalogue } from './fixtures.ts'

const HEAD = '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: octocat\n'

/** The problems as one text each, or nothing when the file was read. */
const problemsOf = (result: { problems?: { key: string; message: string }[] }) =>
  (result.problems ?? []).map(({ key, message }) => (key === '' ? message : `${key}: ${message}`))

describe('paths', () => {
  const places: [string, Place][] = [
    ['usage.json', { kind: 'usage' }],
    ['equivalents.txt', { kind: 'equivalents' }],
    ['acme/index.md', { kind: 'owner', owner: 'acme' }],
    ['acme/code-review/index.md', { kind: 'repository', owner: 'acme', name: 'code-review' }],
    ['acme/code-review/versions/1.10.0.md', { kind: 'version', owner: 'acme', name: 'code-review', version: '1.10.0' }],
    ['acme/versions/versions/0.0.0.md', { kind: 'version', owner: 'acme', name: 'versions', version: '0.0.0' }],
    ['constructor/constructor/index.md', { kind: 'repository', owner: 'constructor', name: 'constructor' }],
  ]
  test.each(places)('%s', (path, place) => {
    expect(parsePath(path)).toEqual(place)
    expect(formatPath(place)).toBe(path)
  })

  test.each([
    ...[
      '',
      '/',
      'index.md',
      'README.md',
      'usage.yaml',
      'Usage.json',
      './usage.json',
      'usage.json/',
      'acme',
      'acme/',
      'acme/usage.json',
    ],
    ...[
      'acme/index.markdown',
      'acme/INDEX.md',
      'acme/Index.md',
      '/acme/index.md',
      './acme/index.md',
      '../acme/index.md',
      'acme//index.md',
    ],
    ...[
      'Acme/index.md',
      'api/index.md',
      'con/a/index.md',
      'null/a/versions/1.0.0.md',
      'acme-/index.md',
      'a--b/index.md',
      '.git/index.md',
    ],
    ...[
      'acme/code-review',
      'acme/code-review/',
      'acme/code-review/readme.md',
      'acme/Code/index.md',
      'acme/a_b/index.md',
      'acme/../index.md',
    ],
    ...[
      'acme/code-review/1.0.0.md',
      'acme/code-review/versions',
      'acme/code-review/versions/',
      'acme/code-review/versions/1.0.md',
    ],
    ...[
      'acme/code-review/versions/v1.0.0.md',
      'acme/code-review/versions/01.0.0.md',
      'acme/code-review/versions/1.0.0-rc.1.md',
    ],
    ...[
      'acme/code-review/versions/1.0.0',
      'acme/code-review/versions/1.0.0.MD',
      'acme/code-review/versions/1.0.0.md.md',
    ],
    ...[
      'acme/code-review/versions/1.0.0.md/x',
      'acme/code-review/Versions/1.0.0.md',
      'acme/code-review/versions/index.md',
    ],
    ...[
      'acme/code-review/versions/1.0.0.txt',
      'acme\\code-review\\index.md',
      'acme/code-review/versions/1.0.0.md\n',
      'acme/index.md\0',
    ],
    ...['acme/a/b/index.md', 'acme/%61/index.md', 'е/index.md'],
  ])('nothing may stand at %j', (path) => {
    expect(parsePath(path)).toEqual({ wrong: expect.stringMatching(/^expected /) })
  })

  test('are the inverse of places, and of nothing else', () => {
    const owner = fc
      .stringMatching(/^[a-z0-9](?:[a-z0-9]|-[a-z0-9]){0,18}$/)
      .filter((text) => 'wrong' in parsePath(text))
    const number = fc.oneof(fc.nat(20), fc.nat(999_999))
    const version = fc.tuple(number, number, number).map((parts) => parts.join('.'))
    const place: fc.Arbitrary<Place> = fc.oneof(
      fc.record({ kind: fc.constant('owner' as const), owner }),
      fc.record({ kind: fc.constant('repository' as const), owner, name: owner }),
      fc.record({ kind: fc.constant('version' as const), owner, name: owner, version }),
    )
    const reserved =
      /^(404|api|assets|auth|badges|cli|clients|data|docs|healthz|index|mcp|metrics|rate-limited|search|settings|tags|admin|me|new|null|undefined|con|prn|aux|nul|(com|lpt)[1-9])$/
    fc.assert(
      fc.property(place, (given) => {
        fc.pre(given.kind === 'usage' || given.kind === 'equivalents' || !reserved.test(given.owner))
        expect(parsePath(formatPath(given))).toEqual(given)
      }),
      { numRuns: 300 },
    )
    const piece = fc.constantFrom(
      'acme',
      'a',
      'api',
      'index.md',
      'versions',
      '1.0.0.md',
      '1.0.0',
      '',
      '.',
      '..',
      'A',
      'usage.json',
      '\0',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('/')),
          anyText,
        ),
        (path) => {
          const found = parsePath(path)
          if (!('wrong' in found)) expect(formatPath(found)).toBe(path)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('a version file', () => {
  test('with everything', () => {
    const text = `---
published_at: "2026-11-20T10:00:00Z"
published_by: octocat
changelog: Ask for a severity for each finding
variables:
  - name: language
    description: Programming language of the code
    type: string
    required: true
    default: TypeScript
    options: []
    example: Go
  - name: strictness
    type: enum
    required: false
    options: [mild, "1.0"]
    example: mild
parameters:
  model: gpt-5
  temperature: 0.2
provenance:
  issuer: https://token.actions.githubusercontent.com
  repository: acme/prompts
  workflow: publish.yml
  ref: refs/heads/main
  sha: 0a1b2c
  run_id: "123"
---
Review this {{language}} code.
`
    expect(parseVersionFile(text)).toEqual({
      value: {
        published_at: '2026-11-20T10:00:00Z',
        published_by: 'octocat',
        changelog: 'Ask for a severity for each finding',
        variables: [
          {
            name: 'language',
            description: 'Programming language of the code',
            type: 'string',
            required: true,
            default: 'TypeScript',
            options: [],
            example: 'Go',
          },
          {
            name: 'strictness',
            description: '',
            type: 'enum',
            required: false,
            default: null,
            options: ['mild', '1.0'],
            example: 'mild',
          },
        ],
        parameters: { model: 'gpt-5', temperature: 0.2 },
        provenance: {
          issuer: 'https://token.actions.githubusercontent.com',
          repository: 'acme/prompts',
          workflow: 'publish.yml',
          ref: 'refs/heads/main',
          sha: '0a1b2c',
          run_id: '123',
        },
        content: 'Review this {{language}} code.\n',
      },
    })
  })

  test('with the least there may be: the variables are the placeholders', () => {
    expect(parseVersionFile(`${HEAD}---\nHello {{b}} and {{ a }}`)).toEqual({
      value: {
        published_at: '2026-11-20T10:00:00Z',
        published_by: 'octocat',
        changelog: '',
        variables: [
          { name: 'b', description: '', type: 'string', required: true, default: null, options: [], example: null },
          { name: 'a', description: '', type: 'string', required: true, default: null, options: [], example: null },
        ],
        parameters: {},
        content: 'Hello {{b}} and {{ a }}',
      },
    })
  })

  test('with an empty list of variables has none, whatever the content says', () => {
    expect(parseVersionFile(`${HEAD}variables: []\n---\n{{a}}`).value?.variables).toEqual([])
  })

  test('an undeclared variable is a required text', () => {
    expect(undeclaredVariable('__proto__')).toEqual({
      name: '__proto__',
      description: '',
      type: 'string',
      required: true,
      default: null,
      options: [],
      example: null,
    })
  })

  test('is written like this', () => {
    expect(
      formatVersionFile({
        published_at: '2026-11-20T10:00:00Z',
        published_by: 'octocat',
        changelog: 'First: a # sign',
        variables: [{ name: 'language', example: '2026-01-01' }],
        parameters: { model: 'gpt-5', stop: ['1.0', 'yes', 'null'] },
        content: '---\nHello',
      }),
    ).toBe(`---
published_at: "2026-11-20T10:00:00Z"
published_by: octocat
changelog: "First: a # sign"
variables:
  - name: language
    example: "2026-01-01"
parameters:
  model: gpt-5
  stop:
    - "1.0"
    - yes
    - "null"
---
---
Hello`)
  })

  test.each([
    ['no line at all', '', ''],
    ['a final newline', 'a\n', 'a\n'],
    ['no final newline', 'a', 'a'],
    ['only line ends', '\n\n', '\n\n'],
    ['CRLF', '\r\na\r\n', '\r\na\r\n'],
    ['a carriage return alone', '\ra', '\ra'],
    ['a BOM', '\ufeffa', '\ufeffa'],
    ['lines of hyphens', '---\n---\na\n---\n', '---\n---\na\n---\n'],
    ['front matter of its own', '---\npublished_by: someone\n---\na', '---\npublished_by: someone\n---\na'],
    [
      'front matter in JavaScript',
      '---js\nglobalThis.hostile = true\n---\n',
      '---js\nglobalThis.hostile = true\n---\n',
    ],
  ])('keeps a content byte for byte: %s', (_, written, content) => {
    expect(parseVersionFile(`${HEAD}---\n${written}`).value?.content).toBe(content)
    expect(parseVersionFile(`${HEAD.replaceAll('\n', '\r\n')}---\r\n${written}`).value?.content).toBe(content)
  })

  test('may end with the line that closes the front matter', () => {
    expect(parseVersionFile(`${HEAD}---`).value?.content).toBe('')
  })

  test('with CRLF all through says the same as with LF', () => {
    const text = `${HEAD}changelog: |\n  a\n  b\nparameters:\n  stop: x\n---\n`
    expect(parseVersionFile(text.replaceAll('\n', '\r\n'))).toEqual(parseVersionFile(text))
    expect(parseVersionFile(text).value).toMatchObject({ changelog: 'a\nb\n', parameters: { stop: 'x' } })
  })

  test('is read afresh each time', () => {
    const text = `${HEAD}parameters: {stop: [a]}\n---\nx`
    const first = parseVersionFile(text).value!
    Object.assign(first.parameters, { stop: 'changed' })
    expect(parseVersionFile(text).value?.parameters).toEqual({ stop: ['a'] })
    const bare = parseVersionFile(`${HEAD}---\nx`).value!
    Object.assign(bare.parameters, { leaked: true })
    expect(parseVersionFile(`${HEAD}---\ny`).value?.parameters).toEqual({})
  })

  test.each([
    ['nothing', '', 'expected a first line that is exactly ---, with YAML below it'],
    ['no front matter', 'Hello', 'expected a first line that is exactly ---, with YAML below it'],
    ['a BOM before it', `\ufeff${HEAD}---\n`, 'expected a first line that is exactly ---, with YAML below it'],
    [
      'a space after the hyphens',
      `--- ${HEAD.slice(3)}---\n`,
      'expected a first line that is exactly ---, with YAML below it',
    ],
    ['four hyphens', `-${HEAD}---\n`, 'expected a first line that is exactly ---, with YAML below it'],
    ['never closed', HEAD, 'expected a second line that is exactly --- after the front matter'],
    ['closed by four hyphens', `${HEAD}----\n`, 'expected the line that ends the front matter to be exactly ---'],
    ['closed with a space behind', `${HEAD}--- \nx`, 'expected the line that ends the front matter to be exactly ---'],
    ['a list', '---\n- a\n---\n', 'expected keys and values between the --- lines'],
    ['a text', '---\nhello\n---\n', 'expected keys and values between the --- lines'],
  ])('refused: %s', (_, text, problem) => {
    expect(problemsOf(parseVersionFile(text))).toEqual([problem])
  })

  test.each([
    [
      'empty front matter',
      '---\n---\nx',
      [
        'published_at: expected a time in UTC such as "2026-11-20T10:00:00Z", in quotes',
        'published_by: expected a string, got nothing',
      ],
    ],
    [
      'a comment alone',
      '---\n# nothing\n---\nx',
      [
        'published_at: expected a time in UTC such as "2026-11-20T10:00:00Z", in quotes',
        'published_by: expected a string, got nothing',
      ],
    ],
    [
      'every problem at once',
      `${HEAD}changelog: 5\nvariables: {}\nparameters: []\nauthor: me\n---\nx`,
      [
        'changelog: expected a string, got 5',
        'variables: expected a list, got an object',
        'parameters: expected an object',
        'author: unknown; check the spelling, or leave it out',
      ],
    ],
    [
      'a key inside',
      `${HEAD}variables: [{name: a, typ: string}]\n---\nx`,
      ['variables.0.typ: unknown; check the spelling, or leave it out'],
    ],
    [
      'a title, which belongs to index.md',
      `${HEAD}title: x\n---\nx`,
      ['title: unknown; check the spelling, or leave it out'],
    ],
    [
      'a changelog over several kinds of line end',
      `${HEAD}changelog: "a\\rb"\n---\nx`,
      ['changelog: expected no control characters but line feeds'],
    ],
    [
      'a changelog that is too long',
      `${HEAD}changelog: ${'a'.repeat(501)}\n---\nx`,
      ['changelog: expected at most 500 characters'],
    ],
    [
      'a handle in upper case',
      '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: Octocat\n---\nx',
      ['published_by: expected a lower-case handle such as octocat'],
    ],
  ])('refused with its keys: %s', (_, text, problems) => {
    expect(problemsOf(parseVersionFile(text)).sort()).toEqual([...problems].sort())
  })
})

describe('index.md', () => {
  test('of a repository, with everything', () => {
    const text = `---
title: Code review
description: Reviews a change.
tags: [code-review, security]
license: MIT
status: deprecated
status_message: Use acme/review.
replaced_by: acme/review
yanked:
  "1.0.1": Wrong variable
labels:
  production: "1.2.0"
moved_to: acme/reviews
advisories:
  - range: <1.2.0
    severity: high
    message: Says too much.
---

# Notes

A *readme*.

`
    expect(parseRepositoryFile(text)).toEqual({
      value: {
        title: 'Code review',
        description: 'Reviews a change.',
        tags: ['code-review', 'security'],
        license: 'MIT',
        status: 'deprecated',
        status_message: 'Use acme/review.',
        replaced_by: 'acme/review',
        yanked: { '1.0.1': 'Wrong variable' },
        labels: { production: '1.2.0' },
        moved_to: 'acme/reviews',
        advisories: [{ range: '<1.2.0', severity: 'high', message: 'Says too much.' }],
        readme: '# Notes\n\nA *readme*.',
      },
    })
  })

  test('of a repository, with nothing', () => {
    expect(parseRepositoryFile('---\n---\n')).toEqual({
      value: {
        description: '',
        tags: [],
        license: null,
        status: 'active',
        status_message: null,
        replaced_by: null,
        yanked: {},
        labels: {},
        moved_to: null,
        advisories: [],
        readme: '',
      },
    })
  })

  test('of an owner, with everything', () => {
    const text = `---
name: Acme Engineering
website: https://acme.example
avatar_url: https://acme.example/a.png
members: [octocat, api]
trusted_publishers:
  - repository: acme/prompts
    repository_id: 123
    repository_owner_id: "9007199254740993"
    workflow: publish.yml
    environment: production
    repos: [code-review]
---
We **review**.
`
    expect(parseOwnerFile(text)).toEqual({
      value: {
        name: 'Acme Engineering',
        website: 'https://acme.example',
        avatar_url: 'https://acme.example/a.png',
        members: ['octocat', 'api'],
        trusted_publishers: [
          {
            repository: 'acme/prompts',
            repository_id: '123',
            repository_owner_id: '9007199254740993',
            workflow: 'publish.yml',
            environment: 'production',
            repos: ['code-review'],
          },
        ],
        bio: 'We **review**.',
      },
    })
  })

  test('of an owner, with nothing', () => {
    expect(parseOwnerFile('---\n---')).toEqual({
      value: { name: null, website: null, avatar_url: null, members: [], trusted_publishers: [], bio: '' },
    })
  })
})

describe('written and read again', () => {
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

  test('any content is the same, to the byte', () => {
    fc.assert(
      fc.property(anyText, (content) => {
        const text = formatVersionFile({ published_at: '2026-11-20T10:00:00Z', published_by: 'octocat', content })
        expect(text.endsWith(`---\n${content}`)).toBe(true)
        expect(parseVersionFile(text).value?.content).toBe(content)
      }),
      { numRuns: 1000 },
    )
  })

  test('any front matter is the same, to the last character', () => {
    fc.assert(
      fc.property(front, anyText, (given, content) => {
        const { value, problems } = parseVersionFile(formatVersionFile({ ...given, content }))
        expect(problems).toBeUndefined()
        const { variables, ...rest } = value!
        expect(rest).toEqual({ changelog: '', parameters: {}, ...given, variables: undefined, content })
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
      { numRuns: 400 },
    )
  })

  test('what was read, defaults included, can be written and read again', () => {
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
    ['a word that YAML 1.1 takes for a boolean', 'yes'],
    ['null', 'null'],
    ['a tilde', '~'],
    ['a date', '2026-01-01'],
    ['a moment', '2026-01-01T00:00:00Z'],
    ['minutes', '12:30:45'],
    ['next line', 'a\u0085b'],
    ['line separator', 'a\u2028b'],
    ['spaces in front', '   a'],
    ['spaces behind', 'a   '],
    ['a line end behind', 'a\n'],
    ['line ends in front', '\n\na'],
    ['a comment', 'a #b'],
    ['only a hash', '#'],
    ['a colon', 'a: b: c'],
    ['a line of hyphens', 'a\n---\nb'],
    ['a line of hyphens in front', '---\nb'],
    ['a line of dots', 'a\n...\nb'],
    ['a forged trailer', 'a\n\nSigned-off-by: x'],
    ['indented lines', '  a\n b\nc'],
    ['a long line', 'word '.repeat(200)],
    ['many lines', 'line\n'.repeat(60)],
    ['long lines with hyphens between', `${'word '.repeat(30)}\n---\n${'word '.repeat(30)}\n---`],
    ['a carriage return', 'a\rb\r\n'],
    ['NUL', 'a\0b'],
    ['a BOM', '\ufeffa'],
  ])('as a value and as a key of the parameters: %s', (_, text) => {
    const parameters = { [text]: text, list: [text, { [text]: [text] }], [`${text}${'k'.repeat(1200)}`]: 1 }
    const file = formatVersionFile({
      published_at: '2026-11-20T10:00:00Z',
      published_by: 'octocat',
      parameters,
      content: 'x',
    })
    expect(parseVersionFile(file).value).toMatchObject({ parameters, content: 'x' })
  })

  test('the deepest parameters there may be', () => {
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

describe('editing index.md', () => {
  test('sets keys and leaves everything else as its author wrote it', () => {
    const text = '---\n# why\ntitle: Old\n# two\ntags:\n  - a\nlabels:\n  production: "1.0.0"\n---\n\n# Notes\r\n---\n'
    expect(editRepositoryFile(text, { title: 'New: a', license: 'MIT' })).toBe(
      '---\n# why\ntitle: "New: a"\n# two\ntags:\n  - a\nlabels:\n  production: "1.0.0"\nlicense: MIT\n---\n\n# Notes\r\n---\n',
    )
  })

  test('begins a file where there is none', () => {
    expect(editRepositoryFile(undefined, { title: '2026-01-01', tags: ['a'] })).toBe(
      '---\ntitle: "2026-01-01"\ntags:\n  - a\n---\n',
    )
  })

  test('whatever is set is read back, and the rest stays', () => {
    const line = anyText.filter((text) => !/\p{Cc}/u.test(text) && [...text].length <= 200)
    const changes = fc.record(
      {
        title: line.filter((text) => text.trim() !== ''),
        description: line,
        tags: fc.constantFrom<string[]>([], ['a'], ['null', '1', 'yes']),
        license: fc.constantFrom('MIT', null),
      },
      { requiredKeys: [] },
    )
    const file = fc
      .constantFrom(
        '---\n---\n',
        '---\n---',
        '---\n# alone\n---\nNotes',
        '---\r\ntitle: Old\r\nlabels: {production: "1.0.0"}\r\n---\r\nNotes\r\n',
        '---\ntitle: |\n  Old\ntags:\n- a\n- b\n---\n---\nNotes\n---',
        '---\n{title: Old, yanked: {"1.0.0": why}}\n---\nNotes',
      )
      .filter((text) => parseRepositoryFile(text).value !== undefined)
    fc.assert(
      fc.property(file, changes, (text, given) => {
        expect(parseRepositoryFile(editRepositoryFile(text, given))).toEqual({
          value: { ...parseRepositoryFile(text).value, ...given },
        })
        expect(parseRepositoryFile(editRepositoryFile(undefined, given)).value).toMatchObject(given)
      }),
      { numRuns: 300 },
    )
  })
})

describe('hostile files', () => {
  const marked = globalThis as { hostile?: unknown; polluted?: unknown }
  afterEach(() => {
    const { hostile } = marked
    delete marked.hostile
    expect(hostile).toBeUndefined()
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  const run = '(globalThis.hostile = true)'
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...[...'bcdefghi'].map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[at]}`)}]`),
  ].join('\n')
  const hostile: [string, string][] = [
    ...[
      'js',
      'javascript',
      'JavaScript',
      'JS',
      ' js',
      'js ',
      '\tjs',
      'json',
      'coffee',
      'toml',
      'toString',
      'constructor',
      '__proto__',
      'valueOf',
      'hasOwnProperty',
      'yaml',
    ].map((language): [string, string] => [
      `front matter in ${JSON.stringify(language)}`,
      `---${language}\n${run}\n---\n`,
    ]),
    ['JavaScript that is only an object', `---js\n{ published_by: ${run} }\n---\n`],
    ['JavaScript behind a BOM', `\ufeff---js\n${run}\n---\n`],
    ['JavaScript with CRLF', `---js\r\n${run}\r\n---\r\n`],
    ['JavaScript that is never closed', `---js\n${run}`],
    ['JSON', `---json\n{"__proto__": {"polluted": 1}}\n---\n`],
    ['a bomb of aliases', `${HEAD}parameters:\n${bomb.replaceAll(/^/gm, '  ')}\n---\n`],
    ['one alias', `${HEAD}parameters:\n  a: &a 1\n  b: *a\n---\n`],
    ['an alias of itself', `${HEAD}parameters: &a\n  b: *a\n---\n`],
    ['an alias of nothing', `${HEAD}parameters: *nothing\n---\n`],
    ['an alias as a key', `${HEAD}parameters:\n  a: &a x\n  *a : 1\n---\n`],
    ['a merged alias', `${HEAD}parameters:\n  a: &a {b: 1}\n  c:\n    <<: *a\n---\n`],
    ['500 levels', `${HEAD}parameters: ${'{a: '.repeat(500)}1${'}'.repeat(500)}\n---\n`],
    ['500 levels under a key that does not exist', `${HEAD}other: ${'{a: '.repeat(500)}1${'}'.repeat(500)}\n---\n`],
    ['33 levels', `${HEAD}parameters: ${'{a: '.repeat(33)}1${'}'.repeat(33)}\n---\n`],
    ['a key twice', `${HEAD}published_by: someone\n---\n`],
    ['a key twice, further in', `${HEAD}parameters: {a: 1, a: 2}\n---\n`],
    ['a key twice, once in quotes', `${HEAD}parameters: {1: 1, "1": 2}\n---\n`],
    ['a key that is a list', `${HEAD}parameters: {[a]: 1}\n---\n`],
    ...[
      'binary aGk=',
      'js/function "function () {}"',
      'js/regexp /a/',
      'js/undefined ""',
      'set {a}',
      'omap [a: 1]',
      'pairs [a: 1]',
      'timestamp 2026-01-01',
      'python/object:os.system x',
      'merge <<',
    ].map((tag): [string, string] => [`the tag !!${tag}`, `${HEAD}parameters: {a: !!${tag}}\n---\n`]),
    ['a tag of its own', `${HEAD}parameters: {a: !mine x}\n---\n`],
    ['a tag by its address', `${HEAD}parameters: {a: !<tag:yaml.org,2002:binary> aGk=}\n---\n`],
    ['__proto__ at the top', `${HEAD}__proto__: {polluted: 1}\n---\n`],
    ['__proto__ in quotes', `${HEAD}"__proto__": {polluted: 1}\n---\n`],
    ['__proto__ in the parameters', `${HEAD}parameters: {__proto__: {polluted: 1}}\n---\n`],
    ['__proto__ as a text in the parameters', `${HEAD}parameters: {__proto__: x}\n---\n`],
    ['__proto__ further in', `${HEAD}parameters: {a: [{"__proto__": {polluted: 1}}]}\n---\n`],
    ['__proto__ in a variable', `${HEAD}variables: [{name: a, __proto__: {polluted: 1}}]\n---\n`],
    ['__proto__ in the provenance', `${HEAD}provenance: {__proto__: {polluted: 1}}\n---\n`],
    ['constructor at the top', `${HEAD}constructor: {prototype: {polluted: 1}}\n---\n`],
    ['two documents', `${HEAD}...\npublished_by: someone\n---\n`],
    ['a directive', `---\n%YAML 1.1\n${HEAD.slice(4)}---\n`],
    ['a number that JSON cannot write', `${HEAD}parameters: {a: .inf}\n---\n`],
    ['no number', `${HEAD}parameters: {a: [.nan]}\n---\n`],
    ['half a surrogate pair in a value', `${HEAD}parameters: {a: "\\ud800"}\n---\n`],
    ['half a surrogate pair in a key', `${HEAD}parameters: {"\\ud800": 1}\n---\n`],
    ['half a surrogate pair in the changelog', `${HEAD}changelog: "\\ud800"\n---\n`],
    ['a date that is no text', '---\npublished_at: 2026-11-20\npublished_by: octocat\n---\n'],
    ['a handle that is a number', '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: 007\n---\n'],
    ['tabs for spaces', `${HEAD}parameters:\n\ta: 1\n---\n`],
  ]

  const deep: [string, string][] = [
    ['100,000 open brackets', `${HEAD}parameters: ${'['.repeat(100_000)}\n---\n`],
    ['100,000 brackets', `${HEAD}parameters: {a: ${'['.repeat(100_000)}${']'.repeat(100_000)}}\n---\n`],
    ['20,000 braces', `${HEAD}parameters: ${'{a: '.repeat(20_000)}\n---\n`],
    ['100,000 list signs', `${HEAD}parameters:\n  a: ${'- '.repeat(100_000)}\n---\n`],
  ]

  test.each(deep)('%s come back as problems in a short time, never a throw', (_, text) => {
    const before = process.threadCpuUsage()
    const problems = problemsOf(parseVersionFile(text))
    expect(problems).not.toEqual([])
    expect(problems.join('')).not.toMatch(/\n|\.ts:|node_modules/)
    expect(cpuMsSince(before)).toBeLessThan(5_000)
  })

  test.each(hostile)('%s comes back as problems, never a throw', (_, text) => {
    for (const parse of [parseVersionFile, parseRepositoryFile, parseOwnerFile]) {
      const problems = problemsOf(parse(text))
      expect(problems).not.toEqual([])
      for (const problem of problems) expect(problem).not.toMatch(/[\p{Cc}\p{Cf}]|\.ts:|node_modules/u)
      expect(marked.hostile).toBeUndefined()
    }
  })

  test.each(hostile)('%s is ordinary text as a content', (_, content) => {
    const text = formatVersionFile({ published_at: '2026-11-20T10:00:00Z', published_by: 'octocat', content })
    expect(parseVersionFile(text).value?.content).toBe(content)
    expect(marked.hostile).toBeUndefined()
  })

  test('whatever the text, the answer is a value or problems that can be printed', () => {
    const file = fc.oneof(
      anyText,
      anyText.map((text) => `---\n${text}\n---\n`),
      anyText.map((text) => `${HEAD}${text}\n---\n${text}`),
    )
    fc.assert(
      fc.property(file, (text) => {
        for (const parse of [parseVersionFile, parseRepositoryFile, parseOwnerFile]) {
          const { value, problems } = parse(text)
          expect(value === undefined).toBe(problems !== undefined && problems.length > 0)
          for (const { key, message } of problems ?? []) expect(`${key}${message}`).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('a value in a message is short and cannot draw on a terminal', () => {
    expect(problemsOf(parseRepositoryFile('---\nstatus: "\\u009b31m\\u202e"\n---\n'))).toEqual([
      'status: expected "active" or "deprecated" or "archived", got "?31m?"',
    ])
    const long = `${HEAD}variables: [{name: a, type: enum, options: [x], default: "${'z'.repeat(5000)}"}]\n---\n`
    expect(problemsOf(parseVersionFile(long))).toEqual([
      'variables.0.default: expected one of the options, got a long string',
    ])
  })
})

test('every file of the starter catalogue is read', () => {
  expect(readStarterCatalogue().broken).toEqual([])
})
