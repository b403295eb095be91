// Chooses what the home page shows: a sample prompt, and the tasks that find something.
import type { Repository, RepositorySummary } from '../domain/api/schema.ts'
import { findPlaceholders } from '../domain/content/placeholders.ts'
import type { PageData } from './rendering.ts'

/** Maximum length of a sample prompt, so that it can be read at a glance. */
const MAX_CHARACTERS = 4_000
/** The lines of the sample that are seen first, and the length of an example that is shown in place of a variable. */
const SHOWN_LINES = 8
export const FILLED_CHARACTERS = 40
/** Maximum number of prompts that are examined to find the sample. */
const MAX_CANDIDATES = 8

/** Returns a list's first prompt that has several versions, a readable length, and at its beginning two variables with short examples, or else one; undefined if there is none. */
export async function findSamplePrompt(
  hub: PageData,
  listed: readonly RepositorySummary[],
): Promise<Repository | undefined> {
  const candidates = listed
    .filter(
      ({ versions_count, variables_count, status }) => status === 'active' && versions_count > 1 && variables_count > 1,
    )
    .slice(0, MAX_CANDIDATES)
  const read = await Promise.all(candidates.map(({ owner, name }) => hub.findRepository(owner, name)))
  const found = read.flatMap((repository) =>
    repository && repository.versions.length > 1 && (repository.content?.length ?? Infinity) < MAX_CHARACTERS
      ? [{ repository, filled: countFilled(repository) }]
      : [],
  )
  return (found.find(({ filled }) => filled > 1) ?? found.find(({ filled }) => filled > 0))?.repository
}

/** Counts the variables in the first lines whose example is short enough to be shown in its place. */
function countFilled({ content, variables }: Repository): number {
  const shown = new Set(findPlaceholders((content ?? '').split('\n', SHOWN_LINES).join('\n')))
  return variables.filter(
    ({ name, example }) => shown.has(name) && example !== null && String(example).length < FILLED_CHARACTERS,
  ).length
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
