// The thread for long work, which runs one piece at a time.

import type { WorkPlace } from '../../concurrency/long-work.ts'
import { HubError } from '../../domain/api/errors.ts'
import { lowerPriority } from './thread-priority.ts'

/** A piece of work. */
interface Task extends WorkPlace {
  given: readonly unknown[]
}

/** The fields of a HubError: a clone of an error loses its class. */
export type Refusal = Pick<HubError, 'code' | 'message' | 'retryAfterSeconds' | 'problems'>

/** The result of a piece of work, or the error that it threw. */
export type Outcome = { value: unknown; refusal?: never } | { value?: never; refusal: Refusal }

lowerPriority()

/** Runs a function of a module, which is imported on first use. */
export async function runTask({ module, name, given }: Task): Promise<Outcome> {
  const { [name]: work } = await import(module)
  try {
    return { value: await work(...given) }
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown
    const { code, message, retryAfterSeconds, problems } = thrown
    return { refusal: { code, message, retryAfterSeconds, problems } }
  }
}
