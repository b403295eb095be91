// Tests which values each field of a publish rejects: the message names the field and says what was expected.
import { describe, expect, test } from 'vitest'
import { words } from '../words.ts'
import { expectRefusal, hub, judgeAfterwards, many, nested, openForInputs } from './hostile-inputs.ts'

openForInputs()

/** JSON as text, for what JSON.stringify cannot write. */
class Json {
  text = ''
}
const json = (text: string) => Object.assign(new Json(), { text })
const textOf = (value: unknown) => (value instanceof Json ? value.text : JSON.stringify(value))

describe('body fields', () => {
  const content = 'x'
  const refuses = (body: unknown, says: string | RegExp) => expectRefusal(body, {}, [422, 'validation_failed', says])
  const deep = nested(200_000)
  const placeholders = (count: number) => Array.from({ length: count }, (_, at) => `{{a${at}}}`).join('')

  //  the whole body                          message
  test.each<[string, unknown, string | RegExp]>([
    ['an array', [], 'expected an object'],
    ['null', 'null', 'expected an object'],
    ['a string', '"content"', 'expected an object'],
    ['a number', '1', 'expected an object'],
    ['an empty object', {}, 'content: expected a string, got nothing'],
    ['an unknown field with an escape sequence', { content, '\u001b[31m': 'y' }, 'unknown'],
    ['__proto__ as a field', '{"content":"x","__proto__":{"bump":"major"}}', '__proto__: unknown'],
    ['an unknown field with 200,000 levels', `{"content":"x","y":${deep}}`, 'y: unknown'],
    ['90 unknown fields of 1,000 keys', { content, ...many(90, many(1_000, 1)) }, /^k0: unknown; [^;]*; k1: unknown/],
    ['60,000 unknown fields', { content, ...many(60_000, 1) }, /^(k\d: unknown; [^;]*; ){10}and 59990 more\.$/],
    ['65 placeholders', { content: placeholders(65) }, 'content: expected at most 64 placeholders, got 65'],
    [
      '36,500 placeholders, one of them declared, in a dry run',
      { content: placeholders(36_500).slice(0, 262_144), variables: [{ name: 'a0' }], dry_run: true },
      'content: expected at most 64 placeholders, got ',
    ],
  ])('refuses %s', (_, body, says) => refuses(body, says))

  test.each(words`contents constructor version yanked status provenance`)('refuses the unknown field %s', (field) =>
    refuses({ content, [field]: 'y' }, `${field}: unknown`),
  )

  const typed = words`changelog bump variables parameters title description tags license dry_run`
  test.each([
    ...typed.map((field) => [field, null] as const),
    ...[...typed, 'expected_version'].map((field) => [field, 7] as const),
  ])('refuses %s: %j', (field, value) => refuses({ content, [field]: value }, `${field}: `))

  // The rules for variables, tags, titles and licenses are tested in src/domain/content; here, each field has them.
  //  field      value   message
  const values: [string, unknown, string][] = [
    ['content', null, 'content: expected a string, got null'],
    ['content', '', 'content: expected some text'],
    ['content', ' \t\r\n\u00a0\u2003\ufeff', 'content: expected some text'],
    ['content', 'a\0b', 'content: expected text without NUL'],
    ['content', json('"a\\ud800b"'), 'content: expected well-formed'],
    ['content', `{{${'p'.repeat(65)}}}`, 'content: expected placeholder names of at most 64'],
    ['content', json(deep), 'content: expected at most 32 levels'],
    ['changelog', '🦄'.repeat(501), 'changelog: expected at most 500'],
    ['changelog', 'a\r\nb', 'changelog: expected no control characters'],
    ['bump', 'Major', 'bump: expected "major" or "minor" or "patch" or "auto", got "Major"'],
    ['title', 'é'.repeat(201), 'title: expected at most 200'],
    ['description', 'a\tb', 'description: expected no control'],
    ['tags', Array.from({ length: 11 }, (_, at) => `v${at}`), 'tags: expected at most 10'],
    ['tags', ['__proto__'], 'tags.0: expected lower-case'],
    ['tags', json(deep), 'tags: expected at most 32 levels'],
    ['license', 'Mine', 'license: expected an SPDX license'],
    ['expected_version', 'v1.0.0', 'expected_version: expected a version'],
    ['dry_run', 'true', 'dry_run: expected a boolean'],
    ['variables', ['x'], 'variables.0: expected an object'],
    ['variables', [{ name: 'a-b' }], 'variables.0.name: '],
    ['variables', json('[{"name":"a","__proto__":{"required":false}}]'), 'variables.0.__proto__: un'],
    ['variables', json('[{"name":"a","description":"\\ud83d"}]'), 'variables.0.description: '],
    ['variables', json(`[{"name":"a","default":${deep}}]`), 'variables: expected at most 32 levels'],
    ['variables', Array(40_000).fill(1), 'variables: expected at most 32768 values in total.'],
    ['parameters', [], 'parameters: expected an object'],
    ['parameters', json(`${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`), 'parameters: expected at most 32 levels'],
    ['parameters', json(`{"a":${deep}}`), 'parameters: expected at most 32 levels'],
    ['parameters', many(60_000, 1), 'parameters: expected at most 1000 keys in total.'],
    ['parameters', { a: 'x'.repeat(65_529) }, 'parameters: expected at most 65536 bytes as JSON, got 65537.'],
    ['parameters', json('{"__proto__":{"a":1}}'), 'parameters: expected no key named __proto__'],
    ['parameters', json('{"a":[{"__proto__":1}]}'), 'parameters: expected no key named __proto__'],
    ['parameters', json('{"a":1e999}'), 'parameters: expected numbers that JSON can represent'],
    ['parameters', json('{"a":["\\ud800"]}'), 'parameters: expected well-formed'],
    ['parameters', json('{"\\ud800":1}'), 'parameters: expected well-formed'],
    ['skill', json('{"description":"d","metadata":{"__proto__":"c"}}'), 'skill.metadata.__proto__: expected a letter'],
  ]
  const named = values.map(([field, value, says]) => [field, textOf(value).slice(0, 60), textOf(value), says] as const)
  test.each(named)('refuses %s: %s', (field, _, text, says) =>
    refuses(field === 'content' ? `{"content":${text}}` : `{"content":"x","${field}":${text}}`, says),
  )

  test('accepts a token with a wrong checksum as text', () =>
    refuses({ content: `hub_${'0'.repeat(38)} `, title: '' }, /^title: expected some text[^;]*$/))

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
})

judgeAfterwards(0)
