// Runs searches for the search page: applies filters, and counts the results for each further filter.

import type { RepositorySummary } from '../../domain/api/schema.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Search } from '../../search/search.ts'
import type { SearchPageQuery } from './search-page-query.ts'

/** The number of best matches to examine. Filters and counts cover only these matches, because examining more takes longer and few users page that far. */
export const MAX_CANDIDATES = 400
/** Maximum number of values shown for each filter; more would push the other filters out of view. */
const MAX_VALUES = 8

/** A filter value, and the number of prompts that match it. */
export interface Facet {
  value: string
  count: number
}

/** The search results. */
export interface FoundPrompts {
  rows: RepositorySummary[]
  total: number
  /** Whether there may be more results than `total`. */
  isCut: boolean
  pages: number
  facets: { tags: Facet[]; owners: Facet[]; licenses: Facet[]; withVariables: number; withProvenance: number }
  corrected: Readonly<Record<string, string>>
  ignored: readonly string[]
  /** The number of results that match every word; undefined if the search does not report this number. */
  exact: number | undefined
}

/** Runs a search query. @throws HubError `unavailable` when the search is unavailable */
export async function findPrompts(question: SearchPageQuery, search: Pick<Search, 'find'>): Promise<FoundPrompts> {
  const { q, tags, sort, owner, license, withVariables, withProvenance, page } = question
  const { pageSize } = LIMITS
  const answer = await search.find({ text: q, tags, sort, offset: 0, limit: MAX_CANDIDATES })
  const kept = answer.matches.filter(
    (summary) =>
      (owner === undefined || summary.owner === owner) &&
      (license === undefined || summary.license === license) &&
      (!withVariables || summary.variables_count > 0) &&
      (!withProvenance || summary.has_provenance),
  )
  const matched = 'matched' in answer ? answer.matched : undefined
  return {
    rows: kept.slice((page - 1) * pageSize, page * pageSize),
    total: kept.length,
    isCut: answer.total > answer.matches.length,
    pages: Math.ceil(kept.length / pageSize),
    facets: {
      tags: count(kept.flatMap((summary) => summary.tags)).filter(
        ({ value, count }) => !tags.includes(value) && count < kept.length,
      ),
      owners: owner === undefined ? count(kept.map((summary) => summary.owner)) : [],
      licenses: license === undefined ? count(kept.flatMap((summary) => summary.license ?? [])) : [],
      withVariables: withVariables ? 0 : kept.filter((summary) => summary.variables_count > 0).length,
      withProvenance: withProvenance ? 0 : kept.filter((summary) => summary.has_provenance).length,
    },
    corrected: matched?.corrected ?? {},
    ignored: matched?.ignored ?? [],
    exact: matched?.exact,
  }
}

function count(values: readonly string[]): Facet[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_VALUES)
}
