// Tests the {{name}} placeholders: which text is a placeholder, and that filling is a single literal pass. See
// docs/contract.md section 11.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../tests/fixtures/records.ts'
import { compareVariables, countPlaceholders, fillPlaceholders, findPlaceholders } from './placeholders.ts'

describe('finding placeholders', () => {
  test.each([
    ['no placeholder', 'plain text', []],
    ['one placeholder', 'Hello {{name}}', ['name']],
    ['a placeholder with inner spaces', 'Hello {{ name }}', ['name']],
    ['each name once, in order of first appearance', '{{b}} {{a}} {{ b }} {{a}}', ['b', 'a']],
    ['adjacent placeholders', '{{a}}{{b}}', ['a', 'b']],
    ['names are case-sensitive', '{{a}}{{A}}', ['a', 'A']],
    ['underscores and digits', '{{_}}{{a_1}}', ['_', 'a_1']],
    ['inside JSON', '{"a":"{{a}}"}', ['a']],
    ['before a closing JSON brace', '{"a":{{a}}}', ['a']],
    ['inherited property names', '{{constructor}}{{__proto__}}{{toString}}', ['constructor', '__proto__', 'toString']],
    ['a name of 64 characters', `{{${'a'.repeat(64)}}}`, ['a'.repeat(64)]],
    ['single braces', '{name}', []],
    ['empty braces', '{{}} {{ }}', []],
    ['a name that starts with a digit', '{{1a}}', []],
    ['hyphens and dots', '{{a-b}} {{a.b}}', []],
    ['a space on only one side', '{{ a}} {{a }}', []],
    ['two spaces', '{{  a  }}', []],
    ['a tab or a line break', '{{\ta\t}} {{\na\n}}', []],
    ['other template syntax', '{{#if a}} {{/if}} {{> a}} {{a | b}} {{!a}} {% a %} #{a} <%= a %> $a', []],
    ['LaTeX', '\\frac{{1}}{{2}}', []],
    ['non-ASCII letters', '{{größe}} {{имя}}', []],
    ['unclosed', '{{name} {name}} {{name', []],
  ])('%s', (_, content, names) => {
    expect(findPlaceholders(content)).toEqual(names)
  })

  test('also finds a name over 64 characters, so that the rules can reject it', () => {
    expect(findPlaceholders(`{{${'a'.repeat(64)}}} {{${'b'.repeat(65)}}}`)).toEqual(['a'.repeat(64), 'b'.repeat(65)])
  })
})

describe('filling placeholders', () => {
  test.each([
    ['with and without spaces', '{{a}} {{ a }}', { a: '1' }, '1 1'],
    ['unknown names stay unchanged', '{{a}} {{b}} {{ c }}', { a: '1' }, '1 {{b}} {{ c }}'],
    ['no values, no changes', 'x {{a}} y', {}, 'x {{a}} y'],
    ['an empty value', '[{{a}}]', { a: '' }, '[]'],
    ['replacement patterns are literal text', '{{a}}', { a: "$& $$ $1 $` $' $<a>" }, "$& $$ $1 $` $' $<a>"],
    ['values are not scanned again', '{{a}} {{b}}', { a: '{{b}}', b: '{{a}}' }, '{{b}} {{a}}'],
    ['two values do not form a placeholder together', '{{a}}{{b}}', { a: '{{c', b: '}}', c: 'no' }, '{{c}}'],
    ['a value and the text around it do not form a placeholder', '{{{a}}}', { a: '{b}', b: 'no' }, '{{b}}'],
    [
      'inherited property names are not values',
      '{{constructor}} {{__proto__}} {{toString}} {{hasOwnProperty}}',
      {},
      '{{constructor}} {{__proto__}} {{toString}} {{hasOwnProperty}}',
    ],
    ['inherited property names can be given as values', '{{constructor}}', { constructor: 'mine' }, 'mine'],
    [
      'other text in braces stays unchanged',
      '{"a": {}} \\frac{{1}}{2} {{#if a}}{{a}}{{/if}}',
      { a: 'x' },
      '{"a": {}} \\frac{{1}}{2} {{#if a}}x{{/if}}',
    ],
  ])('%s', (_, content, values, filled) => {
    expect(fillPlaceholders(content, new Map(Object.entries(values)))).toBe(filled)
  })

  test('fills __proto__ when a variable has that name', () => {
    expect(fillPlaceholders('{{__proto__}}', new Map([['__proto__', 'x']]))).toBe('x')
  })

  test('inserts any value and keeps any content between placeholders unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyText.filter((text) => !/[{}]/.test(text))), anyText, (pieces, value) => {
        expect(fillPlaceholders(pieces.join('{{a}}'), new Map([['a', value]]))).toBe(pieces.join(value))
      }),
    )
  })

  test('returns any content unchanged without values', () => {
    fc.assert(
      fc.property(anyText, (content) => {
        expect(fillPlaceholders(content, new Map())).toBe(content)
      }),
    )
  })

  test('changes only inner spaces when each placeholder is filled with itself', () => {
    fc.assert(
      fc.property(anyText, (content) => {
        const values = new Map(findPlaceholders(content).map((name) => [name, `{{${name}}}`]))
        expect(fillPlaceholders(content, values)).toBe(content.replaceAll(/\{\{ (\w+) \}\}/g, '{{$1}}'))
      }),
    )
  })
})

test('counts each placeholder, and compares them with the declared variables', () => {
  const version = { content: '{{a}} {{ a }} {{b}}', variables: [{ name: 'a' }, { name: 'c' }] }
  expect(compareVariables(version).map(({ rule }) => rule)).toEqual(['variables-are-used', 'placeholders-are-declared'])
  expect(Object.fromEntries(countPlaceholders(version.content))).toEqual({
    a: { times: 2, bytes: 12, offset: 0 },
    b: { times: 1, bytes: 5, offset: 14 },
  })
})
