// The formats of other tools in which a version can be downloaded. The writers are in src/domain/formats; this table is for code that only lists formats.

/** The public description of a format. */
interface ExportFormatInfo {
  /** Its official name. */
  title: string
  /** How its files are named. */
  file: string
  /** The prompt fields that it does not support. An export lists the lost ones in `Export-Lost`. */
  loses: readonly ('title' | 'description' | 'tags' | 'license' | 'parameters' | 'variables' | 'variables.example')[]
  /** Kinds of prompts that it cannot represent. */
  refuses: readonly ('chat' | 'history' | 'no skill')[]
}

/** Every format by its name in URLs. docs/contract.md section 4 */
export const EXPORT_FORMATS = {
  dotprompt: {
    title: 'dotprompt',
    file: '{name}.prompt',
    loses: ['title', 'tags', 'license', 'variables.example'],
    refuses: [],
  },
  prompty: { title: 'Prompty', file: '{name}.prompty', loses: ['license'], refuses: [] },
  github: {
    title: 'GitHub Models',
    file: '{name}.prompt.yml',
    loses: ['tags', 'license', 'variables'],
    refuses: ['history'],
  },
  langfuse: {
    title: 'Langfuse',
    file: '{name}.json',
    loses: ['title', 'description', 'license', 'variables'],
    refuses: [],
  },
  langchain: {
    title: 'LangChain',
    file: '{name}.json',
    loses: ['title', 'description', 'tags', 'license', 'parameters', 'variables'],
    refuses: [],
  },
  skill: {
    title: 'Agent Skill',
    file: 'SKILL.md',
    loses: ['title', 'tags', 'variables', 'parameters'],
    refuses: ['no skill'],
  },
  'claude-command': {
    title: 'Claude Code command',
    file: '{name}.md',
    loses: ['title', 'tags', 'license', 'parameters', 'variables'],
    refuses: ['chat', 'history'],
  },
} as const satisfies Readonly<Record<string, ExportFormatInfo>>

/** The name of a format. */
export type ExportFormat = keyof typeof EXPORT_FORMATS

/** Returns whether a string is the name of a format. */
export function isExportFormat(text: string): text is ExportFormat {
  return Object.hasOwn(EXPORT_FORMATS, text)
}
