// Connects reading to the platform: site files, fresh copies and search.
import { type Config, includedFile } from '../config.ts'
import { askOnce } from '../ports/ask-once.ts'
import type { Search } from '../ports/search.ts'
import type { TextJobTable } from '../ports/text-work.ts'
import type { ReadHandlerDeps } from '../server/read/read.ts'
import {
  clientKeyOf,
  currentConfig,
  type FunctionContext,
  freshOf,
  limiterOf,
  siteFilesOf,
  textOf,
} from './platform.ts'

/** Returns the dependencies for reading, for one request. @param importJobs imports the jobs on texts that the function needs; reads need none @throws HubError `unavailable` naming an invalid setting */
export async function connectRead(
  request: Request,
  context: FunctionContext,
  importJobs: () => Promise<Partial<TextJobTable>> = async () => ({}),
): Promise<ReadHandlerDeps> {
  const { ip, hub } = context
  const config = currentConfig()
  const [files, fresh] = await Promise.all([siteFilesOf(request, hub), freshOf(hub)])
  return {
    baseUrl: config.baseUrl,
    siteFiles: { ...files, read: askOnce(files.read) },
    fresh: {
      find: askOnce(fresh.find),
      findOwner: askOnce(fresh.findOwner),
      findVersion: askOnce(fresh.findVersion),
      findFiles: askOnce(fresh.findFiles),
      listNames: fresh.listNames,
    },
    text: await textOf(context, importJobs),
    search: hub?.search ?? (() => openBundledSearch(config)),
    limiter: await limiterOf('reads', config.rateLimitPerMinute, config),
    clientAddress: clientKeyOf(ip),
  }
}

/** Returns the dependencies for exporting. @throws HubError like `connectRead` */
export const connectExport = (request: Request, context: FunctionContext): Promise<ReadHandlerDeps> =>
  connectRead(request, context, async () => (await import('./text-jobs-export.ts')).EXPORT_JOBS)

let bundledSearch: Promise<Search> | undefined

/** On Netlify, opens the index that is deployed with the function on the first query, so that a cold function that only serves files does not load it. The index of a deploy never changes, so it stays open. */
function openBundledSearch(config: Config): Search {
  const opened = () => {
    bundledSearch ??= import('../../packages/stores/search/open-index.ts').then(({ openSearchIndex }) =>
      openSearchIndex(includedFile(config, 'build/search.db')),
    )
    return bundledSearch
  }
  return {
    find: async (question) => (await opened()).find(question),
    listMenu: async () => (await opened()).listMenu(),
    completeOwner: async (prefix, limit) => (await opened()).completeOwner(prefix, limit),
    completeName: async (prefix, owner, limit) => (await opened()).completeName(prefix, owner, limit),
  }
}
