// Tests which values each field of a publish rejects: the message names the field and says what was expected.
import { describe, expect, test } from 'vitest'
import { words } from '../words.ts'
import { expectRefusal, hub, judgeAfterwards, many, nested, openForInputs } from './hostile-inputs.ts'

openForInputs()

describe('body fields', () => {
  const content = 'x'
  const names = (count: number, prefix = 'v') => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  const token = 'hub_00000000000000000000000000000000'
  //  case                                        body  message
  test.each<[string, unknown, string | RegExp]>([
    ['an array', [], 'expected an object'],
    ['null', 'null', 'expected an object'],
    ['a string', '"content"', 'expected an object'],
    ['a number', '1', 'expected an object'],
    ['an empty object', {}, 'content: expected a string, got nothing'],
    ['content is null', { content: null }, 'content: expected a string, got null'],
    ['content is a number', { content: 1 }, 'content: expected a string, got 1'],
    ['content is a list', { content: ['x'] }, 'content: expected a string, got a list'],
    ['content is empty', { content: '' }, 'content: expected some text'],
    ['content is only whitespace', { content: ' \t\r\n\u00a0\u2003\ufeff' }, 'content: expected some text'],
    ['content with NUL', { content: 'a\0b' }, 'content: expected text without NUL'],
    ['content with a lone high surrogate', '{"content":"a\\ud800b"}', 'content: expected well-formed'],
    ['content with a lone low surrogate', '{"content":"\\udc00"}', 'content: expected well-formed'],
    ['an unknown field', { content, contents: 'y' }, 'contents: unknown'],
    ['an unknown field with an escape sequence', { content, '\u001b[31m': 'y' }, 'unknown'],
    ['__proto__ as a field', '{"content":"x","__proto__":{"bump":"major"}}', '__proto__: unknown'],
    [
      '__proto__ as a key of the metadata',
      '{"content":"x","skill":{"description":"d","metadata":{"a":"b","__proto__":"c"}}}',
      'skill.metadata.__proto__: expected a letter, then letters, digits, dots, hyphens or underscores as the key',
    ],
    ['__proto__ as a parameter', '{"content":"x","parameters":{"__proto__":"c"}}', 'expected no key named __proto__'],
    [
      '__proto__ in a variable',
      '{"content":"x","variables":[{"name":"a","__proto__":1}]}',
      'variables.0.__proto__: un',
    ],
    ['constructor as a field', { content, constructor: 1 }, 'constructor: unknown'],
    ['version as a field', { content, version: '1.0.0' }, 'version: unknown'],
    ['yanked as a field', { content, yanked: {} }, 'yanked: unknown'],
    ['status as a field', { content, status: 'active' }, 'status: unknown'],
    ['provenance as a field', { content, provenance: {} }, 'provenance: unknown'],
    ...['changelog', 'bump', 'variables', 'parameters', 'title', 'description', 'tags', 'license', 'dry_run'].map(
      (field): [string, unknown, string] => [`${field} null`, { content, [field]: null }, `${field}: `],
    ),
    ...words`
      changelog bump variables parameters title description tags license dry_run expected_version
    `.map((field): [string, unknown, string] => [`${field} a number`, { content, [field]: 7 }, `${field}: `]),
    ['a changelog of 501 characters', { content, changelog: '🦄'.repeat(501) }, 'changelog: expected at most 500'],
    [
      'a changelog with a carriage return',
      { content, changelog: 'a\r\nb' },
      'changelog: expected no control characters',
    ],
    ['a changelog with an escape sequence', { content, changelog: '\u001b[31m' }, 'changelog: expected no control'],
    ['a changelog with a lone surrogate', '{"content":"x","changelog":"\\udfff"}', 'changelog: expected well-formed'],
    ['an upper-case bump', { content, bump: 'Major' }, 'bump: expected "major" or "minor" or "patch", got "Major"'],
    ['a prerelease bump', { content, bump: 'prerelease' }, 'bump: '],
    ['a title of 201 characters', { content, title: 'é'.repeat(201) }, 'title: expected at most 200'],
    ['a title with a line break', { content, title: 'a\nb' }, 'title: expected no control'],
    ['a title with C1 controls', { content, title: 'a\u009bb' }, 'title: expected no control'],
    ['an empty title', { content, title: '' }, 'title: expected some text'],
    ['a blank title', { content, title: ' \u2003' }, 'title: expected some text'],
    ['a title with a lone surrogate', '{"content":"x","title":"\\ud800"}', 'title: expected well-formed'],
    ['a description of 501 characters', { content, description: 'd'.repeat(501) }, 'description: expected at most 500'],
    ['a description with a tab', { content, description: 'a\tb' }, 'description: expected no control'],
    ['11 tags', { content, tags: names(11) }, 'tags: expected at most 10'],
    ['a tag of 37 characters', { content, tags: ['t'.repeat(37)] }, 'tags.0: expected at most 36'],
    ['an upper-case tag', { content, tags: ['Go'] }, 'tags.0: expected lower-case'],
    ['a tag with an underscore', { content, tags: ['__proto__'] }, 'tags.0: expected lower-case'],
    ['an empty tag', { content, tags: [''] }, 'tags.0: '],
    ['a duplicate tag', { content, tags: ['go', 'go'] }, 'tags: expected each tag only once'],
    ['an unknown licence', { content, license: 'Mine' }, 'license: expected an SPDX licence'],
    ['an empty licence', { content, license: '' }, 'license: '],
    [
      'a licence of 101 characters',
      { content, license: `MIT${' OR MIT'.repeat(15)}` },
      'license: expected at most 100',
    ],
    [
      'expected_version with a leading v',
      { content, expected_version: 'v1.0.0' },
      'expected_version: expected a version',
    ],
    ['expected_version with a leading zero', { content, expected_version: '01.0.0' }, 'expected_version: '],
    ['expected_version of a prerelease', { content, expected_version: '1.0.0-rc.1' }, 'expected_version: '],
    ['expected_version with a line break', { content, expected_version: '1.0.0\n' }, 'expected_version: '],
    [
      'expected_version above the safe integers',
      { content, expected_version: '9007199254740993.0.0' },
      'expected_version: ',
    ],
    ['expected_version is empty', { content, expected_version: '' }, 'expected_version: '],
    ['dry_run is a string', { content, dry_run: 'true' }, 'dry_run: expected a boolean'],
    ['65 variables', { content, variables: names(65).map((name) => ({ name })) }, 'variables: expected at most 64'],
    ['a variable that is not an object', { content, variables: ['x'] }, 'variables.0: expected an object'],
    ['a variable without a name', { content, variables: [{}] }, 'variables.0.name: '],
    ['a variable with a hyphen', { content, variables: [{ name: 'a-b' }] }, 'variables.0.name: '],
    ['a variable of 65 characters', { content, variables: [{ name: 'v'.repeat(65) }] }, 'variables.0.name: '],
    [
      'a duplicate variable',
      { content, variables: [{ name: 'a' }, { name: 'a' }] },
      'variables.1.name: expected each name only once',
    ],
    ['an unknown key in a variable', { content, variables: [{ name: 'a', label: 'b' }] }, 'variables.0.label: unknown'],
    [
      '__proto__ in a variable',
      '{"content":"x","variables":[{"name":"a","__proto__":{"required":false}}]}',
      '__proto__',
    ],
    ['an unknown type', { content, variables: [{ name: 'a', type: 'date' }] }, 'variables.0.type: '],
    [
      'a default of another type',
      { content, variables: [{ name: 'a', type: 'integer', default: 1.5 }] },
      'variables.0.default: expected a whole number',
    ],
    ['a default that is a list', { content, variables: [{ name: 'a', default: [] }] }, 'variables.0.default: '],
    ['a default with NUL', { content, variables: [{ name: 'a', default: '\0' }] }, 'variables.0.default: '],
    ['an enum without options', { content, variables: [{ name: 'a', type: 'enum' }] }, 'variables.0.options: '],
    [
      'an option with a control character',
      { content, variables: [{ name: 'a', type: 'enum', options: ['\u0007'] }] },
      'variables.0.options.0: ',
    ],
    [
      'a description with a lone surrogate',
      '{"content":"x","variables":[{"name":"a","description":"\\ud83d"}]}',
      'variables.0.description: ',
    ],
    [
      '65 placeholders',
      {
        content: names(65)
          .map((name) => `{{${name}}}`)
          .join(''),
      },
      'content: expected at most 64 placeholders, got 65',
    ],
    [
      '36,500 placeholders, one of them declared, in a dry run',
      {
        content: Array.from({ length: 36_500 }, (_, at) => `{{a${at}}}`)
          .join('')
          .slice(0, 262_144),
        variables: [{ name: 'a0' }],
        dry_run: true,
      },
      'content: expected at most 64 placeholders, got ',
    ],
    [
      'a placeholder of 65 characters',
      { content: `{{${'p'.repeat(65)}}}` },
      'content: expected placeholder names of at most 64',
    ],
    ['parameters are a list', { content, parameters: [] }, 'parameters: expected an object'],
    [
      'parameters with 33 levels',
      `{"content":"x","parameters":${'{"a":'.repeat(32)}{}${'}'.repeat(33)}`,
      /parameters: expected at most 32 levels/,
    ],
    [
      'parameters with 2,000 levels',
      `{"content":"x","parameters":{"a":${nested(2_000)}}}`,
      'parameters: expected at most 32 levels',
    ],
    [
      'parameters with 200,000 levels',
      `{"content":"x","parameters":{"a":${nested(200_000)}}}`,
      'parameters: expected at most 32 levels',
    ],
    ['content with 200,000 levels', `{"content":${nested(200_000)}}`, 'content: expected at most 32 levels'],
    ['tags with 200,000 levels', `{"content":"x","tags":${nested(200_000)}}`, 'tags: expected at most 32 levels'],
    [
      'a default with 200,000 levels',
      `{"content":"x","variables":[{"name":"a","default":${nested(200_000)}}]}`,
      'variables: expected at most 32 levels',
    ],
    ['an unknown field with 200,000 levels', `{"content":"x","y":${nested(200_000)}}`, 'y: unknown'],
    [
      'parameters with 60,000 keys',
      { content, parameters: many(60_000, 1) },
      'parameters: expected at most 1000 keys in total.',
    ],
    [
      'parameters of more than 64 KiB',
      { content, parameters: { a: 'x'.repeat(65_529) } },
      'parameters: expected at most 65536 bytes as JSON, got 65537.',
    ],
    [
      'a list of 40,000 values',
      { content, variables: Array(40_000).fill(1) },
      'variables: expected at most 32768 values in total.',
    ],
    [
      '90 unknown fields of 1,000 keys each',
      { content, ...many(90, many(1_000, 1)) },
      /^k0: unknown; [^;]*; k1: unknown/,
    ],
    [
      '60,000 unknown fields',
      { content, ...many(60_000, 1) },
      /^(k\d: unknown; check the spelling, or leave it out; ){10}and 59990 more\.$/,
    ],
    [
      '__proto__ in parameters',
      '{"content":"x","parameters":{"__proto__":{"a":1}}}',
      'parameters: expected no key named __proto__',
    ],
    [
      'a nested __proto__ in parameters',
      '{"content":"x","parameters":{"a":[{"__proto__":1}]}}',
      'parameters: expected no key named __proto__',
    ],
    [
      'a number too large for JSON',
      '{"content":"x","parameters":{"a":1e999}}',
      'parameters: expected numbers that JSON can represent',
    ],
    [
      'a lone surrogate in parameters',
      '{"content":"x","parameters":{"a":["\\ud800"]}}',
      'parameters: expected well-formed',
    ],
    [
      'a lone surrogate in a key of parameters',
      '{"content":"x","parameters":{"\\ud800":1}}',
      'parameters: expected well-formed',
    ],
    [
      'a token with a wrong checksum is accepted as text',
      { content: `${token}000000 `, title: '' },
      'title: expected some text',
    ],
  ])('%s', (_, body, says) => expectRefusal(body, {}, [422, 'validation_failed', says]))

  test('reports every problem in one message, each with its field', async () => {
    const { message } = await hub.publish({
      content: ' ',
      bump: 'huge',
      title: '',
      tags: ['A'],
      variables: [{ name: '1' }],
      parameters: 1,
      expected_version: 'v1',
      dry_run: 0,
      licence: 'MIT',
    })
    for (const field of words`
      content bump title tags.0 variables.0.name parameters expected_version dry_run licence
    `)
      expect(message).toMatch(new RegExp(`(?:^|; )${field}: `))
  })

  test('rejects a body with 90,000 unknown fields', async () => {
    const fields = Array.from({ length: 90_000 }, (_, index) => `"f${index}":1`).join(',')
    await expectRefusal(`{"content":"x",${fields}}`, {}, [422, 'validation_failed', 'f0: unknown'])
  })
})

judgeAfterwards(0)
