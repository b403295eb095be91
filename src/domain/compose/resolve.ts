// Decides which version an include line includes, from what is known about the repository that it names. docs/compose.md

import type { Warning } from '../api/schema.ts'
import type { RepositoryFile } from '../content/prompt-file.ts'
import { countOf } from '../text/plain-text.ts'
import type { Parsed, ValueProblem } from '../text/problems.ts'
import { kindOfRange } from '../values/include-range.ts'
import { targetOf } from '../values/label-target.ts'
import { isVersion } from '../values/names.ts'
import { compareVersions, selectVersions } from '../values/versions.ts'
import type { IncludeLine, Reference } from './include-lines.ts'

/** What decides which version of a repository a reference selects. */
export interface Selectable {
  /** Every number ever published; empty if there is no such repository. */
  versions: readonly string[]
  file: Pick<RepositoryFile, 'yanked' | 'removed' | 'labels' | 'moved_to'>
}

/** A repository that may be included. */
interface Includable extends Selectable {
  owner: string
  name: string
  file: Selectable['file'] & Pick<RepositoryFile, 'advisories' | 'status' | 'status_message'>
}

/** A version that an include line includes. */
export interface Resolved extends Reference {
  version: string
  /** What its maintainers warn about, as ends of sentences. */
  concerns: string[]
}

/** An include line of a source that may be composed again. */
export interface SourceLine extends IncludeLine {
  /** The version that the latest version includes there. */
  held?: string | undefined
}

/** What keeps a prompt that is composed again from versions that are too new. */
export interface MinAge {
  days: number
  /** The versions that are old enough, by the full name of their repository. */
  oldEnough: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * Resolves include lines.
 *
 * @param self the full name of the prompt that is composed
 * @param known the repositories that the lines name
 * @param minAge if given, a newer version than the held one must be old enough, and none is lower
 * @returns the versions in the order of the lines, or all problems
 */
export function resolveIncludes(
  self: string,
  lines: readonly SourceLine[],
  known: readonly Includable[],
  minAge?: MinAge,
): Parsed<Resolved[]> {
  const byName = new Map(known.map((one) => [`${one.owner}/${one.name}`, one]))
  const problems: ValueProblem[] = []
  const value = lines.flatMap(({ repository, range, held, offset }): Resolved[] => {
    const neighbour = byName.get(repository)
    const hold = minAge && { held, days: minAge.days, oldEnough: minAge.oldEnough.get(repository) ?? new Set() }
    const found =
      repository === self
        ? { problem: 'a prompt cannot include itself. Publish the shared part as a prompt of its own' }
        : selectVersion(neighbour, { repository, range }, hold)
    if (neighbour && found.version !== undefined) {
      const concerns = listConcerns(neighbour.file, found.version)
      return [{ repository, range, version: found.version, concerns }]
    }
    problems.push({ key: 'content', message: found.problem ?? '', offset })
    return []
  })
  return problems.length > 0 ? { problems } : { value }
}

/** The version, or why there is none. */
type Resolution = { version: string; problem?: never } | { version?: never; problem: string }

const WAIT = 'Wait, or compose with a lower minimum age'

/** Selects the version that a reference includes. @param hold the version that it includes now, and those that may replace it */
export function selectVersion(
  found: Selectable | undefined,
  { repository, range }: Reference,
  hold?: { held: string | undefined; days: number; oldEnough: ReadonlySet<string> },
): Resolution {
  if (!found || found.versions.length === 0)
    return { problem: `${repository} is not a prompt on this hub. Check the spelling, or publish it first` }
  const { yanked, removed, labels, moved_to } = found.file
  if (moved_to !== null) return { problem: `${repository} has moved. Include ${moved_to} instead` }
  const isLabel = kindOfRange(range) === 'label'
  const label = isLabel ? targetOf(labels, range)?.version : undefined
  if (isLabel && label === undefined)
    return { problem: `${repository} has no label ${range}. Set it first, or write a range` }
  const isTooNew = (version: string) =>
    hold !== undefined &&
    !hold.oldEnough.has(version) &&
    (hold.held === undefined || compareVersions(version, hold.held) < 0)
  const isWaiting = label !== undefined && isTooNew(label)
  if (isWaiting && hold?.held === undefined)
    return {
      problem: `${repository}@${label}, which ${range} names, has not been available for ${countOf(hold?.days ?? 0, 'day')}. ${WAIT}`,
    }
  const wanted = (isWaiting ? hold?.held : label) ?? range
  if (isVersion(wanted)) {
    if (Object.hasOwn(removed, wanted))
      return { problem: `${repository}@${wanted} was taken down. Include another version` }
    if (!found.versions.includes(wanted))
      return { problem: `${repository} has no version ${wanted}. Include one that exists, or write a range` }
    if (Object.hasOwn(yanked, wanted))
      return { problem: `${repository}@${wanted} was yanked (${yanked[wanted]}). Include another version` }
    return { version: wanted }
  }
  const active = found.versions.filter((version) => !Object.hasOwn(yanked, version))
  if (active.length === 0) return { problem: `${repository} has no active version. Include another prompt` }
  const highest = selectVersions(
    active.filter((version) => !isTooNew(version)),
    wanted,
  )[0]
  if (hold && (highest === undefined || (hold.held !== undefined && compareVersions(highest, hold.held) > 0)))
    return {
      problem: `${repository} has no active version in ${range} that has been available for ${countOf(hold.days, 'day')}${hold.held === undefined ? '' : ` and is not lower than the included ${hold.held}`}. ${WAIT}`,
    }
  if (highest !== undefined) return { version: highest }
  const count = countOf(active.length, 'active version')
  return { problem: `${repository} has ${count}, but none in ${range}. Change the range, or publish such a version` }
}

/** @returns ends of sentences that begin with the version */
function listConcerns({ advisories, status, status_message }: Includable['file'], version: string): string[] {
  const advised = advisories
    .filter(({ range }) => selectVersions([version], range).length > 0)
    .map(({ severity, message }) => `has an advisory of severity ${severity}: ${message}`)
  return status === 'active'
    ? advised
    : [...advised, `is of a prompt that is ${status}${status_message ? `: ${status_message}` : ''}`]
}

/** Maximum number of concerns that are named. */
const MAX_CONCERNS = 5

/** Warns about parts with an advisory, and parts that are deprecated or archived. */
export function warnOfParts(parts: readonly Resolved[]): Warning[] {
  const messages = new Set(
    parts.flatMap(({ repository, version, concerns }) => concerns.map((one) => `${repository}@${version} ${one}`)),
  )
  return [...messages]
    .slice(0, MAX_CONCERNS)
    .map((message) => ({ code: 'included_advisory', message: `includes: ${message}`, line: null }))
}
