// Tests what authors may write in front matter: variables that match their type, and `index.md` files without invalid
// keys. See docs/contract.md sections 1 and 2.
import { describe, expect, test } from 'vitest'
import { formatProblem, parseWithSchema } from '../text/problems.ts'
import {
  OwnerFrontMatter,
  ParametersInput,
  RepositoryFrontMatter,
  SkillMetadata,
  TagInputs,
  Title,
  TrustedPublisher,
  Usage,
} from './front-matter.ts'
import { VariableInput, VariableInputs } from './variable-input.ts'

describe('a variable', () => {
  test('requires only a name', () => {
    expect(VariableInput.parse({ name: 'a' })).toEqual({
      name: 'a',
      description: '',
      type: 'string',
      required: true,
      default: null,
      options: [],
      example: null,
    })
  })

  test.each([
    ['string', 'x'],
    ['string', ''],
    ['string', 'a\nb'],
    ['number', 0.5],
    ['number', -1],
    ['integer', 3],
    ['boolean', false],
    ['enum', 'on'],
    ['enum', null],
  ])('of type %s accepts the default %j', (type, value) => {
    const options = type === 'enum' ? ['on', 'off'] : []
    expect(VariableInput.safeParse({ name: 'a', type, options, default: value, example: value }).success).toBe(true)
  })

  test.each([
    ['a string as the default of a number', { type: 'number', default: '1' }, ['default: expected a number, got "1"']],
    [
      'a fraction as the example of an integer',
      { type: 'integer', example: 1.5 },
      ['example: expected a whole number, got 1.5'],
    ],
    [
      'an unsafe integer',
      { type: 'integer', default: 2 ** 53 },
      ['default: expected a whole number, got 9007199254740992'],
    ],
    [
      'a string as the default of a boolean',
      { type: 'boolean', default: 'true' },
      ['default: expected a boolean, got "true"'],
    ],
    [
      'a default that is not an option',
      { type: 'enum', options: ['on'], default: 'off' },
      ['default: expected one of the options, got "off"'],
    ],
    ['an enum without options', { type: 'enum' }, ['options: expected at least one option, because the type is enum']],
    [
      'options without the type enum',
      { type: 'string', options: ['x'] },
      ['options: expected none, because the type is string'],
    ],
    ['a duplicate option', { type: 'enum', options: ['x', 'x'] }, ['options: expected each option only once']],
    ['an empty option', { type: 'enum', options: [''] }, ['options.0: expected some text']],
    [
      'an unknown type',
      { type: 'text' },
      ['type: expected "string" or "number" or "integer" or "boolean" or "enum", got "text"'],
    ],
    ['an unknown key', { label: 'x' }, ['label: unknown; check the spelling, or leave it out']],
    ['options that are not a list', { options: 'x' }, ['options: expected a list, got "x"']],
    ['a list as a default', { default: ['x'] }, ['default: expected a text, a number or a boolean, got a list']],
    [
      'a line break in the description',
      { description: 'a\nb' },
      ['description: expected no control characters or line breaks'],
    ],
    ['a string for required', { required: 'yes' }, ['required: expected a boolean, got "yes"']],
  ])('rejects %s', (_, given, problems) => {
    expect(parseWithSchema(VariableInput, { name: 'a', ...given }).problems?.map(formatProblem)).toEqual(problems)
  })

  test('rejects a number as the default of a string, and suggests quotes', () => {
    expect(parseWithSchema(VariableInput, { name: 'a', default: 1.1 }).problems?.map(formatProblem)).toEqual([
      'default: expected a text (in quotes) of at most 10000 characters, got 1.1',
    ])
  })
})

test('a version has at most 64 variables, with unique names', () => {
  const some = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `v${at}` }))
  expect(VariableInputs.safeParse(some(64)).success).toBe(true)
  expect(parseWithSchema(VariableInputs, some(65)).problems?.map(formatProblem)).toEqual([
    'expected at most 64 variables',
  ])
  expect(
    parseWithSchema(VariableInputs, [{ name: 'a' }, { name: 'b' }, { name: 'a' }]).problems?.map(formatProblem),
  ).toEqual(['2.name: expected each name only once, got a twice'])
  expect(VariableInputs.safeParse([{ name: 'a' }, { name: 'A' }, { name: '__proto__' }]).success).toBe(true)
})

test('a repository has at most 10 tags, without duplicates', () => {
  const some = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`)
  expect(TagInputs.safeParse(some(10)).success).toBe(true)
  expect(parseWithSchema(TagInputs, some(11)).problems?.map(formatProblem)).toEqual(['expected at most 10 tags'])
  expect(parseWithSchema(TagInputs, ['a', 'a']).problems?.map(formatProblem)).toEqual(['expected each tag only once'])
})

test.each([
  ['some text', 'A', true],
  ['200 characters', '😀'.repeat(200), true],
  ['201 characters', 'a'.repeat(201), false],
  ['an empty string', '', false],
  ['whitespace', ' \u00a0', false],
  ['two lines', 'a\nb', false],
])('validates a title of %s', (_, title, expected) => expect(Title.safeParse(title).success).toBe(expected))

test('metadata with a name of every object’s properties is kept, and __proto__ is refused by its name', () => {
  const keys = ['constructor', 'toString', 'hasOwnProperty', 'valueOf']
  const given = Object.fromEntries(keys.map((key) => [key, key]))
  expect(Object.entries(SkillMetadata.parse(given))).toEqual(Object.entries(given))
  const problems = parseWithSchema(SkillMetadata, JSON.parse('{"a":"b","__proto__":"c","1":"d"}')).problems
  expect(problems?.map(({ key }) => key)).toEqual(['1', '__proto__'])
})

test.each([
  ['an empty object', {}, true],
  ['any JSON', { a: [1, 'x', null, true, { b: {} }] }, true],
  ['a list', [], false],
  ['null', null, false],
  ['a string', 'x', false],
  ['a number that JSON cannot represent', { a: Number.NaN }, false],
  ['a BigInt', { a: 1n }, false],
  ['a key __proto__', JSON.parse('{"a": {"__proto__": 1}}'), false],
])('validates parameters: %s', (_, value, expected) => expect(ParametersInput.safeParse(value).success).toBe(expected))

describe('a repository', () => {
  test.each([
    [
      'an unknown status',
      { status: 'retired' },
      ['status: expected "active" or "deprecated" or "archived", got "retired"'],
    ],
    [
      'a yanked version with a leading v',
      { yanked: { 'v1.0.0': 'x' } },
      ['yanked.v1.0.0: expected a version x.y.z as the key'],
    ],
    ['a yanked version without a reason', { yanked: { '1.0.0': '' } }, ['yanked.1.0.0: expected a reason']],
    ['yanked versions as a list', { yanked: ['1.0.0'] }, ['yanked: expected a record, got a list']],
    [
      'an upper-case label',
      { labels: { Production: '1.0.0' } },
      [
        'labels.Production: expected lower-case letters, digits and single hyphens, not latest and not a range such as 1 or x, as the key',
      ],
    ],
    [
      'a label that points to another label',
      { labels: { production: 'latest' } },
      ['labels.production: expected a version in the form x.y.z'],
    ],
    [
      'a label that points to a number',
      { labels: { production: 1.1 } },
      ['labels.production: expected a string, got 1.1'],
    ],
    ['a fork without a version', { forked_from: 'acme/review' }, ['forked_from: expected owner/name@x.y.z']],
    ['a replacement without an owner', { replaced_by: 'review' }, ['replaced_by: expected owner/name']],
    ['an upper-case tag', { tags: ['Code'] }, ['tags.0: expected lower-case letters, digits and single hyphens']],
    [
      'a description that is too long',
      { description: 'a'.repeat(501) },
      ['description: expected at most 500 characters'],
    ],
    [
      'a key that belongs to versions',
      { published_by: 'octocat' },
      ['published_by: unknown; check the spelling, or leave it out'],
    ],
  ])('rejects %s', (_, given, problems) => {
    expect(parseWithSchema(RepositoryFrontMatter, given).problems?.map(formatProblem)).toEqual(problems)
  })

  test('accepts labels named like object properties, such as constructor', () => {
    expect(RepositoryFrontMatter.parse({ labels: { constructor: '1.0.0' } }).labels).toEqual({
      constructor: { version: '1.0.0', split: null },
    })
  })
})

describe('an owner', () => {
  test.each([
    [
      'a javascript: URL',
      { website: 'javascript:alert(1)' },
      ['website: expected a URL that starts with https:// or http://'],
    ],
    [
      'an upper-case member',
      { members: ['Octocat'] },
      [
        'members.0: expected a lower-case handle such as octocat, or oidc: with a subject or an email address in lower case',
      ],
    ],
    ['a duplicate member', { members: ['a', 'a'] }, ['members: expected each member only once']],
    ['a key that belongs to repositories', { title: 'x' }, ['title: unknown; check the spelling, or leave it out']],
  ])('rejects %s', (_, given, problems) => {
    expect(parseWithSchema(OwnerFrontMatter, given).problems?.map(formatProblem)).toEqual(problems)
  })

  const publisher = { repository: 'acme/prompts', repository_id: 1, repository_owner_id: '2', workflow: 'publish.yml' }
  test.each([
    ['a URL as the repository', { repository: 'https://github.com/acme/prompts' }],
    ['a repository ID that is not a number', { repository_id: 'acme' }],
    ['a path as the workflow', { workflow: '.github/workflows/publish.yml' }],
    ['a workflow that is not a YAML file', { workflow: 'publish.sh' }],
    ['an empty environment', { environment: '' }],
    ['no repositories to publish to', { repos: [] }],
    ['a full name instead of a name', { repos: ['acme/prompts'] }],
    ['an unknown key', { secret: 'x' }],
  ])('rejects a trusted publisher with %s', (_, given) => {
    expect(TrustedPublisher.safeParse(publisher).success).toBe(true)
    expect(TrustedPublisher.safeParse({ ...publisher, ...given }).success).toBe(false)
  })

  test.each(['repository', 'repository_id', 'repository_owner_id', 'workflow'])(
    'a trusted publisher requires its %s',
    (key) => {
      expect(TrustedPublisher.safeParse({ ...publisher, [key]: undefined }).success).toBe(false)
    },
  )
})

test.each([
  ['none', {}, true],
  ['counts', { 'acme/a': { downloads_7d: 1, downloads_90d: 20 } }, true],
  ['a fractional count', { 'acme/a': { downloads_7d: 1.5, downloads_90d: 20 } }, false],
  ['a negative count', { 'acme/a': { downloads_7d: -1, downloads_90d: 20 } }, false],
  ['a missing count', { 'acme/a': { downloads_7d: 1 } }, false],
  ['an extra count', { 'acme/a': { downloads_7d: 1, downloads_90d: 20, downloads_1d: 1 } }, false],
])('validates usage counts: %s', (_, usage, expected) => expect(Usage.safeParse(usage).success).toBe(expected))
