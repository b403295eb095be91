// Compares two versions from a caller's perspective: variables, parameters, format and skill. The pages compare the text.
import type { Difference, Variable, VersionRecord } from '../api/schema.ts'
import { mustBeGiven } from '../content/filling.ts'
import { findVariableNames } from '../content/placeholders.ts'
import type { GivenSkill } from '../content/skill.ts'
import { isSameJson } from '../text/json.ts'
import { CHAT_ROLES, type ChatPart, isChatMessage, splitChat } from '../values/chat.ts'
import type { FileEntry } from '../values/file-entry.ts'
import type { Bump } from '../values/versions.ts'

/** The parts of a version that matter to callers. */
export type Callable = Pick<VersionRecord, 'version' | 'content' | 'format' | 'variables' | 'parameters'> & {
  skill?: GivenSkill | null | undefined
  files: Files
}

type Files = readonly Pick<FileEntry, 'path' | 'sha256'>[]

/** The parts of a variable's declaration that affect callers. */
const NOTICED = ['description', 'type', 'required', 'default', 'options', 'example'] as const

/** Parameters that determine the format of the model's output; a change to such a parameter breaks programs that parse the output. */
const SHAPING: ReadonlySet<string> = new Set(['response_format', 'tools', 'tool_choice', 'json_schema'])

/** The reason of a version that is no longer a skill. */
export const NO_SKILL = 'is no longer a skill'

/** Returns the changes that a caller of `from` must know about before upgrading to `to`. docs/contract.md section 7. */
export function compareForCallers(from: Callable, to: Callable): Difference {
  const variables = compareVariables(from, to)
  const messages = compareMessages(from, to)
  const parameters = compareNamed(new Map(Object.entries(from.parameters)), new Map(Object.entries(to.parameters)))
  const shaping = [...parameters.added, ...parameters.removed, ...parameters.changed].filter((key) => SHAPING.has(key))
  const reasons = [
    ...variables.added_required.map((name) => `adds required variable ${name}`),
    ...variables.newly_required.map((name) => `makes variable ${name} required`),
    ...variables.removed.map((name) => `removes variable ${name}`),
    ...variables.narrowed.map((name) => `accepts fewer values of variable ${name}`),
    ...variables.undeclared.map((name) => `adds placeholder ${name} without a declaration`),
    ...(from.format === to.format ? [] : [`changes the format from ${from.format} to ${to.format}`]),
    ...(from.format === to.format && messages.removed.includes('history') ? ['removes {{history}}'] : []),
    ...(from.skill && !to.skill ? [NO_SKILL] : []),
    ...shaping.map((key) => `changes the parameter ${key}`),
  ]
  const others = reasons.length - MAX_REASONS
  return {
    from: from.version,
    to: to.version,
    breaking: reasons.length > 0,
    reasons: others > 0 ? [...reasons.slice(0, MAX_REASONS), `and ${others} more`] : reasons,
    content_changed: from.content !== to.content,
    format_changed: from.format !== to.format,
    skill_changed: Boolean(from.skill ?? to.skill) && !isSameJson(describeSkill(from.skill), describeSkill(to.skill)),
    messages,
    variables,
    parameters,
    files: compareNamed(digestsOf(from.files), digestsOf(to.files)),
  }
}

function compareVariables(from: Callable, to: Callable): Difference['variables'] {
  const before = new Map(from.variables.map((variable) => [variable.name, variable]))
  const added: string[] = []
  const added_required: string[] = []
  const newly_required: string[] = []
  const narrowed: string[] = []
  const changed: Difference['variables']['changed'] = []
  for (const variable of to.variables) {
    const { name } = variable
    const old = before.get(name)
    if (!old) {
      added.push(name)
      if (mustBeGiven(variable)) added_required.push(name)
      continue
    }
    before.delete(name)
    if (isSameJson(old, variable)) continue
    if (!mustBeGiven(old) && mustBeGiven(variable)) newly_required.push(name)
    if (isNarrower(old, variable)) narrowed.push(name)
    const fields = NOTICED.filter((field) => !isSameJson(old[field], variable[field]))
    if (fields.length > 0) changed.push({ name, fields })
  }
  const removed = [...before.keys()]
  return { added, added_required, removed, newly_required, narrowed, undeclared: findUndeclared(from, to), changed }
}

/** Returns the smallest part of the version number that fits a change. @param difference undefined if there is nothing to compare with */
export function smallestBump(difference: Difference | undefined): Bump {
  if (!difference) return 'minor'
  if (difference.breaking) return 'major'
  const { variables, parameters, files, format_changed, skill_changed } = difference
  const names = [variables, parameters, files].flatMap((lists) => Object.values(lists).flat())
  return names.length > 0 || format_changed || skill_changed ? 'minor' : 'patch'
}

/** Maximum number of reasons that are named; the others are counted. */
const MAX_REASONS = 10

/** Finds the placeholders that the content gained and that the declared list lacks, so that they stay in the text. Without declarations, every placeholder is a variable or, with an empty list, text. */
function findUndeclared(from: Callable, to: Callable): string[] {
  if (to.variables.length === 0 || from.content === to.content) return []
  const lacking = new Set(findVariableNames(to))
  for (const { name } of to.variables) lacking.delete(name)
  if (lacking.size === 0) return []
  for (const name of findVariableNames(from)) lacking.delete(name)
  return [...lacking]
}

function describeSkill(skill: GivenSkill | null | undefined) {
  if (!skill) return null
  const { description, license, compatibility = null, allowed_tools = [], argument_hint = null, metadata = {} } = skill
  return { description, license, compatibility, allowed_tools, argument_hint, metadata }
}

/** Compares each version with the next lower version ever published, in the given order, on demand. @param records highest first */
export function* compareNeighbours(records: readonly Callable[]): Generator<Difference> {
  for (const [index, record] of records.slice(0, -1).entries()) yield compareForCallers(records[index + 1]!, record)
}

/** Returns whether a previously valid value may now be rejected, because its type changed or an option was removed. */
function isNarrower(old: Variable, now: Variable): boolean {
  if (now.type === 'enum') return old.type !== 'enum' || old.options.some((option) => !now.options.includes(option))
  return old.type !== now.type && now.type !== 'string' && !(old.type === 'integer' && now.type === 'number')
}

const KINDS = [...CHAT_ROLES, 'history'] as const
interface Part {
  part: ChatPart
  kind: (typeof KINDS)[number]
}

function compareMessages(from: Callable, to: Callable): Difference['messages'] {
  if (from.format !== 'chat' && to.format !== 'chat') return { added: [], removed: [], changed: [] }
  const [before, after] = [partsOf(from), partsOf(to)]
  const counts = new Map(KINDS.map((kind) => [kind, countKind(after, kind) - countKind(before, kind)]))
  const gained = (kind: Part['kind']) => counts.get(kind)!
  // Adding or removing a message does not affect the following messages: positions are counted within each role.
  const place = (parts: Part[]) =>
    parts.filter(({ kind }) => gained(kind) === 0).map((part, place) => ({ ...part, place }))
  const [old, now] = [place(before), place(after)]
  const isChanged = (kind: Part['kind']) =>
    !isSameJson(
      old.filter((part) => part.kind === kind),
      now.filter((part) => part.kind === kind),
    )
  return {
    added: KINDS.filter((kind) => gained(kind) > 0),
    removed: KINDS.filter((kind) => gained(kind) < 0),
    changed: KINDS.filter(isChanged),
  }
}

function countKind(parts: readonly Part[], kind: Part['kind']): number {
  return parts.filter((part) => part.kind === kind).length
}

function partsOf({ format, content }: Callable): Part[] {
  if (format !== 'chat') return []
  return splitChat(content).map((part) => ({ part, kind: isChatMessage(part) ? part.role : part.type }))
}

/** Compares what has names: parameters, or the digests of files. */
function compareNamed(from: Map<string, unknown>, to: Map<string, unknown>): Difference['files'] {
  const added: string[] = []
  const changed: string[] = []
  for (const [name, value] of to) {
    if (!from.has(name)) added.push(name)
    else if (!isSameJson(from.get(name), value)) changed.push(name)
    from.delete(name)
  }
  return { added, removed: [...from.keys()], changed }
}

const digestsOf = (files: Files) => new Map(files.map(({ path, sha256 }) => [path, sha256]))
