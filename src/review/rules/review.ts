// Review rules in addition to those of every build: version numbers, and advice. Each finding names a front matter key, with an offset where possible.
import { compareForCallers } from '../../domain/catalogue/difference.ts'
import type { Place } from '../../domain/content/content-path.ts'
import type { VersionEntry } from '../../domain/content/content-tree.ts'
import type { Finding } from '../../domain/content/finding.ts'
import { findInText, limitFindings } from '../../domain/content/findings.ts'
import { compareVariables } from '../../domain/content/placeholders.ts'
import { DEFAULT_REPOSITORY_FILE, type OwnerFile, type RepositoryFile } from '../../domain/content/prompt-file.ts'
import { checkNewVersion, checkText } from '../../domain/content/rules.ts'
import {
  findMissingFiles,
  findStoredAsText,
  findWeakMetadata,
  warnOfDifference,
} from '../../domain/content/warnings.ts'
import { isPortableName, type RepositoryPlace } from '../../domain/values/names.ts'
import { compareVersions, isNextVersion } from '../../domain/values/versions.ts'
import {
  createReporter,
  type Reporter,
  type ReviewContext,
  type ReviewFinding,
  reviewSender,
} from './review-findings.ts'
import { isRuleName, type RuleName } from './review-rules.ts'

/** The change to a file. */
export interface FileChange {
  /** Whether it is a version that the base does not contain. */
  isNew: boolean
  /** Whether an earlier commit of the base had a file there: every rule for new versions applies, but its number is no step. */
  isRestored: boolean
  /** Whether it is new or differs from the base. Without a base, every file counts as changed and none as new. */
  isTouched: boolean
}

/**
 * Checks the name of a repository and the numbers of its new versions.
 *
 * @param published the numbers in the base
 * @param fresh the new numbers, lowest first
 */
export function reviewVersionNumbers(
  place: RepositoryPlace,
  published: readonly string[],
  fresh: readonly string[],
): ReviewFinding[] {
  const remarks: ReviewFinding[] = []
  if (!isPortableName(place.name)) {
    const isNew = published.length === 0 && fresh.length > 0
    const rule = isNew ? 'portable-name' : 'unportable-name'
    createReporter(remarks, { kind: 'repository', ...place })(rule, '', `the name ${place.name} is reserved on Windows`)
  }
  const used = [...published]
  for (const version of fresh) {
    if (!isNextVersion(used, version)) {
      const highest = used.toSorted(compareVersions)[0]
      const expected =
        highest === undefined ? 'expected 1.0.0 as the first version' : `expected exactly one step above ${highest}`
      createReporter(remarks, { kind: 'version', ...place, version })('version-step', '', `${expected}, got ${version}`)
    }
    used.push(version)
  }
  return remarks
}

/** Reviews one version. @param before the next lower version that is not yanked, if any @param needsMajor whether its owner accepts a breaking change only as a major version */
export function reviewVersion(
  place: RepositoryPlace,
  version: VersionEntry,
  before: VersionEntry | undefined,
  { isNew, isTouched }: FileChange,
  given: ReviewContext,
  needsMajor = false,
): ReviewFinding[] {
  const remarks: ReviewFinding[] = []
  const say = createReporter(remarks, { kind: 'version', ...place, version: version.version })
  if (isTouched && isNew) reviewNewVersion(place, version, given, say)
  if (isTouched) adviseOnVersion(version, before, isNew && needsMajor, say)
  return remarks
}

/** Advises on the text of a file of a skill. */
export function reviewFile(place: Place, text: string): ReviewFinding[] {
  const remarks: ReviewFinding[] = []
  adviseOnTexts({ '': text }, createReporter(remarks, place), true)
  return remarks
}

/** Advises on the files that a skill names but does not have. @param files all files of the version */
export function reviewNamedFiles(
  place: RepositoryPlace,
  version: VersionEntry,
  files: readonly { path: string }[],
): ReviewFinding[] {
  const remarks: ReviewFinding[] = []
  const say = createReporter(remarks, { kind: 'version', ...place, version: version.version })
  if (version.skill) advise(findMissingFiles(version.content, files), say)
  return remarks
}

/** Reviews a repository's `index.md`, if it exists. @param last its highest version, if any */
export function reviewIndex(
  place: RepositoryPlace,
  { title = '', description, tags, license, readme }: RepositoryFile = DEFAULT_REPOSITORY_FILE,
  last?: VersionEntry,
): ReviewFinding[] {
  const remarks: ReviewFinding[] = []
  const say = createReporter(remarks, { kind: 'repository', ...place })
  adviseOnTexts({ title, description }, say, false)
  adviseOnTexts({ readme }, say, true)
  for (const { key, message } of checkText('readme', readme)) say('is-edited', key, message)
  const metadata = { name: place.name, title, description, tags, license }
  for (const { key, message } of findWeakMetadata(metadata, last?.variables ?? [])) {
    const ofVersion =
      key === 'variables' && last ? { kind: 'version' as const, ...place, version: last.version } : undefined
    ;(ofVersion ? createReporter(remarks, ofVersion) : say)(
      key === 'title' ? 'weak-title' : 'weak-metadata',
      key,
      message,
    )
  }
  return remarks
}

/** Reviews a change to an owner's file, as the API decides it. @param before the file in the base @param after undefined if the file is deleted */
export function reviewOwner(
  owner: string,
  before: OwnerFile | 'broken' | undefined,
  after: OwnerFile | undefined,
): ReviewFinding[] {
  if (before === undefined || before === 'broken' || before.members.length === 0) return []
  if (after && after.members.length > 0) return []
  const remarks: ReviewFinding[] = []
  const say = createReporter(remarks, { kind: 'owner', owner })
  say('owner-has-members', after ? 'members' : '', `expected at least one member of ${owner}, got none`)
  return remarks
}

/** Reports that the latest versions of two prompts have the same words. @param path the version file @param other the other prompt's version file */
export function reportSameWords(path: string, other: string): ReviewFinding {
  const message = `has the same words as ${other.split('/').slice(0, 2).join('/')}`
  return { file: `content/${path}`, rule: 'near-duplicate' satisfies RuleName, key: 'content', message }
}

/** Returns whether a prompt is active and has neither moved nor been replaced. An inactive prompt may legitimately have the same text as its replacement. */
export function isInUse({ status, moved_to, replaced_by }: RepositoryFile = DEFAULT_REPOSITORY_FILE): boolean {
  return status === 'active' && !moved_to && !replaced_by
}

function reviewNewVersion(
  { owner }: RepositoryPlace,
  version: VersionEntry,
  context: ReviewContext,
  say: Reporter,
): void {
  const { provenance, published_at, published_by } = version
  reviewSender(
    { owner, provenance, at: ['published_at', published_at], by: ['published_by', published_by] },
    { time: 'published-by-now', author: 'published-by-author' },
    context,
    say,
  )
  for (const { rule, key, message, offset } of checkNewVersion(version))
    if (isRuleName(rule)) say(rule, key, message, offset)
}

function adviseOnVersion(
  version: VersionEntry,
  before: VersionEntry | undefined,
  needsMajor: boolean,
  say: Reporter,
): void {
  const { content, changelog, variables, parameters } = version
  for (const { rule, key, message, offset } of compareVariables(version))
    if (isRuleName(rule)) say(rule, key, message, offset)
  advise(findStoredAsText(version, Boolean(version.includes)), say)
  adviseOnTexts({ content }, say, true)
  adviseOnTexts({ changelog, ...nested({ variables, parameters }) }, say, false)
  if (!before) return
  const changes = compareForCallers({ ...before, files: [] }, { ...version, files: [] })
  for (const { message } of warnOfDifference(changes))
    say(needsMajor ? 'breaking-is-major' : 'breaking-change', '', message)
}

/** Formats structured values as JSON, which is checked like any other text; empty values are skipped. */
function nested(values: Record<string, object>): Record<string, string> {
  const filled = Object.entries(values).filter(([, value]) => Object.keys(value).length > 0)
  return Object.fromEntries(filled.map(([key, value]) => [key, JSON.stringify(value)]))
}

function adviseOnTexts(texts: Record<string, string>, say: Reporter, isPlaced: boolean): void {
  for (const [key, text] of Object.entries(texts)) {
    const findings = limitFindings(findInText(text))
    advise(
      findings.map(({ offset, ...finding }) => ({ ...finding, key, offset: isPlaced ? offset : -1 })),
      say,
    )
  }
}

/** Says what was found; each code of a warning has a rule of the same name. */
function advise(findings: readonly Finding[], say: Reporter): void {
  for (const { code, key = '', message, offset } of findings) {
    const rule = code.replaceAll('_', '-')
    if (isRuleName(rule)) say(rule, key, message, offset < 0 ? undefined : offset)
  }
}
