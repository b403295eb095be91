// Removes expired state every hour. It has no URL: only the platform's scheduler calls it.
import type { Config } from '@netlify/functions'
import { sweepState } from '../../src/wiring/sweep.ts'

export default () => sweepState()

export const config: Config = { schedule: '@hourly' }
