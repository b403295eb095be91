// Writes test cases of another tool as a configuration for promptfoo. https://www.promptfoo.dev/docs/configuration/reference

import { LIMITS } from '../../../src/domain/limits.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { countBytes } from '../../../src/domain/text/plain-text.ts'
import { formatYaml } from '../../../src/domain/text/yaml.ts'
import type { ConversionProblems, PortableBody } from './portable.ts'
import { textOf } from './source-file.ts'

/** The tests in a `.prompt.yml` file, and the prompt that they test. */
interface TestsSource {
  title: string
  body: PortableBody
  /** The names of its placeholders. */
  variables: readonly string[]
  model: unknown
  testData: unknown
  evaluators: unknown
}

type Assertion = Record<string, string>

/** promptfoo reads texts as templates whose expressions are code, and loads or runs what these prefixes name, so no text of the source may contain them. */
const TEMPLATE = /\{\{|\{%|\{#/
const LOADED = /^\s*(?:file|package|exec|python|ruby|golang|javascript|https?|huggingface):/i

/** Writes the configuration. Rows and evaluators that promptfoo would read as code are reported as lost. @returns undefined if there is nothing to test */
export function writePromptfoo(source: TestsSource, findings: ConversionProblems): string | undefined {
  const rows = listOf(source.testData, 'testData', findings).flatMap((row, index) => readRow(row, index, findings))
  const evaluators = listOf(source.evaluators, 'evaluators', findings)
  const asserted = evaluators.flatMap((one, index) => readEvaluator(one, index, findings))
  if (rows.length === 0 && asserted.length === 0) return undefined
  const text = formatYaml({
    ...(source.title !== '' && !TEMPLATE.test(source.title) && { description: source.title }),
    prompts: [{ label: 'prompt', raw: writePrompt(source) }],
    providers: [providerOf(source.model)],
    ...(asserted.length > 0 && { defaultTest: { assert: asserted } }),
    tests: rows.length > 0 ? rows.map((vars) => ({ vars })) : [{ vars: {} }],
  })
  if (countBytes(text) <= LIMITS.contentBytes) return text
  findings.lost('testData', `expected at most ${LIMITS.contentBytes} bytes of tests`)
  return undefined
}

function listOf(value: unknown, key: string, findings: ConversionProblems): unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  findings.lost(key, 'expected a list')
  return []
}

function isHarmless(text: string): boolean {
  return !TEMPLATE.test(text) && !LOADED.test(text)
}

/** Only strings, numbers and booleans are values of a placeholder. */
function readRow(
  row: unknown,
  index: number,
  findings: ConversionProblems,
): Record<string, string | number | boolean>[] {
  const vars: [string, string | number | boolean][] = []
  if (!isObject(row)) {
    findings.lost(`testData.${index}`, 'expected values by name')
    return []
  }
  for (const [key, value] of Object.entries(row)) {
    const isScalar = ['string', 'number', 'boolean'].includes(typeof value)
    if (!/^[A-Za-z_]\w*$/.test(key) || !isScalar || !isHarmless(String(value))) {
      findings.lost(`testData.${index}`, 'expected texts, numbers and booleans that promptfoo does not read as code')
      return []
    }
    vars.push([key, value as string | number | boolean])
  }
  return [Object.fromEntries(vars)]
}

/** The evaluators that GitHub ran with a model of its own, in our words. */
const BUILT_IN: Readonly<Record<string, string>> = {
  'github/similarity': 'The output says the same as this: {{expected}}',
  'github/coherence': 'The output is coherent: its sentences fit together and follow one line of thought.',
  'github/fluency': 'The output is fluent: grammatical, natural and easy to read.',
  'github/relevance': 'The output answers what it was asked, and nothing else.',
  'github/groundedness': 'The output says only what its input supports.',
}

function readEvaluator(evaluator: unknown, index: number, findings: ConversionProblems): Assertion[] {
  const lost = (message: string): Assertion[] => {
    findings.lost(`evaluators.${index}`, message)
    return []
  }
  if (!isObject(evaluator)) return lost('expected an evaluator with string, uses or llm')
  const rule = ['string', 'uses', 'llm'].find((key) => evaluator[key] !== undefined)
  findings.unsupported(evaluator, { text: ['name'], other: rule ? [rule] : [] }, undefined, `evaluators.${index}.`)
  const name = textOf(evaluator.name)
  const metric: Assertion = name !== '' && isHarmless(name) ? { metric: name } : {}
  if (name !== '' && !isHarmless(name))
    findings.lost(`evaluators.${index}.name`, 'expected a text that promptfoo does not read as code')
  if (isObject(evaluator.string)) {
    const found = Object.entries(STRINGS).find(([key]) => textOf((evaluator.string as object)[key as never]) !== '')
    if (!found) return lost('expected equals, contains, startsWith or endsWith')
    findings.unsupported(evaluator.string, { other: [found[0]] }, undefined, `evaluators.${index}.string.`)
    const text = textOf((evaluator.string as object)[found[0] as never])
    if (!isHarmless(text)) return lost('expected a text that promptfoo does not read as code')
    return [{ ...found[1](text), ...metric }]
  }
  if (typeof evaluator.uses === 'string') {
    const rubric = Object.hasOwn(BUILT_IN, evaluator.uses) ? BUILT_IN[evaluator.uses]! : undefined
    return rubric === undefined
      ? lost('expected one of GitHub’s own evaluators')
      : [{ type: 'llm-rubric', value: rubric, ...metric }]
  }
  if (!isObject(evaluator.llm)) return lost('expected an evaluator with string, uses or llm')
  findings.unsupported(evaluator.llm, { text: ['prompt'], other: ['choices'] }, undefined, `evaluators.${index}.llm.`)
  const { prompt, choices } = evaluator.llm
  const good = (Array.isArray(choices) ? choices : []).flatMap((choice: unknown) =>
    isObject(choice) && typeof choice.score === 'number' && choice.score > 0 ? [textOf(choice.choice)] : [],
  )
  const asked = textOf(prompt).replace(/\{\{\s*completion\s*\}\}/g, 'the output')
  const text = good.length === 0 ? asked : `${asked}\nIt passes if the answer is one of: ${good.join(', ')}`
  if (asked.trim() === '' || !isHarmless(text)) return lost('expected a prompt that promptfoo does not read as code')
  return [{ type: 'llm-rubric', value: text, ...metric }]
}

/** GitHub compares without regard to case, except for `equals`. */
const STRINGS: Readonly<Record<string, (text: string) => Assertion>> = {
  equals: (value) => ({ type: 'equals', value }),
  contains: (value) => ({ type: 'icontains', value }),
  startsWith: (text) => ({ type: 'javascript', value: compare('startsWith', text) }),
  endsWith: (text) => ({ type: 'javascript', value: compare('endsWith', text) }),
}

/** The text is a JSON string, which is a string in JavaScript too. */
function compare(method: 'startsWith' | 'endsWith', text: string): string {
  return `output.toLowerCase().${method}(${JSON.stringify(text.toLowerCase())})`
}

/** Writes the prompt so that only its placeholders are expressions. */
function writePrompt({ body, variables }: TestsSource): string {
  const known = new Set(variables)
  const escapeOthers = (text: string) =>
    text.replace(/\{\{ ?([A-Za-z_]\w*) ?\}\}|\{\{|\{%|\{#/g, (whole, name?: string) =>
      name !== undefined && known.has(name) ? `{{${name}}}` : `{{ '${whole.slice(0, 2)}' }}${whole.slice(2)}`,
    )
  if (body.format === 'text') return escapeOthers(body.text)
  const messages = body.messages.flatMap((message) =>
    'role' in message ? [{ role: message.role, content: escapeOthers(message.content) }] : [],
  )
  return JSON.stringify(messages)
}

/** The provider for a model of GitHub's catalogue; `echo`, which returns the prompt, if there is none. */
function providerOf(model: unknown): string {
  const [, vendor, name] = /^([\w.-]{1,64})\/([\w.:-]{1,128})$/.exec(textOf(model)) ?? []
  if (name === undefined) return 'echo'
  return vendor === 'openai' ? `openai:chat:${name}` : `github:${vendor}/${name}`
}
