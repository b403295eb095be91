// A version as an Agent Skill: what may be one, and its SKILL.md. https://agentskills.io/specification
import type { Repository, Variable, VersionRecord } from '../api/schema.ts'
import type { ValueProblem } from '../text/problems.ts'
import type { VersionEntry } from './content-tree.ts'

/** What Claude Code runs while it loads a skill or command: `` !`command` ``, or a code block that begins with `!`. */
export const SHELL = /!`[^`\n]*`?|```!/g
/** What it includes: `@path`. */
export const INCLUDE = /(?<![\w`@])@(?:\.{0,2}\/|~\/)?[\w-]+(?:[./][\w./-]+)/g

/** What makes a SKILL.md. */
export type SkillVersion = Pick<
  VersionRecord,
  'name' | 'full_name' | 'version' | 'content' | 'content_sha256' | 'variables'
> & { skill: NonNullable<VersionRecord['skill']> }

/**
 * Writes the SKILL.md of a version. Its bytes never change, so it says nothing that can: the licence is the one at publishing, and the source has no host.
 *
 * @see docs/contract.md section 4
 */
export function formatSkill(version: SkillVersion): string {
  const say = (fields: object, indent = ''): string[] =>
    Object.entries(fields).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'string'
        ? `${indent}${key}: ${quote(value)}`
        : [`${indent}${key}:`, ...say(value as object, `${indent}  `)],
    )
  return ['---', ...say(describeFront(version)), '---', formatBody(version)].join('\n')
}

/** What the front matter of a SKILL.md says: texts, and `metadata` of texts. It never has `allowed-tools`. */
export function describeFront({ name, full_name, version, content_sha256, skill }: SkillVersion) {
  return {
    name,
    description: skill.description,
    ...(skill.license === null ? {} : { license: skill.license }),
    metadata: { version, source: `${full_name}@${version}`, content_sha256 },
  }
}

/** A JSON string is a YAML string too. YAML 1.1 folds the characters that are escaped beside, and Claude Code ends front matter at any `---`. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|--(?=-)/g,
    (found) => `${found.slice(1)}\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Begins the list of inputs behind a content, by which `readSkill` finds it again. */
export const INPUTS = [
  '## Inputs',
  '',
  'Put a value in place of each placeholder first: from the conversation or the files at hand. Ask for what is required and missing.',
  '',
  '',
].join('\n')

/** Skills have no arguments by name, so an agent is told in words what to put in place of each variable. */
function formatBody({ content, variables }: { content: string; variables: readonly Variable[] }): string {
  if (variables.length === 0) return content
  return `${content}\n\n${INPUTS}${variables.map(sayInput).join('')}`
}

function sayInput({ name, type, required, description, options, default: usual }: Variable): string {
  const kind = type === 'string' ? 'text' : type === 'enum' ? `one of ${options.map(quote).join(', ')}` : type
  const parts = [
    ...(description === '' ? [] : [description]),
    ...(usual === null ? [] : [`Default: ${typeof usual === 'string' ? quote(usual) : usual}`]),
  ]
  const need = required && usual === null ? 'required' : 'optional'
  return `- \`{{${name}}}\` (${kind}, ${need})${parts.length === 0 ? '' : `: ${parts.join('. ')}`}\n`
}

/** A skill in an index. https://schemas.agentskills.io/discovery/0.2.0/schema.json */
export interface SkillIndexEntry {
  name: string
  type: 'skill-md'
  description: string
  version: string
  /** From the site's root, so that it is right behind any address of the hub. */
  url: string
  /** `sha256:` and the digest of the file's bytes in hex. */
  digest: string
  /** Clients from before 0.2.0 read these beside the index, below the skill's name. */
  files: ['SKILL.md']
}

/** Describes a skill for an index. @param digest computes the SHA-256 of a text's bytes, in hex */
export function describeSkill(version: SkillVersion, digest: (text: string) => string): SkillIndexEntry {
  return {
    name: version.name,
    type: 'skill-md',
    description: version.skill.description,
    version: version.version,
    url: `/${version.full_name}/v/${version.version}/SKILL.md`,
    digest: `sha256:${digest(formatSkill(version))}`,
    files: ['SKILL.md'],
  }
}

/** Writes an index of skills. */
export function formatSkillIndex(skills: readonly SkillIndexEntry[]): string {
  return JSON.stringify({ $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json', skills })
}

/** The latest version of a repository as a skill; undefined when it is none. */
export function latestSkill(repository: Repository): SkillVersion | undefined {
  const { latest_version, content, content_sha256, skill } = repository
  if (!skill || latest_version === null || content === null || content_sha256 === null) return undefined
  return { ...repository, version: latest_version, content, content_sha256, skill }
}

/**
 * Why a version that says it is a skill cannot be one: refused when it is published, so that every skill has a SKILL.md.
 *
 * @returns `offset` is that in the content, in UTF-16 units
 */
export function findSkillProblems({
  skill,
  format,
  content,
  variables,
}: Pick<VersionEntry, 'skill' | 'format' | 'content' | 'variables'>): (ValueProblem & { offset?: number })[] {
  if (!skill) return []
  if (format === 'chat') return [{ key: 'skill', message: 'expected null, because a chat prompt cannot be a skill' }]
  return listInterpolations(formatBody({ content, variables })).map(({ text, does, offset }) => {
    const message = `expected no ${text} in a skill: Claude Code ${does} when it loads the skill`
    return offset < content.length ? { key: 'content', message, offset } : { key: 'variables', message }
  })
}

/** What Claude Code would not show as it is but run or include, with its place in UTF-16 units. */
export function listInterpolations(text: string): { text: string; does: string; offset: number }[] {
  const find = (pattern: RegExp, does: string) =>
    Array.from(text.matchAll(pattern), (match) => ({ text: match[0].slice(0, 60), does, offset: match.index }))
  return [...find(SHELL, 'runs a command'), ...find(INCLUDE, 'includes a file')]
}
