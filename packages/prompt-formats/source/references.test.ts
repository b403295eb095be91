// Tests how references to other prompts are found in files of other tools, and replaced by include lines.
import { expect, test } from 'vitest'
import { READERS } from './formats.ts'
import type { PromptReference } from './portable.ts'
import { placeReferences } from './references.ts'

const langfuse = (prompt: unknown) => READERS.langfuse(JSON.stringify({ name: 'a', prompt }), 'f').prompts[0]!
const portkey = (string: string) => READERS.portkey(JSON.stringify({ slug: 'pp-a', string }), 'f').prompts[0]!
const dotprompt = (text: string) => READERS.dotprompt(text, 'a').prompts[0]!

//  what                                  prompt                                                            the references
test.each([
  [
    'Langfuse, a version',
    langfuse('@@@langfusePrompt:name=My part|version=3@@@'),
    [{ to: 'langfuse My part', version: '3' }],
  ],
  [
    'Langfuse, a label',
    langfuse('@@@langfusePrompt:name=b|label=production@@@'),
    [{ to: 'langfuse b', label: 'production' }],
  ],
  ['Langfuse, the newest', langfuse('@@@langfusePrompt:name=b|label=latest@@@'), [{ to: 'langfuse b' }]],
  [
    'Langfuse, neither',
    langfuse('@@@langfusePrompt:name=b@@@'),
    [{ to: '', obstacle: 'it names no version and no label' }],
  ],
  [
    'Langfuse, in a message',
    langfuse([{ role: 'system', content: '@@@langfusePrompt:name=b|version=1@@@\nx' }]),
    [{ to: 'langfuse b', version: '1' }],
  ],
  ['Portkey', portkey('{{>pp-tesla}}\n{{x}}'), [{ to: 'portkey pp-tesla' }]],
  [
    'Portkey, messages',
    portkey('[{"role":"system","content":[{"type":"text","text":"{{> pp-t }}"}]}]'),
    [{ to: 'portkey pp-t' }],
  ],
  ['dotprompt', dotprompt('{{>header }}\n'), [{ to: 'dotprompt header' }]],
  [
    'dotprompt, with values',
    dotprompt('{{> footer year=2025}}\n'),
    [{ to: '', obstacle: 'it passes values to the partial' }],
  ],
  ['dotprompt, escaped', dotprompt('\\{{> header}}\n'), undefined],
] as const)('%s', (_, { references }, expected) => {
  expect(references?.map(({ tag: _tag, ...rest }) => rest)).toEqual(expected)
})

test('names by which other prompts insert a prompt', () => {
  expect(langfuse('x').knownAs).toEqual(['langfuse a'])
  expect(portkey('x').knownAs).toEqual(['portkey pp-a'])
  expect(READERS.dotprompt('x', '_header').prompts[0]?.knownAs).toEqual(['dotprompt header'])
  expect(dotprompt('x').knownAs).toBeUndefined()
})

const REFERENCES: PromptReference[] = [
  { tag: '{{> a}}', to: 'dotprompt a' },
  { tag: '{{> b}}', to: 'dotprompt b' },
  { tag: '{{> c}}', to: '', obstacle: 'it passes values to the partial' },
]
const place = (text: string) =>
  placeReferences({ body: { format: 'text', text }, references: REFERENCES }, ({ to }) =>
    to === 'dotprompt a' ? { repository: 'acme/a', range: '^1' } : { reason: 'there is no such prompt' },
  )

test('a reference alone on its line becomes an include line, and every other byte stays', () => {
  const { body, parts, kept } = place('{{> a}}\r\nx {{> a}}\n {{> a}}\n{{> a}} \t\r\r\n{{> b}}\n{{> c}}\n{{> a}}')
  expect(body).toEqual({
    format: 'text',
    text: '{{include "acme/a@^1"}}\r\nx {{> a}}\n {{> a}}\n{{include "acme/a@^1"}}\r\r\n{{> b}}\n{{> c}}\n{{include "acme/a@^1"}}',
  })
  expect(parts).toEqual(['acme/a'])
  expect(kept).toEqual([
    { tag: '{{> a}}', reason: 'it is not alone on its line' },
    { tag: '{{> b}}', reason: 'there is no such prompt' },
    { tag: '{{> c}}', reason: 'it passes values to the partial' },
  ])
})

test('a prompt of Portkey keeps its model, parameters and messages; the rest is named', () => {
  const value = {
    id: 'u',
    slug: 'pp-x',
    name: 'X',
    model: 'm',
    parameters: { temperature: 0.1 },
    virtual_key: 'k',
    tools: [{ type: 'function', function: { name: 'f' } }],
    router: 'r',
    string: '[{"role":"system","content":"Be {{tone}}."},{"role":"user","content":[{"type":"text","text":"Hi"}]}]',
  }
  const { prompts, findings } = READERS.portkey(JSON.stringify(value), 'f')
  expect(prompts).toMatchObject([
    {
      name: 'X',
      variables: [{ name: 'tone' }],
      parameters: { temperature: 0.1, model: 'm', tools: [{ type: 'function', function: { name: 'f' } }] },
      body: {
        messages: [
          { role: 'system', content: 'Be {{tone}}.' },
          { role: 'user', content: 'Hi' },
        ],
      },
    },
  ])
  expect(findings).toEqual([{ kind: 'lost', field: 'router', line: null, message: 'Prompt Hub does not support it' }])
  for (const refused of ['{"data":[{"slug":"pp-x","name":"X"}]}', '{"slug":"pp-x","string":"{{#x}}y{{/x}}"}'])
    expect(READERS.portkey(refused, 'f')).toMatchObject({ prompts: [], findings: [{ kind: 'refused' }] })
})
