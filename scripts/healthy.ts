// `node scripts/healthy.ts`: a container's health check; exits with 0 if the hub on this machine's PORT serves everything. The state is excluded, because a hub still serves all reads without it, and a restart does not bring it back.

import { READY_ADDRESS } from '../src/catalogue/published/addresses.ts'
import { readSettings } from './read-settings.ts'

const { port } = readSettings()
const answer = await fetch(`http://localhost:${port}${READY_ADDRESS}?exclude=state`).catch(() => undefined)
process.exitCode = answer?.ok ? 0 : 1
