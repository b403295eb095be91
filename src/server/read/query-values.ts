// Parses query values, and determines which version they select: by number, by label, or the latest.

import { HubError } from '../../domain/api/errors.ts'
import type { Repository } from '../../domain/api/schema.ts'
import { LIMITS } from '../../domain/limits.ts'
import { printable } from '../../domain/text/printable.ts'
import { targetOf } from '../../domain/values/label-target.ts'
import { isVersion } from '../../domain/values/names.ts'

/** The version that a query selects, by number or by label; both may be missing. */
interface AskedVersion {
  version: string | undefined
  label: string | undefined
}

/** The same, with the time at which the label is asked for, or the caller who asks. */
interface AskedRaw extends AskedVersion {
  at: string | undefined
  key: string | undefined
}

/** A query that selects nothing, as most reads. */
export const LATEST: AskedRaw = { version: undefined, label: undefined, at: undefined, key: undefined }

/** Parses the version or label that a query selects. @throws HubError `invalid_request` for a malformed number, or for a number together with a label */
export function readVersionQuery(query: URLSearchParams): AskedRaw {
  const label = lastOf(query, 'label')
  const version = lastOf(query, 'version')
  if (version !== undefined) checkVersion('version', version)
  if (label !== undefined && version !== undefined) throw ambiguousVersionError()
  const at = lastOf(query, 'at')
  if (at !== undefined) checkTime(at, label, Date.now())
  const key = lastOf(query, 'key')
  if (key !== undefined) checkKey(key, label, at)
  return { version, label, at, key }
}

/** @throws HubError `invalid_request` for a key without a label, at a time in the past, or that is too long */
function checkKey(key: string, label: string | undefined, at: string | undefined): void {
  if (label === undefined) throw new HubError('invalid_request', 'key: expected a label too, such as label=production.')
  if (at !== undefined)
    throw new HubError('invalid_request', 'key: expected no at beside it, because who got which version is not kept.')
  if (key.length > LIMITS.callerKeyCharacters)
    throw new HubError(
      'invalid_request',
      `key: expected at most ${LIMITS.callerKeyCharacters} characters, got ${key.length}.`,
    )
}

/** Parses the version to compare with. @throws HubError `invalid_request` for a malformed number */
export function readFromQuery(query: URLSearchParams): string | undefined {
  const from = lastOf(query, 'from')
  if (from !== undefined) checkVersion('from', from)
  return from
}

function checkVersion(parameter: string, version: string): void {
  if (isVersion(version)) return
  throw new HubError(
    'invalid_request',
    `${parameter}: expected the form x.y.z, such as 1.0.0, got ${quote(version)}. The list of versions is at …/versions.`,
  )
}

/** A time in RFC 3339, in its upper-case form. */
const TIME = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
/** Clocks may differ by this much. docs/contract.md section 2. */
const CLOCK_TOLERANCE_MS = 300_000

/** Checks the time at which a label is asked for. @throws HubError `invalid_request` for another form, a day that does not exist, a time to come, or a time without a label */
export function checkTime(at: string, label: string | undefined, now: number): void {
  const [, day = ''] = TIME.exec(at) ?? []
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day)
    throw new HubError(
      'invalid_request',
      `at: expected a time such as 2026-11-20T10:00:00Z, got ${quote(at)}. In a URL, + is written %2B.`,
    )
  if (label === undefined) throw new HubError('invalid_request', 'at: expected a label too, such as label=production.')
  if (Date.parse(at) > now + CLOCK_TOLERANCE_MS)
    throw new HubError('invalid_request', `at: expected a time in the past, got ${quote(at)}.`)
}

/** Maximum number of labels listed in a message. */
const MAX_LABELS = 10

/**
 * Finds the number of the selected version.
 *
 * @returns undefined if neither a number nor a label is given, which means the latest version
 * @throws HubError `invalid_request` if both are given; `not_found`, with the existing labels, for an unknown label
 */
export function resolveVersion(
  { full_name, labels }: Pick<Repository, 'full_name' | 'labels'>,
  { version, label }: AskedVersion,
): string | undefined {
  if (label === undefined) return version
  if (version !== undefined) throw ambiguousVersionError()
  const target = targetOf(labels, label)
  if (target) return target.version
  const known = Object.keys(labels)
  const listed = known.slice(0, MAX_LABELS).join(', ') + (known.length > MAX_LABELS ? ', …' : '')
  throw new HubError(
    'not_found',
    `${full_name} has no label ${printable(label)}. ${known.length === 0 ? 'It has no labels; give a version.' : `Its labels: ${listed}.`}`,
  )
}

function ambiguousVersionError(): HubError {
  return new HubError('invalid_request', 'label: expected either a label or a version, got both.')
}

/** If a parameter is repeated, the last value is used. An empty value counts as omitted. */
export function lastOf(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1) || undefined
}

/** Formats a value for a message. */
export function quote(value: string): string {
  return JSON.stringify(printable(value))
}
