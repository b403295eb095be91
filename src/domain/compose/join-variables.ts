// Joins the variables of a prompt with those of its parts, by name. docs/compose.md

import type { Variable } from '../api/schema.ts'
import { undeclaredVariable } from '../content/prompt-file.ts'
import { isSameJson } from '../text/json.ts'
import type { Parsed, ValueProblem } from '../text/problems.ts'

/** The variables of a part. */
interface PartVariables {
  /** The part, such as acme/house-style@1.4.0. */
  address: string
  variables: readonly Variable[]
}

/** The joined variables, and which of them each part adds. */
interface JoinedVariables {
  variables: Variable[]
  /** The names of the variables that come from each part, in the order of the parts. */
  added: string[][]
}

/** The fields that decide which values are accepted. Two declarations that differ in one of them contradict each other. */
const BINDING = ['type', 'required', 'default', 'options'] as const

/**
 * Joins variables by name: those of the prompt first, then those of its parts in order. A placeholder that nobody declares takes the declaration of a part that does. The description and the example are those of the first declaration.
 *
 * @param own the variables of the prompt itself
 */
export function joinVariables(own: readonly Variable[], parts: readonly PartVariables[]): Parsed<JoinedVariables> {
  const joined = new Map(own.map((variable) => [variable.name, { variable, from: 'this prompt' }]))
  const problems: ValueProblem[] = []
  const added = parts.map(({ address, variables }) => {
    const names: string[] = []
    for (const variable of variables) {
      const { name } = variable
      const known = joined.get(name)
      if (known === undefined) {
        joined.set(name, { variable, from: address })
        names.push(name)
        continue
      }
      if (isUndeclared(variable)) continue
      if (isUndeclared(known.variable)) {
        // A variable that now comes from a part stands with those of the part, so that composing again stores the same order.
        if (known.from === 'this prompt') {
          joined.delete(name)
          names.push(name)
        }
        joined.set(name, { variable, from: address })
        continue
      }
      const different = BINDING.filter((field) => !isSameJson(known.variable[field], variable[field]))
      if (different.length > 0) problems.push(describeConflict(name, different, [known.from, address]))
    }
    return names
  })
  if (problems.length > 0) return { problems }
  return { value: { variables: [...joined.values()].map(({ variable }) => variable), added } }
}

/** Returns whether a variable has nothing but a name, as a placeholder that nobody declares. */
export function isUndeclared(variable: Variable): boolean {
  return isSameJson(variable, undeclaredVariable(variable.name))
}

function describeConflict(name: string, fields: readonly string[], [first, second]: [string, string]): ValueProblem {
  const wayOut =
    first === 'this prompt'
      ? 'Leave the variable out here to take the declaration of the part, or give it another name'
      : 'Declare it in the same way in both, or include versions that agree'
  const message = `${name} is declared in ${first} and differently in ${second}: ${fields.join(', ')}. ${wayOut}`
  return { key: 'variables', message }
}
