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
  const before = new Map(from.variables.map((variable) => [variable.name, variable]))
  const after = new Map(to.variables.map((variable) => [variable.name, variable]))
  const kept = to.variables.flatMap((variable) => {
    const old = before.get(variable.name)
    return old ? [{ name: variable.name, old, variable }] : []
  })
  const added = to.variables.filter(({ name }) => !before.has(name))
  const removed = from.variables.filter(({ name }) => !after.has(name))
  const newlyRequired = kept.filter(({ old, variable }) => !mustBeGiven(old) && mustBeGiven(variable))
  const narrowed = kept.filter(({ old, variable }) => isNarrower(old, variable))
  const undeclared = findUndeclared(from, to)
  const messages = compareMessages(from, to)
  const parameters = compareParameters(from.parameters, to.parameters)
  const shaping = [...parameters.added, ...parameters.removed, ...parameters.changed].filter((key) => SHAPING.has(key))
  const reasons = [
    ...added.filter(mustBeGiven).map(({ name }) => `adds required variable ${name}`),
    ...newlyRequired.map(({ name }) => `makes variable ${name} required`),
    ...removed.map(({ name }) => `removes variable ${name}`),
    ...narrowed.map(({ name }) => `accepts fewer values of variable ${name}`),
    ...undeclared.map((name) => `adds placeholder ${name} without a declaration`),
    ...(from.format === to.format ? [] : [`changes the format from ${from.format} to ${to.format}`]),
    ...(from.format === to.format && messages.removed.includes('history') ? ['removes {{history}}'] : []),
    ...(from.skill && !to.skill ? [NO_SKILL] : []),
    ...shaping.map((key) => `changes the parameter ${key}`),
  ]
  return {
    from: from.version,
    to: to.version,
    breaking: reasons.length > 0,
    reasons: limitReasons(reasons),
    content_changed: from.content !== to.content,
    format_changed: from.format !== to.format,
    skill_changed: !isSameJson(describeSkill(from.skill), describeSkill(to.skill)),
    messages,
    variables: {
      added: added.map(({ name }) => name),
      added_required: added.filter(mustBeGiven).map(({ name }) => name),
      removed: removed.map(({ name }) => name),
      newly_required: newlyRequired.map(({ name }) => name),
      narrowed: narrowed.map(({ name }) => name),
      undeclared,
      changed: kept.flatMap(({ name, old, variable }) => {
        const fields = NOTICED.filter((field) => !isSameJson(old[field], variable[field]))
        return fields.length === 0 ? [] : [{ name, fields }]
      }),
    },
    parameters,
    files: compareFiles(from.files, to.files),
  }
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

function limitReasons(reasons: readonly string[]): string[] {
  if (reasons.length <= MAX_REASONS) return [...reasons]
  return [...reasons.slice(0, MAX_REASONS), `and ${reasons.length - MAX_REASONS} more`]
}

/** Finds the placeholders that the content gained and that the declared list lacks, so that they stay in the text. Without declarations, every placeholder is a variable or, with an empty list, text. */
function findUndeclared(from: Callable, to: Callable): string[] {
  if (to.variables.length === 0 || from.content === to.content) return []
  const declared = new Set(to.variables.map(({ name }) => name))
  const lacking = findVariableNames(to).filter((name) => !declared.has(name))
  if (lacking.length === 0) return []
  const before = new Set(findVariableNames(from))
  return lacking.filter((name) => !before.has(name))
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

function compareParameters(from: VersionRecord['parameters'], to: VersionRecord['parameters']) {
  const added = Object.keys(to).filter((key) => !Object.hasOwn(from, key))
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key))
  const changed = Object.keys(to).filter((key) => Object.hasOwn(from, key) && !isSameJson(from[key], to[key]))
  return { added, removed, changed }
}

function compareFiles(from: Files, to: Files): Difference['files'] {
  const before = new Map(from.map(({ path, sha256 }) => [path, sha256]))
  const after = new Set(to.map(({ path }) => path))
  const paths = (files: Files) => files.map(({ path }) => path)
  return {
    added: paths(to.filter(({ path }) => !before.has(path))),
    removed: paths(from.filter(({ path }) => !after.has(path))),
    changed: paths(to.filter(({ path, sha256 }) => before.has(path) && before.get(path) !== sha256)),
  }
}
