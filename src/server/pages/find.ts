// Runs searches for the search page: applies filters, and counts the results for each further filter.

import type { RepositorySummary } from '../../domain/api/schema.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Kind } from '../../domain/values/chat.ts'
import type { Search } from '../../search/search.ts'
import type { SearchPageQuery } from './search-page-query.ts'

/** The number of best matches to examine. Counts, and the filters that the index lacks, cover only these matches, because examining more takes longer and few users page that far. */
export const MAX_CANDIDATES = 400
/** Maximum number of values shown for each filter; more would push the other filters out of view. */
const MAX_VALUES = 8

/** A filter value, and the number of prompts that match it. */
export interface Facet<Value extends string = string> {
  value: Value
  count: number
}

/** The search results. */
export interface FoundPrompts {
  rows: RepositorySummary[]
  total: number
  /** Whether there may be more results than `total`. */
  isCut: boolean
  pages: number
  facets: {
    kinds: Facet<Kind>[]
    tags: Facet[]
    owners: Facet[]
    licenses: Facet[]
    withVariables: number
    withProvenance: number
    withResults: number
  }
  corrected: Readonly<Record<string, string>>
  ignored: readonly string[]
  /** The number of results that match every word; undefined if the search does not report this number. */
  exact: number | undefined
}

/** Runs a search query. @throws HubError `unavailable` when the search is unavailable */
export async function findPrompts(question: SearchPageQuery, search: Pick<Search, 'find'>): Promise<FoundPrompts> {
  const { q: text, tags, sort, owner, license, kind, withVariables, withProvenance, withResults, page } = question
  const { pageSize } = LIMITS
  const answer = await search.find({ text, tags, owner, license, kind, sort, offset: 0, limit: MAX_CANDIDATES })
  const kept = answer.matches.filter(
    (summary) =>
      (!withVariables || summary.variables_count > 0) &&
      (!withProvenance || summary.has_provenance) &&
      (!withResults || summary.has_results),
  )
  const matched = 'matched' in answer ? answer.matched : undefined
  return {
    rows: kept.slice((page - 1) * pageSize, page * pageSize),
    total: kept.length,
    isCut: answer.total > answer.matches.length,
    pages: Math.ceil(kept.length / pageSize),
    facets: {
      kinds: kind === undefined ? count(kept.map((summary) => summary.kind)) : [],
      tags: count(kept.flatMap((summary) => summary.tags)).filter(
        ({ value, count }) => !tags.includes(value) && count < kept.length,
      ),
      owners: owner === undefined ? count(kept.map((summary) => summary.owner)) : [],
      licenses: license === undefined ? count(kept.flatMap((summary) => summary.license ?? [])) : [],
      withVariables: withVariables ? 0 : kept.filter((summary) => summary.variables_count > 0).length,
      withProvenance: withProvenance ? 0 : kept.filter((summary) => summary.has_provenance).length,
      withResults: withResults ? 0 : kept.filter((summary) => summary.has_results).length,
    },
    corrected: matched?.corrected ?? {},
    ignored: matched?.ignored ?? [],
    exact: matched?.exact,
  }
}

function count<Value extends string>(values: readonly Value[]): Facet<Value>[] {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_VALUES)
}
