// Tests the editor's form: its requests, its corrections, and which file a text is.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recogniseFormat } from '../../../packages/prompt-formats/source/recognise.ts'
import { VariableInput } from '../../domain/content/variable-input.ts'
import { readPasted } from './pasted-file.ts'
import { suggestCorrections } from './suggestions.ts'
import { emptyForm, fieldsOf, readVersionForm, requestsOf } from './version-form.ts'

const VALUES = fc.constantFrom('', ' ', 'a', 'true', '1', 'two\nlines', '{{x}}', 'é')
const VARIABLE = fc
  .oneof(
    fc.record({ type: fc.constant('string' as const), default: fc.option(VALUES), example: fc.option(VALUES) }),
    fc.record({
      type: fc.constant('number' as const),
      default: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    }),
    fc.record({ type: fc.constant('integer' as const), default: fc.option(fc.maxSafeInteger()) }),
    fc.record({ type: fc.constant('boolean' as const), default: fc.option(fc.boolean()) }),
    fc.constant({ type: 'enum' as const, options: ['warm', ' brief'], default: ' brief' }),
  )
  .chain((given) =>
    fc
      .record({ required: fc.boolean(), description: fc.constantFrom('', 'What it is') })
      .map((more) => VariableInput.parse({ name: 'a', ...given, ...more })),
  )

test('a variable is the same after it was shown in the form and sent', () => {
  fc.assert(
    fc.property(VARIABLE, (variable) => {
      const { required, default: preset, example, options, type, description } = fieldsOf(variable)
      // Browsers send CR LF, and nothing for an empty checkbox.
      const typed = { type, description, default: preset, example, options, ...(required && { required: 'yes' }) }
      const sent = Object.fromEntries(
        Object.entries(typed).map(([key, value]) => [`variable.a.${key}`, value.replaceAll('\n', '\r\n')]),
      )
      const base = {
        repository: { owner: 'acme', name: 'a', license: null, readme: '' },
        content: '{{a}}',
        variables: [variable],
      }
      const form = readVersionForm({ ...sent, content: '{{a}}', title: 'A', expected: '1.0.0' }, '')
      const { publish, problems } = requestsOf(form, base)
      expect(problems).toEqual([])
      expect(VariableInput.parse((publish.variables as unknown[])[0])).toEqual(
        Object.is(variable.default, -0) ? { ...variable, default: 0 } : variable,
      )
    }),
  )
})

/** What a browser sends for the text of a field: every line end as CR LF. https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#constructing-entry-list */
const asSent = (text: string) => text.replaceAll(/\r\n|\r|\n/g, '\r\n')

describe('line ends', () => {
  test('content that nobody edited keeps its bytes, whatever its line ends', () => {
    const text = fc.array(fc.constantFrom('a', ' ', '\r', '\n', '\r\n', '\u2028')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (content) => {
        expect(readVersionForm({ content: asSent(content) }, content).content).toBe(content)
      }),
    )
  })

  test.each([
    ['LF', 'a\nb', 'a\nb\nc', 'a\nb\nc'],
    ['CR LF throughout', 'a\r\nb\r\n', 'a\r\nb\r\nc', 'a\r\nb\r\nc'],
    ['CR LF and LF', 'a\r\nb\n', 'a\nb\nc', 'a\nb\nc'],
    ['LF first, then CR LF', '\na\r\n', '\na\nb', '\na\nb'],
    ['CR', 'a\rb', 'a\rb\rc', 'a\nb\nc'],
    ['none', '', 'a\r\nb\rc\nd', 'a\nb\nc\nd'],
  ])('edited content that had %s', (_, before, typed, expected) => {
    expect(readVersionForm({ content: asSent(typed) }, before).content).toBe(expected)
  })
})

describe('suggestions', () => {
  //  field      typed                                                    suggested
  test.each([
    ['name', { name: 'Email Polisher' }, 'email-polisher'],
    ['name', { title: 'Email Polisher' }, undefined],
    ['license', { license: 'MIT' }, undefined],
    ['license', { license: 'MIT OR Apache-2.0' }, undefined],
    ['name', { name: 'fine' }, undefined],
    ['license', { license: 'mit' }, 'MIT'],
    ['license', { license: 'apache 2.0' }, 'Apache-2.0'],
    ['license', { license: 'MIT License' }, 'MIT'],
    ['license', { license: 'nothing like it' }, undefined],
    ['tags', { tags: 'Big Thing, b, b' }, 'big-thing, b'],
    ['format', { content: '{{role "user"}}\nHi' }, 'chat'],
    ['content', { content: 'Hi', format: 'chat' as const }, '{{role "user"}}\nHi'],
    ['content', { content: '{{role "user"}}\nHi', format: 'chat' as const }, undefined],
    ['content', { content: '{{ user.name }} and {{ user.name }}' }, '{{user_name}} and {{user_name}}'],
    ['content', { content: '{{user-name}} $& {{a}}' }, '{{user_name}} $& {{a}}'],
    ['content', { content: 'JSON like {"a": {b}}' }, undefined],
  ])('%s of %j: %s', (field, typed, suggested) => {
    const form = { ...emptyForm('acme'), ...typed }
    expect(suggestCorrections(form).find((one) => one.field === field)?.value).toBe(suggested)
  })

  test('a default in another case becomes the option', () => {
    const tone = { ...fieldsOf(VariableInput.parse({ name: 'tone' })), type: 'enum', options: 'warm\nbrief' }
    const form = { ...emptyForm('acme'), content: '{{tone}}', variables: [{ ...tone, default: 'Warm' }] }
    expect(suggestCorrections(form)).toMatchObject([{ field: 'variable.tone.default', value: 'warm' }])
  })
})

describe('recognises by content', () => {
  test.each([
    ['prompt-file', '---\ntitle: A\nformat: chat\n---\n{{role "user"}}\nHi'],
    ['dotprompt', '---\nmodel: x\ninput:\n  schema:\n    a: string\n---\n{{a}}'],
    ['dotprompt', '---\nmodel: x\n---\n{{role "system"}}\nHi'],
    ['prompty', '---\nname: a\nmodel:\n  api: chat\n---\nsystem:\nHi'],
    ['prompty', '---\nname: a\ninputs:\n  a: b\n---\nHi'],
    ['skill', '---\nname: a\ndescription: b\n---\nHi'],
    ['claude-command', '---\nallowed-tools: Bash\n---\nHi'],
    ['claude-command', 'Fix $ARGUMENTS'],
    ['copilot', '---\nmode: agent\ndescription: a\n---\nHi'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: how GitHub Copilot writes a variable
    ['copilot', 'Write ${input:thing}'],
    ['github', 'messages:\n  - role: user\n    content: Hi\n'],
    ['json', '{"prompt": "Hi"}'],
    ['json', '[{"name": "a", "prompt": "Hi"}]'],
    ['csv', '"act","prompt"\n"A","Be a"\n'],
    ['markdown', '---\nauthor: x\n---\nHi'],
    [undefined, '{{role "user"}}\nHi {{name}}'],
    [undefined, '{{name}}, write JSON like {"a": 1}.'],
    [undefined, 'A line\n---\nmore'],
    [undefined, 'messages: send them'],
    [undefined, ''],
  ])('%s: %j', (format, text) => expect(recogniseFormat(text)).toBe(format))

  test('a file states some fields', () => {
    const { filled, format, said } = readPasted('{"name": "from-file", "prompt": "Hi {{name}}", "type": "text"}', '')
    expect([format, said]).toEqual(['Langfuse', []])
    expect(filled).toMatchObject({ name: 'from-file', content: 'Hi {{name}}' })
    expect(Object.keys(filled ?? {})).not.toContain('license')
  })

  test('what the form has no field for is named', () => {
    const content = '---\nname: a\ndescription: b\ncompatibility: Python\nmetadata:\n  author: c\n---\nHi'
    const { filled, said } = readPasted(content, '')
    expect([filled?.skill, said]).toEqual([
      'b',
      ['compatibility', 'metadata.author'].map(
        (field) => `Lost: ${field}: this form has no field for it; npm run import keeps it.`,
      ),
    ])
  })

  test.each(['', 'markdown'])('a prompt file fills in all its fields, chosen as %j', (wanted) => {
    const content = `---
title: Ask
format: chat
variables: [{name: x, type: integer}]
parameters: {a: 1}
compose: true
---

{{role "user"}}

Hi {{x}}`
    const { filled, said } = readPasted(content, wanted)
    expect(said).toEqual([])
    expect(filled).toMatchObject({
      name: 'ask',
      title: 'Ask',
      format: 'chat',
      compose: true,
      variables: [{ name: 'x', type: 'integer' }],
      content: '\n{{role "user"}}\n\nHi {{x}}',
    })
    expect(JSON.parse(filled?.parameters ?? '')).toEqual({ a: 1 })
  })

  test('a prompt file with a problem is refused with its line, and so is what is no file', () => {
    expect(readPasted('---\ntitle: A\nlicense: nope\n---\nHi', '')).toEqual({
      format: 'Prompt file',
      said: [expect.stringMatching(/^Refused: license \(line 3\): expected an SPDX license/)],
    })
    expect(readPasted('Just text.', '').said).toEqual(['This text is not a file of another tool that the hub knows.'])
  })
})
