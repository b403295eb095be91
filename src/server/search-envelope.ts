// Owns the envelope of a search: the page that was found, where it stands, and how the words were taken.
import { listEnvelope } from '../domain/api/list-envelope.ts'
import type { RepositorySummary, SearchMeta } from '../domain/api/schema.ts'
import type { SearchAnswer } from '../ports/search.ts'

/** Makes the envelope of one page of a search. docs/contract.md section 4. @param place `size` records a page */
export function searchEnvelope(
  { matches, total, isTotalExact, matched }: SearchAnswer,
  place: { page: number; size: number },
): { data: RepositorySummary[]; meta: SearchMeta } {
  const { data, meta } = listEnvelope(matches, { ...place, total })
  return { data, meta: matched === undefined ? meta : { ...meta, total_is_exact: isTotalExact, matched } }
}
