// Converts an imported prompt to files below content/: a first version, the next version, or nothing if unchanged.
import { LIMITS } from '../api/limits.ts'
import { compareForCallers } from '../catalogue/difference.ts'
import { nextVersion, sortVersions } from '../catalogue/versions.ts'
import { formatChat } from '../content/chat.ts'
import { formatPath } from '../content/content-path.ts'
import { isPortableName, titleFromName } from '../content/names.ts'
import { findPlaceholders } from '../content/placeholders.ts'
import {
  editRepositoryFile,
  formatVersionFile,
  isSameVersion,
  parseRepositoryFile,
  parseVersionFile,
  undeclaredVariable,
} from '../content/prompt-file.ts'
import { checkVersion, findLicenseProblem } from '../content/rules.ts'
import type { Measure } from '../publishing/request.ts'
import { isSameJson } from '../text/json.ts'
import type { ValueProblem } from '../text/problems.ts'
import { toLine, toName, toTags } from './names.ts'
import type { PortablePrompt } from './portable.ts'

/** An existing repository. */
export interface ExistingRepository {
  /** Every version number ever published. */
  versions: readonly string[]
  /** Returns the text of a version's file. */
  read: (version: string) => string
  /** The text of its `index.md`; undefined if it has none. */
  index: string | undefined
}

/** Options of an import. */
export interface ImportOrder {
  owner: string
  /** The login recorded as publisher. */
  by: string
  /** The licence for prompts whose source specifies no licence; null for no licence. */
  license: string | null
  /** Such as `2026-11-20T10:00:00Z`. */
  publishedAt: string
  measure: Measure
}

/** The result of importing a prompt. `updated` means that only its `index.md` changes. */
export type ImportedFiles =
  | { status: 'new' | 'changed' | 'updated' | 'unchanged'; version: string; files: { path: string; text: string }[] }
  | { status: 'refused'; problems: ValueProblem[] }

/** Gives each prompt a unique name within the import, derived from its title, with a number if necessary. */
export function assignNames(prompts: readonly Pick<PortablePrompt, 'name' | 'title'>[]): string[] {
  const taken = new Set<string>()
  /** The next number to try for each name, so that many prompts with one title take linear time. */
  const next = new Map<string, number>()
  return prompts.map(({ name, title }) => {
    const wanted = toName(name) || toName(title) || 'prompt'
    const base = isPortableName(wanted) ? wanted : `${wanted}-prompt`
    for (let number = next.get(base) ?? 1; ; number++) {
      const suffix = number === 1 ? '' : `-${number}`
      const candidate = `${base.slice(0, LIMITS.nameCharacters - suffix.length).replace(/-$/, '')}${suffix}`
      if (taken.has(candidate)) continue
      taken.add(candidate)
      next.set(base, number + 1)
      return candidate
    }
  })
}

/**
 * Creates the files of one version.
 *
 * @param existing undefined for a new repository
 * @param isHistory whether the source had this version before the prompt was on the hub; such versions are numbered by minor versions, whatever changed
 */
export function importPrompt(
  prompt: PortablePrompt,
  name: string,
  existing: ExistingRepository | undefined,
  order: ImportOrder,
  isHistory = false,
): ImportedFiles {
  const content = prompt.body.format === 'chat' ? formatChat(prompt.body.messages) : prompt.body.text
  const latest = sortVersions(existing?.versions ?? [])[0]
  const parameters = prompt.parameters
  const hasLicense = prompt.license !== null && findLicenseProblem(prompt.license) === undefined
  const license = hasLicense ? prompt.license : order.license
  const skill = prompt.skill ? { description: prompt.skill.description, license } : undefined
  const said = { content, variables: prompt.variables, parameters, format: prompt.body.format, skill }
  const before = latest === undefined ? undefined : parseVersionFile(existing!.read(latest)).value
  if (before && isSameVersion(before, said)) return { status: 'unchanged', version: latest!, files: [] }
  const version = before
    ? nextVersion(
        existing!.versions,
        !isHistory && compareForCallers({ ...before, version: latest! }, { ...said, version: '' }).breaking
          ? 'major'
          : 'minor',
      )
    : '1.0.0'
  const bare = findPlaceholders(content).map(undeclaredVariable)
  const versionText = formatVersionFile({
    published_at: order.publishedAt,
    published_by: order.by,
    changelog:
      toLine(prompt.changelog, LIMITS.changelogCharacters) || (before && !isHistory ? 'Imported again' : 'Imported'),
    ...(prompt.body.format === 'chat' ? { format: 'chat' as const } : {}),
    ...(isSameJson(bare, prompt.variables) ? {} : { variables: prompt.variables }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(skill && { skill }),
    content,
  })
  const problems = checkText(versionText, order.measure)
  if (problems.length > 0) return { status: 'refused', problems }
  const files = [{ path: formatPath({ kind: 'version', owner: order.owner, name, version }), text: versionText }]
  if (before) return { status: 'changed', version, files }
  const tags = toTags(prompt.tags)
  const indexText = editRepositoryFile(undefined, {
    title: toLine(prompt.title || titleFromName(name), LIMITS.titleCharacters),
    ...(prompt.description === '' ? {} : { description: toLine(prompt.description, LIMITS.descriptionCharacters) }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(license === null ? {} : { license }),
  })
  const indexProblems = parseRepositoryFile(indexText).problems
  if (indexProblems) return { status: 'refused', problems: indexProblems }
  files.unshift({ path: formatPath({ kind: 'repository', owner: order.owner, name }), text: indexText })
  return { status: 'new', version, files }
}

function checkText(text: string, measure: Measure): ValueProblem[] {
  const parsed = parseVersionFile(text)
  if (parsed.problems) return parsed.problems
  return checkVersion({ ...parsed.value, ...measure(parsed.value.content), version: '1.0.0' })
}
