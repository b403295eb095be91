// The outcome of a step of composing: its value, or problems with their positions in the source.
import type { ValueProblem } from '../text/problems.ts'

/** A problem with its position in the source, in UTF-16 code units, if known. */
export interface SourceProblem extends ValueProblem {
  offset?: number
}

/** A value, or all problems. */
export type Outcome<Value> = { value: Value; problems?: never } | { value?: never; problems: SourceProblem[] }
