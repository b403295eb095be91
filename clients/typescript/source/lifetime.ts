// How long versions have been out, and how long their models will be served. Sends no request.
import type { VersionRow } from './records.ts'
import { PromptHubError } from './trouble.ts'

/** An audit fails for a model that retires within this many days, unless told otherwise. */
export const WITHIN_DAYS = 30
const DAY_MS = 86_400_000

/** Parses a number of days such as `30d`. @throws PromptHubError `invalid_request` */
export function parseDays(text: string, option: string): number {
  if (!/^\d{1,4}d$/.test(text))
    throw new PromptHubError(
      'invalid_request',
      `${option}: expected a number of days such as 7d, got ${text.slice(0, 60) || 'nothing'}`,
    )
  return Number(text.slice(0, -1))
}

/** Returns the versions that have been available for at least some days, and the locked one. A time that cannot be read counts as too new. */
export function ripeOf(rows: readonly VersionRow[], days: number, locked: string, now: number): VersionRow[] {
  const latest = now - days * DAY_MS
  return rows.filter(
    ({ version, available_at }) =>
      version === locked ||
      (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(available_at ?? '') && Date.parse(available_at!) <= latest),
  )
}

/** Says whether the model of a version has retired, or retires within some days. @returns undefined if neither */
export function findRetiring(
  name: string,
  version: string,
  rows: readonly VersionRow[],
  days: number,
  now: number,
): string | undefined {
  const status = rows.find((row) => row.version === version)?.model_status
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
  if (!status || status.retires_at > dayOf(now + days * DAY_MS)) return undefined
  const verb = status.retires_at <= dayOf(now) ? 'retired' : 'retires'
  const advice = status.replaced_by ? `; its provider recommends ${status.replaced_by}` : ''
  return `${name} ${version}: its model ${status.model} ${verb} on ${status.retires_at}${advice}`
}
