// Owns the port of the search: what can be asked, and what comes back.
import type { Sort } from './ranking.ts'
import type { RepositorySummary } from './schema.ts'

/** A question to the search; whatever is given must all hold. */
export interface SearchQuestion {
  /** Words as typed, any text at all; empty asks for no words. */
  text: string
  /** Tags, of which all must be carried; malformed ones match nothing. */
  tags: readonly string[]
  /** Best match first when undefined; without words that is `top`. */
  sort: Sort | undefined
  /** How many matches to pass over. */
  offset: number
  /** How many to return at most. */
  limit: number
}

/** A page of matches. */
export interface SearchAnswer {
  matches: RepositorySummary[]
  /** How many match in all. */
  total: number
}

/** The search over the listed repositories of one build. */
export interface Search {
  /** @throws HubError `unavailable` when the index cannot be read */
  find(question: SearchQuestion): SearchAnswer
}
