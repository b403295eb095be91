// GitHub Copilot's prompt files (`.prompt.md`), and its instructions, chat modes and agents. https://code.visualstudio.com/docs/copilot/customization/prompt-files
import { EDITOR_VALUE } from '../../../src/domain/content/editor-values.ts'
import { lineCounter } from '../../../src/domain/text/plain-text.ts'
import { declarePlaceholders } from './names.ts'
import { readMarkdown } from './plain.ts'
import { ConversionProblems, emptyPrompt, MAX_FINDINGS, type ReadOptions, type ReadResult } from './portable.ts'
import { isPromptFile } from './read-prompt-file.ts'
import { readDetails, readSourceFile, textBelow, textOf } from './source-file.ts'
import { readDollarBraces } from './template.ts'

/** `model` may also be a list. */
const KNOWN = {
  text: ['name', 'title', 'description'],
  texts: ['tags'],
  other: ['model', 'license', 'licence'],
}
/** Reads a `.prompt.md` file. `${input:name}` becomes a variable. @param name file name without extensions */
export function readCopilot(source: string, name: string, options: ReadOptions = {}): ReadResult {
  const findings = new ConversionProblems()
  const file = readSourceFile(source, findings)
  if (!file) return { prompts: [], findings: findings.all }
  const { front, body, bodyLine, lineOf } = file
  if (isPromptFile(Object.keys(front))) return readMarkdown(source, name, options)
  const prompt = { ...emptyPrompt(textOf(front.name) || name), ...readDetails(front) }
  if (typeof front.model === 'string') prompt.parameters.model = front.model
  else if (front.model !== undefined) findings.lost('model', 'expected one model', lineOf('model'))
  findings.unsupported(front, KNOWN, lineOf)
  if (body.trim() === '') findings.refused('content', 'expected some text', bodyLine)
  const text = textBelow(file, source)
  const read = options.keepsText ? { text, variables: new Map() } : readDollarBraces(text, 'input:', findings)
  const lines = lineCounter(body, bodyLine)
  for (const { 0: value, index } of body.matchAll(EDITOR_VALUE).take(MAX_FINDINGS))
    if (!value.startsWith('${input:'))
      findings.lost(value, 'only the editor fills it in; here, it is text', lines(index))
  prompt.body = { format: 'text', text: read.text }
  return findings.result(declarePlaceholders(prompt, read.variables))
}
