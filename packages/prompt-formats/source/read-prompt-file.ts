// Reads prompt files with the parser of a publish, so that an import has every field and every byte. docs/contract.md section 7
import { HubError } from '../../../src/domain/api/errors.ts'
import { findVariableNames } from '../../../src/domain/content/placeholders.ts'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import { PROMPT_FILE_KEYS } from '../../../src/domain/content/prompt-file-keys.ts'
import { readPromptFile } from '../../../src/domain/publishing/prompt-file.ts'
import type { PublishInput } from '../../../src/domain/publishing/request.ts'
import { readLine } from '../../../src/domain/text/yaml.ts'
import { splitChat } from '../../../src/domain/values/chat.ts'
import { ConversionProblems, type PortablePrompt, type ReadResult } from './portable.ts'

/** The details of a prompt, which front matter of any tool may have. */
const DETAILS: ReadonlySet<string> = new Set(['title', 'description', 'tags', 'license'])

/** The keys that front matter has if it is that of a prompt file, and not of another tool. */
export const SETTINGS: ReadonlySet<string> = new Set([...PROMPT_FILE_KEYS].filter((key) => !DETAILS.has(key)))

/** Returns whether front matter with these keys has settings of a version, and no key that a prompt file does not have. */
export function isPromptFile(keys: readonly string[]): boolean {
  return keys.every((key) => PROMPT_FILE_KEYS.has(key)) && keys.some((key) => SETTINGS.has(key))
}

/** Reads a prompt file. What a publish refuses is refused, in its words. @param name file name without extension */
export function readWholeFile(source: string, name: string): ReadResult {
  const findings = new ConversionProblems()
  try {
    return findings.result(toPortable(readPromptFile(source, {}), name))
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown
    for (const { key, message } of thrown.problems ?? [{ key: '', message: thrown.message }])
      findings.refused(key || 'file', message.replace(/^line \d+: /, ''), readLine(message) ?? null)
    return { prompts: [], findings: findings.all }
  }
}

function toPortable(file: PublishInput, name: string): PortablePrompt {
  const { title = '', description = '', tags = [], license = null } = file
  const { content, format = 'text', parameters = {}, skill } = file
  return {
    name,
    title,
    description,
    tags,
    license,
    changelog: '',
    parameters,
    file,
    body: format === 'chat' ? { format, messages: splitChat(content) } : { format, text: content },
    variables: file.variables ?? findVariableNames({ content, format }).map(undeclaredVariable),
    skill: skill && { ...skill, license },
  }
}
