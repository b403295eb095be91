// Tests what is dropped from a template without changing its meaning: comments, and references in parts that are dropped.
import { expect, test } from 'vitest'
import { READERS } from './formats.ts'

const readBody = (text: string) => {
  const { prompts, findings } = READERS.dotprompt(text, 'a')
  return [prompts[0]?.body, findings.map(({ kind, line }) => `${kind} ${line}`)]
}

test.each([
  ['{{! say hello }}\nWrite {{count}} lines.\n', 'Write {{count}} lines.\n', ['lost 1']],
  ['One\n  {{!-- {{#if x}} --}}  \r\nTwo {{! a }} and{{!b}}.', 'One\nTwo  and.', ['lost 2', 'lost 3']],
  ['Last\n{{! end }}', 'Last\n', ['lost 2']],
  ['{{!}}{{!}} a', ' a', ['lost 1']],
  ['{{!-- a }} b', ' b', ['lost 1']],
  ['A backslash: \\{{! a }}', 'A backslash: {{! a }}', []],
])('dotprompt: drops the comments of %j', (text, body, said) => {
  expect(readBody(text)).toEqual([{ format: 'text', text: body }, said])
})

const prompty = (front: string) => READERS.prompty(`---\nname: a\n${front}\n---\nGreet {{guest}}.\n`, 'a')
const SAID = 'reads from the machine that loads it; write a value instead, but never a key'

test.each([
  [`model:\n  connection:\n    apiKey: \${env:KEY}`, ['lost model.connection']],
  [`tools: \${file:tools.json}`, ['lost tools']],
  [`inputs:\n  unused:\n    type: string\n    default: \${env:USER}`, ['lost inputs.unused']],
])('Prompty: imports a file with a reference in %j', (front, said) => {
  const { prompts, findings } = prompty(front)
  expect(prompts[0]?.body).toEqual({ format: 'text', text: 'Greet {{guest}}.\n' })
  expect(JSON.stringify(prompts)).not.toContain('${')
  expect(findings.map(({ kind, field }) => `${kind} ${field}`)).toEqual(said)
})

test.each([
  [`description: \${env:USER}`, 3, `\${env:USER}`],
  [`model:\n  id: \${ENV:MODEL}`, 4, `\${ENV:MODEL}`],
  [`inputs:\n  guest:\n    type: string\n    default: \${file:guest.txt}`, 6, `\${file:guest.txt}`],
])('Prompty: refuses a reference in %j', (front, line, reference) => {
  const { prompts, findings } = prompty(front)
  expect(prompts).toEqual([])
  expect(findings).toEqual([{ kind: 'refused', field: 'reference', line, message: `${reference} ${SAID}` }])
})
