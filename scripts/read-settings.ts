// Reads the settings for a command from the environment.
import { type Config, readConfig } from '../src/config.ts'

/** Reads the settings from the environment. If any is invalid, prints the problems without a stack trace and exits with status 1. */
export function readSettingsOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
