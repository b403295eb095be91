// Named rules about the content as a whole; each problem names the file and key that breaks the rule.

import parseLicense from 'spdx-expression-parse'
import { LIMITS } from '../limits.ts'
import { printable } from '../text/printable.ts'
import type { RuleProblem, ValueProblem } from '../text/problems.ts'
import { countBytes } from '../text/text-length.ts'
import { CHAT_NAMES } from '../values/chat.ts'
import { checkChat } from '../values/chat-rules.ts'
import { versionsOf } from '../values/label-target.ts'
import { findContentProblem } from '../values/values.ts'
import { isRange } from '../values/versions.ts'
import type { RepositoryEntry, VersionEntry } from './content-tree.ts'
import { findPlaceholders, findVariableNames } from './placeholders.ts'
import type { RepositoryFile } from './prompt-file.ts'
import { findCertainSecret } from './secrets.ts'
import { findSkillProblems } from './skill.ts'

/** The context for a repository that refers to no other repositories. */
export const NO_NEIGHBOURS: Neighbours = { repositories: { has: () => false } }

/** Finds a version file that is too long to be read, so that every later build would fail. YAML can be many times longer than the JSON that it says. */
export function findLongFile(bytes: number): ValueProblem | undefined {
  if (bytes <= LIMITS.requestBytes) return undefined
  const message = `expected a version file of at most ${LIMITS.requestBytes} bytes, got ${bytes}; shorten the parameters or the variables`
  return { key: 'parameters', message }
}

/** What the rules need of a version. */
export type CheckedVersion = Pick<
  VersionEntry,
  'content' | 'size_bytes' | 'format' | 'changelog' | 'skill' | 'variables' | 'parameters'
>
type VersionRule = (version: CheckedVersion) => ValueProblem | ValueProblem[] | undefined
type RepositoryRule = (repository: RepositoryOutline, tree: Neighbours) => ValueProblem[]

/** The input of a repository's rules. It contains only the numbers of the versions. */
type RepositoryOutline = Pick<RepositoryEntry, 'owner' | 'name' | 'file'> & {
  versions: readonly Pick<VersionEntry, 'version'>[]
}

/** The parts of a repository that the rules for references to it need. */
interface NamingRepository extends Pick<RepositoryEntry, 'owner' | 'name'> {
  file: Pick<RepositoryFile, 'moved_to' | 'replaced_by'> | undefined
}

/** Access to other repositories, either from a tree or looked up on demand. */
export interface Neighbours {
  repositories: { has(fullName: string): boolean }
}

/** The rules for a version. */
export const VERSION_RULES = {
  'content-is-text': ({ content }) => {
    const message = findContentProblem(content)
    return message === undefined ? undefined : { key: 'content', message }
  },
  'content-fits': ({ size_bytes }) =>
    size_bytes <= LIMITS.contentBytes
      ? undefined
      : { key: 'content', message: `expected at most ${LIMITS.contentBytes} bytes, got ${size_bytes}` },
  'variables-are-few': ({ content, format, variables }) => {
    // A version that declares none has no placeholders, whatever its text looks like.
    if (variables.length === 0) return undefined
    // Others count even if they are not declared: comparing them to the declarations is work too.
    const count = Math.max(variables.length, findVariableNames({ content, format }).length)
    return count <= LIMITS.variablesPerVersion
      ? undefined
      : { key: 'content', message: `expected at most ${LIMITS.variablesPerVersion} placeholders, got ${count}` }
  },
  'variables-fit': ({ variables }) => {
    const bytes = countBytes(JSON.stringify(variables))
    return bytes <= LIMITS.variableBytes
      ? undefined
      : {
          key: 'variables',
          message: `expected at most ${LIMITS.variableBytes} bytes as JSON, got ${bytes}; shorten the defaults, examples or options`,
        }
  },
  'placeholders-are-short': ({ content, variables }) => {
    if (variables.length === 0) return undefined
    const long = findPlaceholders(content).find((name) => name.length > LIMITS.variableNameCharacters)
    return long === undefined
      ? undefined
      : {
          key: 'content',
          message: `expected placeholder names of at most ${LIMITS.variableNameCharacters} characters, got ${printable(long)}`,
        }
  },
  'content-is-chat': findFormatProblems,
  'skill-is-harmless': findSkillProblems,
  'holds-no-secret': ({ content, changelog, skill, variables, parameters }) => {
    const texts = {
      content,
      changelog,
      skill: skill?.description ?? '',
      variables: JSON.stringify(variables),
      parameters: JSON.stringify(parameters),
    }
    return Object.entries(texts)
      .flatMap(([key, text]) => findSecretIn(key, text))
      .slice(0, 1)
  },
} as const satisfies Record<string, VersionRule>

/** Returns whether all that is left of a repository is the list of its numbers, after a takedown. */
export const isTakenDown = ({ file, versions }: RepositoryOutline): boolean =>
  versions.length === 0 && Object.keys(file?.removed ?? {}).length > 0

/** Returns the problem of a version that was taken down and has a file. */
export const refuseRemoved = (version: string): ValueProblem => ({
  key: `removed.${version}`,
  message: 'expected no file for a version that was taken down',
})

/** The rules for a repository, including references to other repositories. */
export const REPOSITORY_RULES = {
  'has-versions': (repository) =>
    repository.versions.length > 0 || isTakenDown(repository)
      ? []
      : [{ key: '', message: 'expected at least one version next to it, such as versions/1.0.0.md' }],
  'versions-are-few': ({ versions }) =>
    versions.length <= LIMITS.versionsPerRepository
      ? []
      : [{ key: '', message: `expected at most ${LIMITS.versionsPerRepository} versions, got ${versions.length}` }],
  'yanked-versions-exist': ({ file, versions }) =>
    Object.keys(file?.yanked ?? {})
      .filter((yanked) => !versions.some(({ version }) => version === yanked))
      .map((yanked) => ({ key: `yanked.${yanked}`, message: 'expected a version that exists' })),
  'removed-versions-are-gone': ({ file, versions }) =>
    Object.keys(file?.removed ?? {})
      .filter((removed) => versions.some(({ version }) => version === removed))
      .map(refuseRemoved),
  'labels-point-at-active-versions': ({ file, versions }) =>
    Object.entries(file?.labels ?? {})
      .flatMap(([label, target]) => versionsOf(target).map((version) => [label, version] as const))
      .filter(
        ([, target]) =>
          !versions.some(({ version }) => version === target) || Object.hasOwn(file?.yanked ?? {}, target),
      )
      .map(([label, target]) => ({
        key: `labels.${label}`,
        message: `expected a version that exists and is not yanked, got ${target}`,
      })),
  'advisories-have-ranges': ({ file }) =>
    (file?.advisories ?? []).flatMap(({ range }, index) =>
      isRange(range)
        ? []
        : [
            {
              key: `advisories.${index}.range`,
              message: `expected a range of versions such as "<1.2.0", got ${JSON.stringify(printable(range))}`,
            },
          ],
    ),
  // A successor may move on: that is no fault of this repository, and its owner may not be the one who can change it.
  'successor-exists': (repository: NamingRepository, tree) => checkNamed('moved_to', repository, tree),
  'replacement-exists': (repository: NamingRepository, tree) => checkNamed('replaced_by', repository, tree),
  'license-is-spdx': ({ file }) => {
    const message = findLicenseProblem(file?.license ?? null)
    return message === undefined ? [] : [{ key: 'license', message }]
  },
  'holds-no-secret': ({ file }) =>
    Object.entries(file ?? {}).flatMap(([key, value]) =>
      findSecretIn(key, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
    ),
} as const satisfies Record<string, RepositoryRule>

function checkNamed(
  key: 'moved_to' | 'replaced_by',
  { owner, name, file }: NamingRepository,
  { repositories }: Neighbours,
): ValueProblem[] {
  const named = file?.[key]
  if (!named) return []
  if (named === `${owner}/${name}`) return [{ key, message: 'expected a different repository' }]
  return repositories.has(named) ? [] : [{ key, message: `expected a repository that exists, got ${named}` }]
}

/** Checks every rule for one repository, including references to other repositories. */
export function checkRepository(repository: RepositoryOutline, tree: Neighbours): RuleProblem[] {
  return Object.entries(REPOSITORY_RULES).flatMap(([rule, judge]) =>
    judge(repository, tree).map((problem) => ({ ...problem, rule })),
  )
}

/** Checks a repository's references to other repositories. */
export function checkNames(repository: NamingRepository, others: Neighbours): RuleProblem[] {
  return (['successor-exists', 'replacement-exists'] as const).flatMap((rule) =>
    REPOSITORY_RULES[rule](repository, others).map((problem) => ({ ...problem, rule })),
  )
}

/** Checks every rule for one version. */
export function checkVersion(version: CheckedVersion): RuleProblem[] {
  return Object.entries(VERSION_RULES).flatMap(([rule, judge]) =>
    [judge(version) ?? []].flat().map((problem) => ({ ...problem, rule })),
  )
}

function findFormatProblems({
  format,
  content,
  variables,
}: Pick<VersionEntry, 'format' | 'content' | 'variables'>): ValueProblem[] {
  if (format === 'text') return []
  const found = checkChat(content)
  const hasRefusedNames = found.some(({ message }) => message.includes('no variable'))
  const names = variables.flatMap(({ name }, index) =>
    CHAT_NAMES.has(name) && !hasRefusedNames
      ? [{ key: `variables.${index}.name`, message: `expected a name other than ${name}, which chat prompts use` }]
      : [],
  )
  return [...found, ...names].slice(0, LIMITS.problemsNamed)
}

function findSecretIn(key: string, text: string): ValueProblem[] {
  const secret = findCertainSecret(text)
  return secret ? [{ key, message: secret.message }] : []
}

/** @returns why the license is not an SPDX expression, or undefined. @see https://spdx.org/licenses/ */
export function findLicenseProblem(license: string | null): string | undefined {
  if (license === null) return undefined
  try {
    parseLicense(license)
    return undefined
  } catch {
    return `expected an SPDX license such as MIT or CC-BY-4.0, got ${JSON.stringify(printable(license))}`
  }
}
