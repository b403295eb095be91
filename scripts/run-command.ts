// Runs a command of package.json: a failure is a message for a person, not a stack trace.
import { withoutControls } from '../src/domain/text/problems.ts'
import { describeError } from '../src/ports/log.ts'

/** Runs the work of a command. If it fails, prints why and the usage. @param status the exit status of a failure */
export async function runCommand(
  { usage, status = 1 }: { usage?: string; status?: number },
  work: () => unknown,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    // A message may quote names from elsewhere.
    const message = describeError(error).split('\n').map(withoutControls).join('\n')
    console.error(usage === undefined ? message : `${message}\n${usage}`)
    process.exitCode = status
  }
}
