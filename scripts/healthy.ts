// `node scripts/healthy.ts`: whether the hub on this machine serves, by its exit status, for a container's health check; it listens where PORT says.
import { readConfig } from '../src/config.ts'
import { HEALTH_ADDRESS } from '../src/domain/api/addresses.ts'

const { port } = readConfig(process.env)
const answer = await fetch(`http://localhost:${port}${HEALTH_ADDRESS}`).catch(() => undefined)
process.exitCode = answer?.ok ? 0 : 1
