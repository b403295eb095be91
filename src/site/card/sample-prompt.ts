// Chooses the sample prompt on the home page: a real one that is short enough to be read at a glance.
import type { Repository, RepositorySummary } from '../../domain/api/schema.ts'
import type { PageData } from '../../ports/pages.ts'

const MAX_CHARACTERS = 4_000
/** Maximum number of prompts examined. */
const MAX_CANDIDATES = 8

/** Returns the first prompt in a list that has several versions, a few variables with examples, and a readable length; undefined if there is none. */
export async function findSamplePrompt(
  hub: PageData,
  listed: readonly RepositorySummary[],
): Promise<Repository | undefined> {
  const candidates = listed
    .filter(({ versions_count, variables_count }) => versions_count > 1 && variables_count > 1)
    .slice(0, MAX_CANDIDATES)
  const read = await Promise.all(candidates.map(({ owner, name }) => hub.findRepository(owner, name)))
  return read.find(
    (repository) =>
      repository !== undefined &&
      repository.versions.length > 1 &&
      repository.variables.some(({ example }) => example !== null && String(example).length < 60) &&
      (repository.content?.length ?? Infinity) < MAX_CHARACTERS,
  )
}
