// Derives events, of which webhooks are told, from the changes of a commit. Pure.
import type { Activity } from '../api/schema.ts'
import { listChanges } from '../catalogue/activity.ts'
import type { markFor } from '../catalogue/change-mark.ts'
import { describeOutcome } from '../catalogue/results.ts'
import type { RepositoryFile } from '../content/prompt-file.ts'
import type { ResultFile } from '../content/result-file.ts'
import { isSameJson } from '../text/json.ts'

/** The types of events. src/pages/docs/webhooks.md */
export const EVENT_TYPES = [
  'version.published',
  'label.moved',
  'version.yanked',
  'advisory.published',
  'result.reported',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** What happened to a prompt. */
export interface HubEvent {
  type: EventType
  owner: string
  name: string
  /** As in the activity; an advisory has no type there. */
  data: Omit<Activity, 'type'> & {
    type: Activity['type'] | 'advisory'
    advisory?: RepositoryFile['advisories'][number]
  }
}

/** The prompt that a commit changed, and what the commit says. */
export interface EventOrigin extends Pick<Activity, 'at' | 'by' | 'commit'>, ReturnType<typeof markFor> {
  owner: string
  name: string
}

const TYPES: Partial<Record<Activity['type'], EventType>> = {
  labelled: 'label.moved',
  restored: 'label.moved',
  split: 'label.moved',
  unlabelled: 'label.moved',
  yanked: 'version.yanked',
  unyanked: 'version.yanked',
  removed: 'version.yanked',
}

/** Lists the events of a change to `index.md`. */
export function eventsOfIndex(before: RepositoryFile, after: RepositoryFile, origin: EventOrigin): HubEvent[] {
  const { owner, name, ...made } = origin
  const changes = listChanges(before, after, made).flatMap((data): HubEvent[] => {
    const type = TYPES[data.type]
    return type ? [{ type, owner, name, data }] : []
  })
  const advisories = after.advisories
    .filter((one) => !before.advisories.some((other) => isSameJson(one, other)))
    .map((advisory): HubEvent => {
      const data = { ...plain(origin), type: 'advisory' as const, reason: advisory.message, advisory }
      return { type: 'advisory.published', owner, name, data }
    })
  return [...changes, ...advisories]
}

/** Returns the event of a version that a commit adds. */
export function eventOfVersion(version: string, origin: EventOrigin): HubEvent {
  const { owner, name } = origin
  return { type: 'version.published', owner, name, data: { ...plain(origin), type: 'published', version } }
}

/** Returns the event of a result that a commit adds or replaces. */
export function eventOfResult(version: string, suite: string, result: ResultFile, origin: EventOrigin): HubEvent {
  const { owner, name } = origin
  const reason = describeOutcome({ ...result, version })
  return { type: 'result.reported', owner, name, data: { ...plain(origin), type: 'tested', version, suite, reason } }
}

function plain({ at, by, by_token, by_workflow, commit }: EventOrigin): Omit<Activity, 'type'> {
  return {
    at,
    by,
    by_token,
    by_workflow,
    version: null,
    label: null,
    from: null,
    to: null,
    from_split: null,
    to_split: null,
    reason: null,
    suite: null,
    fields: [],
    commit,
  }
}
