// The interface between the request handlers and the Astro pages: the data that a page may request, and the function that renders a page.

import type { Sort } from '../domain/api/data-paths.ts'
import type { ListEnvelope } from '../domain/api/envelope.ts'
import type {
  Activity,
  Dependent,
  ModelUse,
  OwnerCount,
  Repository,
  RepositorySummary,
  Result,
  TagRecord,
  User,
  VersionRecord,
  VersionRow,
  VersionSummary,
} from '../domain/api/schema.ts'
import type { HubLook } from '../domain/content/look.ts'
import type { Capability } from '../domain/inspect/kinds.ts'
import type { Search } from '../search/search.ts'
import type { Card } from './prompt/card.ts'

/** The git host of the content, used for links. */
export interface SourceHost {
  /** The repository's full name, such as `octocat/prompt-hub`. */
  repository: string
  /** The URL of the repository on the git host. */
  web: string
  branch: string
  /** The path of the content folder in the repository. */
  content: string
}

/** The hub's code, of which others run the actions. */
export interface CodeSource {
  /** The full name of the repository on GitHub, such as `acme/prompt-hub`. */
  repository: string
  /** The commit that this hub runs. */
  commit: string
}

/** A hub's name and look as pages show them. */
export interface ShownLook extends Omit<HubLook, 'logo' | 'accent'> {
  /** The path of the logo; undefined if no logo is set. */
  logoPath: string | undefined
  /** The path of the style sheet with the accent colour; undefined if no accent colour is set. */
  stylePath: string | undefined
}

/** The file next to the page code of a build that contains its `ShownLook` as JSON. */
export const LOOK_FILE = 'look.json'

/** What pages show of this hub's settings. The page code contains none of it, so one bundle serves every hub with the same code. */
export interface HubProfile {
  /** The hub's base URL, without a trailing slash. */
  baseUrl: string
  /** Undefined when git is a local repository. */
  sourceHost: SourceHost | undefined
  /** Where the hub's code is; undefined if it does not come from GitHub. Only the guides need it. */
  code: CodeSource | undefined
  rateLimitPerMinute: number
  /** Whether only readers may read the hub. */
  isForReaders: boolean
  look: ShownLook
  /** Whether each prompt has a preview image of its own. */
  hasCards?: boolean
}

/** Draws a card as PNG. @throws HubError `unavailable` if too many are being drawn */
export type DrawCard = (card: Card) => Promise<Uint8Array<ArrayBuffer>>

/** The data that a page may request. Results are the same as those of the read API, including fresh copies. Names are validated here, so a page may pass parts of its URL unchecked. */
export interface PageData {
  /** @returns undefined if it does not exist */
  findRepository(owner: string, name: string): Promise<Repository | undefined>
  /** Finds all versions in brief, highest first, including yanked versions. @returns undefined if the repository does not exist */
  findVersions(owner: string, name: string): Promise<readonly VersionRow[] | undefined>
  /** Lists one page of 100 versions, highest first; page numbers are 1-based. @returns undefined if the repository does not exist */
  listVersions(owner: string, name: string, page: number): Promise<ListEnvelope<VersionSummary> | undefined>
  /** Reads the start of the latest content in the build, for pictures in lists. @returns undefined if there is none */
  findStart(owner: string, name: string): Promise<string | undefined>
  findVersion(owner: string, name: string, version: string): Promise<VersionRecord | undefined>
  /** Reads a file of a skill. @returns undefined if the version has no such file */
  findFile(owner: string, name: string, version: string, path: string): Promise<Uint8Array | undefined>
  /** Lists the versions that the build knows to break callers of the next lower version. */
  listBreaking(owner: string, name: string): Promise<readonly string[]>
  /** Finds the repository's activity, newest first, at most 100 entries; activity before `since` (if set) is unknown. */
  findActivity(owner: string, name: string): Promise<{ activities: Activity[]; since: string | null } | undefined>
  /** Finds the results of a version, newest first. */
  findResults(owner: string, name: string, version: string): Promise<readonly Result[]>
  /** Lists what a version can do, in the order of its files. */
  findCapabilities(record: VersionRecord): Promise<readonly Capability[]>
  /** Finds the newest results of all versions of a repository, newest first, at most 100. */
  findNewestResults(owner: string, name: string): Promise<readonly Result[]>
  findOwner(handle: string): Promise<User | undefined>
  /** Lists one page of 20 prompts, either all prompts or only those with a tag; page numbers are 1-based. @returns undefined past the last page, and for an unused tag */
  listPrompts(sort: Sort, page: number, tag?: string): Promise<ListEnvelope<RepositorySummary> | undefined>
  /** Lists the prompts with the newest versions, at most 30. @param tag if given, only prompts with this tag are listed @returns undefined for an unused tag */
  listRecent(tag?: string): Promise<RepositorySummary[] | undefined>
  /** Lists the newest listed repositories that were forked from a version of this repository, at most 30. */
  listForks(owner: string, name: string): Promise<RepositorySummary[]>
  /** Lists the listed prompts whose latest version includes this repository, at most 1,000; `total` counts all. */
  listDependents(owner: string, name: string): Promise<ListEnvelope<Dependent>>
  /** Lists the models that retire, soonest first, with the prompts that use them. */
  listModels(): Promise<ModelUse[]>
  /** Lists tags, most used first. */
  listTags(): Promise<TagRecord[]>
  /** Lists owners, sorted by handle. */
  listOwners(): Promise<OwnerCount[]>
  /** @throws HubError `unavailable` when the search is unavailable */
  find: Search['find']
  /** Finds full names similar to an unknown full name, at most three. */
  findClose(owner: string, name: string): Promise<string[]>
  /** Returns why the shown version of the repository is older than its files; usually empty. */
  brokenOf(fullName: string): readonly string[]
}

/** What a page shows of one request, as its handler decided. `page` names the component that renders it and knows the other values. */
export interface PageView {
  page: string
  title: string
}

/** Renders what a handler decided to show. @throws Error if that fails */
export type ShowView = (view: PageView) => Promise<string>

/** The path of the page that renders views; without a view, it does not exist. */
export const VIEW_PATH = '/settings'

/** Passed to each page as `Astro.locals`. */
export interface PageLocals {
  profile: HubProfile
  /** Undefined for pages that do not depend on the content (site/build/fixed-pages.ts). */
  hub?: PageData
  /** The requested path. */
  path: string
  /** Draws the preview image of a prompt; undefined where the host does not. */
  drawCard?: DrawCard | undefined
  /** Only for the page at `VIEW_PATH`. */
  view?: PageView
}

/** Renders the page at a path. @param path with its query, from the site's root */
export type RenderPage = (path: string, locals: PageLocals) => Promise<Response>
