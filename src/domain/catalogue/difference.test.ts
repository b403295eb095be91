// Tests how a change between two versions is described to callers, and when it counts as breaking. See docs/contract.md
// section 7.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Variable } from '../api/schema.ts'
import { Difference } from '../api/schema.ts'
import { type Callable, compareForCallers, compareNeighbours, smallestBump } from './difference.ts'

const variable = (name: string, given: Partial<Variable> = {}): Variable => ({
  name,
  description: '',
  type: 'string',
  required: true,
  default: null,
  options: [],
  example: null,
  ...given,
})
const version = (number: string, variables: Variable[], given: Partial<Callable> = {}): Callable => ({
  version: number,
  content: 'text',
  format: 'text',
  variables,
  parameters: {},
  files: [],
  ...given,
})
const a = variable('a')

//  case                                       before                         after                                     breaking
test.each([
  ['no change', [a], [a], false],
  ['a new order', [a, variable('b')], [variable('b'), a], false],
  ['a required variable was added', [a], [a, variable('b')], true],
  ['a required variable with a default was added', [a], [a, variable('b', { default: 'x' })], false],
  ['an empty default counts as a default', [a], [a, variable('b', { default: '' })], false],
  ['an optional variable was added', [a], [a, variable('b', { required: false })], false],
  ['a required variable was removed', [a], [], true],
  [
    'an optional variable was removed: strict clients reject unknown names',
    [variable('a', { required: false })],
    [],
    true,
  ],
  ['a variable became required', [variable('a', { required: false })], [a], true],
  [
    'a variable became required, with a default',
    [variable('a', { required: false })],
    [variable('a', { default: 1 })],
    false,
  ],
  ['the default was removed', [variable('a', { default: 'x' })], [a], true],
  ['a variable became optional', [a], [variable('a', { required: false })], false],
  ['a string became a number', [a], [variable('a', { type: 'number' })], true],
  ['a number became a string', [variable('a', { type: 'number' })], [a], false],
  ['an integer became a number', [variable('a', { type: 'integer' })], [variable('a', { type: 'number' })], false],
  ['a number became an integer', [variable('a', { type: 'number' })], [variable('a', { type: 'integer' })], true],
  [
    'an option was removed',
    [variable('a', { type: 'enum', options: ['x', 'y'] })],
    [variable('a', { type: 'enum', options: ['y'] })],
    true,
  ],
  [
    'an option was added',
    [variable('a', { type: 'enum', options: ['x'] })],
    [variable('a', { type: 'enum', options: ['y', 'x'] })],
    false,
  ],
  ['the description changed', [a], [variable('a', { description: 'new', example: 'e' })], false],
] as const)('%s: detects whether the change is breaking (case %#)', (_, before, after, breaking) => {
  expect(compareForCallers(version('1.0.0', [...before]), version('1.1.0', [...after])).breaking).toBe(breaking)
})

test('lists every change by name', () => {
  const from = version('1.0.0', [a, variable('b', { required: false }), variable('c')], {
    parameters: { temperature: 0.2, model: 'x', nested: { one: 1, two: 2 } },
    files: ['a', 'b', 'same'].map((path) => ({ path, sha256: '1' })),
  })
  const optional = variable('e', { required: false })
  const to = version(
    '2.0.0',
    [variable('d'), optional, variable('b'), variable('c', { type: 'boolean', description: 'c' })],
    {
      content: 'other',
      parameters: { temperature: 0.3, nested: { two: 2, one: 1 }, top_p: 1 },
      files: [
        { path: 'b', sha256: '2' },
        { path: 'c', sha256: '1' },
        { path: 'same', sha256: '1' },
      ],
    },
  )
  expect(compareForCallers(from, to)).toEqual({
    from: '1.0.0',
    to: '2.0.0',
    breaking: true,
    reasons: [
      'adds required variable d',
      'makes variable b required',
      'removes variable a',
      'accepts fewer values of variable c',
    ],
    content_changed: true,
    format_changed: false,
    skill_changed: false,
    messages: { added: [], removed: [], changed: [] },
    variables: {
      added: ['d', 'e'],
      added_required: ['d'],
      removed: ['a'],
      newly_required: ['b'],
      narrowed: ['c'],
      undeclared: [],
      changed: [
        { name: 'b', fields: ['required'] },
        { name: 'c', fields: ['description', 'type'] },
      ],
    },
    parameters: { added: ['top_p'], removed: ['model'], changed: ['temperature'] },
    files: { added: ['c'], removed: ['a'], changed: ['b'] },
  })
})

const skill = { description: 'Reviews.', license: null }
const b = variable('b')
//  case, version before, version after, reasons, smallest bump
test.each<[string, Partial<Callable>, Partial<Callable>, string[], string]>([
  ['another text', {}, { content: 'other' }, [], 'patch'],
  ['variables in another order', { variables: [a, b] }, { variables: [b, a] }, [], 'patch'],
  [
    'another description of a variable',
    { variables: [a] },
    { variables: [variable('a', { description: 'A' })] },
    [],
    'minor',
  ],
  ['an optional variable', { variables: [a] }, { variables: [a, variable('b', { required: false })] }, [], 'minor'],
  ['another temperature', {}, { parameters: { temperature: 1 } }, [], 'minor'],
  ['another file', { files: [] }, { files: [{ path: 'a', sha256: '1' }] }, [], 'minor'],
  ['a required variable', { variables: [a] }, { variables: [a, b] }, ['adds required variable b'], 'major'],
  [
    'a placeholder that the declared list lacks',
    { content: '{{a}}', variables: [a] },
    { content: '{{a}} {{lang}}', variables: [a] },
    ['adds placeholder lang without a declaration'],
    'major',
  ],
  [
    'a placeholder that the text had before without a declaration',
    { content: '{{a}} {{lang}}', variables: [a] },
    { content: '{{lang}} {{a}}', variables: [a] },
    [],
    'patch',
  ],
  [
    'a placeholder in a version without variables',
    { content: 'x', variables: [] },
    { content: '{{x}}', variables: [] },
    [],
    'patch',
  ],
  ['a skill that is none any more', { skill }, { skill: null }, ['is no longer a skill'], 'major'],
  ['a prompt that becomes a skill', {}, { skill }, [], 'minor'],
  ['another description of a skill', { skill }, { skill: { ...skill, description: 'Reviews code.' } }, [], 'minor'],
  [
    'a skill of a file and of a record',
    { skill },
    { skill: { ...skill, compatibility: null, metadata: {} } },
    [],
    'patch',
  ],
  [
    'a chat prompt that becomes text',
    { format: 'chat', content: '{{role "user"}}\nHi\n{{history}}\n' },
    { content: 'Hi' },
    ['changes the format from chat to text'],
    'major',
  ],
  [
    'a chat prompt without history',
    { format: 'chat', content: '{{role "user"}}\nHi\n{{history}}\n' },
    { format: 'chat', content: '{{role "user"}}\nHi\n' },
    ['removes {{history}}'],
    'major',
  ],
  ['other tools', {}, { parameters: { tools: [] } }, ['changes the parameter tools'], 'major'],
  [
    'twelve required variables',
    {},
    { variables: Array.from({ length: 12 }, (_, index) => variable(`v${index}`)) },
    [...Array.from({ length: 10 }, (_, index) => `adds required variable v${index}`), 'and 2 more'],
    'major',
  ],
])('%s: names the reasons, and finds the smallest bump', (_, before, after, reasons, bump) => {
  const difference = compareForCallers(version('1.0.0', [], before), version('1.1.0', [], after))
  expect(difference.reasons).toEqual(reasons)
  expect(difference.breaking).toBe(reasons.length > 0)
  expect(smallestBump(difference)).toBe(bump)
})

test('a version with nothing to compare is a minor one', () => expect(smallestBump(undefined)).toBe('minor'))

//  before            after             added          removed        changed
test.each([
  ['s:1 u:2', 's:1 u:3', [], [], ['user']],
  ['u:1', 's:1 u:1', ['system'], [], []],
  ['s:1 history u:1', 's:1 u:1', [], ['history'], []],
  ['s:1 u:1 a:1', 's:1 a:1 u:1', [], [], ['user', 'assistant']],
  ['u:1 a:1 u:2', 'u:2 a:1 u:1', [], [], ['user']],
  ['u:1 a:1', 's:1 u:2', ['system'], ['assistant'], ['user']],
])('compares the messages %s with %s', (before, after, added, removed, changed) => {
  const roles: Record<string, string> = { s: 'system', u: 'user', a: 'assistant' }
  const chat = (parts: string) => {
    const line = (part: string) =>
      part === 'history' ? '{{history}}\n' : `{{role "${roles[part[0]!]}"}}\n${part.slice(2)}\n`
    return { ...version('1.0.0', []), format: 'chat' as const, content: parts.split(' ').map(line).join('') }
  }
  const { messages, breaking } = compareForCallers(chat(before), chat(after))
  expect(messages).toEqual({ added, removed, changed })
  expect(breaking).toBe(removed.some((kind) => kind === 'history'))
})

test('compares each version with the next lower one', () => {
  const records = ['2.0.0', '1.1.0', '1.0.0'].map((number) => version(number, []))
  expect([...compareNeighbours(records)].map(({ from, to }) => [from, to])).toEqual([
    ['1.1.0', '2.0.0'],
    ['1.0.0', '1.1.0'],
  ])
  expect([...compareNeighbours(records.slice(2))]).toEqual([])
})

describe('any two versions', () => {
  const variables = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('a', 'b', 'constructor', '__proto__'),
      description: fc.constantFrom('', 'words'),
      type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'enum'),
      required: fc.boolean(),
      default: fc.constantFrom(null, 'x', 1, true),
      options: fc.subarray(['x', 'y']),
      example: fc.constantFrom(null, 'e'),
    } as const),
    { selector: ({ name }) => name },
  )
  // As in parsed front matter, a key `__proto__` must be an own property.
  const parameters = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.jsonValue({ maxDepth: 2 }))
  const versions = fc
    .record({ content: fc.string(), variables, parameters })
    .map(({ variables, ...given }) => version('1.0.0', variables, given))

  test('give a valid diff, which is empty when both versions are the same', () => {
    fc.assert(
      fc.property(versions, versions, (from, to) => {
        Difference.parse(compareForCallers(from, to))
        const same = compareForCallers(from, structuredClone(from))
        expect([same.breaking, same.content_changed]).toEqual([false, false])
        expect([...Object.values(same.variables), ...Object.values(same.parameters)].flat()).toEqual([])
      }),
    )
  })
})
