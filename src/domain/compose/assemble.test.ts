// Tests composing as pure functions: the source comes back with every byte, an edge creates nothing, and variables are joined.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compose, LINE, partOf } from '../../../tests/fixtures/compose-parts.ts'
import { measure } from '../../files/measure.ts'
import type { Variable } from '../api/schema.ts'
import { findPlaceholders } from '../content/placeholders.ts'
import { formatPublished, parseVersionFile, undeclaredVariable } from '../content/prompt-file.ts'
import { splitChat } from '../values/chat.ts'
import { checkChat } from '../values/chat-rules.ts'
import { findContentProblem } from '../values/values.ts'
import type { Part } from './assemble.ts'
import { checkIncludes } from './check-includes.ts'
import { cutSource, partText } from './include-lines.ts'

/** Pieces of text that could become something else beside an edge. */
const pieces = fc.constantFrom(
  ...[
    '\n',
    '\r\n',
    '\r',
    ' ',
    'a',
    'é',
    '𝄞',
    '{',
    '{{',
    '}}',
    '}',
    '{{a}}',
    '{{ b }}',
    'a}}',
    '{{a',
    '---',
    '--- ',
    'title: x',
  ],
  ...['{{role "user"}}', '{{role "system"}}', '{{history}}', 'role "user"}}', '{{role ', '\uFEFF', '\t', '"'],
  ...['{{include "acme/part"}}', '{{include "acme/part@^1"}}', ' {{include "acme/part"}}', '{{include}}', '\\', '`'],
)
const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
const parts = texts.filter((text) => findContentProblem(text) === undefined)
const sources = fc
  .array(fc.oneof(texts, fc.constantFrom(`\n${LINE}\n`, `\r\n${LINE}\r\n`, `\n${LINE}`, LINE)), { maxLength: 6 })
  .map((all) => all.join(''))

test('source → assembled → source gives the same bytes, for every content that is allowed', () => {
  let composed = 0
  fc.assert(
    fc.property(sources, fc.array(parts, { minLength: 1, maxLength: 3 }), (source, contents) => {
      const { value } = compose(
        source,
        contents.map((content) => partOf(content)),
      )
      if (!value || value.includes.length === 0) return
      composed++
      expect(Buffer.from(cutSource(value)).equals(Buffer.from(source))).toBe(true)
      // The parts are where the record says, and the rule that builds apply agrees.
      const bytes = Buffer.from(value.content)
      for (const [index, { start, length }] of value.includes.entries())
        expect(bytes.subarray(start, start + length).toString()).toBe(partText(contents[index % contents.length]!))
      expect(checkIncludes('acme/whole', value, measure)).toEqual([])
      // The file keeps them.
      const file = { ...value, format: 'text' as const, parameters: {}, changelog: '' }
      const text = formatPublished({ ...file, published_at: '2026-11-26T00:00:00Z', published_by: 'acme' })
      const { content, includes } = parseVersionFile(text).value!
      expect({ content, includes }).toEqual({ content: value.content, includes: value.includes })
    }),
    { numRuns: 300 },
  )
  expect(composed).toBeGreaterThan(80)
})

test('an edge creates no placeholder, and in a chat prompt no message', () => {
  let composed = 0
  fc.assert(
    fc.property(sources, parts, fc.constantFrom('text' as const, 'chat' as const), (source, content, format) => {
      const { value } = compose(source, partOf(content), format)
      if (!value || value.includes.length === 0) return
      composed++
      const before = source.split(/(?<=^\uFEFF?|\n)\{\{include "[^\n]*?"\}\}(?=\r?(?:\n|$))/)
      expect(new Set(findPlaceholders(value.content))).toEqual(
        new Set([...before.flatMap(findPlaceholders), ...findPlaceholders(content)]),
      )
      if (format === 'text' || checkChat(value.content).length > 0) return
      // A text adds no message: there are as many as with a plain word in its place.
      const plain = compose(source, partOf('word'), format)
      expect(splitChat(value.content).length).toBe(splitChat(plain.value!.content).length)
    }),
    { numRuns: 300 },
  )
  expect(composed).toBeGreaterThan(80)
})

describe('a part', () => {
  test.each<[string, string, Part, string]>([
    ['with files', `${LINE}`, partOf('a', { hasFiles: true }), 'is a skill with files, which would stay behind'],
    ['that is a chat prompt', LINE, partOf('{{role "user"}}\nHi', { format: 'chat' }), 'is a chat prompt'],
    ['with a byte order mark', LINE, partOf('\uFEFFa'), 'begins with a byte order mark'],
    ['that ends with a carriage return', LINE, partOf('a\r'), 'ends with a lone carriage return'],
    ['that ends with two of them', LINE, partOf('a\r\r\n'), 'ends with a lone carriage return'],
    ['that completes front matter', `---\n${LINE}\n---\n`, partOf('title: x\n'), 'does not begin with front matter'],
    ['that is front matter', `${LINE}\nText`, partOf('---\ntitle: x\n---\n'), 'does not begin with front matter'],
    ['that is too long', `${LINE}\n${LINE}`, partOf('a'.repeat(140_000)), 'expected at most 262144 bytes when it is'],
  ])('%s is refused', (_, source, part, message) => {
    expect(compose(source, part).messages).toEqual([expect.stringContaining(message)])
  })

  test.each<[string, string, Part, string | undefined]>([
    ['a text in a message', `{{role "system"}}\n${LINE}\n`, partOf('Be brief.\n'), undefined],
    ['a text with a role line', `{{role "system"}}\n${LINE}`, partOf('a\n{{role "user"}}\nb'), 'has role lines'],
    ['a text with a history', `{{role "system"}}\n${LINE}`, partOf('{{history}}'), 'has role lines or {{history}}'],
    ['a chat before a role line', `${LINE}\n\n{{role "user"}}\nb`, chat('{{role "system"}}\na\n'), undefined],
    ['a chat before the history', `${LINE}\n{{history}}\n`, chat('{{role "user"}}\na'), undefined],
    ['a chat at the end', `{{role "system"}}\na\n${LINE}\n`, chat('{{role "user"}}\na'), undefined],
    ['a chat before text', `${LINE}\nmore`, chat('{{role "user"}}\na'), 'so a role line must follow it, or the end'],
  ])('in a chat prompt: %s', (_, source, part, message) => {
    const { messages, value } = compose(source, part, 'chat')
    expect(messages).toEqual(message === undefined ? [] : [expect.stringContaining(message)])
    if (value) expect(checkChat(value.content)).toEqual([])
  })

  test('that is a text cannot follow a chat prompt, whose last message it would lengthen', () => {
    const source = `${LINE}\n${LINE}\n`
    expect(compose(source, [chat('{{role "user"}}\na'), partOf('b')], 'chat').messages).toEqual([
      expect.stringContaining('so a role line must follow it'),
    ])
    expect(compose(source, [chat('{{role "user"}}\na'), chat('{{role "user"}}\nb')], 'chat').messages).toEqual([])
  })
})

function chat(content: string): Part {
  return partOf(content, { format: 'chat' })
}

describe('variables', () => {
  const tone = { ...undeclaredVariable('tone'), description: 'How it sounds.', default: 'kind', required: false }
  const of = (own: Variable[], ...lists: Variable[][]) =>
    compose(
      lists.map(() => LINE).join('\n'),
      lists.map((variables) => partOf('{{tone}}', { variables })),
      'text',
      own,
    )

  test('of a part are added, and named in its include', () => {
    const { value } = of([undeclaredVariable('code')], [tone])
    expect(value!.variables).toEqual([undeclaredVariable('code'), tone])
    expect(value!.includes[0]!.variables).toEqual(['tone'])
  })

  test('that only the part declares are taken from it, even if the prompt uses the placeholder', () => {
    const { value } = of([undeclaredVariable('tone')], [undeclaredVariable('tone')], [tone])
    expect([value!.variables, value!.includes.map(({ variables }) => variables)]).toEqual([[tone], [[], ['tone']]])
  })

  test('of the prompt keep their own description and example', () => {
    const own = { ...tone, description: 'Another.', example: 'dry' }
    const { value } = of([own], [tone])
    expect([value!.variables, value!.includes[0]!.variables]).toEqual([[own], []])
  })

  test.each([
    ['type', { type: 'number', default: 1 }],
    ['required', { required: true }],
    ['default', { default: 'dry' }],
    ['options', { options: ['kind'] }],
  ] as const)('that differ in %s are refused', (field, change) => {
    const other = { ...tone, ...change } as Variable
    const expected = (first: string) =>
      expect.stringMatching(RegExp(`^tone is declared in ${first} and differently.*${field}`))
    expect(of([other], [tone]).messages).toEqual([expected('this prompt')])
    expect(of([], [other], [tone]).messages).toEqual([expected('acme/part@1.0.0')])
  })
})

test('counts the prompts that the parts include themselves', () => {
  const include = { range: '*', version: '1.0.0', content_sha256: 'a'.repeat(64), start: 0, length: 1, variables: [] }
  const through = (count: number) => Array.from({ length: count }, (_, at) => `acme/p-${at}`)
  const part = (count: number) =>
    partOf('a', { includes: [{ ...include, repository: 'acme/direct', through: through(count) }] })
  expect(compose(LINE, part(62)).value?.includes[0]?.through).toHaveLength(63)
  expect(compose(LINE, part(63)).messages).toEqual([
    'expected at most 64 prompts, with those that its parts include, got 65. Include fewer',
  ])
})
