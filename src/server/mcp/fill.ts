// Owns filling a version's text for a client: which values count, and which placeholders are left over.

import type { VersionRecord } from '../../domain/api/schema.ts'
import { fillPlaceholders, findPlaceholders } from '../../domain/content/placeholders.ts'

/** A text after filling. */
export interface Filled {
  content: string
  /** The version's variables whose placeholder still stands, by first appearance. */
  missing: string[]
}

/**
 * Fills the placeholders of a version in one pass.
 *
 * @param given name → value as its own properties; names that the version does not have are ignored. Undefined: nothing is filled, not even a default.
 */
export function fillVersion(
  { content, variables }: Pick<VersionRecord, 'content' | 'variables'>,
  given: Readonly<Record<string, unknown>> | undefined,
): Filled {
  const values = new Map<string, string>()
  for (const { name, default: usual } of given ? variables : []) {
    // Otherwise `{{constructor}}` is filled with a function.
    const value = Object.hasOwn(given!, name) ? given![name] : usual
    if (value !== undefined && value !== null) values.set(name, String(value))
  }
  const names = new Set(variables.map(({ name }) => name))
  return {
    content: fillPlaceholders(content, values),
    // Of the stored text: a value that looks like a placeholder is a value.
    missing: findPlaceholders(content).filter((name) => names.has(name) && !values.has(name)),
  }
}
