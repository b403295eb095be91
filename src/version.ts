// The version of the hub's code.
import manifest from '../package.json' with { type: 'json' }

/** The version in package.json. */
export const VERSION: string = manifest.version
