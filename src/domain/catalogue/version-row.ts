// Takes the brief form of a version from its record in a list. Imports no schemas, because reads import it.

import type { VersionRow, VersionSummary } from '../api/schema.ts'
import { pick } from '../text/json.ts'

/** The fields of a version in brief. */
const ROW_FIELDS = [
  'version',
  'published_at',
  'available_at',
  'published_by',
  'content_sha256',
  'yanked',
  'yank_reason',
  'model_status',
] as const

/** Returns a version in brief. */
export function rowOf(summary: VersionSummary): VersionRow {
  return pick(summary, ROW_FIELDS)
}
