// Builds a new version from a request: what it omits comes from the latest version, and what it includes from other versions.
import type { Variable } from '../api/schema.ts'
import { assemble } from '../compose/assemble.ts'
import {
  findSource,
  type Lines,
  listUsed,
  ownVariables,
  readPart,
  type WrittenPart,
} from '../compose/compose-version.ts'
import { type MinAge, type Resolved, resolveIncludes } from '../compose/resolve.ts'
import { type SameContent, takeAlong } from '../compose/take-along.ts'
import { findVariableNames } from '../content/placeholders.ts'
import { undeclaredVariable, type VersionFile, type WrittenFile } from '../content/prompt-file.ts'
import { storeSkill } from '../content/skill.ts'
import { type RepositoryPlace, splitFullName } from '../values/names.ts'
import { type RepositoryState, readListedVersion } from './repository-state.ts'
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

/** Builds the new version from the source of the request or of the latest version, and from the versions that it includes. @throws HubError like `findRequestIncludes` */
export function composeCarried(
  state: RepositoryState,
  request: PublishInput,
  latest: VersionFile | undefined,
  license: string | null,
  written: readonly WrittenPart[],
  measure: Measure,
): Carried {
  const { source, lines } = findRequestIncludes(request, state, latest)
  const parts = written.map((part) => {
    const file = readListedVersion(splitFullName(part.repository)!, part.version, part.file)
    return readPart(part, file, measure)
  })
  const own = latest && { ...latest, variables: ownVariables(latest) }
  const carried = carryOver({ ...request, content: source }, own, license, listUsed(source, parts))
  const assembled = assemble({ ...carried, name: `${state.owner}/${state.name}` }, lines, parts)
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

/**
 * Finds the source of a publish that is to be composed, with its include lines.
 *
 * @param latest the latest version, if there is one
 * @throws HubError `validation_failed`; `upstream_error` when that file cannot be read
 */
export function findRequestIncludes(
  request: PublishInput,
  state: RepositoryState,
  latest: WrittenFile | undefined,
): Lines {
  const file =
    request.recompose && state.latest !== undefined ? readListedVersion(state, state.latest, latest) : undefined
  const { value, problems } = findSource(request, file)
  if (problems) throw validationFailed(nameLines(problems, request.content))
  return value
}

/** Decides which versions the lines include. @throws HubError `validation_failed` that names the way out */
export function resolveRequestIncludes(
  { owner, name }: RepositoryPlace,
  { source, lines }: Lines,
  known: readonly RepositoryState[],
  minAge?: MinAge,
): Resolved[] {
  const { value, problems } = resolveIncludes(`${owner}/${name}`, lines, known, minAge)
  if (problems) throw validationFailed(nameLines(problems, source))
  return value
}
