// Tests how a version file is read: each field, its content byte for byte, and every problem at once. See
// docs/contract.md section 2.
import { describe, expect, test } from 'vitest'
import { HEAD, problemsOf } from '../../../tests/fixtures/prompt-files.ts'
import { formatVersionFile, parseVersionFile, undeclaredVariable } from './prompt-file.ts'

const REQUIRED = HEAD.replace('---\n', '')

describe('version file', () => {
  test('reads every field', () => {
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
  model: example-model
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
        format: 'text',
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
        parameters: { model: 'example-model', temperature: 0.2 },
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

  test('applies the defaults to a minimal file and uses its placeholders as variables', () => {
    expect(parseVersionFile(`${HEAD}---\nHello {{b}} and {{ a }}`)).toEqual({
      value: {
        published_at: '2026-11-20T10:00:00Z',
        published_by: 'octocat',
        changelog: '',
        format: 'text',
        variables: [
          { name: 'b', description: '', type: 'string', required: true, default: null, options: [], example: null },
          { name: 'a', description: '', type: 'string', required: true, default: null, options: [], example: null },
        ],
        parameters: {},
        content: 'Hello {{b}} and {{ a }}',
      },
    })
  })

  test('has no variables when the list is empty, even if the content has placeholders', () => {
    expect(parseVersionFile(`${HEAD}variables: []\n---\n{{a}}`).value?.variables).toEqual([])
  })

  test('makes an undeclared variable a required string', () => {
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

  test('writes the fields in this exact form', () => {
    expect(
      formatVersionFile({
        published_at: '2026-11-20T10:00:00Z',
        published_by: 'octocat',
        changelog: 'First: a # sign',
        variables: [{ name: 'language', example: '2026-01-01' }],
        parameters: { model: 'example-model', stop: ['1.0', 'yes', 'null'] },
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
  model: example-model
  stop:
    - "1.0"
    - yes
    - "null"
---
---
Hello`)
  })

  test.each([
    ['empty content', ''],
    ['a final newline', 'a\n'],
    ['no final newline', 'a'],
    ['only line breaks', '\n\n'],
    ['CRLF', '\r\na\r\n'],
    ['a leading carriage return', '\ra'],
    ['a BOM', '\ufeffa'],
    ['lines of hyphens', '---\n---\na\n---\n'],
    ['its own front matter', '---\npublished_by: someone\n---\na'],
    ['front matter in JavaScript', '---js\nglobalThis.hostile = true\n---\n'],
  ])('keeps the content byte for byte: %s', (_, content) => {
    expect(parseVersionFile(`${HEAD}---\n${content}`).value?.content).toBe(content)
    expect(parseVersionFile(`${HEAD.replaceAll('\n', '\r\n')}---\r\n${content}`).value?.content).toBe(content)
  })

  test('may end with the closing line of the front matter', () => {
    expect(parseVersionFile(`${HEAD}---`).value?.content).toBe('')
  })

  test('reads CRLF line endings like LF', () => {
    const text = `${HEAD}changelog: |\n  a\n  b\nparameters:\n  stop: x\n---\n`
    expect(parseVersionFile(text.replaceAll('\n', '\r\n'))).toEqual(parseVersionFile(text))
    expect(parseVersionFile(text).value).toMatchObject({ changelog: 'a\nb\n', parameters: { stop: 'x' } })
  })

  test('returns a fresh value each time it is parsed', () => {
    const text = `${HEAD}parameters: {stop: [a]}\n---\nx`
    const first = parseVersionFile(text).value!
    Object.assign(first.parameters, { stop: 'changed' })
    expect(parseVersionFile(text).value?.parameters).toEqual({ stop: ['a'] })
    const bare = parseVersionFile(`${HEAD}---\nx`).value!
    Object.assign(bare.parameters, { leaked: true })
    expect(parseVersionFile(`${HEAD}---\ny`).value?.parameters).toEqual({})
  })

  const opens = 'line 1: expected a first line that is exactly ---, with YAML below it'
  const closes = 'line 4: expected the line that ends the front matter to be exactly ---'
  const keys = 'line 2: expected keys and values between the --- lines'
  test.each([
    ['an empty file', '', opens],
    ['no front matter', 'Hello', opens],
    ['a BOM before the front matter', `\ufeff${HEAD}---\n`, opens],
    ['a space after the opening hyphens', `--- ${HEAD.slice(3)}---\n`, opens],
    ['four opening hyphens', `-${HEAD}---\n`, opens],
    ['no end', HEAD, 'line 1: expected a second line that is exactly --- after the front matter'],
    ['four closing hyphens', `${HEAD}----\n`, closes],
    ['a space after the closing hyphens', `${HEAD}--- \nx`, closes],
    ['a list', '---\n- a\n---\n', keys],
    ['a string', '---\nhello\n---\n', keys],
  ])('rejects: %s', (_, text, problem) => {
    expect(problemsOf(parseVersionFile(text))).toEqual([problem])
  })

  const missing = [
    'published_at: expected a time in UTC such as "2026-11-20T10:00:00Z", in quotes',
    'published_by: expected a string, got nothing',
  ]
  const unknown = 'unknown; check the spelling, or leave it out'
  //  case, front matter, problems
  test.each([
    ['empty front matter', undefined, missing],
    ['only a comment', '# nothing', missing],
    [
      'every problem at once',
      `${REQUIRED}changelog: 5\nvariables: {}\nparameters: []\nauthor: me`,
      [
        'changelog: expected a string, got 5',
        'variables: expected a list, got an object',
        'parameters: expected an object',
        `author: ${unknown}`,
      ],
    ],
    ['a nested key', `${REQUIRED}variables: [{name: a, typ: string}]`, [`variables.0.typ: ${unknown}`]],
    ['a title, which belongs in index.md', `${REQUIRED}title: x`, [`title: ${unknown}`]],
    ['a CR', `${REQUIRED}changelog: "a\\rb"`, ['changelog: expected no control characters except line feeds']],
    ['501 characters', `${REQUIRED}changelog: ${'a'.repeat(501)}`, ['changelog: expected at most 500 characters']],
    [
      'an upper-case handle',
      REQUIRED.replace('octocat', 'Octocat'),
      ['published_by: expected a lower-case handle such as octocat'],
    ],
  ])('rejects and names the keys: %s', (_, front, problems) => {
    const text = front === undefined ? '---\n---\nx' : `---\n${front}\n---\nx`
    expect(problemsOf(parseVersionFile(text)).sort()).toEqual([...problems].sort())
  })
})
