// Takes the includes of a version along to another version with the same content: a fork, a revert, or the same bytes sent again. docs/contract.md section 14
import type { Variable } from '../api/schema.ts'
import { isSameJson } from '../text/json.ts'
import type { Include } from '../values/include.ts'

/** A version with the same content, from which includes are taken. */
export interface SameContent {
  includes?: readonly Include[] | undefined
  variables: readonly Variable[]
}

/**
 * Returns the includes for a version with the same content.
 *
 * @param variables those of the new version. A variable with another declaration no longer comes from a part
 * @returns undefined if there are none
 */
export function takeAlong(
  { includes = [], variables: known }: SameContent,
  variables: readonly Variable[],
): Include[] | undefined {
  if (includes.length === 0) return undefined
  const before = new Map(known.map((variable) => [variable.name, variable]))
  const same = new Set(variables.filter((one) => isSameJson(one, before.get(one.name))).map(({ name }) => name))
  return includes.map((include) => ({ ...include, variables: include.variables.filter((name) => same.has(name)) }))
}
