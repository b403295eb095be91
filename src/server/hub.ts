// Defines a hub as the handlers of requests see it: what one client's request may use. The platform opens it (src/hub).

import type { SiteFiles } from '../built/site-files.ts'
import type { RunLong } from '../concurrency/long-work.ts'
import type { OwnerUsage } from '../domain/catalogue/usage.ts'
import type { Search } from '../search/search.ts'
import type { DrawCard, HubProfile, PageData, RenderPage } from '../site/rendering.ts'
import type { FreshCopies } from '../state/fresh-copies.ts'
import type { RateLimiter } from '../state/rate-limiter.ts'
import type { PageCache } from './page-cache.ts'
import type { OwnAddresses } from './request.ts'

/** A hub for the request of one client. What most requests do not need is opened on first use. */
export interface Hub extends OwnAddresses {
  /** The files of the build. */
  siteFiles: SiteFiles
  /** The fresh copies of what has been published since. */
  fresh: Pick<FreshCopies, 'find' | 'held' | 'listNames'>
  search: () => Search
  /** Runs long work on behalf of the client. */
  runLong: RunLong
  /** Limits the client's requests. */
  limiter: RateLimiter
  /** The network of the client, as the platform reports it. Handlers never take it from a header, because clients can forge headers. */
  clientAddress: string
  /** What an owner may have at most; 0 is no limit. */
  quota: OwnerUsage
  /** Returns what renders the pages. @throws HubError `unavailable` while the page code is being bundled */
  pages: () => HubPages | Promise<HubPages>
}

/** What renders the pages of a hub, and what only its pages show. */
export interface HubPages extends Pick<PageData, 'brokenOf'> {
  render: RenderPage
  profile: HubProfile
  /** Draws preview images of prompts; undefined where the host does not. */
  drawCard?: DrawCard | undefined
  /** The cache of rendered pages; undefined behind a CDN. */
  cache: PageCache | undefined
}

/** The sources from which a repository's newest records are read. */
export type Sources = Pick<Hub, 'siteFiles' | 'fresh'>

/** Opens a hub once the request itself has been checked. If it throws, the handler responds with the error. */
export type Connect<Opened = Hub> = () => Opened | Promise<Opened>
