// Checks whether a version can be an Agent Skill, and formats its SKILL.md. https://agentskills.io/specification
import type { Repository, Variable, VersionRecord } from '../api/schema.ts'
import type { ValueProblem } from '../text/problems.ts'
import { mustBeGiven } from './filling.ts'
import type { VersionFrontMatter } from './front-matter.ts'

/** What Claude Code executes when it loads a skill or command: `` !`command` `` at the start of a line or after white space, or a code block that starts with `!`. https://code.claude.com/docs/en/skills */
export const SHELL = /(?<=^|\s)!`[^`\n]*`?|```!/gm
/** The endings of files that a text may name. Others, as in `@app.route`, are names in a program. */
const FILE_ENDINGS = `
  md mdx mdc markdown txt rst adoc org json jsonc json5 jsonl ndjson yml yaml toml xml csv tsv ini cfg conf config properties env
  lock log html htm css scss sass less svg png jpg jpeg gif webp pdf doc docx xls xlsx ppt pptx ipynb js mjs cjs jsx ts mts cts tsx
  vue svelte astro py pyi rb php pl go rs java kt kts scala swift c h cc cpp cxx hpp hh cs fs m mm lua r jl ex exs erl hs clj dart
  sh bash zsh fish ps1 bat cmd sql graphql gql proto tf tfvars hcl nix gradle cmake mk make dockerfile prompt prompty pem key crt
  cer p12 pfx asc gpg sqlite db bak old orig tmp patch diff zip gz tar tgz
`
  .trim()
  .split(/\s+/)
  .map((ending) => ending.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`))
/** File references: `@path`. A name such as `@scope/package`, without an extension or a third part, is a package. */
export const INCLUDE = new RegExp(
  [
    String.raw`(?<![\w\`@])@(?![a-z0-9_-]+\/[a-z0-9_-]+(?![\w/-]|\.\w))`,
    String.raw`(?:(?:~?\/|\.)[^\s\`]+|[\w-][\w.-]*\/[\w./-]+|`,
    String.raw`[\w-]+(?:\.[\w-]+)*\.(?:${FILE_ENDINGS.join('|')})(?![\w(-]|\.\w))`,
  ].join(''),
  'g',
)
/** References that are clearly paths, such as `@~/.ssh/config`, even in code. */
const FILE = /(?<=^|\s)@(?:~?\/|\.)[^\s`]+/gm

/** A skill as a publish or a record gives it: what is missing may be null or empty. */
export interface GivenSkill {
  description: string
  license: string | null
  compatibility?: string | null | undefined
  allowed_tools?: readonly string[] | undefined
  argument_hint?: string | null | undefined
  metadata?: Readonly<Record<string, string>> | undefined
}

/** Returns a skill as a version file has it: without keys that say nothing. */
export function storeSkill({
  description,
  license,
  compatibility,
  allowed_tools = [],
  argument_hint,
  metadata,
}: GivenSkill): NonNullable<VersionFrontMatter['skill']> {
  return {
    description,
    license,
    ...(compatibility && { compatibility }),
    ...(allowed_tools.length > 0 && { allowed_tools: [...allowed_tools] }),
    ...(argument_hint && { argument_hint }),
    ...(metadata && Object.keys(metadata).length > 0 && { metadata: { ...metadata } }),
  }
}

/** The input of a SKILL.md. */
export type SkillVersion = Pick<
  VersionRecord,
  'name' | 'full_name' | 'version' | 'content' | 'content_sha256' | 'variables'
> & {
  skill: GivenSkill
  files?: VersionRecord['files']
  bundle_sha256?: string | null
}

/**
 * Formats the SKILL.md of a version. Its bytes never change, so it contains nothing that can change: the license is that of the time of publishing, and the source has no host name. @see docs/contract.md section 4
 */
export function formatSkill(version: SkillVersion): string {
  return formatFrontMatter(describeFront(version)) + formatBody(version)
}

/** Words that YAML 1.1 reads as a boolean or null, also as a key. */
const YAML_WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i

/** Formats front matter for Claude Code, which ends it at any `---`: strings, booleans, and objects of these, as JSON without `---`. */
export function formatFrontMatter(fields: object): string {
  const say = (given: object, indent = ''): string[] =>
    Object.entries(given).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'string'
        ? `${indent}${YAML_WORD.test(key) ? quote(key) : key}: ${quote(value)}`
        : typeof value === 'boolean'
          ? `${indent}${key}: ${value}`
          : [`${indent}${key}:`, ...say(value as object, `${indent}  `)],
    )
  return `${['---', ...say(fields), '---'].join('\n')}\n`
}

/** The keys of `metadata` that a hub writes itself. */
export const OWN_SKILL_METADATA: ReadonlySet<string> = new Set(['version', 'source', 'content_sha256'])

/** Builds the front matter of a SKILL.md: strings, and `metadata` with string values. It never contains `allowed-tools`. */
export function describeFront({ name, full_name, version, content_sha256, skill }: SkillVersion) {
  return {
    name,
    description: skill.description,
    ...(skill.license === null ? {} : { license: skill.license }),
    ...(skill.compatibility && { compatibility: skill.compatibility }),
    // Some clients skip a SKILL.md with keys beyond the specification at the top. The hub's own keys win.
    metadata: {
      ...skill.metadata,
      ...(skill.argument_hint && { 'argument-hint': skill.argument_hint }),
      version,
      source: `${full_name}@${version}`,
      content_sha256,
    },
  }
}

/** Quotes a string: a JSON string is also a YAML string. The other escaped characters are line breaks in YAML 1.1, and Claude Code ends front matter at any `---`. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|--(?=-)/g,
    (found) => `${found.slice(1)}\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Marks the list of inputs after the content, so that `splitInputs` can find it. */
const INPUTS = [
  '## Inputs',
  '',
  'Put a value in place of each placeholder first: from the conversation or the files at hand. Ask for what is required and missing.',
  '',
  '',
].join('\n')

/** Formats the body. Skills have no named arguments, so the body tells the agent what to insert for each variable. */
function formatBody({ content, variables }: { content: string; variables: readonly Variable[] }): string {
  if (variables.length === 0) return content
  return `${content}\n\n${INPUTS}${variables.map(describeInput).join('')}`
}

function describeInput(variable: Variable): string {
  const { name, type, description, options, default: usual } = variable
  const kind = type === 'string' ? 'text' : type === 'enum' ? `one of ${options.map(quote).join(', ')}` : type
  const parts = [
    ...(description === '' ? [] : [description]),
    ...(usual === null ? [] : [`Default: ${typeof usual === 'string' ? quote(usual) : usual}`]),
  ]
  const need = mustBeGiven(variable) ? 'required' : 'optional'
  return `- \`{{${name}}}\` (${kind}, ${need})${parts.length === 0 ? '' : `: ${parts.join('. ')}`}\n`
}

/** Removes the list of inputs that `formatSkill` writes from the end of a body. */
export function splitInputs(body: string): [content: string, inputs: { name: string; isBare: boolean }[]] {
  const at = body.lastIndexOf(`\n\n${INPUTS}`)
  if (at === -1) return [body, []]
  const lines = body.slice(at + INPUTS.length + 2).matchAll(/^- `\{\{(\w+)\}\}` \((.*)$/gm)
  const inputs = Array.from(lines, ([, name = '', rest]) => ({ name, isBare: rest === 'text, required)' }))
  return [body.slice(0, at), inputs]
}

/** A skill in an index. https://schemas.agentskills.io/discovery/0.2.0/schema.json */
export interface SkillIndexEntry {
  name: string
  /** An archive if the skill has files beside its SKILL.md. */
  type: 'skill-md' | 'archive'
  description: string
  version: string
  /** Relative to the site's root, so that it works at any URL of the hub. */
  url: string
  /** `sha256:` followed by the hex digest of the bytes at `url`. */
  digest: string
  /** Clients before 0.2.0 fetch these files relative to the index, below the skill's name. */
  files: ['SKILL.md', ...string[]]
}

/** Describes a skill for an index. @param digest computes the SHA-256 of a string's bytes, in hex */
export function describeSkill(version: SkillVersion, digest: (text: string) => string): SkillIndexEntry {
  const place = `/${version.full_name}/v/${version.version}`
  const bundle = version.bundle_sha256 ?? null
  return {
    name: version.name,
    type: bundle === null ? 'skill-md' : 'archive',
    description: version.skill.description,
    version: version.version,
    // A file of the skill may have any name except one that begins with a dot, so the archive is in such a folder.
    url: bundle === null ? `${place}/SKILL.md` : `${place}/.well-known/agent-skills/${version.name}.tar.gz`,
    digest: `sha256:${bundle ?? digest(formatSkill(version))}`,
    files: ['SKILL.md', ...(version.files ?? []).map(({ path }) => path)],
  }
}

/** Formats an index of skills. @param next the URL of the next page, or null; omitted for an index without pages */
export function formatSkillIndex(skills: readonly SkillIndexEntry[], next?: string | null): string {
  const $schema = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'
  return JSON.stringify({ $schema, skills, ...(next !== undefined && { next }) })
}

/** Returns a repository's latest version as a skill, or undefined if it is not a skill. */
export function latestSkill(repository: Repository): SkillVersion | undefined {
  const { latest_version, content, content_sha256, skill } = repository
  if (!skill || latest_version === null || content === null || content_sha256 === null) return undefined
  return { ...repository, version: latest_version, content, content_sha256, skill }
}

/**
 * Checks whether a version with a skill field can be a skill. A version that cannot is rejected when published, so that every skill has a SKILL.md.
 *
 * @returns the problems, with `offset` in the content, in UTF-16 code units
 */
export function findSkillProblems({
  skill,
  format,
  content,
  variables,
}: Pick<VersionFrontMatter, 'skill' | 'format'> & { content: string; variables: readonly Variable[] }): ValueProblem[] {
  if (!skill) return []
  if (format === 'chat') return [{ key: 'skill', message: 'expected null, because a chat prompt cannot be a skill' }]
  return listInterpolations(formatBody({ content, variables })).map(({ text, does, offset }) => {
    const message = `expected no ${text} in a skill: Claude Code ${does} when it loads the skill`
    return offset < content.length ? { key: 'content', message, offset } : { key: 'variables', message }
  })
}

/** Maximum number of problems of each kind that are named. */
const MAX_INTERPOLATIONS = 100

/** Finds the parts that Claude Code would execute or include instead of showing, with their offsets in UTF-16 code units, at most a hundred of each kind. In code, `@pytest.fixture` is not a file reference. */
export function listInterpolations(text: string): { text: string; does: string; offset: number }[] {
  const find = (pattern: RegExp, given: string, does: string) =>
    Array.from(given.matchAll(pattern).take(MAX_INTERPOLATIONS), ({ 0: found, index }) => ({
      text: found.slice(0, 60),
      does,
      offset: index,
    }))
  const included = [...find(INCLUDE, blankCode(text), 'includes a file'), ...find(FILE, text, 'includes a file')]
  return [...find(SHELL, text, 'runs a command'), ...new Map(included.map((one) => [one.offset, one])).values()]
}

/** Blanks code blocks and code spans, in which `@pytest.fixture` and `#REF!` are only examples. A span after `!` is kept, because Claude Code executes it. Offsets and lines stay the same. */
export function blankCode(text: string): string {
  const blank = (code: string) => code.replace(/[^\n]/g, ' ')
  return text
    .replace(/^([ \t]*)(`{3,}(?!`)|~{3,}(?!~))(?!!)[^\n]*\n[\s\S]*?(?:^[ \t]*\2[ \t]*$|$(?![\s\S]))/gm, blank)
    .replace(/(?<![!`])(`+)(?!`)[^`\n]+\1(?!`)/g, blank)
}
