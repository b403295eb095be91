// All import and export formats, by name.
import type { ExportFormat } from '../api/export-formats.ts'
import type { Repository, VersionRecord } from '../api/schema.ts'
import { splitChat } from '../content/chat.ts'
import { readDotprompt, writeDotprompt } from './dotprompt.ts'
import { readGitHub, writeGitHub } from './github.ts'
import { readLangChain, writeLangChain } from './langchain.ts'
import { readLangfuse, writeLangfuse } from './langfuse.ts'
import { readCsv, readMarkdown, writeMarkdown } from './plain.ts'
import type { ExportedVersion, ReadResult, WriteResult } from './portable.ts'
import { readPrompty, writePrompty } from './prompty.ts'
import { readClaudeCommand, readSkill, writeClaudeCommand, writeSkill } from './skill.ts'

/** Readers by format. `name` is the file name without extensions, or the folder name for a skill. */
export const READERS = {
  dotprompt: readDotprompt,
  prompty: readPrompty,
  github: readGitHub,
  langfuse: readLangfuse,
  langchain: readLangChain,
  skill: readSkill,
  'claude-command': readClaudeCommand,
  markdown: readMarkdown,
  csv: (source: string): ReadResult => readCsv(source),
} as const satisfies Record<string, (source: string, name: string) => ReadResult>
export type ImportFormat = keyof typeof READERS

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
} as const satisfies Record<ExportFormat, (version: ExportedVersion) => WriteResult>

/** Converts a version to the input of the writers. @param repository the values from its `index.md` */
export function toExported(
  {
    owner,
    name,
    title,
    description,
    tags,
    license,
  }: Pick<Repository, 'owner' | 'name' | 'title' | 'description' | 'tags' | 'license'>,
  {
    content,
    format,
    ...version
  }: Pick<
    VersionRecord,
    'version' | 'content' | 'content_sha256' | 'format' | 'variables' | 'parameters' | 'changelog'
  > &
    Pick<ExportedVersion, 'skill'>,
): ExportedVersion {
  return {
    ...version,
    content,
    ...{ name, full_name: `${owner}/${name}`, title, description, tags, license },
    body: format === 'chat' ? { format, messages: splitChat(content) } : { format: 'text', text: content },
  }
}

/**
 * Detects the format of a file, from its path and, for JSON, its content.
 *
 * @param path with forward slashes
 * @returns undefined for a file that is not a prompt
 */
export function detectFormat(path: string, source: string): ImportFormat | undefined {
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (/\.prompt\.ya?ml$/.test(file)) return 'github'
  if (file.endsWith('.prompty')) return 'prompty'
  // Files whose name starts with an underscore are dotprompt partials, not separate prompts.
  if (file.endsWith('.prompt')) return file.startsWith('_') ? undefined : 'dotprompt'
  if (file.endsWith('.csv')) return 'csv'
  if (file.endsWith('.json'))
    return /"(?:lc|template)"\s*:/.test(source.slice(0, 10_000))
      ? 'langchain'
      : /"prompt"\s*:/.test(source)
        ? 'langfuse'
        : undefined
  if (file === 'skill.md') return 'skill'
  if (/(?:^|\/)\.claude\/commands\//.test(path) && file.endsWith('.md')) return 'claude-command'
  return file.endsWith('.md') || file.endsWith('.txt') ? 'markdown' : undefined
}
