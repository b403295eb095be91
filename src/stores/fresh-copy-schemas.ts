// Owns the schemas of what lies in the blob store between a publish and the next build. Imported when the first copy is found, because most reads find none.
import * as z from 'zod'
import { Repository, VersionRecord, VersionSummary } from '../domain/api/schema.ts'
import { Time } from '../domain/content/values.ts'
import type { FreshCopy } from '../ports/fresh-copies.ts'

/** Each kind of blob. */
export const FRESH_SCHEMAS = {
  copy: z.object({
    repository: Repository,
    versions: z.array(VersionSummary),
    based_on: z.string().nullable(),
    kept_at: Time,
  }) satisfies z.ZodType<FreshCopy>,
  version: VersionRecord,
} as const
