// Collects a repository's activity: its publishes, the events that the build read from git, and the changes since then.
import { DATA_FILES } from '../../domain/api/routes.ts'
import type { Activity } from '../../domain/api/schema.ts'
import { listActivity } from '../../domain/catalogue/activity.ts'
import { parseBuilt } from '../../ports/site-files.ts'
import { findVersions, type Sources } from './records.ts'

/** Returns the activity of a repository, newest first; undefined if there is no such repository. */
export async function findActivity(
  owner: string,
  name: string,
  sources: Sources,
): Promise<ReturnType<typeof listActivity> | undefined> {
  const { siteFiles, fresh } = sources
  const [found, copy, changes, history] = await Promise.all([
    findVersions(owner, name, sources),
    fresh.find(owner, name),
    siteFiles.read(DATA_FILES.activity(owner, name)),
    siteFiles.read(DATA_FILES.history()),
  ])
  if (!found) return undefined
  const known = {
    changes: changes ? parseBuilt<{ data: Activity[] }>(changes).data : [],
    since: history ? parseBuilt<{ data: { since: string | null } }>(history).data.since : null,
  }
  return listActivity(found.versions.value(), known, copy?.activity)
}
