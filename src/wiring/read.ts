// Owns what reading needs on the platform at hand.
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { Search } from '../ports/search.ts'
import type { ReadDependencies } from '../server/read/read.ts'
import { netlifyBlobs } from '../stores/blob-store-netlify.ts'
import { freshInBlobs } from '../stores/fresh-copies-blobs.ts'
import { openSearchIndex } from '../stores/search-sqlite.ts'
import { clientKeyOf, currentConfig, type FunctionContext, limiterOf, siteFilesOf } from './platform.ts'

/** What reading needs. @throws HubError `unavailable` naming a setting that is wrong */
export function connectRead(request: Request, { ip, hub }: FunctionContext): ReadDependencies {
  const config = currentConfig()
  return {
    baseUrl: config.baseUrl,
    siteFiles: siteFilesOf(request, hub),
    fresh: hub?.fresh ?? freshInBlobs(netlifyBlobs()),
    search: hub?.search ?? (() => openBundledSearch(config)),
    limiter: limiterOf('reads', config.rateLimitPerMinute, config),
    clientAddress: clientKeyOf(ip),
  }
}

let bundledSearch: Search | undefined

/** The index that lies beside a function on Netlify; it never changes there, so it stays open. */
function openBundledSearch({ functionDir }: Config): Search {
  bundledSearch ??= openSearchIndex(resolve(functionDir, 'build/search.db'))
  return bundledSearch
}
