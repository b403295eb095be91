// Provides page data from the same records as the read API.

import { type Bytes, parseBuilt, readBuilt } from '../../built/site-files.ts'
import { importOnce } from '../../concurrency/promises.ts'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import { dependentsEnvelope, type ListEnvelope } from '../../domain/api/envelope.ts'
import type {
  Dependent,
  Difference,
  ModelUse,
  OwnerCount,
  RepositorySummary,
  TagRecord,
} from '../../domain/api/schema.ts'
import { isName, isOwner, isTag, isVersion } from '../../domain/values/names.ts'
import type { Search } from '../../search/search.ts'
import type { PageData } from '../../site/rendering.ts'
import { askEachOnce } from '../ask-once.ts'
import type { Hub } from '../hub.ts'
import { findActivity } from '../read/activity.ts'
import { findClose } from '../read/close-names.ts'
import { findFile } from '../read/files.ts'
import {
  findContentStart,
  findRepository,
  findTags,
  findUser,
  findVersion,
  findVersionPage,
  findVersions,
} from '../read/records.ts'
import { findNewestResults, findResults } from '../read/results.ts'

/** Parsed lists of the entire catalogue, by their bytes, which are the same object throughout a build on the Node server. The map is weak, so that the lists are freed together with their build. */
const parsed = new WeakMap<Bytes, unknown>()

function parseOnce<Record>(bytes: Bytes): Record[] {
  if (!parsed.has(bytes)) parsed.set(bytes, parseBuilt<{ data: unknown }>(bytes).data)
  return parsed.get(bytes) as Record[]
}

/** The breaking versions in lists of changes, by their bytes: such a list may have a megabyte. */
const breaking = new WeakMap<Bytes, readonly string[]>()

function breakingIn(bytes: Bytes): readonly string[] {
  const known = breaking.get(bytes)
  if (known) return known
  const { data } = parseBuilt<{ data: Difference[] }>(bytes)
  const found = data.flatMap((change) => (change.breaking ? change.to : []))
  breaking.set(bytes, found)
  return found
}

/** Imported on first use, because most pages show no version. */
const capabilities = importOnce(() => import('../read/capabilities.ts'))

/** The part of a hub that pages ask. */
type AskedHub = Pick<Hub, 'baseUrl' | 'siteFiles' | 'fresh' | 'runLong'> & { search: () => Pick<Search, 'find'> }

/** Creates the queries for a page. @param onFailure called with any error that a query throws */
export function openPageData(
  given: AskedHub,
  brokenOf: PageData['brokenOf'],
  onFailure: (failure: unknown) => void,
): PageData {
  const { search } = given
  const hub = { ...askEachOnce(given), baseUrl: given.baseUrl }
  const { siteFiles } = hub
  const isPrompt = (owner: string, name: string) => isOwner(owner) && isName(name)
  /** Wraps a query so that errors are passed to `onFailure`. */
  const telling =
    <Given extends unknown[], Value>(ask: (...given: Given) => Promise<Value>) =>
    (...given: Given): Promise<Value> =>
      ask(...given).catch((failure: unknown) => {
        onFailure(failure)
        throw failure
      })
  return {
    brokenOf,
    findRepository: telling(async (owner, name) =>
      isPrompt(owner, name) ? (await findRepository(owner, name, hub))?.value() : undefined,
    ),
    findVersions: telling(async (owner, name) =>
      isPrompt(owner, name) ? (await findVersions(owner, name, hub))?.versions : undefined,
    ),
    listVersions: telling(async (owner, name, page) =>
      isPrompt(owner, name) ? (await findVersionPage(owner, name, page, hub))?.versions.value() : undefined,
    ),
    findStart: async (owner, name) => (isPrompt(owner, name) ? findContentStart(owner, name, hub) : undefined),
    findVersion: telling(async (owner, name, version) =>
      isPrompt(owner, name) && isVersion(version) ? (await findVersion(owner, name, version, hub))?.value() : undefined,
    ),
    findFile: telling(async (owner, name, version, path) =>
      isPrompt(owner, name) && isVersion(version)
        ? (await findFile({ owner, name, version }, path, hub))?.bytes
        : undefined,
    ),
    listBreaking: telling(async (owner, name) => {
      const bytes = isPrompt(owner, name) ? await siteFiles.read(DATA_FILES.changes(owner, name)) : undefined
      return bytes ? breakingIn(bytes) : []
    }),
    findActivity: telling(async (owner, name) => (isPrompt(owner, name) ? findActivity(owner, name, hub) : undefined)),
    findResults: telling(async (owner, name, version) =>
      isPrompt(owner, name) && isVersion(version) ? findResults(owner, name, version, hub) : [],
    ),
    findCapabilities: telling(async (record) =>
      (await capabilities()).findCapabilitiesNow(record, { ...hub, runLong: given.runLong }),
    ),
    findNewestResults: telling(async (owner, name) =>
      isPrompt(owner, name) ? findNewestResults(owner, name, hub) : [],
    ),
    findOwner: telling(async (handle) => (isOwner(handle) ? (await findUser(handle, hub))?.value() : undefined)),
    listPrompts: telling(async (sort, page, tag) => {
      if (tag !== undefined && !isTag(tag)) return undefined
      const path = tag === undefined ? DATA_FILES.list(sort, page) : DATA_FILES.tagged(tag, sort, page)
      const bytes = await siteFiles.read(path)
      return bytes && parseBuilt<ListEnvelope<RepositorySummary>>(bytes)
    }),
    listRecent: telling(async (tag) => {
      if (tag !== undefined && !isTag(tag)) return undefined
      const bytes = await siteFiles.read(tag === undefined ? DATA_FILES.recent() : DATA_FILES.recentlyTagged(tag))
      return bytes && parseBuilt<{ data: RepositorySummary[] }>(bytes).data
    }),
    listForks: telling(async (owner, name) => {
      const bytes = isPrompt(owner, name) ? await siteFiles.read(DATA_FILES.forks(owner, name)) : undefined
      return bytes ? parseBuilt<{ data: RepositorySummary[] }>(bytes).data : []
    }),
    listDependents: telling(async (owner, name) => {
      const bytes = isPrompt(owner, name) ? await siteFiles.read(DATA_FILES.dependents(owner, name)) : undefined
      return bytes ? parseBuilt<ListEnvelope<Dependent>>(bytes) : dependentsEnvelope([])
    }),
    listModels: telling(async () => parseOnce<ModelUse>(await readBuilt(siteFiles, DATA_FILES.models()))),
    listTags: telling(async () => parseOnce<TagRecord>((await findTags(hub)).bytes())),
    listOwners: telling(async () => parseOnce<OwnerCount>(await readBuilt(siteFiles, DATA_FILES.users()))),
    find: telling(async (question) => search().find(question)),
    findClose: telling(async (owner, name) => (isPrompt(owner, name) ? findClose(owner, name, given) : [])),
  }
}
