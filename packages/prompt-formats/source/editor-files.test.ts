// Tests the files for editors: their front matter, what becomes of variables, and what is refused.
import { expect, test } from 'vitest'
import type { Variable } from '../../../src/domain/api/schema.ts'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import { aVersion } from '../../../tests/fixtures/records.ts'
import { toExported, WRITERS } from './formats.ts'

const language: Variable = { ...undeclaredVariable('language'), required: false, default: 'Go' }
const front = { owner: 'acme', name: 'tidy', title: 'Tidy', description: 'Tidies: "all".', license: null, labels: {} }

function write(format: keyof typeof WRITERS, content: string, variables = [language], kind: 'text' | 'chat' = 'text') {
  const version = { ...aVersion('1.0.0'), content, variables, format: kind, parameters: { model: 'model-1', top_p: 1 } }
  const { file, lost, refused } = WRITERS[format](toExported({ ...front, tags: [] }, version)) as {
    file?: { name: string; text: string }
    lost?: string[]
    refused?: { message: string }[]
  }
  return refused?.map(({ message }) => message) ?? [file?.name, file?.text, lost]
}

//  format, file, text
test.each([
  [
    'copilot-prompt',
    'tidy.prompt.md',
    `---\ndescription: "Tidies: \\"all\\"."\nmodel: "model-1"\n---\nIn \${input:language:Go}, {{x}}.\n`,
  ],
  [
    'copilot-instructions',
    'tidy.instructions.md',
    '---\ndescription: "Tidies: \\"all\\"."\napplyTo: "**"\n---\nIn Go, {{x}}.\n',
  ],
  ['cursor-rule', 'tidy.mdc', '---\ndescription: "Tidies: \\"all\\"."\nalwaysApply: false\n---\nIn Go, {{x}}.\n'],
  ['agents-md', 'AGENTS.md', 'In Go, {{x}}.\n'],
] as const)('%s', (format, name, text) => {
  expect(write(format, 'In {{language}}, {{x}}.\n').slice(0, 2)).toEqual([name, text])
  expect(write(format, '{{role "user"}}\nHi\n', [], 'chat')).toEqual(['the file is one text; it has no roles'])
})

//  format, content, variables, reason
test.each([
  ['copilot-prompt', `Read \${file}.`, [], `the editor would fill in \${file}`],
  ['copilot-prompt', `\${input:x: What?}`, [], `the editor would fill in \${input:x: What?}`],
  ['copilot-instructions', 'See #file:a.md.', [], 'the editor would fill in #file:a.md'],
  ['cursor-rule', 'Read @src/a.ts.', [], '@src/a.ts. includes a file in Cursor'],
  ['agents-md', 'Do {{it}}.', [undeclaredVariable('it')], 'it: missing required value; nobody fills in this file'],
] as const)('%s refuses %s', (format, content, variables, reason) => {
  expect(write(format, content, [...variables])).toEqual([reason])
})
