// Tests exports to formats that cannot escape double braces: texts with braces of other tools are refused with their line.
import { describe, expect, test } from 'vitest'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import { READERS, WRITERS } from './formats.ts'
import type { ExportedVersion } from './portable.ts'

const CONTENT = 'Explain the Angular binding {{user.name}} and {{BaseURL}} to me: {{question}}\n{{#if a}}b{{/if}}\n'

function version(text: string): ExportedVersion {
  return {
    name: 'angular-help',
    full_name: 'acme/angular-help',
    version: '1.0.0',
    content_sha256: '0'.repeat(64),
    title: 'Angular help',
    description: 'Explains it.',
    tags: [],
    license: null,
    changelog: '',
    parameters: {},
    content: text,
    body: { format: 'text', text },
    variables: [undeclaredVariable('question')],
  }
}

describe.each(['langfuse', 'github'] as const)('%s', (format) => {
  const refusedIn = (text: string) =>
    (WRITERS[format](version(text)).refused ?? []).map(({ line, message }) => `line ${line}: ${message.split(' ', 1)}`)

  test('refuses braces that are no variable of the prompt', () => {
    const [first] = WRITERS[format](version(CONTENT)).refused ?? []
    expect(first).toEqual({
      kind: 'refused',
      field: 'content',
      line: 1,
      message:
        '{{user.name}} is no variable of this prompt, but the format cannot escape it; declare it as a variable, or export as dotprompt or langchain, which escape braces',
    })
    expect(refusedIn('One {{question}}\n{{ question }}, {{#if}}\n{{ name }}')).toEqual([
      'line 2: {{#if}}',
      'line 3: {{',
    ])
  })

  test.each(['Answer {{question}}, {{ question }} as {"a": {}}, { x }, }} and {% x %}.', '{{question}}{{question}}'])(
    'writes %s',
    (text) => {
      expect(refusedIn(text)).toEqual([])
      const { file } = WRITERS[format](version(text))
      const [prompt] = READERS[format](file!.text, 'angular-help').prompts
      expect(prompt?.body).toEqual({ format: 'text', text: text.replaceAll('{{ question }}', '{{question}}') })
    },
  )
})

test('refuses what stops Mustache, which fills in Langfuse’s prompts, but leaves it to GitHub', () => {
  for (const text of ['{{{question}}}', 'Open {{ and nothing more']) {
    expect(WRITERS.langfuse(version(text)).refused).toMatchObject([{ line: 1 }])
    expect(WRITERS.github(version(text)).refused).toBeUndefined()
  }
})

test('the formats that a refusal names escape the braces', () => {
  for (const format of ['dotprompt', 'langchain'] as const) {
    const { file } = WRITERS[format](version(CONTENT))
    const [prompt] = READERS[format](file!.text, 'angular-help').prompts
    expect(prompt?.body).toEqual({ format: 'text', text: CONTENT })
    expect(prompt?.variables.map(({ name }) => name)).toEqual(['question'])
  }
})

test('does not read a prompt of MLflow as LangChain, which would lose braces', () => {
  const text = JSON.stringify({ name: 'qa-prompt', version: 2, template: 'Answer {{ question }}.', tags: {} })
  expect(READERS.langchain(text, 'qa')).toMatchObject({ prompts: [], findings: [{ field: 'manifest' }] })
})
