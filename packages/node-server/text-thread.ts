// The thread for work on somebody's text, which runs one job at a time.
import { HubError } from '../../src/domain/api/errors.ts'
import type { TextJobs } from '../../src/ports/text-work.ts'
import { loadTextJobs, TEXT_JOBS } from '../../src/wiring/text-jobs.ts'
import { lowerPriority } from './thread-priority.ts'

/** A job with its arguments. */
interface TextTask {
  name: keyof TextJobs
  given: readonly unknown[]
}

/** The fields of a HubError: a clone of an error loses its class. */
export type TextRefusal = Pick<HubError, 'code' | 'message' | 'retryAfterSeconds' | 'problems'>

/** The result of a job, or the error that it threw. */
export type TextOutcome = { value: unknown } | { refusal: TextRefusal }

/** Runs a job. Without one, resolves when the thread has loaded the code of all jobs, so that no job's deadline includes it. */
export async function runTask(task: TextTask | undefined): Promise<TextOutcome> {
  if (!task) {
    await loadTextJobs()
    // Only now: on a busy machine, loading at a low priority takes many times as long, and a request waits for it.
    lowerPriority()
    return { value: undefined }
  }
  try {
    return { value: await Reflect.apply(TEXT_JOBS[task.name], undefined, task.given) }
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown
    const { code, message, retryAfterSeconds, problems } = thrown
    return { refusal: { code, message, retryAfterSeconds, problems } }
  }
}
