// The settings of this hub, for prerendered pages, which have no request.
import { type Config, readConfig } from '../../config.ts'

/** Reads the settings from the environment. */
export const thisHub = (): Config => readConfig(process.env)
