// Finds when the model of a version retires, and whether to say so on a day. Reads import this file, so it imports no schemas.
import type { ModelStatus, Parameters } from '../api/schema.ts'

/** The models with an announced end, by ID. */
export type Models = ReadonlyMap<string, ModelStatus>

/** Returns the model of a version, if it names one. */
export function modelOf({ model }: Parameters): string | null {
  return typeof model === 'string' ? model : null
}

/** Finds what is announced for a version's model. The ID must be the same: another host of a model, such as `azure/…`, has other dates. */
export function findModelStatus(models: Models, model: string | null): ModelStatus | null {
  return (model === null ? undefined : models.get(model)) ?? null
}

/** Number of days before a model retires from which pages say so. docs/contract.md section 10 */
const NOTICE_DAYS = 90
const DAY_MS = 86_400_000

/** What a page says about a model at a moment. */
export interface ModelNotice {
  status: ModelStatus
  /** Whether the day on which it retires has begun, in UTC. */
  isRetired: boolean
}

/**
 * Finds what a page says about a model.
 *
 * @param now in milliseconds
 * @returns the notice, if it is time for one, and when the words change next, in milliseconds; undefined if they never change again
 */
export function findModelNotice(
  status: ModelStatus | null,
  now: number,
): { notice: ModelNotice | undefined; changesAt: number | undefined } {
  if (!status) return { notice: undefined, changesAt: undefined }
  const end = Date.parse(status.retires_at)
  const start = end - NOTICE_DAYS * DAY_MS
  if (now < start) return { notice: undefined, changesAt: start }
  return now < end
    ? { notice: { status, isRetired: false }, changesAt: end }
    : { notice: { status, isRetired: true }, changesAt: undefined }
}
