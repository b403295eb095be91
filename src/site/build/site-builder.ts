// Owns making all of a site but its search index, and making it again at the cost of what changed.
import type { Config } from '../../config.ts'
import { formatHeadersFile } from '../../domain/api/site-headers.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { groupDataFiles } from '../../domain/catalogue/data-files.ts'
import { digestText } from '../../ports/measure.ts'
import type { BuildCache } from '../../stores/build-cache.ts'
import { listDownloads } from './downloads.ts'
import { type LoadedCatalogue, openCatalogue } from './load-catalogue.ts'
import { setCatalogue } from './loaded-catalogue.ts'
import type { PageRenderer } from './render-pages.ts'
import { groupSiteFiles } from './site-files.ts'
import { type SiteDifference, type SiteGroup, writeDifference } from './site-writer.ts'

/** What one round came to. */
export interface BuiltDifference extends LoadedCatalogue {
  difference: SiteDifference
  /** Full names of the repositories that are new or changed, and of those that are gone. */
  repositories: { changed: string[]; removed: string[] }
}

/** Makes a site, again and again. */
export interface SiteBuilder {
  /**
   * Writes what differs from the last complete state into a folder. The caller says by `keep` that it has become part of the site.
   *
   * @param isStrict whether anything wrong in the content ends it
   * @throws ContentError when the content is not fit for that
   */
  build(dir: string, isStrict: boolean): Promise<BuiltDifference>
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
  onProgress = () => {},
}: BuilderParts): SiteBuilder {
  const loader = openCatalogue(config, { cache: cache.files, today })
  let groups = cache.loadGroups()
  let pages: PageRenderer | undefined
  return {
    async build(dir, isStrict) {
      onProgress('Reading the content', 0, 0)
      const loaded = isStrict ? loader.load() : loader.loadServable()
      const { catalogue } = loaded
      setCatalogue(catalogue)
      if (!pages) {
        onProgress('Bundling the pages', 0, 0)
        pages = await openPages()
      }
      const parts = await Array.fromAsync(listGroups(root, catalogue, pages))
      let done = 0
      const difference = await writeDifference(parts, groups, dir, () =>
        onProgress('Writing the site', ++done, parts.length),
      )
      onProgress('Writing the search index', 0, 0)
      const isRepository = (id: string) => id.startsWith(REPOSITORY)
      const nameOf = (id: string) => id.slice(REPOSITORY.length)
      return {
        ...loaded,
        difference,
        repositories: {
          changed: [...difference.changed.keys()].filter(isRepository).map(nameOf),
          removed: difference.removed.filter(isRepository).map(nameOf),
        },
      }
    },
    keep(difference, state) {
      cache.save(difference.changed, difference.removed, state)
      groups = difference.groups
    },
  }
}

const REPOSITORY = 'repository '

async function* listGroups(root: string, catalogue: Catalogue, pages: PageRenderer): AsyncGenerator<SiteGroup> {
  for (const { id, key, files } of groupDataFiles(catalogue, digestText)) {
    yield {
      id: catalogue.entries.has(id) ? REPOSITORY + id : `data ${id}`,
      key: key && siteKey(catalogue, key),
      files: () => [...files()],
    }
  }
  const downloads = await listDownloads(root, catalogue.baseUrl)
  for (const file of [['/_headers', formatHeadersFile()] as const, ...downloads])
    yield { id: `file ${file[0]}`, key: undefined, files: () => [file] }
  for (const group of groupSiteFiles(catalogue)) yield { ...group, key: group.key && siteKey(catalogue, group.key) }
  for (const group of await pages.listGroups()) yield { ...group, key: group.key && siteKey(catalogue, group.key) }
}

/** Records and pages name the hub's address. */
function siteKey({ baseUrl }: Catalogue, key: string): string {
  return `${baseUrl}\n${key}`
}
