// Reads the settings of a program that cannot go on without them.
import { type Config, readConfig } from '../src/config.ts'
import { describeError } from '../src/ports/log.ts'

/** Reads the settings from the environment. If one is invalid, ends the process with a line that names it. */
export function readSettings(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    console.error(describeError(error))
    process.exit(1)
  }
}
