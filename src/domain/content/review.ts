// Owns what a review says of content beyond the rules that keep a tree from being served: of new versions, and advice; where each stands is an offset or a key.
import { compareForCallers } from '../catalogue/difference.ts'
import { compareVersions, isNextVersion, stepBetween } from '../catalogue/versions.ts'
import { formatPath, parsePath } from './content-path.ts'
import type { ContentTree, RepositoryEntry, VersionEntry } from './content-tree.ts'
import { findInText, limitFindings, warnOfDifference, warnOfMetadata } from './findings.ts'
import { findNearDuplicates } from './near-duplicates.ts'
import { findPlaceholders } from './placeholders.ts'
import type { Problem } from './problems.ts'
import type { RuleName } from './review-rules.ts'

/** What changed since a base; paths are from the content folder. */
export interface Changes {
  /** Versions that the base has. */
  published: ReadonlySet<string>
  /** Versions that once were there, and come back byte for byte. */
  restored: ReadonlySet<string>
  /** Files that are other than in the base, or new. */
  touched: ReadonlySet<string>
}

/** A problem with its place in the text of its key, where that is known: in UTF-16 units from the start of it. */
interface Remark extends Problem {
  rule: RuleName
  offset?: number
}

type Say = (rule: RuleName, key: string, message: string, offset?: number) => void

/** Reviews a tree. @param changes what to look at; without it everything is looked at, and nothing is taken for new */
export function reviewTree(tree: ContentTree, changes?: Changes): Remark[] {
  const remarks: Remark[] = []
  const isTouched = (path: string) => changes === undefined || changes.touched.has(path)
  const sayOf =
    (path: string): Say =>
    (rule, key, message, offset) => {
      remarks.push({ file: `content/${path}`, rule, key, message, ...(offset !== undefined && { offset }) })
    }
  const published = groupVersions(changes?.published ?? [])
  for (const repository of tree.repositories.values()) {
    const { owner, name } = repository
    const versions = repository.versions.toSorted((a, b) => compareVersions(b.version, a.version))
    const paths = new Map(
      versions.map((one) => [one, formatPath({ kind: 'version', owner, name, version: one.version })]),
    )
    const isNew = (path: string) => changes !== undefined && !changes.published.has(path) && !changes.restored.has(path)
    const fresh = versions.filter((one) => isNew(paths.get(one)!))
    judgeSteps(published.get(`${owner}/${name}`) ?? [], fresh, (one) => sayOf(paths.get(one)!))
    for (const [index, version] of versions.entries()) {
      const path = paths.get(version)!
      if (!isTouched(path)) continue
      if (isNew(path)) judgeNewVersion(version, sayOf(path))
      adviseOnVersion(version, versions[index - 1], sayOf(path))
    }
    const index = formatPath({ kind: 'repository', owner, name })
    const last = versions.at(-1)
    if (isTouched(index) || (last && isTouched(paths.get(last)!)))
      adviseOnRepository(repository, last, sayOf(index), sayOf)
  }
  for (const { of, name, share } of findNearDuplicates(latestContents(tree))) {
    const [touched, other] = isRepositoryTouched(of) ? [of, name] : [name, of]
    if (!isRepositoryTouched(touched)) continue
    const message = `says nearly the same as ${other}: ${Math.round(share * 100)} % of their runs of words`
    sayOf(latestPath(tree, touched))('near-duplicate', 'content', message)
  }
  return remarks

  function isRepositoryTouched(fullName: string): boolean {
    return isTouched(latestPath(tree, fullName))
  }
}

function latestOf({ versions }: RepositoryEntry): VersionEntry | undefined {
  return versions.toSorted((a, b) => compareVersions(a.version, b.version))[0]
}

function latestPath(tree: ContentTree, fullName: string): string {
  const repository = tree.repositories.get(fullName)!
  const { owner, name } = repository
  return formatPath({ kind: 'version', owner, name, version: latestOf(repository)?.version ?? '1.0.0' })
}

/** What is not meant for use any more may well be the same as what took its place. */
function* latestContents(tree: ContentTree): Generator<readonly [string, string]> {
  for (const [fullName, repository] of tree.repositories) {
    const latest = latestOf(repository)
    const { status = 'active', moved_to = null, replaced_by = null } = repository.file ?? {}
    if (latest && status === 'active' && !moved_to && !replaced_by) yield [fullName, latest.content]
  }
}

/** The numbers at paths of versions, by the full name of their repository. */
function groupVersions(paths: Iterable<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    const place = parsePath(path).value
    if (place?.kind !== 'version') continue
    const fullName = `${place.owner}/${place.name}`
    groups.set(fullName, [...(groups.get(fullName) ?? []), place.version])
  }
  return groups
}

/** @param fresh the new ones, lowest first */
function judgeSteps(
  published: readonly string[],
  fresh: readonly VersionEntry[],
  sayOf: (version: VersionEntry) => Say,
): void {
  const used = [...published]
  for (const one of fresh) {
    if (!isNextVersion(used, one.version)) {
      const highest = used.toSorted(compareVersions)[0]
      const expected =
        highest === undefined ? 'expected 1.0.0 as the first version' : `expected exactly one step above ${highest}`
      sayOf(one)('version-step', '', `${expected}, got ${one.version}`)
    }
    used.push(one.version)
  }
}

function judgeNewVersion({ provenance, variables, content }: VersionEntry, say: Say): void {
  if (provenance) say('no-forged-provenance', 'provenance', 'expected none: only the hub writes it')
  const used = findPlaceholders(content)
  for (const [index, { name }] of variables.entries())
    if (!used.includes(name)) say('variables-are-used', `variables.${index}`, `expected {{${name}}} in the content`)
  if (variables.length === 0) return
  for (const name of used.filter((one) => !variables.some((variable) => variable.name === one))) {
    const message = `expected a declaration of the placeholder {{${name}}}`
    say('placeholders-are-declared', 'content', message, content.search(new RegExp(`\\{\\{ ?${name} ?\\}\\}`)))
  }
}

function adviseOnVersion(version: VersionEntry, before: VersionEntry | undefined, say: Say): void {
  const { content, changelog, variables, parameters } = version
  adviseOnTexts({ content }, say, true)
  adviseOnTexts({ changelog, ...nested({ variables, parameters }) }, say, false)
  if (!before) return
  const warnings = warnOfDifference(compareForCallers(before, version), stepBetween(before.version, version.version))
  for (const { message } of warnings) say('breaking-change', '', message)
}

/** Structures are looked at as JSON; one that holds nothing is not there. */
function nested(values: Record<string, object>): Record<string, string> {
  const filled = Object.entries(values).filter(([, value]) => Object.keys(value).length > 0)
  return Object.fromEntries(filled.map(([key, value]) => [key, JSON.stringify(value)]))
}

function adviseOnTexts(texts: Record<string, string>, say: Say, isPlaced: boolean): void {
  const names = { secret: 'secret', hidden_characters: 'hidden-characters', look_alikes: 'look-alikes' } as const
  for (const [key, text] of Object.entries(texts)) {
    for (const { code, message, offset } of limitFindings(findInText(text)))
      if (code in names)
        say(names[code as keyof typeof names], key, message, isPlaced && offset >= 0 ? offset : undefined)
  }
}

function adviseOnRepository(
  { owner, name, file }: RepositoryEntry,
  last: VersionEntry | undefined,
  say: Say,
  sayOf: (path: string) => Say,
): void {
  const { title = '', description = '', tags = [], license = null, readme = '' } = file ?? {}
  adviseOnTexts({ title, description }, say, false)
  adviseOnTexts({ readme }, say, true)
  if (title.trim().length < 3 || title === name)
    say('weak-title', 'title', 'say in a few words what the prompt is called')
  for (const { message } of warnOfMetadata({ description, tags, license }, last?.variables ?? [])) {
    const key = message.split(': ', 1)[0]!
    const isOfVersion = key === 'variables' && last
    const path = isOfVersion && formatPath({ kind: 'version', owner, name, version: last.version })
    ;(path ? sayOf(path) : say)('weak-metadata', key, message.slice(key.length + 2))
  }
}
