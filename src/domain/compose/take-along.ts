// Takes the includes of a version along to another version with the same content: a fork, a revert, or the same bytes sent again. docs/compose.md
import type { Variable } from '../api/schema.ts'
import { isSameJson } from '../text/json.ts'
import type { Include } from '../values/include.ts'
import { ownVariables } from './compose-version.ts'
import { isUndeclared } from './join-variables.ts'

/** A version with the same content, from which includes are taken. */
export interface SameContent {
  includes?: readonly Include[] | undefined
  variables: readonly Variable[]
}

/** The variables of a version with includes, and these. */
interface TakenAlong {
  variables: Variable[]
  includes: Include[]
}

/**
 * Returns the includes for a version with the same content, and its variables as composing its source would store them, so that composing it again changes nothing.
 *
 * @param variables those of the new version. One with nothing but a name gives way to the declaration of its part; one with another declaration no longer comes from a part
 * @param areGiven whether the request names the variables; otherwise, one with nothing but a name is declared as in the version with the same content
 * @returns undefined if there are no includes
 */
export function takeAlong(
  { includes = [], variables: known }: SameContent,
  variables: readonly Variable[],
  areGiven: boolean,
): TakenAlong | undefined {
  if (includes.length === 0) return undefined
  const before = new Map(known.map((variable) => [variable.name, variable]))
  const fromParts = new Set(includes.flatMap(({ variables: names }) => names))
  const declared = variables.map((one) =>
    isUndeclared(one) && (!areGiven || fromParts.has(one.name)) ? (before.get(one.name) ?? one) : one,
  )
  const now = new Map(declared.map((variable) => [variable.name, variable]))
  const taken = includes.map((include) => ({
    ...include,
    variables: include.variables.filter((name) => now.has(name) && isSameJson(now.get(name), before.get(name))),
  }))
  const added = taken.flatMap(({ variables: names }) => names.map((name) => now.get(name)!))
  return { includes: taken, variables: [...ownVariables({ variables: declared, includes: taken }), ...added] }
}
