// Finds and resolves the include lines of a publish, before the versions that they name are read.
import { findSource, type Lines } from '../compose/compose-version.ts'
import { type MinAge, type Resolved, resolveIncludes } from '../compose/resolve.ts'
import type { WrittenFile } from '../content/prompt-file.ts'
import { type RepositoryState, readListedVersion } from './repository-state.ts'
import { nameLines, type PublishInput, validationFailed } from './request.ts'

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
  { owner, name }: { owner: string; name: string },
  { source, lines }: Lines,
  known: readonly RepositoryState[],
  minAge?: MinAge,
): Resolved[] {
  const { value, problems } = resolveIncludes(`${owner}/${name}`, lines, known, minAge)
  if (problems) throw validationFailed(nameLines(problems, source))
  return value
}
