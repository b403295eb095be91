// Chooses what the home page shows: a sample prompt, and suggested searches that find something.
import type { Repository, RepositorySummary } from '../domain/api/schema.ts'
import type { PageData } from './rendering.ts'

/** Maximum length of a sample prompt, so that it can be read at a glance. */
const MAX_CHARACTERS = 4_000
/** Maximum number of prompts that are examined to find the sample. */
const MAX_CANDIDATES = 8

/** Returns a list's first prompt that has several versions, a few variables with examples, and a readable length; undefined if there is none. */
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

/** Returns the values whose search finds at least one prompt, or all values while search is unavailable. @param queryOf returns the query for a value */
export async function keepWithResults<Value>(
  hub: Pick<PageData, 'find'>,
  values: readonly Value[],
  queryOf: (value: Value) => string,
): Promise<Value[]> {
  const isFound = await Promise.all(
    values.map((value) =>
      hub.find({ text: queryOf(value), tags: [], sort: undefined, offset: 0, limit: 1 }).then(
        ({ matches }) => matches.length > 0,
        () => true,
      ),
    ),
  )
  return values.filter((_, index) => isFound[index])
}
