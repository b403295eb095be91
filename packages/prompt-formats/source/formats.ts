// All import and export formats, by name.
import type { ExportFormat, WriteResult } from '../../../src/domain/api/export-formats.ts'
import type { Repository, VersionRecord } from '../../../src/domain/api/schema.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { splitChat } from '../../../src/domain/values/chat.ts'
import { labelsAt } from '../../../src/domain/values/label-target.ts'
import { readCopilot } from './copilot.ts'
import { readDotprompt, writeDotprompt } from './dotprompt.ts'
import { writeAgentsMd, writeCopilotInstructions, writeCopilotPrompt, writeCursorRule } from './editor-files.ts'
import { readGitHub, writeGitHub } from './github.ts'
import { readLangChain, writeLangChain } from './langchain.ts'
import { readLangfuse, writeLangfuse } from './langfuse.ts'
import { readMlflow } from './mlflow.ts'
import { isOpenAI, readOpenAI } from './openai.ts'
import { readCsv, readMarkdown, writeMarkdown } from './plain.ts'
import type { ExportedVersion, Reader } from './portable.ts'
import { readPortkey } from './portkey.ts'
import { readPromptLayer } from './promptlayer.ts'
import { readPrompty, writePrompty } from './prompty.ts'
import { readClaudeCommand, readSkill, writeClaudeCommand, writeSkill } from './skill.ts'
import { listJson, removeByteOrderMark } from './source-file.ts'
import type { LatestFields } from './write-prompt-file.ts'

/** Readers by format. */
export const READERS = {
  dotprompt: readDotprompt,
  prompty: readPrompty,
  github: readGitHub,
  langfuse: readLangfuse,
  langchain: readLangChain,
  openai: readOpenAI,
  mlflow: readMlflow,
  promptlayer: readPromptLayer,
  portkey: readPortkey,
  skill: readSkill,
  'claude-command': readClaudeCommand,
  copilot: readCopilot,
  markdown: readMarkdown,
  csv: readCsv,
} as const satisfies Record<string, Reader>
export type ImportFormat = keyof typeof READERS

/** The formats whose texts can be kept as they are. All others are templates, or the text depends on its placeholders. */
export const TEXT_FORMATS: ReadonlySet<ImportFormat> = new Set(['copilot', 'csv', 'markdown', 'skill'])

/** Writers by format. */
export const WRITERS = {
  markdown: writeMarkdown,
  dotprompt: writeDotprompt,
  prompty: writePrompty,
  github: writeGitHub,
  langfuse: writeLangfuse,
  langchain: writeLangChain,
  skill: writeSkill,
  'claude-command': writeClaudeCommand,
  'copilot-prompt': writeCopilotPrompt,
  'copilot-instructions': writeCopilotInstructions,
  'cursor-rule': writeCursorRule,
  'agents-md': writeAgentsMd,
} as const satisfies Record<ExportFormat, (version: ExportedVersion) => WriteResult>

/** The values from the `index.md` of a prompt. */
type IndexFields = Pick<Repository, 'owner' | 'name' | 'title' | 'description' | 'tags' | 'license' | 'labels'>
type VersionFields = Pick<ExportedVersion, 'version' | 'content' | 'content_sha256' | 'variables' | 'changelog'> &
  Pick<ExportedVersion, 'parameters' | 'skill' | 'files' | 'includes'> &
  Pick<VersionRecord, 'format'>

/** Converts a version to the input of the writers. */
export function toExported(
  { owner, name, title, description, tags, license, labels }: IndexFields,
  { content, format, ...version }: VersionFields,
  latest?: LatestFields,
): ExportedVersion {
  return {
    ...version,
    content,
    name,
    full_name: `${owner}/${name}`,
    title,
    description,
    tags,
    license,
    labels: labelsAt(labels, version.version),
    ...(latest && { latest }),
    body: format === 'chat' ? { format, messages: splitChat(content) } : { format: 'text', text: content },
  }
}

/** The names of the files of each format; those of the others are JSON. A file that was named by its path may have any name. */
const FILE_NAMES: Readonly<Partial<Record<ImportFormat, RegExp>>> = {
  dotprompt: /\.prompt$/i,
  prompty: /\.prompty$/i,
  github: /\.ya?ml$/i,
  skill: /^skill\.md$/i,
  'claude-command': /\.md$/i,
  copilot: /\.(?:prompt|instructions|chatmode|agent)\.md$/i,
  markdown: /\.(?:mdc?|txt)$|^\.(?:cursor|windsurf|cline)rules$/i,
  csv: /\.csv$/i,
}

/** Returns whether a file in a folder has the name of a format's files. */
export function hasFormatName(file: string, format: ImportFormat): boolean {
  return (FILE_NAMES[format] ?? /\.json$/i).test(file)
}

/**
 * Detects the format of a file, from its path and, for JSON, its content.
 *
 * @param path with forward slashes
 * @returns undefined for a file that is not a prompt
 */
export function detectFormat(path: string, source: string): ImportFormat | undefined {
  const file = path.slice(path.lastIndexOf('/') + 1)
  if (/\.prompt\.ya?ml$/i.test(file)) return 'github'
  if (file.toLowerCase().endsWith('.json')) return detectJson(source)
  if (/(?:^|\/)\.claude\/commands\//.test(path) && hasFormatName(file, 'claude-command')) return 'claude-command'
  return (['prompty', 'dotprompt', 'csv', 'skill', 'copilot', 'markdown'] as const).find((format) =>
    hasFormatName(file, format),
  )
}

/** Detects which tool wrote a JSON file, by the keys of its prompt, or of the first one in a list. */
function detectJson(source: string): ImportFormat | undefined {
  let value: unknown
  try {
    value = JSON.parse(removeByteOrderMark(source))
  } catch {
    // The reader reports the syntax error of a file that names a prompt.
    return /"(?:prompt|template|instructions)"\s*:/.test(source) ? 'langfuse' : undefined
  }
  const [one] = listJson(value)
  if (!isObject(one)) return undefined
  const has = (...keys: string[]) => keys.some((key) => Object.hasOwn(one, key))
  if (has('lc', 'manifest')) return 'langchain'
  if (has('prompt_template')) return 'promptlayer'
  if (has('string') && has('slug')) return 'portkey'
  if (isOpenAI(one)) return 'openai'
  if (has('template'))
    return has('_type', 'input_variables', 'template_format') || !has('name') ? 'langchain' : 'mlflow'
  if (has('_type')) return 'langchain'
  return has('prompt') || (has('name') && has('versions')) ? 'langfuse' : undefined
}
