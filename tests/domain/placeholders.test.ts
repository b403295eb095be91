// Tests the {{name}} placeholders: which text is one, and that filling is a single literal pass. docs/contract.md section 2.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillPlaceholders, findPlaceholders } from '../../src/domain/content/placeholders.ts'
import { cpuMsSince } from '../cpu-time.ts'
import { anyText } from './fixtures.ts'

describe('finding placeholders', () => {
  test.each([
    ['none', 'plain text', []],
    ['one', 'Hello {{name}}', ['name']],
    ['one with a space on either side', 'Hello {{ name }}', ['name']],
    ['each once, by first appearance', '{{b}} {{a}} {{ b }} {{a}}', ['b', 'a']],
    ['side by side', '{{a}}{{b}}', ['a', 'b']],
    ['upper case is another name', '{{a}}{{A}}', ['a', 'A']],
    ['underscores and digits', '{{_}}{{a_1}}', ['_', 'a_1']],
    ['inside JSON', '{"a":"{{a}}"}', ['a']],
    ['before a brace that closes JSON', '{"a":{{a}}}', ['a']],
    [
      'names that objects inherit',
      '{{constructor}}{{__proto__}}{{toString}}',
      ['constructor', '__proto__', 'toString'],
    ],
    ['a name of 64 characters', `{{${'a'.repeat(64)}}}`, ['a'.repeat(64)]],
    ['single braces', '{name}', []],
    ['nothing between', '{{}} {{ }}', []],
    ['a name that starts with a digit', '{{1a}}', []],
    ['hyphens and dots', '{{a-b}} {{a.b}}', []],
    ['a space on one side alone', '{{ a}} {{a }}', []],
    ['two spaces', '{{  a  }}', []],
    ['a tab or a line end', '{{\ta\t}} {{\na\n}}', []],
    ['other template syntax', '{{#if a}} {{/if}} {{> a}} {{a | b}} {{!a}} {% a %} #{a} <%= a %> $a', []],
    ['LaTeX', '\\frac{{1}}{{2}}', []],
    ['letters beyond ASCII', '{{größe}} {{имя}}', []],
    ['unclosed', '{{name} {name}} {{name', []],
  ])('%s', (_, content, names) => {
    expect(findPlaceholders(content)).toEqual(names)
  })

  test('also finds a name over 64 characters, so that the rules can reject it', () => {
    expect(findPlaceholders(`{{${'a'.repeat(64)}}} {{${'b'.repeat(65)}}}`)).toEqual(['a'.repeat(64), 'b'.repeat(65)])
  })

  test('scans 256 KB of open braces quickly', () => {
    const before = process.threadCpuUsage()
    for (const piece of ['{', '{{', '{{ ', '{{a', '{{ a ', '{{a}'])
      expect(findPlaceholders(piece.repeat(262_144 / piece.length))).toEqual([])
    expect(cpuMsSince(before)).toBeLessThan(2000)
  })
})

describe('filling placeholders', () => {
  test.each([
    ['both forms', '{{a}} {{ a }}', { a: '1' }, '1 1'],
    ['unknown names stay', '{{a}} {{b}} {{ c }}', { a: '1' }, '1 {{b}} {{ c }}'],
    ['nothing given, nothing changed', 'x {{a}} y', {}, 'x {{a}} y'],
    ['an empty value', '[{{a}}]', { a: '' }, '[]'],
    ['patterns of a replacement are text', '{{a}}', { a: "$& $$ $1 $` $' $<a>" }, "$& $$ $1 $` $' $<a>"],
    ['a value is never scanned again', '{{a}} {{b}}', { a: '{{b}}', b: '{{a}}' }, '{{b}} {{a}}'],
    ['two values do not make a placeholder together', '{{a}}{{b}}', { a: '{{c', b: '}}', c: 'no' }, '{{c}}'],
    ['a value does not make one with what stands around it', '{{{a}}}', { a: '{b}', b: 'no' }, '{{b}}'],
    [
      'names that objects inherit',
      '{{constructor}} {{__proto__}} {{toString}} {{hasOwnProperty}}',
      {},
      '{{constructor}} {{__proto__}} {{toString}} {{hasOwnProperty}}',
    ],
    ['unless they are given', '{{constructor}}', { constructor: 'mine' }, 'mine'],
    [
      'everything else in braces stays',
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
