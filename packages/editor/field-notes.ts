// Places the problems of a version form at its fields.

import type { ValueProblem } from '../../src/domain/text/problems.ts'
import type { FieldProblem } from '../account/field-notes.ts'
import { sayProblem } from '../account/words-for-people.ts'
import { fieldOfProblem, placeOfField } from './form/version-form.ts'

/** Places problems at their fields, in the order of the page. @param variables the names of the variables, in order */
export function placeProblems(problems: readonly ValueProblem[], variables: readonly string[]): FieldProblem[] {
  return problems
    .map((problem) => ({
      field: fieldOfProblem(problem.key, variables),
      sentence: sayProblem(problem, variables),
      words: sayProblem({ key: '', message: capitalise(problem.message) }),
    }))
    .sort((a, b) => placeOfField(a.field, variables) - placeOfField(b.field, variables))
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
