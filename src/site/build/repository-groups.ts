// Owns what is made of one repository: its data files, what stands beside its pages, and its pages, each named so that any thread can make it.
import type { User } from '../../domain/api/schema.ts'
import type { Catalogue, CatalogueEntry } from '../../domain/catalogue/catalogue.ts'
import { listRepositoryFiles } from '../../domain/catalogue/data-files.ts'
import type { PageAddress, PageRenderer } from './render-pages.ts'
import { listFilesBeside } from './site-files.ts'
import type { MadeGroup, SiteGroup } from './site-writer.ts'

/** Begins the names of groups that hold the data files of one repository. */
export const REPOSITORY = 'repository '

/** What a group of files of one repository is. */
export interface GroupTask {
  /** The repository's full name. */
  of: string
  what: 'data' | 'beside' | PageAddress
}

/** What files of any repository may depend on beside the repository itself; it can be sent to another thread. */
export type Surroundings = Pick<Catalogue, 'baseUrl' | 'users' | 'tags'>

/** Describes what surrounds every repository. Lists of repositories are left out: no file of a single one may depend on them (page-facts.ts). */
export function describeSurroundings({ baseUrl, users, tags }: Catalogue): Surroundings {
  const profiles = new Map<string, User>()
  for (const [handle, user] of users) profiles.set(handle, { ...user, repos: [], repos_count: 0 })
  return { baseUrl, users: profiles, tags }
}

/** A catalogue that holds nothing but some repositories. */
export function cataloguePart(entries: readonly CatalogueEntry[], surroundings: Surroundings): Catalogue {
  return {
    ...{ ...surroundings, memberships: new Map(), equivalents: [] },
    entries: new Map(entries.map((entry) => [entry.summary.full_name, entry])),
    listed: { top: [], trending: [], new: [] },
  }
}

/** The groups of a repository that are no pages. */
export function groupRepositoryFiles(catalogue: Catalogue, entry: CatalogueEntry): SiteGroup[] {
  const of = entry.summary.full_name
  return (['data', 'beside'] as const).map((what) => ({
    ...{ id: `${what === 'data' ? REPOSITORY : 'beside '}${of}`, key: entry.digest, task: { of, what } },
    make: () => makeFiles(what, catalogue, entry),
  }))
}

function makeFiles(what: 'data' | 'beside', catalogue: Catalogue, entry: CatalogueEntry): MadeGroup {
  return { files: what === 'data' ? [...listRepositoryFiles(entry)] : listFilesBeside(catalogue, entry) }
}

/** Makes the files of a task. The catalogue must be in place, and hold the repository. */
export function makeGroup(
  { of, what }: GroupTask,
  catalogue: Catalogue,
  pages: PageRenderer,
): MadeGroup | Promise<MadeGroup> {
  return typeof what === 'object' ? pages.makePage(what) : makeFiles(what, catalogue, catalogue.entries.get(of)!)
}
