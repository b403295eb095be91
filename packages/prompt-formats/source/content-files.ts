// Converts an imported prompt to files below content/: a first version, the next version, or nothing if unchanged.

import type { ConversionProblem } from '../../../src/domain/api/export-formats.ts'
import { compareForCallers } from '../../../src/domain/catalogue/difference.ts'
import { formatPath } from '../../../src/domain/content/content-path.ts'
import {
  editRepositoryFile,
  formatPublished,
  isSameVersion,
  listRemoved,
  parseRepositoryFile,
  parseVersionFile,
  type RepositoryFile,
  type VersionFile,
} from '../../../src/domain/content/prompt-file.ts'
import { checkVersion, findLongFile } from '../../../src/domain/content/rules.ts'
import { storeSkill } from '../../../src/domain/content/skill.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { isSameJson } from '../../../src/domain/text/json.ts'
import { countBytes } from '../../../src/domain/text/plain-text.ts'
import { formatProblems, type ValueProblem } from '../../../src/domain/text/problems.ts'
import { areSameFiles, type FileEntry } from '../../../src/domain/values/file-entry.ts'
import { titleFromName } from '../../../src/domain/values/names.ts'
import { nextVersion, sortVersions } from '../../../src/domain/values/versions.ts'
import type { PromptSource } from './assign-names.ts'
import { type Details, toDetails } from './details.ts'
import { toLine } from './names.ts'
import { ConversionProblems, contentOf, type PortablePrompt } from './portable.ts'
import { toName } from './to-name.ts'

/** An existing repository, which may have lost its versions. */
export interface ExistingRepository {
  /** Every version number ever published. */
  versions: readonly string[]
  /** Returns the text of a version's file. */
  read: (version: string) => string
  /** Describes the files beside a version's SKILL.md. */
  describeFiles: (version: string) => readonly FileEntry[]
  /** The text of its `index.md`; undefined if it has none. */
  index: string | undefined
  /** The text of its test cases; undefined if it has none. */
  tests?: string | undefined
}

/** Options of an import. */
export interface ImportOrder {
  owner: string
  /** The login recorded as publisher. */
  by: string
  /** The license for prompts whose source states no license; null for no license. */
  license: string | null
  /** Such as `2026-11-20T10:00:00Z`. */
  publishedAt: string
}

/** A file below content/. */
interface ImportedFile {
  path: string
  text: string
  /** For a version file, the files beside its SKILL.md. They are written before it. */
  files?: readonly FileEntry[]
}

/** The result of importing a prompt. `updated` means that only its `index.md` changes. */
export type ImportedFiles =
  | {
      status: 'new' | 'changed' | 'updated' | 'unchanged'
      version: string
      files: ImportedFile[]
      lost: ConversionProblem[]
    }
  | { status: 'refused'; problems: ValueProblem[]; lost: ConversionProblem[] }

type Said = Pick<VersionFile, 'content' | 'format' | 'variables' | 'parameters' | 'skill' | 'includes'>

/**
 * Creates the files of one prompt. Only the source that a prompt was imported from can change it.
 *
 * @param source where the prompt was read
 * @param existing the repository with that name; undefined for a new one
 * @param step for one of several versions in one source: `isChecked` if the source may change the prompt, and `isHistory` if the source had this version before the prompt was on the hub; such versions are numbered by minor versions, whatever changed
 */
export function importPrompt(
  prompt: PortablePrompt,
  source: PromptSource,
  name: string,
  existing: ExistingRepository | undefined,
  order: ImportOrder,
  { isChecked = false, isHistory = false }: { isChecked?: boolean; isHistory?: boolean } = {},
): ImportedFiles {
  const findings = new ConversionProblems()
  const lost = findings.all
  const stated = toDetails(prompt, findings)
  // A license in other words than SPDX is stated too, so none takes its place.
  const isUnlicensed = existing === undefined && stated.license === undefined && order.license !== null
  const details = isUnlicensed ? { ...stated, license: order.license } : stated
  const latest = sortVersions(existing?.versions ?? [])[0]
  const read = latest === undefined ? undefined : parseVersionFile(existing!.read(latest))
  if (read?.problems) {
    const path = formatPath({ kind: 'version', owner: order.owner, name, version: latest! })
    const message = `content/${path} cannot be read: ${formatProblems(read.problems)}. Mend it, then import again`
    return { status: 'refused', problems: [{ key: 'version', message }], lost }
  }
  const before = read?.value
  const index = existing?.index === undefined ? undefined : parseRepositoryFile(existing.index)
  if (index?.problems) return { status: 'refused', problems: index.problems, lost }
  const file = index?.value
  const license = (details.license === undefined ? file?.license : details.license) ?? null
  const said = describeVersion(prompt, license)
  const files = prompt.files ?? []
  const hasSameFiles = latest === undefined || areSameFiles(existing!.describeFiles(latest), files)
  const isSame = before !== undefined && isSameVersion(before, said) && hasSameFiles
  const origin = file?.imported_from
  // An import that was stopped after the first version has written no index.md yet.
  const isUnfinished = isSame && index === undefined && existing?.versions.length === 1
  const isOther = origin?.path !== source.path || origin.sha256 === source.sha256
  if (before && latest && !isChecked && !isUnfinished && isOther) {
    const full = `${order.owner}/${name}`
    if (origin?.path !== source.path && (before.content !== said.content || !hasSameFiles))
      return { status: 'refused', problems: [describeOther(full, origin, source)], lost }
    const kept = isSame
      ? listChanged(details, file).map((key) => [key, JSON.stringify(details[key])] as const)
      : [['version', `what differs from ${latest}`] as const]
    // The same file was imported before, so whatever differs was changed on the hub since.
    if (origin?.path !== source.path || !isSame)
      for (const [key, value] of kept)
        findings.lost(key, `${value} is not taken over, because ${describeReason(full, origin, source)}`)
    return { status: 'unchanged', version: latest, files: [], lost }
  }
  const version = isSame ? latest! : nextNumber(before, latest, said, existing, isHistory)
  const made: ImportedFile[] = []
  if (!isSame) {
    if ((existing?.versions.length ?? 0) >= LIMITS.versionsPerRepository) {
      const message = `expected at most ${LIMITS.versionsPerRepository}. Import the newer ones under another name`
      return { status: 'refused', problems: [{ key: 'versions', message }], lost }
    }
    const text = formatVersion(prompt, said, before !== undefined && !isHistory, order)
    const problems = checkText(text)
    if (problems.length > 0) return { status: 'refused', problems, lost }
    const path = formatPath({ kind: 'version', owner: order.owner, name, version })
    made.push({ path, text, ...(files.length > 0 && { files }) })
  }
  const changes = listChanged(details, file)
  const text = editRepositoryFile(existing?.index, {
    ...(existing?.index === undefined ? { title: titleOf(prompt, name) } : {}),
    ...Object.fromEntries(changes.map((key) => [key, details[key]])),
    imported_from: source,
  })
  const { problems } = parseRepositoryFile(text)
  if (problems) return { status: 'refused', problems, lost }
  made.push({ path: formatPath({ kind: 'repository', owner: order.owner, name }), text })
  const hasNewTests = prompt.tests !== undefined && prompt.tests !== existing?.tests
  // The index comes last, so that an import that was stopped before it is repeated.
  if (hasNewTests)
    made.splice(-1, 0, { path: formatPath({ kind: 'tests', owner: order.owner, name }), text: prompt.tests! })
  const isUpdated = changes.length > 0 || hasNewTests
  const status = before === undefined ? 'new' : isSame ? (isUpdated ? 'updated' : 'unchanged') : 'changed'
  return { status, version, files: made, lost }
}

/** Describes a prompt as the version that an import writes. */
export function describeVersion(prompt: PortablePrompt, license: string | null): Said {
  return {
    content: prompt.composed?.content ?? contentOf(prompt),
    format: prompt.body.format,
    variables: prompt.variables,
    parameters: prompt.parameters,
    skill: prompt.skill ? storeSkill({ ...prompt.skill, license }) : undefined,
    ...(prompt.composed && { includes: prompt.composed.includes }),
  }
}

/** A name without Latin letters is a better title than the digest that stands for it. */
function titleOf(prompt: PortablePrompt, name: string): string {
  return toName(prompt.name) === '' && prompt.name.trim() !== ''
    ? toLine(prompt.name, LIMITS.titleCharacters)
    : titleFromName(name)
}

function nextNumber(
  before: VersionFile | undefined,
  latest: string | undefined,
  said: Said,
  existing: ExistingRepository | undefined,
  isHistory: boolean,
): string {
  const used = [...(existing?.versions ?? []), ...listRemoved(existing?.index)]
  if (!before || !latest) return nextVersion(used, 'minor')
  const { breaking } = compareForCallers({ ...before, version: latest, files: [] }, { ...said, version: '', files: [] })
  return nextVersion(used, breaking && !isHistory ? 'major' : 'minor')
}

/** Lists the details that a source states and that the prompt has otherwise. */
function listChanged(details: Details, file: RepositoryFile | undefined): (keyof Details)[] {
  return (Object.keys(details) as (keyof Details)[]).filter(
    (key) =>
      !isSameJson(details[key] ?? null, file?.[key] ?? (key === 'tags' ? [] : key === 'description' ? '' : null)),
  )
}

function describeOther(full: string, origin: PromptSource | undefined, source: PromptSource): ValueProblem {
  const own = origin === undefined ? 'was not imported from a file' : `was imported from ${origin.path}`
  const moved =
    origin === undefined ? '' : `, or, if the file has moved, change imported_from in content/${full}/index.md`
  return {
    key: 'imported_from',
    message: `${full} ${own}, and ${source.path} has another text or other files. Give that file another name${moved}`,
  }
}

function describeReason(full: string, origin: PromptSource | undefined, source: PromptSource): string {
  if (origin === undefined) return `${full} was not imported from a file`
  return origin.path === source.path
    ? `${source.path} has not changed since the last import`
    : `${full} was imported from ${origin.path}`
}

function formatVersion(prompt: PortablePrompt, said: Said, isNext: boolean, order: ImportOrder): string {
  const changelog = toLine(prompt.changelog, LIMITS.changelogCharacters) || (isNext ? 'Imported again' : 'Imported')
  return formatPublished({ ...said, published_at: order.publishedAt, published_by: order.by, changelog })
}

function checkText(text: string): ValueProblem[] {
  const parsed = parseVersionFile(text)
  if (parsed.problems) return parsed.problems
  const long = findLongFile(countBytes(text))
  if (long) return [long]
  return checkVersion({ ...parsed.value, size_bytes: countBytes(parsed.value.content) })
}
