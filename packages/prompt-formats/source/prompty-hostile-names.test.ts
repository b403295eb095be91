// Checks that names in a file of another tool are never run as regular expressions.
import { expect, test } from 'vitest'
import { readPrompty } from './prompty.ts'

test('reads a thread whose name is a regular expression that takes exponential time', () => {
  const body = `Hello {{${'a'.repeat(60)}}}`
  const source = `---\ninputs:\n  - {name: "(a+)+b", kind: thread}\n---\n${body}`
  const { prompts } = readPrompty(source, 'hello')
  expect(prompts.map((prompt) => prompt.body)).toEqual([{ format: 'text', text: body }])
})

test('reads earlier messages at the place of a thread', () => {
  const source = '---\ninputs:\n  - {name: past, kind: thread}\n---\nuser:\nHello\n{{past}}\n'
  const [prompt] = readPrompty(source, 'hello').prompts
  expect(prompt?.body).toEqual({ format: 'chat', messages: [{ role: 'user', content: 'Hello' }, { type: 'history' }] })
})
