// Says what moving or removing a label does to those who request it, before it is done.

import type { Difference } from '../domain/api/schema.ts'
import { compareForCallers } from '../domain/catalogue/difference.ts'
import { summariseAdded } from '../domain/inspect/describe.ts'
import { countOf } from '../domain/text/plain-text.ts'
import { targetOf, versionsOf } from '../domain/values/label-target.ts'
import { findCapabilitiesNow } from '../server/read/capabilities.ts'
import type { ApiCall, ApiResponse } from './call-api.ts'
import { call, type Editing, readVersion } from './editing.ts'
import type { LabelReview, ReviewedTarget } from './views.ts'

/** Reviews a change of a label. Its new version is checked by a dry run, so that nobody confirms what would be refused. @returns the refusal, or what the change does */
export async function reviewChange(
  editing: Editing,
  { id, parameters, body }: ApiCall,
): Promise<LabelReview | Extract<ApiResponse, { isDone: false }>> {
  const { repository, deps } = editing
  const { label = '' } = parameters
  const { labels } = repository!
  const from = targetOf(labels, label)
  if (id === 'removeLabel') return { label, from, to: undefined, isBreaking: false, changes: [] }
  const checked = await call(editing, { id, parameters, body: { ...body, dry_run: true } })
  if (!checked.isDone) return checked
  const to = body as ReviewedTarget
  const { split } = to
  // What callers get anew: the second version, unless they get it already.
  const next = split && from && !versionsOf(from).includes(split.version) ? split.version : to.version
  const [before, after] = await Promise.all([
    readVersion(repository!, from?.version ?? null, deps),
    readVersion(repository!, next, deps),
  ])
  const difference = before && after ? compareForCallers(before, after) : undefined
  const abilities = after
    ? summariseAdded(before ? await findCapabilitiesNow(before, deps) : [], await findCapabilitiesNow(after, deps))
    : ''
  return {
    label,
    from,
    to,
    isBreaking: difference?.breaking ?? false,
    changes: [...(abilities === '' ? [] : [abilities]), ...(difference ? sayChanges(difference) : [])],
  }
}

/** Lists what changes for callers, most important first. */
function sayChanges({ reasons, variables, parameters, files, content_changed, skill_changed }: Difference): string[] {
  const optional = variables.added.filter((name) => !variables.added_required.includes(name))
  const settings = [...parameters.added, ...parameters.removed, ...parameters.changed]
  const paths = [...files.added, ...files.removed, ...files.changed]
  return [
    ...reasons,
    ...optional.map((name) => `adds optional variable ${name}`),
    ...(settings.length > 0 ? [`changes ${countOf(settings.length, 'parameter')}`] : []),
    ...(paths.length > 0 ? [`changes ${countOf(paths.length, 'file')}`] : []),
    ...(skill_changed ? ['changes the description of the skill'] : []),
    ...(content_changed ? ['changes the text'] : []),
  ]
}
