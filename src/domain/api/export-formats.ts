// Defines the formats of other tools in which a version can be downloaded, and the fields that each format loses. The writers are in packages/prompt-formats.
import type { Repository } from './schema.ts'

/** A field of a prompt that some formats do not support. */
type LostField =
  | 'title'
  | 'description'
  | 'tags'
  | 'license'
  | 'parameters'
  | 'variables'
  | 'variables.example'
  | 'files'
  | 'labels'

/** The public description of a format. */
interface ExportFormatInfo {
  /** The official name of the format. */
  title: string
  /** The pattern of its file names. */
  file: string
  mediaType: string
  /** The prompt fields that it does not support, and the files of a skill, because each format is one file. An export lists what is lost in `Export-Lost`. */
  loses: readonly LostField[]
  /** The kinds of prompts that it cannot represent. */
  refuses: readonly ('chat' | 'history' | 'no skill' | 'needs values')[]
}

/** Every format by its name in URLs. docs/contract.md section 4 */
export const EXPORT_FORMATS = {
  markdown: {
    title: 'Prompt file',
    file: '{name}.md',
    mediaType: 'text/markdown',
    loses: ['files', 'labels'],
    refuses: [],
  },
  dotprompt: {
    title: 'dotprompt',
    file: '{name}.prompt',
    mediaType: 'text/plain',
    loses: ['title', 'tags', 'license', 'variables.example', 'files', 'labels'],
    refuses: [],
  },
  prompty: {
    title: 'Prompty',
    file: '{name}.prompty',
    mediaType: 'text/plain',
    loses: ['license', 'files', 'labels'],
    refuses: [],
  },
  github: {
    title: 'GitHub Models',
    file: '{name}.prompt.yml',
    mediaType: 'application/yaml',
    loses: ['tags', 'license', 'variables', 'files', 'labels'],
    refuses: ['history'],
  },
  langfuse: {
    title: 'Langfuse',
    file: '{name}.json',
    mediaType: 'application/json',
    loses: ['title', 'description', 'license', 'variables', 'files'],
    refuses: [],
  },
  langchain: {
    title: 'LangChain',
    file: '{name}.json',
    mediaType: 'application/json',
    loses: ['title', 'description', 'tags', 'license', 'parameters', 'variables', 'files', 'labels'],
    refuses: [],
  },
  skill: {
    title: 'Agent Skill',
    file: 'SKILL.md',
    mediaType: 'text/markdown',
    loses: ['title', 'tags', 'variables', 'parameters', 'files', 'labels'],
    refuses: ['no skill'],
  },
  'claude-command': {
    title: 'Claude Code command',
    file: '{name}.md',
    mediaType: 'text/markdown',
    loses: ['title', 'tags', 'license', 'parameters', 'variables', 'files', 'labels'],
    refuses: ['chat', 'history'],
  },
  'copilot-prompt': {
    title: 'Copilot prompt',
    file: '{name}.prompt.md',
    mediaType: 'text/markdown',
    loses: ['title', 'tags', 'license', 'parameters', 'variables', 'files', 'labels'],
    refuses: ['chat', 'history'],
  },
  'copilot-instructions': {
    title: 'Copilot instructions',
    file: '{name}.instructions.md',
    mediaType: 'text/markdown',
    loses: ['title', 'tags', 'license', 'parameters', 'variables', 'files', 'labels'],
    refuses: ['chat', 'history', 'needs values'],
  },
  'cursor-rule': {
    title: 'Cursor rule',
    file: '{name}.mdc',
    mediaType: 'text/plain',
    loses: ['title', 'tags', 'license', 'parameters', 'variables', 'files', 'labels'],
    refuses: ['chat', 'history', 'needs values'],
  },
  'agents-md': {
    title: 'AGENTS.md',
    file: 'AGENTS.md',
    mediaType: 'text/markdown',
    loses: ['title', 'description', 'tags', 'license', 'parameters', 'variables', 'files', 'labels'],
    refuses: ['chat', 'history', 'needs values'],
  },
} as const satisfies Readonly<Record<string, ExportFormatInfo>>

/** The name of a format. */
export type ExportFormat = keyof typeof EXPORT_FORMATS

/** Returns whether a string is the name of a format. */
export function isExportFormat(text: string): text is ExportFormat {
  return Object.hasOwn(EXPORT_FORMATS, text)
}

const WITH_MODEL: ReadonlySet<ExportFormat> = new Set(['claude-command', 'copilot-prompt'])

/** Returns the fields of a version that a format does not support. */
export function listLost(
  format: ExportFormat,
  {
    title,
    description,
    tags,
    license,
    parameters,
    variables,
    files = [],
    labels = [],
  }: Pick<Repository, 'title' | 'description' | 'tags' | 'license' | 'parameters' | 'variables'> & {
    files?: readonly unknown[]
    /** The names of the labels that point at the version. */
    labels?: readonly string[]
  },
): LostField[] {
  const isUsed: Readonly<Record<LostField, boolean>> = {
    title: title !== '',
    description: description !== '',
    tags: tags.length > 0,
    license: license !== null,
    // Commands of Claude Code and prompts of Copilot support one parameter, the model.
    parameters: Object.keys(parameters).some((key) => !WITH_MODEL.has(format) || key !== 'model'),
    variables: variables.some(
      ({ description, type, required, default: usual, example }) =>
        description !== '' || type !== 'string' || !required || usual !== null || example !== null,
    ),
    'variables.example': variables.some(({ example }) => example !== null),
    files: files.length > 0,
    labels: labels.length > 0,
  }
  return EXPORT_FORMATS[format].loses.filter((field) => isUsed[field])
}

/** A part that could not be converted. */
export interface ConversionProblem {
  /** `lost`: the part is dropped, and the rest is converted. `refused`: the prompt is not converted. */
  kind: 'lost' | 'refused'
  /** The field or kind of syntax, such as `model.tools` or `template`. */
  field: string
  /** The 1-based line in the source, or null if unknown. */
  line: number | null
  /** What the part is, and why it cannot be converted. */
  message: string
  /** In a file with several prompts, the one that it is about; omitted if it is about the whole file. */
  prompt?: PromptPlace
}

/** A prompt in a file with several. */
export interface PromptPlace {
  /** Its place in the file, from 1. */
  position: number
  /** The name that the file gives it; empty if there is none. */
  name: string
}

/** The result of writing a version: a file, or the reasons why it cannot be written. */
export type WriteResult =
  | { file: { name: string; mediaType: string; text: string }; lost: string[]; refused?: undefined }
  | { refused: ConversionProblem[]; file?: undefined }
