// Langfuse prompts in its API's JSON format: a text or messages. https://langfuse.com/docs/prompts

import type { WriteResult } from '../../../src/domain/api/export-formats.ts'
import { findPlaceholders } from '../../../src/domain/content/placeholders.ts'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { lineOf } from '../../../src/domain/text/plain-text.ts'
import { isTag } from '../../../src/domain/values/names.ts'
import { isRange } from '../../../src/domain/values/versions.ts'
import { removePlaceholderSpaces } from './github.ts'
import { readList, readMessages } from './messages.ts'
import {
  ConversionProblems,
  type ExportedVersion,
  emptyPrompt,
  MAX_FINDINGS,
  type PortablePrompt,
  type ReadResult,
  textsOf,
  writtenFile,
} from './portable.ts'
import { References } from './references.ts'
import { readEach, tagsIn, textOf } from './source-file.ts'
import { refuseForeignBraces } from './template.ts'

/** A reference to another prompt. https://langfuse.com/docs/prompt-management/features/composability */
const REFERENCE = /@@@langfusePrompt:([^@\n]*)@@@/g
/** What a reference names: a prompt, and a version or a label of it. */
const TARGET = /^name=([^|]+)\|(version|label)=([^|]+)$/
/** API response fields that are not about the prompt itself. */
const SILENT = 'id createdAt updatedAt projectId createdBy isActive version resolutionGraph lastUpdatedAt'.split(' ')
const KNOWN = {
  text: ['name', 'commitMessage'],
  object: ['config'],
  texts: ['tags', 'labels'],
  other: ['type', 'prompt', ...SILENT],
}
/** Reads one prompt, a list of prompts, or a response `{"data": […]}`. @param name file name without extension */
export function readLangfuse(source: string, name: string): ReadResult {
  const { prompts, findings } = readEach(source, (value, own) => readOne(value, name, own))
  return { prompts: joinVersions(prompts), findings }
}

/** Joins the versions of each prompt, in the order of their numbers. */
function joinVersions(prompts: readonly PortablePrompt[]): PortablePrompt[] {
  const numberOf = ({ number = '0' }: PortablePrompt) => Number(number)
  return [...Map.groupBy(prompts, ({ name }) => name).values()].map((versions) => {
    // The source of a prompt is the whole file, in which any version of it may change.
    versions.sort((a, b) => numberOf(a) - numberOf(b))
    const positions = versions.flatMap((one) => one.positions ?? [])
    const earlier = versions.map(({ part: _, positions: __, ...prompt }) => prompt)
    const latest = { ...earlier.pop()!, ...(positions.length > 0 && { positions }) }
    return earlier.length === 0 ? latest : { ...latest, earlier }
  })
}

function readOne(value: unknown, fallback: string, findings: ConversionProblems): PortablePrompt | undefined {
  if (!isObject(value) || value.prompt === undefined) {
    const isListed = isObject(value) && Array.isArray(value.versions)
    findings.refused(
      'prompt',
      isListed ? 'the list of prompts has no texts; fetch each prompt by its name' : 'expected an object with a prompt',
    )
    return undefined
  }
  const prompt = emptyPrompt(textOf(value.name) || fallback)
  prompt.tags = tagsIn(value.tags)
  prompt.changelog = textOf(value.commitMessage)
  prompt.labels = readLabels(tagsIn(value.labels), findings)
  if (typeof value.version === 'number') prompt.number = String(value.version)
  if (isObject(value.config)) prompt.parameters = { ...value.config }
  findings.unsupported(value, KNOWN)
  if (typeof value.prompt === 'string') prompt.body = { format: 'text', text: value.prompt }
  else if (Array.isArray(value.prompt))
    prompt.body = readMessages(readList(value.prompt, { findings, key: 'prompt', isHistory }), findings)
  else findings.refused('prompt', 'expected a text or a list of messages')
  return declareNames(prompt)
}

/** Reads the labels. Langfuse itself moves `latest` to the newest version. */
function readLabels(labels: readonly string[], findings: ConversionProblems): string[] {
  return labels.filter((label) => {
    if (label === 'latest') return false
    if (isTag(label) && !isRange(label)) return true
    findings.lost(
      `labels.${label.slice(0, 60)}`,
      'a label has lower-case letters, digits and hyphens, and is no version',
    )
    return false
  })
}

const isHistory = ({ type }: Record<string, unknown>) => type === 'placeholder'

function declareNames(prompt: PortablePrompt): PortablePrompt {
  const names = new Set<string>()
  const references = new References('langfuse')
  for (const text of textsOf(prompt.body)) {
    for (const [tag, inner = ''] of text.matchAll(REFERENCE)) references.add(tag, readTarget(inner))
    for (const one of findPlaceholders(text)) names.add(one)
  }
  return { ...prompt, variables: [...names].map(undeclaredVariable), ...references.fields([prompt.name]) }
}

function readTarget(inner: string): Parameters<References['add']>[1] {
  const [, name = '', kind, which = ''] = TARGET.exec(inner) ?? []
  if (kind === undefined) return { obstacle: 'it names no version and no label' }
  if (kind === 'version') return { name, version: which }
  return which === 'latest' ? { name } : { name, label: which }
}

/** Writes the JSON for `POST /api/public/v2/prompts`. */
export function writeLangfuse(version: ExportedVersion): WriteResult {
  const findings = new ConversionProblems()
  const declared = new Set(version.variables.map(({ name }) => name))
  for (const text of textsOf(version.body)) {
    for (const match of text.matchAll(REFERENCE).take(MAX_FINDINGS))
      findings.refused('content', `${match[0]} would include another prompt`, lineOf(text, match.index))
    refuseForeignBraces(text, declared, 'langfuse', findings)
  }
  if (findings.isRefused) return { refused: findings.all }
  const { body } = version
  const prompt =
    body.format === 'text'
      ? removePlaceholderSpaces(body.text, version)
      : body.messages.map((message) =>
          'role' in message
            ? { role: message.role, content: removePlaceholderSpaces(message.content, version) }
            : { type: 'placeholder', name: 'history' },
        )
  const value = {
    type: body.format,
    name: version.name,
    prompt,
    config: version.parameters,
    tags: version.tags,
    labels: version.labels ?? [],
    commitMessage: version.changelog,
  }
  return writtenFile('langfuse', version, `${JSON.stringify(value, undefined, 2)}\n`)
}
