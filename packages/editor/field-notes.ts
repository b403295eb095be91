// Defines what the fields of the editor say: what is wrong with them, and suggestions.

import type { ValueProblem } from '../../src/domain/text/problems.ts'
import { sayProblem } from '../account/words-for-people.ts'
import type { Suggestion } from './form/suggestions.ts'
import { fieldOfProblem, placeOfField } from './form/version-form.ts'

/** A problem at its field. */
interface FieldProblem {
  /** The name of the field; empty if the problem concerns no field. */
  field: string
  /** The problem for a list of all problems: with the field's label. */
  sentence: string
  /** The problem beside the field. */
  words: string
}

/** What the fields of a form say. */
export interface FieldNotes {
  /** In the order of the page. */
  problems: readonly FieldProblem[]
  suggestions: readonly Suggestion[]
}

/** Notes of a form in which nothing is wrong. */
export const NO_NOTES: FieldNotes = { problems: [], suggestions: [] }

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

/** Returns what is wrong with a field. */
export function wordsAt({ problems }: FieldNotes, name: string): string[] {
  return problems.filter(({ field }) => field === name).map(({ words }) => words)
}

/** Returns the attributes of a field's control. @param hasHint whether something is said below it */
export function attributesAt(notes: FieldNotes, name: string, hasHint: boolean) {
  const isFirst = notes.problems.find(({ field }) => field !== '')?.field === name
  return {
    ...{ id: name, name, 'aria-describedby': `${hasHint ? `${name}-hint ` : ''}${name}-wrong` },
    ...(wordsAt(notes, name).length > 0 && { 'aria-invalid': 'true' as const }),
    ...(isFirst && { autofocus: true }),
  }
}
