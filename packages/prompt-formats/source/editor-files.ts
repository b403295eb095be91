// Writes the files that editors read: prompt files and instructions of GitHub Copilot, rules of Cursor, and AGENTS.md.
import type { ExportFormat, WriteResult } from '../../../src/domain/api/export-formats.ts'
import { EDITOR_VALUE } from '../../../src/domain/content/editor-values.ts'
import { fillContent } from '../../../src/domain/content/filling.ts'
import { fillPlaceholders } from '../../../src/domain/content/placeholders.ts'
import { formatFrontMatter, listInterpolations } from '../../../src/domain/content/skill.ts'
import { lineOf } from '../../../src/domain/text/plain-text.ts'
import { ConversionProblems, type ExportedVersion, MAX_FINDINGS, writtenFile } from './portable.ts'
import { clip } from './template.ts'

/** Writes a prompt file of Copilot, which asks for each variable. https://code.visualstudio.com/docs/copilot/customization/prompt-files */
export function writeCopilotPrompt(version: ExportedVersion): WriteResult {
  const findings = new ConversionProblems()
  const text = textOf(version, findings)
  refuseEditorValues(text, findings)
  if (findings.isRefused) return { refused: findings.all }
  const inputs = version.variables.map(({ name, default: usual }): [string, string] => {
    const hint = usual === null || /[{}\r\n]/.test(String(usual)) ? '' : `:${usual}`
    return [name, `\${input:${name}${hint}}`]
  })
  const { model } = version.parameters
  const front = formatFrontMatter({
    description: describe(version),
    ...(typeof model === 'string' && { model }),
  })
  return writtenFile('copilot-prompt', version, front + fillPlaceholders(text, new Map(inputs)))
}

/** Writes instructions of Copilot for all files. https://code.visualstudio.com/docs/copilot/customization/custom-instructions */
export function writeCopilotInstructions(version: ExportedVersion): WriteResult {
  return writeFilled('copilot-instructions', version, { description: describe(version), applyTo: '**' })
}

/** Writes a rule of Cursor, which the agent reads when the description fits. https://cursor.com/docs/context/rules */
export function writeCursorRule(version: ExportedVersion): WriteResult {
  return writeFilled('cursor-rule', version, { description: describe(version), alwaysApply: false })
}

/** Writes an AGENTS.md, which is Markdown without front matter. https://agents.md */
export function writeAgentsMd(version: ExportedVersion): WriteResult {
  return writeFilled('agents-md', version)
}

/** Writes a text that nobody fills in: its variables have their defaults. */
function writeFilled(format: ExportFormat, version: ExportedVersion, front?: object): WriteResult {
  const findings = new ConversionProblems()
  const content = textOf(version, findings)
  const { value, problems = [] } = fillContent({ content, variables: version.variables }, {}, 'strict')
  for (const { name, message } of problems.slice(0, MAX_FINDINGS))
    findings.refused('variables', `${name || 'the text'}: ${message}; nobody fills in this file`)
  const text = value?.content ?? ''
  if (format === 'copilot-instructions') refuseEditorValues(text, findings)
  if (format === 'cursor-rule')
    for (const { text: found, does, offset } of listInterpolations(text))
      if (does === 'includes a file') findings.refused('content', `${found} ${does} in Cursor`, lineOf(text, offset))
  if (findings.isRefused) return { refused: findings.all }
  return writtenFile(format, version, `${front ? formatFrontMatter(front) : ''}${text}`)
}

function refuseEditorValues(text: string, findings: ConversionProblems): void {
  for (const { 0: value, index } of text.matchAll(EDITOR_VALUE).take(MAX_FINDINGS))
    findings.refused('content', `the editor would fill in ${clip(value)}`, lineOf(text, index))
}

function textOf({ body }: ExportedVersion, findings: ConversionProblems): string {
  if (body.format === 'text') return body.text
  findings.refused('messages', 'the file is one text; it has no roles')
  return ''
}

function describe({ description, title, name }: ExportedVersion): string {
  return description || title || name
}
