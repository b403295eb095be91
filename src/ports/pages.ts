// The port between our handlers and the pages that Astro renders: what a page may ask, and how one is rendered.
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

/** The git host that the content lies on, as links to it need it. */
export interface SourceHost {
  /** Such as `octocat/prompt-hub`. */
  repository: string
  /** The address of the repository's pages. */
  web: string
  branch: string
  /** Where the content folder is in the repository. */
  content: string
}

/** What a page may ask; every answer is what the read API would give, fresh copies included. Names are checked here, so a page may hand on what stands in its address. */
export interface PageData {
  /** The hub's own address, without a final slash. */
  baseUrl: string
  /** Undefined when git is on this machine alone. */
  sourceHost: SourceHost | undefined
  /** @returns undefined when there is none */
  findRepository(owner: string, name: string): Promise<Repository | undefined>
  /** Highest first, yanked ones included. @returns undefined when there is no such repository */
  findVersions(owner: string, name: string): Promise<VersionSummary[] | undefined>
  findVersion(owner: string, name: string, version: string): Promise<VersionRecord | undefined>
  /** What happened to it, newest first, at most 100; `since` when older changes are not known. */
  findActivity(owner: string, name: string): Promise<{ activities: Activity[]; since: string | null } | undefined>
  findOwner(handle: string): Promise<User | undefined>
  /** A page of 20, from 1, of all prompts or of those with a tag. @returns undefined past the last page, and for a tag that nothing carries */
  listPrompts(sort: Sort, page: number, tag?: string): Promise<ListEnvelope<RepositorySummary> | undefined>
  /** The prompts with the newest versions, at most 30. @param tag that all of them carry @returns undefined for a tag that nothing carries */
  listRecent(tag?: string): Promise<RepositorySummary[] | undefined>
  /** The newest listed repositories that began as a copy of a version of this one, at most 30. */
  listForks(owner: string, name: string): Promise<RepositorySummary[]>
  /** Most used first. */
  listTags(): Promise<TagRecord[]>
  /** In the order of handles. */
  listOwners(): Promise<OwnerCount[]>
  /** @throws HubError `unavailable` when the search cannot be asked */
  find: Search['find']
  /** Full names that a name which does not exist may have meant; at most three. */
  findClose(owner: string, name: string): Promise<string[]>
  /** Why an older state of a repository is shown than its files have; usually empty. */
  brokenOf(fullName: string): readonly string[]
}

/** What Astro hands to each page as `Astro.locals`. Prerendered pages have no hub. */
export interface PageLocals {
  hub: PageData
  /** The path that was asked for. */
  path: string
}

/** Renders the page at an address. @param path with its query, from the site's root */
export type RenderPage = (path: string, locals: PageLocals) => Promise<Response>
