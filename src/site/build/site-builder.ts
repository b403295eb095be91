// Owns making all of a site but its search index, and making it again at the cost of what changed.
import type { Config } from '../../config.ts'
import { formatHeadersFile } from '../../domain/api/site-headers.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { listSharedFiles } from '../../domain/catalogue/data-files.ts'
import { digestText } from '../../ports/measure.ts'
import type { BuildCache, WrittenGroup } from '../../stores/build-cache.ts'
import { listDownloads } from './downloads.ts'
import { type LoadedCatalogue, openCatalogue } from './load-catalogue.ts'
import { setCatalogue } from './loaded-catalogue.ts'
import { makeInThreads } from './making-threads.ts'
import type { PageRenderer } from './render-pages.ts'
import { groupRepositoryFiles, REPOSITORY } from './repository-groups.ts'
import { groupSharedFiles } from './site-files.ts'
import { settingsOfSite } from './site-settings.ts'
import { hashKey, type SiteDifference, type SiteGroup, type SitePlan, writeDifference } from './site-writer.ts'

/** What one round came to. */
export interface BuiltDifference extends LoadedCatalogue {
  difference: SiteDifference
}

/** What the search index of a new state is made of. */
export interface SearchChanges {
  catalogue: Catalogue
  /** Full names of the repositories that are new or changed. */
  changed: string[]
  /** Full names of those that are gone. */
  removed: string[]
  /** Whether no data file is different, so that the index is not either. */
  areNone: boolean
}

/** Makes a site, again and again. */
export interface SiteBuilder {
  /**
   * Writes what differs from the last complete state into a folder. The caller says by `keep` that it has become part of the site.
   *
   * @param isStrict whether anything wrong in the content ends it
   * @param makeSearch makes the search index, while other threads make pages when there are many
   * @throws ContentError when the content is not fit for that
   */
  build(dir: string, isStrict: boolean, makeSearch: (changes: SearchChanges) => void): Promise<BuiltDifference>
  /** Takes a difference as part of the site. @param state what is to be said of it to whoever opens the cache next */
  keep(difference: SiteDifference, state: string): void
}

/** What a builder needs. */
interface BuilderParts {
  config: Config
  /** The day in UTC, `YYYY-MM-DD`: a builder may outlive the day it was opened on. */
  today: () => string
  /** The project's folder. */
  root: string
  /** Bundles the pages, once, when a catalogue is in place. */
  openPages: () => Promise<PageRenderer>
  cache: BuildCache
  /** What was written the last time, asked once, before anything is written; what the cache says when left out. */
  loadGroups?: () => Promise<ReadonlyMap<string, WrittenGroup>>
  /** Told how far a round is; of steps that nobody can count, `total` is 0. */
  onProgress?: (step: string, done: number, total: number) => void
}

/** Opens a builder. */
export function openSiteBuilder({
  config,
  today,
  root,
  openPages,
  cache,
  loadGroups = async () => cache.loadGroups(),
  onProgress = () => {},
}: BuilderParts): SiteBuilder {
  const loader = openCatalogue(config, { cache: cache.files, today })
  let groups: ReadonlyMap<string, WrittenGroup> | undefined
  let pages: PageRenderer | undefined
  return {
    async build(dir, isStrict, makeSearch) {
      onProgress('Reading the content', 0, 0)
      const loaded = isStrict ? loader.load() : loader.loadServable()
      const { catalogue } = loaded
      setCatalogue(catalogue)
      if (!pages) {
        onProgress('Bundling the pages', 0, 0)
        pages = await openPages()
      }
      const renderer = pages
      const parts = await Array.fromAsync(listGroups({ root, settings: settingsOfSite(config) }, catalogue, renderer))
      groups ??= await loadGroups()
      let done = 0
      const difference = await writeDifference(parts, groups, {
        ...{
          dir,
          makeMany: (tasks, onMade, meanwhile) =>
            makeInThreads(tasks, { root, dir, catalogue, pages: renderer }, onMade, meanwhile),
        },
        onPlanned: (plan) => {
          onProgress('Writing the search index', 0, 0)
          makeSearch({ catalogue, ...describeChanges(plan) })
        },
        onGroup: () => onProgress('Writing the site', ++done, parts.length),
      })
      return { ...loaded, difference }
    },
    keep(difference, state) {
      cache.save(difference.changed, difference.removed, state)
      groups = difference.groups
    },
  }
}

function describeChanges({ changed, removed }: SitePlan): Omit<SearchChanges, 'catalogue'> {
  const repositoriesOf = (ids: readonly string[]) =>
    ids.filter((id) => id.startsWith(REPOSITORY)).map((id) => id.slice(REPOSITORY.length))
  const isData = (id: string) => id.startsWith(REPOSITORY) || id.startsWith(DATA)
  return {
    ...{ changed: repositoriesOf(changed), removed: repositoriesOf(removed) },
    areNone: ![...changed, ...removed].some(isData),
  }
}

const DATA = 'data '

async function* listGroups(
  { root, settings }: { root: string; settings: string },
  catalogue: Catalogue,
  pages: PageRenderer,
): AsyncGenerator<SiteGroup> {
  const withKey = (group: SiteGroup) => ({ ...group, key: group.key && hashKey(`${settings}\n${group.key}`) })
  for (const file of listSharedFiles(catalogue, digestText))
    yield withKey({ id: DATA + file[0], key: file[1], make: () => ({ files: [file] }) })
  const downloads = await listDownloads(root, catalogue.baseUrl)
  for (const file of [['/_headers', formatHeadersFile()] as const, ...downloads])
    yield { id: `file ${file[0]}`, key: undefined, make: () => ({ files: [file] }) }
  for (const { id, files } of groupSharedFiles(catalogue))
    yield { id, key: undefined, make: () => ({ files: files() }) }
  for (const entry of catalogue.entries.values()) yield* groupRepositoryFiles(catalogue, entry).map(withKey)
  for (const group of await pages.listGroups()) yield withKey(group)
}
