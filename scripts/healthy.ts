// `node scripts/healthy.ts`: a container's health check; exits with 0 if the hub on this machine serves everything. The state is excluded, because a hub still serves all reads without it, and a restart does not bring it back.
import { READY_ADDRESS } from '../src/catalogue/published/addresses.ts'
import { readSettings } from './read-settings.ts'

const { port, listenAt } = readSettings()
const host = listenAt === 'everywhere' ? 'localhost' : (listenAt[0] ?? 'localhost')
const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
const answer = await fetch(`${origin}${READY_ADDRESS}?exclude=state`).catch(() => undefined)
process.exitCode = answer?.ok ? 0 : 1
