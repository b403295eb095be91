// Builds a new version from a request: what it omits comes from the latest version, and what it includes from other versions.
import type { Variable } from '../api/schema.ts'
import { assemble, type Part } from '../compose/assemble.ts'
import { findSource, listUsed, ownVariables, readPart, type WrittenPart } from '../compose/compose-version.ts'
import { type SameContent, takeAlong } from '../compose/take-along.ts'
import { findVariableNames } from '../content/placeholders.ts'
import { undeclaredVariable, type VersionFile } from '../content/prompt-file.ts'
import { storeSkill } from '../content/skill.ts'
import { type RepositoryPlace, splitFullName } from '../values/names.ts'
import { readListedVersion } from './repository-state.ts'
import { type Measure, nameLines, type PublishInput, validationFailed } from './request.ts'

/** The fields of a version that a publish writes or takes over. */
export type Carried = Pick<VersionFile, 'content' | 'format' | 'variables' | 'parameters' | 'skill' | 'includes'>

/**
 * Builds the new version from the request, and from the latest version where the request omits a field. Variables that are no longer used are dropped, and new placeholders are added. docs/contract.md section 7
 *
 * @param license the repository's license; a skill records it because it may change
 * @param used the placeholders whose variables are kept; by default, those of the content
 */
function carryOver(
  request: PublishInput,
  latest: VersionFile | undefined,
  license: string | null,
  used?: ReadonlySet<string>,
): Carried {
  const { content } = request
  const said = request.skill === undefined ? latest?.skill : request.skill
  // What the request does not name stays as it was.
  const skill = said
    ? storeSkill({
        description: said.description,
        license,
        compatibility: said.compatibility === undefined ? latest?.skill?.compatibility : said.compatibility,
        allowed_tools: said.allowed_tools ?? latest?.skill?.allowed_tools,
        argument_hint: said.argument_hint === undefined ? latest?.skill?.argument_hint : said.argument_hint,
        metadata: said.metadata ?? latest?.skill?.metadata,
      })
    : undefined
  const format = request.format ?? latest?.format ?? 'text'
  const parameters = request.parameters ?? latest?.parameters ?? {}
  if (request.variables) return { content, format, skill, parameters, variables: request.variables }
  const added = new Set(findVariableNames({ content, format }))
  const kept = used ?? new Set(added)
  const variables: Variable[] = []
  for (const variable of latest?.variables ?? []) {
    if (kept.has(variable.name)) variables.push(variable)
    added.delete(variable.name)
  }
  for (const name of added) variables.push(undeclaredVariable(name))
  return { content, format, skill, parameters, variables }
}

/** Builds the new version from the source of the request or of the latest version, and from the versions that it includes. */
export function composeCarried(
  { owner, name }: RepositoryPlace,
  request: PublishInput,
  latest: VersionFile | undefined,
  license: string | null,
  written: readonly WrittenPart[],
  measure: Measure,
): Carried {
  const found = findSource(request, latest)
  if (found.problems) throw validationFailed(nameLines(found.problems, request.content))
  const { source, lines } = found.value
  const parts = readIncluded(written, measure)
  const own = latest && { ...latest, variables: ownVariables(latest) }
  const carried = carryOver({ ...request, content: source }, own, license, listUsed(source, parts))
  const assembled = assemble({ ...carried, name: `${owner}/${name}` }, lines, parts)
  if (assembled.problems) throw validationFailed(nameLines(assembled.problems, source))
  const { content, variables, includes } = assembled.value
  return { ...carried, content, variables, ...(includes.length > 0 && { includes }) }
}

/** Builds the new version like `carryOver`, and takes along the includes of a version with the same content: the latest, or another one that the hub knows. */
export function carryAlong(
  request: PublishInput,
  latest: VersionFile | undefined,
  license: string | null,
  other: SameContent | undefined,
): Carried {
  const carried = carryOver(request, latest, license)
  const same = latest?.content === request.content ? latest : other
  const taken = same?.includes && takeAlong(same, carried.variables, request.variables !== undefined)
  return taken ? { ...carried, ...taken } : carried
}

/** @throws HubError `upstream_error`, because a broken file on the branch is not the sender's fault */
function readIncluded(written: readonly WrittenPart[], measure: Measure): Part[] {
  return written.map((part) =>
    readPart(part, readListedVersion(splitFullName(part.repository)!, part.version, part.file), measure),
  )
}
