// Owns making all of a site but its search index, and making it again at the cost of what changed.
import type { Config } from '../../config.ts'
import { formatHeadersFile } from '../../domain/api/site-headers.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { listSharedFiles } from '../../domain/catalogue/data-files.ts'
import { digestText } from '../../ports/measure.ts'
import type { BuildCache, WrittenGroup } from '../../stores/build-cache.ts'
import { type ContentListing, listContent } from '../../stores/content-listing.ts'
import { findConverted } from '../../stores/converted-files.ts'
import { listDownloads } from './downloads.ts'
import { type CatalogueLoader, ContentError, type LoadedCatalogue, openCatalogue } from './load-catalogue.ts'
import { setCatalogue } from './loaded-catalogue.ts'
import { makeInThreads } from './making-threads.ts'
import { readAhead } from './read-ahead.ts'
import type { PageRenderer } from './render-pages.ts'
import { chain, groupRepositoryData, groupRepositoryPages, makeGroup, REPOSITORY } from './repository-groups.ts'
import { groupFile, listManyFiles } from './site-files.ts'
import { settingsOfSite } from './site-settings.ts'
import {
  hashKey,
  type SiteDifference,
  type SiteFile,
  type SiteGroup,
  type SitePlan,
  writeDifference,
} from './site-writer.ts'

/** Which files are meant: what programs read, pages and what belongs to them, or both. */
export type SitePart = 'data' | 'pages' | 'all'

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
   * Reads the content, and puts its catalogue in place.
   *
   * @param isStrict whether anything wrong in the content is an error; if not, a broken file is replaced by its last good state or left out
   * @throws ContentError for content that is wrong, when that is an error, for a folder that cannot be read, and for files that git converted on checkout
   */
  read(isStrict: boolean): Promise<LoadedCatalogue>
  /**
   * Writes what differs between what was read and the last complete state into a folder. Call `keep` when the folder has become part of the site.
   *
   * @param makeSearch makes the search index, while other threads make pages when there are many: in turns, so that they are heard
   */
  write(
    dir: string,
    part: SitePart,
    makeSearch: (changes: SearchChanges) => void | Promise<void>,
  ): Promise<SiteDifference>
  /** Remembers a difference as part of the site. @param state what the cache says of this state to whoever opens it next */
  keep(difference: SiteDifference, state: string): void
}

/** What a builder needs. */
interface BuilderParts {
  config: Config
  /** For git: PATH and HOME. */
  environment: Readonly<Record<string, string | undefined>>
  /** The day in UTC, `YYYY-MM-DD`: a builder may outlive the day it was opened on. */
  today: () => string
  /** The project's folder. */
  root: string
  /** Opens the pages; asked again only when that failed. */
  openPages: () => Promise<PageRenderer>
  cache: BuildCache
  /** What a look at the content folder found just now. */
  listing?: ContentListing | undefined
  /** Called before each round writes anything. @returns whether what the cache says was written the last time is what lies there; if not, all is written */
  confirmWritten?: () => Promise<boolean>
  /** Told how far a round is; of steps that nobody can count, `total` is 0. */
  onProgress?: (step: string, done: number, total: number) => void
}

/** Opens a builder. */
export function openSiteBuilder({
  config,
  environment,
  today,
  root,
  openPages,
  cache,
  listing,
  confirmWritten = async () => true,
  onProgress = () => {},
}: BuilderParts): SiteBuilder {
  const { contentDir, baseUrl } = config
  let loader: CatalogueLoader | undefined
  /** How many files were read before anybody asked for them. */
  let readBefore = 0
  const openLoader = async () => {
    const converted = await findConverted(contentDir, environment)
    if (converted.length > 0) throw new ContentError(converted)
    const found = listing ?? listContent(contentDir)
    listing = undefined
    readBefore = await readAhead({ contentDir, baseUrl }, found, cache.content, (done, total) =>
      onProgress('Reading the content', done, total),
    )
    return openCatalogue(config, { cache: cache.content, today, listing: found })
  }
  const settings = hashKey(settingsOfSite(config))
  let catalogue: Catalogue | undefined
  let groups: Map<string, WrittenGroup> | undefined
  let pages: Promise<PageRenderer> | undefined
  const startPages = () => {
    pages ??= openPages().catch((error: unknown) => {
      pages = undefined
      throw error
    })
    return pages
  }
  return {
    async read(isStrict) {
      // Another process bundles the pages while the content is read. When that fails, `write` says so: it waits for the pages, or opens them once more.
      startPages().catch(() => {})
      onProgress('Reading the content', 0, 0)
      loader ??= await openLoader()
      const loaded = isStrict ? loader.load() : loader.loadServable()
      catalogue = loaded.catalogue
      setCatalogue(catalogue)
      const filesRead = loaded.filesRead + readBefore
      readBefore = 0
      return { ...loaded, filesRead }
    },
    async write(dir, part, makeSearch) {
      if (!catalogue) throw new Error('Nothing was read that could be written.')
      const shown = catalogue
      let renderer: PageRenderer | undefined
      let otherPages: SiteGroup[] = []
      if (part !== 'data') {
        onProgress('Opening the pages', 0, 0)
        renderer = await startPages()
        otherPages = await groupOtherPages(root, shown, renderer)
      }
      const making = renderer && { dir, catalogue: shown, pages: renderer, cachePath: cache.path }
      const writeOver = (before: ReadonlyMap<string, WrittenGroup>, confirm: () => Promise<boolean>) =>
        writeDifference(
          chain(part === 'pages' ? [] : groupSharedData(shown), otherPages, groupRepositories(shown, part)),
          part === 'all' ? before : new Map([...before].filter(([id]) => isOfData(id) === (part === 'data'))),
          {
            ...{ dir, ledger: cache, keyOf: (key) => withSettings(key, settings), confirm },
            makeTask: (task) => makeGroup(task, shown, renderer),
            ...(making && {
              makeMany: (tasks, onMade, meanwhile) => makeInThreads(tasks, making, onMade, meanwhile),
            }),
            onPlanned: (plan) => {
              onProgress('Writing the search index', 0, 0)
              return makeSearch({ catalogue: shown, ...describeChanges(plan) })
            },
            onGroups: (done, total) => onProgress('Writing the site', done, total),
          },
        )
      try {
        groups ??= cache.loadGroups()
        const difference = await writeOver(groups, confirmWritten)
        if (difference) return difference
        groups.clear()
        return (await writeOver(groups, async () => true))!
      } catch (error) {
        // Whatever is recorded next must not be taken for this.
        cache.unstage()
        throw error
      }
    },
    keep({ groups: now, changed, removed }, state) {
      cache.save(removed, state)
      for (const id of removed) groups?.delete(id)
      for (const id of changed) groups?.set(id, now.get(id)!)
    },
  }
}

function describeChanges({ changed, removed }: SitePlan): Omit<SearchChanges, 'catalogue'> {
  const repositoriesOf = (ids: readonly string[]) =>
    ids.filter((id) => id.startsWith(REPOSITORY)).map((id) => id.slice(REPOSITORY.length))
  return {
    ...{ changed: repositoriesOf(changed), removed: repositoriesOf(removed) },
    areNone: ![...changed, ...removed].some(isOfData),
  }
}

const DATA = 'data '
/** A key of more characters is replaced by its hash. */
const LONGEST_KEY = 64

/** Whether a group is read by programs. */
function isOfData(id: string): boolean {
  return id.startsWith(DATA) || id.startsWith(REPOSITORY)
}

function* groupSharedData(catalogue: Catalogue): Generator<SiteGroup> {
  for (const file of listSharedFiles(catalogue, digestText)) yield groupFile(DATA, file)
}

/** What stands for no single repository beside data files. */
async function groupOtherPages(root: string, catalogue: Catalogue, pages: PageRenderer): Promise<SiteGroup[]> {
  const files: SiteFile[] = [['/_headers', formatHeadersFile()], ...(await listDownloads(root, catalogue.baseUrl))]
  const groups = files.map(
    (file): SiteGroup => ({
      ...{ id: `file ${file[0]}`, key: undefined, make: () => ({ files: [file] }) },
    }),
  )
  for (const file of listManyFiles(catalogue)) groups.push(groupFile('file ', file))
  for (const group of await pages.listGroups()) groups.push(group)
  return groups
}

function* groupRepositories(catalogue: Catalogue, part: SitePart): Generator<SiteGroup> {
  for (const entry of catalogue.entries.values()) {
    if (part !== 'pages') yield groupRepositoryData(entry)
    if (part !== 'data') yield groupRepositoryPages(catalogue, entry)
  }
}

/** Adds the settings to the key of a group, because any file may show them. @param settings a short stand-in for them */
function withSettings(key: string, settings: string): string {
  const whole = settings + key
  return whole.length > LONGEST_KEY ? hashKey(whole) : whole
}
