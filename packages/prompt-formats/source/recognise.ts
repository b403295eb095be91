// Recognises which tool's file a text is, by its front matter and its marks alone. It loads no reader, because the browser runs it too.
import { PROMPT_FILE_KEYS } from '../../../src/domain/content/prompt-file-keys.ts'
import type { ImportFormat } from './formats.ts'
import { findFrontKeys, listKeys, MAX_FRONT_CHARACTERS } from './front-keys.ts'

/** The words for the formats that a person can choose. */
export const PASTED_FORMATS = {
  'prompt-file': 'Prompt file',
  dotprompt: 'dotprompt',
  prompty: 'Prompty',
  github: 'GitHub Models',
  langfuse: 'Langfuse',
  langchain: 'LangChain',
  openai: 'OpenAI',
  mlflow: 'MLflow',
  promptlayer: 'PromptLayer',
  portkey: 'Portkey',
  copilot: 'GitHub Copilot',
  skill: 'Agent Skill',
  'claude-command': 'Claude Code command',
  markdown: 'Markdown',
  csv: 'CSV',
} satisfies Record<ImportFormat | 'prompt-file', string>

/** What a text looks like; `json` needs a look at its keys. */
type RecognisedFormat = keyof typeof PASTED_FORMATS | 'json'

const ROLE_LABEL = /^(?:system|user|assistant):[ \t]*\r?$/m
const CSV_HEAD = /^"?(?:act|title|name)"?[,;\t](?:[^\n]{0,200}[,;\t])?"?(?:prompt|content|text)"?(?=[,;\t\r\n])/i

/** Returns the format of a text, or undefined for the plain text of a prompt. */
export function recogniseFormat(source: string): RecognisedFormat | undefined {
  const text = source.replace(/^\ufeff/, '')
  const front = findFrontKeys(text)
  if (front) return recogniseFrontMatter(new Set(front.keys), front.body)
  const start = text.trimStart()
  if (/^(?:\{\s*"|\[\s*\{\s*")/.test(start.slice(0, 1_000))) return 'json'
  const keys = listKeys(text.slice(0, MAX_FRONT_CHARACTERS))
  if (keys.includes('messages') && /^[ \t]*(?:-[ \t]*)?role:/m.test(text)) return 'github'
  if (CSV_HEAD.test(text)) return 'csv'
  if (text.includes('$ARGUMENTS')) return 'claude-command'
  return text.includes('${input:') ? 'copilot' : undefined
}

function recogniseFrontMatter(keys: ReadonlySet<string>, body: string): RecognisedFormat | undefined {
  const has = (...names: string[]) => names.some((name) => keys.has(name))
  if (keys.size === 0) return undefined
  if ([...keys].every((key) => PROMPT_FILE_KEYS.has(key))) return 'prompt-file'
  if (has('inputs', 'sample', 'authors', 'outputs', 'template')) return 'prompty'
  if (has('input', 'config', 'output', 'variant')) return 'dotprompt'
  if (has('model') && ROLE_LABEL.test(body)) return 'prompty'
  if (has('model') && /\{\{\s*role\s/.test(body)) return 'dotprompt'
  if (has('name') && has('description') && !has('tools', 'model', 'mode', 'agent')) return 'skill'
  if (has('mode', 'agent', 'tools', 'applyTo') || body.includes('${input:')) return 'copilot'
  if (has('allowed-tools', 'argument-hint', 'arguments') || body.includes('$ARGUMENTS')) return 'claude-command'
  return 'markdown'
}
