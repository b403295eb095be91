// Finds the results of test suites for a version, in the built file or, if there is a newer write, in the fresh copy.

import { parseBuilt } from '../../built/site-files.ts'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import type { Result } from '../../domain/api/schema.ts'
import { MAX_ACTIVITIES } from '../../domain/catalogue/activity.ts'
import { sortResults } from '../../domain/catalogue/results.ts'
import type { Sources } from '../hub.ts'

/** Returns the results of a version, newest first; none if there is no such version. */
export async function findResults(
  owner: string,
  name: string,
  version: string,
  { siteFiles, fresh }: Sources,
): Promise<readonly Result[]> {
  const copy = await fresh.find('repositories', owner, name)
  if (copy && Object.hasOwn(copy.results, version)) return copy.results[version]!
  const built = await siteFiles.read(DATA_FILES.results(owner, name, version))
  return built ? parseBuilt<{ data: Result[] }>(built).data : []
}

/** Returns the newest results of all versions of a repository, newest first. */
export async function findNewestResults(owner: string, name: string, { siteFiles, fresh }: Sources): Promise<Result[]> {
  const [copy, built] = await Promise.all([
    fresh.find('repositories', owner, name),
    siteFiles.read(DATA_FILES.newestResults(owner, name)),
  ])
  const copied = copy?.results ?? {}
  const known = built ? parseBuilt<{ data: Result[] }>(built).data : []
  const others = known.filter(({ version }) => !Object.hasOwn(copied, version))
  return sortResults([...others, ...Object.values(copied).flat()]).slice(0, MAX_ACTIVITIES)
}
