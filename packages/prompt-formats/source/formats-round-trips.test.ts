// Tests each two-way format: exported files are read back with the same text, variables and settings if the format
// supports them; otherwise, reading reports the documented findings.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Variable } from '../../../src/domain/api/schema.ts'
import { READERS, WRITERS } from './formats.ts'
import type { ExportedVersion, PortableMessage } from './portable.ts'

const RUNS = Number(process.env.RUNS ?? 80)

const words = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ,]{0,30}[A-Za-z0-9]$/)
const name = fc.constantFrom('text', 'language', 'tone', 'max_words', 'a1', '_b')
const scrap = fc.oneof(
  { weight: 4, arbitrary: words },
  { weight: 3, arbitrary: name.map((one) => `{{${one}}}`) },
  fc.constantFrom(
    '\n',
    '\n\n',
    ' ',
    '\t',
    'ü',
    '—',
    '“',
    '🎈',
    '$1',
    '@x',
    '\\',
    '{',
    '}',
    '{{',
    '}}',
    '{% if %}',
    '---',
    'user:',
    '# A title',
    '`code`',
    '\r\n',
    '{{#if}}',
    '\\{{x}}',
    '{{ tone }}',
  ),
)
const text = fc
  .array(scrap, { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(''))
  .filter((one) => one.trim() !== '')
const trimmed = text.map((one) => one.replace(/^[\r\n]+|[\r\n]+$/g, '')).filter((one) => one.trim() !== '')

const variable = (one: string): fc.Arbitrary<Variable> =>
  fc.oneof(
    fc.record({
      name: fc.constant(one),
      description: fc.oneof(fc.constant(''), words),
      type: fc.constant('string' as const),
      required: fc.boolean(),
      default: fc.option(words),
      options: fc.constant<string[]>([]),
      example: fc.constant(null),
    }),
    fc.record({
      name: fc.constant(one),
      description: fc.constant(''),
      type: fc.constant('integer' as const),
      required: fc.boolean(),
      default: fc.option(fc.integer({ min: -1000, max: 1000 })),
      options: fc.constant<string[]>([]),
      example: fc.constant(null),
    }),
    fc.record({
      name: fc.constant(one),
      description: fc.constant('Which'),
      type: fc.constant('enum' as const),
      required: fc.boolean(),
      default: fc.constant('low'),
      options: fc.constant<string[]>(['low', 'high']),
      example: fc.constant(null),
    }),
    fc.record({
      name: fc.constant(one),
      description: fc.constant(''),
      type: fc.constant('boolean' as const),
      required: fc.boolean(),
      default: fc.option(fc.boolean()),
      options: fc.constant<string[]>([]),
      example: fc.constant(null),
    }),
  )
const message: fc.Arbitrary<PortableMessage> = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const),
  content: trimmed,
})
const body = fc.oneof(
  text.map((one) => ({ format: 'text' as const, text: one })),
  fc
    .record({
      system: fc.option(trimmed),
      rest: fc.array(message, { minLength: 1, maxLength: 4 }),
      history: fc.boolean(),
    })
    .map(({ system, rest, history }) => ({
      format: 'chat' as const,
      messages: [
        ...(system === null ? [] : [{ role: 'system' as const, content: system }]),
        ...(history ? [{ type: 'history' as const }] : []),
        ...rest,
      ],
    })),
)
const texts = (given: ExportedVersion['body']) =>
  given.format === 'text' ? given.text : given.messages.map((one) => ('role' in one ? one.content : '')).join('\u0000')
const version: fc.Arbitrary<ExportedVersion> = body.chain((given) => {
  const names = [
    ...new Set([...texts(given).matchAll(/\{\{( ?)([A-Za-z_][A-Za-z0-9_]*)\1\}\}/g)].map(([, , one]) => one!)),
  ]
  return fc
    .record({
      content: fc.constant(texts(given)),
      variables: fc.tuple(...names.map(variable)),
      title: fc.oneof(fc.constant(''), words),
      description: fc.oneof(fc.constant(''), words),
      parameters: fc.constantFrom(
        {},
        { model: 'example-model' },
        { model: 'example-model', temperature: 0.2, top_p: 1, max_tokens: 100 },
      ),
    })
    .map((rest) => ({
      ...rest,
      name: 'code-review',
      full_name: 'acme/code-review',
      content_sha256: '0'.repeat(64),
      skill: { description: rest.description || 'Helps.', license: null },
      version: '1.2.0',
      tags: [],
      license: null,
      changelog: '',
      body: given,
    }))
})

/** Formats that store variable types; the other formats list `variables` among the data that they lose. */
const TYPED = ['dotprompt', 'prompty'] as const
const UNTYPED = ['github', 'langfuse', 'langchain', 'skill'] as const
const tight = (one: string) => one.replace(/\{\{ ([A-Za-z_]\w*) \}\}/g, '{{$1}}')
const tighten = (given: ExportedVersion['body']) =>
  given.format === 'text'
    ? { ...given, text: tight(given.text) }
    : {
        ...given,
        messages: given.messages.map((one) => ('role' in one ? { ...one, content: tight(one.content) } : one)),
      }
/** Other formats treat a chat prompt with one user message as a text prompt. */
const isLoneUser = ({ body: given }: ExportedVersion) =>
  given.format === 'chat' &&
  given.messages.length === 1 &&
  'role' in given.messages[0]! &&
  given.messages[0].role === 'user'

const LOST_VARIABLES = {
  kind: 'lost',
  field: 'variables',
  line: null,
  message: 'a skill describes its inputs only in words',
}

describe.each([...TYPED, ...UNTYPED])('%s', (format) => {
  it('reads back the same prompt that was written', () => {
    let written = 0
    fc.assert(
      fc.property(version, (given) => {
        const result = WRITERS[format](given)
        if (result.refused) {
          expect(result.refused.every(({ message }) => message !== '')).toBe(true)
          return
        }
        written++
        const read = READERS[format](result.file.text, 'code-review')
        expect(read.findings).toEqual(format === 'skill' && result.lost.includes('variables') ? [LOST_VARIABLES] : [])
        const [back] = read.prompts
        const expected =
          isLoneUser(given) &&
          format !== 'dotprompt' &&
          format !== 'prompty' &&
          given.body.format === 'chat' &&
          'role' in given.body.messages[0]!
            ? { format: 'text', text: given.body.messages[0].content }
            : given.body
        expect(back?.body && tighten(back.body)).toEqual(tighten(expected as ExportedVersion['body']))
        if (!result.lost.includes('parameters')) expect(back?.parameters).toEqual(given.parameters)
        if (!result.lost.includes('variables')) expect(sorted(back?.variables ?? [])).toEqual(sorted(given.variables))
        if (!result.lost.includes('title') && given.title !== '') expect(back?.title).toBe(given.title)
        if (!result.lost.includes('description') && format !== 'skill')
          expect(back?.description).toBe(given.description)
      }),
      { numRuns: RUNS },
    )
    // The test would prove little if the format could represent only a few of the generated prompts.
    expect(written).toBeGreaterThan(RUNS / 10)
  })
})

function sorted(variables: readonly Variable[]): Variable[] {
  return [...variables].sort((a, b) => (a.name < b.name ? -1 : 1))
}
