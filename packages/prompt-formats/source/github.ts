// GitHub Models' `.prompt.yml`: messages in which `{{name}}` is replaced literally. https://docs.github.com/en/github-models

import type { WriteResult } from '../../../src/domain/api/export-formats.ts'
import { findPlaceholders } from '../../../src/domain/content/placeholders.ts'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { formatYaml } from '../../../src/domain/text/yaml.ts'
import { readList, readMessages } from './messages.ts'
import { ParameterNames } from './parameters.ts'
import {
  ConversionProblems,
  type ExportedVersion,
  emptyPrompt,
  type ReadResult,
  textsOf,
  writtenFile,
} from './portable.ts'
import { writePromptfoo } from './promptfoo.ts'
import { findTopKeys, licenseIn, readYamlSource, textOf } from './source-file.ts'
import { refuseForeignBraces } from './template.ts'

const PARAMETERS = new ParameterNames({ maxTokens: 'max_tokens', topP: 'top_p', maxCompletionTokens: 'max_tokens' })
const KNOWN = {
  text: ['name', 'description', 'model', 'responseFormat'],
  object: ['modelParameters'],
  other: ['jsonSchema', 'messages', 'license', 'licence', 'testData', 'evaluators'],
}

/** Reads a `.prompt.yml` file. @param name file name without extensions */
export function readGitHub(source: string, name: string): ReadResult {
  const findings = new ConversionProblems()
  const front = readYamlSource(source, findings)
  if (!front) return { prompts: [], findings: findings.all }
  const line = findTopKeys(source)
  const prompt = emptyPrompt(name)
  prompt.title = textOf(front.name)
  prompt.description = textOf(front.description)
  prompt.license = licenseIn(front)
  findings.unsupported(front, KNOWN, line)
  if (typeof front.model === 'string') prompt.parameters.model = front.model
  if (isObject(front.modelParameters))
    Object.assign(prompt.parameters, PARAMETERS.toHub(front.modelParameters, findings, 'modelParameters.'))
  if (typeof front.responseFormat === 'string')
    prompt.parameters.response_format = readFormat(front, findings, line('jsonSchema'))
  prompt.body = readMessages(readList(front.messages, { findings, key: 'messages', line: line('messages') }), findings)
  // GitHub fills only `{{name}}` without spaces.
  const names = textsOf(prompt.body).flatMap((text) => {
    const filled = new Set([...text.matchAll(/\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}/g)].map(([, name]) => name))
    return findPlaceholders(text).filter((name) => filled.has(name))
  })
  prompt.variables = [...new Set(names)].map(undeclaredVariable)
  if (front.testData !== undefined || front.evaluators !== undefined) {
    const { testData, evaluators, model } = front
    const of = { title: prompt.title, body: prompt.body, variables: names, model, testData, evaluators }
    const tests = writePromptfoo(of, findings)
    if (tests !== undefined) prompt.tests = tests
  }
  return findings.result(prompt)
}

function readFormat(front: Record<string, unknown>, findings: ConversionProblems, line: number | null): unknown {
  if (front.responseFormat !== 'json_schema') return { type: front.responseFormat }
  try {
    const schema: unknown = JSON.parse(textOf(front.jsonSchema))
    return { type: 'json_schema', json_schema: schema }
  } catch {
    findings.lost('jsonSchema', 'expected a string that contains JSON', line)
    return { type: 'json_object' }
  }
}

/** Writes a `.prompt.yml` file. */
export function writeGitHub(version: ExportedVersion): WriteResult {
  const findings = new ConversionProblems()
  const { model, response_format: format, ...parameters } = version.parameters
  const type = isObject(format) ? format.type : undefined
  const isFormatLost = format !== undefined && !['text', 'json_object', 'json_schema'].includes(textOf(type))
  const messages: { role: string; content: string }[] = []
  if (version.body.format === 'text')
    messages.push({ role: 'user', content: removePlaceholderSpaces(version.body.text, version) })
  else
    for (const message of version.body.messages) {
      if ('role' in message)
        messages.push({ role: message.role, content: removePlaceholderSpaces(message.content, version) })
      else findings.refused('history', 'the format does not support earlier messages')
    }
  const declared = new Set(version.variables.map(({ name }) => name))
  for (const text of textsOf(version.body)) refuseForeignBraces(text, declared, 'github', findings)
  if (findings.isRefused) return { refused: findings.all }
  const front = {
    name: version.title === '' ? version.name : version.title,
    ...(version.description === '' ? {} : { description: version.description }),
    ...(typeof model === 'string' ? { model } : {}),
    ...(Object.keys(parameters).length === 0 ? {} : { modelParameters: PARAMETERS.fromHub(parameters) }),
    ...(isObject(format) && typeof type === 'string' ? { responseFormat: type } : {}),
    ...(isObject(format) && type === 'json_schema' ? { jsonSchema: JSON.stringify(format.json_schema ?? {}) } : {}),
    messages,
  }
  return writtenFile('github', version, formatYaml(front), isFormatLost ? ['parameters.response_format'] : [])
}

/** Writes `{{ name }}` as `{{name}}`, the only spelling that GitHub fills. */
export function removePlaceholderSpaces(text: string, { variables }: Pick<ExportedVersion, 'variables'>): string {
  const declared = new Set(variables.map(({ name }) => name))
  return text.replace(/\{\{ ([A-Za-z_][A-Za-z0-9_]*) \}\}/g, (whole, name: string) =>
    declared.has(name) ? `{{${name}}}` : whole,
  )
}
