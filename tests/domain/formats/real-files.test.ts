// What files of public repositories hold that a reader must not take for something else. docs/notes/formats.md has the counts.
import { expect, test } from 'vitest'
import { READERS } from '../../../src/domain/formats/formats.ts'

const front = '---\nname: notes\ndescription: Writes notes. Use it for notes.\n---\n'

test.each([
  ['a decorator in a block of code', 'Write a test:\n\n```python\n@pytest.fixture\ndef one(): ...\n```\n'],
  ['a package in an indented block', '1. Install:\n\n   ```sh\n   npm i @scope/package\n   ```\n'],
  ['a sign of exclamation in a span of code', 'Fix `#REF!`: the cell is gone; `#DIV/0!`: a division by zero.\n'],
  ['an address of mail', 'Write to team@example.com.\n'],
])('%s is text', (_, body) => {
  for (const format of ['skill', 'claude-command'] as const) {
    const { prompts, findings } = READERS[format](front + body, 'notes')
    expect(findings.filter(({ kind }) => kind === 'refused')).toEqual([])
    expect(prompts[0]!.body).toEqual({ format: 'text', text: body })
  }
})

test.each([
  ['shell', 6, 'One.\n!`git status`\n'],
  ['shell', 5, '!`unclosed\n'],
  ['shell', 7, '\n\n```!\nrm -rf .\n```\n'],
  ['include', 5, 'Read @./secrets.txt first.\n'],
  ['include', 8, '```\ncode\n```\n@src/index.ts\n'],
])('%s on line %d is refused', (field, line, body) => {
  const { prompts, findings } = READERS.skill(front + body, 'notes')
  expect(prompts).toEqual([])
  expect(findings.find(({ kind }) => kind === 'refused')).toMatchObject({ field, line })
})

test('nunjucks is the Jinja of Prompty’s JavaScript runtime', () => {
  const read = (template: string) =>
    READERS.prompty(`---\nname: hi\ntemplate: ${template}\n---\nHello {{name}}.\n`, 'hi')
  expect(read('nunjucks').prompts[0]!.variables.map(({ name }) => name)).toEqual(['name'])
  expect(read('liquid').findings[0]).toMatchObject({ kind: 'refused', field: 'template', line: 3 })
})
