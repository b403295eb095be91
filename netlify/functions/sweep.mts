// Removes expired state every hour. This function has no URL, because only the platform's scheduler calls it.
import type { Config } from '@netlify/functions'
import { stateOf } from '../../src/hub/open-hub.ts'

export default async () => new Response(`Removed: ${await (await stateOf(undefined)).removeExpired()}\n`)

export const config: Config = { schedule: '@hourly' }
