// The settings of this hub, for pages that are made before anybody asks and therefore have no hub to ask.
import { type Config, readConfig } from '../../config.ts'

/** Reads the settings. */
export const thisHub = (): Config => readConfig(process.env)
