// Lists what the page offers to delete. The API decides.

import type { VersionRow } from '../domain/api/schema.ts'
import { DELETION_HOURS, findAges } from '../domain/managing/deletion.ts'
import { type Labels, versionsOf } from '../domain/values/label-target.ts'

/** What an author may delete now, and why not more. */
interface Deletable {
  versions: string[]
  /** Whether the prompt may be deleted with all its versions. */
  isWhole: boolean
  why: string | undefined
}

/** @param versions highest first */
export function listDeletable(
  versions: readonly Pick<VersionRow, 'version' | 'available_at'>[],
  labels: Labels,
  now: Date,
): Deletable {
  const ages = findAges({ rows: versions, nowMs: now.getTime() })
  const fresh = versions.filter(({ version }) => ages.get(version)! < DELETION_HOURS)
  const pointedAt = new Set(Object.values(labels).flatMap(versionsOf))
  const free = fresh.filter(({ version }) => !pointedAt.has(version)).map(({ version }) => version)
  const isWhole = fresh.length === versions.length && pointedAt.size === 0
  return { versions: versions.length > 1 ? free : [], isWhole, why: whyNot(fresh.length, free.length, versions.length) }
}

function whyNot(fresh: number, free: number, all: number): string | undefined {
  const ask = 'Yank it, or ask the operator of this hub to take it down.'
  if (fresh === 0) return `All versions are older than ${DELETION_HOURS} hours. To withdraw one: ${ask}`
  if (free < fresh) return 'To delete a version that a label points at, move or remove the label first.'
  if (fresh < all) return `For a version that is older than ${DELETION_HOURS} hours: ${ask}`
  return undefined
}
