// The port of the search: queries and results.

import type { Sort } from '../domain/api/routes.ts'
import type { Matched, Repository, RepositorySummary } from '../domain/api/schema.ts'

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
  /** Whether `total` was counted to the end. */
  isTotalExact: boolean
  /** How the words were taken; undefined when none were asked for. */
  matched: Matched | undefined
}

/** A repository as a menu shows it, before anybody has asked for anything. */
export type MenuEntry = Pick<Repository, 'owner' | 'name' | 'title' | 'description' | 'updated_at' | 'variables'>

/** How many repositories a menu shows. */
export const MENU_SIZE = 100

/** What a beginning may become. */
export interface Completions {
  /** In the order of names, as many as asked for. */
  values: string[]
  /** How many there are in all. */
  total: number
}

/** The search over the listed repositories of one build. It may work in another thread, so every answer is a promise. */
export interface Search {
  /** @throws HubError `unavailable` when the index cannot be read, or not in time */
  find(question: SearchQuestion): Promise<SearchAnswer>
  /** The first of `top`, at most `MENU_SIZE`. @throws HubError `unavailable` */
  listMenu(): Promise<MenuEntry[]>
  /** Owners that begin with a text. @throws HubError `unavailable` */
  completeOwner(prefix: string, limit: number): Promise<Completions>
  /** Names that begin with a text, of one owner or of all. @throws HubError `unavailable` */
  completeName(prefix: string, owner: string | undefined, limit: number): Promise<Completions>
}
