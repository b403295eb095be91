// Finds where a label pointed at a time, from a repository's activity. Reads import this file, so it imports no schemas.

import type { Activity } from '../api/schema.ts'
import { type Labels, targetOf } from '../values/label-target.ts'
import { MAX_ACTIVITIES } from './activity.ts'

/** What is known of a repository's labels. */
interface KnownLabels {
  /** The labels now. */
  labels: Labels
  /** The changes of the repository in the order of the branch, newest first, without its publishes. */
  changes: readonly Activity[]
  /** Changes before this time are unknown; null if the history is complete. */
  since: string | null
}

/** Where a label pointed: to a version, nowhere (and when it was first set, if ever), or unknown before a time. */
type LabelAt =
  | { kind: 'version'; version: string }
  | { kind: 'none'; firstSetAt: string | null }
  | { kind: 'unknown'; since: string }

/** Finds where a label pointed. @param at in milliseconds */
export function findLabelAt(label: string, at: number, { labels, changes, since }: KnownLabels): LabelAt {
  // In the order of the branch, because a clock that was ahead for a moment must not hide later moves.
  const moves = changes.filter((change) => change.label === label)
  const before = moves.find((move) => Date.parse(move.at) <= at)
  const first = moves.at(-1)
  const oldest = changes.length >= MAX_ACTIVITIES ? changes.at(-1)!.at : null
  const known = [since, oldest]
    .filter((time) => time !== null)
    .sort()
    .at(-1)
  if (!before && known !== undefined && at < Date.parse(known)) return { kind: 'unknown', since: known }
  const now = targetOf(labels, label)?.version ?? null
  const version = before ? before.to : first ? first.from : now
  if (version !== null) return { kind: 'version', version }
  return { kind: 'none', firstSetAt: moves.findLast(({ to }) => to !== null)?.at ?? null }
}
