// The errors of this library: one exception whose code tells what to do.

/**
 * What went wrong:
 *
 * - `invalid_request`: the call itself is wrong; nothing was sent.
 * - `not_found`: no such prompt, version or label, or no version in the range.
 * - `refused`: the hub responded with another 4xx.
 * - `unavailable`: no usable response in time: network error, 5xx or 429, after all retries.
 * - `integrity`: bytes do not match the lock or the hub's own digest.
 * - `not_locked`: a lock is in use and does not contain the requested prompt.
 * - `invalid_values`: the values do not match the prompt; `problems` names each.
 */
export type TroubleCode =
  | 'invalid_request'
  | 'not_found'
  | 'refused'
  | 'unavailable'
  | 'integrity'
  | 'not_locked'
  | 'invalid_values'

/** A problem with the values of a prompt. */
export interface ValueProblem {
  kind: 'missing' | 'unknown' | 'invalid' | 'too_large'
  /** The variable; empty for the text as a whole. */
  name: string
  /** What was expected. */
  message: string
}

/** The only exception of this library. */
export class PromptHubError extends Error {
  override readonly name = 'PromptHubError'
  /** What went wrong. */
  readonly code: TroubleCode
  /** The HTTP status, if the hub responded. */
  readonly status: number | undefined
  /** With `invalid_values`: all problems. */
  readonly problems: readonly ValueProblem[]

  constructor(
    code: TroubleCode,
    message: string,
    options: { status?: number; problems?: readonly ValueProblem[]; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = options.status
    this.problems = options.problems ?? []
  }
}

/** Whether an error says that the hub does not have what was asked for. */
export const isNotFound = (error: unknown): boolean => error instanceof PromptHubError && error.code === 'not_found'
