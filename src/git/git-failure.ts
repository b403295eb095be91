// Defines the errors of running git.

/** A failed run. The error's message contains git's output, so it is logged but never sent to a client. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure'
}

/** Git wrote more than `maxBytes`. */
export class OutputTooLong extends Error {
  override readonly name = 'OutputTooLong'
}
