// Agent Skills (`SKILL.md`) and Claude Code commands. https://agentskills.io/specification

import type { WriteResult } from '../../../src/domain/api/export-formats.ts'
import { SkillInput, SkillMetadata } from '../../../src/domain/content/front-matter.ts'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import {
  blankCode,
  formatFrontMatter,
  formatSkill,
  INCLUDE,
  listInterpolations,
  OWN_SKILL_METADATA,
  SHELL,
  splitInputs,
  storeSkill,
} from '../../../src/domain/content/skill.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { lineOf } from '../../../src/domain/text/plain-text.ts'
import { printable } from '../../../src/domain/text/printable.ts'
import { readArguments, readDeclared, writeArguments } from './claude-arguments.ts'
import { toLine } from './names.ts'
import {
  ConversionProblems,
  type ExportedVersion,
  emptyPrompt,
  type KnownKeys,
  MAX_FINDINGS,
  type PortablePrompt,
  type ReadResult,
  writtenFile,
} from './portable.ts'
import { hintOf, type MoreOfSkill, readMoreOfSkill } from './skill-keys.ts'
import { licenseIn, readSourceFile, type SourceFile, textOf } from './source-file.ts'
import { clip } from './template.ts'

const COMMAND_KEYS: KnownKeys = {
  text: ['description', 'model'],
  texts: ['argument-hint', 'arguments'],
  other: ['license', 'licence'],
}

/** Reads a `SKILL.md`. @param name the name of its folder */
export function readSkill(source: string, name: string): ReadResult {
  const findings = new ConversionProblems()
  const file = readSourceFile(source, findings)
  if (!file) return { prompts: [], findings: findings.all }
  const { front, lineOf: lineOfKey } = file
  if (textOf(front.description) === '')
    findings.refused(
      'description',
      'a skill must describe what it does and when to use it',
      lineOfKey('description') ?? 1,
    )
  const description = readLine('description', front, LIMITS.skillDescriptionCharacters, file, findings)
  let isSkill = !description.includes('<') && description.length <= LIMITS.skillDescriptionCharacters
  if (!isSkill) findings.lost('skill', 'a skill description must not contain <', lineOfKey('description'))
  const metadata = isObject(front.metadata) ? front.metadata : {}
  const isOurs = typeof metadata.content_sha256 === 'string'
  const [body, inputs] = isOurs ? splitInputs(file.body) : [file.body, []]
  const known = {
    text: ['name'],
    object: ['metadata'],
    other: Object.keys(front).filter((key) => key !== 'name' && key !== 'metadata'),
  }
  const prompt = readCommon({ ...file, body }, textOf(front.name) || name, known, findings)
  // The skill keeps the whole description; that of the prompt is a summary.
  prompt.description = toLine(description, LIMITS.descriptionCharacters)
  for (const { text, offset } of isSkill ? listInterpolations(body) : []) {
    isSkill = false
    findings.lost('skill', `a skill must not contain ${text}`, file.bodyLine + lineOf(body, offset) - 1)
  }
  const compatibility = readLine('compatibility', front, LIMITS.skillCompatibilityCharacters, file, findings)
  if (isSkill)
    prompt.skill = storeSkill({
      description,
      license: prompt.license,
      compatibility,
      ...readMore(file, isOurs, findings),
    })
  if (isOurs) prompt.variables = inputs.map(({ name }) => undeclaredVariable(name))
  if (inputs.some(({ isBare }) => !isBare)) findings.lost('variables', 'a skill describes its inputs only in words')
  return findings.result(prompt)
}

/** Reads a text of the front matter as one line. A longer one is cut, and named. */
function readLine(
  key: string,
  front: Readonly<Record<string, unknown>>,
  most: number,
  { lineOf }: SourceFile,
  findings: ConversionProblems,
): string {
  const given = front[key]
  if (given === undefined || given === null) return ''
  const line = typeof given === 'string' ? toLine(given, Number.POSITIVE_INFINITY) : JSON.stringify(given)
  if (line.length <= most) return line
  findings.lost(key, `cut at ${most} characters`, lineOf(key))
  // Clients count UTF-16 code units.
  return `${line
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`
}

/** Reads the other keys of a skill. What a hub cannot keep is named. */
function readMore(
  { front, lineOf }: SourceFile,
  isOurs: boolean,
  findings: ConversionProblems,
): Pick<MoreOfSkill, 'metadata'> & Partial<MoreOfSkill> {
  const { metadata, ...more } = readMoreOfSkill(front)
  const inside = isObject(front.metadata) ? front.metadata : {}
  for (const key of isOurs ? [] : OWN_SKILL_METADATA)
    if (Object.hasOwn(inside, key) || Object.hasOwn(front, key))
      findings.lost(`metadata.${key}`, 'the hub writes its own', lineOf(key) ?? lineOf('metadata'))
  const kept: Record<string, string> = {}
  for (const [key, text] of Object.entries(metadata)) {
    const { success, error } = SkillMetadata.safeParse({ ...kept, [key]: text })
    if (success) kept[key] = text
    else findings.lost(`metadata.${printable(key)}`, error.issues[0]!.message, lineOf(key) ?? lineOf('metadata'))
  }
  const fields = Object.entries(more).filter(([key, value]) => {
    const { success, error } = SkillInput.shape[key as keyof typeof more].safeParse(value || undefined)
    if (!success) findings.lost(key, error.issues[0]!.message, lineOf(key.replace('_', '-')))
    return success
  })
  return { ...Object.fromEntries(fields), metadata: kept }
}

/** Reads a Claude Code command. @param name file name without extension */
export function readClaudeCommand(source: string, name: string): ReadResult {
  const findings = new ConversionProblems()
  const file = readSourceFile(source, findings)
  if (!file) return { prompts: [], findings: findings.all }
  const prompt = readCommon(file, name, COMMAND_KEYS, findings)
  const { front, body, bodyLine } = file
  if (typeof front.model === 'string') prompt.parameters.model = front.model
  const hint = toLine(hintOf(front['argument-hint']), LIMITS.descriptionCharacters)
  const declared = readDeclared(front.arguments)
  if (declared === undefined)
    findings.lost('arguments', 'expected names of variables, each once', file.lineOf('arguments'))
  const { text, names, kept } = readArguments(body, { hint, declared: declared ?? [] })
  if (kept) findings.lost('arguments', `${kept.text} ${kept.reason}`, bodyLine + lineOf(body, kept.offset) - 1)
  const unused = kept ? [] : (declared ?? []).filter((one) => !names.includes(one))
  if (unused.length > 0)
    findings.lost('arguments', `the text does not use ${clip(unused.join(', '))}`, file.lineOf('arguments'))
  if (hint !== '' && names.length === 0)
    findings.lost('argument-hint', 'the text has no arguments', file.lineOf('argument-hint'))
  prompt.body = { format: 'text', text }
  prompt.variables = names.map((one) => ({ ...undeclaredVariable(one), description: hint }))
  return findings.result(prompt)
}

/** Reads what skills and commands have in common. The text stays as it is. */
function readCommon(file: SourceFile, name: string, known: KnownKeys, findings: ConversionProblems): PortablePrompt {
  const { front, body, bodyLine } = file
  findings.unsupported(front, known, file.lineOf)
  const prose = blankCode(body)
  for (const match of prose.matchAll(SHELL).take(MAX_FINDINGS))
    findings.refused('shell', `${match[0].slice(0, 60)} runs a command`, bodyLine + lineOf(body, match.index) - 1)
  for (const match of prose.matchAll(INCLUDE).take(MAX_FINDINGS))
    findings.refused('include', `${match[0].slice(0, 60)} includes a file`, bodyLine + lineOf(body, match.index) - 1)
  const prompt = emptyPrompt(name)
  prompt.description = textOf(front.description)
  prompt.license = licenseIn(front)
  prompt.body = { format: 'text', text: body }
  return prompt
}

/** Writes a Claude Code command. */
export function writeClaudeCommand(version: ExportedVersion): WriteResult {
  const findings = new ConversionProblems()
  const { variables, body } = version
  if (body.format === 'chat')
    return {
      refused: [{ kind: 'refused', field: 'messages', line: null, message: 'a command is one text; it has no roles' }],
    }
  for (const { text, does, offset } of listInterpolations(body.text))
    findings.refused('content', `${text} ${does} in Claude Code`, lineOf(body.text, offset))
  const { text, declared, hint, problems } = writeArguments(body.text, variables)
  for (const { offset, message } of problems) findings.refused('content', message, lineOf(body.text, offset))
  if (findings.isRefused) return { refused: findings.all }
  const { model } = version.parameters
  // Without front matter of its own, a text that begins with `---` would become the front matter, with its hooks and tools.
  const front = formatFrontMatter({
    description: version.description || version.title || version.name,
    ...(hint === '' ? {} : { 'argument-hint': hint }),
    ...(declared.length === 0 ? {} : { arguments: declared.join(' ') }),
    ...(typeof model === 'string' ? { model } : {}),
  })
  return writtenFile('claude-command', version, front + text)
}

/** Writes a `SKILL.md`. A version that was not published as a skill is rejected. */
export function writeSkill(version: ExportedVersion): WriteResult {
  const { body, skill, files: _, ...rest } = version
  if (!skill || body.format === 'chat') {
    const message = 'this version is not a skill; publish a version with a skill description'
    return { refused: [{ kind: 'refused', field: 'skill', line: null, message }] }
  }
  return writtenFile('skill', version, formatSkill({ ...rest, skill, content: body.text }))
}
