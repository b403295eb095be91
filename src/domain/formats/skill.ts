// Agent Skills (`SKILL.md`) and Claude Code commands. https://agentskills.io/specification

import { undeclaredVariable } from '../content/prompt-file.ts'
import {
  blankCode,
  formatFrontMatter,
  formatSkill,
  INCLUDE,
  listInterpolations,
  SHELL,
  splitInputs,
} from '../content/skill.ts'
import { LIMITS } from '../limits.ts'
import { lineOf } from '../text/text-length.ts'
import { readArguments, readDeclared, writeArguments } from './claude-arguments.ts'
import { toLine } from './names.ts'
import {
  ConversionProblems,
  type ExportedVersion,
  emptyPrompt,
  MAX_FINDINGS,
  type PortablePrompt,
  type ReadResult,
  type WriteResult,
  writtenFile,
} from './portable.ts'
import { isObject, licenseIn, readSourceFile, type SourceFile, textOf } from './source-file.ts'

const SKILL_KEYS = new Set(['name', 'description', 'license', 'metadata', 'argument-hint'])
const COMMAND_KEYS = new Set(['description', 'argument-hint', 'arguments', 'model'])

/** Reads a `SKILL.md`. @param name the name of its folder */
export function readSkill(source: string, name: string): ReadResult {
  const findings = new ConversionProblems()
  const file = readSourceFile(source, findings)
  if (!file) return { prompts: [], findings: findings.all }
  if (textOf(file.front.description) === '')
    findings.refused(
      'description',
      'a skill must describe what it does and when to use it',
      file.lineOf('description') ?? 1,
    )
  const description = toLine(textOf(file.front.description), LIMITS.skillDescriptionCharacters)
  let isSkill = !/[<>]/.test(description) && description.length <= LIMITS.skillDescriptionCharacters
  if (!isSkill) findings.lost('skill', 'a skill description must not contain < or >', file.lineOf('description'))
  const metadata = isObject(file.front.metadata) ? file.front.metadata : {}
  const isOurs = typeof metadata.content_sha256 === 'string'
  const [body, inputs] = isOurs ? splitInputs(file.body) : [file.body, []]
  const prompt = readCommon({ ...file, body }, textOf(file.front.name) || name, SKILL_KEYS, findings)
  for (const { text, offset } of isSkill ? listInterpolations(body) : []) {
    isSkill = false
    findings.lost('skill', `a skill must not contain ${text}`, file.bodyLine + lineOf(body, offset) - 1)
  }
  if (isSkill) prompt.skill = { description, license: prompt.license }
  if (isOurs) prompt.variables = inputs.map(({ name }) => undeclaredVariable(name))
  if (inputs.some(({ isBare }) => !isBare)) findings.lost('variables', 'a skill describes its inputs only in words')
  const own = new Set(isOurs ? ['version', 'source', 'content_sha256'] : [])
  findings.unsupported(metadata, own, () => file.lineOf('metadata'), 'metadata.')
  return findings.result(prompt)
}

/** Reads a Claude Code command. @param name file name without extension */
export function readClaudeCommand(source: string, name: string): ReadResult {
  const findings = new ConversionProblems()
  const file = readSourceFile(source, findings)
  if (!file) return { prompts: [], findings: findings.all }
  const prompt = readCommon(file, name, COMMAND_KEYS, findings)
  const { front, body, bodyLine } = file
  if (typeof front.model === 'string') prompt.parameters.model = front.model
  const given = front['argument-hint']
  // `argument-hint: [file]` is a list in YAML.
  const hint = toLine(Array.isArray(given) ? `[${given.join(', ')}]` : textOf(given), LIMITS.descriptionCharacters)
  const { text, names, kept } = readArguments(body, { hint, declared: readDeclared(front.arguments) })
  if (kept) findings.lost('arguments', `${kept.text} ${kept.reason}`, bodyLine + lineOf(body, kept.offset) - 1)
  prompt.body = { format: 'text', text }
  prompt.variables = names.map((one) => ({ ...undeclaredVariable(one), description: hint }))
  return findings.result(prompt)
}

/** Reads what skills and commands have in common. The text stays as it is. */
function readCommon(
  file: SourceFile,
  name: string,
  known: ReadonlySet<string>,
  findings: ConversionProblems,
): PortablePrompt {
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
  const { body, skill } = version
  if (!skill || body.format === 'chat') {
    const message = 'this version is not a skill; publish a version with a skill description'
    return { refused: [{ kind: 'refused', field: 'skill', line: null, message }] }
  }
  return writtenFile('skill', version, formatSkill({ ...version, skill, content: body.text }))
}
