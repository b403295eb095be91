// Owns what is made of one repository, in two groups that any thread can make: its data files, and its pages with what stands beside them.
import type { User } from '../../domain/api/schema.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { listRepositoryFiles } from '../../domain/catalogue/data-files.ts'
import type { CatalogueEntry } from '../../domain/catalogue/entry.ts'
import { lookAround } from './around.ts'
import { areFactsUnchanged } from './page-facts.ts'
import type { PageRenderer } from './render-pages.ts'
import { listFilesBeside } from './site-files.ts'
import type { MadeGroup, SharedGroup } from './site-writer.ts'

/** Begins the names of groups that hold the data files of one repository. */
export const REPOSITORY = 'repository '

/** What a group of files of one repository is. */
export interface GroupTask {
  /** The repository's full name. */
  of: string
  what: 'data' | 'pages'
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

/** The data files of a repository. */
export function groupRepositoryData(entry: CatalogueEntry): SharedGroup {
  const of = entry.summary.full_name
  return { id: REPOSITORY + of, key: entry.digest, task: { of, what: 'data' } }
}

/** The pages of a repository and what stands beside them: one group, because hardly anything changes one of them and not the others. */
export function groupRepositoryPages(catalogue: Catalogue, entry: CatalogueEntry): SharedGroup {
  const of = entry.summary.full_name
  const key = entry.digest && `${entry.digest} ${JSON.stringify(lookAround(catalogue, entry))}`
  return {
    ...{ id: `pages ${of}`, key, task: { of, what: 'pages' } },
    areUnchanged: (known) => areFactsUnchanged(catalogue, known),
  }
}

const makeData = (entry: CatalogueEntry): MadeGroup => ({ files: listRepositoryFiles(entry) })

async function makePages(catalogue: Catalogue, entry: CatalogueEntry, pages: PageRenderer): Promise<MadeGroup> {
  const made = await pages.makePages(entry)
  return { ...made, files: chain(listFilesBeside(catalogue, entry), made.files) }
}

/** Goes through some things and then through others. */
export function* chain<Value>(...parts: readonly Iterable<Value>[]): Generator<Value> {
  for (const part of parts) yield* part
}

/** Makes the files of a task. The catalogue must be in place, and hold the repository. @param pages may be left out when none are asked for */
export function makeGroup(
  { of, what }: GroupTask,
  catalogue: Catalogue,
  pages: PageRenderer | undefined,
): MadeGroup | Promise<MadeGroup> {
  const entry = catalogue.entries.get(of)!
  if (what === 'data') return makeData(entry)
  if (!pages) throw new Error('Pages were asked for without being opened.')
  return makePages(catalogue, entry, pages)
}
