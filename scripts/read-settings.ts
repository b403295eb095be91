// Reads the settings of a program that cannot go on without them.
import { type Config, readConfig } from '../src/config.ts'
import { openNetwork } from '../src/hosts/node/network.ts'
import { describeError, logProblem, setLog } from '../src/log.ts'

/** Reads the settings from the environment. If one is invalid, or is given as an argument, ends the process with a line that names it. */
export function readSettings(): Config {
  try {
    const [argument] = process.argv.slice(2)
    if (argument !== undefined)
      throw new Error(
        `Unexpected argument: ${argument}. Settings are environment variables, as in PORT=8889 npm start.`,
      )
    const config = readConfig(process.env)
    setLog(config.logging)
    openNetwork(config)
    return config
  } catch (error) {
    logProblem('error', 'start_failed', describeError(error))
    process.exit(1)
  }
}
