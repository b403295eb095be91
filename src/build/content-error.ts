// Defines the error that lists every problem in a content folder.
import { formatProblem, type Problem } from '../domain/text/problems.ts'

/** Thrown if the content folder has problems; the message lists all of them, one per line. */
export class ContentError extends Error {
  override readonly name = 'ContentError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(
      `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in the content:\n${problems.map((problem) => `  ${formatContentProblem(problem)}`).join('\n')}`,
    )
    this.problems = problems
  }
}

/** Formats a problem as one line: `file: key: what was expected`. */
export function formatContentProblem(problem: Problem): string {
  return `${problem.file}: ${formatProblem(problem)}`
}
