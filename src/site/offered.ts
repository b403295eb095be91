// Filters suggested searches to those with results.
import type { PageData } from '../ports/pages.ts'

/** @param queryOf returns the query for a value @returns the values whose search finds a prompt; all values while the search is unavailable */
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
