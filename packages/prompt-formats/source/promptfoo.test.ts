// Tests the test cases of GitHub's prompt files as a configuration of promptfoo: what is kept, and that nothing in it is
// code that somebody else wrote.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { formatYaml } from '../../../src/domain/text/yaml.ts'
import { readGitHub } from './github.ts'

const read = (more: Record<string, unknown>, content = 'Sum up: {{input}}', name = 'Summarizer') => {
  const front = { name, model: 'openai/example-model', messages: [{ role: 'user', content }], ...more }
  const { prompts, findings } = readGitHub(formatYaml(front), 'a')
  const tests = prompts[0]?.tests
  return { config: tests === undefined ? undefined : parse(tests), lost: findings.map(({ field }) => field) }
}

test('test data and evaluators are kept, with the prompt and a provider', () => {
  const { config, lost } = read({
    testData: [
      { input: 'A long text', expected: 'A text' },
      { input: 3, expected: true },
    ],
    evaluators: [
      { name: 'Has text', string: { contains: 'Text' } },
      { name: 'Exact', string: { equals: 'A' } },
      { name: 'Start', string: { startsWith: 'Say "' } },
      { name: 'End', string: { endsWith: '\\' } },
      { name: 'Similar', uses: 'github/similarity' },
      {
        name: 'Judge',
        llm: {
          prompt: 'Is {{completion}} good?',
          choices: [
            { choice: 'yes', score: 1 },
            { choice: 'no', score: 0 },
          ],
        },
      },
    ],
  })
  expect(lost).toEqual([])
  expect(config).toEqual({
    description: 'Summarizer',
    prompts: [{ label: 'prompt', raw: 'Sum up: {{input}}' }],
    providers: ['openai:chat:example-model'],
    defaultTest: {
      assert: [
        { type: 'icontains', value: 'Text', metric: 'Has text' },
        { type: 'equals', value: 'A', metric: 'Exact' },
        { type: 'javascript', value: 'output.toLowerCase().startsWith("say \\"")', metric: 'Start' },
        { type: 'javascript', value: 'output.toLowerCase().endsWith("\\\\")', metric: 'End' },
        { type: 'llm-rubric', value: 'The output says the same as this: {{expected}}', metric: 'Similar' },
        { type: 'llm-rubric', value: 'Is the output good?\nIt passes if the answer is one of: yes', metric: 'Judge' },
      ],
    },
    tests: [{ vars: { input: 'A long text', expected: 'A text' } }, { vars: { input: 3, expected: true } }],
  })
})

test('a chat prompt is a list of messages, and braces that are no placeholder stay text', () => {
  const messages = [
    { role: 'system', content: 'Use {% raw %} and {# this #} and {{ other }}.' },
    { role: 'user', content: '{{input}}' },
  ]
  const { config } = read({ messages, testData: [{ input: 'a' }] })
  expect(JSON.parse(config.prompts[0].raw)).toEqual([
    { role: 'system', content: "Use {{ '{%' }} raw %} and {{ '{#' }} this #} and {{ '{{' }} other }}." },
    { role: 'user', content: '{{input}}' },
  ])
})

test('without tests, there is no file', () => {
  expect(read({}).config).toBeUndefined()
  expect(read({ testData: [], evaluators: [] }).config).toBeUndefined()
})

describe('what promptfoo would run or load is lost, and named', () => {
  //  what                     fields                                                                     lost
  test.each<[string, Record<string, unknown>, string]>([
    ['a file', { testData: [{ input: 'file:///etc/x.js' }] }, 'testData.0'],
    ['a file behind a blank', { testData: [{ input: ' FILE://x.py' }] }, 'testData.0'],
    ['a package', { testData: [{ input: 'package:x:y' }] }, 'testData.0'],
    ['a program', { testData: [{ input: 'exec:rm -rf .' }] }, 'testData.0'],
    ['a template', { testData: [{ input: '{{range.constructor("return process")()}}' }] }, 'testData.0'],
    ['a statement', { testData: [{ input: '{% include "x" %}' }] }, 'testData.0'],
    ['a list', { testData: [{ input: ['a'] }] }, 'testData.0'],
    ['a key that is no name', { testData: [{ 'a b': 'x' }] }, 'testData.0'],
    ['no row', { testData: ['x'] }, 'testData.0'],
    ['no list', { testData: 'file://tests.js' }, 'testData'],
    ['a file to contain', { evaluators: [{ string: { contains: 'file://x.js' } }] }, 'evaluators.0'],
    ['a template to equal', { evaluators: [{ string: { equals: '{{env.TOKEN}}' } }] }, 'evaluators.0'],
    ['a file as rubric', { evaluators: [{ llm: { prompt: 'file://x.js' } }] }, 'evaluators.0'],
    [
      'a template in a choice',
      { evaluators: [{ llm: { prompt: 'a', choices: [{ choice: '{{x}}', score: 1 }] } }] },
      'evaluators.0',
    ],
    ['an evaluator of somebody else', { evaluators: [{ uses: 'mallory/run' }] }, 'evaluators.0'],
    ['an evaluator without a rule', { evaluators: [{ name: 'a' }] }, 'evaluators.0'],
  ])('%s', (_, fields, field) => {
    const { config, lost } = read(fields)
    expect([config, lost]).toEqual([undefined, [field]])
  })

  test('a name and a title with a template are left out', () => {
    const { config } = read({ evaluators: [{ name: '{{x}}', string: { equals: 'a' } }] }, 'a', '{{title}}')
    expect([config.description, config.defaultTest]).toEqual([undefined, { assert: [{ type: 'equals', value: 'a' }] }])
  })
})

test('whatever the source says, only its placeholders and our own words are expressions', () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom('file://a.js', '{{x}}', '{%a%}', 'exec:x', '{{ input }}', '{{{input}}}'),
  )
  const evaluator = fc.record({ name: hostile, string: fc.record({ contains: hostile, endsWith: hostile }) })
  fc.assert(
    fc.property(
      hostile,
      fc.array(fc.record({ input: hostile })),
      fc.array(evaluator),
      (content, testData, evaluators) => {
        const { config } = read({ testData, evaluators }, `${content} {{input}}`)
        if (!config) return
        const { prompts, ...rest } = config
        expect(JSON.stringify(rest)).not.toMatch(/\{\{|\{%|\{#|"\s*(?:file|package|exec):/i)
        const bare = prompts[0].raw.replaceAll(/\{\{[A-Za-z_]\w*\}\}/g, '').replaceAll(/\{\{ '\{[{%#]' \}\}/g, '')
        expect(bare).not.toMatch(/\{\{|\{%|\{#/)
      },
    ),
  )
})
