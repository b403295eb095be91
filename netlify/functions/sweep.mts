// Removes expired state every hour. It has no address: only the platform's schedule calls it.
import type { Config } from '@netlify/functions'
import { sweepState } from '../../src/wiring/sweep.ts'

export default () => sweepState()

export const config: Config = { schedule: '@hourly' }
