// The settings of this hub, for prerendered pages, which have no request.
import { type Config, readConfig } from '../../config.ts'

export const thisHub = (): Config => readConfig(process.env)
