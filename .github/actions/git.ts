// Runs git in the working directory of a job.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const MAX_OUTPUT_BYTES = 268_435_456

/** Runs git. @throws Error if it fails, with `code` and `stderr` */
export async function git(...args: string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES })).stdout.trim()
}

/** Whether git says yes. */
export const asksGit = (...args: string[]): Promise<boolean> =>
  git(...args).then(
    () => true,
    () => false,
  )
