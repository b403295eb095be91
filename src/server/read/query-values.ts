// Parses query values, and determines which version they select: by number, by label, or the latest.
import { HubError } from '../../domain/api/errors.ts'
import type { Repository } from '../../domain/api/schema.ts'
import { printable } from '../../domain/text/problems.ts'
import { isVersion } from '../../domain/values/names.ts'

/** The version that a query selects, by number or by label; both may be missing. */
interface AskedVersion {
  version: string | undefined
  label: string | undefined
}

/** Parses the version or label that a query selects. @throws HubError `invalid_request` for a malformed number, or for a number together with a label */
export function readVersionQuery(query: URLSearchParams): AskedVersion {
  const label = lastOf(query, 'label')
  const version = lastOf(query, 'version')
  if (version !== undefined && !isVersion(version))
    throw new HubError(
      'invalid_request',
      `version: expected the form x.y.z, such as 1.0.0, got ${quote(version)}. The list of versions is at …/versions.`,
    )
  if (label !== undefined && version !== undefined) throw ambiguousVersionError()
  return { version, label }
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
  if (Object.hasOwn(labels, label)) return labels[label]
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
