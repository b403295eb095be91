// Owns what stands behind each port on the platform at hand: Netlify, its dev server, or our own host, which hands its own parts over.
import { resolve } from 'node:path'
import type { Config } from './config.ts'
import { readConfig } from './config.ts'
import type { RateLimit, RateLimiter } from './domain/rate-limit.ts'
import type { Search } from './domain/search.ts'
import type { SiteFiles } from './domain/site-files.ts'
import { limitInMemory } from './server/rate-limit.ts'
import type { ReadDependencies } from './server/read.ts'
import { limitInFile } from './stores/rate-limit-file.ts'
import { openSearchIndex } from './stores/search-index.ts'
import { deployFiles } from './stores/site-files.ts'

/** One build as our own host serves it. */
export interface Site {
  files: SiteFiles
  /** Opened on first use. */
  search: () => Search
}

/** What a function is told about a request: by Netlify, or by our own host, which adds the site it serves. */
export interface FunctionContext {
  /** The client's address. */
  ip: string
  hub?: Site
}

const MINUTE_MS = 60_000

/** What reading needs on this platform. @throws HubError `unavailable` naming a setting that is wrong */
export function connectRead(request: Request, context: FunctionContext): ReadDependencies {
  const config = readConfig(process.env)
  return {
    baseUrl: config.baseUrl,
    siteFiles: context.hub?.files ?? deployFiles(new URL(request.url).origin),
    search: context.hub?.search ?? (() => openBundledSearch(config)),
    limiter: readLimiter(config),
    clientAddress: context.ip,
  }
}

let limiter: RateLimiter | undefined

/** One for the life of the process, for its memory is the window. */
function readLimiter({ rateLimitPerMinute: requests, isNetlifyDev }: Config): RateLimiter {
  const limit: RateLimit = { requests, windowMs: MINUTE_MS }
  limiter ??= isNetlifyDev ? limitInFile(limit, '.netlify/hub/reads.db') : limitInMemory(limit)
  return limiter
}

let bundledSearch: Search | undefined

/** The index that lies beside a function on Netlify; it never changes there, so it stays open. */
function openBundledSearch({ functionDir }: Config): Search {
  bundledSearch ??= openSearchIndex(resolve(functionDir, 'build/search.db'))
  return bundledSearch
}
