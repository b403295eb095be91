// Tests that `npm run import` reads the files of each tool, or says why not, and never leaves one out in silence.
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { READERS } from '../../packages/prompt-formats/source/formats.ts'
import { parseVersionFile } from '../../src/domain/content/prompt-file.ts'
import { makeImportFolder } from './importing.ts'

const FIXTURES = 'tests/fixtures/import-formats'
const { dir, importAll } = makeImportFolder()
cpSync(FIXTURES, join(dir, 'team'), { recursive: true })
const lines = importAll(join(dir, 'team'))
const lineOf = (file: string) => lines.filter(({ path }) => basename(path) === file)

test('names every file', () => {
  expect(new Set(lines.map(({ path }) => basename(path)))).toEqual(new Set(readdirSync(FIXTURES)))
})

//  file                    reason
test.each([
  ['AGENTS.md', 'file: AGENTS.md instructs agents in one project. To import it all the same, name the file itself'],
  ['lf-chat.json', 'content: expected system messages before all others'],
  ['lf-list.json', 'prompt: the list of prompts has no texts; fetch each prompt by its name'],
  [
    'openai-call.json',
    'prompt: this names the prompt pmpt_0a1b2c, but has no text; save a response that was made with it',
  ],
])('refuses %s with a reason', (file, reason) => {
  expect(lineOf(file)).toMatchObject([{ status: 'refused', reasons: [reason] }])
})

interface Expected {
  name: string
  lost: string[]
  /** The text, or the messages as `role: text`. */
  body: string | string[]
  variables?: object[]
  parameters?: object
}
const CASES: Readonly<Record<string, Expected>> = {
  'lf-ref.json': {
    name: 'with-ref',
    body: '@@@langfusePrompt:name=base|label=production@@@ Go.',
    lost: [
      'reference: @@@langfusePrompt:name=base|label=production@@@ stays text, because no other prompt of this import has this name',
    ],
  },
  'langsmith-model.json': {
    name: 'langsmith-model',
    body: 'Ask {{q}}',
    variables: [{ name: 'q' }],
    parameters: { model: 'gpt-x', temperature: 0.1 },
    lost: [
      'last.id: Prompt Hub does not keep the class of the model, ChatOpenAI',
      'last.openai_api_key: Prompt Hub does not support it',
    ],
  },
  'langsmith.json': {
    name: 'langsmith',
    body: ['system: Grade {{q}}'],
    variables: [{ name: 'q' }],
    parameters: {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'grade',
          schema: { title: 'grade', type: 'object', properties: { score: { type: 'number' } } },
        },
      },
    },
    lost: [],
  },
  'mlflow-chat.json': {
    name: 'qa-chat',
    lost: [],
    body: ['system: You answer.', 'user: {{question}}'],
    variables: [{ name: 'question' }],
  },
  'mlflow.json': {
    name: 'qa-prompt',
    body: 'Answer {{question}} in {{style}}.',
    variables: [{ name: 'question' }, { name: 'style' }],
    lost: ['aliases: Prompt Hub does not support it', 'tags.team: Prompt Hub does not support it'],
  },
  'openai-prompt.json': {
    name: 'order-helper',
    body: ['system: You track orders for {{shop}}.', 'user: Where is order {{order_id}}?'],
    variables: [
      { name: 'shop', example: 'Demo' },
      { name: 'order_id', example: '17' },
    ],
    parameters: {
      model: 'example-model',
      reasoning: { effort: 'low' },
      response_format: { type: 'text' },
      tools: [{ type: 'function', function: { name: 'find_order' } }],
    },
    lost: [],
  },
  'promptlayer.json': {
    name: 'summary',
    body: ['system: You sum up.', 'user: {{text}}'],
    variables: [{ name: 'text' }],
    parameters: { model: 'gpt-x', temperature: 0 },
    lost: ['metadata.model.provider: Prompt Hub does not support it'],
  },
  'review.prompt.md': {
    name: 'review',
    body: `Review $\{file} for {{focus}}. Selected text: $\{selection}.\nSee the rules and #file:README.md.\n`,
    variables: [{ name: 'focus', description: 'security or speed', required: true }],
    parameters: { model: 'GPT-5' },
    lost: [
      ...['line 2: mode: Prompt Hub does not support it', 'line 4: tools: Prompt Hub does not support it'],
      `line 7: $\{file}: only the editor fills it in; here, it is text`,
      `line 7: $\{selection}: only the editor fills it in; here, it is text`,
      'line 8: #file:README.md: only the editor fills it in; here, it is text',
    ],
  },
  'style.instructions.md': {
    name: 'style',
    body: 'Prefer const.\n',
    lost: ['line 2: applyTo: Prompt Hub does not support it'],
  },
}
test.each(Object.entries(CASES))('reads %s', (file, { name, lost, body, variables = [], parameters = {} }) => {
  expect(lineOf(file)).toMatchObject([{ name, status: 'new', lost, reasons: [] }])
  const text = readFileSync(join(dir, 'content/acme', name, 'versions/1.0.0.md'), 'utf8')
  const { value } = parseVersionFile(text)
  const content =
    typeof body === 'string'
      ? body
      : `${body.map((line) => line.replace(/^(\w+): /, '{{role "$1"}}\n')).join('\n\n')}\n`
  expect(value?.content).toBe(content)
  expect(value?.variables).toMatchObject(variables)
  expect(value?.parameters).toEqual(parameters)
})

test('variables of prompts.chat become variables with their defaults, in its rows only', () => {
  const text = 'As $<Mother Tongue:Latin>, for $<Role>, $<Role:Dev> and $<Role:Ops>: $<a.b> $<> $5 {{x}}'
    .replaceAll('<', '{')
    .replaceAll('>', '}')
  const [row] = READERS.csv(`act,prompt\nA,"${text}"\n`).prompts
  expect(row?.body).toEqual({
    format: 'text',
    text: `As {{Mother_Tongue}}, for {{Role}}, {{Role}} and {{Role}}: $\{a.b} $\{} $5 {{x}}`,
  })
  expect(row?.variables).toMatchObject([
    { name: 'Mother_Tongue', required: false, default: 'Latin' },
    { name: 'Role', required: false, default: 'Dev' },
    { name: 'x', required: true, default: null },
  ])
  expect(READERS.csv(`act,prompt\nA,"${text}"\n`).findings).toMatchObject([
    { kind: 'lost', field: 'variables.Role.default', message: expect.stringContaining('Ops') },
  ])
  expect(READERS.csv(`title,prompt\nA,"${text}"\n`).prompts[0]?.body).toEqual({ format: 'text', text })
})

test('a saved response of OpenAI: its instructions, and the values that were filled in', () => {
  const instructions = [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You track orders for Demo.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Be {{tone}}.' }] },
  ]
  const prompt = { id: 'pmpt_1', version: '4', variables: { shop: 'Demo', tone: 'kind' } }
  const response = {
    id: 'resp_1',
    object: 'response',
    model: 'm',
    instructions,
    prompt,
    output: [],
    tools: [],
    metadata: { team: 'a' },
  }
  const { prompts, findings } = READERS.openai(JSON.stringify([response]), 'saved')
  expect(prompts).toMatchObject([
    { name: 'pmpt_1', parameters: { model: 'm' }, variables: [{ name: 'tone', example: 'kind' }] },
  ])
  expect(prompts[0]?.body).toEqual({
    format: 'chat',
    messages: [
      { role: 'system', content: 'You track orders for Demo.' },
      { role: 'user', content: 'Be {{tone}}.' },
    ],
  })
  expect(findings).toMatchObject([
    { kind: 'lost', field: 'metadata' },
    { kind: 'lost', field: 'variables.shop' },
  ])
  const image = { role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }
  expect(READERS.openai(JSON.stringify({ ...response, instructions: [image] }), 'saved')).toMatchObject({
    prompts: [],
    findings: expect.arrayContaining([expect.objectContaining({ kind: 'refused', field: 'messages' })]),
  })
})

test('MLflow: other braces stay, and Jinja logic is refused', () => {
  const read = (template: string) => READERS.mlflow(JSON.stringify({ name: 'a', version: 1, template }), 'a')
  expect(read('A {b} {{ c }} {{c|upper}} {{{d}}}').prompts).toMatchObject([
    { body: { text: 'A {b} {{c}} {{c|upper}} {{{d}}}' }, variables: [{ name: 'c' }] },
  ])
  expect(read('{% if c %}x{% endif %}').findings).toMatchObject([{ kind: 'refused', field: 'template', line: 1 }])
})

test('keeps the test cases of a GitHub prompt beside it, and renews them when the source changes', async () => {
  const { dir, give, read, run, importAll } = makeImportFolder()
  const source = readFileSync(join(FIXTURES, 'eval.prompt.yml'), 'utf8')
  const file = give('given/eval.prompt.yml', source)
  expect(importAll(file)).toMatchObject([{ status: 'new', version: '1.0.0', lost: [] }])
  const tests = 'content/acme/eval/tests/promptfooconfig.yaml'
  expect(parse(read(tests))).toMatchObject({
    providers: ['openai:chat:example-model'],
    defaultTest: { assert: [{ type: 'icontains', value: 'text' }, { type: 'llm-rubric' }] },
    tests: [{ vars: { input: 'A long text', expected: 'A text' } }],
  })
  expect((await run('check-content')).stdout).toMatch(/no problems/)
  expect(importAll(file)).toMatchObject([{ status: 'unchanged' }])
  give('given/eval.prompt.yml', `${source}  - name: More\n    string: {equals: x}\n`)
  expect(importAll(file)).toMatchObject([{ status: 'updated', version: '1.0.0' }])
  expect(parse(read(tests)).defaultTest.assert).toHaveLength(3)
  expect(readdirSync(join(dir, 'content/acme/eval/versions'))).toEqual(['1.0.0.md'])
  give('given/eval.prompt.yml', `${source}  - name: Bad\n    string: {equals: 'file://x.js'}\n`)
  expect(importAll(file)).toMatchObject([{ status: 'updated', lost: [expect.stringMatching(/^evaluators\.2: /)] }])
  expect(read(tests)).not.toContain('x.js')
})
