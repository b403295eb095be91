// The formats of other tools that a version can be downloaded in. The writers are in src/domain/formats; this table is for those who only name them.

/** What a reader sees of a format. */
interface ExportFormatInfo {
  /** Its name, as its maker writes it. */
  title: string
  /** How its files are named. */
  file: string
  /** What of a prompt it has no place for. The answer of an export names what was lost in `Export-Lost`. */
  loses: readonly ('title' | 'description' | 'tags' | 'license' | 'parameters' | 'variables' | 'variables.example')[]
  /** Kinds of prompts that it cannot hold at all. */
  refuses: readonly ('chat' | 'history' | 'no skill')[]
}

/** Every format by the name that its address has. docs/contract.md section 4 */
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

/** Whether a text is the name of a format. */
export function isExportFormat(text: string): text is ExportFormat {
  return Object.hasOwn(EXPORT_FORMATS, text)
}
