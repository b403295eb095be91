// The port between our handlers and the Astro pages: the data that a page may request, and the function that renders one.
import type { ListEnvelope } from '../domain/api/envelope.ts'
import type { Sort } from '../domain/api/routes.ts'
import type {
  Activity,
  OwnerCount,
  Repository,
  RepositorySummary,
  TagRecord,
  User,
  VersionRecord,
  VersionSummary,
} from '../domain/api/schema.ts'
import type { Search } from './search.ts'

/** The git host of the content, for links. */
export interface SourceHost {
  /** Such as `octocat/prompt-hub`. */
  repository: string
  /** The address of the repository's pages. */
  web: string
  branch: string
  /** Path of the content folder in the repository. */
  content: string
}

/** The data that a page may request. Results equal those of the read API, fresh copies included. Names are validated here, so a page may pass on parts of its URL. */
export interface PageData {
  /** The hub's own address, without a final slash. */
  baseUrl: string
  /** Undefined when git is a local repository. */
  sourceHost: SourceHost | undefined
  /** @returns undefined when there is none */
  findRepository(owner: string, name: string): Promise<Repository | undefined>
  /** Highest first, yanked versions included. @returns undefined when there is no such repository */
  findVersions(owner: string, name: string): Promise<VersionSummary[] | undefined>
  findVersion(owner: string, name: string, version: string): Promise<VersionRecord | undefined>
  /** The repository's activity, newest first, at most 100; `since` when older activity is unknown. */
  findActivity(owner: string, name: string): Promise<{ activities: Activity[]; since: string | null } | undefined>
  findOwner(handle: string): Promise<User | undefined>
  /** A page of 20, starting at 1, of all prompts or of those with a tag. @returns undefined past the last page, and for an unused tag */
  listPrompts(sort: Sort, page: number, tag?: string): Promise<ListEnvelope<RepositorySummary> | undefined>
  /** The prompts with the newest versions, at most 30. @param tag required on all of them @returns undefined for an unused tag */
  listRecent(tag?: string): Promise<RepositorySummary[] | undefined>
  /** The newest listed repositories that were forked from a version of this one, at most 30. */
  listForks(owner: string, name: string): Promise<RepositorySummary[]>
  /** Most used first. */
  listTags(): Promise<TagRecord[]>
  /** Sorted by handle. */
  listOwners(): Promise<OwnerCount[]>
  /** @throws HubError `unavailable` when the search is unavailable */
  find: Search['find']
  /** Similar full names for a name that does not exist; at most three. */
  findClose(owner: string, name: string): Promise<string[]>
  /** Why the repository is shown in an older state than its files; usually empty. */
  brokenOf(fullName: string): readonly string[]
}

/** Passed to each page as `Astro.locals`. Prerendered pages have no hub. */
export interface PageLocals {
  hub: PageData
  /** The requested path. */
  path: string
}

/** Renders the page at a path. @param path with its query, from the site's root */
export type RenderPage = (path: string, locals: PageLocals) => Promise<Response>
