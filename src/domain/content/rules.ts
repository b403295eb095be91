// Named rules about the content as a whole; each problem names the file and key that breaks the rule.

import parseLicense from 'spdx-expression-parse'
import { LIMITS } from '../limits.ts'
import { countBytes } from '../text/plain-text.ts'
import { printable } from '../text/printable.ts'
import type { RuleProblem, ValueProblem } from '../text/problems.ts'
import { CHAT_NAMES } from '../values/chat.ts'
import { checkChat } from '../values/chat-rules.ts'
import { versionsOf } from '../values/label-target.ts'
import { findContentProblem } from '../values/values.ts'
import { isRange } from '../values/versions.ts'
import type { RepositoryEntry, VersionEntry } from './content-tree.ts'
import { findVariableNames } from './placeholders.ts'
import type { RepositoryFile } from './prompt-file.ts'
import { findCertainSecret } from './secrets.ts'
import { findSkillProblems } from './skill.ts'
import { STARTER_TEXTS } from './starter-texts.ts'

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
  const { content, size_bytes, format, changelog, skill, variables, parameters } = version
  const problems: RuleProblem[] = []
  const say = (rule: string, key: string, message: string) => problems.push({ rule, key, message })
  const unreadable = findContentProblem(content)
  if (unreadable !== undefined) say('content-is-text', 'content', unreadable)
  if (size_bytes > LIMITS.contentBytes)
    say('content-fits', 'content', `expected at most ${LIMITS.contentBytes} bytes, got ${size_bytes}`)
  // A version that declares none has no placeholders, whatever its text looks like.
  const names = variables.length > 0 ? findVariableNames({ content, format }) : []
  // Others count even if they are not declared: comparing them to the declarations is work too.
  const count = Math.max(variables.length, names.length)
  if (count > LIMITS.variablesPerVersion)
    say('variables-are-few', 'content', `expected at most ${LIMITS.variablesPerVersion} placeholders, got ${count}`)
  const texts = {
    content,
    changelog,
    skill: skill?.description ?? '',
    variables: JSON.stringify(variables),
    parameters: JSON.stringify(parameters),
  }
  const bytes = countBytes(texts.variables)
  if (bytes > LIMITS.variableBytes)
    say(
      'variables-fit',
      'variables',
      `expected at most ${LIMITS.variableBytes} bytes as JSON, got ${bytes}; shorten the defaults, examples or options`,
    )
  const long = names.find((name) => name.length > LIMITS.variableNameCharacters)
  if (long !== undefined)
    say(
      'placeholders-are-short',
      'content',
      `expected placeholder names of at most ${LIMITS.variableNameCharacters} characters, got ${printable(long)}`,
    )
  if (format === 'chat')
    for (const problem of findChatProblems(content, variables)) problems.push({ ...problem, rule: 'content-is-chat' })
  if (skill) for (const problem of findSkillProblems(version)) problems.push({ ...problem, rule: 'skill-is-harmless' })
  for (const [key, text] of Object.entries(texts)) {
    const secret = findCertainSecret(text)
    if (!secret) continue
    say('holds-no-secret', key, secret.message)
    break
  }
  return problems
}

/** Checks a version that is about to be published, whatever its origin. A published version cannot be changed, so a build does not apply these rules. */
export function checkNewVersion({
  content,
  variables,
  changelog,
}: Pick<VersionEntry, 'content' | 'variables' | 'changelog'>): RuleProblem[] {
  const problems = [...checkText('content', content), ...checkText('changelog', changelog)]
  for (const [index, { description }] of variables.entries())
    problems.push(...checkText(`variables.${index}.description`, description))
  return problems
}

/** Reports text that is unchanged from the template. @param key the field that contains the text */
export function checkText(key: string, text: string): RuleProblem[] {
  return STARTER_TEXTS.has(text.trim())
    ? [{ rule: 'is-edited', key, message: 'expected your own text, got the text of the template' }]
    : []
}

function findChatProblems(content: string, variables: CheckedVersion['variables']): ValueProblem[] {
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
