// Reads the settings for a command, and exits with the list of problems if one is invalid.
import { type Config, readConfig } from '../src/config.ts'

/** Reads the settings from the environment. Prints problems without a stack trace and exits with status 1. */
export function readSettingsOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
