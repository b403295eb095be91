// Reviews the includes of a version: each part is the version that it names, and composing these versions gives the file.
import { assemble, type Part } from '../../domain/compose/assemble.ts'
import { ownVariables } from '../../domain/compose/compose-version.ts'
import { cutSource, findIncludeLines, type IncludeLine } from '../../domain/compose/include-lines.ts'
import { resolveIncludes } from '../../domain/compose/resolve.ts'
import { formatPath } from '../../domain/content/content-path.ts'
import type { VersionEntry } from '../../domain/content/content-tree.ts'
import { DEFAULT_REPOSITORY_FILE, type RepositoryFile } from '../../domain/content/prompt-file.ts'
import { isSameJson } from '../../domain/text/json.ts'
import { type RepositoryPlace, splitFullName } from '../../domain/values/names.ts'
import type { FileChange } from './review.ts'
import type { ReviewFinding } from './review-findings.ts'

/** Reads a version that is included, and the `index.md` of its repository; undefined where there is none. */
export type ReadIncluded = (
  place: RepositoryPlace,
  version: string,
) => { version: VersionEntry | undefined; file: RepositoryFile | undefined; hasFiles: boolean }

/**
 * Reviews the includes of a version whose positions and digests are right. A version that is published may include what was yanked or taken down since.
 *
 * @param read reads what the content folder has
 */
export function reviewIncludes(
  { owner, name }: RepositoryPlace,
  version: VersionEntry,
  { isNew }: Pick<FileChange, 'isNew'>,
  read: ReadIncluded,
): ReviewFinding[] {
  const { includes = [] } = version
  const file = `content/${formatPath({ kind: 'version', owner, name, version: version.version })}`
  const say = (rule: string, key: string, message: string): ReviewFinding => ({ file, rule, key, message })
  if (includes.length === 0) return []
  const parts = includes.map((include) => ({ include, ...read(splitFullName(include.repository)!, include.version) }))
  const remarks = parts.flatMap(({ include, version: part }, index) =>
    part && part.content_sha256 !== include.content_sha256
      ? [say('includes-match', `includes.${index}`, `${include.repository}@${include.version} has other content`)]
      : [],
  )
  if (!isNew || remarks.length > 0) return remarks
  const { value: lines } = tryLines(version)
  // The rule for positions has named the problem.
  if (lines === undefined) return []
  for (const [index, { include, file: indexFile = DEFAULT_REPOSITORY_FILE, version: part }] of parts.entries()) {
    const { repository, range } = include
    // The version itself and nothing else: a newer one may have come out since the file was written.
    const known = { ...splitFullName(repository)!, versions: part ? [include.version] : [], file: indexFile }
    const { problems = [] } = resolveIncludes(`${owner}/${name}`, [lines[index]!], [known])
    for (const { message } of problems)
      remarks.push(say('includes-are-allowed', `includes.${index}`, `${repository}@${range}: ${message}`))
  }
  if (remarks.length > 0) return remarks
  const given = parts.map(({ include, version: part, hasFiles }): Part => {
    const { content, format, variables, includes, content_sha256 } = part!
    return {
      repository: include.repository,
      version: include.version,
      content,
      format,
      variables,
      includes,
      content_sha256,
      hasFiles,
    }
  })
  const { format, content, variables } = version
  const source = { name: `${owner}/${name}`, content: cutSource(version), format, variables: ownVariables(version) }
  const { value, problems = [] } = assemble(source, lines, given)
  for (const { key, message } of problems) remarks.push(say('includes-are-allowed', key, message))
  if (value && !isSameJson(value, { content, variables, includes }))
    remarks.push(say('includes-are-allowed', 'includes', 'expected the content and variables that composing gives'))
  return remarks
}

/** @returns the lines of the source; none if the positions are wrong */
function tryLines(version: VersionEntry): { value?: IncludeLine[] } {
  try {
    const { value } = findIncludeLines(cutSource(version))
    return value?.length === version.includes?.length && value ? { value } : {}
  } catch {
    return {}
  }
}
