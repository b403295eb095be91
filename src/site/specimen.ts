// Owns which prompt the home page shows as its specimen: a real one, short enough to be read at a glance.
import type { CatalogueEntry } from '../domain/catalogue/entry.ts'

const MOST_CHARACTERS = 4_000

/** The first of a list that has several versions, a few variables with examples, and a readable length; undefined when none is like this. */
export function chooseSpecimen(entries: readonly CatalogueEntry[]): CatalogueEntry | undefined {
  return entries.find(
    (entry) =>
      // The outline is at hand, and leaves few whose texts must be looked at.
      entry.releases.filter(({ isYanked }) => !isYanked).length > 1 &&
      entry.summary.variables_count > 1 &&
      entry.repository.variables.some(({ example }) => example !== null && String(example).length < 60) &&
      (entry.repository.content?.length ?? Infinity) < MOST_CHARACTERS,
  )
}
