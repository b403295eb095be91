// Compares the versions that a locked version includes with the hub.
import type { HubReader } from './hub-reader.ts'
import type { RepositoryRecord, VersionRow } from './records.ts'
import { isNotFound, PromptHubError } from './trouble.ts'

/** Something that the hub says about an included version. */
export interface IncludedProblem {
  kind: 'included_gone' | 'included_yanked' | 'included_advisory'
  message: string
}

/** Returns what the hub says about the versions that a version includes. @param rows the versions of its prompt */
export async function reviewIncluded(
  name: string,
  version: string,
  rows: readonly VersionRow[],
  reader: Pick<HubReader, 'readState'>,
): Promise<IncludedProblem[]> {
  const included = rows.find((row) => row.version === version)?.included ?? []
  const problems: IncludedProblem[] = []
  for (const address of included) {
    if (!/^[a-z0-9-]{1,39}\/[a-z0-9-]{1,64}@\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(address))
      throw new PromptHubError('unavailable', `${name}: the hub did not return a list of versions.`)
    const [part = '', number = ''] = address.split('@')
    const state = await reader.readState(part, number).catch((error: unknown): State => {
      if (isNotFound(error)) return { rows: [] }
      throw error
    })
    problems.push(...findIncluded(`${name} ${version} includes ${part} ${number}, which`, number, state))
  }
  return problems
}

/** What the hub has of an included prompt. */
type State = { record?: RepositoryRecord; rows: readonly VersionRow[] }

function findIncluded(what: string, version: string, { record, rows }: State): IncludedProblem[] {
  const problems: IncludedProblem[] = []
  const row = rows.find((each) => each.version === version)
  if (!row) problems.push({ kind: 'included_gone', message: `${what} is no longer on the hub` })
  else if (row.yanked) {
    const reason = row.yank_reason ? `: ${row.yank_reason}` : ''
    problems.push({ kind: 'included_yanked', message: `${what} was yanked${reason}` })
  }
  for (const { versions, severity, message } of record?.advisories ?? [])
    if (versions.includes(version))
      problems.push({ kind: 'included_advisory', message: `${what} has an advisory (${severity}): ${message}` })
  return problems
}
