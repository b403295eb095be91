// The interface of search: queries and results.

import type { Filters } from '../catalogue/search/document.ts'
import type { Sort } from '../domain/api/data-paths.ts'
import type { Matched, Repository, RepositorySummary } from '../domain/api/schema.ts'
import type { RepositoryPlace } from '../domain/values/names.ts'

/** A search query; a result matches all of its conditions. */
export interface SearchQuery extends Filters {
  /** The words as typed; any string, empty if there are no words. */
  text: string
  /** The order. If undefined: best match first, or `top` if there are no words. */
  sort: Sort | undefined
  /** The number of matches to skip. */
  offset: number
  /** Maximum number of results. */
  limit: number
}

/** A page of matches. */
export interface SearchResults {
  matches: RepositorySummary[]
  /** Total number of matches. */
  total: number
  /** Whether `total` is exact. */
  isTotalExact: boolean
  /** How the words were interpreted; undefined if there are no words. */
  matched: Matched | undefined
}

/** A repository, as listed in a menu. */
export type MenuEntry = Pick<
  Repository,
  'owner' | 'name' | 'title' | 'description' | 'updated_at' | 'variables' | 'forked_from'
>

/** Number of repositories in a menu. */
export const MENU_SIZE = 100

/** Completions of a prefix. */
export interface Completions {
  /** Sorted by name, up to the requested number. */
  values: string[]
  /** Total number of completions. */
  total: number
}

/** Searches the listed repositories of one build. It may run in another thread, so every result is a promise. */
export interface Search {
  /** @throws HubError `unavailable` when the index cannot be read or the deadline has passed */
  find(question: SearchQuery): Promise<SearchResults>
  /** Finds prompts with a name, or with one that is almost the same, in the order `top`. @throws HubError `unavailable` */
  findNear(name: string): Promise<RepositoryPlace[]>
  /** Lists the first repositories in the order `top`, at most `MENU_SIZE`. @throws HubError `unavailable` */
  listMenu(): Promise<MenuEntry[]>
  /** Finds owners that start with a prefix. @throws HubError `unavailable` */
  completeOwner(prefix: string, limit: number): Promise<Completions>
  /** Finds names that start with a prefix, of one owner or of all owners. @throws HubError `unavailable` */
  completeName(prefix: string, owner: string | undefined, limit: number): Promise<Completions>
}
