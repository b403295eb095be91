// Defines what the fields of a form say: what is wrong with them.

/** A problem at its field. */
export interface FieldProblem {
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
}

/** Notes of a form in which nothing is wrong. */
export const NO_NOTES: FieldNotes = { problems: [] }

/** Returns what is wrong with a field. */
export function wordsAt({ problems }: FieldNotes, name: string): string[] {
  return problems.filter(({ field }) => field === name).map(({ words }) => words)
}

/** Returns the attributes of a field's control. @param notes undefined for a form that says nothing at its fields @param hasHint whether something is said below it */
export function attributesAt(notes: FieldNotes | undefined, name: string, hasHint: boolean, id = name) {
  const described = [...(hasHint ? [`${id}-hint`] : []), ...(notes ? [`${name}-wrong`] : [])]
  const isFirst = notes?.problems.find(({ field }) => field !== '')?.field === name
  return {
    id,
    name,
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
    ...(notes && wordsAt(notes, name).length > 0 && { 'aria-invalid': 'true' as const }),
    ...(isFirst && { autofocus: true }),
  }
}
