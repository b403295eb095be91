// Owns which repositories carry a tag, worked out once a catalogue, and how many of them stand on one page.

import type { RepositorySummary } from '../../domain/api/schema.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'

/** As many rows as are still pleasant to scroll through; the rest follow on further pages. */
export const REPOSITORIES_PER_PAGE = 60

/** The repositories of every tag, in the order of `top`. */
type Tagged = ReadonlyMap<string, readonly RepositorySummary[]>

/** The key under which a view of the catalogue says which tags have a page (page-facts.ts); a catalogue itself has nothing there. */
export const TAGGED = Symbol.for('prompt-hub.tagged')

/** Weak, so that `astro dev` does not keep every catalogue it ever had. */
const known = new WeakMap<Catalogue, Tagged>()

/** Groups the listed repositories by tag. The work is done once a catalogue, not once a page. */
export function groupByTag(catalogue: Catalogue): Tagged {
  const viewed: Tagged | undefined = Reflect.get(catalogue, TAGGED)
  if (viewed) return viewed
  const before = known.get(catalogue)
  if (before) return before
  const tagged = new Map<string, RepositorySummary[]>(catalogue.tags.map(({ name }) => [name, []]))
  for (const summary of catalogue.listed.top) for (const tag of summary.tags) tagged.get(tag)!.push(summary)
  known.set(catalogue, tagged)
  return tagged
}
