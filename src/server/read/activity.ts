// Collects a repository's activity: its publishes, the events that the build read from git, and the changes since then.

import { parseBuilt } from '../../built/site-files.ts'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import type { Activity } from '../../domain/api/schema.ts'
import { joinChanges, listActivity } from '../../domain/catalogue/activity.ts'
import type { Sources } from '../hub.ts'
import { findVersions } from './records.ts'
import { findNewestResults } from './results.ts'

/** Returns the activity of a repository, newest first; undefined if there is no such repository. */
export async function findActivity(
  owner: string,
  name: string,
  sources: Sources,
): Promise<ReturnType<typeof listActivity> | undefined> {
  const [found, known, results] = await Promise.all([
    findVersions(owner, name, sources),
    findChanges(owner, name, sources),
    findNewestResults(owner, name, sources),
  ])
  return found && listActivity(found.versions, known, results)
}

/** Returns the known changes of a repository without its publishes, newest first: those that the build read from git, and those since then. */
export async function findChanges(
  owner: string,
  name: string,
  { siteFiles, fresh }: Sources,
): Promise<{ changes: Activity[]; since: string | null }> {
  const [copy, built, history] = await Promise.all([
    fresh.find('repositories', owner, name),
    siteFiles.read(DATA_FILES.activity(owner, name)),
    siteFiles.read(DATA_FILES.history()),
  ])
  const changes = built ? parseBuilt<{ data: Activity[] }>(built).data : []
  const since = history ? parseBuilt<{ data: { since: string | null } }>(history).data.since : null
  return { changes: joinChanges(changes, copy?.activity), since }
}
